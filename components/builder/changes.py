"""What is different between two specs, in lines that a person can read."""

import reflex as rx

from agenticos_app.i18n import t
from agenticos_app.schemas.agents import SpecChange
from components.live.steps import capability_name


def change_lines(changes: rx.Var[list[SpecChange]]) -> rx.Component:
    """Draw each difference: its place, what was there, what is there."""
    return rx.el.ul(rx.foreach(changes, _change), class_name="changes")


def _change(change: rx.Var[SpecChange]) -> rx.Component:
    return rx.el.li(
        rx.el.span(place(change.at), class_name="change-at"),
        rx.cond(
            change.before != "",
            rx.el.del_(rx.el.span(t("versions.was"), class_name="hide"), _value(change.before)),
        ),
        rx.cond(
            change.after != "",
            rx.el.ins(rx.el.span(t("versions.is"), class_name="hide"), _value(change.after)),
        ),
    )


def _value(value: rx.Var[str]) -> rx.Var[str]:
    return rx.match(value, ("on", t("builder.on")), ("off", t("builder.off")), value).to(str)


def _setting(name: rx.Var[str]) -> rx.Var[str]:
    return rx.match(
        name,
        ("temperature", t("models.params.temperature")),
        ("top_p", t("models.params.top_p")),
        ("max_tokens", t("models.params.max_tokens")),
        t("models.params.parallel"),
    ).to(str)


def place(at: rx.Var[str]) -> rx.Var[str]:
    """Return in words where in a spec something is."""
    steps = at.split(".")
    rest = steps[1:].join(" · ")
    inner = rx.cond(steps.length() > 2, " · " + steps[2:].join(" · "), "").to(str)
    return rx.match(
        steps[0],
        ("instructions", t("builder.instructions")),
        ("model_profile_id", t("builder.model")),
        ("model_settings", t("builder.model") + " · " + _setting(rest)),
        ("capabilities", capability_name(steps[1]) + inner),
        ("variables", t("builder.variables") + " · " + rest),
        ("output_schema", t("builder.schema")),
        ("monthly_budget_usd", t("builder.cap_month")),
        ("run_budget_usd", t("builder.cap_run")),
        ("max_steps", t("builder.steps")),
        at,
    ).to(str)
