"""The frame of the Builder: head, sections, the open one, and a place for the test chat."""

from collections.abc import Mapping

import reflex as rx

from agenticos_app.i18n import problem_text, t, when
from components.builder.agent_end import agent_end_dialogs, agent_end_items
from components.builder.publish import publish_dialog, published_note
from components.builder.saving import SaveState, Watch, drop_unsaved
from components.builder.test_chat import test_toggle
from components.ui.base import in_address, link
from components.ui.button import button, link_button
from components.ui.data_list import empty, failed, skeleton_rows
from components.ui.icon import icon
from components.ui.marks import avatar, badge, dot, status
from components.ui.overlay import menu, menu_download, menu_line, menu_link, popover
from components.ui.surfaces import note
from state.builder import SECTIONS, BuilderState, ProblemLine
from state.session import SessionState


def section_names() -> dict[str, rx.Var[str]]:
    """Return what the sections are called."""
    return {
        "basics": t("builder.basics"),
        "instructions": t("builder.instructions"),
        "model": t("builder.model"),
        "toolbox": t("builder.toolbox"),
        "budget": t("builder.budget"),
        "versions": t("builder.versions"),
    }


def section_name(section: rx.Var[str]) -> rx.Var[str]:
    """Return what a section is called."""
    return rx.match(section, *section_names().items(), "").to(str)


def address_of(section: rx.Var[str] | str, at: rx.Var[str] | None = None) -> rx.Var[str]:
    """Return the address of a section, or of a field in it."""
    address = "/agents/edit?a=" + BuilderState.agent_id + "&s=" + rx.Var.create(section).to(str)
    return address if at is None else address + "&f=" + in_address(at)


def _problem(line: rx.Var[ProblemLine]) -> rx.Component:
    return link(
        icon("triangle-alert"),
        rx.el.span(
            rx.el.span(problem_text(line.code, line.details.to(dict[str, object])), class_name="b"),
            rx.el.span(section_name(line.section), class_name="meta"),
            class_name="col",
        ),
        href=address_of(line.section, line.at),
        class_name="problem-link",
    )


def problem_list() -> rx.Component:
    """Draw what is in the way of publishing, each leading to its field."""
    return rx.el.div(rx.foreach(BuilderState.problems, _problem), class_name="col")


def _saved() -> rx.Component:
    said = SaveState.create(
        rx.el.span(t("builder.saved", at=when(BuilderState.saved_at)), class_name="meta"),
        held=BuilderState.clash.to(bool),
        saving=rx.el.span(t("builder.saving"), class_name="meta"),
        unsaid=rx.el.span(t("builder.not_saved"), class_name="st bad"),
    )
    return rx.el.span(said, role="status")


def _live() -> rx.Component:
    version = BuilderState.agent.live_version
    return rx.cond(
        BuilderState.agent.status == "archived",
        status(t("builder.archived"), tone="neutral"),
        rx.cond(
            version == 0,
            status(t("builder.never_published"), tone="neutral"),
            status(t("builder.live", version=version), tone="green"),
        ),
    )


def _differs() -> rx.Component:
    latest = BuilderState.agent.latest_version
    return rx.cond(
        BuilderState.differs & (latest > 0),
        badge(t("builder.differs", version=latest), tone="amber"),
    )


def _bar() -> rx.Component:
    agent = BuilderState.agent
    count = BuilderState.problems.length()
    return rx.el.header(
        link(
            icon("chevron-left"),
            href="/agents",
            class_name="btn q ic sm",
            aria_label=t("builder.back"),
            title=t("builder.back"),
        ),
        avatar(agent.name),
        rx.el.div(
            rx.el.div(
                rx.el.h1(agent.name, class_name="b cut"),
                rx.el.span("@", agent.slug, class_name="meta cut"),
                class_name="row",
            ),
            rx.el.div(_live(), _differs(), _saved(), class_name="row"),
            class_name="grow col",
        ),
        test_toggle(),
        rx.cond(
            count > 0,
            popover(
                problem_list(),
                trigger=[icon("triangle-alert"), t("builder.problems", n=count)],
                trigger_class="btn dng",
                label=t("builder.problems_title"),
                align="end",
            ),
        ),
        rx.cond(
            agent.can_publish & (agent.status != "archived"),
            button(
                t("builder.publish", version=agent.latest_version + 1),
                look="primary",
                on_click=BuilderState.open_publish,
                disabled=~BuilderState.differs | BuilderState.clash.to(bool),
                reason=rx.cond(BuilderState.clash, t("builder.not_saved"), t("builder.nothing_new")).to(str),
            ),
        ),
        _more(),
        class_name="builder-bar",
    )


def _more() -> rx.Component:
    export = "/api/v1/agents/" + BuilderState.agent_id + "/export?organization="
    return menu(
        menu_download(t("builder.download"), href=export + SessionState.me.organization_id.to(str)),
        rx.cond(
            BuilderState.agent.can_run,
            menu_link(
                t("builder.open_chat"), href="/chat?agent=" + BuilderState.agent_id, icon="message-square"
            ),
        ),
        menu_line(),
        agent_end_items(),
        trigger=[icon("ellipsis")],
        trigger_class="btn q ic",
        label=t("builder.more"),
        align="end",
    )


def _section_pick() -> rx.Component:
    """Draw the list of sections for phones."""
    return rx.el.div(
        rx.el.select(
            *[rx.el.option(name, value=section) for section, name in section_names().items()],
            value=BuilderState.section,
            on_change=BuilderState.open_section,
            aria_label=t("builder.sections"),
            class_name="in",
        ),
        icon("chevron-down"),
        class_name="pick section-pick",
    )


def _section_link(section: str, name: rx.Var[str]) -> rx.Component:
    is_open = BuilderState.section == section
    return link(
        name,
        rx.cond(
            BuilderState.flawed.contains(section),
            dot("red", t("builder.has_problems")),
        ),
        href=address_of(section),
        class_name=rx.cond(is_open, "nav on", "nav").to(str),
        aria_current=rx.cond(is_open, "page", "false"),
    )


def _clash() -> rx.Component:
    clash = BuilderState.clash
    person = rx.cond(clash.person, clash.person, t("builder.somebody")).to(str)
    how = rx.match(
        clash.how,
        ("import", t("builder.clash_import", person=person)),
        ("rollback", t("builder.clash_rollback", person=person)),
        ("card", t("builder.clash_card", person=person)),
        t("builder.clash_typing", person=person),
    )
    return rx.cond(
        clash,
        note(
            how,
            " ",
            t("builder.clash_choose"),
            tone="amber",
            icon="triangle-alert",
            role="alert",
            action=rx.el.span(
                button(
                    t("builder.take_theirs"), small=True, on_click=[drop_unsaved(), BuilderState.take_theirs]
                ),
                button(t("builder.keep_mine"), small=True, look="primary", on_click=BuilderState.keep_mine),
                class_name="row",
            ),
        ),
    )


def builder(sections: Mapping[str, rx.Component], test_panel: rx.Component) -> rx.Component:
    """Draw the Builder with these sections; every id of `SECTIONS` has one."""
    assert set(sections) == set(SECTIONS)
    shown = rx.match(BuilderState.section, *sections.items(), rx.fragment())
    work = rx.el.div(
        Watch.create(on_return=BuilderState.returned),
        _bar(),
        rx.el.div(
            _section_pick(),
            rx.el.nav(
                *[_section_link(section, name) for section, name in section_names().items()],
                aria_label=t("builder.sections"),
                class_name="builder-sections",
            ),
            rx.el.div(
                published_note(),
                _clash(),
                rx.fragment(shown, key=BuilderState.section + BuilderState.renewed.to(str)),
                class_name="builder-section",
            ),
            test_panel,
            class_name="builder-columns",
        ),
        publish_dialog(problem_list()),
        agent_end_dialogs(),
        class_name="builder",
    )
    return rx.cond(
        BuilderState.failure != "",
        failed(
            title=t("builder.failed"),
            sentence=t("builder.failed_sentence"),
            report=BuilderState.failure,
            retry=t("vault.retry"),
            copy=t("notice.copy_report"),
            copied=t("notice.copied"),
            on_retry=BuilderState.load,
        ),
        rx.cond(
            BuilderState.missing | BuilderState.may_not,
            empty(
                link_button(t("builder.back"), href="/agents"),
                icon="bot",
                title=rx.cond(BuilderState.missing, t("builder.missing"), t("builder.reserved")).to(str),
                sentence=rx.cond(
                    BuilderState.missing, t("builder.missing_sentence"), t("builder.reserved_sentence")
                ).to(str),
            ),
            rx.cond(BuilderState.agent, work, skeleton_rows(t("builder.loading"))),
        ),
    )
