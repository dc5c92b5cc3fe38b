"""The Toolbox section: what may be switched on, and the column of what is looked at."""

import reflex as rx

from agenticos_app.i18n import language, t
from agenticos_app.schemas.toolbox import CapabilityCard, CapabilityGroup, RequestLine
from components.toolbox.drawer import drawer
from components.toolbox.icons import named_icon
from components.ui.base import BrowserWidget, Told
from components.ui.button import button
from components.ui.data_list import failed, filtered_empty, skeleton_rows
from components.ui.field import switch
from components.ui.icon import icon
from components.ui.marks import badge, dot
from components.ui.surfaces import note
from components.vault.add_secret import add_secret
from state.toolbox import ToolboxState

Card = rx.Var[CapabilityCard]


class _Sought(BrowserWidget):
    library = "$/public/toolbox.jsx"
    tag = "Sought"
    on_sought: rx.EventHandler[rx.event.passthrough_event_spec(str)]


def toolbox_section() -> rx.Component:
    """Draw the section."""
    return rx.fragment(
        Told.create(value=language(), on_told=ToolboxState.show),
        rx.el.div(
            rx.el.section(_list(), class_name="scroll tb-list", aria_label=t("toolbox.title")),
            drawer(),
            class_name="toolbox",
        ),
        add_secret(on_made=ToolboxState.key_added),
        _Sought.create(on_sought=ToolboxState.point),
    )


def _list() -> rx.Component:
    return rx.fragment(
        rx.el.h2(t("toolbox.title"), class_name="h"),
        rx.el.p(t("toolbox.sentence"), class_name="sec"),
        rx.cond(
            ToolboxState.failure != "",
            failed(
                title=t("toolbox.failed"),
                sentence=t("toolbox.failed_sentence"),
                retry=t("toolbox.retry"),
                on_retry=ToolboxState.show(language()),
                report=ToolboxState.failure,
                copy=t("notice.copy_report"),
                copied=t("notice.copied"),
            ),
            rx.cond(ToolboxState.loaded, _loaded(), skeleton_rows(t("toolbox.loading"))),
        ),
    )


def _loaded() -> rx.Component:
    return rx.el.div(
        rx.foreach(ToolboxState.asked, _asked),
        rx.foreach(ToolboxState.unknown, _unknown),
        _bar(),
        rx.foreach(ToolboxState.groups, _group),
        rx.cond(
            ToolboxState.finds_nothing,
            filtered_empty(
                title=t("toolbox.nothing"),
                sentence=t("toolbox.nothing_sentence"),
                clear=t("toolbox.clear"),
                on_clear=ToolboxState.clear_filters,
            ),
        ),
        rx.cond(ToolboxState.tuning.length() > 0, _tuning()),
        class_name="col tb-cards",
    )


def _asked(line: rx.Var[RequestLine]) -> rx.Component:
    asks = t("toolbox.asks", person=line.person, name=line.name)
    return note(
        rx.el.b(rx.cond(line.person != "", asks, t("toolbox.somebody_asks", name=line.name))),
        rx.cond(line.reason != "", rx.el.span(" ", line.reason)),
        icon="message-circle-question",
        action=rx.el.span(
            button(t("toolbox.enable"), small=True, on_click=ToolboxState.switch(line.capability_id, True)),
            button(t("toolbox.dismiss"), look="quiet", small=True, on_click=ToolboxState.dismiss(line.id)),
            class_name="row",
        ),
    )


def _unknown(capability: rx.Var[str]) -> rx.Component:
    return note(
        t("toolbox.unknown", name=capability),
        tone="red",
        icon="triangle-alert",
        action=button(t("toolbox.remove"), small=True, on_click=ToolboxState.remove(capability)),
        custom_attrs={"data-at": f"capabilities.{capability}"},
    )


def _bar() -> rx.Component:
    only_on = ToolboxState.only_on
    return rx.el.div(
        rx.el.div(
            icon("search"),
            rx.debounce_input(
                rx.el.input(
                    value=ToolboxState.search,
                    on_change=ToolboxState.set_search,
                    placeholder=t("toolbox.search", n=ToolboxState.total),
                    aria_label=t("toolbox.search_label"),
                    type="search",
                    class_name="in",
                ),
                debounce_timeout=200,
            ),
            class_name="search grow",
        ),
        rx.el.div(
            rx.el.button(
                t("toolbox.all"),
                type="button",
                aria_pressed=~only_on,
                on_click=ToolboxState.show_only(False),
                class_name=rx.cond(only_on, "", "on").to(str),
            ),
            rx.el.button(
                t("toolbox.on"),
                rx.el.span(ToolboxState.count_on, class_name="num"),
                type="button",
                aria_pressed=only_on,
                on_click=ToolboxState.show_only(True),
                class_name=rx.cond(only_on, "on", "").to(str),
            ),
            role="group",
            aria_label=t("toolbox.shown"),
            class_name="seg",
        ),
        class_name="row tb-bar",
    )


def _group(group: rx.Var[CapabilityGroup]) -> rx.Component:
    return rx.fragment(rx.el.h3(group.name, class_name="eyebrow"), rx.foreach(group.cards, _card))


def _card(card: Card) -> rx.Component:
    is_open = ToolboxState.opened.id == card.id
    return rx.el.article(
        rx.el.span(named_icon(card.icon), class_name="tile"),
        rx.el.div(
            rx.el.div(
                rx.el.button(
                    card.name,
                    type="button",
                    aria_expanded=is_open,
                    on_click=ToolboxState.open_capability(card.id),
                    class_name="b tb-open",
                ),
                rx.cond(card.recommended, badge(t("toolbox.recommended"), tone="accent")),
                rx.cond(card.problems > 0, dot("red", t("toolbox.problems", n=card.problems))),
                class_name="row tb-name",
            ),
            rx.el.p(card.does, class_name="sec"),
        ),
        switch(
            label=card.name,
            checked=card.is_on,
            on_change=lambda is_on: ToolboxState.switch(card.id, is_on),
        ),
        rx.cond(card.is_on | (card.lacking != ""), _lines(card)),
        custom_attrs={"data-at": f"capabilities.{card.id}"},
        class_name=rx.cond(is_open, "tb-card on", rx.cond(card.is_on, "tb-card", "tb-card off")).to(str),
    )


def _lines(card: Card) -> rx.Component:
    return rx.el.dl(
        rx.el.dt(t("toolbox.can")),
        rx.el.dd(card.can),
        rx.el.dt(t("toolbox.needs")),
        rx.cond(card.lacking != "", rx.el.dd(card.lacking, class_name="tb-lacking"), rx.el.dd(card.needs)),
        rx.el.dt(t("toolbox.never")),
        rx.el.dd(card.never),
        class_name="tb-can",
    )


def _tuning() -> rx.Component:
    on = ToolboxState.tuning_on
    said = rx.cond(on > 0, t("toolbox.tuning_on", n=ToolboxState.tuning.length(), on=on), "")
    all_off = t("toolbox.tuning_off", n=ToolboxState.tuning.length())
    return rx.el.div(
        rx.el.button(
            icon("chevron-right", "tw"),
            rx.el.span(t("toolbox.advanced"), class_name="b grow"),
            rx.el.span(rx.cond(on > 0, said, all_off), class_name="meta"),
            type="button",
            aria_expanded=ToolboxState.unfolded,
            on_click=ToolboxState.fold,
            class_name="row tb-fold",
        ),
        rx.cond(ToolboxState.unfolded, rx.fragment(rx.foreach(ToolboxState.tuning, _card))),
        class_name="col tb-tuning",
    )
