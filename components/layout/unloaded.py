"""What stands in the place of what did not load."""

import reflex as rx

from agenticos_app.i18n import t
from components.ui.base import Text
from components.ui.data_list import failed


def unloaded(state: type[rx.State], *, title: Text, sentence: Text) -> rx.Component:
    """Say what did not load and offer another try; the state has `load`, and in `failure` a report id."""
    return failed(
        title=title,
        sentence=sentence,
        retry=t("notice.retry"),
        on_retry=state.load,
        report=state.failure,
        copy=t("notice.copy_report"),
        copied=t("notice.copied"),
    )
