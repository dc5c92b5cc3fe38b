"""The words for services, kinds, levels and problems."""

from collections.abc import Sequence

import reflex as rx

from agenticos_app.contracts.secrets import CUSTOM, MODEL_PURPOSES, OTHER_PURPOSES, PURPOSES
from agenticos_app.i18n import field_error_text, t
from components.ui.base import Text


def service_name(purpose: rx.Var[str]) -> rx.Var[str]:
    """Return what a service is called; only secrets of one's own have a translated name."""
    named = [(one.id, one.name) for one in PURPOSES.values() if one.id != CUSTOM]
    return rx.match(purpose, *named, t("vault.custom")).to(str)


def service_groups() -> Sequence[tuple[rx.Var[str], Sequence[tuple[str, Text]]]]:
    """Return the services by group: heading, then id and name of each."""
    others = [(one.id, t("vault.custom") if one.id == CUSTOM else one.name) for one in OTHER_PURPOSES]
    return [
        (t("vault.group.models"), [(one.id, one.name) for one in MODEL_PURPOSES]),
        (t("vault.group.others"), others),
    ]


def kind_word(kind: rx.Var[str]) -> rx.Var[str]:
    """Return what a kind is called."""
    return rx.match(
        kind,
        ("azure_openai", t("vault.kind.azure_openai")),
        ("aws_credentials", t("vault.kind.aws_credentials")),
        ("gcp_service_account", t("vault.kind.gcp_service_account")),
        ("github_oauth_app", t("vault.kind.oauth_app")),
        ("google_oauth_app", t("vault.kind.oauth_app")),
        t("vault.kind.api_key"),
    ).to(str)


def problem_text(code: rx.Var[str]) -> rx.Var[str]:
    """Return the sentence beside a field for a problem's code; empty for none."""
    return rx.match(code, ("", ""), field_error_text(code)).to(str)
