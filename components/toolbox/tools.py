"""The tools of the opened capability: who is asked, and what the model is told of each."""

import reflex as rx

from agenticos_app.i18n import t
from agenticos_app.schemas.toolbox import ToolLine
from components.toolbox.setting_fields import typed
from components.ui.field import field, problem_line
from components.ui.icon import icon
from components.ui.marks import badge
from components.ui.surfaces import note
from state.toolbox import ToolboxState

Tool = rx.Var[ToolLine]


def tool_list() -> rx.Component:
    """Draw the tools, with the words of the one that is unfolded."""
    tools = ToolboxState.opened.tools
    return rx.cond(
        tools.length() > 0,
        rx.el.section(
            rx.el.div(
                rx.el.h3(t("toolbox.tools"), class_name="b grow"),
                rx.el.span(t("toolbox.tools_offered", n=tools.length()), class_name="meta"),
                class_name="row",
            ),
            rx.el.ul(rx.foreach(tools, _tool), class_name="tb-tools"),
            rx.cond(
                ToolboxState.asks_first,
                note(t("toolbox.approval_later"), tone="amber", icon="triangle-alert", role="status"),
                rx.el.span(t("toolbox.approval_default"), class_name="help"),
            ),
            class_name="col tb-part",
        ),
    )


def _tool(tool: Tool) -> rx.Component:
    is_open = ToolboxState.words.id == tool.id
    return rx.el.li(
        rx.el.div(
            rx.el.button(
                icon("chevron-right", "tw"),
                rx.el.span(
                    rx.el.span(
                        rx.el.span(tool.label, class_name="b"),
                        rx.cond(tool.acts, badge(t("toolbox.acts"), tone="amber")),
                        rx.cond(tool.has_words, rx.el.span(tool.name, class_name="meta mono cut")),
                        class_name="row tb-tool-name",
                    ),
                    rx.el.span(tool.sentence, class_name="help"),
                    rx.cond(tool.problem != "", problem_line(tool.problem)),
                    class_name="col grow",
                ),
                type="button",
                aria_expanded=is_open,
                on_click=ToolboxState.show_tool(tool.id),
                class_name="row grow tb-tool-fold",
            ),
            _approval(tool),
            class_name="row top tb-tool",
        ),
        rx.cond(is_open, _words(tool)),
        class_name=rx.cond(is_open, "on", "").to(str),
    )


def _approval(tool: Tool) -> rx.Component:
    return rx.el.div(
        rx.el.select(
            rx.el.option(t("toolbox.approval.default"), value="default"),
            rx.el.option(t("toolbox.approval.required"), value="required"),
            rx.el.option(t("toolbox.approval.never"), value="never"),
            value=tool.approval,
            on_change=lambda approval: ToolboxState.set_approval(ToolboxState.opened.id, tool.id, approval),
            aria_label=t("toolbox.approval_of", tool=tool.label),
            class_name="in sm",
        ),
        icon("chevron-down"),
        class_name="pick tb-approval",
    )


def _words(tool: Tool) -> rx.Component:
    at = f"capabilities.{ToolboxState.opened.id}.tool_overrides.{tool.id}"
    words, capability = ToolboxState.words, ToolboxState.opened.id
    replaced = rx.cond(words.name != "", t("toolbox.name_replaces", name=tool.id), t("toolbox.name_help")).to(
        str
    )
    return rx.el.div(
        field(
            typed(
                f"{at}.name",
                problem=words.name_problem,
                class_name="sm mono",
                value=words.name,
                placeholder=tool.id,
                max_length=64,
                spell_check=False,
                on_typed=lambda text: ToolboxState.name_tool(capability, tool.id, text),
            ),
            label=t("toolbox.name_seen"),
            name=f"{at}.name",
            hint=replaced,
            problem=words.name_problem,
        ),
        field(
            typed(
                f"{at}.description",
                problem="",
                class_name="ta tb-small",
                lines=True,
                value=words.description,
                placeholder=t("toolbox.description_own"),
                max_length=8_000,
                on_typed=lambda text: ToolboxState.describe_tool(capability, tool.id, text),
            ),
            label=t("toolbox.description_seen"),
            name=f"{at}.description",
            hint=t("toolbox.description_help"),
        ),
        rx.el.div(
            rx.el.span(t("toolbox.told"), class_name="lab"),
            rx.el.pre(
                rx.el.b(words.told_name),
                words.told,
                tab_index=0,
                aria_label=t("toolbox.told"),
                class_name="tb-told",
            ),
            class_name="f",
        ),
        class_name="col tb-words",
        key=f"{tool.id}-{ToolboxState.renewed}",
    )
