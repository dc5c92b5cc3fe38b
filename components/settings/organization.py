"""What the organization is called, how it looks, what it may spend."""

import reflex as rx

from agenticos_app.i18n import spent, t
from agenticos_app.security.permissions import Permission
from components.layout.navigation import may
from components.settings.avatar import image, image_field
from components.settings.words import problem_text
from components.ui.button import button
from components.ui.field import field, saving_form, text_input
from components.ui.icon import icon
from components.ui.surfaces import section
from state.settings import SettingsState


def saved(form: str) -> rx.Component:
    """Say that the form was saved."""
    return rx.el.span(
        rx.cond(SettingsState.saved == form, rx.fragment(icon("check"), t("settings.saved"))),
        class_name="st good grow",
        role="status",
    )


def named_field(
    name: str, label: rx.Var[str], hint: rx.Var[str] | None = None, **props: object
) -> rx.Component:
    """Draw a field with the problem that the last try had with it."""
    problem = rx.cond(
        SettingsState.problems.contains(name), problem_text(SettingsState.problems[name].to(str)), ""
    ).to(str)
    return field(
        text_input(name, problem=problem, **props), label=label, name=name, hint=hint, problem=problem
    )


def reserved(sentence: rx.Var[str]) -> rx.Component:
    """Say who may change what is only shown here."""
    return rx.el.p(icon("lock"), sentence, class_name="row sec foot-row reserved")


def colours() -> list[rx.Var[str]]:
    """Return the names of the ten colours, in order."""
    return [
        t("settings.colour.indigo"),
        t("settings.colour.teal"),
        t("settings.colour.amber"),
        t("settings.colour.rose"),
        t("settings.colour.violet"),
        t("settings.colour.sky"),
        t("settings.colour.olive"),
        t("settings.colour.magenta"),
        t("settings.colour.slate"),
        t("settings.colour.blue"),
    ]


def _colour(number: int, name: rx.Var[str]) -> rx.Component:
    return rx.el.input(
        type="radio",
        name="avatar_color",
        value=str(number),
        default_checked=SettingsState.organization.avatar_color == number,
        aria_label=name,
        class_name=f"swatch hue-{number}",
    )


def profile() -> rx.Component:
    """Draw name and look of the organization."""
    organization = SettingsState.organization
    form = saving_form(
        rx.el.div(
            image_field(),
            named_field(
                "name",
                t("settings.name"),
                default_value=organization.name,
                auto_complete="off",
                key=organization.id.to(str),
            ),
            rx.el.fieldset(
                rx.el.legend(t("settings.colour_label"), class_name="lab"),
                rx.el.div(
                    *[_colour(number, name) for number, name in enumerate(colours(), start=1)],
                    class_name="swatches",
                ),
                rx.el.span(t("settings.colour_help"), class_name="help"),
                class_name="f",
                key=organization.id.to(str),
            ),
            class_name="fields col form-gap",
        ),
        rx.el.div(saved("profile"), button(t("settings.save"), type="submit"), class_name="row foot-row"),
        on_submit=SettingsState.save_profile,
    )
    shown = rx.fragment(
        rx.el.div(image(), rx.el.span(organization.name, class_name="b"), class_name="row fields gap"),
        reserved(t("settings.ask_admin")),
    )
    return section(
        rx.cond(may(Permission.ORG_SETTINGS), form, shown),
        title=t("settings.profile"),
        sentence=t("settings.profile_sentence"),
    )


FULL, NEARLY = 100, 80
"""Percent of a cap."""


def _month() -> rx.Component:
    """Draw what this month has spent beside the cap."""
    found = SettingsState.organization
    amount = spent(found.month_spent_usd, is_partial=found.month_is_partial)
    percent = found.month_percent.to(int)  # pyright: ignore[reportOptionalMemberAccess, reportUnknownMemberType, reportAttributeAccessIssue, reportUnknownVariableType]  # a Var
    tone = rx.cond(percent >= FULL, "meter r", rx.cond(percent >= NEARLY, "meter a", "meter"))
    return rx.el.div(
        rx.el.div(
            rx.el.span(t("settings.month_so_far"), class_name="sec grow"),
            rx.el.span(amount, class_name="num b"),
            class_name="row",
        ),
        rx.cond(
            found.month_percent != None,  # noqa: E711  # a Var
            rx.el.div(
                rx.el.i(style={"width": found.month_percent.to(str) + "%"}),
                class_name=tone,
                role="progressbar",
                aria_label=t("settings.month_so_far"),
                aria_valuenow=found.month_percent,
                aria_valuemin=0,
                aria_valuemax=100,
            ),
        ),
        class_name="fields narrow-fields",
    )


def budget() -> rx.Component:
    """Draw the monthly cap and what is spent of it."""
    form = saving_form(
        rx.el.div(
            named_field(
                "monthly_budget_usd",
                t("settings.cap"),
                t("settings.cap_help"),
                default_value=SettingsState.budget,
                placeholder=t("settings.no_cap"),
                input_mode="decimal",
                auto_complete="off",
                key=SettingsState.budget,
                class_name="num",
            ),
            class_name="fields narrow-fields",
        ),
        rx.el.div(saved("budget"), button(t("settings.save"), type="submit"), class_name="row foot-row"),
        on_submit=SettingsState.save_budget,
    )
    shown = rx.fragment(
        rx.el.p(
            rx.cond(
                SettingsState.budget != "",
                t("settings.cap_is", amount=SettingsState.budget),
                t("settings.no_cap"),
            ),
            class_name="fields num",
        ),
        reserved(t("settings.ask_admin")),
    )
    return section(
        _month(),
        rx.cond(may(Permission.BUDGETS_MANAGE), form, shown),
        title=t("settings.budget"),
        sentence=t("settings.budget_sentence"),
    )
