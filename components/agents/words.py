"""The words for states, audiences and models of agents."""

import reflex as rx

from agenticos_app.i18n import t
from agenticos_app.schemas.agents import AgentCard
from components.ui.base import in_address
from components.ui.icon import icon
from components.ui.marks import badge, status

Card = rx.Var[AgentCard]


def builder_of(row: Card) -> rx.Var[str]:
    """Return the address where the agent is built."""
    return "/agents/edit?a=" + row.id.to(str)


def chat_with(row: Card) -> rx.Var[str]:
    """Return the address of a new conversation with the agent."""
    return "/chat?agent=" + row.id.to(str)


def file_of(row: Card, organization_id: rx.Var[str]) -> rx.Var[str]:
    """Return the address of the draft as a file."""
    return "/api/v1/agents/" + row.id.to(str) + "/export?organization=" + in_address(organization_id)


def status_mark(row: Card) -> rx.Component | rx.Var:
    """Tell whether people can talk to it, and to which version."""
    return rx.match(
        row.status,
        ("published", status(t("agents.live", number=row.live_version), tone="green")),
        ("archived", status(t("agents.archived"), tone="neutral")),
        status(t("agents.draft"), tone="hollow"),
    )


def audience(row: Card) -> rx.Component:
    """Tell who can use it."""
    mine = rx.cond(row.is_mine, t("agents.only_me"), t("agents.only_owner"))
    return rx.el.span(
        rx.match(
            row.audience,
            ("everyone", rx.fragment(icon("users"), t("agents.everyone"))),
            ("people", rx.fragment(icon("user-check"), t("agents.people"))),
            rx.fragment(icon("lock"), mine),
        ),
        class_name="fact",
    )


def model(row: Card) -> rx.Component | rx.Var:
    """Name its model, or say what is wrong with it."""
    return rx.match(
        row.model_problem,
        ("none", badge(t("agents.no_model"), tone="amber")),
        ("gone", badge(t("agents.model_gone"), tone="amber")),
        ("no_key", badge(t("agents.no_key", model=row.model_label), tone="amber")),
        rx.el.span(icon("brain"), rx.el.span(row.model_label, class_name="cut"), class_name="fact"),
    )
