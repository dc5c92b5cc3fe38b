"""The registry over HTTP: what is installed, in the caller's language, complete enough to draw a Builder."""

from typing import Any

import pytest
from jsonschema_rs import validator_for

from agenticos_app.catalogue import LANGUAGES
from agenticos_app.contracts.capability import Category, Voice
from agenticos_app.services import templates
from agenticos_app.wiring import CAPABILITIES
from tests.fakes.capabilities import offering
from tests.world import Person, api_of, build_house

pytestmark = pytest.mark.usefixtures("console")


@pytest.fixture
async def person() -> Person:
    return (await build_house("Harbor Supply", roles=("viewer",))).people["viewer"]


async def listed(person: Person, language: str = "en") -> dict[str, dict[str, Any]]:
    async with api_of(person) as api:
        answer = await api.get("/api/v1/agents/capabilities", headers={"accept-language": language})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-language"] == language
    return {one["id"]: one for one in answer.json()}


@pytest.mark.req("CAP-REG-04", "CAP-REG-05")
async def test_the_answer_is_what_this_deployment_has(person: Person) -> None:
    assert set(await listed(person)) == set(CAPABILITIES)
    with offering() as offered:
        del offered["thinking"]
        assert set(await listed(person)) == set(CAPABILITIES) - {"thinking"}


@pytest.mark.req("CAP-REG-08")
@pytest.mark.parametrize("language", sorted(LANGUAGES))
async def test_each_entry_explains_itself_in_the_language_that_was_asked_for(
    person: Person, language: str
) -> None:
    rows = await listed(person, language)
    for row in rows.values():
        assert all(row[part] for part in ("name", "does", "needs", "never", "icon", "category_name"))
        assert 2 <= len(row["can"]) <= 3
    assert rows["clock"]["name"] == {"en": "Date and time", "pl": "Data i godzina"}[language]
    assert rows["code_execution"]["tools"][0]["label"] == {
        "en": "Run a calculation", "pl": "Wykonanie obliczenia"
    }[language]  # fmt: skip


@pytest.mark.req("CAP-REG-06")
async def test_a_form_can_be_drawn_from_the_answer_alone(person: Person) -> None:
    rows = await listed(person)
    for row in rows.values():
        assert row["config"]["additionalProperties"] is False
        for field in row["config"]["properties"].values():
            assert field["title"]
            assert field["description"]
            assert "default" in field
    memory = rows["code_execution"]["config"]["properties"]["max_memory_mb"]
    assert (memory["minimum"], memory["maximum"], memory["advanced"]) == (16, 4096, True)
    effort = rows["thinking"]["config"]["properties"]["effort"]
    assert effort["type"] == ["string", "null"]
    assert effort["enum"] == [*effort["x-enum-labels"], None]
    assert validator_for(rows["thinking"]["config"]).is_valid({"effort": "high"})
    assert not validator_for(rows["thinking"]["config"]).is_valid({"effort": "huge"})
    (scope,) = rows["code_execution"]["scopes"]
    assert scope == {"id": "code:execute", "name": "Run calculations", "granted": True}


@pytest.mark.req("CAP-REG-13")
async def test_the_starter_agents_capabilities_are_recommended(person: Person) -> None:
    recommended = {one["id"] for one in (await listed(person)).values() if one["recommended"]}
    assert recommended == {binding.id for binding in templates.STARTER.spec.enabled}


@pytest.mark.req("CAP-REG-33")
async def test_each_entry_says_what_becomes_of_it_in_a_voice_conversation(person: Person) -> None:
    rows = await listed(person)
    assert {row["voice"] for row in rows.values()} <= set(Voice)
    assert rows["clock"]["voice"] == "live"
    assert {row["category"] for row in rows.values()} <= set(Category)


async def test_strangers_see_nothing(person: Person) -> None:
    stranger = Person(user_id=person.user_id, name="", email="", cookie="none")
    async with api_of(stranger) as api:
        assert (await api.get("/api/v1/agents/capabilities")).status_code == 401
