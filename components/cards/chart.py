"""A chart: drawn in the browser, with its numbers as a table and as an image."""

import reflex as rx

from agenticos_app.contracts.cards import ChartCard
from agenticos_app.i18n import language, t

MODULE = "$/public/cards.jsx"


class _Chart(rx.Component):
    """Behaves as `assets/cards.jsx` says; what draws comes in a script of its own, with the first chart."""

    library = MODULE
    tag = "Chart"
    lib_dependencies: list[str] = ["recharts@3.10.1"]
    card: rx.Var[ChartCard]
    call_id: rx.Var[str]
    run_id: rx.Var[str]
    language: rx.Var[str]
    words: rx.Var[dict[str, str]]


def chart_card(card: rx.Var[ChartCard], call_id: rx.Var[str], run_id: rx.Var[str] | str = "") -> rx.Component:
    """Draw a chart. Within an answer the run is known; elsewhere `run_id` names it."""
    return _Chart.create(
        card=card,
        call_id=call_id,
        run_id=run_id,
        language=language(),
        words={
            "asTable": t("card.as_table"),
            "asChart": t("card.as_chart"),
            "download": t("card.download"),
            "points": t("card.points"),
            "line": t("card.kind.line"),
            "bar": t("card.kind.bar"),
            "area": t("card.kind.area"),
            "pie": t("card.kind.pie"),
            "scatter": t("card.kind.scatter"),
        },
    )
