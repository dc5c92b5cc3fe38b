"""The one look of prose."""

from collections.abc import Callable

import reflex as rx

from agenticos_app.i18n import t
from components.live.answer import MODULE
from components.ui.base import Flag
from components.ui.button import copy_button


class _Prose(rx.Component):
    """Markdown that may be growing; it draws its blocks with this module's `prose_block`."""

    library = MODULE
    tag = "Prose"
    text: rx.Var[str]
    lazy: rx.Var[bool]


class _OutLink(rx.Component):
    """A link out of an answer."""

    library = MODULE
    tag = "OutLink"
    href: rx.Var[str]


class _ImageLink(rx.Component):
    """A link to an image of an answer."""

    library = MODULE
    tag = "ImageLink"
    src: rx.Var[str]
    alt: rx.Var[str]


def _plain(tag: str) -> Callable[..., rx.Component]:
    return lambda text, **_: getattr(rx.el, tag)(text)


def _link(text: rx.Var, href: rx.Var | str = "", **_: object) -> rx.Component:
    return _OutLink.create(text, href=href)


def _image(src: rx.Var | str = "", alt: rx.Var | str = "", **_: object) -> rx.Component:
    return _ImageLink.create(src=src, alt=alt)


def _fence(text: rx.Var, language: rx.Var | str = "", **_: object) -> rx.Component:
    """Draw a fence of Markdown; Reflex writes the content of an empty one as `undefined`."""
    return code_block(rx.cond(text == "undefined", "", text).to(str), language)


def code_block(text: rx.Var[str], language: rx.Var | str) -> rx.Component:
    """Draw text that is not prose, with the name of its language."""
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
_LOOK["img"] = _image
_LOOK["pre"] = _fence


@rx.memo
def prose_block(text: rx.Var[str]) -> rx.Component:
    """Draw one block of Markdown. Raw HTML stays off: the text comes from a model."""
    return rx.markdown(text, use_raw=False, use_math=False, use_katex=False, component_map=_LOOK)


def prose(text: rx.Var[str], *, lazy: Flag = False) -> rx.Component:
    """Draw Markdown; `lazy` for what may start out of sight."""
    return rx.el.div(_Prose.create(text=text, lazy=lazy), class_name="prose")
