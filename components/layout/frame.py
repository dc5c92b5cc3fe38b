"""The frame of every page for people who are signed in."""

import reflex as rx

from agenticos_app.i18n import t
from components.layout.keys import Shortcuts, shortcuts_panel
from components.layout.notices import connection, notices
from components.layout.palette import palette
from components.layout.sidebar import sidebar, sidebar_content
from components.ui.base import Child, Text
from components.ui.button import icon_button
from components.ui.overlay import open_panel, panel_dialog


def frame(
    *children: Child,
    active: str,
    title: Text,
    sidebar_extra: rx.Component | None = None,
    conversations: rx.Var | None = None,
) -> rx.Component:
    """Draw a page inside the console.

    `active` is the id of the page in `navigation.GROUPS`, empty for pages without an entry; `title` its name
    in the top bar of phones. `sidebar_extra` stands below the navigation, as the list of conversations;
    `conversations` is for the palette: rows with `label` and `href`.
    """
    return rx.el.div(
        sidebar(active, sidebar_extra),
        rx.el.header(
            icon_button("menu", t("frame.menu"), on_click=open_panel("menu"), side="bottom"),
            rx.el.h1(title, class_name="b grow cut"),
            icon_button("search", t("frame.find"), on_click=open_panel("palette"), side="bottom"),
            class_name="topbar",
        ),
        rx.el.main(
            connection(),
            *children,
            class_name="main",
            id="content",
            tab_index=-1,
        ),
        panel_dialog(
            *sidebar_content(active, sidebar_extra),
            name="menu",
            title=t("frame.menu"),
            sentence=t("frame.pages"),
            close=t("frame.close"),
            sheet=True,
        ),
        notices(),
        palette(conversations),
        shortcuts_panel(),
        Shortcuts.create(),
        class_name="app",
    )


def page(*children: Child, title: Text, sentence: Text, actions: tuple[Child, ...] = ()) -> rx.Component:
    """Draw the body of a page: title, one sentence that says what it is, actions at the right."""
    return rx.el.div(
        rx.el.div(
            rx.el.div(
                rx.el.div(rx.el.h1(title), rx.el.p(sentence), class_name="grow"),
                *actions,
                class_name="head",
            ),
            *children,
            class_name="page",
        ),
        class_name="scroll",
    )
