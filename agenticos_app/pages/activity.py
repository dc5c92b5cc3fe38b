"""The runs of the organization."""

import reflex as rx

from agenticos_app.i18n import t
from components.activity.run_list import refresh_button, run_list
from components.layout.frame import frame, page
from components.layout.head import tab
from state.activity import ActivityState
from state.session import SessionState


@rx.page(
    route="/activity",
    title=tab(t("nav.activity")),
    description=t("activity.sentence"),
    on_load=[SessionState.load, ActivityState.load],
)
def activity_page() -> rx.Component:
    """Show what ran."""
    return frame(
        page(
            run_list(), title=t("nav.activity"), sentence=t("activity.sentence"), actions=(refresh_button(),)
        ),
        active="activity",
        title=t("nav.activity"),
    )
