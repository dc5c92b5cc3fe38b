"""How a part of an answer looks, the same whether it grows, has ended or is stored."""

import reflex as rx

from agenticos_app.contracts.events import Part
from agenticos_app.i18n import t
from components.cards.card import card_of
from components.live.prose import code_block, prose
from components.ui.icon import icon

STEPS = {
    "create_chart": ("chart-column", True),
    "run_python": ("calculator", False),
    "search_attachment": ("search", True),
    "read_attachment": ("file-text", True),
}
"""Tool to icon and whether its line names a subject; the lines are the texts `step.<tool>_now`, `_done`."""


def _line(part: rx.Var[Part]) -> rx.Component:
    """Name what the step is about: in the present while it runs, in the past after."""
    running = part.status == "running"
    known: list[tuple[str, rx.Var]] = []
    for tool, (_, has_subject) in STEPS.items():
        values = {"subject": part.subject} if has_subject else {}
        known.append(
            (tool, rx.cond(running, t(f"step.{tool}_now", **values), t(f"step.{tool}_done", **values)))
        )
    other = rx.cond(running, t("step.other_now", tool=part.tool), t("step.other_done", tool=part.tool))
    return rx.el.span(rx.match(part.tool, *known, other), class_name=rx.cond(running, "lite", ""))


def step(part: rx.Var[Part]) -> rx.Component:
    """Draw a step on one line that opens into what it produced, and then into what was asked of it."""
    image = rx.match(part.tool, *[(tool, icon(name)) for tool, (name, _) in STEPS.items()], icon("wrench"))
    failed = part.status == "failed"
    return rx.el.details(
        rx.el.summary(
            rx.cond(failed, icon("triangle-alert"), image),
            _line(part),
            rx.cond(part.status == "stopped", rx.el.span(t("step.stopped"), class_name="badge")),
            rx.cond(failed, rx.el.span(t("step.failed"), class_name="badge red")),
            icon("chevron-right", "tw"),
            class_name=rx.cond(failed, "step bad", rx.cond(part.status == "running", "step now", "step")),
        ),
        rx.el.div(
            rx.cond(
                part.text, rx.el.pre(part.text, tab_index=0), rx.el.p(t("step.no_result"), class_name="meta")
            ),
            rx.cond(
                part.arguments,
                rx.el.details(
                    rx.el.summary(t("step.arguments"), class_name="meta"),
                    rx.el.pre(part.arguments, tab_index=0),
                ),
            ),
            class_name="opened",
        ),
        class_name="rail",
    )


@rx.memo
def part_view(part: rx.Var[Part]) -> rx.Component:
    """Draw a part."""
    return rx.fragment(
        rx.match(
            part.kind,
            ("tool", rx.fragment(step(part), card_of(part.card, part.call_id))),
            ("data", code_block(part.text, "JSON")),
            (
                "thinking",
                rx.el.details(
                    rx.el.summary(
                        icon("lightbulb"), t("step.thinking"), icon("chevron-right", "tw"), class_name="step"
                    ),
                    rx.el.div(prose(part.text), class_name="opened"),
                    class_name="rail",
                ),
            ),
            prose(part.text, lazy=part.done),
        )
    )
