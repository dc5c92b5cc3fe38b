"""The three steps of the set-up."""

from typing import Literal

import reflex as rx

from agenticos_app.i18n import t
from components.layout.bare import logo
from components.ui.icon import icon

Place = Literal["done", "on", "next"]


def steps(*places: rx.Var[str] | Place) -> rx.Component:
    """Draw the steps; each place is `done`, `on` or `next`."""
    names = (t("setup.owner"), t("setup.model"), t("setup.question"))
    return rx.el.ol(
        *[
            _step(str(number), name, rx.Var.create(place).to(str))
            for number, (name, place) in enumerate(zip(names, places, strict=True), 1)
        ],
        class_name="steps",
        aria_label=t("setup.steps"),
    )


def _step(number: str, name: rx.Var[str], place: rx.Var[str]) -> rx.Component:
    return rx.el.li(
        rx.el.span(
            rx.cond(place == "done", icon("check"), rx.Var.create(number)),
            class_name="no",
            aria_hidden="true",
        ),
        name,
        rx.cond(place == "done", rx.el.span(t("setup.step_done"), class_name="vh")),
        class_name=place,
        aria_current=rx.cond(place == "on", "step", "false"),
    )


def setup_page(*sections: rx.Component, places: tuple[rx.Var[str] | Place, ...]) -> rx.Component:
    """Draw the head of the set-up, its steps at the left and their sections."""
    return rx.fragment(
        rx.el.div(
            logo(),
            rx.el.div(
                rx.el.h1(t("setup.title"), class_name="title"),
                rx.el.p(t("setup.sentence"), class_name="sec"),
                class_name="grow",
            ),
            class_name="row top setup-head",
        ),
        rx.el.div(steps(*places), rx.el.div(*sections), class_name="setup"),
    )
