"""Steps two and three of the set-up: a model to think with, and the first question."""

import reflex as rx

from agenticos_app.contracts.providers import OFFERED, CredentialKind
from agenticos_app.i18n import duration, field_error_text, t
from agenticos_app.schemas.models import LocalServer
from components.accounts.steps import setup_page
from components.ui.base import in_address, link
from components.ui.button import button, intent_field, submit_as
from components.ui.field import field, select, text_input
from components.ui.icon import icon
from components.ui.marks import badge
from components.ui.surfaces import section
from state.session import SessionState
from state.setup import SetupState

KEYED = [one for one in OFFERED.values() if one.credential is CredentialKind.API_KEY]
"""Providers whose credential is one key."""


def _option(
    *more: rx.Component,
    value: rx.Var[str] | str,
    title: rx.Component | rx.Var[str],
    aside: rx.Var[str],
    sentence: rx.Var[str],
) -> rx.Component:
    chosen = SetupState.choice == value
    return rx.el.div(
        rx.el.label(
            rx.el.input(
                type="radio",
                name="choice",
                value=value,
                checked=chosen,
                on_change=SetupState.choose(value),
                class_name="ck",
            ),
            rx.el.span(title, class_name="b row"),
            rx.el.span(aside, class_name="meta"),
            rx.el.span(sentence, class_name="sec"),
            class_name="opt",
        ),
        rx.cond(chosen, rx.el.div(*more, class_name="opt-more")) if more else rx.fragment(),
        class_name=rx.cond(chosen, "opt-box on", "opt-box"),
    )


def _problem(name: str) -> rx.Var[str]:
    code = SetupState.problems[name].to(str)
    return rx.cond(code, field_error_text(code), "").to(str)


def _named_field(
    name: str, label: rx.Var[str], hint: rx.Var[str] | None = None, **props: object
) -> rx.Component:
    problem = _problem(name)
    return field(
        text_input(name, problem=problem, **props), label=label, name=name, hint=hint, problem=problem
    )


def _found() -> rx.Component:
    result = SetupState.result
    works = rx.el.span(
        icon("check"),
        rx.el.span(t("models.works", time=duration(result.milliseconds))),
        class_name="st good",
    )
    fails = rx.el.span(
        icon("triangle-alert"),
        rx.el.span(model_problem(result.problem.to(str))),
        class_name="err",
        role="alert",
    )
    names = rx.cond(
        result.models.length() > 0,
        rx.el.span(t("models.offers", names=result.models[:5].join(", ")), class_name="help"),
    )
    return rx.el.div(
        rx.cond(result, rx.el.div(rx.cond(result.ok, works, fails), names, class_name="col found")),
        role="status",
    )


def model_problem(code: rx.Var[str]) -> rx.Var[str]:
    """Return the sentence for what a check met."""
    return rx.match(
        code,
        ("unreachable", t("models.problem.unreachable")),
        ("unauthorized", t("models.problem.unauthorized")),
        ("not_found", t("models.problem.not_found")),
        ("rate_limited", t("models.problem.rate_limited")),
        ("empty", t("models.problem.empty")),
        t("models.problem.failed"),
    ).to(str)


def _check() -> rx.Component:
    return submit_as("check", t("models.check"), busy=SetupState.busy == "check")


def _names() -> rx.Component:
    """Ask for the model: any name, with the provider's own as suggestions."""
    return rx.fragment(
        _named_field(
            "model_name",
            t("models.model_name"),
            t("models.name_free"),
            class_name="mono",
            list="offered",
            auto_complete="off",
        ),
        rx.el.datalist(rx.foreach(SetupState.offered, lambda name: rx.el.option(value=name)), id="offered"),
    )


def _key_field(hint: rx.Var[str]) -> rx.Component:
    return rx.el.div(
        _named_field("api_key", t("models.key"), hint, kind="password", auto_complete="off"),
        _check(),
        class_name="row top with-check",
    )


def _keyed() -> rx.Component:
    return _option(
        rx.el.div(
            field(
                select(
                    {one.id: one.label for one in KEYED},
                    name="provider",
                    value=SetupState.provider,
                    on_change=SetupState.choose_provider,
                ),
                label=t("models.provider"),
                name="provider",
            ),
            _names(),
            class_name="of",
        ),
        _key_field(t("models.key_needed")),
        _found(),
        value="key",
        title=t("models.keyed"),
        aside=t("models.keyed_cost"),
        sentence=t("models.keyed_sentence", n=len(KEYED) - 3),
    )


def _own_server() -> rx.Component:
    return _option(
        rx.el.div(
            _named_field(
                "base_url",
                t("models.base_url"),
                t("models.base_url_help"),
                kind="url",
                placeholder="https://models.example.org/v1",
            ),
            _named_field(
                "model_name", t("models.model_name"), t("models.model_name_help"), class_name="mono"
            ),
            class_name="of",
        ),
        _key_field(t("models.key_help")),
        _found(),
        value="own",
        title=t("models.own"),
        aside=t("models.own_cost"),
        sentence=t("models.own_sentence"),
    )


def _local(server: rx.Var[LocalServer]) -> rx.Component:
    return _option(
        rx.el.div(
            field(
                rx.el.div(
                    rx.el.select(
                        rx.foreach(server.models, lambda name: rx.el.option(name, value=name)),
                        name="model_name",
                        id="model_name",
                        class_name="in",
                    ),
                    icon("chevron-down"),
                    class_name="pick",
                ),
                label=t("models.model_name"),
                name="model_name",
            ),
            _check(),
            class_name="row top with-check",
        ),
        _found(),
        value=server.base_url,
        title=rx.fragment(server.name, badge(t("models.found_here"), tone="green")),
        aside=t("models.local_cost"),
        sentence=t("models.local_sentence", address=server.base_url, n=server.models.length()),
    )


def _choose_model() -> rx.Component:
    return section(
        rx.el.form(
            intent_field(),
            rx.el.div(
                _option(
                    value="practice",
                    title=t("models.practice"),
                    aside=t("models.practice_cost"),
                    sentence=t("models.practice_sentence"),
                ),
                _keyed(),
                rx.foreach(SetupState.servers, _local),
                rx.cond(SetupState.may_name_servers, _own_server()),
                role="radiogroup",
                aria_label=t("setup.model"),
            ),
            rx.el.div(
                rx.el.span(t("setup.change_later"), class_name="meta grow"),
                submit_as("save", t("setup.go_on"), look="primary", busy=SetupState.busy == "save"),
                class_name="row foot-row",
            ),
            no_validate=True,
            on_submit=SetupState.send,
        ),
        title=t("setup.model"),
        sentence=t("setup.model_sentence"),
    )


def _example(image: str, question: rx.Var[str], shows: rx.Var[str]) -> rx.Component:
    return link(
        icon(image),
        rx.el.span(question, class_name="b"),
        rx.el.span(shows, class_name="meta"),
        href="/chat?ask=" + in_address(question),
        class_name="example",
    )


def _examples() -> rx.Component:
    return rx.el.div(
        _example("calculator", t("setup.example.compute"), t("setup.example.compute_shows")),
        _example("calendar-days", t("setup.example.date"), t("setup.example.date_shows")),
        _example("file-text", t("setup.example.file"), t("setup.example.file_shows")),
        class_name="ex",
    )


def first_model() -> rx.Component:
    """Draw what follows the owner's account."""
    me = SessionState.me
    owner = section(
        title=t("setup.owner"),
        sentence=t("setup.owner_done", email=me.email, organization=me.organization_name),
    )
    model_chosen = section(
        title=t("setup.model"),
        sentence=t("setup.model_done"),
        aside=button(t("setup.edit"), look="quiet", small=True, on_click=SetupState.back),
    )
    return setup_page(
        owner,
        rx.cond(SetupState.chosen, model_chosen, _choose_model()),
        rx.cond(
            SetupState.chosen,
            section(_examples(), title=t("setup.question"), sentence=t("setup.question_sentence")),
            rx.el.div(
                section(title=t("setup.question"), sentence=t("setup.question_later")), class_name="later"
            ),
        ),
        places=(
            "done",
            rx.cond(SetupState.chosen, "done", "on").to(str),
            rx.cond(SetupState.chosen, "on", "next").to(str),
        ),
    )
