"""The card of a step, whatever it is."""

import reflex as rx

from agenticos_app.contracts.cards import Card, ChartCard
from components.cards.chart import chart_card


def card_of(card: rx.Var[Card | None], call_id: rx.Var[str], run_id: rx.Var[str] | str = "") -> rx.Component:
    """Draw the card of a step, if it has one. Outside of an answer `run_id` names the run."""
    chart = card.to(ChartCard)
    drawn = rx.match(chart.kind, ("chart", chart_card(chart, call_id, run_id)), rx.fragment())
    return rx.fragment(rx.cond(card, drawn))
