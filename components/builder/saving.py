"""Fields that save themselves, and the widgets around them."""

import reflex as rx
from reflex.vars import VarData
from reflex.vars.function import FunctionVar
from reflex_base.utils.imports import ImportVar

from agenticos_app.i18n import problem_text, t
from agenticos_app.i18n.texts import PACKAGES, data_of
from components.ui.base import Child, Text, classes
from components.ui.data_list import skeleton_rows
from components.ui.field import field, problem_line
from components.ui.icon import icon
from state.builder import BuilderState
from state.builder_spec import SpecState
from state.session import SessionState

MODULE = "$/public/builder.jsx"
COUNT = "{number}"
"""Stands for the figure in `SavedText.counted`."""


def _typed(text: rx.Var[str], seen: rx.Var[int]) -> tuple[rx.Var[str], rx.Var[int]]:
    return text, seen


class _Widget(rx.Component):
    library = MODULE
    lib_dependencies: list[str] = list(PACKAGES)


class SavedText(_Widget):
    """A line, or with `lines` several, whose text saves itself.

    `on_save` gets the text and the revision of the draft that it was typed upon.
    """

    tag = "SavedText"
    lines: rx.Var[bool]
    value: rx.Var[str]
    """What the server has."""
    revision: rx.Var[int]
    held: rx.Var[bool]
    """Nothing is saved for now."""
    counted: rx.Var[str]
    """How many characters there are, with `COUNT` for the figure; empty: they are not counted."""
    keep: rx.Var[str]
    """Name under which the browser keeps what is not confirmed; empty: it does not."""
    placeholder: rx.Var[str]
    max_length: rx.Var[int]
    input_mode: rx.Var[str]
    on_save: rx.EventHandler[_typed]


class Watch(_Widget):
    """Notices when the page is looked at again, and leads to the field that the address names as `f`.

    A place of the spec is found by the attribute `data-at` or the id of an element; `on_return` gets whether
    there are unsaved words on the page.
    """

    tag = "Watch"
    on_return: rx.EventHandler[rx.event.passthrough_event_spec(bool)]


class SaveState(_Widget):
    """Says how the draft stands; its children say that all is saved."""

    tag = "SaveState"
    held: rx.Var[bool]
    saving: rx.Var[rx.Component]
    unsaid: rx.Var[rx.Component]


def drop_unsaved() -> FunctionVar:
    """Return a handler that forgets what was typed on the page and is not saved."""
    return rx.Var("(() => dropUnsaved())", _var_data=_needs("dropUnsaved")).to(FunctionVar)


def insert_into(name: str, words: rx.Var[str]) -> FunctionVar:
    """Return a handler that writes at the cursor of a field."""
    needed = VarData.merge(_needs("insertInto"), data_of(words))
    return rx.Var(f'(() => insertInto("{name}", {words!s}))', _var_data=needed).to(FunctionVar)


def _needs(function: str) -> VarData:
    return VarData(imports={MODULE: [ImportVar(tag=function)]})


def problems_at(at: str) -> rx.Component:
    """Say what stands in the way of publishing at this place of the spec."""
    return rx.foreach(
        BuilderState.problems,
        lambda one: rx.cond(
            one.at == at, problem_line(problem_text(one.code, one.details.to(dict[str, object])))
        ),
    )


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
    kept: bool = False,
    look: str = "",
    **props: object,
) -> rx.Component:
    """Draw a labelled field that saves itself; `name` is the field of the spec, which problems lead to.

    `kept` words outlive the page in this browser until they are saved.
    """
    problem = problem_of(name)
    control = SavedText.create(
        id=name,
        lines=lines,
        value=value,
        revision=BuilderState.revision,
        held=BuilderState.clash.to(bool),
        keep=_place_of(name) if kept else "",
        on_save=on_save,
        aria_describedby=f"{name}-problem {name}-help",
        aria_invalid=rx.Var.create(problem).bool(),
        class_name=classes("in ta" if lines else "in", look, rx.cond(problem, "bad", "").to(str)),
        **props,
    )
    return field(control, label=label, name=name, hint=hint, problem=problem)


def _place_of(name: str) -> rx.Var[str]:
    """Return where the browser keeps a field of this person's draft."""
    return SessionState.me.user_id.to(str) + "/" + BuilderState.agent_id + "/" + name


def folded(*children: Child, title: Text, opened: rx.Var[bool] | bool = False) -> rx.Component:
    """Draw what most people leave alone, behind its name."""
    return rx.el.details(
        rx.el.summary(icon("chevron-right"), title),
        rx.el.div(*children, class_name="col form-gap"),
        open=opened,
        class_name="fold",
    )


def spec_section(*children: Child, title: Text, sentence: Text) -> rx.Component:
    """Draw a section of what `SpecState` shows, once it shows this draft."""
    is_shown = SpecState.shown == BuilderState.agent_id + "/" + BuilderState.renewed.to(str)
    return rx.el.div(
        heading(title, sentence),
        rx.cond(is_shown, rx.fragment(*children), skeleton_rows(t("builder.loading"))),
        on_mount=SpecState.load,
        class_name="narrow",
    )


def heading(title: Text, sentence: Text) -> rx.Component:
    """Draw the head of a section."""
    return rx.el.div(rx.el.h2(title, class_name="h"), rx.el.p(sentence, class_name="sec"))
