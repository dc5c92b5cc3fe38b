"""The list of conversations in the sidebar."""

import reflex as rx

from agenticos_app.i18n import day, field_error_text, t
from agenticos_app.schemas.conversations import ConversationRow
from components.layout.unloaded import unloaded
from components.ui.base import link
from components.ui.button import button
from components.ui.data_list import skeleton_rows
from components.ui.field import field, text_input
from components.ui.icon import icon
from components.ui.marks import dot
from components.ui.overlay import confirm_dialog, dialog, menu, menu_item
from state.chat import ChatState, ConversationsState


def _row(row: rx.Var[ConversationRow], index: rx.Var[int]) -> rx.Component:
    before = ConversationsState.rows[index - 1]
    heading = day(row.last_message_at)
    here = row.id.to(str) == ChatState.conversation_id
    return rx.fragment(
        rx.cond(
            (index == 0) | (heading != day(before.last_message_at)), rx.el.div(heading, class_name="grp")
        ),
        rx.el.div(
            link(
                rx.el.span(row.title, class_name="cut grow"),
                rx.cond(row.running_run_id, dot("accent", t("chat.working"))),
                href="/chat?c=" + row.id.to(str),
                class_name=rx.cond(here, "nav on", "nav"),
                aria_current=rx.cond(here, "page", "false"),
            ),
            menu(
                menu_item(
                    t("chat.rename"),
                    icon="pencil",
                    on_select=ConversationsState.ask_rename(row.id.to(str), row.title),
                ),
                menu_item(
                    t("chat.delete"),
                    icon="trash-2",
                    danger=True,
                    on_select=ConversationsState.ask_delete(row.id.to(str), row.title),
                ),
                trigger=[icon("ellipsis")],
                trigger_class="mo",
                label=t("chat.menu"),
            ),
            class_name="conv",
        ),
    )


def _list() -> rx.Component:
    nothing = rx.cond(
        ConversationsState.search != "",
        rx.el.p(t("chat.nothing_found"), class_name="meta hint"),
        rx.el.p(t("chat.none_yet"), class_name="meta hint"),
    )
    rows = rx.fragment(
        rx.foreach(ConversationsState.rows, _row),
        rx.cond(
            ConversationsState.next_cursor != "",
            button(t("chat.more"), look="quiet", small=True, on_click=ConversationsState.load_more),
        ),
    )
    return rx.cond(
        ConversationsState.failure != "",
        unloaded(ConversationsState, title=t("chat.list_failed"), sentence=t("chat.list_failed_sentence")),
        rx.cond(
            ConversationsState.loaded,
            rx.cond(ConversationsState.rows.length() > 0, rows, nothing),
            skeleton_rows(t("chat.loading")),
        ),
    )


def _rename_dialog() -> rx.Component:
    return dialog(
        rx.el.form(
            field(
                text_input(
                    "title",
                    problem=ConversationsState.rename_problem,
                    default_value=ConversationsState.renaming_title,
                    max_length=200,
                ),
                label=t("chat.title"),
                name="title",
                problem=rx.cond(
                    ConversationsState.rename_problem != "",
                    field_error_text(ConversationsState.rename_problem),
                    "",
                ),
            ),
            rx.el.div(
                button(t("chat.keep"), on_click=ConversationsState.close_rename(False)),
                button(t("chat.save"), look="primary", type="submit"),
                class_name="acts",
            ),
            on_submit=ConversationsState.rename,
            class_name="col form",
        ),
        title=t("chat.rename"),
        sentence=t("chat.rename_sentence"),
        close=t("frame.close"),
        open=ConversationsState.renaming != "",
        on_open_change=ConversationsState.close_rename,
    )


def dialogs() -> rx.Component:
    """Draw what opens over the list."""
    return rx.fragment(
        _rename_dialog(),
        confirm_dialog(
            title=t("chat.delete_title", title=ConversationsState.deleting_title),
            lost=t("chat.delete_sentence"),
            keep=t("chat.keep"),
            go_on=t("chat.delete"),
            close=t("frame.close"),
            on_confirm=ConversationsState.delete,
            open=ConversationsState.deleting != "",
            on_open_change=ConversationsState.close_delete,
        ),
    )


def conversation_list() -> rx.Component:
    """Draw the person's conversations with their search."""
    return rx.el.div(
        rx.el.div(
            rx.el.span(t("chat.conversations"), class_name="eyebrow grow"),
            link(
                icon("square-pen"),
                href="/chat",
                class_name="btn q ic sm",
                aria_label=t("chat.new"),
                title=t("chat.new"),
            ),
            class_name="ch",
        ),
        rx.el.div(
            icon("search"),
            rx.debounce_input(
                rx.el.input(
                    value=ConversationsState.search,
                    on_change=ConversationsState.set_search,
                    placeholder=t("chat.search"),
                    aria_label=t("chat.search"),
                    type="search",
                    class_name="in sm",
                ),
                debounce_timeout=200,
            ),
            class_name="search",
        ),
        rx.el.div(_list(), class_name="scroll"),
        class_name="convs",
    )


def palette_rows() -> rx.Var[list]:
    """Return the listed conversations as the palette wants them."""
    rows = ConversationsState.rows
    return rx.Var(
        f"{rows!s}.map((row) => ({{label: row.title, href: `/chat?c=${{row.id}}`}}))",
        _var_data=rows._get_all_var_data(),
    ).to(list)
