"""The pages of the console: the one list that sidebar and palette draw."""

from dataclasses import dataclass

import reflex as rx

from agenticos_app.i18n import t
from agenticos_app.security.permissions import Permission
from state.session import SessionState


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """One entry; absent, not greyed, for whoever lacks its permission."""

    id: str
    href: str
    icon: str
    label: rx.Var[str]
    permission: Permission | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """Entries under a heading; the first group has none."""

    label: rx.Var[str] | None
    pages: tuple[Page, ...]


GROUPS = (
    Group(
        label=None,
        pages=(
            Page(id="chat", href="/chat", icon="message-square", label=t("nav.chat")),
            Page(
                id="agents",
                href="/agents",
                icon="bot",
                label=t("nav.agents"),
                permission=Permission.AGENTS_VIEW,
            ),
            Page(id="activity", href="/activity", icon="activity", label=t("nav.activity")),
        ),
    ),
    Group(
        label=t("nav.connect"),
        pages=(
            Page(
                id="models",
                href="/models",
                icon="brain",
                label=t("nav.models"),
                permission=Permission.CONNECTIONS_VIEW,
            ),
            Page(
                id="vault",
                href="/vault",
                icon="lock",
                label=t("nav.vault"),
                permission=Permission.SECRETS_VIEW,
            ),
        ),
    ),
    Group(
        label=t("nav.organization"),
        pages=(Page(id="settings", href="/settings", icon="sliders-horizontal", label=t("nav.settings")),),
    ),
)


def may(permission: Permission | None) -> rx.Var[bool]:
    """Tell whether the person who is signed in holds the permission in the organization shown."""
    if permission is None:
        return rx.Var.create(True)
    return SessionState.me.permissions.contains(permission.value)


def may_any(pages: tuple[Page, ...]) -> rx.Var[bool]:
    """Tell whether the person may open at least one of the pages."""
    found = may(pages[0].permission)
    for page in pages[1:]:
        found = found | may(page.permission)
    return found
