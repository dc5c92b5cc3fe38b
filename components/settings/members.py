"""Who belongs to the organization, in which role."""

import reflex as rx

from agenticos_app.i18n import day, t
from agenticos_app.schemas.organizations import MemberRow
from agenticos_app.security.permissions import Permission
from components.layout.navigation import may
from components.settings.organization import named_field, reserved, saved
from components.settings.words import problem_text, role_explained, role_word
from components.ui.button import button, icon_button, tooltip
from components.ui.field import field, problem_line, saving_form
from components.ui.icon import icon
from components.ui.marks import avatar, badge
from components.ui.overlay import confirm_dialog, dialog
from components.ui.surfaces import section
from state.session import SessionState
from state.settings import SettingsState


def _option(role: rx.Var[str]) -> rx.Component:
    return rx.el.option(role_word(role), value=role)


def _picker(member: rx.Var[MemberRow]) -> rx.Component:
    return rx.el.div(
        rx.el.select(
            rx.foreach(SettingsState.roles, _option),
            value=member.role,
            on_change=lambda role: SettingsState.change_role(member.user_id.to(str), role),
            aria_label=t("settings.role_of", name=member.full_name),
            class_name="in",
        ),
        icon("chevron-down"),
        class_name="pick role",
    )


def _role(member: rx.Var[MemberRow]) -> rx.Component:
    fixed = rx.el.span(role_word(member.role), class_name="sec role")
    explained = tooltip(fixed, text=t("settings.only_owner"))
    return rx.cond(
        member.may_change, _picker(member), rx.cond(may(Permission.MEMBERS_MANAGE), explained, fixed)
    )


def _end(member: rx.Var[MemberRow]) -> rx.Component:
    ask = SettingsState.ask_removal(member.user_id.to(str))
    leave = button(t("settings.leave"), small=True, on_click=ask)
    remove = icon_button(
        "user-minus", t("settings.remove_named", name=member.full_name), small=True, on_click=ask
    )
    is_me = member.user_id.to(str) == SessionState.me.user_id.to(str)
    return rx.el.span(rx.cond(is_me, leave, rx.cond(member.may_change, remove)), class_name="member-end")


def _member(member: rx.Var[MemberRow]) -> rx.Component:
    key = "member-" + member.user_id.to(str)
    problem = problem_text(SettingsState.problems[key].to(str))
    return rx.el.li(
        avatar(member.full_name, is_round=True),
        rx.el.div(
            rx.el.span(
                rx.el.span(member.full_name, class_name="cut"),
                rx.cond(member.user_id.to(str) == SessionState.me.user_id.to(str), badge(t("settings.you"))),
                rx.cond(member.is_active, rx.fragment(), badge(t("settings.inactive"), tone="amber")),
                class_name="row",
            ),
            rx.el.span(
                member.email, " · ", t("settings.joined", day=day(member.joined_at)), class_name="meta cut"
            ),
            rx.cond(SettingsState.problems.contains(key), problem_line(problem)),
            class_name="grow col",
        ),
        _role(member),
        _end(member),
        class_name="device member",
    )


def _adding() -> rx.Component:
    return dialog(
        saving_form(
            named_field(
                "email",
                t("settings.email"),
                t("settings.email_help"),
                input_mode="email",
                auto_complete="off",
                auto_focus=True,
            ),
            field(
                rx.el.div(
                    rx.el.select(
                        rx.foreach(SettingsState.roles, _option),
                        id="role",
                        name="role",
                        default_value="member",
                        class_name="in",
                    ),
                    icon("chevron-down"),
                    class_name="pick",
                ),
                label=t("settings.role_label"),
                name="role",
            ),
            rx.el.div(button(t("settings.add"), type="submit", look="primary"), class_name="acts"),
            on_submit=SettingsState.add_member,
            class_name="col form-gap",
        ),
        title=t("settings.add_title"),
        sentence=t("settings.add_sentence"),
        close=t("frame.close"),
        open=SettingsState.adding,
        on_open_change=SettingsState.set_adding,
    )


def _ending() -> rx.Component:
    name, organization = SettingsState.removing.full_name, SettingsState.organization.name
    leaving = SettingsState.is_leaving
    return confirm_dialog(
        title=rx.cond(
            leaving,
            t("settings.leave_title", organization=organization),
            t("settings.remove_title", name=name),
        ),
        lost=rx.cond(
            leaving,
            t("settings.leave_lost", organization=organization),
            t("settings.remove_lost", name=name, organization=organization),
        ),
        keep=t("settings.keep"),
        go_on=rx.cond(leaving, t("settings.leave_go_on"), t("settings.remove_go_on")),
        close=t("frame.close"),
        on_confirm=SettingsState.remove_member,
        open=SettingsState.removing.is_not_none(),
        on_open_change=SettingsState.set_removing,
    )


def _roles() -> rx.Component:
    lines = [rx.fragment(rx.el.dt(name), rx.el.dd(may_do)) for name, may_do in role_explained()]
    return rx.el.details(
        rx.el.summary(icon("chevron-right", "tw"), t("settings.roles"), class_name="row sec"),
        rx.el.dl(*lines, class_name="roles"),
        class_name="foot-row",
    )


def members() -> rx.Component:
    """Draw the members."""
    manages = may(Permission.MEMBERS_MANAGE)
    return rx.fragment(
        section(
            rx.el.ul(rx.foreach(SettingsState.members, _member)),
            _roles(),
            rx.cond(manages, rx.fragment(), reserved(t("settings.ask_admin"))),
            title=t("settings.members"),
            sentence=t("settings.members_sentence", n=SettingsState.members.length()),
            aside=rx.el.div(
                saved("member"),
                rx.cond(
                    manages,
                    button(
                        t("settings.add"),
                        icon="user-plus",
                        small=True,
                        on_click=SettingsState.set_adding(True),
                    ),
                ),
                class_name="row",
            ),
        ),
        _adding(),
        _ending(),
    )
