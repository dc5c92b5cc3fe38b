"""The Builder of one agent."""

import reflex as rx

from agenticos_app.i18n import t
from components.builder.budget import budget_section
from components.builder.instructions import instructions_section
from components.builder.model import model_section
from components.builder.shell import builder
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
        "basics": rx.fragment(),
        "instructions": instructions_section(),
        "model": model_section(),
        "toolbox": toolbox_section(),
        "budget": budget_section(),
        "versions": rx.fragment(),
    }
    return frame(
        builder(sections, rx.fragment()),
        active="agents",
        title=rx.cond(BuilderState.agent, BuilderState.agent.name, t("nav.agents")).to(str),
    )
