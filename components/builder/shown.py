"""A section of the Builder that loads when it is opened: loading, failed, there."""

import reflex as rx

from agenticos_app.i18n import t
from components.layout.unloaded import unloaded
from components.ui.base import Text, Told
from components.ui.data_list import skeleton_rows
from state.builder import BuilderState


def shown(
    state: type[rx.State],
    *content: rx.Component,
    title: Text,
    loading: Text,
    loaded: rx.Var[bool] | None = None,
) -> rx.Component:
    """Draw what a State shows of the Builder's agent, anew when a version was published.

    The State has `open`, `load` and `failure`, and `agent` unless `loaded` tells whether it is there.
    """
    there = state.agent.is_not_none() if loaded is None else loaded
    known = BuilderState.agent_id + "/" + BuilderState.agent.latest_version.to(str)
    return rx.el.div(
        rx.cond(
            state.failure != "",
            unloaded(state, title=title, sentence=t("basics.failed_sentence")),
            rx.cond(there, rx.fragment(*content), skeleton_rows(loading)),
        ),
        Told.create(value=known, on_told=lambda _: state.open(BuilderState.agent_id)),
        class_name="part",
    )


def sized(rows: rx.Var[list[str]]) -> rx.Var[int]:
    """Return how many there are."""
    return rows.to(list[str]).length()
