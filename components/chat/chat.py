"""The chat's middle: title, turns or an empty page that invites, composer."""

import reflex as rx

from agenticos_app.i18n import t
from components.chat.composer import composer
from components.chat.conversations import dialogs
from components.chat.turns import turns
from components.layout.unloaded import unloaded
from components.live.signals import signals
from components.ui.base import in_address, link
from components.ui.data_list import empty
from components.ui.icon import icon
from state.chat import ChatState, ConversationsState

EXAMPLES = (("calculator", "calculate"), ("file-text", "read"), ("clock", "time"))


def _example(image: str, name: str) -> rx.Component:
    return link(
        icon(image),
        rx.el.span(t(f"example.{name}"), class_name="b"),
        rx.el.span(t(f"example.{name}_shows"), class_name="meta"),
        href="/chat?ask=" + in_address(t(f"example.{name}")),
        class_name="card pad example",
    )


def _invitation() -> rx.Component:
    return rx.el.div(
        rx.el.h1(t("chat.invitation", agent=ChatState.agent_name), class_name="title"),
        rx.el.p(t("chat.sentence"), class_name="sec"),
        rx.el.div(*[_example(*example) for example in EXAMPLES], class_name="examples"),
        class_name="invite",
    )


def _missing() -> rx.Component:
    return empty(
        link(t("chat.new"), href="/chat", class_name="btn pri"),
        icon="message-square-off",
        title=t("chat.missing"),
        sentence=t("chat.missing_sentence"),
    )


def _failed() -> rx.Component:
    return unloaded(ChatState, title=t("chat.failed"), sentence=t("chat.failed_sentence"))


def chat() -> rx.Component:
    """Draw the open conversation."""
    return rx.fragment(
        rx.el.div(
            rx.el.span(rx.cond(ChatState.title != "", ChatState.title, t("chat.new")), class_name="b cut"),
            rx.el.span(ChatState.agent_name, class_name="sec cut"),
            class_name="bar",
        ),
        rx.cond(
            ChatState.failure != "",
            _failed(),
            rx.cond(
                ChatState.missing,
                _missing(),
                rx.cond(ChatState.conversation_id != "", turns(), _invitation()),
            ),
        ),
        rx.el.div(rx.el.div(composer()), class_name="dock"),
        signals([ChatState.hear, ConversationsState.hear]),
        dialogs(),
    )
