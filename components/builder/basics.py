"""Basics: what the agent is called, how it looks, where it is filed."""

import reflex as rx

from agenticos_app.i18n import field_error_text, t
from agenticos_app.schemas.agents import MOST_CATEGORIES, MOST_TAGS
from components.builder.shown import shown, sized
from components.ui.base import Text
from components.ui.button import button, copy_button
from components.ui.field import field, problem_line, saving_form, text_input
from components.ui.icon import icon
from components.ui.marks import chip, initials
from components.ui.picture import PicturePicker
from components.ui.surfaces import section
from state.agent_basics import AgentBasicsState
from state.session import SessionState

LONGEST_NAME, LONGEST_DESCRIPTION, LONGEST_LABEL = 128, 500, 32
WRITING_MS = 500


def basics() -> rx.Component:
    """Draw the section."""
    return shown(
        AgentBasicsState,
        rx.el.div(_facts(), _labels(), class_name="sections"),
        title=t("basics.failed"),
        loading=t("basics.loading"),
    )


def _problem(name: str) -> rx.Var[str]:
    code = rx.cond(AgentBasicsState.problems.contains(name), AgentBasicsState.problems[name].to(str), "").to(
        str
    )
    return rx.match(
        code,
        ("", ""),
        ("too_many", t("basics.too_many")),
        ("not_image", t("settings.problem.not_image")),
        ("offline", t("settings.problem.offline")),
        ("too_large", t("settings.problem.too_large")),
        field_error_text(code),
    ).to(str)


def _saved() -> rx.Component:
    return rx.el.span(
        rx.cond(AgentBasicsState.is_saved, rx.fragment(icon("check"), t("basics.saved"))),
        class_name="st good",
        role="status",
    )


def _facts() -> rx.Component:
    return section(
        rx.el.div(
            _picture(),
            _name(),
            _slug(),
            _description(),
            class_name="col form-gap fields",
        ),
        title=t("basics.title"),
        sentence=t("basics.sentence"),
        aside=_saved(),
    )


def _name() -> rx.Component:
    problem = _problem("name")
    typed = rx.el.input(
        id="name",
        name="name",
        value=AgentBasicsState.name,
        on_change=AgentBasicsState.set_name,
        disabled=_locked(),
        max_length=LONGEST_NAME,
        auto_complete="off",
        aria_invalid=problem.bool(),
        aria_describedby="name-problem",
        class_name=rx.cond(problem, "in bad", "in"),
    )
    return field(
        rx.debounce_input(typed, debounce_timeout=WRITING_MS),
        label=t("basics.name"),
        name="name",
        problem=problem,
    )


def _description() -> rx.Component:
    problem = _problem("description")
    typed = rx.el.textarea(
        id="description",
        name="description",
        value=AgentBasicsState.description,
        on_change=AgentBasicsState.set_description,
        disabled=_locked(),
        max_length=LONGEST_DESCRIPTION,
        rows="3",
        aria_describedby="description-problem description-help",
        class_name="in ta",
    )
    return field(
        rx.debounce_input(typed, debounce_timeout=WRITING_MS),
        label=t("basics.description"),
        name="description",
        hint=t("basics.description_help"),
        problem=problem,
    )


def _locked() -> rx.Var[bool]:
    return rx.cond(AgentBasicsState.agent.can_edit, False, True).to(bool)


def _slug() -> rx.Component:
    slug = AgentBasicsState.agent.slug
    return field(
        rx.el.div(
            rx.el.input(
                id="slug",
                value=slug,
                read_only=True,
                aria_describedby="slug-help",
                class_name="in mono grow",
            ),
            copy_button(slug, label=t("basics.copy"), done=t("notice.copied"), small=False),
            class_name="row slug",
        ),
        label=t("basics.slug"),
        name="slug",
        hint=t("basics.slug_help"),
    )


def _address() -> rx.Var[str]:
    organization = SessionState.me.organization_id.to(str)
    agent_id = AgentBasicsState.agent.id.to(str)
    return "/api/v1/agents/" + agent_id + "/avatar?organization=" + organization


def _picture() -> rx.Component:
    agent = AgentBasicsState.agent
    has_one = agent.avatar_version != ""
    drawn = rx.cond(
        has_one,
        rx.el.img(
            src=_address() + "&v=" + agent.avatar_version,
            alt="",
            width="48",
            height="48",
            class_name="org-image",
        ),
        rx.el.span(initials(agent.name), class_name="org-image by-name", aria_hidden="true"),
    )
    problem = _problem("picture")
    acts = rx.el.div(
        PicturePicker.create(
            icon("upload"),
            t("basics.upload"),
            address=_address(),
            on_saved=AgentBasicsState.picture_saved,
            on_refused=AgentBasicsState.picture_refused,
            class_name="btn sm",
        ),
        rx.cond(
            has_one,
            button(
                t("basics.remove_picture"),
                look="quiet",
                small=True,
                on_click=AgentBasicsState.remove_picture,
            ),
        ),
        class_name="row",
    )
    told = rx.cond(problem, problem_line(problem), rx.el.span(t("settings.image_help"), class_name="help"))
    return rx.el.div(
        drawn,
        rx.cond(agent.can_edit, rx.el.div(acts, told, class_name="col image-acts")),
        class_name="row image-field",
    )


def _labels() -> rx.Component:
    agent = AgentBasicsState.agent
    return section(
        rx.el.div(
            _label_field(
                "category",
                agent.categories,
                t("basics.categories"),
                t("basics.categories_help", most=MOST_CATEGORIES),
                most=MOST_CATEGORIES,
                known=AgentBasicsState.known_categories,
                problem=_problem("categories"),
                on_add=AgentBasicsState.add_category,
                remove=AgentBasicsState.remove_category,
            ),
            _label_field(
                "tag",
                agent.tags,
                t("basics.tags"),
                t("basics.tags_help", most=MOST_TAGS),
                most=MOST_TAGS,
                known=AgentBasicsState.known_tags,
                problem=_problem("tags"),
                on_add=AgentBasicsState.add_tag,
                remove=AgentBasicsState.remove_tag,
            ),
            class_name="col form-gap fields",
        ),
        title=t("basics.labels"),
        sentence=t("basics.labels_sentence"),
    )


def _label_field(
    name: str,
    held: rx.Var[list[str]],
    label: Text,
    hint: Text,
    *,
    most: int,
    known: rx.Var[list[str]],
    problem: rx.Var[str],
    on_add: rx.event.EventType,
    remove: rx.EventHandler,
) -> rx.Component:
    """Draw labels as chips that a click takes away, and a field for one more while there is room."""
    chips = rx.cond(
        AgentBasicsState.agent.can_edit,
        rx.foreach(
            held,
            lambda one: chip(
                one,
                on=True,
                removable=True,
                aria_label=t("basics.remove_label", label=one),
                on_click=remove(one),
            ),
        ),
        rx.foreach(held, lambda one: rx.el.span(one, class_name="chip on")),
    )
    adding = saving_form(
        text_input(
            name, problem=problem, auto_complete="off", max_length=LONGEST_LABEL, list=f"{name}-known"
        ),
        rx.el.datalist(rx.foreach(known, lambda one: rx.el.option(value=one)), id=f"{name}-known"),
        button(t("basics.add_label"), type="submit", aria_label=t("basics.add_named", kind=label)),
        on_submit=on_add,
        reset_on_submit=True,
        class_name="row",
    )
    return field(
        rx.el.div(
            rx.cond(sized(held) > 0, rx.el.div(chips, class_name="labels")),
            rx.cond(AgentBasicsState.agent.can_edit & (sized(held) < most), adding),
            class_name="col label-field",
        ),
        label=label,
        name=name,
        hint=hint,
        problem=problem,
    )
