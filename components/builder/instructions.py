"""What the agent is told, and the values that its instructions name."""

import reflex as rx

from agenticos_app.contracts.spec import SYSTEM_VARIABLES, Variable
from agenticos_app.i18n import number, t
from components.builder.saving import COUNT, insert_into, problem_of, problems_at, saved_field, spec_section
from components.ui.button import button, icon_button
from components.ui.field import problem_line
from state.builder_spec import SpecState

LONGEST = 100_000


def _insert(name: rx.Var[str]) -> rx.Component:
    """Draw a variable that a press writes into the instructions."""
    written = "{{" + name + "}}"
    return rx.el.button(
        rx.el.code(written),
        type="button",
        title=t("builder.variable_insert", name=name),
        on_click=insert_into("instructions", written),
        class_name="var",
    )


def _variable(one: rx.Var[Variable]) -> rx.Component:
    return rx.el.li(
        _insert(one.name),
        rx.el.span(one.description, class_name="sec grow cut"),
        rx.cond(one.default, rx.el.span(t("builder.variable_default", value=one.default), class_name="meta")),
        icon_button(
            "x",
            t("builder.variable_remove", name=one.name),
            small=True,
            on_click=SpecState.remove_variable(one.name),
        ),
        class_name="row",
    )


def _add() -> rx.Component:
    problem = problem_of("variable")
    return rx.el.form(
        rx.el.input(
            name="name",
            placeholder=t("builder.variable_name"),
            aria_label=t("builder.variable_name"),
            class_name="in sm",
        ),
        rx.el.input(
            name="description",
            placeholder=t("builder.variable_description"),
            aria_label=t("builder.variable_description"),
            class_name="in sm",
            max_length=200,
        ),
        rx.el.input(
            name="default",
            placeholder=t("builder.variable_value"),
            aria_label=t("builder.variable_value"),
            class_name="in sm",
            max_length=2_000,
        ),
        button(t("builder.variable_add"), type="submit", icon="plus", small=True),
        rx.cond(problem, problem_line(problem)),
        on_submit=SpecState.save_variable,
        reset_on_submit=True,
        class_name="two",
    )


def instructions_section() -> rx.Component:
    """Draw the section."""
    system = [_insert(rx.Var.create(name).to(str)) for name in sorted(SYSTEM_VARIABLES)]
    return spec_section(
        saved_field(
            "instructions",
            t("builder.instructions_label"),
            SpecState.instructions,
            SpecState.set_instructions,
            hint=t("builder.instructions_hint"),
            lines=True,
            look="prompt-text",
            kept=True,
            counted=t("builder.characters", number=COUNT, most=number(LONGEST)),
            max_length=LONGEST,
        ),
        problems_at("instructions"),
        rx.el.div(
            rx.el.h3(t("builder.variables"), class_name="b"),
            rx.el.p(t("builder.variables_sentence"), class_name="sec"),
            rx.el.p(t("builder.variables_system"), " ", *system, class_name="sec names"),
            rx.el.ul(rx.foreach(SpecState.variables, _variable), class_name="col plain"),
            _add(),
            class_name="col form-gap",
        ),
        title=t("builder.instructions"),
        sentence=t("builder.instructions_sentence"),
    )
