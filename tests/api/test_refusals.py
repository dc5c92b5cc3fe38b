"""What no route takes is refused in the one envelope: nobody, another method, another media type."""

import re
from uuid import UUID

import httpx
import pytest

from agenticos_app.api.app import build_api
from agenticos_app.kernel.ids import new_id
from agenticos_app.settings import Settings
from tests.api.keys import api_with, key_of
from tests.world import House, build_house

OPERATIONS = [
    (method, path, operation)
    for path, found in build_api().openapi()["paths"].items()
    for method, operation in found.items()
]


@pytest.mark.usefixtures("console")
async def test_nobody_is_let_in_where_the_description_asks_who_it_is() -> None:
    async with (
        api_with("aos_nothing") as wrong,
        httpx.AsyncClient(
            transport=httpx.ASGITransport(build_api()), base_url="http://console.test"
        ) as nobody,
    ):
        for method, path, operation in OPERATIONS:
            if "security" not in operation:
                continue
            address = re.sub(r"{\w+}", str(new_id()), path)
            for api in (wrong, nobody):
                answer = await api.request(method.upper(), address)
                assert answer.status_code in (401, 422), (method, path, answer.text)
                assert (answer.status_code == 401) or "body" not in answer.text


@pytest.fixture
async def house(console: Settings) -> House:
    return await build_house("Harbor Supply", roles=())


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PATCH", "/api/v1/agents", "GET, POST"),
        ("HEAD", "/api/v1/runs", "GET"),
        ("TRACE", f"/api/v1/conversations/{UUID(int=7)}", "DELETE, GET, PATCH"),
        ("OPTIONS", "/api/v1/me/sessions", "DELETE, GET"),
    ],
)
@pytest.mark.usefixtures("console")
async def test_another_method_is_told_which_there_are(method: str, path: str, allowed: str) -> None:
    async with api_with("aos_nothing") as api:
        answer = await api.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
    if method != "HEAD":
        assert answer.json()["error"]["code"] == "method_not_allowed"


async def test_another_media_type_is_told_which_is_read(house: House) -> None:
    key = await key_of(house.owner)
    async with api_with(key.token) as api:
        form = await api.post(f"/api/v1/agents/{house.agent_id}/run", data={"prompt": "Hello"})
        text = await api.post("/api/v1/files", content=b"x", headers={"content-type": "text/plain"})
        broken = await api.post(
            "/api/v1/files", content=b"x", headers={"content-type": "multipart/form-data; boundary=b"}
        )
        nothing = await api.post(f"/api/v1/agents/{house.agent_id}/run")
        half = await api.post(
            f"/api/v1/agents/{house.agent_id}/run",
            content=b'{"prompt": ',
            headers={"content-type": "application/json"},
        )
    told = [(one.status_code, one.json()["error"]["code"]) for one in (form, text, broken, nothing, half)]
    assert told[:2] == [(415, "unsupported_type")] * 2
    assert told[2:] == [(422, "invalid_input")] * 3
    assert form.json()["error"]["details"] == {"expected": "application/json"}
    assert text.json()["error"]["details"] == {"expected": "multipart/form-data"}
