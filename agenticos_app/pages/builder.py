"""The Builder of one agent."""

import reflex as rx

from agenticos_app.i18n import t
from components.builder.agent_end import agent_end
from components.builder.basics import basics
from components.builder.budget import budget_section
from components.builder.environments import environments
from components.builder.instructions import instructions_section
from components.builder.model import model_section
from components.builder.sharing import agent_sharing
from components.builder.shell import builder
from components.builder.test_chat import test_chat
from components.builder.versions import versions
from components.layout.frame import frame
from components.layout.head import tab
from components.toolbox.section import toolbox_section
from state.builder import BuilderState
from state.session import SessionState


@rx.page(
    route="/agents/edit",
    title=tab(t("nav.agents")),
    description=t("builder.sentence"),
    on_load=[SessionState.load, BuilderState.load],
)
def builder_page() -> rx.Component:
    """Build an agent."""
    sections = {
        "basics": rx.el.div(basics(), agent_sharing(), class_name="parts"),
        "instructions": instructions_section(),
        "model": model_section(),
        "toolbox": toolbox_section(),
        "budget": budget_section(),
        "versions": rx.el.div(versions(), environments(), agent_end(), class_name="parts"),
    }
    return frame(
        builder(sections, test_chat()),
        active="agents",
        title=rx.cond(BuilderState.agent, BuilderState.agent.name, t("nav.agents")).to(str),
    )
