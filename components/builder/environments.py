"""Environments: named pointers to versions, which doors may name."""

import reflex as rx

from agenticos_app.i18n import error_text, field_error_text, t
from agenticos_app.schemas.agents import EnvironmentRow
from components.builder.shown import shown
from components.ui.base import Text
from components.ui.button import button
from components.ui.field import check, field, saving_form, switch, text_input
from components.ui.icon import icon
from components.ui.marks import badge
from components.ui.overlay import confirm_dialog, dialog, menu, menu_item, menu_line
from components.ui.surfaces import note, section, table
from state.agent_environments import AgentEnvironmentsState

LONGEST_NAME = 64


def environments() -> rx.Component:
    """Draw the table."""
    rows = AgentEnvironmentsState.rows
    listed = table(
        rx.foreach(rows, _row),
        head=[
            (t("environments.column.name"), False),
            (t("environments.column.version"), False),
            (t("environments.column.follows"), False),
            (rx.el.span(t("environments.column.menu"), class_name="hide"), False),
        ],
        label=t("environments.title"),
    )
    add = rx.cond(
        AgentEnvironmentsState.may_publish & (rows.length() > 0),
        button(t("environments.add"), icon="plus", small=True, on_click=AgentEnvironmentsState.ask_create),
    )
    return shown(
        AgentEnvironmentsState,
        section(
            rx.cond(rows.length() > 0, listed, rx.el.p(t("environments.none"), class_name="sec sect-note")),
            title=t("environments.title"),
            sentence=t("environments.sentence"),
            aside=add,
        ),
        _create(),
        _rename(),
        _promote(),
        _delete(),
        title=t("environments.failed"),
        loading=t("environments.loading"),
        loaded=AgentEnvironmentsState.loaded,
    )


def _row(row: rx.Var[EnvironmentRow]) -> rx.Component:
    behind = rx.cond(
        row.behind_by > 0,
        badge(t("environments.behind", n=row.behind_by), tone="amber"),
        rx.el.span(t("environments.current"), class_name="meta"),
    )
    follows = rx.cond(
        AgentEnvironmentsState.may_publish,
        switch(
            label=t("environments.follows_named", name=row.name),
            checked=row.tracks_latest,
            on_change=lambda is_on: AgentEnvironmentsState.follow(row.id.to(str), is_on),
        ),
        rx.cond(row.tracks_latest, t("environments.yes"), t("environments.no")),
    )
    return rx.el.tr(
        rx.el.td(
            rx.el.span(
                rx.el.span(row.name, class_name="b cut"),
                rx.cond(row.is_default, badge(t("environments.default"))),
                class_name="row version-head",
            )
        ),
        rx.el.td(rx.el.span(t("versions.number", number=row.version), behind, class_name="row version-head")),
        rx.el.td(follows),
        rx.el.td(rx.cond(AgentEnvironmentsState.may_publish, _menu(row)), class_name="c-menu"),
    )


def _menu(row: rx.Var[EnvironmentRow]) -> rx.Component:
    def ask(doing: str) -> rx.event.EventType:
        return AgentEnvironmentsState.ask(row.id.to(str), doing)

    return menu(
        menu_item(t("environments.promote"), icon="git-branch", on_select=ask("promote")),
        menu_item(t("environments.rename"), icon="pencil", on_select=ask("rename")),
        rx.cond(
            row.is_default,
            rx.fragment(),
            rx.fragment(
                menu_line(),
                menu_item(t("environments.delete"), icon="trash-2", danger=True, on_select=ask("delete")),
            ),
        ),
        trigger=[icon("ellipsis")],
        trigger_class="btn q ic sm",
        label=t("environments.menu", name=row.name),
        align="end",
    )


def _name_field(**props: object) -> rx.Component:
    problems = AgentEnvironmentsState.problems
    code = rx.cond(problems.contains("name"), problems["name"].to(str), "").to(str)
    problem = rx.match(
        code,
        ("", ""),
        ("taken", t("environments.taken")),
        ("invalid", t("environments.name_help")),
        field_error_text(code),
    ).to(str)
    return field(
        text_input(
            "environment",
            problem=problem,
            auto_complete="off",
            auto_focus=True,
            spell_check=False,
            max_length=LONGEST_NAME,
            **props,
        ),
        label=t("environments.name"),
        name="environment",
        hint=t("environments.name_help"),
        problem=problem,
    )


def _version_field(**props: object) -> rx.Component:
    options = rx.foreach(
        AgentEnvironmentsState.versions,
        lambda number: rx.el.option(t("versions.number", number=number), value=number.to(str)),
    )
    return field(
        rx.el.div(
            rx.el.select(options, id="version", name="version", class_name="in", **props),
            icon("chevron-down"),
            class_name="pick",
        ),
        label=t("environments.version"),
        name="version",
    )


def _acts(go_on: Text) -> rx.Component:
    problems = AgentEnvironmentsState.problems
    return rx.fragment(
        rx.cond(
            problems.contains("form"),
            note(
                error_text("conflict_" + problems["form"].to(str)),
                tone="red",
                icon="triangle-alert",
                role="alert",
            ),
        ),
        rx.el.div(
            button(t("versions.keep"), on_click=AgentEnvironmentsState.close(False)),
            button(go_on, type="submit", look="primary"),
            class_name="acts",
        ),
    )


def _form(
    doing: str, *children: rx.Component, title: Text, sentence: Text, on_submit: rx.event.EventType
) -> rx.Component:
    return dialog(
        saving_form(*children, on_submit=on_submit, class_name="col form-gap"),
        title=title,
        sentence=sentence,
        close=t("frame.close"),
        open=AgentEnvironmentsState.doing == doing,
        on_open_change=AgentEnvironmentsState.close,
    )


def _create() -> rx.Component:
    return _form(
        "create",
        _name_field(),
        _version_field(),
        check(t("environments.follows_help"), name="tracks_latest"),
        _acts(t("environments.create_go_on")),
        title=t("environments.create_title"),
        sentence=t("environments.create_sentence"),
        on_submit=AgentEnvironmentsState.create,
    )


def _rename() -> rx.Component:
    name = AgentEnvironmentsState.environment_name
    return _form(
        "rename",
        _name_field(default_value=name),
        _acts(t("environments.rename_go_on")),
        title=t("environments.rename_title", name=name),
        sentence=t("environments.rename_sentence"),
        on_submit=AgentEnvironmentsState.rename,
    )


def _promote() -> rx.Component:
    name, version = AgentEnvironmentsState.environment_name, AgentEnvironmentsState.version
    return _form(
        "promote",
        _version_field(default_value=version.to(str), auto_focus=True),
        _acts(t("environments.promote_go_on")),
        title=t("environments.promote_title", name=name),
        sentence=t("environments.promote_sentence", number=version),
        on_submit=AgentEnvironmentsState.promote,
    )


def _delete() -> rx.Component:
    return confirm_dialog(
        title=t("environments.delete_title", name=AgentEnvironmentsState.environment_name),
        lost=t("environments.delete_lost"),
        keep=t("versions.keep"),
        go_on=t("environments.delete_go_on"),
        close=t("frame.close"),
        on_confirm=AgentEnvironmentsState.delete,
        open=AgentEnvironmentsState.doing == "delete",
        on_open_change=AgentEnvironmentsState.close,
    )
