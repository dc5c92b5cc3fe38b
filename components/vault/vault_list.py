"""The list of secrets: a table, and cards on phones."""

import reflex as rx

from agenticos_app.i18n import t
from agenticos_app.schemas.secrets import SecretRow
from components.layout.moment import moment
from components.ui.button import button
from components.ui.data_list import data_list, empty, failed, filtered_empty, skeleton_rows
from components.ui.icon import icon
from components.ui.marks import badge
from components.ui.overlay import menu, menu_item, menu_line
from components.ui.surfaces import table
from components.vault.add_secret import add_secret
from components.vault.dialogs import dialogs
from components.vault.sharing import share_dialog
from components.vault.words import kind_word, service_name
from state.add_secret import AddSecretState
from state.vault import VaultState


def _visible_to(row: rx.Var[SecretRow]) -> rx.Component:
    mine = rx.cond(row.is_mine, t("vault.only_me"), t("vault.private"))
    return rx.cond(row.visibility == "private", badge(icon("lock"), mine), badge(t("vault.everyone")))


def _used_by(row: rx.Var[SecretRow]) -> rx.Component:
    first, others = row.used_by[0].name, row.used_by.length() - 1
    return rx.cond(
        row.used_by.length() == 0,
        rx.el.span(t("vault.unused")),
        rx.el.span(
            rx.el.span(first, class_name="cut"),
            rx.cond(others > 0, rx.el.span(t("vault.plus", number=others))),
            class_name="uses",
        ),
    )


def _menu(row: rx.Var[SecretRow]) -> rx.Component:
    def ask(doing: str) -> rx.event.EventType:
        return VaultState.ask(row.id.to(str), doing)

    return rx.cond(
        row.may_edit,
        menu(
            menu_item(t("vault.rotate"), icon="rotate-cw", on_select=ask("rotate")),
            menu_item(t("vault.edit"), icon="pencil", on_select=ask("edit")),
            menu_item(t("vault.share"), icon="users", on_select=ask("share")),
            menu_line(),
            menu_item(t("vault.delete"), icon="trash-2", danger=True, on_select=ask("delete")),
            trigger=[icon("ellipsis")],
            trigger_class="btn q ic sm",
            label=t("vault.menu", name=row.name),
            align="end",
        ),
    )


def _on_phone(head: rx.Var[str]) -> rx.Component:
    """Name a figure where the table has no head."""
    return rx.el.span(head, ": ", class_name="on-phone", aria_hidden="true")


def _row(row: rx.Var[SecretRow]) -> rx.Component:
    return rx.el.tr(
        rx.el.td(
            rx.el.span(service_name(row.purpose), class_name="cut"), class_name="c-service", role="cell"
        ),
        rx.el.td(
            rx.el.span(
                rx.el.span(row.name, class_name="cut b"),
                rx.cond(row.hint != "", rx.el.span("····", row.hint, class_name="mono meta")),
                class_name="row secret-name",
            ),
            rx.el.span(
                kind_word(row.kind.to(str)),
                rx.cond(row.description != "", rx.fragment(" · ", row.description)),
                class_name="meta cut",
            ),
            class_name="c-secret",
            role="cell",
        ),
        rx.el.td(_visible_to(row), class_name="c-visible", role="cell"),
        rx.el.td(_on_phone(t("vault.column.uses")), _used_by(row), class_name="c-uses", role="cell"),
        rx.el.td(rx.el.span(row.added_by, class_name="cut"), class_name="c-added", role="cell"),
        rx.el.td(
            _on_phone(t("vault.column.last")),
            rx.cond(row.last_used_at, moment(row.last_used_at), t("vault.never")),
            class_name="c-last",
            role="cell",
        ),
        rx.el.td(_menu(row), class_name="c-menu", role="cell"),
        role="row",
    )


def _table() -> rx.Component:
    return table(
        rx.foreach(VaultState.rows, _row),
        head=[
            (t("vault.column.service"), False),
            (t("vault.column.secret"), False),
            (t("vault.column.visible"), False),
            (t("vault.column.uses"), False),
            (t("vault.column.added"), False),
            (t("vault.column.last"), False),
            (rx.el.span(t("vault.column.menu"), class_name="hide"), False),
        ],
        label=t("nav.vault"),
    )


def add_button() -> rx.Component:
    """Draw the button that opens the dialog for a new secret."""
    return rx.cond(
        VaultState.may_add,
        button(t("vault.add"), icon="plus", look="primary", on_click=AddSecretState.open_for([])),
    )


def _said() -> rx.Component:
    said = rx.match(
        VaultState.saved,
        ("added", t("vault.said.added")),
        ("rotate", t("vault.said.rotate")),
        ("edit", t("vault.said.edit")),
        ("delete", t("vault.said.delete")),
        "",
    ).to(str)
    return rx.el.span(
        rx.cond(VaultState.saved != "", rx.fragment(icon("check"), said)),
        class_name="st good grow",
        role="status",
    )


def _search() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            icon("search"),
            rx.debounce_input(
                rx.el.input(
                    value=VaultState.search,
                    on_change=VaultState.set_search,
                    placeholder=t("vault.search"),
                    aria_label=t("vault.search"),
                    type="search",
                    class_name="in sm",
                ),
                debounce_timeout=200,
            ),
            class_name="search",
        ),
        _said(),
        class_name="row vault-bar",
    )


def vault_list() -> rx.Component:
    """Draw search, list and dialogs."""
    nothing_yet = rx.cond(VaultState.may_add, t("vault.empty_sentence"), t("vault.empty_reserved")).to(str)
    listed = data_list(
        _table(),
        count=VaultState.rows.length(),
        loaded=VaultState.loaded,
        failure=VaultState.failure,
        filtered=VaultState.search != "",
        loading=skeleton_rows(t("vault.loading")),
        when_empty=empty(add_button(), icon="key-round", title=t("vault.empty"), sentence=nothing_yet),
        when_filtered=filtered_empty(
            title=t("vault.nothing"),
            sentence=t("vault.nothing_sentence"),
            clear=t("vault.clear"),
            on_clear=VaultState.clear_search,
        ),
        when_failed=failed(
            title=t("vault.failed"),
            sentence=t("vault.failed_sentence"),
            retry=t("vault.retry"),
            on_retry=VaultState.load,
            report=VaultState.failure,
            copy=t("notice.copy_report"),
            copied=t("notice.copied"),
        ),
    )
    return rx.fragment(
        _search(),
        rx.el.div(listed, class_name="card vault"),
        rx.cond(VaultState.is_cut, rx.el.p(t("vault.cut"), class_name="sec foot-row")),
        dialogs(),
        share_dialog(),
        add_secret(on_made=VaultState.added),
    )
