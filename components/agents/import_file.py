"""The dialog that makes an agent of a file."""

import reflex as rx

from agenticos_app.i18n import error_text, field_error_text, t
from components.agents.new_agent import acts, name_field
from components.ui.icon import icon
from components.ui.overlay import dialog
from components.ui.surfaces import note
from state.new_agent import NewAgentState
from state.session import SessionState


def _refused(
    code: rx.Var[str], field: rx.Var[str], problem: rx.Var[str]
) -> tuple[rx.Var[str], rx.Var[str], rx.Var[str]]:
    return code, field, problem


class _ImportForm(rx.Component):
    library = "$/public/agents.jsx"
    tag = "ImportForm"
    organization: rx.Var[str]
    visibility: rx.Var[str]
    on_made: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_refused: rx.EventHandler[_refused]


class _FileDrop(rx.Component):
    library = "$/public/agents.jsx"
    tag = "FileDrop"
    names: rx.Var[str]


def _problem() -> rx.Var[str]:
    """Say what is wrong with the file, and where."""
    code, place = NewAgentState.problems["file"].to(str), NewAgentState.place
    there = t("agents.file.at", field=place) + " "
    reason = rx.cond(code == "newer", t("agents.file.newer"), field_error_text(code)).to(str)
    return rx.cond(
        place != "",
        there + reason,
        rx.match(
            code,
            ("missing", t("agents.file.missing")),
            ("too_large", t("agents.file.too_large")),
            ("document_invalid", t("agents.file.unreadable")),
            ("document_no_mapping", t("agents.file.no_mapping")),
            error_text(code),
        ),
    ).to(str)


def import_dialog() -> rx.Component:
    """Draw the dialog, closed."""
    return dialog(
        _ImportForm.create(
            _FileDrop.create(
                icon("file-up"),
                rx.el.span(t("agents.file.choose"), class_name="b"),
                rx.el.span(t("agents.file.drop"), class_name="help"),
                names="name",
            ),
            rx.cond(
                NewAgentState.problems.contains("file"),
                note(_problem(), tone="red", icon="triangle-alert", role="alert"),
            ),
            name_field(),
            acts(t("agents.file.go_on")),
            organization=SessionState.me.organization_id.to(str),
            visibility="org",
            on_made=NewAgentState.imported,
            on_refused=NewAgentState.refuse,
            class_name="col form-gap",
        ),
        title=t("agents.file.title"),
        sentence=t("agents.file.sentence"),
        close=t("frame.close"),
        open=NewAgentState.doing == "import",
        on_open_change=NewAgentState.close,
    )
