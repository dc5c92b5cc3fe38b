"""Where a person writes."""

import reflex as rx

from agenticos_app.i18n import t
from agenticos_app.i18n.texts import PACKAGES
from agenticos_app.schemas.agents import AgentRow
from components.ui.icon import icon
from components.ui.marks import avatar
from components.ui.overlay import menu, menu_item
from state.chat import ChatState
from state.session import SessionState


def _sent(text: rx.Var[str], files: rx.Var[list[str]]) -> tuple[rx.Var[str], rx.Var[list[str]]]:
    return text, files


class Composer(rx.Component):
    """The composer of `assets/composer.jsx`."""

    library = "$/public/composer.jsx"
    tag = "Composer"
    lib_dependencies: list[str] = list(PACKAGES)
    draft_key: rx.Var[str]
    able: rx.Var[bool]
    busy: rx.Var[bool]
    still: rx.Var[bool]
    """It takes the focus only when somebody goes there."""
    accepted: rx.Var[int]
    refused: rx.Var[int]
    labels: rx.Var[dict]
    icons: rx.Var[dict]
    on_send: rx.EventHandler[_sent]
    on_stop: rx.EventHandler[rx.event.no_args_event_spec]


def _agent_item(agent: rx.Var[AgentRow]) -> rx.Component:
    return menu_item(
        avatar(agent.name),
        rx.el.span(agent.name, class_name="grow cut"),
        rx.cond(agent.id.to(str) == ChatState.agent_id, icon("check")),
        on_select=ChatState.choose_agent(agent.id.to(str)),
    )


def _agent_picker() -> rx.Component:
    """Offer other agents when there are any."""
    name = rx.fragment(avatar(ChatState.agent_name), rx.el.span(ChatState.agent_name, class_name="cut"))
    return rx.cond(
        ChatState.agents.length() > 1,
        menu(
            rx.foreach(ChatState.agents, _agent_item),
            trigger=[name, icon("chevron-down")],
            trigger_class="btn q sm picker",
            side="top",
        ),
        rx.el.span(name, class_name="picker sec row"),
    )


def _draft_key() -> rx.Var[str]:
    """Return whose draft it is, and of which conversation; a new one has none."""
    me = SessionState.me
    return me.user_id.to(str) + "/" + me.organization_id.to(str) + "/" + ChatState.conversation_id


def composer_labels(placeholder: rx.Var[str]) -> dict[str, rx.Var[str]]:
    """Return what a composer says."""
    return {
        "placeholder": placeholder,
        "working": t("chat.placeholder_working"),
        "attach": t("chat.attach"),
        "remove": t("chat.remove_file"),
        "send": t("chat.send"),
        "stop": t("chat.stop"),
    }


def composer_icons() -> dict[str, rx.Component]:
    """Return what a composer shows."""
    return {
        "attach": icon("plus"),
        "send": icon("arrow-up"),
        "file": icon("file-text"),
        "problem": icon("triangle-alert"),
        "remove": icon("x"),
    }


def composer() -> rx.Component:
    """Draw the composer of the open conversation; `?ask=` in the address proposes what to write."""
    return Composer.create(
        _agent_picker(),
        draft_key=rx.cond(ChatState.loaded & SessionState.me.to(bool), _draft_key(), ""),
        able=ChatState.agent_id != "",
        busy=ChatState.running_run_id != "",
        accepted=ChatState.accepted,
        refused=ChatState.refused,
        labels=composer_labels(t("chat.placeholder")),
        icons=composer_icons(),
        on_send=ChatState.send,
        on_stop=ChatState.stop,
    )
