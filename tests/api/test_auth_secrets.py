"""Twenty secrets are planted, and appear in no log line, answer, error page, page state or `repr`."""

import importlib
import io
import pkgutil
from collections.abc import AsyncGenerator, Generator

import httpx
import pytest
import reflex as rx
import structlog
from pydantic import SecretStr
from reflex.utils.format import json_dumps
from sqlalchemy.exc import DBAPIError

import state as states
from agenticos_app.api.app import build_api
from agenticos_app.kernel.ids import new_id
from agenticos_app.models import User
from agenticos_app.schemas.accounts import PasswordChange, SetUp, SignIn, SignUp
from agenticos_app.schemas.models import ModelDraft
from agenticos_app.services import accounts, model_access, models, sessions
from agenticos_app.services import secrets as vault
from agenticos_app.services.work import Credentials, system_work
from agenticos_app.settings import Settings
from tests.fakes.reflex_state import page_state
from tests.world import Person, acting_as, build_house

pytestmark = pytest.mark.usefixtures("console")

KEYS = [f"sk-canary-key-{n}-{new_id().hex}" for n in range(5)]
PASSWORDS = [f"canary-password-{n}-{new_id().hex}" for n in range(5)]
TOKENS = [f"canary-token-{n}-{new_id().hex}" for n in range(5)]


@pytest.fixture
def logged() -> Generator[io.StringIO]:
    """Collect every log line as production writes it."""
    lines, before = io.StringIO(), structlog.get_config()
    structlog.configure(
        processors=[structlog.processors.format_exc_info, structlog.processors.JSONRenderer(default=repr)],
        wrapper_class=structlog.make_filtering_bound_logger(0),
        logger_factory=structlog.PrintLoggerFactory(lines),
        cache_logger_on_first_use=False,
    )
    yield lines
    structlog.configure(**before)


@pytest.fixture
async def api() -> AsyncGenerator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(build_api(), client=(new_id().hex, 1), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://console.test") as client:
        yield client


class Heard:
    """Everything that left the server."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def answer(self, answer: httpx.Response) -> httpx.Response:
        headers = {name: value for name, value in answer.headers.items() if name != "set-cookie"}
        self.said.append(f"{headers} {answer.text}")
        return answer


async def test_planted_secrets_appear_nowhere(
    api: httpx.AsyncClient,
    logged: io.StringIO,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    heard, cookies = Heard(), []
    for n, password in enumerate(PASSWORDS):
        email = f"{new_id().hex}@example.org"
        body = {"email": email, "password": password, "full_name": f"Person {n}"}
        made = heard.answer(
            await api.post("/api/v1/auth/sign-up", json=body if n else body | {"full_name": ""})
        )
        cookies.append(
            made.cookies.get(sessions.COOKIE) or (await build_house("Spare", roles=())).owner.cookie
        )
        api.cookies.clear()
        heard.answer(
            await api.post("/api/v1/auth/sign-in", json={"email": email, "password": password[::-1]})
        )
        heard.answer(
            await api.post("/api/v1/auth/sign-in", json={"email": [email], "password": {"a": password}})
        )
    admin = (await build_house("Operations", roles=())).owner
    async with system_work() as tx:
        await accounts.set_app_admin(tx, admin.email, admin=True)
    cookies[0] = admin.cookie
    api.cookies.set(sessions.COOKIE, admin.cookie)
    drafts: list[dict[str, object]] = [
        {
            "provider": "openai",
            "base_url": "http://models.test/v1",
            "model_name": f"m{n}",
            "api_key": key,
        }
        for n, key in enumerate(KEYS)
    ]
    drafts[1] |= {"base_url": "ftp://models.test"}
    drafts[2] |= {"model_name": "m" * 400}
    drafts[3] |= {"provider": KEYS[3]}
    statuses = [
        heard.answer(await api.put("/api/v1/models/default", json=draft)).status_code for draft in drafts[:4]
    ]
    assert statuses == [200, 422, 422, 422]
    heard.answer(await api.get("/api/v1/models"))
    for token in TOKENS:
        body = {"email": "eve@example.org", "password": PASSWORDS[0], "full_name": "E", "token": token}
        heard.answer(await api.post("/api/v1/auth/setup", json=body | {"organization_name": token}))
    for cookie in cookies:
        api.cookies.set(sessions.COOKIE, cookie)
        for path in ("/api/v1/me", "/api/v1/me/sessions", "/api/v1/agents", "/api/v1/runs?cursor=x"):
            heard.answer(await api.get(path))

    async def broken(*_: object) -> None:
        raise RuntimeError("the store is broken")

    api.cookies.set(sessions.COOKIE, admin.cookie)
    monkeypatch.setattr(vault.repo, "by_name", broken)
    assert heard.answer(await api.put("/api/v1/models/default", json=drafts[4])).status_code == 500
    assert "api.broken" in logged.getvalue(), "the log is listened to"

    shown = await page_states(admin)
    written = capfd.readouterr()
    places = {
        "answers": "\n".join(heard.said),
        "log": logged.getvalue() + caplog.text + written.out + written.err,
        "page state": shown,
        "repr": "\n".join(map(repr, holders(admin.cookie))),
    }
    secrets = [*KEYS, *PASSWORDS, *TOKENS, *(cookie.partition(".")[2] for cookie in cookies)]
    assert len(set(secrets)) == 20
    found = [(place, secret[:16]) for place, text in places.items() for secret in secrets if secret in text]
    assert found == []


async def page_states(person: Person) -> str:
    """Return everything that the pages' States send to a browser."""
    sent: list[str] = []
    for module in pkgutil.iter_modules(states.__path__, "state."):
        importlib.import_module(module.name)
    for kind in rx.State.__subclasses__():
        if kind.__module__.startswith("state."):
            state = page_state(kind, "/chat", cookie=person.cookie)
            if "load" in kind.event_handlers:
                await kind.event_handlers["load"].fn(state)
            root = state.parent_state
            assert root is not None
            sent += [json_dumps(root.dict()), json_dumps(root.get_delta())]
    return "\n".join(sent)


def holders(cookie: str) -> list[object]:
    """Return one of everything that carries a secret through the code."""
    email = "ada@example.org"
    draft = ModelDraft(
        provider="openai", base_url="http://x.test", model_name="m", api_key=SecretStr(KEYS[0])
    )
    return [
        Credentials(secret=cookie),
        SignIn(email=email, password=PASSWORDS[0]),
        SignUp(email=email, password=PASSWORDS[1], full_name="Ada"),
        SetUp(email=email, password=PASSWORDS[2], full_name="Ada", token=TOKENS[0], organization_name="A B"),
        PasswordChange(current=PASSWORDS[3], new=PASSWORDS[4]),
        draft,
        model_access.described(draft),
        Settings(
            secret_key=SecretStr(KEYS[1]), database_url=SecretStr(KEYS[2]), redis_url=SecretStr(KEYS[3])
        ),
    ]


async def test_a_failed_statement_takes_no_values_into_its_error() -> None:
    with pytest.raises(DBAPIError) as failure:  # noqa: PT012
        async with system_work() as tx:
            tx.add(User(id=new_id(), email=f"{new_id().hex}@x", full_name="n" * 500, password_hash=KEYS[0]))
            await tx.flush()
    assert KEYS[0] not in str(failure.value)


async def test_a_sealed_key_is_opened_for_runs_alone_and_bound_to_its_organization() -> None:
    admin = (await build_house("Operations", roles=())).owner
    async with system_work() as tx:
        await accounts.set_app_admin(tx, admin.email, admin=True)
    async with acting_as(admin) as tx:
        row = await models.use_model(
            tx,
            ModelDraft(
                provider="openai",
                base_url="http://x.test/v1/",
                model_name="m",
                api_key=SecretStr(KEYS[0]),
            ),
        )
        assert row.key_hint == KEYS[0][-4:]
    async with acting_as(admin) as tx:
        found = await model_access.chain(tx, None)
        assert found is not None
        assert found.candidates[0].access.api_key == KEYS[0]
        stored = await model_access.repo.resolve(tx, None)
    assert stored is not None
    assert stored[1] is not None
    assert KEYS[0].encode() not in stored[1].sealed


async def test_a_corrected_address_is_used_and_a_key_never_goes_to_another_server() -> None:
    admin = (await build_house("Corrections", roles=())).owner
    async with system_work() as tx:
        await accounts.set_app_admin(tx, admin.email, admin=True)

    async def use(base_url: str, key: str = "") -> tuple[str, str, str]:
        draft = ModelDraft(provider="openai", base_url=base_url, model_name="m", api_key=SecretStr(key))
        async with acting_as(admin) as tx:
            row = await models.use_model(tx, draft)
            found = await model_access.chain(tx, None)
        assert found is not None
        access = found.candidates[0].access
        return access.base_url, access.api_key, row.key_hint

    last_four = KEYS[1][-4:]
    assert await use("https://x.test", KEYS[1]) == ("https://x.test", KEYS[1], last_four)
    assert await use("https://x.test/v1") == ("https://x.test/v1", KEYS[1], last_four)
    assert await use("http://x.test/v1") == ("http://x.test/v1", "", "")
