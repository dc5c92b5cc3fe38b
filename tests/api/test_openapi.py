"""The API's description is true: of what is asked, of what is answered, of who is let in; its page works."""

import asyncio
import json
import os
import re
import sys
from collections.abc import Generator, Iterator
from html import unescape
from typing import Any

import httpx
import pytest
from jsonschema_rs import validator_for
from pydantic import SecretStr

from agenticos_app import errors
from agenticos_app.api.app import build_api
from agenticos_app.api.openapi import TAGS, operations
from agenticos_app.errors import AppError
from agenticos_app.settings import Settings
from tests.api.keys import key_of
from tests.fuzzing import WAYS, fuzz
from tests.serving import Served, serving
from tests.world import build_house

DOCUMENT = build_api().openapi()
SCHEMAS = DOCUMENT["components"]["schemas"]
OPERATIONS = [
    (method, path, operation)
    for path, found in DOCUMENT["paths"].items()
    for method, operation in found.items()
]
MANY = 1_000_000


@pytest.fixture(scope="module")
def served(console_database: str, tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    """Serve the API with a platform that executes runs, to callers without limits."""
    home, pages = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("pages")
    settings = Settings(
        database_url=SecretStr(console_database),
        agenticos_home=home,
        redis_url=None,
        secret_key=None,
        rate_limit_auth_per_minute=MANY,
        rate_limit_api_per_minute=MANY,
        rate_limit_run_per_minute=MANY,
    )
    with serving(settings, pages) as one:
        yield one


@pytest.mark.parametrize("way", WAYS)
def test_no_answer_is_an_error_of_ours_or_differs_from_the_description(served: Served, way: str) -> None:
    report = fuzz(served, way=way, examples=3)
    assert report.wrong == {}
    assert report.server_errors == 0
    assert report.calls > 3 * len(OPERATIONS)
    assert sum(count for status, count in report.statuses.items() if status < 300) > len(OPERATIONS)


def contents() -> Iterator[tuple[str, dict[str, Any]]]:
    for method, path, operation in OPERATIONS:
        parts = {"body": operation.get("requestBody", {}), **operation["responses"]}
        for name, part in parts.items():
            for kind, media in part.get("content", {}).items():
                yield f"{method} {path} {name} {kind}", media


def test_everything_has_an_example_that_fits() -> None:
    wrong = []
    for name, media in contents():
        given = [media["example"]] if "example" in media else []
        given += [one["value"] for one in media.get("examples", {}).values()]
        schema = {**media.get("schema", {}), "components": DOCUMENT["components"]}
        wrong += [name for one in given if not validator_for(schema).is_valid(one)]
        if not given:
            wrong.append(f"{name}: none")
    for name, schema in SCHEMAS.items():
        inside = {**schema, "components": DOCUMENT["components"]}
        wrong += [name for one in schema.get("examples", []) if not validator_for(inside).is_valid(one)]
    assert wrong == []


def test_each_operation_has_its_name_area_sentence_and_refusals() -> None:
    names = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(set(names)) == len(names)
    problem = "#/components/schemas/Problem"
    for method, path, operation in OPERATIONS:
        assert set(operation["tags"]) <= set(TAGS), path
        assert operation["description"], path
        refused = {status: one for status, one in operation["responses"].items() if status >= "400"}
        assert {"422", "429", "500", "502", "503"} <= set(refused), (method, path)
        assert ("401" in refused) == ("security" in operation or path.endswith("sign-in")), (method, path)
        for one in refused.values():
            assert one["content"]["application/json"]["schema"]["$ref"] == problem
    known = {one.code for one in vars(errors).values() if isinstance(one, type) and issubclass(one, AppError)}
    told = {
        code
        for _, _, operation in OPERATIONS
        for one in operation["responses"].values()
        for code in one.get("content", {}).get("application/json", {}).get("examples", {})
    }
    assert told - known == {"internal"}
    assert known - told == {"refused", "method_not_allowed"}


@pytest.mark.req("SRF-API-07")
def test_the_body_of_a_run_names_what_it_takes() -> None:
    ask = SCHEMAS["Ask"]
    assert set(ask["properties"]) == {"prompt", "conversation_id", "file_ids", "environment_id"}
    assert (ask["required"], ask["additionalProperties"]) == (["prompt"], False)
    ways = [set(one) for one in DOCUMENT["paths"]["/api/v1/agents/{agent_id}/run"]["post"]["security"]]
    assert ways == [{"ApiKey"}, {"Session"}]


def test_an_oversized_body_and_odd_text_are_refused_or_taken(served: Served) -> None:
    house = served.do(build_house("Odd", roles=()))
    key = served.do(key_of(house.owner))
    shown = {"authorization": f"Bearer {key.token}"}
    run = f"{served.url}/api/v1/agents/{house.agent_id}/run"
    with httpx.Client(headers=shown, timeout=30) as api:
        large = api.post(run, json={"prompt": "a" * 1_100_000})
        assert (large.status_code, large.json()["error"]["code"]) == (413, "too_large")
        for odd in ('"\\ud800"', '"a\\u0000b"', '"\\udc97\\uda37"', '"\\u202e"'):
            answer = api.post(
                run, content=f'{{"prompt": {odd}}}', headers={"content-type": "application/json"}
            )
            assert answer.status_code in (200, 422), (odd, answer.text)
            named = api.get(f"{served.url}/api/v1/conversations", params={"containing": "a\x00b"})
            assert named.status_code in (200, 422)


def example(page: str, name: str) -> str:
    found = re.search(rf'<code class="[^"]*" id="example-{name}">(.*?)</code>', page, re.DOTALL)
    assert found is not None, name
    return unescape(found[1])


def run_example(command: list[str], env: dict[str, str]) -> str:
    async def run() -> str:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, **env},  # noqa: TID251
        )
        said, wrong = await asyncio.wait_for(process.communicate(), 60)
        assert process.returncode == 0, (said, wrong)
        return said.decode()

    return asyncio.run(run())


@pytest.mark.req("SRF-API-01", "DOM-RUN-29")
def test_the_examples_of_the_page_run_as_they_stand(served: Served) -> None:
    house = served.do(build_house("Examples", roles=()))
    key = served.do(key_of(house.owner))
    env = {"AGENTICOS_KEY": key.token, "AGENT_ID": str(house.agent_id)}
    page = httpx.get(f"{served.url}/api/docs").text
    agents = json.loads(run_example(["sh", "-c", example(page, "agents")], env))
    assert [one["id"] for one in agents["rows"]] == [str(house.agent_id)]
    answer = json.loads(run_example(["sh", "-c", example(page, "run")], env))
    assert (answer["status"], "391" in answer["output"]) == ("completed", True)
    events = run_example(["sh", "-c", example(page, "stream")], env)
    assert '"type":"end"' in events
    said = run_example([sys.executable, "-c", example(page, "python")], env)
    assert said.startswith("completed ")
    assert "391" in said


def test_the_page_needs_nothing_from_elsewhere(served: Served) -> None:
    answer = httpx.get(f"{served.url}/api/docs")
    page, policy = answer.text, answer.headers["content-security-policy"]
    assert "script-src" not in policy
    assert "'unsafe-inline'" not in policy
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert re.findall(r"<(?:script|img|link)|style=|(?:src|href)=\"https?:", page) == []
    assert "{{" not in page
    for code in ("idempotency_key_reused", "RATE_LIMIT_EXCEEDED", "invalid_key", "internal"):
        assert code in page
    for _, path, _ in OPERATIONS:
        assert path in page
    described = httpx.get(f"{served.url}/api/v1/openapi.json")
    assert described.json() == json.loads(json.dumps(DOCUMENT))
    anchors = set(re.findall(r'href="#(\w+)"', page))
    assert anchors <= set(re.findall(r'id="([\w-]+)"', page))


def test_operations_are_all_there() -> None:
    assert len(list(operations(DOCUMENT))) == len(OPERATIONS) >= 30
