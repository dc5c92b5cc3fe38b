"""The models of the organization."""

import reflex as rx

from agenticos_app.i18n import t
from components.layout.frame import frame, page
from components.layout.head import tab
from components.models.model_list import add_button, model_list
from state.models import ModelsState
from state.session import SessionState


@rx.page(
    route="/models",
    title=tab(t("nav.models")),
    description=t("models.sentence"),
    on_load=[SessionState.load, ModelsState.load],
)
def models_page() -> rx.Component:
    """Show the models that agents use."""
    return frame(
        page(model_list(), title=t("nav.models"), sentence=t("models.sentence"), actions=(add_button(),)),
        active="models",
        title=t("nav.models"),
    )
