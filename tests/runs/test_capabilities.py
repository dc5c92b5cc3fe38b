"""Capabilities in real runs: their keys, scopes, settings and names."""

from collections.abc import Iterator
from typing import Any

import pytest

from agenticos_app.contracts.events import RunStatus
from agenticos_app.kernel.ids import new_id
from agenticos_app.kernel.scopes import Scope
from agenticos_app.models import Agent, AgentVersion
from agenticos_app.runner.assemble import Assembler
from agenticos_app.wiring import Platform
from tests.fakes.capabilities import WEATHER, offering
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.openai_wire import Behaviour
from tests.runs.conftest import Asking
from tests.world import acting_as, api_of

KEY, NEXT_KEY = "brave-key-canary-1111", "brave-key-canary-2222"


@pytest.fixture(autouse=True)
def _weather(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with offering(WEATHER) as offered:
        monkeypatch.setattr(platform.host, "_assembler", Assembler(offered, frozenset(Scope)))
        yield


async def give(asking: Asking, *bindings: dict[str, Any], **fields: Any) -> None:
    """Let the agent's live version be this one."""
    async with acting_as(asking.house.owner) as tx:
        agent = await tx.session.get_one(Agent, asking.house.agent_id)
        spec = {**agent.draft, "capabilities": list(bindings), **fields}
        version = AgentVersion(
            id=new_id(),
            organization_id=asking.house.id,
            agent_id=agent.id,
            number=agent.live_version + 1,
            spec=spec,
        )
        tx.add(version)
        await tx.flush()
        agent.live_version_id, agent.live_version = version.id, version.number


async def key_of(asking: Asking, purpose: str = "brave") -> str:
    body = {"name": "Weather", "purpose": purpose, "visibility": "org"}
    async with api_of(asking.person) as api:
        made = await api.post("/api/v1/secrets", json=body | {"value": {"kind": "api_key", "api_key": KEY}})
    assert made.status_code == 201, made.text
    return made.json()["id"]


def paid(secret_id: str) -> dict[str, Any]:
    return {"id": "weather", "config": {"source": "paid"}, "secret_id": secret_id}


async def calling(asking: Asking, server: OpenAIServer) -> None:
    await asking.use(server, "stub")
    server.behaviour = Behaviour(tool="ask_weather", arguments='{"place": "Gdynia"}', text="Sunny.")


@pytest.mark.req("CAP-BIND-12", "DOM-SECRET-11")
async def test_a_capability_gets_the_key_that_its_agent_was_given_as_it_is_now(
    asking: Asking, server: OpenAIServer
) -> None:
    await calling(asking, server)
    secret_id = await key_of(asking)
    await give(asking, paid(secret_id))
    member = Asking(asking.house, asking.house.people["member"])
    first = await member.ask("How is the weather?")
    async with api_of(asking.person) as api:
        new = {"value": {"kind": "api_key", "api_key": NEXT_KEY}}
        assert (await api.put(f"/api/v1/secrets/{secret_id}/value", json=new)).status_code == 200
    second = await member.ask("And now?")
    for detail, end in ((first, "1111"), (second, "2222")):
        (step,) = [row for row in detail.timeline if row.kind == "tool"]
        assert f"asked with {end}" in step.result
        assert "canary" not in detail.model_dump_json()
    assert all("canary" not in str(chat.body) for chat in server.chats)


@pytest.mark.req("DOM-RUN-07")
@pytest.mark.parametrize("trouble", ["none", "deleted", "other service"])
async def test_without_its_key_a_run_ends_before_any_token(
    asking: Asking, server: OpenAIServer, trouble: str
) -> None:
    await calling(asking, server)
    secret_id = await key_of(asking, purpose="exa" if trouble == "other service" else "brave")
    unset = {"id": "weather", "config": {"source": "paid"}}
    await give(asking, unset if trouble == "none" else paid(secret_id))
    if trouble == "deleted":
        async with api_of(asking.person) as api:
            assert (await api.delete(f"/api/v1/secrets/{secret_id}")).is_success
    detail = await asking.ask("How is the weather?")
    assert (detail.status, detail.error_code) == (RunStatus.FAILED, "capability_key")
    assert "Weather" in (detail.error or "")
    assert detail.full_prompt == "How is the weather?"
    assert not server.chats


@pytest.mark.req("CAP-SCOPE-01", "DOM-RUN-07")
async def test_without_its_scope_a_run_ends_before_any_token(
    asking: Asking, server: OpenAIServer, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    await calling(asking, server)
    await give(asking, {"id": "weather"})
    with offering(WEATHER) as offered:
        monkeypatch.setattr(platform.host, "_assembler", Assembler(offered, {Scope.CODE_EXECUTE}))
    detail = await asking.ask("How is the weather?")
    assert (detail.status, detail.error_code) == (RunStatus.FAILED, "scope_missing")
    assert "web:read" in (detail.error or "")
    assert not server.chats


@pytest.mark.req("CAP-BIND-07", "CAP-BIND-08")
async def test_a_renamed_tool_is_called_by_its_name_and_kept_by_its_id(
    asking: Asking, server: OpenAIServer
) -> None:
    await calling(asking, server)
    words = {"ask_weather": {"name": "pogoda", "description": "Pyta o pogodę."}}
    await give(asking, {"id": "weather", "tool_overrides": words})
    server.behaviour = Behaviour(tool="pogoda", arguments='{"place": "Gdynia"}', text="Sunny.")
    detail = await asking.ask("How is the weather?")
    (step,) = [part for part in detail.parts if part.kind == "tool"]
    assert (step.tool, step.subject, step.status) == ("ask_weather", "Gdynia", "done")
    sent: Any = server.chats[0].body["tools"]
    offered = {tool["function"]["name"]: tool["function"] for tool in sent}
    assert offered["pogoda"]["description"] == "Pyta o pogodę."
    assert "ask_weather" not in offered
    await asking.ask("And now?", conversation_id=str(detail.conversation_id))
    history: Any = server.chats[-1].body["messages"]
    called = {call["function"]["name"] for one in history for call in one.get("tool_calls") or ()}
    assert called == {"pogoda"}


@pytest.mark.req("DOM-MODEL-16", "CAP-THINK-01", "CAP-THINK-02", "CAP-THINK-03")
async def test_reasoning_and_the_authors_settings_reach_the_wire(
    asking: Asking, server: OpenAIServer
) -> None:
    server.behaviour = Behaviour(text="Sunny.")
    await asking.use(server, "gpt-5-mini")

    async def sent(*bindings: dict[str, Any], **fields: Any) -> dict[str, object]:
        await give(asking, *bindings, **fields)
        assert (await asking.ask("Hello")).status is RunStatus.COMPLETED
        return server.chats[-1].body

    unset = await sent({"id": "clock"})
    assert not {"reasoning_effort", "temperature", "top_p"} & set(unset)
    default = await sent({"id": "thinking"})
    most = await sent({"id": "thinking", "config": {"effort": "max"}}, model_settings={"max_tokens": 77})
    assert default.get("reasoning_effort") in (None, "medium")
    assert most["reasoning_effort"] in ("high", "xhigh")
    assert 77 in (most.get("max_tokens"), most.get("max_completion_tokens"))


async def test_variables_name_the_agent_and_its_organization(asking: Asking, server: OpenAIServer) -> None:
    await calling(asking, server)
    text = "You are {{agent_name}} of {{organization_name}}. {{date}}"
    await give(asking, {"id": "clock"}, instructions=text)
    await asking.ask("Hello")
    assert "You are Assistant of Harbor Supply. 20" in str(server.chats[-1].body)
