"""Which model answers, how it is asked, and what the answer must be."""

import reflex as rx

from agenticos_app.i18n import compact, t
from agenticos_app.security.permissions import Permission
from components.builder.saving import folded, problems_at, saved_field, spec_section
from components.layout.navigation import may
from components.models.form import form_dialog
from components.ui.base import link
from components.ui.button import button
from components.ui.field import field, select
from components.ui.icon import icon
from components.ui.marks import badge
from components.ui.surfaces import note
from components.vault.add_secret import Told
from state.builder_spec import ModelChoice, SpecState
from state.models import ModelsState


def _choice(one: rx.Var[ModelChoice]) -> rx.Component:
    return rx.el.label(
        rx.el.input(
            type="radio",
            name="model_profile_id",
            checked=SpecState.chosen_model == one.id,
            on_change=SpecState.set_model(one.id),
            class_name="ck",
        ),
        rx.el.span(rx.el.span(one.name, class_name="b"), class_name="grow cut"),
        rx.el.span(one.model_name, class_name="meta cut"),
        rx.cond(
            one.context_length,
            rx.el.span(t("builder.context", tokens=compact(one.context_length.to(int))), class_name="meta"),
        ),
        rx.cond(one.has_no_key, badge(t("builder.no_key"), tone="red")),
        class_name="row model-choice",
    )


def _picker() -> rx.Component:
    return rx.el.div(
        rx.cond(
            SpecState.may_see_models,
            rx.el.div(
                rx.foreach(SpecState.models, _choice),
                role="radiogroup",
                aria_label=t("builder.model"),
                id="model_profile_id",
                tab_index=-1,
                class_name="col form-gap model-choices",
            ),
            note(t("builder.models_reserved")),
        ),
        problems_at("model_profile_id"),
        rx.cond(
            may(Permission.CONNECTIONS_MANAGE),
            button(
                t("builder.model_add"), icon="plus", small=True, on_click=[ModelsState.load, ModelsState.add]
            ),
        ),
        class_name="col form-gap",
    )


def _settings() -> rx.Component:
    def number(name: str, label: rx.Var[str], hint: rx.Var[str]) -> rx.Component:
        return saved_field(
            name,
            label,
            SpecState.settings[name].to(str),
            lambda text: SpecState.set_number(name, text),
            hint=hint,
            input_mode="decimal",
            placeholder=t("builder.as_model"),
        )

    return folded(
        rx.el.div(
            number("temperature", t("models.params.temperature"), t("builder.temperature_hint")),
            number("top_p", t("models.params.top_p"), t("builder.top_p_hint")),
            number("max_tokens", t("models.params.max_tokens"), t("builder.max_tokens_hint")),
            field(
                select(
                    {
                        "": t("builder.as_model"),
                        "yes": t("models.params.parallel_yes"),
                        "no": t("models.params.parallel_no"),
                    },
                    name="parallel_tool_calls",
                    value=SpecState.parallel,
                    on_change=SpecState.set_parallel,
                ),
                label=t("models.params.parallel"),
                name="parallel_tool_calls",
            ),
            class_name="two",
        ),
        title=t("builder.settings"),
        opened=(SpecState.parallel != "") | SpecState.settings.values().to(list[str]).join("").bool(),
    )


def _schema() -> rx.Component:
    return folded(
        saved_field(
            "output_schema",
            t("builder.schema_label"),
            SpecState.schema,
            SpecState.set_schema,
            hint=t("builder.schema_hint"),
            lines=True,
            look="mono code-text",
        ),
        problems_at("output_schema"),
        title=t("builder.schema"),
        opened=SpecState.schema != "",
    )


def model_section() -> rx.Component:
    """Draw the section."""
    return spec_section(
        _picker(),
        _settings(),
        _schema(),
        rx.el.p(icon("info"), link(t("builder.model_more"), href="/models"), class_name="row sec"),
        form_dialog(),
        Told.create(value=ModelsState.made, on_told=[SpecState.take_model, ModelsState.taken]),
        title=t("builder.model"),
        sentence=t("builder.model_sentence"),
    )
