"""How a part of an answer looks, the same whether it grows, has ended or is stored."""

import reflex as rx

from agenticos_app.contracts.events import Part
from agenticos_app.i18n import t
from components.cards.card import card_of
from components.live.prose import code_block, prose
from components.live.steps import step_done, step_icon, step_now
from components.ui.icon import icon


def _line(part: rx.Var[Part]) -> rx.Component:
    """Name what the step is about: in the present while it runs, in the past after."""
    running = part.status == "running"
    line = rx.cond(running, step_now(part.tool, part.subject), step_done(part.tool, part.subject))
    return rx.el.span(line, class_name=rx.cond(running, "lite", ""))


def step(part: rx.Var[Part]) -> rx.Component:
    """Draw a step on one line that opens into what it produced, and then into what was asked of it."""
    failed = part.status == "failed"
    return rx.el.details(
        rx.el.summary(
            rx.cond(failed, icon("triangle-alert"), step_icon(part.tool)),
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
    """Draw a part for anybody."""
    return part_body(part)


def part_body(part: rx.Var[Part]) -> rx.Component:
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
