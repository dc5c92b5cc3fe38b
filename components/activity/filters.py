"""The filters of the list; each is in the page's address."""

import reflex as rx

from agenticos_app.i18n import t
from agenticos_app.schemas.agents import AgentRow
from components.activity.words import status_words, surface_words
from components.ui.icon import icon
from components.ui.marks import chip
from components.ui.overlay import menu, menu_item
from state.activity import ActivityState

OFFERED = ("running", "completed", "failed", "cancelled")
"""States to filter by; the others show only when the address names them, until something writes them."""


def filtered() -> rx.Var[bool]:
    """Tell whether any filter is on."""
    return (
        (ActivityState.statuses.length() > 0)
        | (ActivityState.agent_id != "")
        | (ActivityState.surface != "")
        | ActivityState.is_test
    )


def _status_chip(state: str, word: rx.Var[str]) -> rx.Component:
    on = ActivityState.statuses.contains(state)
    drawn = chip(word, on=on, on_click=ActivityState.toggle_status(state))
    return drawn if state in OFFERED else rx.cond(on, drawn)


def _agent_item(agent: rx.Var[AgentRow]) -> rx.Component:
    return menu_item(
        rx.el.span(agent.name, class_name="grow cut"),
        rx.cond(agent.id.to(str) == ActivityState.agent_id, icon("check")),
        on_select=ActivityState.choose_agent(agent.id.to(str)),
    )


def _chosen_name(agent: rx.Var[AgentRow]) -> rx.Component:
    return rx.cond(agent.id.to(str) == ActivityState.agent_id, rx.el.span(agent.name, class_name="cut"))


def _agent_filter() -> rx.Component:
    chosen = chip(
        rx.foreach(ActivityState.agents, _chosen_name),
        on=True,
        removable=True,
        on_click=ActivityState.choose_agent(""),
    )
    offered = menu(
        rx.foreach(ActivityState.agents, _agent_item),
        trigger=[t("activity.agent"), icon("chevron-down")],
        trigger_class="chip",
    )
    return rx.cond(ActivityState.agent_id != "", chosen, offered)


def filters() -> rx.Component:
    """Draw the filters in one line."""
    return rx.el.div(
        *[_status_chip(state, word) for state, word in status_words().items()],
        rx.el.span(class_name="gap-line"),
        *[
            chip(
                word,
                on=ActivityState.surface == surface,
                on_click=ActivityState.toggle_surface(surface),
            )
            for surface, word in surface_words().items()
        ],
        rx.el.span(class_name="gap-line"),
        _agent_filter(),
        chip(t("activity.tests"), on=ActivityState.is_test, on_click=ActivityState.toggle_tests),
        rx.cond(
            filtered(),
            rx.el.button(
                t("activity.clear"),
                type="button",
                class_name="btn q sm",
                on_click=ActivityState.clear_filters,
            ),
        ),
        class_name="filters",
        role="group",
        aria_label=t("activity.filters"),
    )
