"""The wrapped components of `assets/live.jsx`."""

from collections.abc import Callable

import reflex as rx
from reflex.vars import VarData
from reflex.vars.function import ArgsFunctionOperation
from reflex_base.utils.imports import ImportVar

from components.ui.base import Child, Flag, Text

MODULE = "$/public/live.jsx"


def drawing(name: str, component: Callable[..., rx.Component], kind: type) -> rx.Var[Callable]:
    """Return a JavaScript function that draws with a component written in Python."""
    argument = rx.Var(name, _var_type=kind)
    return ArgsFunctionOperation.create((name,), component(**{name: argument}))


def _ended(run_id: rx.Var[str], status: rx.Var[str]) -> tuple[rx.Var[str], rx.Var[str]]:
    return run_id, status


def _signalled(
    kind: rx.Var[str], conversation_id: rx.Var[str], run_id: rx.Var[str]
) -> tuple[rx.Var[str], rx.Var[str], rx.Var[str]]:
    return kind, conversation_id, run_id


class Answer(rx.Component):
    """An answer: stored parts, or a run's own, which it follows by itself."""

    library = MODULE
    tag = "Answer"
    run_id: rx.Var[str]
    live: rx.Var[bool]
    parts: rx.Var[list]
    draw_part: rx.Var[Callable]
    label: rx.Var[str]
    on_end: rx.EventHandler[_ended]


class Thread(rx.Component):
    """A scrolling list of turns that stays at its end."""

    library = MODULE
    tag = "Thread"
    thread: rx.Var[str]
    count: rx.Var[int]
    has_earlier: rx.Var[bool]
    latest: rx.Var[str]
    on_earlier: rx.EventHandler[rx.event.no_args_event_spec]


class Signals(rx.Component):
    """Hears what happens to the person's conversations: kind, conversation, run."""

    library = MODULE
    tag = "Signals"
    on_signal: rx.EventHandler[_signalled]


def elapsed(since: rx.Var) -> rx.Var[int]:
    """Return the milliseconds since a time, counted by the browser each second."""
    hook = f"const $elapsed = useElapsed({since!s});"
    return rx.Var(
        "$elapsed",
        _var_data=VarData.merge(
            since._get_all_var_data(),
            VarData(imports={MODULE: [ImportVar(tag="useElapsed")]}, hooks={hook: None}),
        ),
    ).to(int)


def run_of_answer() -> rx.Var[str]:
    """Return the run that the surrounding answer is of; empty outside of one."""
    imports = {MODULE: [ImportVar(tag="RunOfAnswer")], "react": [ImportVar(tag="useContext")]}
    hook = "const $run = useContext(RunOfAnswer);"
    return rx.Var("$run", _var_data=VarData(imports=imports, hooks={hook: None})).to(str)


def thread(
    *turns: Child,
    name: Text,
    count: rx.Var[int],
    has_earlier: Flag,
    latest: Text,
    on_earlier: rx.event.EventType,
) -> rx.Component:
    """Draw turns in a list that scrolls."""
    return Thread.create(
        *turns, thread=name, count=count, has_earlier=has_earlier, latest=latest, on_earlier=on_earlier
    )
