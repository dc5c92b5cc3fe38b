"""Files, copies, archive and deletion of an agent."""

import reflex as rx

from agenticos_app.i18n import error_text, t
from components.builder.shown import shown
from components.ui.base import Child, FileText, Text
from components.ui.button import button
from components.ui.field import field, saving_form, text_area
from components.ui.icon import icon
from components.ui.overlay import confirm_dialog, dialog, menu_item
from components.ui.surfaces import note, section
from state.agent_end import AgentEndState
from state.builder import BuilderState
from state.session import SessionState

FILE_BYTES = 512 * 1024


def agent_end() -> rx.Component:
    """Draw the section."""
    return shown(
        AgentEndState,
        rx.el.div(_files(), _danger(), class_name="sections"),
        title=t("agent_end.failed"),
        loading=t("agent_end.loading"),
    )


def agent_end_dialogs() -> rx.Component:
    """Draw what the section and the Builder's menu open, closed."""
    return rx.fragment(_import(), _archive(), _delete())


def agent_end_items() -> rx.Component:
    """Draw the entries of the Builder's menu."""
    is_archived = BuilderState.agent.status == "archived"
    return rx.fragment(
        menu_item(t("agent_end.clone"), icon="copy", on_select=_copy()),
        rx.cond(
            is_archived,
            menu_item(
                t("agent_end.unarchive"),
                icon="archive-restore",
                on_select=_take_back(),
            ),
            menu_item(
                t("agent_end.archive"),
                icon="archive",
                on_select=_ask("archive"),
            ),
        ),
    )


def _ask(doing: str) -> rx.event.EventType:
    return AgentEndState.ask(BuilderState.agent_id, doing)


def _copy() -> rx.event.EventType:
    return AgentEndState.clone(BuilderState.agent_id)


def _take_back() -> rx.event.EventType:
    return AgentEndState.unarchive(BuilderState.agent_id)


def _line(title: Text, sentence: Text, act: Child) -> rx.Component:
    return rx.el.div(
        rx.el.span(
            rx.el.span(title, class_name="b"), rx.el.span(sentence, class_name="sec"), class_name="grow col"
        ),
        act,
        class_name="row foot-row end-line",
    )


def _files() -> rx.Component:
    agent = AgentEndState.agent
    file = (
        "/api/v1/agents/"
        + agent.id.to(str)
        + "/export?organization="
        + SessionState.me.organization_id.to(str)
    )
    return section(
        _line(
            t("agent_end.download"),
            t("agent_end.download_sentence"),
            rx.el.a(
                icon("download"),
                t("agent_end.download_go_on"),
                href=file,
                download=True,
                custom_attrs={"reloadDocument": True},  # else the client's router takes it for a page
                class_name="btn",
            ),
        ),
        rx.cond(
            agent.can_edit,
            _line(
                t("agent_end.import"),
                t("agent_end.import_sentence"),
                button(
                    t("agent_end.import_go_on"),
                    icon="upload",
                    on_click=AgentEndState.ask_import(BuilderState.revision),
                ),
            ),
        ),
        _line(
            t("agent_end.clone"),
            t("agent_end.clone_sentence"),
            button(t("agent_end.clone_go_on"), icon="copy", on_click=_copy()),
        ),
        title=t("agent_end.files"),
        aside=rx.el.span(
            rx.cond(AgentEndState.imported > 0, rx.fragment(icon("check"), t("agent_end.imported"))),
            class_name="st good",
            role="status",
        ),
    )


def _danger() -> rx.Component:
    agent = AgentEndState.agent
    archived = rx.fragment(
        _line(
            t("agent_end.unarchive"),
            t("agent_end.unarchive_sentence"),
            button(
                t("agent_end.unarchive_go_on"),
                icon="archive-restore",
                on_click=_take_back(),
            ),
        ),
        _line(
            t("agent_end.delete"),
            t("agent_end.delete_sentence"),
            button(
                t("agent_end.delete_start"),
                icon="trash-2",
                look="danger",
                on_click=_ask("delete"),
            ),
        ),
    )
    in_use = _line(
        t("agent_end.archive"),
        t("agent_end.archive_sentence"),
        button(
            t("agent_end.archive_start"),
            icon="archive",
            look="danger",
            on_click=_ask("archive"),
        ),
    )
    return rx.cond(
        agent.can_edit,
        section(rx.cond(agent.status == "archived", archived, in_use), title=t("agent_end.end")),
    )


def _problem() -> rx.Var[str]:
    place = AgentEndState.place
    return rx.match(
        AgentEndState.problem,
        ("", ""),
        ("newer", t("agent_end.problem.newer")),
        ("no_mapping", t("agent_end.problem.no_spec")),
        ("too_large", t("agent_end.problem.too_large")),
        ("unexpected", t("agent_end.problem.unexpected", place=place)),
        rx.cond(
            place == "document", t("agent_end.problem.no_spec"), t("agent_end.problem.invalid", place=place)
        ),
    ).to(str)


def _changed() -> rx.Component:
    """Say who changed the draft while the page showed another one."""
    who = rx.cond(AgentEndState.changed_by != "", AgentEndState.changed_by, t("versions.somebody")).to(str)
    way = rx.match(
        AgentEndState.changed_how,
        ("import", t("agent_end.changed.import", name=who)),
        ("rollback", t("agent_end.changed.rollback", name=who)),
        ("card", t("agent_end.changed.card", name=who)),
        t("agent_end.changed.typing", name=who),
    ).to(str)
    return rx.cond(
        AgentEndState.changed_how != "",
        note(way, " ", t("agent_end.changed_again"), tone="amber", icon="triangle-alert", role="alert"),
    )


def _import() -> rx.Component:
    problem = _problem()
    go_on = rx.cond(
        AgentEndState.changed_how != "", t("agent_end.import_anyway"), t("agent_end.import_go_on")
    )
    return dialog(
        saving_form(
            rx.el.div(
                field(
                    text_area(
                        "document",
                        problem=problem,
                        rows="10",
                        spell_check=False,
                        auto_complete="off",
                        auto_focus=True,
                    ),
                    label=t("agent_end.document"),
                    name="document",
                    problem=problem,
                ),
                FileText.create(
                    icon("upload"),
                    t("agent_end.choose_file"),
                    target="document",
                    accept=".yaml,.yml,application/yaml",
                    limit_bytes=FILE_BYTES,
                    class_name="btn sm",
                ),
                class_name="col file-field",
            ),
            _changed(),
            rx.el.div(
                button(t("versions.keep"), on_click=AgentEndState.close(False)),
                button(go_on, type="submit", look="primary"),
                class_name="acts",
            ),
            on_submit=AgentEndState.import_file,
            class_name="col form-gap",
        ),
        title=t("agent_end.import_title"),
        sentence=t("agent_end.import_lost"),
        close=t("frame.close"),
        open=AgentEndState.doing == "import",
        on_open_change=AgentEndState.close,
    )


def _archive() -> rx.Component:
    return confirm_dialog(
        title=t("agent_end.archive_title", name=AgentEndState.agent.name),
        lost=t("agent_end.archive_lost"),
        keep=t("versions.keep"),
        go_on=t("agent_end.archive_go_on"),
        close=t("frame.close"),
        on_confirm=AgentEndState.archive,
        open=AgentEndState.doing == "archive",
        on_open_change=AgentEndState.close,
    )


def _delete() -> rx.Component:
    lost = AgentEndState.lost
    in_the_way = rx.cond(
        AgentEndState.problem != "",
        note(
            error_text("conflict_" + AgentEndState.problem), tone="red", icon="triangle-alert", role="alert"
        ),
    )
    return confirm_dialog(
        title=t("agent_end.delete_title", name=AgentEndState.agent.name),
        lost=rx.fragment(
            t("agent_end.lost_versions", n=lost.versions),
            " ",
            t("agent_end.lost_environments", n=lost.environments),
            " ",
            t("agent_end.lost_runs", n=lost.runs),
            " ",
            t("agent_end.delete_lost"),
            in_the_way,
        ),
        keep=t("versions.keep"),
        go_on=t("agent_end.delete_go_on"),
        close=t("frame.close"),
        on_confirm=AgentEndState.delete,
        open=AgentEndState.doing == "delete",
        on_open_change=AgentEndState.close,
    )
