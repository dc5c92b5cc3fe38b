"""The one look of prose."""

from collections.abc import Callable

import reflex as rx

from agenticos_app.i18n import t
from components.live.answer import Prose, drawing
from components.ui.base import Flag
from components.ui.button import copy_button


def _plain(tag: str) -> Callable[..., rx.Component]:
    return lambda text, **_: getattr(rx.el, tag)(text)


def _link(text: rx.Var, href: rx.Var | str = "", **_: object) -> rx.Component:
    return rx.el.a(text, href=href, target="_blank", rel="noopener noreferrer nofollow")


def _code_block(text: rx.Var, language: rx.Var | str = "", **_: object) -> rx.Component:
    """Draw a fence with its language; Reflex writes the content of an empty one as `undefined`."""
    text = rx.cond(text == "undefined", "", text).to(str)
    return rx.el.div(
        rx.el.div(
            rx.el.span(language, class_name="grow"),
            copy_button(text, label=t("chat.copy_code"), done=t("notice.copied")),
            class_name="cap",
        ),
        rx.el.pre(rx.el.code(text), tab_index=0),
        class_name="code",
    )


_LOOK: dict[str, Callable[..., rx.Component]] = {
    tag: _plain(tag) for tag in ["h1", "h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "code"]
}
_LOOK["a"] = _link
_LOOK["pre"] = _code_block


@rx.memo
def prose_block(text: rx.Var[str]) -> rx.Component:
    """Draw one block of Markdown. Raw HTML stays off: the text comes from a model."""
    return rx.markdown(text, use_raw=False, use_math=False, use_katex=False, component_map=_LOOK)


def prose(text: rx.Var[str], *, lazy: Flag = False) -> rx.Component:
    """Draw Markdown; `lazy` for what may start out of sight."""
    return rx.el.div(
        Prose.create(text=text, lazy=lazy, draw=drawing("text", prose_block, str)), class_name="prose"
    )
