"""Texts as Vars: chosen when the page is built, translated in the browser."""

import json
from collections.abc import Mapping

import reflex as rx
from reflex.vars import VarData
from reflex.vars.function import FunctionStringVar, FunctionVar, ReflexCallable
from reflex.vars.sequence import StringVar
from reflex_base.utils.imports import ImportVar

from agenticos_app.catalogue import SOURCE, texts, values_of

MODULE = "$/public/i18n.js"
PACKAGES = ("i18next@27.1.5", "react-i18next@18.0.2")


class UnknownTextError(LookupError):
    """The catalogue has no such text, or the text takes other values."""


def needs(*names: str, hook: str = "") -> VarData:
    """Return what a Var needs that uses `names` of `assets/i18n.js`, or the hook of that statement."""
    imports: dict[str, list[ImportVar]] = {MODULE: [ImportVar(tag=name) for name in names]}
    imports |= {package: [ImportVar(tag=None, render=False)] for package in PACKAGES}
    return VarData(imports=imports, hooks={hook: None} if hook else {})


def data_of(var: rx.Var[object]) -> VarData | None:
    """Return what a Var itself needs; Reflex has no public name for it."""
    return var._get_all_var_data()  # pyright: ignore[reportPrivateUsage]


def text_var(expression: str, *needed: VarData | None) -> StringVar[str]:
    """Return a text that the browser computes."""
    return StringVar(_js_expr=expression, _var_type=str, _var_data=VarData.merge(*needed))


def _translated(
    key: str, values: Mapping[str, object] | rx.Var[object], *needed: VarData | None
) -> StringVar[str]:
    filled: rx.Var[object] = rx.Var.create(values)
    return text_var(
        f"$t({key}, {filled!s})", data_of(filled), needs("useT", hook="const $t = useT();"), *needed
    )


def t(key: str, **values: object) -> StringVar[str]:
    """Return the text in the person's language; `n` chooses the plural form.

    Raises:
        UnknownTextError: When the page is built, if key or values do not fit the English catalogue.
    """
    known = texts(SOURCE)
    text = known.get(f"{key}_other") if "n" in values else known.get(key)
    if text is None:
        raise UnknownTextError(f"no text {key!r} in {SOURCE}.json")
    if (wanted := values_of(text)) != set(values):
        raise UnknownTextError(f"{key!r} takes {sorted(wanted)}, got {sorted(values)}")
    if "n" in values:
        values["count"] = values["n"]
    return _translated(json.dumps(key), values)


def takes(key: str) -> set[str]:
    """Return the names of the values that a text is filled with."""
    return values_of(texts(SOURCE)[key])


def error_text(
    code: rx.Var[str] | str, details: rx.Var[object] | Mapping[str, object] | None = None
) -> StringVar[str]:
    """Return the sentence for an error code, known only at run time."""
    return _with_key("error", code, {} if details is None else details)


def field_error_text(code: rx.Var[str] | str) -> StringVar[str]:
    """Return the sentence beside a field, for the `message` of a field problem."""
    return _with_key("error.field", code, {})


def problem_text(
    code: rx.Var[str] | str, details: rx.Var[object] | Mapping[str, object] | None = None
) -> StringVar[str]:
    """Return the sentence for a reason why an agent cannot be published."""
    return _with_key("problem", code, {} if details is None else details)


def _with_key(
    area: str, code: rx.Var[str] | str, values: Mapping[str, object] | rx.Var[object]
) -> StringVar[str]:
    name = rx.Var.create(code)
    return _translated(f"keyOf({json.dumps(area)}, {name!s})", values, data_of(name), needs("keyOf"))


def language() -> StringVar[str]:
    """Return the code of the language that the page is in."""
    return text_var("$language", needs("useLanguage", hook="const $language = useLanguage();"))


def set_language(code: str | None = None) -> FunctionVar[ReflexCallable[..., object]]:
    """Return a handler that switches the language in place and remembers the choice.

    Without a code the handler takes it from the event, as `on_change` of a select gives it.
    """
    handler = "((code) => chooseLanguage(code))" if code is None else f'(() => chooseLanguage("{code}"))'
    return FunctionStringVar.create(handler, _var_data=needs("chooseLanguage"))
