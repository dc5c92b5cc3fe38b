"""A capability's settings as a form; which field is drawn how is decided by the settings' schema."""

import reflex as rx

from agenticos_app.i18n import t
from agenticos_app.schemas.toolbox import OptionRow, SettingRow
from components.toolbox.icons import named_icon
from components.ui.base import BrowserWidget, Text
from components.ui.field import problem_line, switch
from components.ui.icon import icon
from state.toolbox import ToolboxState

Row = rx.Var[SettingRow]
Id = rx.Var[str]
ZONES = "toolbox-zones"


class _Typed(rx.Component):
    """A field that saves itself: after a pause, on Enter, when it is left."""

    library = "$/public/toolbox.jsx"
    tag = "Typed"
    lib_dependencies: list[str] = ["@radix-ui/react-dialog@1.3.1"]
    value: rx.Var[str]
    lines: rx.Var[bool]
    placeholder: rx.Var[str]
    max_length: rx.Var[int]
    input_mode: rx.Var[str]
    list: rx.Var[str]
    auto_complete: rx.Var[str]
    spell_check: rx.Var[bool]
    on_typed: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class _ZoneList(BrowserWidget):
    library = "$/public/toolbox.jsx"
    tag = "ZoneList"


def typed(
    at: Text, *, problem: Text, class_name: str = "", lines: bool = False, **props: object
) -> rx.Component:
    """Draw a line, or several, that is saved by itself."""
    return _Typed.create(
        id=at,
        lines=lines,
        auto_complete="off",
        custom_attrs={
            "aria-invalid": rx.Var.create(problem).bool(),
            "aria-describedby": f"{at}-problem {at}-help",
        },
        class_name=rx.cond(rx.Var.create(problem).bool(), f"in {class_name} bad", f"in {class_name}").to(str),
        **props,
    )


def settings_form(capability: Id, rows: rx.Var[list[SettingRow]]) -> rx.Component:
    """Draw the fields of a capability."""
    return rx.fragment(rx.foreach(rows, lambda row: _setting(capability, row)), _ZoneList.create(id=ZONES))


def _setting(capability: Id, row: Row) -> rx.Component:
    return rx.cond(
        row.control == "switch", _switch(capability, row), _labelled(row, _control(capability, row))
    )


def _labelled(row: Row, control: rx.Component | rx.Var) -> rx.Component:
    return rx.el.div(
        rx.el.label(row.label, html_for=row.at, id=f"{row.at}-label"),
        control,
        _problem(row),
        _hint(row),
        class_name="f",
    )


def _problem(row: Row) -> rx.Component:
    return rx.cond(row.problem != "", problem_line(row.problem, id=f"{row.at}-problem"))


def _hint(row: Row) -> rx.Component:
    return rx.cond(row.hint != "", rx.el.span(row.hint, class_name="help", id=f"{row.at}-help"))


def _control(capability: Id, row: Row) -> rx.Component | rx.Var:
    changed = _changed(capability, row)
    line = typed(
        row.at,
        problem=row.problem,
        value=row.value,
        placeholder=row.default,
        max_length=row.longest,
        on_typed=changed,
    )
    several = typed(
        row.at,
        problem=row.problem,
        class_name="ta",
        lines=True,
        value=row.value,
        placeholder=row.default,
        max_length=row.longest,
        on_typed=changed,
    )
    number = typed(
        row.at,
        problem=row.problem,
        class_name="num tb-number",
        value=row.value,
        placeholder=row.default,
        max_length=24,
        input_mode=rx.cond(row.is_whole, "numeric", "decimal").to(str),
        on_typed=changed,
    )
    zone = typed(
        row.at,
        problem=row.problem,
        value=row.value,
        placeholder=row.default,
        max_length=row.longest,
        list=ZONES,
        spell_check=False,
        on_typed=changed,
    )
    return rx.match(
        row.control,
        ("lines", several),
        ("entries", several),
        ("number", number),
        ("timezone", zone),
        ("segment", _segment(capability, row)),
        ("select", _select(row, changed)),
        ("ticks", _ticks(capability, row)),
        line,
    )


def _changed(capability: Id, row: Row):  # what Reflex takes as a handler
    return lambda text: ToolboxState.set_setting(capability, row.name, text)


def _switch(capability: Id, row: Row) -> rx.Component:
    is_on = row.value == "true"
    other = rx.cond(is_on, "false", "true").to(str)
    return rx.el.div(
        rx.el.div(
            rx.el.span(row.label, class_name="lab"), _problem(row), _hint(row), class_name="grow col tb-said"
        ),
        switch(
            label=row.label,
            checked=is_on,
            on_change=lambda _: ToolboxState.set_setting(capability, row.name, other),
            id=row.at,
            aria_describedby=f"{row.at}-problem {row.at}-help",
        ),
        class_name="row",
    )


def _marked(option: rx.Var[OptionRow]) -> rx.Component:
    return rx.cond(option.icon != "", named_icon(option.icon))


def _segment(capability: Id, row: Row) -> rx.Component:
    def draw(option: rx.Var[OptionRow]) -> rx.Component:
        return rx.el.button(
            _marked(option),
            option.label,
            type="button",
            aria_pressed=option.chosen,
            on_click=ToolboxState.set_setting(capability, row.name, option.value),
            class_name=rx.cond(option.chosen, "on", "").to(str),
        )

    return rx.el.div(
        rx.foreach(row.options, draw),
        role="group",
        id=row.at,
        aria_labelledby=f"{row.at}-label",
        class_name="seg tb-start",
    )


def _select(row: Row, changed) -> rx.Component:  # what Reflex takes as a handler
    return rx.el.div(
        rx.el.select(
            rx.foreach(row.options, lambda option: rx.el.option(option.label, value=option.value)),
            id=row.at,
            value=row.value,
            on_change=changed,
            aria_describedby=f"{row.at}-problem {row.at}-help",
            class_name=rx.cond(row.problem != "", "in bad", "in").to(str),
        ),
        icon("chevron-down"),
        class_name="pick",
    )


def _ticks(capability: Id, row: Row) -> rx.Component:
    def draw(option: rx.Var[OptionRow]) -> rx.Component:
        return rx.el.label(
            rx.el.input(
                type="checkbox",
                checked=option.chosen,
                on_change=lambda _: ToolboxState.tick(capability, row.name, option.value),
                class_name="ck",
            ),
            _marked(option),
            option.label,
            class_name="row sec",
        )

    return rx.el.div(
        rx.foreach(row.options, draw),
        role="group",
        id=row.at,
        aria_labelledby=f"{row.at}-label",
        class_name="col tb-ticks",
    )


def advanced_form(capability: Id, rows: rx.Var[list[SettingRow]]) -> rx.Component:
    """Draw what most authors leave alone, folded unless some of it was set."""
    is_open = ToolboxState.shows_advanced
    return rx.cond(
        rows.length() > 0,
        rx.el.div(
            rx.el.button(
                icon("chevron-right", "tw"),
                rx.el.span(t("toolbox.advanced_settings"), class_name="sec grow"),
                type="button",
                aria_expanded=is_open,
                on_click=ToolboxState.fold_settings,
                class_name="row tb-fold",
            ),
            rx.cond(is_open, rx.el.div(settings_form(capability, rows), class_name="col tb-form")),
            class_name="col tb-form",
        ),
    )
