"""The fields of each kind of secret. They begin empty, always: values do not come back."""

import reflex as rx

from agenticos_app.i18n import t
from components.ui.base import FileText, Text
from components.ui.field import field, text_area, text_input
from components.ui.icon import icon
from components.vault.words import problem_text

Problems = rx.Var[dict[str, str]]


KEY_FILE_BYTES = 64 * 1024


def marked(
    problems: Problems, name: str, label: Text, hint: Text | None = None, **props: object
) -> rx.Component:
    """Draw a field with the problem that the last try had with it."""
    problem = _problem(problems, name)
    return field(
        text_input(name, problem=problem, auto_complete="off", **props),
        label=label,
        name=name,
        hint=hint,
        problem=problem,
    )


def _problem(problems: Problems, name: str) -> rx.Var[str]:
    return rx.cond(problems.contains(name), problem_text(problems[name].to(str)), "").to(str)


def _hidden(
    problems: Problems, name: str, label: Text, hint: Text | None = None, **props: object
) -> rx.Component:
    return marked(problems, name, label, hint, kind="password", spell_check=False, **props)


def _service_account(problems: Problems, **props: object) -> rx.Component:
    name = "service_account"
    problem = _problem(problems, name)
    return rx.el.div(
        field(
            text_area(name, problem=problem, rows="5", spell_check=False, auto_complete="off", **props),
            label=t("vault.field.service_account"),
            name=name,
            hint=t("vault.field.service_account_help"),
            problem=problem,
        ),
        FileText.create(
            icon("upload"),
            t("vault.field.choose_file"),
            target=name,
            accept="application/json,.json",
            limit_bytes=KEY_FILE_BYTES,
            class_name="btn sm",
        ),
        class_name="col file-field",
    )


def _app(problems: Problems, **props: object) -> rx.Component:
    return rx.fragment(
        marked(problems, "client_id", t("vault.field.client_id"), **props),
        _hidden(problems, "client_secret", t("vault.field.client_secret")),
    )


def value_fields(kind: rx.Var[str], problems: Problems, **first: object) -> rx.Component | rx.Var:
    """Draw the fields that a secret of this kind has; `first` goes to the first of them."""
    region = t("vault.field.region")
    azure = rx.fragment(
        _hidden(problems, "api_key", t("vault.field.api_key"), **first),
        marked(problems, "endpoint", t("vault.field.endpoint"), placeholder="https://name.openai.azure.com"),
        marked(problems, "api_version", t("vault.field.api_version"), placeholder="2024-10-21"),
    )
    aws = rx.fragment(
        marked(problems, "access_key_id", t("vault.field.access_key_id"), **first),
        _hidden(problems, "secret_access_key", t("vault.field.secret_access_key")),
        marked(problems, "region", region, t("vault.field.region_aws")),
        _hidden(problems, "session_token", t("vault.field.session_token"), t("vault.field.optional")),
    )
    google = rx.fragment(
        _service_account(problems, **first),
        marked(problems, "region", region, t("vault.field.region_google")),
    )
    return rx.match(
        kind,
        ("azure_openai", azure),
        ("aws_credentials", aws),
        ("gcp_service_account", google),
        ("github_oauth_app", _app(problems, **first)),
        ("google_oauth_app", _app(problems, **first)),
        _hidden(problems, "api_key", t("vault.field.api_key"), **first),
    )
