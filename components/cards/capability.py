"""A card about a capability that the agent lacks, with what the person can do about it."""

import reflex as rx

from agenticos_app.contracts.cards import CapabilityCard
from agenticos_app.contracts.events import Part
from agenticos_app.i18n import t
from components.live.answer import run_of_answer
from components.live.parts import part_body
from components.live.steps import capability_name
from components.ui.base import link
from components.ui.button import button
from components.ui.icon import icon
from state.capability_cards import CapabilityCardsState, Standing


def _offers(standing: rx.Var[Standing], card: rx.Var[CapabilityCard], run_id: rx.Var[str]) -> rx.Component:
    builder = link(t("card.to_builder"), href="/agents/" + standing.agent_id)
    enable = button(
        t("card.enable"),
        look="primary",
        small=True,
        on_click=CapabilityCardsState.enable(run_id, card.capability),
    )
    ask = button(
        t("card.ask_owner"),
        small=True,
        on_click=CapabilityCardsState.ask(run_id, card.capability, card.reason),
    )
    done = rx.match(
        standing.state,
        ("live", rx.el.span(icon("check"), t("card.is_live"), class_name="row")),
        ("asked", rx.el.span(icon("check"), t("card.asked"), class_name="row")),
        ("draft", rx.el.span(t("card.in_draft"), " ", rx.cond(standing.can_edit, builder))),
        rx.cond(standing.can_edit, enable, ask),
    )
    return rx.el.div(done, class_name="tf sec", role="status")


@rx.memo
def capability_card(card: rx.Var[CapabilityCard]) -> rx.Component:
    """Draw the card; a component of its own, so that it looks its standing up when it comes."""
    run_id = run_of_answer()
    standing = CapabilityCardsState.cards[run_id + ":" + card.capability]
    name = capability_name(card.capability)
    return rx.el.section(
        rx.el.div(
            icon("blocks"), rx.el.span(t("card.missing", name=name), class_name="b grow"), class_name="th"
        ),
        rx.el.div(card.reason, class_name="tb sec"),
        rx.cond(standing, _offers(standing, card, run_id)),
        class_name="tc lacking",
        aria_label=t("card.missing", name=name),
        on_mount=CapabilityCardsState.look(run_id, card.capability),
    )


@rx.memo
def console_part(part: rx.Var[Part]) -> rx.Component:
    """Draw a part as the console does: with what a person can do from its card."""
    card = part.card.to(CapabilityCard)
    drawn = rx.cond(card.kind == "capability", capability_card(card=card))
    return rx.fragment(part_body(part), rx.cond(part.card, drawn))
