"""How a step is named and marked, for every tool of the deployment's capabilities."""

from collections.abc import Iterable

import reflex as rx

from agenticos_app.contracts.built_in import BUILT_IN
from agenticos_app.contracts.capability import AnyCapability
from agenticos_app.i18n import t, takes
from components.ui.icon import icon

_capabilities: tuple[AnyCapability, ...] | None = None


def use(capabilities: Iterable[AnyCapability]) -> None:
    """Draw the steps of these capabilities; called by the composition root before pages are made."""
    global _capabilities
    _capabilities = tuple(capabilities)


def step_icon(tool: rx.Var[str]) -> rx.Component:
    """Draw the mark of the capability that a tool belongs to."""
    known = [(info.id, icon(one.icon)) for one in _known() for info in one.tools]
    known += [(info.id, icon("blocks")) for info in BUILT_IN]
    return rx.fragment(rx.match(tool, *known, icon("wrench")))


def capability_name(capability: rx.Var[str]) -> rx.Var[str]:
    """Return what people call a capability."""
    known = [(one.id, t(f"capability.{one.id}.name")) for one in _known()]
    return rx.match(capability, *known, capability).to(str)


def step_now(tool: rx.Var[str], subject: rx.Var[str]) -> rx.Var[str]:
    """Say what a tool is doing."""
    return _line("now", tool, subject, t("step.other_now", tool=tool))


def step_done(tool: rx.Var[str], subject: rx.Var[str]) -> rx.Var[str]:
    """Say what a tool has done."""
    return _line("done", tool, subject, t("step.other_done", tool=tool))


def _line(tense: str, tool: rx.Var[str], subject: rx.Var[str], other: rx.Var[str]) -> rx.Var[str]:
    lines: list[tuple[str, rx.Var]] = []
    for one in _known():
        for info in one.tools:
            is_named = "subject" in takes(f"capability.{one.id}.tools.{info.id}.{tense}")
            values = {"subject": subject} if is_named else {}
            line = t(f"capability.{one.id}.tools.{info.id}.{tense}", **values)
            lines.append((info.id, rx.cond(subject != "", line, other) if is_named else line))
    lines += [(info.id, t(f"step.{info.id}_{tense}")) for info in BUILT_IN]
    return rx.match(tool, *lines, other).to(str)


def _known() -> tuple[AnyCapability, ...]:
    assert _capabilities is not None, "the composition root hands them over"
    return _capabilities
