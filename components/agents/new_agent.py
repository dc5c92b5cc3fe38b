"""The dialog for a new agent: its name, who can use it, what it starts from."""

import reflex as rx

from agenticos_app.i18n import field_error_text, t
from agenticos_app.schemas.agents import TemplateRow
from agenticos_app.schemas.organizations import MemberRow
from components.ui.base import Text
from components.ui.button import button
from components.ui.field import check, field, problem_line, radio, saving_form, text_input
from components.ui.marks import avatar, badge
from components.ui.overlay import dialog
from state.new_agent import OFFERED, NewAgentState


def problem_of(name: str) -> rx.Var[str]:
    """Return the sentence beside a field; empty for none."""
    problems = NewAgentState.problems
    return rx.cond(problems.contains(name), field_error_text(problems[name].to(str)), "").to(str)


def name_field(**props: object) -> rx.Component:
    """Draw the field for the agent's name."""
    problem = problem_of("name")
    return field(
        text_input("name", problem=problem, auto_complete="off", max_length=128, **props),
        label=t("agents.name"),
        name="name",
        problem=problem,
    )


def acts(go_on: Text) -> rx.Component:
    """Draw the two ends of a dialog."""
    return rx.el.div(
        button(t("agents.keep"), on_click=NewAgentState.close(False)),
        button(go_on, type="submit", look="primary"),
        class_name="acts",
    )


def _person(member: rx.Var[MemberRow]) -> rx.Component:
    return rx.el.li(
        check(
            avatar(member.full_name, is_round=True),
            rx.el.span(member.full_name, class_name="cut"),
            rx.el.span(member.email, class_name="meta cut"),
            name="person-" + member.user_id.to(str),
        )
    )


def _people() -> rx.Component:
    chosen = rx.el.ul(
        rx.foreach(NewAgentState.members, _person), class_name="chosen-people", aria_label=t("agents.people")
    )
    alone = rx.el.span(t("agents.alone"), class_name="help")
    return rx.fragment(
        rx.cond(NewAgentState.members.length() > 0, chosen, alone),
        rx.cond(NewAgentState.problems.contains("people"), problem_line(t("agents.choose_people"))),
    )


def _who() -> rx.Component:
    choices = [
        ("org", t("agents.everyone"), t("agents.everyone_help")),
        ("private", t("agents.only_me"), t("agents.only_me_help")),
        ("people", t("agents.people"), t("agents.people_help")),
    ]
    return rx.el.fieldset(
        rx.el.legend(t("agents.who"), class_name="lab"),
        *[
            rx.el.label(
                radio(
                    name="who",
                    value=value,
                    default_checked=value == "org",
                    on_change=NewAgentState.choose_who(value),
                ),
                rx.el.span(rx.el.span(label), rx.el.span(help_text, class_name="help"), class_name="col"),
                class_name="row choice",
            )
            for value, label, help_text in choices
        ],
        rx.cond(NewAgentState.who == "people", _people()),
        class_name="f",
    )


def _template(template: TemplateRow) -> rx.Component:
    return rx.el.label(
        radio(name="template", value=template.id, default_checked=template is OFFERED[0]),
        rx.el.span(
            rx.el.span(
                rx.el.span(t(f"template.{template.id}.name"), class_name="b grow cut"),
                rx.el.span(t(f"template.industry.{template.industry}"), class_name="meta"),
                class_name="row",
            ),
            rx.el.span(t(f"template.{template.id}.text"), class_name="help"),
            rx.el.span(
                *[badge(t(f"capability.{capability}.name")) for capability in template.capabilities],
                class_name="row template-has",
            ),
            class_name="col grow",
        ),
        class_name="row choice template",
    )


def _templates() -> rx.Component:
    return rx.el.fieldset(
        rx.el.legend(t("agents.start"), class_name="lab"),
        rx.el.div(*[_template(one) for one in OFFERED], class_name="templates"),
        class_name="f",
    )


def new_agent_dialog() -> rx.Component:
    """Draw the dialog, closed."""
    return dialog(
        saving_form(
            name_field(auto_focus=True, placeholder=t("agents.name_example")),
            _who(),
            _templates(),
            acts(t("agents.create")),
            on_submit=NewAgentState.create,
            class_name="col form-gap",
        ),
        title=t("agents.new"),
        sentence=t("agents.new_sentence"),
        close=t("frame.close"),
        open=NewAgentState.doing == "new",
        on_open_change=NewAgentState.close,
    )
