"""Search and filters; each is in the page's address."""

from collections.abc import Callable

import reflex as rx
from reflex.event import EventSpec

from agenticos_app.i18n import t
from agenticos_app.schemas.agents import LabelCount
from components.ui.icon import icon
from components.ui.marks import chip
from components.ui.overlay import menu, menu_item
from state.agents import AgentsState

Toggle = Callable[[rx.Var[str]], EventSpec]


def filtered() -> rx.Var[bool]:
    """Tell whether anything is filtered."""
    labels = AgentsState.categories.length() + AgentsState.tags.length()
    words = (AgentsState.search != "") | (AgentsState.whose != "") | (AgentsState.status != "")
    return words | (labels > 0)


def _search() -> rx.Component:
    return rx.el.div(
        icon("search"),
        rx.debounce_input(
            rx.el.input(
                value=AgentsState.search,
                on_change=AgentsState.set_search,
                placeholder=t("agents.search"),
                aria_label=t("agents.search"),
                type="search",
                class_name="in sm",
            ),
            debounce_timeout=250,
        ),
        class_name="search",
    )


def _facet(name: rx.Var[str], known: rx.Var, chosen: rx.Var, toggle: Toggle) -> rx.Component:
    """Draw the chosen labels of one kind, each to take away, and a menu of all of them with their counts."""

    def item(one: rx.Var[LabelCount]) -> rx.Component:
        return menu_item(
            rx.el.span(one.label, class_name="grow cut"),
            rx.el.span(one.agents, class_name="num meta"),
            rx.cond(chosen.contains(one.label), icon("check")),
            on_select=toggle(one.label),
        )

    def taken(label: rx.Var[str]) -> rx.Component:
        return chip(label, on=True, removable=True, on_click=toggle(label))

    offered = menu(rx.foreach(known, item), trigger=[name, icon("chevron-down")], trigger_class="chip")
    return rx.fragment(rx.foreach(chosen, taken), rx.cond(known.length() > 0, offered))


def filters() -> rx.Component:
    """Draw search and filters in one line."""
    whose = [("", t("agents.all")), ("mine", t("agents.mine")), ("shared", t("agents.shared"))]
    states = [
        ("published", t("agents.state.published")),
        ("draft", t("agents.state.draft")),
        ("archived", t("agents.state.archived")),
    ]
    return rx.el.div(
        _search(),
        *[
            chip(word, on=AgentsState.whose == value, on_click=AgentsState.set_whose(value))
            for value, word in whose
        ],
        rx.el.span(class_name="gap-line"),
        *[
            chip(word, on=AgentsState.status == value, on_click=AgentsState.set_status(value))
            for value, word in states
        ],
        rx.cond(
            AgentsState.known_categories.length() + AgentsState.known_tags.length() > 0,
            rx.el.span(class_name="gap-line"),
        ),
        _facet(
            t("agents.categories"),
            AgentsState.known_categories,
            AgentsState.categories,
            lambda label: AgentsState.toggle_category(label),
        ),
        _facet(
            t("agents.tags"),
            AgentsState.known_tags,
            AgentsState.tags,
            lambda label: AgentsState.toggle_tag(label),
        ),
        class_name="filters agent-filters",
        role="group",
        aria_label=t("agents.filters"),
    )
