"""The words for what a run says in codes: its state, its door."""

import reflex as rx

from agenticos_app.i18n import t
from components.ui.marks import status


def status_words() -> dict[str, rx.Var[str]]:
    """Return every state of a run with its name, in the order in which filters offer them."""
    return {
        "running": t("activity.status.running"),
        "completed": t("activity.status.completed"),
        "failed": t("activity.status.failed"),
        "cancelled": t("activity.status.cancelled"),
        "awaiting_approval": t("activity.status.awaiting_approval"),
        "awaiting_answer": t("activity.status.awaiting_answer"),
        "budget_exceeded": t("activity.status.budget_exceeded"),
        "guardrail_blocked": t("activity.status.guardrail_blocked"),
    }


def surface_words() -> dict[str, rx.Var[str]]:
    """Return every door with its name."""
    return {"web": t("activity.surface.web"), "api": t("activity.surface.api")}


def surface_word(surface: rx.Var[str]) -> rx.Var[str]:
    """Return the name of a door."""
    return rx.match(surface, *surface_words().items(), surface).to(str)


def status_mark(state: rx.Var[str]) -> rx.Component:
    """Draw how a run stands: a dot and its word."""
    words = status_words()
    return rx.fragment(
        rx.match(
            state,
            ("running", status(words["running"], tone="accent")),
            ("completed", status(words["completed"], tone="green")),
            ("failed", status(words["failed"], tone="red")),
            ("cancelled", status(words["cancelled"], tone="hollow")),
            ("awaiting_approval", status(words["awaiting_approval"], tone="amber")),
            ("awaiting_answer", status(words["awaiting_answer"], tone="amber")),
            ("budget_exceeded", status(words["budget_exceeded"], tone="amber")),
            ("guardrail_blocked", status(words["guardrail_blocked"], tone="amber")),
            rx.fragment(),
        )
    )
