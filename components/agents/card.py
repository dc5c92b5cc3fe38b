"""One agent of the catalogue."""

import reflex as rx

from agenticos_app.i18n import money, t
from components.agents.words import Card, audience, builder_of, chat_with, file_of, model, status_mark
from components.ui.base import Text, classes, link
from components.ui.button import link_button
from components.ui.icon import icon
from components.ui.marks import badge, initials
from components.ui.overlay import menu, menu_download, menu_item, menu_line, menu_link
from state.agents import AgentsState
from state.session import SessionState


def _organization() -> rx.Var[str]:
    return SessionState.me.organization_id.to(str)


def _picture(row: Card) -> rx.Component:
    """Draw its picture, or its initials in one of four colours."""
    address = (
        "/api/v1/agents/"
        + row.id.to(str)
        + "/avatar?organization="
        + _organization()
        + "&v="
        + row.avatar_version.to(str)
    )
    tint = rx.match(row.slug.length() % 4, (1, "t2"), (2, "t3"), (3, "t4"), "").to(str)
    return rx.cond(
        row.avatar_version != "",
        rx.el.img(src=address, alt="", width="36", height="36", class_name="agent-picture"),
        rx.el.span(initials(row.name), class_name=classes("av lg", tint), aria_hidden="true"),
    )


def _name(row: Card) -> rx.Component:
    """Draw the name, which leads to the Builder or, for who may not edit, to the chat."""

    def to(address: rx.Var[str]) -> rx.Component:
        return link(row.name, href=address, class_name="b cut agent-name")

    plain = rx.el.span(row.name, class_name="b cut")
    return rx.cond(row.can_edit, to(builder_of(row)), rx.cond(row.can_run, to(chat_with(row)), plain))


def _menu(row: Card) -> rx.Component:
    agent_id = row.id.to(str)
    away = menu_item(t("agents.archive"), icon="archive", on_select=AgentsState.archive(agent_id))
    back = rx.fragment(
        menu_item(t("agents.unarchive"), icon="archive-restore", on_select=AgentsState.unarchive(agent_id)),
        menu_item(
            t("agents.delete"), icon="trash-2", danger=True, on_select=AgentsState.ask_delete(agent_id)
        ),
    )
    return menu(
        rx.cond(row.can_edit, menu_link(t("agents.edit"), href=builder_of(row), icon="pencil")),
        rx.cond(row.can_run, menu_link(t("agents.chat"), href=chat_with(row), icon="message-square")),
        rx.cond(
            AgentsState.may_create,
            menu_item(t("agents.clone"), icon="copy", on_select=AgentsState.clone(agent_id)),
        ),
        menu_download(t("agents.download"), href=file_of(row, _organization())),
        rx.cond(row.can_edit, rx.fragment(menu_line(), rx.cond(row.status == "archived", back, away))),
        trigger=[icon("ellipsis")],
        trigger_class="btn q ic sm",
        label=t("agents.menu", name=row.name),
        align="end",
    )


def _label(label: rx.Var[str]) -> rx.Component:
    return badge(label)


def _tag(label: rx.Var[str]) -> rx.Component:
    return rx.el.span("#", label, class_name="meta")


def _facts(row: Card) -> rx.Component:
    cap: Text = t("agents.cap", amount=money(row.monthly_budget_usd))
    return rx.el.div(
        audience(row),
        model(row),
        rx.cond(row.monthly_budget_usd, rx.el.span(icon("wallet"), cap, class_name="fact")),
        class_name="facts grow",
    )


def agent_card(row: Card) -> rx.Component:
    """Draw an agent with what people want to know before they open or ask it."""
    waiting = rx.cond(
        row.draft_differs & (row.status == "published"), badge(t("agents.waiting"), tone="accent")
    )
    return rx.el.li(
        rx.el.div(
            _picture(row),
            rx.el.span(
                _name(row),
                rx.el.span(status_mark(row), waiting, class_name="row"),
                class_name="grow col",
            ),
            _menu(row),
            class_name="row top",
        ),
        rx.el.p(
            rx.cond(row.description != "", row.description, t("agents.no_description")), class_name="desc"
        ),
        rx.cond(
            row.categories.length() + row.tags.length() > 0,
            rx.el.div(rx.foreach(row.categories, _label), rx.foreach(row.tags, _tag), class_name="labels"),
        ),
        rx.el.div(
            _facts(row),
            rx.cond(
                row.can_run,
                link_button(t("agents.chat"), href=chat_with(row), icon="message-square", small=True),
            ),
            class_name="ft",
        ),
        class_name="card agent-card",
    )
