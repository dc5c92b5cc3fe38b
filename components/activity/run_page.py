"""One run: its head, its facts, its timeline or its transcript."""

import reflex as rx

from agenticos_app.contracts.events import Part
from agenticos_app.i18n import compact, duration, number, spent, t
from components.activity.every import every
from components.activity.run_list import person_of, time_so_far, took
from components.activity.waterfall import waterfall
from components.activity.words import status_mark, surface_word
from components.cards.capability import console_part
from components.layout.moment import moment
from components.layout.unloaded import unloaded
from components.live.answer import Answer, drawing
from components.live.reasons import reason
from components.ui.base import link
from components.ui.button import button, link_button
from components.ui.data_list import empty, skeleton_rows
from components.ui.icon import icon
from components.ui.marks import avatar, badge
from components.ui.surfaces import note, tab_links
from state.run import RunState

LOOK_AGAIN_S = 2


def run_title() -> rx.Var[str]:
    """Return what was asked, as the page's name."""
    return rx.cond(RunState.run.prompt != "", RunState.run.prompt, t("run.title")).to(str)


def _head() -> rx.Component:
    run = RunState.run
    return rx.el.div(
        rx.el.div(
            rx.el.nav(
                link(t("nav.activity"), href="/activity"),
                rx.el.span("/", aria_hidden="true"),
                class_name="row sec crumbs",
            ),
            rx.el.h1(run_title(), class_name="asked-title"),
            rx.el.p(
                status_mark(run.status),
                rx.el.span(
                    rx.cond(
                        run.version > 0,
                        t("run.agent_version", agent=run.agent_name, number=run.version),
                        run.agent_name,
                    )
                ),
                rx.cond(run.is_test, badge(t("run.test"))),
                rx.el.span(surface_word(run.surface)),
                rx.el.span(moment(run.started_at), ", ", took(run), class_name="num"),
                class_name="facts-line sec",
            ),
            class_name="grow",
        ),
        rx.cond(
            (run.status == "running") & run.may_stop,
            button(
                t("run.stop"), icon="square", look="danger", busy=RunState.stopping, on_click=RunState.stop
            ),
        ),
        rx.cond(
            run.is_own_conversation,
            link_button(
                t("run.open_conversation"),
                href="/chat?c=" + run.conversation_id.to(str),
                icon="message-square",
            ),
        ),
        class_name="head run-head",
    )


def _fact(name: rx.Var[str], *value: rx.Var | rx.Component) -> rx.Component:
    return rx.fragment(rx.el.dt(name), rx.el.dd(*value))


def _facts() -> rx.Component:
    run = RunState.run
    return rx.el.aside(
        rx.el.h2(t("run.facts"), class_name="eyebrow"),
        rx.el.dl(
            _fact(
                t("run.fact.tokens"),
                t("activity.tokens", input=compact(run.input_tokens), output=compact(run.output_tokens)),
            ),
            _fact(t("money.head"), spent(run.cost_usd, is_partial=run.cost_is_partial)),
            _fact(
                t("run.fact.took"),
                rx.cond(
                    run.status == "running",
                    time_so_far(since=run.started_at.to(str)),
                    rx.el.span(duration(run.milliseconds)),
                ),
            ),
            _fact(t("run.fact.requests"), number(run.requests)),
            _fact(t("run.fact.model"), rx.cond(run.model_label != "", run.model_label, t("run.unknown"))),
            _fact(
                t("run.fact.version"),
                rx.cond(
                    run.version > 0,
                    number(run.version),
                    rx.cond(run.is_draft, t("run.draft"), t("run.unknown")),
                ),
            ),
            _fact(t("run.fact.surface"), surface_word(run.surface)),
            _fact(t("run.fact.person"), person_of(run)),
            class_name="kv",
        ),
        class_name="facts",
    )


def _kept() -> rx.Var[str]:
    run = RunState.run
    return t("run.kept", n=run.requests, input=compact(run.input_tokens), output=compact(run.output_tokens))


def _ending() -> rx.Component:
    """Say why the run did not complete, and what was kept."""
    run = RunState.run
    broken = note(
        rx.el.span(reason(run.error_code, run.model_label), class_name="b"),
        " ",
        _kept(),
        rx.cond(run.error, rx.el.span(run.error, class_name="meta own-words", lang="en")),
        tone="red",
        icon="triangle-alert",
        role="alert",
    )
    refused = note(
        rx.cond(run.error, rx.fragment(run.error, " "), rx.fragment()),
        _kept(),
        tone="amber",
        icon="triangle-alert",
    )
    stopped = note(t("run.stopped"), " ", _kept(), icon="circle-stop")
    return rx.fragment(
        rx.match(
            run.status,
            ("failed", broken),
            ("cancelled", stopped),
            ("budget_exceeded", refused),
            ("guardrail_blocked", refused),
            rx.fragment(),
        )
    )


def _transcript() -> rx.Component:
    run = RunState.run
    answer = rx.el.div(
        avatar(run.agent_name),
        rx.el.div(
            rx.el.div(rx.el.span(run.agent_name, class_name="who"), class_name="row"),
            Answer.create(
                run_id=run.id.to(str),
                live=run.status == "running",
                parts=run.parts,
                draw_part=drawing("part", console_part, Part),
                label=t("chat.answer"),
                on_end=lambda _run, _status: RunState.refresh(),
            ),
        ),
        class_name="ag",
    )
    kept = (run.status == "running") | (run.parts.length() > 0)
    return rx.el.article(
        rx.el.div(rx.el.div(run.full_prompt, class_name="bubble"), class_name="me"),
        rx.cond(
            kept,
            answer,
            rx.el.p(
                icon("info"),
                rx.cond(run.conversation_id, t("run.no_answer"), t("run.no_transcript")),
                class_name="row sec",
            ),
        ),
        class_name="turn transcript",
    )


def _shown() -> rx.Component:
    run = RunState.run
    address = "/activity/" + run.id.to(str)
    on_transcript = RunState.tab == "transcript"
    return rx.fragment(
        _head(),
        tab_links(
            (t("run.timeline"), address, ~on_transcript),
            (t("run.transcript"), address + "?tab=transcript", on_transcript),
            label=t("run.parts"),
        ),
        rx.el.div(
            rx.el.div(
                _ending(), rx.cond(on_transcript, _transcript(), waterfall()), class_name="col run-main"
            ),
            _facts(),
            class_name="run-cols",
        ),
        every(LOOK_AGAIN_S, RunState.refresh, active=run.status == "running"),
    )


def run_body() -> rx.Component:
    """Draw the run of the address, or say that there is none."""
    missing = empty(
        link_button(t("run.to_list"), href="/activity"),
        icon="search-x",
        title=t("run.missing"),
        sentence=t("run.missing_sentence"),
    )
    broken = unloaded(RunState, title=t("run.failed"), sentence=t("run.failed_sentence"))
    body = rx.cond(
        RunState.missing,
        missing,
        rx.cond(
            RunState.failure != "",
            broken,
            rx.cond(RunState.run, _shown(), skeleton_rows(t("run.loading"))),
        ),
    )
    return rx.el.div(rx.el.div(body, class_name="page"), class_name="scroll")
