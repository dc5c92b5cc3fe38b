"""The timeline of a run: what ran, when and for how long; a row opens what went in and came out."""

import reflex as rx

from agenticos_app.i18n import compact, duration, spent, t
from components.cards.card import card_of
from components.live.steps import step_done, step_icon
from components.ui.button import button
from components.ui.icon import icon
from components.ui.marks import badge
from state.run import Argument, Bar, RunState, Tick


def _name(bar: rx.Var[Bar]) -> rx.Component:
    return rx.el.span(
        rx.cond(bar.kind == "model", icon("cpu"), step_icon(bar.name)),
        rx.el.span(
            rx.cond(
                bar.kind == "model", t("run.request", number=bar.number), step_done(bar.name, bar.subject)
            ),
            class_name="cut",
        ),
        rx.match(
            bar.status,
            ("failed", badge(t("step.failed"), tone="red")),
            ("stopped", badge(t("step.stopped"))),
            ("running", badge(t("activity.status.running"), tone="accent")),
            rx.fragment(),
        ),
        class_name="nm",
    )


def _bar(bar: rx.Var[Bar]) -> rx.Component:
    left, end = bar.left.to(str) + "%", (bar.left + bar.width).to(str) + "%"
    beside = rx.cond(
        bar.is_late,
        rx.el.b(duration(bar.milliseconds), style={"right": "calc(100% - " + left + " + 6px)"}),
        rx.el.b(duration(bar.milliseconds), style={"left": "calc(" + end + " + 6px)"}),
    )
    return rx.el.span(
        rx.el.i(
            class_name=rx.cond(bar.kind == "model", "m", "t"),
            style={"left": left, "width": bar.width.to(str) + "%"},
        ),
        beside,
        class_name="tr",
        aria_hidden="true",
    )


def _argument(one: rx.Var[Argument]) -> rx.Component:
    return rx.fragment(rx.el.dt(one.name, class_name="mono"), rx.el.dd(one.value))


def _call() -> rx.Component:
    return rx.fragment(
        rx.cond(
            RunState.arguments.length() > 0,
            rx.fragment(
                rx.el.span(t("run.given"), class_name="eyebrow"),
                rx.el.dl(rx.foreach(RunState.arguments, _argument), class_name="given"),
            ),
        ),
        rx.el.span(t("run.result"), class_name="eyebrow"),
        rx.cond(
            RunState.result != "",
            rx.el.div(RunState.result, class_name="result", tab_index=0),
            rx.el.p(t("run.no_result"), class_name="sec"),
        ),
        rx.cond(RunState.is_cut, rx.el.p(t("run.cut"), class_name="meta")),
        card_of(RunState.card, RunState.drawn_call, RunState.run.id.to(str)),
        rx.el.div(
            button(
                rx.cond(RunState.raw != "", t("run.hide_raw"), t("run.show_raw")),
                small=True,
                on_click=RunState.show_raw,
            ),
            class_name="row",
        ),
        rx.cond(RunState.raw != "", rx.el.pre(RunState.raw, class_name="raw", tab_index=0)),
    )


def _request(bar: rx.Var[Bar]) -> rx.Component:
    return rx.el.dl(
        rx.el.dt(t("run.fact.model")),
        rx.el.dd(rx.cond(bar.served_by != "", bar.served_by, t("run.unknown"))),
        rx.el.dt(t("run.fact.tokens")),
        rx.el.dd(t("activity.tokens", input=compact(bar.input_tokens), output=compact(bar.output_tokens))),
        rx.el.dt(t("money.head")),
        rx.el.dd(spent(bar.cost_usd, is_partial=bar.cost_is_partial)),
        rx.el.dt(t("run.begins_after")),
        rx.el.dd(duration(bar.offset_ms)),
        class_name="given",
    )


def _row(bar: rx.Var[Bar]) -> rx.Component:
    is_open = RunState.opened == bar.key
    return rx.el.li(
        rx.el.button(
            _name(bar),
            rx.el.span(
                rx.cond(
                    bar.kind == "model",
                    t("run.in_out", input=compact(bar.input_tokens), output=compact(bar.output_tokens)),
                    "",
                ),
                class_name="n",
            ),
            rx.el.span(
                t("run.row_text", at=duration(bar.offset_ms), time=duration(bar.milliseconds)),
                class_name="vh",
            ),
            _bar(bar),
            type="button",
            class_name="w",
            aria_expanded=is_open,
            on_click=RunState.open_row(bar.key),
        ),
        rx.cond(
            is_open,
            rx.el.div(rx.cond(bar.kind == "model", _request(bar), _call()), class_name="opened"),
        ),
    )


def _tick(tick: rx.Var[Tick]) -> rx.Component:
    named = rx.cond(tick.milliseconds == 0, "0", duration(tick.milliseconds))
    return rx.el.b(named, style={"left": "calc(" + tick.left.to(str) + "% + 6px)"})


def _legend() -> rx.Component:
    return rx.el.span(
        rx.el.span(rx.el.i(class_name="m"), t("run.model")),
        rx.el.span(rx.el.i(class_name="t"), t("run.tool")),
        class_name="leg meta",
        aria_hidden="true",
    )


def _finding() -> rx.Var[str]:
    part, whole = duration(RunState.model_ms), duration(RunState.run.total_ms)
    return rx.cond(
        RunState.run.status == "running",
        t("run.under_way"),
        t("run.finding", part=part, whole=whole),
    ).to(str)


def waterfall() -> rx.Component:
    """Draw the timeline."""
    run = RunState.run
    nothing = rx.cond(
        run.status == "running",
        rx.el.p(rx.el.span(class_name="spin", aria_hidden="true"), t("run.not_yet"), class_name="row sec"),
        rx.el.p(t("run.no_steps"), class_name="sec"),
    )
    rows = rx.fragment(
        rx.el.div(rx.el.p(_finding(), class_name="sec grow"), _legend(), class_name="row finding"),
        rx.el.div(
            rx.el.div(
                rx.el.span(t("run.what_ran")),
                rx.el.span(t("run.tokens_head"), class_name="n"),
                rx.el.span(rx.foreach(RunState.ticks, _tick), class_name="tr axis"),
                class_name="w wf-head",
                aria_hidden="true",
            ),
            rx.el.ol(rx.foreach(RunState.bars, _row), aria_label=t("run.timeline")),
            rx.el.div(
                rx.el.span(t("run.total")),
                rx.el.span(
                    t("run.in_out", input=compact(run.input_tokens), output=compact(run.output_tokens)),
                    class_name="n",
                ),
                rx.el.span(class_name="tr axis"),
                class_name="w total",
            ),
            class_name="wf",
            style={"--tick": RunState.tick_percent.to(str) + "%"},
        ),
    )
    return rx.cond(RunState.bars.length() > 0, rows, nothing)
