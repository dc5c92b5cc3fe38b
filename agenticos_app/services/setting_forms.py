"""The form of one capability's settings: what each field looks like, and what is typed as a value.

Drawn from the JSON Schema that the registry gives out, and from nothing else.
"""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import cast

from agenticos_app.catalogue import said
from agenticos_app.schemas.toolbox import Control, OptionRow, SettingRow

Schema = Mapping[str, object]

LONGEST_LINE = 2_000
LONGEST_TEXT = 20_000
SEGMENT_OPTIONS = 3
SEGMENT_LETTERS = 44
"""What fits side by side in the form's column."""
ON, OFF = "true", "false"


def fields_of(form: Schema) -> Mapping[str, Schema]:
    """Return the settings of a capability's schema."""
    return cast("Mapping[str, Schema]", form.get("properties", {}))


def is_advanced(field: Schema) -> bool:
    """Tell whether most authors leave a setting alone."""
    return field.get("advanced") is True


def setting_row(
    field: Schema, name: str, at: str, config: Mapping[str, object], problem: str, language: str
) -> SettingRow:
    """Return one field of the form as `config` sets it."""
    control, default = _control(field), field.get("default")
    chosen = config.get(name, default)
    value = _typed(chosen)
    if control not in ("switch", "segment", "select", "ticks") and name not in config:
        value = ""
    return SettingRow(
        name=name,
        at=at,
        label=str(field.get("title", name)),
        hint=_hint(field, language),
        control=control,
        value=value,
        default=_typed(default),
        options=_options(field, control, chosen, language),
        longest=_longest(field, control),
        is_whole="integer" in _kinds(field),
        problem=problem,
    )


def leaves_open(field: Schema, typed: str) -> bool:
    """Tell whether what was typed leaves the setting to its default."""
    is_empty_value = "null" in _kinds(field) or "array" in _kinds(field)
    return not typed.strip() and not (is_empty_value and field.get("default"))


def value_of(field: Schema, typed: str) -> object:
    """Return what was typed as the setting's value.

    What is no number stays as it was typed, so that nobody loses it; publishing refuses it.
    """
    kinds = _kinds(field)
    if not typed.strip() and "null" in kinds:
        return None
    if "array" in kinds:
        return list(dict.fromkeys(line.strip() for line in typed.splitlines() if line.strip()))
    if values := _values(field):
        return next((one for one in values if _typed(one) == typed), typed)
    if "boolean" in kinds:
        return typed == ON
    if kinds & {"integer", "number"}:
        return _number(typed.strip())
    return typed


def _kinds(field: Schema) -> set[str]:
    kinds = field.get("type", "string")
    return {kinds} if isinstance(kinds, str) else set(cast("Sequence[str]", kinds))


def _values(field: Schema) -> list[object]:
    """Return the values of a choice, also of one of several."""
    items = cast("Schema", field.get("items", {}))
    found = cast("Sequence[object]", field.get("enum") or items.get("enum") or ())
    return [one for one in found if one is not None]


def _control(field: Schema) -> Control:
    kinds, values = _kinds(field), _values(field)
    if "array" in kinds:
        return "ticks" if values else "entries"
    if "boolean" in kinds:
        return "select" if "null" in kinds else "switch"
    if values:
        return _choice(field, values, may_be_open="null" in kinds)
    if kinds & {"integer", "number"}:
        return "number"
    by_format: dict[object, Control] = {"timezone": "timezone", "multiline": "lines"}
    return by_format.get(field.get("format"), "line")


def _choice(field: Schema, values: Sequence[object], *, may_be_open: bool) -> Control:
    letters = sum(len(_label(field, one)) for one in values)
    fits = len(values) <= SEGMENT_OPTIONS and letters <= SEGMENT_LETTERS
    return "segment" if fits and not may_be_open else "select"


def _label(field: Schema, value: object) -> str:
    return cast("Mapping[str, str]", field.get("x-enum-labels", {})).get(str(value), str(value))


def _options(field: Schema, control: Control, chosen: object, language: str) -> list[OptionRow]:
    if control not in ("segment", "select", "ticks"):
        return []
    held = {_typed(one) for one in _all(chosen)} if control == "ticks" else {_typed(chosen)}
    icons = cast("Mapping[str, str]", field.get("x-enum-icons", {}))

    def option(value: str, label: str, icon: str = "") -> OptionRow:
        return OptionRow(value=value, label=label, icon=icon, chosen=value in held)

    values = _values(field)
    found = [option(_typed(one), _label(field, one), icons.get(str(one), "")) for one in values]
    if "boolean" in _kinds(field):
        found = [option(ON, said(language, "toolbox.yes")), option(OFF, said(language, "toolbox.no"))]
    if control == "select" and "null" in _kinds(field):
        found.insert(0, option("", said(language, "toolbox.left_open")))
    if control == "select" and not any(one.chosen for one in found):
        found.append(option(_typed(chosen), _typed(chosen)))
    return found


def ticked(field: Schema, chosen: object, typed: str) -> list[object]:
    """Return the chosen values of several with one more, or without it if it was among them."""
    wanted = {_typed(one) for one in _all(chosen)} ^ {typed}
    return [one for one in _values(field) if _typed(one) in wanted]


def _all(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _typed(value: object) -> str:
    """Return a value as somebody would type it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return ON if value else OFF
    if isinstance(value, list):
        return "\n".join(_typed(one) for one in cast("list[object]", value))
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _number(typed: str) -> object:
    for read in cast("tuple[Callable[[str], int | float], ...]", (int, float)):
        try:
            number = read(typed.replace(",", "."))
        except ValueError:
            continue
        if isfinite(number):
            return number
    return typed


def _longest(field: Schema, control: Control) -> int:
    most = field.get("maxLength")
    if isinstance(most, int):
        return most
    return LONGEST_TEXT if control in ("lines", "entries") else LONGEST_LINE


def _hint(field: Schema, language: str) -> str:
    """Return the help of a field with the bounds of its number and how its list is typed."""
    parts = [str(field.get("description", "")), _bounds(field, language)]
    if _control(field) == "entries":
        parts.append(said(language, "toolbox.one_a_line"))
    return " ".join(part for part in parts if part)


def _bounds(field: Schema, language: str) -> str:
    named = {
        name: _typed(field[name])
        for name in ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
        if field.get(name) is not None
    }
    if set(named) == {"minimum", "maximum"}:
        return said(language, "toolbox.between", named)
    phrases = [said(language, f"toolbox.bound.{name}", {"number": bound}) for name, bound in named.items()]
    joined = ", ".join(phrases)
    return f"{joined[:1].upper()}{joined[1:]}." if joined else ""
