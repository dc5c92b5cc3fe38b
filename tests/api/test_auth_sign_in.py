"""Signing in and up: what is refused, how, and that a refusal tells nothing about who has an account."""

import asyncio
from collections.abc import AsyncGenerator

import httpx
import pytest

from agenticos_app.api.app import build_api
from agenticos_app.kernel.ids import new_id
from agenticos_app.schemas.accounts import SignUp
from agenticos_app.security import passwords
from agenticos_app.services import accounts, deployment, organizations, sessions
from agenticos_app.services.work import system_work
from tests.world import House, api_of, build_house

pytestmark = pytest.mark.usefixtures("console")

SIGN_IN, SIGN_UP = "/api/v1/auth/sign-in", "/api/v1/auth/sign-up"
PASSWORD = "correct horse battery"


def address() -> str:
    return f"{new_id().hex}@example.org"


@pytest.fixture
async def api() -> AsyncGenerator[httpx.AsyncClient]:
    """Give a client at an address of its own, so that its tries are counted apart."""
    transport = httpx.ASGITransport(build_api(), client=(f"10.0.0.{new_id().int % 250}-{new_id().hex}", 4000))
    async with httpx.AsyncClient(transport=transport, base_url="http://console.test") as client:
        yield client


async def account(email: str, *, password: str | None = PASSWORD, active: bool = True) -> None:
    async with system_work() as tx:
        body = SignUp(email=email, password=password or PASSWORD, full_name="Ada Lovelace")
        user = await accounts.create(tx, body)
        await organizations.create(tx, user, name="Analytical Engines")
        if password is None:
            user.password_hash = None
        user.is_active = active
        await tx.flush()


def error_of(answer: httpx.Response) -> tuple[int, str, dict[str, object]]:
    body = answer.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message", "details"}
    return answer.status_code, body["error"]["code"], body["error"]["details"]


@pytest.mark.req("DOM-AUTH-02", "DOM-AUTH-05")
async def test_address_and_password_open_a_session(api: httpx.AsyncClient) -> None:
    email = address()
    await account(email)
    answer = await api.post(SIGN_IN, json={"email": f"  {email.upper()} ", "password": PASSWORD})
    assert answer.status_code == 200
    assert (await api.get("/api/v1/me")).json()["email"] == email
    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith(f"{sessions.COOKIE}=")
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "path=/" in cookie
    assert "secure" not in cookie  # this request came without TLS


@pytest.mark.req("DOM-AUTH-05")
async def test_over_tls_the_cookie_never_travels_in_the_clear() -> None:
    email = address()
    await account(email)
    transport = httpx.ASGITransport(build_api(), client=(new_id().hex, 1))
    async with httpx.AsyncClient(transport=transport, base_url="https://console.test") as api:
        answer = await api.post(SIGN_IN, json={"email": email, "password": PASSWORD})
    assert "; secure" in answer.headers["set-cookie"].lower()


@pytest.mark.req("DOM-AUTH-02")
async def test_every_wrong_sign_in_is_answered_alike_after_the_same_work(
    api: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, elsewhere, inactive = address(), address(), address()
    await account(known)
    await account(elsewhere, password=None)
    await account(inactive, active=False)
    worked: list[str] = []
    real = passwords.PasswordHasher.verify

    def noted(self: passwords.PasswordHasher, hash: str, password: str) -> bool:  # noqa: A002
        worked.append(hash.rpartition("$")[0].rpartition("$")[0])
        return bool(real(self, hash, password))

    monkeypatch.setattr(passwords.PasswordHasher, "verify", noted)
    tries = {
        "wrong password": (known, "wrong horse battery"),
        "unknown address": (address(), PASSWORD),
        "account of another provider": (elsewhere, PASSWORD),
        "switched off": (inactive, PASSWORD),
        "no address at all": ("not an address", PASSWORD),
        "empty password": (known, ""),
        "long password": (known, "ż" * 5000),
    }
    answers = {
        name: await api.post(SIGN_IN, json={"email": email, "password": password})
        for name, (email, password) in tries.items()
    }
    assert {answer.text for answer in answers.values()} == {answers["wrong password"].text}
    assert {error_of(answer)[:2] for answer in answers.values()} == {(401, "wrong_credentials")}
    assert {"set-cookie" in answer.headers for answer in answers.values()} == {False}
    assert len(worked) == len(tries), "each try costs one verification"
    assert len(set(worked)) == 1, "with the same parameters"


@pytest.mark.req("DOM-AUTH-02")
@pytest.mark.parametrize(("length", "problem"), [(7, "too_short"), (129, "too_long"), (8, None), (128, None)])
async def test_a_password_has_eight_to_128_characters(
    api: httpx.AsyncClient, length: int, problem: str | None
) -> None:
    body = {"email": address(), "password": "ż" * length, "full_name": "Ada"}
    answer = await api.post(SIGN_UP, json=body)
    if problem is None:
        assert answer.status_code == 200
        again = await api.post(SIGN_IN, json={"email": body["email"], "password": body["password"]})
        assert again.status_code == 200
    else:
        fields = [{"field": "password", "message": problem}]
        assert error_of(answer) == (422, "invalid_input", {"fields": fields})


@pytest.mark.req("DOM-AUTH-12")
async def test_one_client_has_ten_tries_a_minute(api: httpx.AsyncClient) -> None:
    answers = [
        await api.post(SIGN_IN, json={"email": address(), "password": "x"})
        for _ in range(deployment.current().auth_per_minute + 1)
    ]
    assert [answer.status_code for answer in answers] == [401] * 10 + [429]
    assert_told_when_to_come_back(answers[-1])
    refused = await api.post(SIGN_UP, json={"email": address(), "password": PASSWORD, "full_name": "Ada"})
    assert refused.status_code == 429, "sign-up shares the counter"
    body = {
        "email": address(),
        "password": PASSWORD,
        "full_name": "Ada",
        "token": "t",
        "organization_name": "A B",
    }
    assert (await api.post("/api/v1/auth/setup", json=body)).status_code == 429


@pytest.mark.req("DOM-AUTH-12")
async def test_one_address_has_ten_tries_a_minute_from_wherever_they_come() -> None:
    email, statuses = address(), []
    await account(email)
    for n in range(11):
        transport = httpx.ASGITransport(build_api(), client=(f"192.0.2.{n}-{email}", 4000))
        async with httpx.AsyncClient(transport=transport, base_url="http://console.test") as api:
            shown = [email, email.upper(), f" {email}"][n % 3]
            answer = await api.post(SIGN_IN, json={"email": shown, "password": "x"})
            statuses.append(answer.status_code)
    assert statuses == [401] * 10 + [429]
    assert_told_when_to_come_back(answer)


def assert_told_when_to_come_back(answer: httpx.Response) -> None:
    status, code, details = error_of(answer)
    assert (status, code) == (429, "RATE_LIMIT_EXCEEDED")
    seconds = details["retry_after_seconds"]
    assert isinstance(seconds, int)
    assert 1 <= seconds <= 61
    assert answer.headers["retry-after"] == str(seconds)


@pytest.mark.req("DOM-AUTH-19")
async def test_a_taken_address_is_a_conflict_that_names_no_field(api: httpx.AsyncClient) -> None:
    email = address()
    await account(email)
    answer = await api.post(SIGN_UP, json={"email": email.upper(), "password": PASSWORD, "full_name": "Eve"})
    assert error_of(answer) == (409, "conflict", {"reason": "account"})
    assert email not in answer.text.lower()


@pytest.mark.req("DOM-AUTH-01", "DOM-AUTH-19")
async def test_of_two_sign_ups_with_one_address_at_once_one_is_a_conflict() -> None:
    email = address()

    async def sign_up(email: str, n: int) -> httpx.Response:
        transport = httpx.ASGITransport(
            build_api(), client=(f"{n}-{email}", 4000), raise_app_exceptions=False
        )
        async with httpx.AsyncClient(transport=transport, base_url="http://console.test") as api:
            return await api.post(SIGN_UP, json={"email": email, "password": PASSWORD, "full_name": "Ada"})

    answers = await asyncio.gather(*(sign_up(email, n) for n in range(3)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409]
    others = await asyncio.gather(*(sign_up(address(), n) for n in range(3)))
    assert [answer.status_code for answer in others] == [200] * 3, "namesakes are welcome"


MARK = "canary-value-7f3a"


@pytest.mark.req("DOM-AUTH-19")
@pytest.mark.parametrize(
    ("path", "body", "fields"),
    [
        (SIGN_IN, {}, {"email": "missing", "password": "missing"}),
        (SIGN_IN, {"email": MARK * 20, "password": [MARK]}, {"email": "too_long", "password": "invalid"}),
        (
            SIGN_UP,
            {"email": f"{MARK}@@x", "password": MARK[:5], "full_name": MARK * 20},
            {"email": "address", "password": "too_short", "full_name": "too_long"},
        ),
        (SIGN_UP, {"email": f"{MARK}@x", "password": PASSWORD, "full_name": "   "}, {"full_name": "missing"}),
        (
            "/api/v1/auth/setup",
            {
                "email": MARK,
                "password": PASSWORD,
                "full_name": "Ada",
                "token": MARK * 30,
                "organization_name": "",
            },
            {"email": "address", "token": "too_long", "organization_name": "missing"},
        ),
    ],
)
async def test_refused_fields_are_named_and_their_values_never_echoed(
    api: httpx.AsyncClient, path: str, body: dict[str, object], fields: dict[str, str]
) -> None:
    answer = await api.post(path, json=body)
    status, code, details = error_of(answer)
    assert (status, code) == (422, "invalid_input")
    assert {one["field"]: one["message"] for one in details["fields"]} == fields  # type: ignore[index, attr-defined]
    assert MARK[:8] not in answer.text


@pytest.mark.req("DOM-AUTH-19")
@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/api/v1/me", 401, "unauthenticated"),
        ("GET", "/api/v1/no-such-thing", 404, "not_found"),
        ("GET", "/api/other", 404, "not_found"),
        ("DELETE", SIGN_IN, 405, "method_not_allowed"),
        ("PUT", "/api/v1/me", 405, "method_not_allowed"),
        ("OPTIONS", "/api/v1/me", 405, "method_not_allowed"),
    ],
)
async def test_every_refusal_has_the_same_envelope(
    api: httpx.AsyncClient, method: str, path: str, status: int, code: str
) -> None:
    assert error_of(await api.request(method, path))[:2] == (status, code)


@pytest.mark.req("DOM-AUTH-19")
@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'"text"', b"\xff\xfe"])
async def test_a_body_that_is_no_form_is_refused_like_one(api: httpx.AsyncClient, body: bytes) -> None:
    answer = await api.post(SIGN_IN, content=body, headers={"content-type": "application/json"})
    status, code, details = error_of(answer)
    assert (status, code) == (422, "invalid_input")
    assert details["fields"]


@pytest.mark.req("DOM-AUTH-19")
async def test_text_that_the_database_cannot_hold_is_refused_not_broken(api: httpx.AsyncClient) -> None:
    nul = "a\x00b"
    for path, body in (
        (SIGN_IN, {"email": nul, "password": nul}),
        (SIGN_UP, {"email": f"{nul}@x", "password": PASSWORD, "full_name": "Ada"}),
        (SIGN_UP, {"email": address(), "password": PASSWORD, "full_name": nul}),
    ):
        assert (await api.post(path, json=body)).status_code in (401, 422), body
    house: House = await build_house("Harbor", roles=())
    async with api_of(house.owner) as own:
        for address_ in ("/api/v1/me?organization=%00", "/api/v1/conversations?containing=a%00b"):
            assert (await own.get(address_)).status_code in (200, 404, 422), address_
        renamed = await own.patch("/api/v1/organization", json={"name": nul})
        assert renamed.status_code == 422


@pytest.mark.req("DOM-AUTH-19")
async def test_a_bug_is_told_by_its_reference_alone(
    api: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError(f"password={MARK}")

    monkeypatch.setattr(accounts, "rule", broken)
    transport = httpx.ASGITransport(build_api(), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://console.test") as client:
        answer = await client.get("/api/v1/auth/rule")
    status, code, details = error_of(answer)
    assert (status, code, set(details)) == (500, "internal", {"reference"})
    assert MARK not in answer.text
