"""What the agent may spend, and how far one run may go."""

import reflex as rx

from agenticos_app.i18n import t
from components.builder.saving import saved_field, spec_section
from state.builder_spec import SpecState


def budget_section() -> rx.Component:
    """Draw the section."""

    def cap(name: str, label: rx.Var[str], hint: rx.Var[str]) -> rx.Component:
        return saved_field(
            name,
            label,
            SpecState.caps[name].to(str),
            lambda text: SpecState.set_cap(name, text),
            hint=hint,
            input_mode="decimal",
            placeholder=t("builder.no_cap"),
        )

    return spec_section(
        rx.el.div(
            cap("monthly_budget_micros", t("builder.cap_month"), t("builder.cap_month_hint")),
            cap("run_budget_micros", t("builder.cap_run"), t("builder.cap_run_hint")),
            class_name="two",
        ),
        saved_field(
            "max_steps",
            t("builder.steps"),
            SpecState.steps.to(str),
            SpecState.set_steps,
            hint=t("builder.steps_hint"),
            input_mode="numeric",
        ),
        title=t("builder.budget"),
        sentence=t("builder.budget_sentence"),
    )
