"""The words for roles and for what is wrong with a form."""

import reflex as rx

from agenticos_app.i18n import field_error_text, t


def role_words() -> dict[str, rx.Var[str]]:
    """Return every role with its name, from the widest to the narrowest."""
    return {
        "owner": t("settings.role.owner"),
        "admin": t("settings.role.admin"),
        "builder": t("settings.role.builder"),
        "operator": t("settings.role.operator"),
        "member": t("settings.role.member"),
        "viewer": t("settings.role.viewer"),
    }


def role_word(role: rx.Var[str]) -> rx.Var[str]:
    """Return the name of a role; the role's own for one that is not built in."""
    return rx.match(role, *role_words().items(), role).to(str)


def role_explained() -> list[tuple[rx.Var[str], rx.Var[str]]]:
    """Return every role with what it may do."""
    words = role_words()
    return [
        (words["owner"], t("settings.may.owner")),
        (words["admin"], t("settings.may.admin")),
        (words["builder"], t("settings.may.builder")),
        (words["operator"], t("settings.may.operator")),
        (words["member"], t("settings.may.member")),
        (words["viewer"], t("settings.may.viewer")),
    ]


def problem_text(code: rx.Var[str]) -> rx.Var[str]:
    """Return the sentence beside a field for a problem's code; empty for none."""
    return rx.match(
        code,
        ("", ""),
        ("no_account", t("settings.problem.no_account")),
        ("member", t("settings.problem.member")),
        ("last_owner", t("settings.problem.last_owner")),
        ("forbidden", t("settings.problem.forbidden")),
        ("not_image", t("settings.problem.not_image")),
        ("too_large", t("settings.problem.too_large")),
        ("offline", t("settings.problem.offline")),
        field_error_text(code),
    ).to(str)
