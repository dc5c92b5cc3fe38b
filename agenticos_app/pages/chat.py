"""The chat."""

import reflex as rx

from agenticos_app.i18n import t
from components.chat.chat import chat
from components.chat.conversations import conversation_list, palette_rows
from components.layout.frame import frame
from components.layout.head import tab
from state.chat import ChatState, ConversationsState
from state.session import SessionState


@rx.page(
    route="/chat",
    title=tab(t("nav.chat")),
    description=t("chat.sentence"),
    on_load=[SessionState.load, ChatState.load, ConversationsState.load],
)
def chat_page() -> rx.Component:
    """Talk to an agent."""
    return frame(
        chat(),
        active="chat",
        title=rx.cond(ChatState.title != "", ChatState.title, t("nav.chat")),
        sidebar_extra=conversation_list(),
        conversations=palette_rows(),
    )
