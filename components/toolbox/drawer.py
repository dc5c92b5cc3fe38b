"""The column of one capability: what it is, its settings, its key, its tools. A sheet on phones."""

import reflex as rx

from agenticos_app.i18n import t
from agenticos_app.schemas.models import KeyChoice
from agenticos_app.schemas.toolbox import Leftover
from components.toolbox.icons import named_icon
from components.toolbox.setting_fields import advanced_form, settings_form
from components.toolbox.tools import tool_list
from components.ui.button import button, icon_button
from components.ui.field import problem_line, switch
from components.ui.icon import icon
from components.ui.surfaces import note
from state.add_secret import AddSecretState
from state.toolbox import ToolboxState


class _Drawer(rx.Component):
    library = "$/public/toolbox.jsx"
    tag = "Drawer"
    lib_dependencies: list[str] = ["@radix-ui/react-dialog@1.3.1"]
    name: rx.Var[str]
    label: rx.Var[str]
    on_close: rx.EventHandler[rx.event.no_args_event_spec]


def drawer() -> rx.Component:
    """Draw the opened capability; nothing when none is."""
    one = ToolboxState.opened
    return rx.cond(
        ToolboxState.is_open,
        _Drawer.create(
            _head(),
            rx.el.div(
                _about(),
                _settings(),
                rx.cond(one.key, _key()),
                tool_list(),
                class_name="scroll col tb-inside",
            ),
            name=one.id,
            label=one.name,
            on_close=ToolboxState.close_capability,
        ),
    )


def _head() -> rx.Component:
    one = ToolboxState.opened
    return rx.el.div(
        rx.el.span(named_icon(one.icon), class_name="tile sm"),
        rx.el.h2(one.name, class_name="b grow cut"),
        rx.cond(
            one.is_changed,
            button(
                t("toolbox.reset"), look="quiet", small=True, on_click=ToolboxState.reset_settings(one.id)
            ),
        ),
        switch(
            label=one.name,
            checked=one.is_on,
            on_change=lambda is_on: ToolboxState.switch(one.id, is_on),
        ),
        icon_button("x", t("toolbox.close"), small=True, on_click=ToolboxState.close_capability),
        class_name="bar tb-head",
    )


def _about() -> rx.Component:
    one = ToolboxState.opened
    return rx.el.div(
        rx.el.p(one.does, class_name="sec"),
        rx.el.dl(
            rx.el.dt(t("toolbox.can")),
            rx.el.dd(rx.el.ul(rx.foreach(one.can, lambda line: rx.el.li(line)))),
            rx.el.dt(t("toolbox.needs")),
            rx.cond(one.lacking != "", rx.el.dd(one.lacking, class_name="tb-lacking"), rx.el.dd(one.needs)),
            rx.el.dt(t("toolbox.never")),
            rx.el.dd(one.never),
            class_name="tb-can",
        ),
        rx.foreach(one.leftovers, _leftover),
    )


def _leftover(left: rx.Var[Leftover]) -> rx.Component:
    drop = ToolboxState.drop(ToolboxState.opened.id, left.kind, left.name)
    return note(
        left.problem,
        tone="red",
        icon="triangle-alert",
        action=button(t("toolbox.remove"), small=True, on_click=drop),
        custom_attrs={"data-at": left.at},
    )


def _settings() -> rx.Component:
    one = ToolboxState.opened
    return rx.cond(
        (one.settings.length() > 0) | (one.advanced.length() > 0),
        rx.el.div(
            settings_form(one.id, one.settings),
            advanced_form(one.id, one.advanced),
            key=f"{one.id}-{ToolboxState.renewed}",
            class_name="col tb-form tb-part",
        ),
    )


def _choice(key: rx.Var[KeyChoice]) -> rx.Component:
    return rx.el.option(key.name, " ····", key.hint, value=key.id.to(str))


def _key() -> rx.Component:
    one = ToolboxState.opened
    key = one.key
    unseen = (key.chosen != "") & ~ToolboxState.key_is_listed
    return rx.el.div(
        rx.el.div(
            rx.el.label(t("toolbox.key"), html_for=key.at),
            rx.el.div(
                rx.el.select(
                    rx.el.option(t("toolbox.key_none"), value=""),
                    rx.cond(unseen, rx.el.option(t("toolbox.key_unseen"), value=key.chosen)),
                    rx.foreach(ToolboxState.choices, _choice),
                    id=key.at,
                    value=key.chosen,
                    on_change=lambda secret_id: ToolboxState.choose_key(one.id, secret_id),
                    aria_describedby=f"{key.at}-problem {key.at}-help",
                    class_name=rx.cond(key.problem != "", "in bad", "in").to(str),
                ),
                icon("chevron-down"),
                class_name="pick",
            ),
            rx.cond(key.problem != "", problem_line(key.problem, id=f"{key.at}-problem")),
            rx.el.span(t("toolbox.key_help"), class_name="help", id=f"{key.at}-help"),
            class_name="f grow",
        ),
        rx.cond(
            key.is_needed & ToolboxState.may_add_keys,
            button(t("toolbox.key_add"), icon="plus", on_click=AddSecretState.open_for(key.purposes)),
        ),
        class_name="row top with-check tb-part",
    )
