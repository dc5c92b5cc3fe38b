"""API keys: the list, the form, the panel that shows a new one once."""

import reflex as rx

from agenticos_app.i18n import day, field_error_text, t
from components.layout.moment import moment
from components.layout.unloaded import unloaded
from components.ui.button import button, copy_button
from components.ui.data_list import data_list, empty, filtered_empty, skeleton_rows
from components.ui.field import check, field, problem_line, saving_form, select, text_input
from components.ui.icon import icon
from components.ui.marks import badge, chip, status
from components.ui.overlay import confirm_dialog, dialog
from components.ui.surfaces import note, section
from state.api_keys import ApiKeysState, KeyLine


def _words() -> dict[str, tuple[rx.Var[str], rx.Var[str]]]:
    """Return each group's name and what it lets a program do."""
    return {
        "ask": (t("api_keys.group.ask"), t("api_keys.group.ask_sentence")),
        "runs": (t("api_keys.group.runs"), t("api_keys.group.runs_sentence")),
        "models": (t("api_keys.group.models"), t("api_keys.group.models_sentence")),
        "members": (t("api_keys.group.members"), t("api_keys.group.members_sentence")),
        "settings": (t("api_keys.group.settings"), t("api_keys.group.settings_sentence")),
    }


def _group_word(name: rx.Var[str]) -> rx.Var[str]:
    return rx.match(name, *[(key, words[0]) for key, words in _words().items()], name).to(str)


def _group(name: rx.Var[str]) -> rx.Component:
    return badge(_group_word(name))


def _status(row: rx.Var[KeyLine]) -> rx.Component:
    return rx.fragment(
        rx.match(
            row.status,
            ("active", status(t("api_keys.status.active"), tone="green")),
            ("expired", status(t("api_keys.status.expired"), tone="hollow")),
            ("revoked", status(t("api_keys.status.revoked"), tone="hollow")),
            status(t("api_keys.status.dormant"), tone="amber"),
        )
    )


def _end(row: rx.Var[KeyLine]) -> rx.Component:
    ended = (row.status == "revoked") | (row.status == "expired")
    return rx.cond(
        ended,
        rx.fragment(),
        button(
            t("api_keys.revoke"),
            small=True,
            aria_label=t("api_keys.revoke_named", name=row.name),
            on_click=ApiKeysState.ask_revoke(row.id.to(str)),
        ),
    )


def _row(row: rx.Var[KeyLine]) -> rx.Component:
    used = rx.cond(
        row.last_used_at.is_not_none(),
        rx.fragment(t("api_keys.used"), " ", moment(row.last_used_at), " · ", row.last_used_ip),
        t("api_keys.unused"),
    )
    expires = rx.cond(
        row.expires_at.is_not_none(),
        t("api_keys.expires_on", day=day(row.expires_at)),
        t("api_keys.expires_never"),
    )
    return rx.el.li(
        rx.el.span(icon("key-round"), class_name="tile"),
        rx.el.div(
            rx.el.span(
                rx.el.span(row.name, class_name="cut"),
                _status(row),
                rx.cond(row.is_narrowed, badge(t("api_keys.narrowed"), tone="amber")),
                class_name="row key-name",
            ),
            rx.el.span(
                rx.foreach(row.groups, _group),
                rx.cond(row.others > 0, badge(t("api_keys.others", n=row.others))),
                class_name="row key-groups",
            ),
            rx.el.span(
                rx.el.code(row.shown), " · ", row.owner, " · ", expires, " · ", used, class_name="meta"
            ),
            class_name="grow col",
        ),
        _end(row),
        class_name="device key",
    )


def _create_button() -> rx.Component:
    return button(
        t("api_keys.create"),
        icon="plus",
        look="primary",
        small=True,
        on_click=ApiKeysState.set_creating(True),
    )


def _list() -> rx.Component:
    return data_list(
        rx.fragment(
            rx.el.ul(rx.foreach(ApiKeysState.rows, _row)),
            rx.cond(
                ApiKeysState.next_cursor,
                rx.el.div(
                    button(t("api_keys.more"), small=True, on_click=ApiKeysState.more),
                    class_name="foot-row row",
                ),
            ),
        ),
        count=ApiKeysState.rows.length(),
        loaded=ApiKeysState.loaded,
        failure=ApiKeysState.failure,
        filtered=ApiKeysState.usable,
        loading=skeleton_rows(t("api_keys.loading")),
        when_empty=empty(
            rx.cond(ApiKeysState.groups.length() > 0, _create_button()),
            icon="key-round",
            title=t("api_keys.empty"),
            sentence=rx.cond(
                ApiKeysState.groups.length() > 0, t("api_keys.empty_sentence"), t("api_keys.ask_admin")
            ).to(str),
        ),
        when_filtered=filtered_empty(
            title=t("api_keys.none_usable"),
            sentence=t("api_keys.none_usable_sentence"),
            clear=t("api_keys.show_all"),
            on_clear=ApiKeysState.toggle_usable,
        ),
        when_failed=unloaded(
            ApiKeysState, title=t("api_keys.failed"), sentence=t("settings.failed_sentence")
        ),
    )


def _offered(name: str, words: tuple[rx.Var[str], rx.Var[str]]) -> rx.Component:
    return rx.cond(
        ApiKeysState.groups.contains(name),
        check(
            rx.el.span(rx.el.span(words[0]), rx.el.span(words[1], class_name="help"), class_name="col"),
            name=f"group-{name}",
            default_checked=name == "ask",
        ),
    )


def _problem(name: str) -> rx.Var[str]:
    code = ApiKeysState.problems[name].to(str)
    said = rx.match(code, ("too_many_keys", t("api_keys.problem.too_many_keys")), field_error_text(code)).to(
        str
    )
    return rx.cond(ApiKeysState.problems.contains(name), said, "").to(str)


def _form() -> rx.Component:
    return dialog(
        saving_form(
            field(
                text_input(
                    "key_name",
                    problem=_problem("name"),
                    auto_complete="off",
                    auto_focus=True,
                    max_length=100,
                    placeholder=t("api_keys.name_example"),
                ),
                label=t("api_keys.name"),
                name="key_name",
                problem=_problem("name"),
            ),
            rx.el.fieldset(
                rx.el.legend(t("api_keys.permissions"), class_name="lab"),
                *[_offered(name, words) for name, words in _words().items()],
                rx.cond(
                    ApiKeysState.problems.contains("permissions"),
                    problem_line(t("api_keys.problem.none_chosen")),
                ),
                rx.el.span(t("api_keys.permissions_help"), class_name="help"),
                class_name="f key-choices",
            ),
            field(
                select(
                    {
                        "30": t("api_keys.in_days", n=30),
                        "90": t("api_keys.in_days", n=90),
                        "365": t("api_keys.in_days", n=365),
                        "never": t("api_keys.never"),
                    },
                    name="expires",
                    default_value="90",
                ),
                label=t("api_keys.expires"),
                name="expires",
            ),
            rx.el.div(button(t("api_keys.create"), type="submit", look="primary"), class_name="acts"),
            on_submit=ApiKeysState.create,
            class_name="col form-gap",
        ),
        title=t("api_keys.create_title"),
        sentence=t("api_keys.create_sentence"),
        close=t("frame.close"),
        open=ApiKeysState.creating,
        on_open_change=ApiKeysState.set_creating,
    )


def _copied(text: rx.Var[str], label: rx.Var[str], copy: rx.Var[str]) -> rx.Component:
    return rx.el.div(
        rx.el.div(
            rx.el.span(label, class_name="lab grow"),
            copy_button(text, label=copy, done=t("notice.copied")),
            class_name="row",
        ),
        rx.el.code(text, class_name="secret-text", tab_index=0),
        class_name="col",
    )


def _shown_once() -> rx.Component:
    return dialog(
        note(t("api_keys.once"), tone="amber", icon="triangle-alert"),
        _copied(ApiKeysState.fresh, t("api_keys.token"), t("api_keys.copy")),
        _copied(ApiKeysState.example, t("api_keys.try"), t("api_keys.copy_command")),
        rx.el.div(
            button(t("api_keys.done"), look="primary", on_click=ApiKeysState.set_shown(False)),
            class_name="acts",
        ),
        title=t("api_keys.made"),
        sentence=t("api_keys.made_sentence"),
        close=t("frame.close"),
        open=ApiKeysState.fresh != "",
        on_open_change=ApiKeysState.set_shown,
    )


def _question() -> rx.Component:
    key = ApiKeysState.revoking
    return confirm_dialog(
        title=t("api_keys.revoke_title", name=key.name),
        lost=t("api_keys.revoke_lost", shown=key.shown, owner=key.owner),
        keep=t("api_keys.keep"),
        go_on=t("api_keys.revoke_go_on"),
        close=t("frame.close"),
        on_confirm=ApiKeysState.revoke(key.id.to(str)),
        open=key.is_not_none(),
        on_open_change=ApiKeysState.set_revoking,
    )


def api_keys_section() -> rx.Component:
    """Draw the keys with their dialogs."""
    return rx.el.div(
        section(
            rx.el.div(
                chip(t("api_keys.usable"), on=ApiKeysState.usable, on_click=ApiKeysState.toggle_usable),
                class_name="row key-filter",
            ),
            _list(),
            title=t("api_keys.title"),
            sentence=t("api_keys.list_sentence"),
            aside=rx.cond(
                (ApiKeysState.groups.length() > 0) & (ApiKeysState.rows.length() > 0), _create_button()
            ),
        ),
        _form(),
        _shown_once(),
        _question(),
        class_name="sections",
    )


def docs_link() -> rx.Component:
    """Lead to the page for programmers, which is no page of the console."""
    return rx.el.a(
        icon("book-open"),
        t("api_keys.docs"),
        href="/api/docs",
        target="_blank",
        rel="noopener",
        class_name="btn",
    )
