"""The list of models: a table, and cards on phones."""

import reflex as rx

from agenticos_app.contracts.providers import PROVIDERS
from agenticos_app.i18n import compact, day, money, t
from agenticos_app.schemas.models import ModelProfileRow, ModelUse
from components.models.form import form_dialog
from components.models.found import found
from components.ui.button import button
from components.ui.data_list import data_list, empty, failed, filtered_empty, skeleton_rows
from components.ui.icon import icon
from components.ui.marks import badge
from components.ui.overlay import confirm_dialog, dialog, menu, menu_item, menu_line
from components.ui.surfaces import table
from state.models import ModelsState


def _provider_name(provider: rx.Var[str]) -> rx.Var[str]:
    named = [(one.id, one.label) for one in PROVIDERS.values() if one.id != "practice"]
    return rx.match(provider, *named, t("models.practice")).to(str)


def _key(row: rx.Var[ModelProfileRow]) -> rx.Component:
    hint = rx.cond(
        row.key_name != "",
        rx.el.span("····", row.key_hint, class_name="mono", title=row.key_name),
        t("models.hidden_key"),
    )
    none = rx.cond(
        row.is_usable, t("models.needs_none"), badge(icon("triangle-alert"), t("models.no_key"), tone="amber")
    )
    return rx.cond(row.has_key, hint, none)


def _price(row: rx.Var[ModelProfileRow]) -> rx.Var[str]:
    pair = t("models.price_pair", input=money(row.input_usd), output=money(row.output_usd))
    known = rx.cond(row.input_usd, pair, t("models.unpriced"))
    return rx.cond(row.is_free, t("models.free_badge"), known).to(str)


def _uses(row: rx.Var[ModelProfileRow]) -> rx.Component:
    others = row.used_by.length() - 1
    return rx.cond(
        row.used_by.length() == 0,
        t("models.unused"),
        rx.el.span(
            rx.el.span(row.used_by[0].name, class_name="cut"),
            rx.cond(others > 0, rx.el.span(t("models.plus", number=others))),
            class_name="uses",
        ),
    )


def _menu(row: rx.Var[ModelProfileRow]) -> rx.Component:
    def ask(doing: str) -> rx.event.EventType:
        return ModelsState.ask(row.id.to(str), doing)

    default = rx.cond(
        row.is_default,
        rx.fragment(),
        menu_item(t("models.make_default"), icon="check", on_select=ModelsState.make_default(row.id.to(str))),
    )
    return rx.cond(
        ModelsState.may_manage,
        menu(
            menu_item(t("models.edit"), icon="pencil", on_select=ask("edit")),
            menu_item(t("models.try"), icon="activity", on_select=ask("test")),
            default,
            menu_line(),
            menu_item(t("models.delete"), icon="trash-2", danger=True, on_select=ask("delete")),
            trigger=[icon("ellipsis")],
            trigger_class="btn q ic sm",
            label=t("models.menu", name=row.name),
            align="end",
        ),
    )


def _on_phone(head: rx.Var[str]) -> rx.Component:
    return rx.el.span(head, ": ", class_name="on-phone", aria_hidden="true")


def _row(row: rx.Var[ModelProfileRow]) -> rx.Component:
    steps = rx.foreach(row.fallbacks, lambda one: rx.el.span(one.name, class_name="cut"))
    context = rx.cond(row.context_length, compact(row.context_length), t("models.unknown"))
    return rx.el.tr(
        rx.el.td(
            rx.el.span(
                rx.el.span(row.name, class_name="cut b"),
                rx.cond(row.is_default, badge(t("models.is_default"), tone="accent")),
                class_name="row",
            ),
            rx.el.span(row.model_name, class_name="meta mono cut"),
            class_name="c-model",
            role="cell",
        ),
        rx.el.td(_provider_name(row.provider), class_name="c-provider", role="cell"),
        rx.el.td(_on_phone(t("models.column.key")), _key(row), role="cell"),
        rx.el.td(_on_phone(t("models.column.context")), context, class_name="n", role="cell"),
        rx.el.td(_on_phone(t("models.column.price")), _price(row), class_name="n", role="cell"),
        rx.el.td(
            _on_phone(t("models.column.fallbacks")),
            rx.cond(
                row.fallbacks.length() == 0, t("models.nothing_else"), rx.el.span(steps, class_name="col")
            ),
            role="cell",
        ),
        rx.el.td(_on_phone(t("models.column.uses")), _uses(row), role="cell"),
        rx.el.td(_menu(row), class_name="c-menu", role="cell"),
        role="row",
    )


def _table() -> rx.Component:
    return table(
        rx.foreach(ModelsState.rows, _row),
        head=[
            (t("models.column.name"), False),
            (t("models.column.provider"), False),
            (t("models.column.key"), False),
            (t("models.column.context"), True),
            (t("models.column.price"), True),
            (t("models.column.fallbacks"), False),
            (t("models.column.uses"), False),
            (rx.el.span(t("models.column.menu"), class_name="hide"), False),
        ],
        label=t("nav.models"),
    )


def add_button() -> rx.Component:
    """Draw the button that opens the dialog for a new model."""
    return rx.cond(
        ModelsState.may_manage, button(t("models.add"), icon="plus", look="primary", on_click=ModelsState.add)
    )


def _use(use: rx.Var[ModelUse]) -> rx.Component:
    agent = t("models.delete_agent", name=use.name)
    return rx.el.span(
        rx.cond(use.type == "agent", agent, t("models.delete_fallback", name=use.name)),
        class_name="broken-use",
    )


def _dialogs() -> rx.Component:
    uses = ModelsState.model.used_by
    breaks = rx.fragment(
        t("models.delete_breaks", n=uses.length()),
        rx.el.span(rx.foreach(uses, _use), class_name="col breaks"),
    )
    return rx.fragment(
        form_dialog(),
        dialog(
            found(ModelsState.result),
            rx.el.div(
                button(t("models.close"), on_click=ModelsState.close(False)),
                button(t("models.test"), look="primary", busy=ModelsState.testing, on_click=ModelsState.test),
                class_name="acts",
            ),
            title=t("models.test_title", name=ModelsState.model.name),
            sentence=t("models.test_sentence"),
            close=t("models.close"),
            open=ModelsState.doing == "test",
            on_open_change=ModelsState.close,
        ),
        confirm_dialog(
            title=t("models.delete_title", name=ModelsState.model.name),
            lost=rx.fragment(
                rx.cond(uses.length() > 0, breaks, t("models.delete_unused")), " ", t("models.delete_lost")
            ),
            keep=t("models.cancel"),
            go_on=t("models.delete_go_on"),
            close=t("models.close"),
            on_confirm=ModelsState.delete,
            open=ModelsState.doing == "delete",
            on_open_change=ModelsState.close,
        ),
    )


def _bar() -> rx.Component:
    said = rx.match(
        ModelsState.saved,
        ("added", t("models.said.added")),
        ("changed", t("models.said.changed")),
        ("default", t("models.said.default")),
        ("deleted", t("models.said.deleted")),
        "",
    ).to(str)
    return rx.el.div(
        rx.el.div(
            icon("search"),
            rx.debounce_input(
                rx.el.input(
                    value=ModelsState.search,
                    on_change=ModelsState.set_search,
                    placeholder=t("models.search"),
                    aria_label=t("models.search"),
                    type="search",
                    class_name="in sm",
                ),
                debounce_timeout=200,
            ),
            class_name="search",
        ),
        rx.el.span(
            rx.cond(ModelsState.saved != "", rx.fragment(icon("check"), said)),
            class_name="st good grow",
            role="status",
        ),
        class_name="row vault-bar",
    )


def model_list() -> rx.Component:
    """Draw search, list and dialogs."""
    nothing_yet = rx.cond(ModelsState.may_manage, t("models.empty_sentence"), t("models.empty_reserved")).to(
        str
    )
    listed = data_list(
        _table(),
        count=ModelsState.rows.length(),
        loaded=ModelsState.loaded,
        failure=ModelsState.failure,
        filtered=ModelsState.search != "",
        loading=skeleton_rows(t("models.loading")),
        when_empty=empty(add_button(), icon="brain", title=t("models.empty"), sentence=nothing_yet),
        when_filtered=filtered_empty(
            title=t("models.nothing"),
            sentence=t("models.nothing_sentence"),
            clear=t("models.clear"),
            on_clear=ModelsState.clear_search,
        ),
        when_failed=failed(
            title=t("models.failed"),
            sentence=t("models.failed_sentence"),
            retry=t("models.retry"),
            on_retry=ModelsState.load,
            report=ModelsState.failure,
            copy=t("notice.copy_report"),
            copied=t("notice.copied"),
        ),
    )
    return rx.fragment(
        _bar(),
        rx.el.div(listed, class_name="card vault models"),
        rx.cond(
            ModelsState.rows.length() > 0,
            rx.el.p(t("models.prices_from", day=day(ModelsState.prices_from)), class_name="meta foot-row"),
        ),
        _dialogs(),
    )
