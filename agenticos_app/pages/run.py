"""One run."""

import reflex as rx

from agenticos_app.i18n import t
from components.activity.run_page import run_body
from components.layout.frame import frame
from components.layout.head import tab
from state.run import RunState
from state.session import SessionState


@rx.page(
    route="/activity/[shown_run]",
    title=tab(t("run.title")),
    description=t("run.sentence"),
    on_load=[SessionState.load, RunState.load],
)
def run_page() -> rx.Component:
    """Show one run with its timeline."""
    return frame(run_body(), active="activity", title=t("run.title"))
