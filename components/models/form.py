"""The dialog that adds or changes a model: provider, key, model, parameters, a test."""

import reflex as rx

from agenticos_app.contracts.providers import OFFERED
from agenticos_app.i18n import number, t
from components.accounts.first_model import model_problem
from components.models.found import found
from components.ui.button import button, intent_field, submit_as
from components.ui.field import field, text_input
from components.ui.icon import icon
from components.ui.overlay import dialog
from components.vault.add_secret import add_secret
from components.vault.fields import marked
from components.vault.words import problem_text
from state.add_secret import AddSecretState
from state.models import ModelsState


def _picked(*options: rx.Component | rx.Var, name: str, **props: object) -> rx.Component:
    return rx.el.div(
        rx.el.select(*options, id=name, name=name, class_name="in", **props),
        icon("chevron-down"),
        class_name="pick",
    )


def _provider() -> rx.Component:
    options = [rx.el.option(one.label, value=one.id) for one in OFFERED.values()]
    practice = rx.el.option(t("models.practice"), value="practice")
    return field(
        _picked(
            *options,
            practice,
            name="provider",
            value=ModelsState.provider,
            on_change=ModelsState.choose_provider,
        ),
        label=t("models.provider"),
        name="provider",
    )


def _key() -> rx.Component:
    keys = rx.foreach(
        ModelsState.keys,
        lambda key: rx.el.option(key.name, " ····", key.hint, value=key.id.to(str)),
    )
    kept = rx.cond(ModelsState.bound == "kept", rx.el.option(t("models.vault_key_hidden"), value="kept"))
    return rx.el.div(
        field(
            _picked(
                rx.el.option(t("models.vault_key_none"), value=""),
                kept,
                keys,
                name="secret_id",
                value=ModelsState.bound,
                on_change=ModelsState.choose_key,
            ),
            label=t("models.vault_key"),
            name="secret_id",
            hint=t("models.vault_key_help"),
        ),
        button(
            t("models.vault_key_add"),
            icon="plus",
            on_click=AddSecretState.open_for([ModelsState.provider]),
        ),
        class_name="row top with-check",
    )


def _listed() -> rx.Var[str]:
    problem = t("models.listed_problem", reason=model_problem(ModelsState.list_problem))
    short = rx.cond(ModelsState.list_problem != "", problem, t("models.listed_short"))
    live = t("models.listed_live", number=number(ModelsState.offered.length()))
    known = rx.cond(ModelsState.is_live, live, short)
    return rx.cond(ModelsState.listing, t("models.loading_names"), known).to(str)


def _name() -> rx.Component:
    return rx.fragment(
        marked(
            ModelsState.problems,
            "model_name",
            t("models.model_name"),
            t("models.name_free"),
            class_name="mono",
            list="models-offered",
            default_value=ModelsState.model.model_name,
            max_length=200,
        ),
        rx.el.datalist(
            rx.foreach(ModelsState.offered, lambda one: rx.el.option(value=one.id)), id="models-offered"
        ),
        rx.el.span(_listed(), class_name="help", role="status"),
    )


def _address() -> rx.Component:
    reserved = rx.cond(
        ModelsState.may_name_servers, t("models.base_url_optional"), t("models.base_url_reserved")
    )
    return rx.cond(
        ModelsState.takes_url,
        marked(
            ModelsState.problems,
            "base_url",
            t("models.base_url"),
            reserved.to(str),
            default_value=ModelsState.model.base_url,
            read_only=~ModelsState.may_name_servers,
            placeholder="http://localhost:11434/v1",
        ),
    )


def _figure(name: str, label: rx.Var[str], value: rx.Var, hint: rx.Var[str] | None = None) -> rx.Component:
    problem = ModelsState.problems[f"params.{name}"].to(str)
    shown = rx.cond(ModelsState.problems.contains(f"params.{name}"), problem, "")

    said = rx.cond(shown != "", problem_text(shown.to(str)), "").to(str)
    return field(
        text_input(name, problem=said, input_mode="decimal", default_value=value, auto_complete="off"),
        label=label,
        name=name,
        hint=hint,
        problem=said,
    )


def _fallback(name: str, label: rx.Var[str], chosen: rx.Var) -> rx.Component:
    others = rx.foreach(
        ModelsState.rows,
        lambda row: rx.cond(
            row.id != ModelsState.model.id, rx.el.option(row.name, value=row.id.to(str)), rx.fragment()
        ),
    )
    return field(
        _picked(rx.el.option(t("models.fallback_none"), value=""), others, name=name, default_value=chosen),
        label=label,
        name=name,
    )


def _fallbacks() -> rx.Component:
    steps = ModelsState.model.fallbacks
    first = rx.cond(steps.length() > 0, steps[0].id.to(str), "")
    second = rx.cond(steps.length() > 1, steps[1].id.to(str), "")
    return rx.fragment(
        rx.el.div(
            _fallback("fallback_1", t("models.fallback_first"), first),
            _fallback("fallback_2", t("models.fallback_second"), second),
            class_name="of",
        ),
        rx.el.span(t("models.fallback_help"), class_name="help"),
    )


def _advanced() -> rx.Component:
    params = ModelsState.model.params
    several = rx.match(params.parallel_tool_calls, (True, "true"), (False, "false"), "")
    return rx.el.details(
        rx.el.summary(t("models.advanced")),
        rx.el.div(
            rx.el.div(
                _figure("temperature", t("models.params.temperature"), params.temperature),
                _figure("top_p", t("models.params.top_p"), params.top_p),
                class_name="of",
            ),
            rx.el.div(
                _figure("max_tokens", t("models.params.max_tokens"), params.max_tokens),
                _figure("timeout_s", t("models.params.timeout_s"), params.timeout_s),
                class_name="of",
            ),
            rx.el.span(t("models.params.open"), class_name="help"),
            field(
                _picked(
                    rx.el.option(t("models.params.parallel_default"), value=""),
                    rx.el.option(t("models.params.parallel_yes"), value="true"),
                    rx.el.option(t("models.params.parallel_no"), value="false"),
                    name="parallel_tool_calls",
                    default_value=several,
                ),
                label=t("models.params.parallel"),
                name="parallel_tool_calls",
            ),
            marked(
                ModelsState.problems,
                "context_length",
                t("models.context"),
                t("models.context_help"),
                input_mode="numeric",
                default_value=ModelsState.model.context_length,
            ),
            rx.cond(
                ModelsState.dialects.length() > 0,
                field(
                    _picked(
                        rx.el.option(t("models.dialect_default"), value=""),
                        rx.foreach(ModelsState.dialects, lambda one: rx.el.option(one, value=one)),
                        name="dialect",
                        default_value=ModelsState.model.dialect,
                    ),
                    label=t("models.dialect"),
                    name="dialect",
                ),
            ),
            rx.cond(
                ModelsState.takes_url,
                rx.el.label(
                    rx.el.input(
                        type="checkbox",
                        name="is_free",
                        class_name="ck",
                        default_checked=ModelsState.model.is_free,
                    ),
                    rx.el.span(
                        rx.el.span(t("models.free")),
                        rx.el.span(t("models.free_help"), class_name="help"),
                        class_name="col",
                    ),
                    class_name="row choice",
                ),
            ),
            _fallbacks(),
            class_name="col form-gap",
        ),
        class_name="advanced",
    )


def form_dialog() -> rx.Component:
    """Draw the dialog, closed, with the one that adds a key from it."""
    is_edit = ModelsState.doing == "edit"
    form = rx.el.form(
        intent_field(),
        _provider(),
        rx.cond(ModelsState.provider != "practice", rx.fragment(_key(), _name(), _address())),
        marked(
            ModelsState.problems,
            "name",
            t("models.label"),
            t("models.label_help"),
            default_value=ModelsState.model.name,
            max_length=128,
        ),
        _advanced(),
        found(ModelsState.result),
        rx.el.div(
            button(t("models.cancel"), on_click=ModelsState.close(False)),
            submit_as("check", t("models.test"), busy=ModelsState.testing),
            submit_as("save", t("models.save"), look="primary"),
            class_name="acts",
        ),
        no_validate=True,
        on_submit=ModelsState.send,
        custom_attrs={"data-saves": "true"},
        key=ModelsState.model.id.to(str),
        class_name="col form-gap",
    )
    return rx.fragment(
        dialog(
            form,
            title=rx.cond(
                is_edit, t("models.edit_title", name=ModelsState.model.name), t("models.add_title")
            ).to(str),
            sentence=t("models.form_sentence"),
            close=t("models.close"),
            open=(ModelsState.doing == "add") | is_edit,
            on_open_change=ModelsState.close,
        ),
        add_secret(on_made=ModelsState.key_added),
    )
