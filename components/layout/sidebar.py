"""The navigation: organization, pages, what the page adds, the person."""

import reflex as rx

from agenticos_app.i18n import t
from agenticos_app.schemas.accounts import MembershipRow
from components.layout.keys import command_key, sign_out
from components.layout.navigation import GROUPS, Group, Page, may, may_any
from components.layout.preferences import language_items, theme_items
from components.ui.base import BrowserWidget, link
from components.ui.button import tooltip
from components.ui.icon import icon
from components.ui.marks import avatar, mark
from components.ui.overlay import menu, menu_item, menu_label, menu_line, menu_link, open_panel
from state.account import AccountState
from state.session import SessionState


class SideToggle(BrowserWidget):
    """Folds the sidebar to its icons and remembers that."""

    tag = "SideToggle"
    label: rx.Var[str]


def _organization_item(membership: rx.Var[MembershipRow]) -> rx.Component:
    here = membership.organization_id == SessionState.me.organization_id
    return menu_item(
        mark(membership.organization_name),
        rx.el.span(membership.organization_name, class_name="grow cut"),
        rx.cond(here, icon("check")),
        on_select=AccountState.choose_organization(membership.organization_id.to(str)),
    )


def organization_switcher() -> rx.Component:
    """Draw the organization, and the person's others behind it."""
    name = SessionState.me.organization_name
    return menu(
        menu_label(t("frame.organizations")),
        rx.foreach(SessionState.me.memberships, _organization_item),
        trigger=[mark(name), rx.el.span(name, class_name="grow cut"), icon("chevrons-up-down")],
        trigger_class="org row",
    )


def _entry(page: Page, active: str) -> rx.Component:
    here = page.id == active
    entry = link(
        icon(page.icon),
        rx.el.span(page.label, class_name="cut"),
        href=page.href,
        title=page.label,
        class_name="nav on" if here else "nav",
        **({"aria_current": "page"} if here else {}),
    )
    return entry if page.permission is None else rx.cond(may(page.permission), entry)


def _group(group: Group, active: str) -> rx.Component:
    entries = [_entry(page, active) for page in group.pages]
    if group.label is None:
        return rx.fragment(*entries)
    return rx.cond(may_any(group.pages), rx.fragment(rx.el.div(group.label, class_name="grp"), *entries))


def _find() -> rx.Component:
    return rx.el.button(
        icon("search"),
        rx.el.span(t("frame.find"), class_name="grow"),
        rx.el.kbd(command_key(), "K", aria_hidden="true"),
        type="button",
        on_click=open_panel("palette"),
        class_name="find row",
    )


def person_menu() -> rx.Component:
    """Draw who is signed in, with what belongs to them."""
    me = SessionState.me
    return menu(
        menu_link(t("account.title"), href="/account", icon="circle-user-round"),
        menu_item(t("keys.title"), on_select=open_panel("shortcuts"), icon="keyboard"),
        menu_line(),
        *theme_items(),
        menu_line(),
        *language_items(),
        menu_line(),
        menu_item(t("frame.sign_out"), on_select=sign_out(), icon="log-out"),
        trigger=[
            avatar(me.full_name, is_round=True),
            rx.el.span(
                rx.el.span(me.full_name, class_name="cut"),
                rx.el.span(me.email, class_name="meta cut"),
                class_name="grow col",
            ),
            icon("ellipsis"),
        ],
        trigger_class="person row",
        side="top",
    )


def sidebar_content(active: str, extra: rx.Component | None) -> list[rx.Component]:
    """Return what the sidebar holds, on every width."""
    return [
        organization_switcher(),
        _find(),
        rx.el.nav(
            *[_group(group, active) for group in GROUPS], class_name="col navs", aria_label=t("frame.pages")
        ),
        rx.el.div(*([] if extra is None else [extra]), class_name="extra"),
        person_menu(),
    ]


def sidebar(active: str, extra: rx.Component | None = None) -> rx.Component:
    """Draw the sidebar of wide windows; it folds to icons."""
    return rx.el.aside(
        rx.el.a(t("frame.skip"), href="#content", class_name="skip"),
        *sidebar_content(active, extra),
        tooltip(
            SideToggle.create(icon("panel-left"), label=t("frame.fold"), class_name="btn q ic sm"),
            text=t("frame.fold"),
            side="right",
        ),
        class_name="side",
        aria_label=t("frame.sidebar"),
    )
