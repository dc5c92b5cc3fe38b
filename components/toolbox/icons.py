"""The icons that the registry's answer names. A client holds those that it was built with."""

from collections.abc import Iterable, Mapping
from typing import cast

import reflex as rx

from agenticos_app.contracts.capability import AnyCapability
from components.ui.icon import icon

_names: tuple[str, ...] | None = None


def use(capabilities: Iterable[AnyCapability]) -> None:
    """Draw the icons of these capabilities; called by the composition root before pages are made."""
    global _names
    found: set[str] = set()
    for one in capabilities:
        found.add(one.icon)
        for field in one.config.model_json_schema().get("properties", {}).values():
            found.update(cast("Mapping[str, str]", field.get("x-enum-icons", {})).values())
    _names = tuple(sorted(found))


def named_icon(name: rx.Var[str]) -> rx.Component:
    """Draw an icon by its name, known only at run time."""
    assert _names is not None, "the composition root hands them over"
    return rx.fragment(rx.match(name, *[(one, icon(one)) for one in _names], icon("blocks")))
