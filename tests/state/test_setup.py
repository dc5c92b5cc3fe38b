"""Steps two and three of the set-up: the model is chosen, checked and saved, its key never kept."""

import pickle
from collections.abc import Iterator

import pytest

from agenticos_app.contracts.models import ModelAccess, ModelCheck
from agenticos_app.errors import Forbidden, Unauthenticated
from agenticos_app.schemas.models import ModelProfileRow
from agenticos_app.services import accounts, models
from agenticos_app.services.work import system_work
from state.setup import SetupState
from tests.fakes.model_ways import answering
from tests.fakes.reflex_state import in_background, page_state
from tests.world import House, acting_as, build_house

KEY = "sk-canary-0123456789"
OWN: dict[str, str | None] = {
    "base_url": "https://models.example.org/v1",
    "model_name": "sea-1",
    "api_key": KEY,
}
OLLAMA = "http://127.0.0.1:11434/v1"


@pytest.fixture
def asked(console: object) -> Iterator[list[ModelAccess]]:
    """Collect what the platform asked models; Ollama's address answers, and `sea-1` with the right key."""
    seen: list[ModelAccess] = []

    async def check(access: ModelAccess) -> ModelCheck:
        seen.append(access)
        if access.base_url == OLLAMA:
            return ModelCheck(ok=True, milliseconds=80, models=("qwen3:8b",))
        if access.api_key == KEY:
            return ModelCheck(ok=True, milliseconds=120, reply="Yes.", models=("sea-1", "sea-2"))
        return ModelCheck(ok=False, milliseconds=9, problem="unauthorized")

    with answering(check):
        yield seen


@pytest.fixture
async def house(asked: list[ModelAccess]) -> House:
    house = await build_house("Harbor Supply", roles=["owner", "member"])
    async with system_work() as tx:
        await accounts.set_app_admin(tx, house.owner.email, admin=True)
    return house


def opened(house: House, role: str = "owner") -> SetupState:
    return page_state(SetupState, "/welcome", cookie=house.people[role].cookie)


async def default_model(house: House) -> ModelProfileRow:
    async with acting_as(house.owner) as tx:
        (row,) = [row for row in await models.list_profiles(tx) if row.is_default]
    return row


async def test_servers_of_this_machine_are_offered_by_name(house: House) -> None:
    state = opened(house)
    await in_background(state, "look")
    assert [(server.name, server.base_url, server.models) for server in state.servers] == [
        ("Ollama", OLLAMA, ["qwen3:8b"])
    ]


@pytest.mark.parametrize("handler", ["look", "send"])
async def test_only_who_may_name_a_models_address_makes_the_server_talk(
    house: House, asked: list[ModelAccess], handler: str
) -> None:
    arguments = [{**OWN, "intent": "check"}] if handler == "send" else []
    state = opened(house, "member")
    state.choose("own")
    with pytest.raises(Forbidden):
        await in_background(state, handler, *arguments)
    with pytest.raises(Unauthenticated):
        await in_background(page_state(SetupState, "/welcome"), handler, *arguments)
    assert (asked, state.busy) == ([], "")


async def test_a_check_tells_whether_the_model_answers_and_saves_nothing(house: House) -> None:
    state = opened(house)
    state.choose("own")
    await in_background(state, "send", {**OWN, "intent": "check"})
    assert state.result is not None
    assert (state.result.ok, state.result.milliseconds, state.result.models) == (
        True,
        120,
        ["sea-1", "sea-2"],
    )
    await in_background(state, "send", {**OWN, "api_key": "sk-wrong", "intent": "check"})
    assert (state.result.ok, state.result.problem) == (False, "unauthorized")
    assert (state.chosen, state.busy, (await default_model(house)).provider) == (False, "", "practice")


@pytest.mark.req("DOM-UI-29")
@pytest.mark.parametrize("intent", ["check", "save"])
@pytest.mark.parametrize(
    ("form", "problems"),
    [
        ({"base_url": "nonsense", "model_name": "sea-1"}, {"base_url": "address"}),
        ({"base_url": "https://models.example.org/v1", "model_name": None}, {"model_name": "missing"}),
        ({"base_url": "h" * 501, "model_name": "x"}, {"base_url": "too_long"}),
        ({}, {"base_url": "address"}),
    ],
)
async def test_what_does_not_fit_is_marked_on_its_field(
    house: House, asked: list[ModelAccess], intent: str, form: dict[str, str | None], problems: dict[str, str]
) -> None:
    state = opened(house)
    state.choose("own")
    await in_background(state, "send", {**form, "intent": intent})
    assert (state.problems, state.chosen, state.result, state.busy, asked) == (problems, False, None, "", [])


async def test_a_saved_model_is_the_organizations_and_its_key_stays_out_of_the_state(house: House) -> None:
    state = opened(house)
    state.choose("own")
    await in_background(state, "send", {**OWN, "intent": "save"})
    row = await default_model(house)
    assert (row.provider, row.model_name, row.key_hint) == ("openai", "sea-1", KEY[-4:])
    assert state.chosen
    assert KEY.encode() not in pickle.dumps(state)
    state.back()
    assert not state.chosen


async def test_a_local_server_is_used_without_a_key(house: House) -> None:
    state = opened(house)
    state.choose(OLLAMA)
    await in_background(state, "send", {"intent": "save", "model_name": "qwen3:8b", "base_url": None})
    row = await default_model(house)
    assert (row.provider, row.base_url, row.model_name, row.has_key, row.is_free) == (
        "openai",
        OLLAMA,
        "qwen3:8b",
        False,
        True,
    )


async def test_the_practice_model_needs_nothing(house: House) -> None:
    state = opened(house)
    await in_background(state, "send", {"intent": "save"})
    assert (state.chosen, (await default_model(house)).provider) == (True, "practice")


@pytest.mark.req("DOM-MODEL-12", "DOM-MODEL-05")
async def test_an_owner_who_administers_no_deployment_brings_a_providers_key(house: House) -> None:
    async with system_work() as tx:
        await accounts.set_app_admin(tx, house.owner.email, admin=False)
    state = opened(house)
    await in_background(state, "look")
    assert (state.may_name_servers, state.servers) == (False, [])
    state.choose("key")
    await in_background(state, "choose_provider", "anthropic")
    await in_background(state, "send", {"model_name": "claude-sonnet-4-5", "intent": "save"})
    assert (state.problems, state.chosen) == ({"api_key": "missing"}, False)
    await in_background(state, "send", {"model_name": "claude-sonnet-4-5", "api_key": KEY, "intent": "check"})
    assert state.result is not None
    assert state.result.ok
    await in_background(state, "send", {"model_name": "claude-sonnet-4-5", "api_key": KEY, "intent": "save"})
    row = await default_model(house)
    assert (row.provider, row.base_url, row.key_hint, row.is_usable) == ("anthropic", "", KEY[-4:], True)
    state.choose("own")
    with pytest.raises(Forbidden):
        await in_background(state, "send", {**OWN, "intent": "save"})
