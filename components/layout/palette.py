"""The command palette: pages, conversations, actions, by name."""

import reflex as rx

from agenticos_app.i18n import LANGUAGES, set_language, t
from components.layout.keys import sign_out
from components.layout.navigation import GROUPS, may
from components.layout.preferences import choose_theme, themes
from components.ui.base import BrowserWidget
from components.ui.icon import icon


class PaletteHost(BrowserWidget):
    """Loads and opens the palette; `groups` is `[{heading, items: [{label, href | act, icon}]}]`."""

    tag = "PaletteHost"
    lib_dependencies: list[str] = ["cmdk@1.1.1"]
    label: rx.Var[str]
    placeholder: rx.Var[str]
    nothing: rx.Var[str]
    groups: rx.Var[list[dict]]


def _item(label: rx.Var[str] | str, image: str, **what: object) -> dict[str, object]:
    return {"label": label, "icon": icon(image), **what}


def _pages() -> list[rx.Var]:
    return [
        rx.cond(
            may(page.permission),
            rx.Var.create([_item(page.label, page.icon, href=page.href)]),
            rx.Var.create([]),
        )
        for group in GROUPS
        for page in group.pages
    ]


def _actions() -> list[dict[str, object]]:
    return [
        _item(t("palette.new_conversation"), "square-pen", href="/chat"),
        _item(t("account.title"), "circle-user-round", href="/account"),
        *[
            _item(t("palette.theme", name=name), "contrast", act=choose_theme(value))
            for value, name in themes().items()
        ],
        *[_item(name, "languages", act=set_language(code)) for code, name in LANGUAGES.items()],
        _item(t("frame.sign_out"), "log-out", act=sign_out()),
    ]


def palette(conversations: rx.Var | None = None) -> rx.Component:
    """Draw the palette; it is loaded when it is first opened.

    Args:
        conversations: Rows with `label` and `href`, newest first.
    """
    pages = rx.Var.create([])
    for found in _pages():
        pages = pages.to(list) + found.to(list)
    groups: list[dict[str, object]] = [{"heading": t("palette.pages"), "items": pages}]
    if conversations is not None:
        groups.append({"heading": t("palette.conversations"), "items": conversations})
    groups.append({"heading": t("palette.actions"), "items": _actions()})
    return PaletteHost.create(
        label=t("frame.find"),
        placeholder=t("palette.placeholder"),
        nothing=t("palette.nothing"),
        groups=groups,
    )
