"""Sharing: who may see, ask and change the agent. It is no part of what is published."""

import reflex as rx

from agenticos_app.i18n import t
from components.builder.shown import shown
from components.sharing.panel import Words, sharing_panel
from components.ui.button import button
from components.ui.surfaces import note, section
from state.agent_sharing import AgentSharingState


def agent_sharing() -> rx.Component:
    """Draw the section."""
    agent = AgentSharingState.agent
    mine = rx.cond(
        agent.is_mine,
        t("agent_sharing.only_me"),
        rx.cond(
            agent.owner_name != "",
            t("agent_sharing.only_owner", name=agent.owner_name),
            t("agent_sharing.only_people"),
        ),
    ).to(str)
    words = Words(
        private=mine,
        private_help=t("agent_sharing.only_me_help"),
        everyone=t("agent_sharing.everyone"),
        everyone_help=t("agent_sharing.everyone_help"),
        levels={
            "read": t("agent_sharing.level.read"),
            "use": t("agent_sharing.level.use"),
            "edit": t("agent_sharing.level.edit"),
        },
    )
    return shown(
        AgentSharingState,
        section(
            rx.el.div(
                _claim(),
                sharing_panel(AgentSharingState, words, locked=~agent.can_edit),
                class_name="col form-gap fields",
            ),
            title=t("agent_sharing.title"),
            sentence=t("agent_sharing.sentence"),
        ),
        title=t("agent_sharing.failed"),
        loading=t("agent_sharing.loading"),
    )


def _claim() -> rx.Component:
    return rx.cond(
        AgentSharingState.may_claim,
        note(
            t("agent_sharing.ownerless"),
            icon="user-x",
            tone="amber",
            action=button(t("agent_sharing.claim"), small=True, on_click=AgentSharingState.claim),
        ),
    )
