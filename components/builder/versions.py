"""Versions: what was published, what changed in each, going back to one."""

import reflex as rx

from agenticos_app.i18n import error_text, problem_text, t
from agenticos_app.schemas.agents import ProblemRow, VersionRow
from components.builder.changes import change_lines
from components.builder.shown import shown
from components.layout.moment import moment
from components.ui.button import button
from components.ui.data_list import empty
from components.ui.icon import icon
from components.ui.marks import badge
from components.ui.overlay import confirm_dialog, dialog, menu, menu_download, menu_item, menu_line
from components.ui.surfaces import note, section
from state.agent_versions import AgentVersionsState
from state.session import SessionState


def versions() -> rx.Component:
    """Draw the list."""
    rows = AgentVersionsState.rows
    listed = rx.fragment(
        rx.el.ul(rx.foreach(rows, _version)),
        rx.cond(
            AgentVersionsState.next_cursor != "",
            rx.el.div(
                button(t("versions.more"), small=True, on_click=AgentVersionsState.load_more),
                class_name="foot-row row",
            ),
        ),
    )
    nothing = empty(icon="history", title=t("versions.none"), sentence=t("versions.none_sentence"))
    return shown(
        AgentVersionsState,
        section(
            rx.cond(rows.length() > 0, listed, nothing),
            title=t("versions.title"),
            sentence=t("versions.sentence"),
            aside=_said(),
        ),
        _roll_back(),
        _delete(),
        title=t("versions.failed"),
        loading=t("versions.loading"),
        loaded=AgentVersionsState.loaded,
    )


def _said() -> rx.Component:
    said = t("versions.rolled_back", number=AgentVersionsState.published)
    return rx.el.span(
        rx.cond(AgentVersionsState.published > 0, rx.fragment(icon("check"), said)),
        class_name="st good",
        role="status",
    )


def _version(row: rx.Var[VersionRow]) -> rx.Component:
    is_open = AgentVersionsState.opened == row.number
    head = rx.el.span(
        rx.el.span(t("versions.number", number=row.number), class_name="b"),
        rx.cond(row.is_live, badge(t("versions.live"), tone="green")),
        rx.cond(row.is_latest, badge(t("versions.latest"))),
        rx.foreach(row.environments, lambda name: badge(name, tone="accent")),
        class_name="row version-head",
    )
    by = rx.cond(row.published_by != "", row.published_by, t("versions.somebody")).to(str)
    told = rx.el.span(t("versions.by", name=by), " · ", moment(row.published_at), class_name="meta")
    return rx.el.li(
        rx.el.div(
            rx.el.div(
                head,
                rx.cond(row.note != "", rx.el.span(row.note, class_name="sec version-note")),
                told,
                class_name="grow col",
            ),
            button(
                t("versions.changes"),
                rx.cond(is_open, icon("chevron-up"), icon("chevron-down")),
                look="quiet",
                small=True,
                aria_expanded=is_open,
                aria_label=t("versions.changes_of", number=row.number),
                on_click=AgentVersionsState.toggle(row.number),
            ),
            _menu(row),
            class_name="row version",
        ),
        rx.cond(is_open, _opened()),
    )


def _opened() -> rx.Component:
    since = AgentVersionsState.since
    against = rx.cond(since > 0, t("versions.against", number=since), t("versions.first")).to(str)
    return rx.el.div(
        rx.el.p(against, class_name="meta"),
        rx.cond(
            AgentVersionsState.changes.length() > 0,
            change_lines(AgentVersionsState.changes),
            rx.el.p(t("versions.same"), class_name="sec"),
        ),
        rx.cond(AgentVersionsState.are_cut, rx.el.p(t("versions.cut"), class_name="meta")),
        class_name="version-changes",
    )


def _menu(row: rx.Var[VersionRow]) -> rx.Component:
    file = (
        "/api/v1/agents/"
        + AgentVersionsState.agent_id
        + "/export?organization="
        + SessionState.me.organization_id.to(str)
        + "&version="
        + row.number.to(str)
    )
    may_roll_back = AgentVersionsState.may_publish & ~AgentVersionsState.is_archived & ~row.is_latest
    may_delete = AgentVersionsState.may_edit & ~row.is_latest & (row.environments.length() == 0)
    return menu(
        rx.cond(
            may_roll_back,
            menu_item(
                t("versions.roll_back"),
                icon="undo-2",
                on_select=AgentVersionsState.ask(row.number, "rollback"),
            ),
        ),
        menu_download(t("versions.download"), href=file),
        rx.cond(
            may_delete,
            rx.fragment(
                menu_line(),
                menu_item(
                    t("versions.delete"),
                    icon="trash-2",
                    danger=True,
                    on_select=AgentVersionsState.ask(row.number, "delete"),
                ),
            ),
        ),
        trigger=[icon("ellipsis")],
        trigger_class="btn q ic sm",
        label=t("versions.menu", number=row.number),
        align="end",
    )


def _problem(row: rx.Var[ProblemRow]) -> rx.Component:
    return rx.el.li(problem_text(row.code, row.details))


def _roll_back() -> rx.Component:
    number = AgentVersionsState.number
    moved = rx.cond(
        AgentVersionsState.following.length() > 0,
        t("versions.roll_back_moves", names=AgentVersionsState.following.join(", ")),
        t("versions.roll_back_stays"),
    )
    in_the_way = note(
        t("versions.roll_back_refused"),
        rx.el.ul(rx.foreach(AgentVersionsState.problems, _problem)),
        tone="red",
        icon="triangle-alert",
        role="alert",
    )
    return dialog(
        rx.el.ul(
            rx.el.li(t("versions.roll_back_new", number=number)),
            rx.el.li(moved),
            rx.el.li(t("versions.roll_back_draft", number=number)),
            class_name="what-happens",
        ),
        rx.cond(AgentVersionsState.problems.length() > 0, in_the_way),
        _conflict(),
        rx.el.div(
            button(t("versions.keep"), on_click=AgentVersionsState.close(False)),
            button(t("versions.roll_back_go_on"), look="primary", on_click=AgentVersionsState.roll_back),
            class_name="acts",
        ),
        title=t("versions.roll_back_title", number=number),
        sentence=t("versions.roll_back_sentence"),
        close=t("frame.close"),
        open=AgentVersionsState.doing == "rollback",
        on_open_change=AgentVersionsState.close,
    )


def _conflict() -> rx.Component:
    return rx.cond(
        AgentVersionsState.problem != "",
        note(
            error_text("conflict_" + AgentVersionsState.problem),
            tone="red",
            icon="triangle-alert",
            role="alert",
        ),
    )


def _delete() -> rx.Component:
    return confirm_dialog(
        title=t("versions.delete_title", number=AgentVersionsState.number),
        lost=rx.fragment(t("versions.delete_lost"), _conflict()),
        keep=t("versions.keep"),
        go_on=t("versions.delete_go_on"),
        close=t("frame.close"),
        on_confirm=AgentVersionsState.delete,
        open=AgentVersionsState.doing == "delete",
        on_open_change=AgentVersionsState.close,
    )
