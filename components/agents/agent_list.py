"""The catalogue: filters, cards in their four states, what was done last."""

import reflex as rx

from agenticos_app.i18n import t
from components.agents.card import agent_card
from components.agents.filters import filtered, filters
from components.agents.import_file import import_dialog
from components.agents.new_agent import new_agent_dialog
from components.layout.unloaded import unloaded
from components.ui.button import button
from components.ui.data_list import Delayed, data_list, empty, filtered_empty
from components.ui.icon import icon
from components.ui.overlay import confirm_dialog
from components.ui.surfaces import note
from state.agents import AgentsState
from state.new_agent import NewAgentState

SKELETONS = 6


def new_button() -> rx.Component:
    """Draw the button that begins an agent, for who may."""
    return rx.cond(
        AgentsState.may_create,
        button(t("agents.new"), icon="plus", look="primary", on_click=NewAgentState.open_new),
    )


def import_button() -> rx.Component:
    """Draw the button that takes a file, for who may make agents."""
    return rx.cond(
        AgentsState.may_create,
        button(t("agents.import_file"), icon="upload", on_click=NewAgentState.open_import),
    )


def _loading() -> rx.Component:
    card = rx.el.div(
        rx.el.div(rx.el.span(class_name="sk tile"), rx.el.span(class_name="sk wide"), class_name="row"),
        rx.el.span(class_name="sk"),
        rx.el.span(class_name="sk short"),
        class_name="card agent-card waits",
    )
    return Delayed.create(
        rx.el.div(
            *[card for _ in range(SKELETONS)],
            role="status",
            aria_label=t("agents.loading"),
            aria_busy="true",
            class_name="agent-cards",
        )
    )


def _states() -> rx.Component:
    nothing_yet = rx.cond(AgentsState.may_create, t("agents.empty_sentence"), t("agents.empty_reserved")).to(
        str
    )
    return data_list(
        rx.el.ul(rx.foreach(AgentsState.rows, agent_card), class_name="agent-cards"),
        count=AgentsState.rows.length(),
        loaded=AgentsState.loaded,
        failure=AgentsState.failure,
        filtered=filtered(),
        loading=_loading(),
        when_empty=rx.el.div(
            empty(new_button(), icon="bot", title=t("agents.empty"), sentence=nothing_yet), class_name="card"
        ),
        when_filtered=rx.el.div(
            filtered_empty(
                title=t("agents.nothing"),
                sentence=t("agents.nothing_sentence"),
                clear=t("agents.clear"),
                on_clear=AgentsState.clear_filters,
            ),
            class_name="card",
        ),
        when_failed=rx.el.div(
            unloaded(AgentsState, title=t("agents.failed"), sentence=t("agents.failed_sentence")),
            class_name="card",
        ),
    )


def _said() -> rx.Component:
    said = rx.match(
        AgentsState.said,
        ("cloned", t("agents.said.cloned")),
        ("archived", t("agents.said.archived")),
        ("unarchived", t("agents.said.unarchived")),
        ("deleted", t("agents.said.deleted")),
        "",
    ).to(str)
    return rx.el.div(
        rx.cond(AgentsState.said != "", rx.el.span(icon("check"), said, class_name="st good")),
        role="status",
        class_name="agent-said",
    )


def _more() -> rx.Component:
    return rx.cond(
        (AgentsState.next_cursor != "") & (AgentsState.failure == ""),
        rx.el.div(button(t("agents.more"), on_click=AgentsState.load_more, small=True), class_name="more"),
    )


def _delete() -> rx.Component:
    lost = AgentsState.lost
    return confirm_dialog(
        title=t("agents.delete_title", name=AgentsState.agent_name),
        lost=rx.fragment(
            t("agents.delete_lost"),
            rx.el.span(
                rx.el.span(t("agents.lost.versions", n=lost.versions)),
                rx.el.span(t("agents.lost.environments", n=lost.environments)),
                rx.el.span(t("agents.lost.runs", n=lost.runs)),
                class_name="col breaks",
            ),
            t("agents.delete_kept"),
        ),
        keep=t("agents.keep"),
        go_on=t("agents.delete_go_on"),
        close=t("frame.close"),
        on_confirm=AgentsState.delete,
        open=lost.is_not_none(),
        on_open_change=AgentsState.close_delete,
    )


def agent_list() -> rx.Component:
    """Draw filters, cards and dialogs."""
    refused = note(
        t("agents.refused"),
        tone="amber",
        icon="triangle-alert",
        action=button(t("agents.clear"), small=True, on_click=AgentsState.clear_filters),
        role="alert",
    )
    return rx.fragment(
        rx.cond(AgentsState.refused, refused, rx.fragment(filters(), _said(), _states(), _more())),
        new_agent_dialog(),
        import_dialog(),
        _delete(),
    )
