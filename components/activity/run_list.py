"""The list of runs: a table, and cards on phones."""

import reflex as rx

from agenticos_app.i18n import compact, duration, spent, t
from agenticos_app.schemas.runs import RunRow
from agenticos_app.security.permissions import Permission
from components.activity.every import every
from components.activity.filters import filtered, filters
from components.activity.words import status_mark, surface_word
from components.layout.moment import moment
from components.layout.navigation import may
from components.layout.unloaded import unloaded
from components.live.answer import elapsed
from components.live.signals import signals
from components.ui.base import link
from components.ui.button import button, link_button
from components.ui.data_list import data_list, empty, filtered_empty, skeleton_rows
from components.ui.icon import icon
from components.ui.surfaces import note, table
from state.activity import ActivityState

LOOK_AGAIN_S = 4


@rx.memo
def time_so_far(since: rx.Var[str]) -> rx.Component:
    """Tell how long something has taken until now."""
    return rx.el.span(duration(elapsed(since)))


def took(row: rx.Var[RunRow]) -> rx.Component:
    """Tell how long the run took, or has taken so far."""
    return rx.cond(
        row.status == "running",
        time_so_far(since=row.started_at.to(str)),
        rx.el.span(duration(row.milliseconds)),
    )


def agent_version(row: rx.Var[RunRow]) -> rx.Component:
    """Name the agent and the version that ran."""
    return rx.el.span(
        rx.el.span(row.agent_name, class_name="cut"),
        rx.cond(row.version > 0, rx.el.span(t("activity.version", number=row.version), class_name="meta")),
        class_name="row agent",
    )


def person_of(row: rx.Var[RunRow]) -> rx.Var[str]:
    """Return who the run was for, and the key that spoke for them."""
    person = rx.cond(row.person != "", row.person, t("activity.nobody")).to(str)
    return rx.cond(row.api_key != "", person + " · " + row.api_key.to(str), person).to(str)


def _row(row: rx.Var[RunRow]) -> rx.Component:
    door = surface_word(row.surface)
    tokens = {"input": compact(row.input_tokens), "output": compact(row.output_tokens)}
    return rx.el.tr(
        rx.el.td(status_mark(row.status), class_name="c-status", role="cell"),
        rx.el.td(
            link(
                rx.cond(row.prompt != "", row.prompt, t("activity.no_prompt")),
                href="/activity/" + row.id.to(str),
                class_name="asked cut",
            ),
            rx.el.span(
                rx.el.span(row.agent_name, " · ", class_name="under-agent"),
                door,
                " · ",
                person_of(row),
                class_name="meta cut under",
            ),
            class_name="c-asked",
            role="cell",
        ),
        rx.el.td(agent_version(row), class_name="c-agent", role="cell"),
        rx.el.td(door, class_name="c-wide", role="cell"),
        rx.el.td(rx.el.span(person_of(row), class_name="cut"), class_name="c-wide c-person", role="cell"),
        rx.el.td(
            rx.el.span(t("run.in_out", **tokens), class_name="short"),
            rx.el.span(t("activity.tokens", **tokens), class_name="long"),
            class_name="n c-tokens",
            role="cell",
        ),
        rx.el.td(spent(row.cost_usd, is_partial=row.cost_is_partial), class_name="n c-cost", role="cell"),
        rx.el.td(took(row), class_name="n c-took", role="cell"),
        rx.el.td(moment(row.started_at), class_name="n c-started", role="cell"),
        role="row",
    )


def _table() -> rx.Component:
    return table(
        rx.foreach(ActivityState.rows, _row),
        head=[
            (t("activity.column.status"), False),
            (t("activity.column.asked"), False),
            (t("activity.column.agent"), False),
            (t("activity.column.surface"), False),
            (t("activity.column.person"), False),
            (t("run.tokens_head"), True),
            (t("money.head"), True),
            (t("activity.column.took"), True),
            (t("activity.column.started"), True),
        ],
        label=t("nav.activity"),
    )


def _states() -> rx.Component:
    return data_list(
        _table(),
        count=ActivityState.rows.length(),
        loaded=ActivityState.loaded,
        failure=ActivityState.failure,
        filtered=filtered(),
        loading=skeleton_rows(t("activity.loading")),
        when_empty=empty(
            link_button(t("activity.ask"), href="/chat", look="primary", icon="message-square"),
            icon="activity",
            title=t("activity.empty"),
            sentence=t("activity.empty_sentence"),
        ),
        when_filtered=filtered_empty(
            title=t("activity.nothing"),
            sentence=t("activity.nothing_sentence"),
            clear=t("activity.clear"),
            on_clear=ActivityState.clear_filters,
        ),
        when_failed=unloaded(
            ActivityState, title=t("activity.failed"), sentence=t("activity.failed_sentence")
        ),
    )


def _more() -> rx.Component:
    return rx.cond(
        (ActivityState.next_cursor != "") & (ActivityState.failure == ""),
        rx.el.div(
            button(t("activity.more"), on_click=ActivityState.load_more, small=True), class_name="more"
        ),
    )


def refresh_button() -> rx.Component:
    """Draw the button that looks again at once."""
    return button(
        rx.el.span(t("activity.refresh"), class_name="word"), icon="rotate-cw", on_click=ActivityState.refresh
    )


def run_list() -> rx.Component:
    """Draw filters and list."""
    refused = note(
        t("activity.refused"),
        tone="amber",
        icon="triangle-alert",
        action=button(t("activity.clear"), small=True, on_click=ActivityState.clear_filters),
        role="alert",
    )
    shown = rx.fragment(
        filters(),
        rx.cond(
            may(Permission.RUNS_VIEW),
            rx.fragment(),
            rx.el.p(icon("info"), t("activity.own_only"), class_name="row sec own-only"),
        ),
        rx.el.div(_states(), class_name="card runs"),
        _more(),
    )
    return rx.fragment(
        rx.cond(ActivityState.refused, refused, shown),
        signals(lambda _kind, _conversation, _run: ActivityState.refresh()),
        every(LOOK_AGAIN_S, ActivityState.refresh, active=ActivityState.is_live),
    )
