"""What a live check of a model found."""

import reflex as rx

from agenticos_app.i18n import duration, t
from agenticos_app.schemas.models import ModelCheckResult
from components.accounts.first_model import model_problem
from components.ui.icon import icon


def found(result: rx.Var[ModelCheckResult | None]) -> rx.Component:
    """Say what came back and how long it took, or why nothing did."""
    works = rx.el.span(
        icon("check"),
        rx.el.span(t("models.test_reply", reply=result.reply, time=duration(result.milliseconds))),
        class_name="st good",
    )
    fails = rx.el.span(
        icon("triangle-alert"),
        rx.el.span(model_problem(result.problem.to(str))),
        class_name="err",
        role="alert",
    )
    return rx.el.div(rx.cond(result, rx.cond(result.ok, works, fails)), role="status", class_name="found")
