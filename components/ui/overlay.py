"""What opens over the page: menus, popovers, dialogs. Unstyled Radix primitives, styled by `kit.css`."""

from typing import Literal

import reflex as rx
from reflex.vars import VarData
from reflex.vars.function import FunctionVar
from reflex_base.components.component import MemoizationLeaf
from reflex_base.utils.imports import ImportVar

from components.ui.base import BrowserWidget, Child, Flag, Text, classes, link
from components.ui.button import button
from components.ui.icon import icon as draw_icon

Side = Literal["top", "right", "bottom", "left"]
Align = Literal["start", "center", "end"]
GAP_PX = 6

_opened = rx.event.passthrough_event_spec(bool)
_valued = rx.event.passthrough_event_spec(str)


class _Menu(rx.Component):
    library = "@radix-ui/react-dropdown-menu@2.2.1"


class _MenuRoot(_Menu):
    tag = "Root"
    alias = "MenuRoot"


class _MenuTrigger(_Menu):
    tag = "Trigger"
    alias = "MenuTrigger"


class _MenuPortal(_Menu):
    tag = "Portal"
    alias = "MenuPortal"


class _MenuContent(_Menu):
    tag = "Content"
    alias = "MenuContent"
    side: rx.Var[str]
    align: rx.Var[str]
    side_offset: rx.Var[int]
    collision_padding: rx.Var[int]


class _MenuItem(_Menu):
    tag = "Item"
    alias = "MenuItem"
    disabled: rx.Var[bool]
    on_select: rx.EventHandler[rx.event.no_args_event_spec]


class _MenuLink(_Menu, MemoizationLeaf):
    tag = "Item"
    alias = "MenuItem"
    as_child: rx.Var[bool]


class _MenuLabel(_Menu):
    tag = "Label"
    alias = "MenuLabel"


class _MenuSeparator(_Menu):
    tag = "Separator"
    alias = "MenuSeparator"


class _MenuChoice(_Menu):
    tag = "RadioGroup"
    alias = "MenuRadioGroup"
    value: rx.Var[str]
    on_value_change: rx.EventHandler[_valued]


class _MenuOption(_Menu):
    tag = "RadioItem"
    alias = "MenuRadioItem"
    value: rx.Var[str]
    on_select: rx.EventHandler[rx.event.no_args_event_spec]


class _MenuTick(_Menu):
    tag = "ItemIndicator"
    alias = "MenuItemIndicator"


def menu(
    *items: rx.Component,
    trigger: list[Child],
    trigger_class: Text = "btn q",
    label: Text | None = None,
    side: Side = "bottom",
    align: Align = "start",
) -> rx.Component:
    """Draw a button that opens a menu; `label` names a trigger that has no words of its own."""
    named = {} if label is None else {"aria_label": label}
    return _MenuRoot.create(
        _MenuTrigger.create(*trigger, class_name=trigger_class, **named),
        _MenuPortal.create(
            _MenuContent.create(
                *items, class_name="pop menu", side=side, align=align, side_offset=GAP_PX, collision_padding=8
            )
        ),
    )


def menu_item(
    *children: Child, on_select: rx.event.EventType, icon: str | None = None, danger: bool = False
) -> rx.Component:
    """Draw something the menu does."""
    return _MenuItem.create(
        *([draw_icon(icon)] if icon else []),
        *children,
        on_select=on_select,
        class_name=classes("item", "dng" if danger else ""),
    )


def menu_link(*children: Child, href: Text, icon: str | None = None) -> rx.Component:
    """Draw a page the menu leads to."""
    return _MenuLink.create(
        link(*([draw_icon(icon)] if icon else []), *children, href=href, class_name="item"), as_child=True
    )


def menu_file(*children: Child, href: Text, icon: str | None = None) -> rx.Component:
    """Draw a file that the menu downloads."""
    return _MenuLink.create(
        rx.el.a(
            *([draw_icon(icon)] if icon else []),
            *children,
            href=href,
            custom_attrs={"download": "", "reloadDocument": True},  # else the router takes it for a page
            class_name="item",
        ),
        as_child=True,
    )


def menu_label(*children: Child) -> rx.Component:
    """Draw the name of what follows."""
    return _MenuLabel.create(*children, class_name="menu-label")


def menu_line() -> rx.Component:
    """Draw a line between two kinds of items."""
    return _MenuSeparator.create(class_name="menu-line")


def menu_choice(*options: tuple[str, Child, rx.event.EventType], value: Text) -> rx.Component:
    """Draw a choice of one: value, name and what choosing does; `value` is the one in force."""
    return _MenuChoice.create(
        *[
            _MenuOption.create(
                rx.el.span(name, class_name="grow"),
                _MenuTick.create(draw_icon("check")),
                value=option,
                on_select=choose,
                class_name="item",
            )
            for option, name, choose in options
        ],
        value=value,
    )


class _Popover(rx.Component):
    library = "@radix-ui/react-popover@1.3.1"


class _PopoverRoot(_Popover):
    tag = "Root"
    alias = "PopoverRoot"


class _PopoverTrigger(_Popover):
    tag = "Trigger"
    alias = "PopoverTrigger"


class _PopoverPortal(_Popover):
    tag = "Portal"
    alias = "PopoverPortal"


class _PopoverContent(_Popover):
    tag = "Content"
    alias = "PopoverContent"
    side: rx.Var[str]
    align: rx.Var[str]
    side_offset: rx.Var[int]
    collision_padding: rx.Var[int]


def popover(
    *children: Child,
    trigger: list[Child],
    trigger_class: Text = "btn",
    label: Text,
    side: Side = "bottom",
    align: Align = "start",
) -> rx.Component:
    """Draw a button that opens a small surface; `label` names the surface."""
    return _PopoverRoot.create(
        _PopoverTrigger.create(*trigger, class_name=trigger_class),
        _PopoverPortal.create(
            _PopoverContent.create(
                *children,
                class_name="pop popover",
                aria_label=label,
                side=side,
                align=align,
                side_offset=GAP_PX,
                collision_padding=8,
            )
        ),
    )


class _Dialog(rx.Component):
    library = "@radix-ui/react-dialog@1.3.1"


class _DialogRoot(_Dialog):
    tag = "Root"
    alias = "DialogRoot"
    open: rx.Var[bool]
    on_open_change: rx.EventHandler[_opened]


class _DialogPortal(_Dialog):
    tag = "Portal"
    alias = "DialogPortal"


class _DialogOverlay(_Dialog):
    tag = "Overlay"
    alias = "DialogOverlay"


class _DialogContent(BrowserWidget):
    tag = "DialogBody"
    role: rx.Var[str]


class _DialogTitle(_Dialog):
    tag = "Title"
    alias = "DialogTitle"


class _DialogDescription(_Dialog):
    tag = "Description"
    alias = "DialogDescription"


class _DialogClose(_Dialog):
    tag = "Close"
    alias = "DialogClose"


def _dialog_parts(
    *children: Child, title: Text, sentence: Child, close: Text, class_name: str, role: str
) -> rx.Component:
    return _DialogPortal.create(
        _DialogOverlay.create(class_name="scrim"),
        _DialogContent.create(
            rx.el.div(
                _DialogTitle.create(title, class_name="h grow"),
                _DialogClose.create(draw_icon("x"), aria_label=close, class_name="btn q ic sm"),
                class_name="row",
            ),
            _DialogDescription.create(sentence, class_name="sec"),
            *children,
            class_name=class_name,
            role=role,
        ),
    )


def dialog(
    *children: Child,
    title: Text,
    sentence: Child,
    close: Text,
    open: Flag,  # noqa: A002  # the primitive's own name
    on_open_change: rx.event.EventType,
) -> rx.Component:
    """Draw a dialog over the page; the focus stays in it and returns when it closes.

    `close` labels the cross at its corner; `on_open_change` is called with False when the person leaves it.
    """
    return _DialogRoot.create(
        _dialog_parts(
            *children, title=title, sentence=sentence, close=close, class_name="pop dlg", role="dialog"
        ),
        open=open,
        on_open_change=on_open_change,
    )


def confirm_dialog(
    *,
    title: Text,
    lost: Child,
    keep: Text,
    go_on: Text,
    close: Text,
    on_confirm: rx.event.EventType,
    open: Flag,  # noqa: A002  # the primitive's own name
    on_open_change: rx.event.EventType,
    busy: Flag = False,
) -> rx.Component:
    """Ask once before something is lost.

    `lost` names what is lost and who uses it, `keep` labels the way back, `go_on` the destructive button: a
    verb and its object.
    """
    return _DialogRoot.create(
        _dialog_parts(
            rx.el.div(
                _DialogClose.create(keep, class_name="btn"),
                button(go_on, look="danger_primary", on_click=on_confirm, busy=busy),
                class_name="acts",
            ),
            title=title,
            sentence=lost,
            close=close,
            class_name="pop dlg",
            role="alertdialog",
        ),
        open=open,
        on_open_change=on_open_change,
    )


class PanelRoot(BrowserWidget):
    """Names what opens by a key or from anywhere on the page; see `panel_dialog`."""

    tag = "PanelRoot"
    name: rx.Var[str]


def panel_dialog(
    *children: Child, name: str, title: Text, sentence: Child, close: Text, sheet: bool = False
) -> rx.Component:
    """Draw a dialog that the browser opens by its name (`open_panel`); `sheet` slides in from the side."""
    return PanelRoot.create(
        _dialog_parts(
            *children,
            title=title,
            sentence=sentence,
            close=close,
            class_name="sheet" if sheet else "pop dlg",
            role="dialog",
        ),
        name=name,
    )


def open_panel(name: str) -> FunctionVar:
    """Return a handler that opens a panel of the page."""
    return rx.Var(
        f'(() => openPanel("{name}"))',
        _var_data=VarData(
            imports={"$/public/kit.jsx": [ImportVar(tag="openPanel")]},
        ),
    ).to(FunctionVar)
