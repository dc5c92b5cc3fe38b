"""The organization's image: the one it was given, or initials on its colour."""

import reflex as rx

from agenticos_app.i18n import t
from components.settings.words import problem_text
from components.ui.button import button
from components.ui.field import problem_line
from components.ui.icon import icon
from components.ui.marks import initials
from components.ui.picture import PicturePicker
from state.settings import SettingsState


def _address() -> rx.Var[str]:
    return "/api/v1/organization/avatar?organization=" + SettingsState.organization.id.to(str)


def image() -> rx.Component:
    """Draw the image or the initials; the name stands beside it."""
    organization = SettingsState.organization
    address = _address() + "&v=" + organization.avatar_version.to(str)
    return rx.cond(
        organization.avatar_version != "",
        rx.el.img(src=address, alt="", width="48", height="48", class_name="org-image"),
        rx.el.span(
            initials(organization.name),
            class_name="org-image hue-" + organization.avatar_color.to(str),
            aria_hidden="true",
        ),
    )


def image_field() -> rx.Component:
    """Draw the image with what may be done to it, and what is wrong with the one that was sent."""
    organization = SettingsState.organization
    problem = problem_text(SettingsState.problems["avatar"].to(str))
    return rx.el.div(
        image(),
        rx.el.div(
            rx.el.div(
                PicturePicker.create(
                    icon("upload"),
                    t("settings.upload"),
                    address=_address(),
                    on_saved=SettingsState.avatar_saved,
                    on_refused=SettingsState.avatar_refused,
                    class_name="btn sm",
                ),
                rx.cond(
                    organization.avatar_version != "",
                    button(
                        t("settings.remove_image"),
                        look="quiet",
                        small=True,
                        on_click=SettingsState.remove_avatar,
                    ),
                ),
                class_name="row",
            ),
            rx.cond(
                SettingsState.problems.contains("avatar"),
                problem_line(problem),
                rx.el.span(t("settings.image_help"), class_name="help"),
            ),
            class_name="col image-acts",
        ),
        class_name="row image-field",
    )
