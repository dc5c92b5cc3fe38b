"""Fields that save themselves, and the widgets around them."""

import reflex as rx

from agenticos_app.i18n import t
from components.ui.base import Child, Text, classes
from components.ui.field import field
from components.ui.icon import icon
from state.builder_spec import SpecState

MODULE = "$/public/builder.jsx"

_typed = rx.event.passthrough_event_spec(str)


class SavedText(rx.Component):
    """A line, or with `lines` several, whose text saves itself."""

    library = MODULE
    tag = "SavedText"
    lines: rx.Var[bool]
    value: rx.Var[str]
    keep: rx.Var[str]
    """Name under which the browser keeps what is not confirmed; empty: it does not."""
    placeholder: rx.Var[str]
    max_length: rx.Var[int]
    input_mode: rx.Var[str]
    on_save: rx.EventHandler[_typed]


class Watch(rx.Component):
    """Notices when the page is looked at again, and leads to a field."""

    library = MODULE
    tag = "Watch"
    marked: rx.Var[str]
    drawn: rx.Var[int]
    on_return: rx.EventHandler[rx.event.no_args_event_spec]


def problem_of(name: str) -> rx.Var[str]:
    """Return what is wrong with a field of `SpecState`; empty for nothing."""
    code = SpecState.problems[name].to(str)
    said = rx.match(
        code,
        ("number", t("builder.problem.number")),
        ("json", t("builder.problem.json")),
        ("too_long", t("builder.problem.too_long")),
        ("name", t("builder.problem.name")),
        t("builder.problem.out_of_range"),
    ).to(str)
    return rx.cond(SpecState.problems.contains(name), said, "").to(str)


def saved_field(
    name: str,
    label: Text,
    value: rx.Var[str],
    on_save: rx.event.EventType,
    *,
    hint: Text | None = None,
    lines: bool = False,
    look: str = "",
    **props: object,
) -> rx.Component:
    """Draw a labelled field that saves itself; `name` is the field of the spec, which problems lead to."""
    problem = problem_of(name)
    control = SavedText.create(
        id=name,
        lines=lines,
        value=value,
        on_save=on_save,
        aria_describedby=f"{name}-problem {name}-help",
        aria_invalid=rx.Var.create(problem).bool(),
        class_name=classes("in ta" if lines else "in", look, rx.cond(problem, "bad", "").to(str)),
        key=f"{name}-" + SpecState.read.to(str),
        **props,
    )
    return field(control, label=label, name=name, hint=hint, problem=problem)


def folded(*children: Child, title: Text, opened: rx.Var[bool] | bool = False) -> rx.Component:
    """Draw what most people leave alone, behind its name."""
    return rx.el.details(
        rx.el.summary(icon("chevron-right"), title),
        rx.el.div(*children, class_name="col form-gap"),
        open=opened,
        class_name="fold",
    )


def heading(title: Text, sentence: Text) -> rx.Component:
    """Draw the head of a section."""
    return rx.el.div(rx.el.h2(title, class_name="h"), rx.el.p(sentence, class_name="sec"))
