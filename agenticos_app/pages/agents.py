"""The catalogue of agents."""

import reflex as rx

from agenticos_app.i18n import t
from components.agents.agent_list import agent_list, import_button, new_button
from components.layout.frame import frame, page
from components.layout.head import tab
from state.agents import AgentsState
from state.session import SessionState


@rx.page(
    route="/agents",
    title=tab(t("nav.agents")),
    description=t("agents.sentence"),
    on_load=[SessionState.load, AgentsState.load],
)
def agents_page() -> rx.Component:
    """Show the agents that the person may see."""
    return frame(
        page(
            agent_list(),
            title=t("nav.agents"),
            sentence=t("agents.sentence"),
            actions=(import_button(), new_button()),
        ),
        active="agents",
        title=t("nav.agents"),
    )
