"""The forms of the public pages: posted over HTTP, because only its answer can set the session's cookie."""

from collections.abc import Mapping, Sequence

import reflex as rx
from reflex.vars import VarData
from reflex_base.utils.imports import ImportVar

from agenticos_app.i18n import t
from agenticos_app.i18n.texts import PACKAGES
from components.ui.base import Child, Text

_MODULE = "$/public/json_form.jsx"


class _Part(rx.Component):
    library = _MODULE
    lib_dependencies: list[str] = list(PACKAGES)


class _JsonForm(_Part):
    tag = "JsonForm"
    action: rx.Var[str]
    to: rx.Var[str]
    from_address: rx.Var[list[str]]
    blame: rx.Var[dict[str, str]]
    says: rx.Var[dict[str, str]]


class _FormFailure(_Part):
    tag = "FormFailure"


class _FormField(_Part):
    tag = "FormField"
    name: rx.Var[str]
    label: rx.Var[str]
    help: rx.Var[str]
    type: rx.Var[str]
    show: rx.Var[str]
    hide: rx.Var[str]
    auto_complete: rx.Var[str]
    auto_focus: rx.Var[bool]
    input_mode: rx.Var[str]


class _SubmitButton(_Part):
    tag = "SubmitButton"


def json_form(
    *children: Child,
    action: str,
    to: str,
    from_address: Sequence[str] = (),
    blame: Mapping[str, str] | None = None,
    says: Mapping[str, Text] | None = None,
    class_name: str = "col form",
) -> rx.Component:
    """Draw a form that posts its fields as JSON and then loads `to`, or the `next` of the address.

    `from_address` names values that the page's address holds and the request needs; `blame` puts an error
    code beside the field that it belongs to; `says` gives the form's own sentence for a code, or for the
    `code.reason` of a conflict.
    """
    return _JsonForm.create(
        *children,
        action=action,
        to=to,
        from_address=list(from_address),
        blame=dict(blame or {}),
        says=dict(says or {}),
        class_name=class_name,
    )


def failure() -> rx.Component:
    """Say what went wrong with the form as a whole."""
    return _FormFailure.create()


def form_field(name: str, label: Text, *, hint: Text | None = None, **props: object) -> rx.Component:
    """Draw a labelled input of a JSON form with its help and its problem."""
    given = {} if hint is None else {"help": hint}
    return _FormField.create(name=name, label=label, **given, **props)


def email_field(*, focus: bool = False) -> rx.Component:
    """Draw the field for an e-mail address."""
    return form_field(
        "email", t("auth.email"), type="email", auto_complete="username", input_mode="email", auto_focus=focus
    )


def password_field(*, new: bool) -> rx.Component:
    """Draw the field for a password that is in force, or for a new one with its rule."""
    return form_field(
        "password",
        t("auth.password"),
        type="password",
        auto_complete="new-password" if new else "current-password",
        show=t("auth.show"),
        hide=t("auth.hide"),
        hint=t("auth.password_rule") if new else None,
    )


def submit(label: Text) -> rx.Component:
    """Draw the button that sends the form."""
    return _SubmitButton.create(label)


def sign_up_rule() -> rx.Var:
    """Return what the server says about sign-up: `ready`, `policy`, `domains`, `is_set_up`."""
    hook = "const $rule = useSignUpRule();"
    return rx.Var(
        "$rule",
        _var_data=VarData(imports={_MODULE: [ImportVar(tag="useSignUpRule")]}, hooks={hook: None}),
    ).to(dict)


def host() -> rx.Var[str]:
    """Return the address of the deployment, as the person typed it."""
    return rx.Var(
        "$host",
        _var_data=VarData(
            imports={_MODULE: [ImportVar(tag="useHost")]}, hooks={"const $host = useHost();": None}
        ),
    ).to(str)
