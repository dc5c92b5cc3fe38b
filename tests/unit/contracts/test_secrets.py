"""Kinds of secrets: what each takes, hints at and hides."""

import json
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from agenticos_app.contracts.secrets import (
    PAYLOADS,
    PURPOSES,
    GcpServiceAccount,
    Payload,
    SecretKind,
    document_of,
    payload_of,
)
from agenticos_app.schemas.problems import problems_of
from agenticos_app.schemas.secrets import SecretCreate, SecretRotate

CANARY = "canary-8d1f7a-9f3a"
ACCOUNT = {
    "type": "service_account",
    "project_id": "harbor-1",
    "private_key": f"-----BEGIN PRIVATE KEY-----\n{CANARY}\n-----END PRIVATE KEY-----\n",
    "client_email": "reader@harbor-1.iam.gserviceaccount.com",
}
VALUES: dict[SecretKind, dict[str, Any]] = {
    SecretKind.API_KEY: {"api_key": CANARY},
    SecretKind.AZURE_OPENAI: {
        "api_key": CANARY,
        "endpoint": "https://harbor.openai.azure.com/",
        "api_version": "2024-10-21",
    },
    SecretKind.AWS_CREDENTIALS: {
        "access_key_id": "AKIAEXAMPLE7QRST",
        "secret_access_key": CANARY,
        "region": "eu-central-1",
        "session_token": CANARY + "-session",
    },
    SecretKind.GCP_SERVICE_ACCOUNT: {"service_account": json.dumps(ACCOUNT), "region": "europe-west4"},
    SecretKind.GITHUB_OAUTH_APP: {"client_id": "Iv1.0123456789abcd", "client_secret": CANARY},
    SecretKind.GOOGLE_OAUTH_APP: {"client_id": "1234-app.example.org", "client_secret": CANARY},
}
HINTS = {
    SecretKind.API_KEY: "9f3a",
    SecretKind.AZURE_OPENAI: "9f3a",
    SecretKind.AWS_CREDENTIALS: "QRST",
    SecretKind.GCP_SERVICE_ACCOUNT: "ader",
    SecretKind.GITHUB_OAUTH_APP: "abcd",
    SecretKind.GOOGLE_OAUTH_APP: ".org",
}
_payload: TypeAdapter[Payload] = TypeAdapter(Payload)


def made(kind: SecretKind, **changes: object) -> Payload:
    return _payload.validate_python({"kind": kind.value, **VALUES[kind], **changes})


@pytest.mark.req("DOM-SECRET-05", "DOM-SECRET-06")
@pytest.mark.parametrize("kind", SecretKind)
def test_a_kind_is_kept_as_one_document_and_hints_at_its_identifying_field(kind: SecretKind) -> None:
    payload = made(kind)
    assert payload_of(document_of(payload)) == payload
    assert json.loads(document_of(payload))["kind"] == kind.value
    assert payload.hint() == HINTS[kind]


@pytest.mark.req("DOM-SECRET-08")
@pytest.mark.parametrize("kind", SecretKind)
def test_a_payload_shows_no_value_however_it_is_printed(kind: SecretKind) -> None:
    payload = made(kind)
    shown = f"{payload!r} {payload} {payload.model_dump()} {payload.model_dump_json()}"
    assert CANARY not in shown
    holder = SecretRotate(value=payload)
    assert CANARY not in f"{holder!r} {holder.model_dump_json()}"


@pytest.mark.req("DOM-SECRET-05")
def test_every_kind_has_a_payload_and_none_is_not_one() -> None:
    assert set(PAYLOADS) == set(SecretKind)
    assert {one.model_fields["kind"].default for one in PAYLOADS.values()} == set(SecretKind)
    with pytest.raises(ValidationError):
        _payload.validate_python({"kind": "none"})


@pytest.mark.req("DOM-SECRET-05", "DOM-SECRET-08")
@pytest.mark.parametrize(
    ("kind", "changes", "problems"),
    [
        ("api_key", {"api_key": "  "}, {"api_key": "missing"}),
        ("api_key", {"api_key": f"{CANARY}\nX-Other: 1"}, {"api_key": "invalid"}),
        ("api_key", {"api_key": f"{CANARY} ż"}, {"api_key": "invalid"}),
        ("api_key", {"api_key": CANARY * 1000}, {"api_key": "too_long"}),
        ("api_key", {"api_key": [CANARY]}, {"api_key": "invalid"}),
        ("api_key", {CANARY: "more"}, {CANARY: "unexpected"}),
        ("azure_openai", {"endpoint": "http://harbor.example"}, {"endpoint": "invalid"}),
        ("azure_openai", {"endpoint": f"https://me:{CANARY}@harbor.example"}, {"endpoint": "invalid"}),
        ("azure_openai", {"api_version": ""}, {"api_version": "missing"}),
        ("aws_credentials", {"region": ""}, {"region": "missing"}),
        ("aws_credentials", {"region": "../eu"}, {"region": "invalid"}),
        ("gcp_service_account", {"service_account": CANARY}, {"service_account": "service_account"}),
        ("gcp_service_account", {"service_account": f'["{CANARY}"]'}, {"service_account": "service_account"}),
        (
            "gcp_service_account",
            {"service_account": json.dumps({**ACCOUNT, "type": "authorized_user"})},
            {"service_account": "service_account"},
        ),
        *(
            (
                "gcp_service_account",
                {"service_account": json.dumps({name: v for name, v in ACCOUNT.items() if name != left_out})},
                {"service_account": "service_account"},
            )
            for left_out in ("client_email", "private_key", "project_id")
        ),
        ("github_oauth_app", {"client_id": " "}, {"client_id": "missing"}),
    ],
)
def test_a_value_that_does_not_fit_is_named_by_its_field_and_not_shown(
    kind: str, changes: dict[str, object], problems: dict[str, str]
) -> None:
    payload: type[BaseModel] = PAYLOADS[SecretKind(kind)]
    given = {**VALUES[SecretKind(kind)], **changes}
    with pytest.raises(ValidationError) as caught:
        payload.model_validate(given)
    assert {one["field"]: one["message"] for one in problems_of(caught.value)} == problems
    if CANARY not in problems:
        assert CANARY not in str(caught.value)
    with pytest.raises(ValidationError) as whole:
        SecretCreate.model_validate({"name": "n", "purpose": "custom", "value": {"kind": kind, **given}})
    if CANARY not in problems:
        assert CANARY not in str(whole.value)


def test_a_session_token_and_a_region_may_be_left_out() -> None:
    plain = made(SecretKind.AWS_CREDENTIALS, session_token="  ")
    assert "session_token" not in json.loads(document_of(plain))
    account = made(SecretKind.GCP_SERVICE_ACCOUNT, region="")
    assert isinstance(account, GcpServiceAccount)
    assert account.info()["project_id"] == "harbor-1"


@pytest.mark.parametrize(("key", "hint"), [("sk-elevenchr", "nchr"), ("sk-elevench", ""), ("x", "")])
def test_a_short_key_gives_no_hint(key: str, hint: str) -> None:
    assert made(SecretKind.API_KEY, api_key=key).hint() == hint


@pytest.mark.req("DOM-SECRET-07")
def test_a_purpose_fixes_the_kind() -> None:
    special = {
        "azure": "azure_openai",
        "bedrock": "aws_credentials",
        "google_cloud": "gcp_service_account",
        "github_oauth": "github_oauth_app",
        "google_oauth": "google_oauth_app",
    }
    assert {one.id: one.kind.value for one in PURPOSES.values() if one.kind != "api_key"} == special
    plain = {"openai", "anthropic", "google", "tavily", "brave", "exa", "logfire", "llamaparse"}
    assert plain | {"sandboxd", "daytona", "custom"} <= set(PURPOSES)
    assert len(PURPOSES) == 37
    assert {purpose.kind for purpose in PURPOSES.values()} == set(SecretKind)
