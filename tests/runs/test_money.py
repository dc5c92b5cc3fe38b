"""What a run costs, on its row, its requests and its answer; and a run that a cap ends."""

import asyncio
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import update
from sqlmodel import col, select

from agenticos_app.contracts.events import RunStatus
from agenticos_app.contracts.money import Estimate, Reservation
from agenticos_app.contracts.prices import Tariff, Tokens
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import ConversationId, RunId
from agenticos_app.models import Agent, AgentVersion, Message, Organization, RunRequest, Spending
from agenticos_app.services import conversations, organizations, runs
from agenticos_app.services.ledger import RunLedger, month_of
from agenticos_app.services.work import system_work
from integrations.prices.bundled import BundledPrices
from tests.fakes import openai_wire
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.openai_wire import Behaviour
from tests.runs.conftest import Asking
from tests.world import acting_as

PRICED = "gpt-4o-mini"


def price(input_tokens: int, output_tokens: int) -> int:
    tariff = Tariff(provider="openai", model_name=PRICED)
    micros = BundledPrices().price(tariff, Tokens(input=input_tokens, output=output_tokens))
    assert micros
    return micros


async def rows(query: Any) -> list[Any]:
    async with system_work() as tx:
        return list((await tx.session.execute(query)).scalars())


async def cap(asking: Asking, micros: int | None) -> None:
    async with system_work() as tx:
        await tx.session.execute(
            update(Organization)
            .where(col(Organization.id) == asking.house.id)
            .values(monthly_budget_micros=micros)
        )


@pytest.mark.req("DOM-RUN-14", "DOM-BUDGET-07", "DOM-BUDGET-09")
async def test_requests_answer_run_and_month_have_the_same_cost(asking: Asking, server: OpenAIServer) -> None:
    server.behaviour = Behaviour(tool="run_python", arguments='{"code": "1 + 1"}')
    await asking.use(server, PRICED)
    detail = await asking.ask("What is 1 + 1?")
    assert (detail.status, detail.requests, detail.cost_is_partial) == (RunStatus.COMPLETED, 2, False)
    requests = await rows(select(RunRequest).where(col(RunRequest.run_id) == detail.id))
    assert all(one.cost_micros == price(one.input_tokens, one.output_tokens) for one in requests)
    assert {(one.provider, one.model) for one in requests} == {("openai", PRICED)}
    total = sum(one.cost_micros for one in requests)
    (answer,) = await rows(
        select(Message).where(col(Message.run_id) == detail.id, col(Message.role) == "assistant")
    )
    assert (answer.cost_micros, answer.input_tokens, answer.output_tokens) == (
        total,
        detail.input_tokens,
        detail.output_tokens,
    )
    last = max(requests, key=lambda one: one.number)
    assert answer.context_tokens == last.input_tokens + last.output_tokens
    assert detail.cost_usd == f"{total / 1_000_000:.6f}".rstrip("0")
    months = await rows(select(Spending).where(col(Spending.organization_id) == asking.house.id))
    assert {(one.kind, one.spent_micros, one.reserved_micros) for one in months} == {
        ("organization", total, 0),
        ("agent", total, 0),
    }
    assert {one.month for one in months} == {month_of(now())}
    async with acting_as(asking.person) as tx:
        opened = await conversations.open_conversation(tx, ConversationId(UUID(str(detail.conversation_id))))
        assert opened.turns[-1].cost_usd == detail.cost_usd
        assert (await organizations.detail(tx)).month_spent_usd == detail.cost_usd


@pytest.mark.req("DOM-BUDGET-03", "DOM-BUDGET-01")
async def test_a_request_over_the_cap_is_never_sent(asking: Asking, server: OpenAIServer) -> None:
    await asking.use(server, PRICED)
    await cap(asking, 1)
    detail = await asking.ask("Tell me.")
    assert (detail.status, detail.error_code) == (RunStatus.BUDGET_EXCEEDED, "budget_organization")
    assert detail.error == "The organization's monthly budget of $0.00 has not enough left."
    assert not server.chats
    assert (detail.requests, detail.cost_usd) == (0, "0")
    await cap(asking, None)
    again = await asking.ask("Again?", conversation_id=str(detail.conversation_id))
    assert again.status is RunStatus.COMPLETED


@pytest.mark.req("DOM-BUDGET-03", "DOM-RUN-11")
async def test_a_run_that_a_cap_ends_keeps_what_it_spent(asking: Asking, server: OpenAIServer) -> None:
    server.behaviour = Behaviour(tool="run_python", arguments='{"code": "1 + 1"}', calls=50)
    await asking.use(server, PRICED)
    await cap(asking, 2_000)
    detail = await asking.ask("Count.")
    assert detail.status is RunStatus.BUDGET_EXCEEDED
    assert detail.requests > 1
    (month,) = await rows(
        select(Spending).where(
            col(Spending.organization_id) == asking.house.id, col(Spending.kind) == "organization"
        )
    )
    assert 0 < month.spent_micros <= 2_000
    assert month.reserved_micros == 0
    assert detail.cost_usd == f"{month.spent_micros / 1_000_000:.6f}".rstrip("0")


@pytest.mark.req("DOM-BUDGET-05")
async def test_a_capped_request_says_how_long_its_answer_may_be(asking: Asking, server: OpenAIServer) -> None:
    await asking.use(server, PRICED)
    await cap(asking, None)
    await asking.ask("No cap.")
    await cap(asking, 1_000)
    await asking.ask("A small cap.")
    free, capped = (seen.body for seen in server.chats)
    assert not {"max_tokens", "max_completion_tokens"} & set(free)
    limit = capped.get("max_tokens") or capped.get("max_completion_tokens")
    assert isinstance(limit, int)
    assert 256 <= limit < 16_384


@pytest.mark.req("DOM-BUDGET-01")
async def test_the_agents_own_cap_and_the_runs_bind_too(asking: Asking, server: OpenAIServer) -> None:
    await asking.use(server, PRICED)
    for field, code in (("monthly_budget_micros", "budget_agent"), ("run_budget_micros", "budget_run")):
        async with system_work() as tx:
            agent = await tx.session.get(Agent, asking.house.agent_id)
            assert agent is not None
            version = await tx.session.get(AgentVersion, agent.live_version_id)
            assert version is not None
            new = AgentVersion(
                organization_id=version.organization_id,
                agent_id=version.agent_id,
                number=version.number + len(code),
                spec=version.spec | {field: 1},
            )
            tx.add(new)
            await tx.flush()
            agent.live_version_id = new.id
        detail = await asking.ask("Tell me.")
        assert (detail.status, detail.error_code) == (RunStatus.BUDGET_EXCEEDED, code)
    assert not server.chats


@pytest.mark.req("DOM-BUDGET-08")
async def test_a_model_without_a_price_is_partial_and_never_nothing(
    asking: Asking, server: OpenAIServer
) -> None:
    await asking.use(server, "house-model")
    detail = await asking.ask("Tell me.")
    assert (detail.cost_usd, detail.cost_is_partial) == (None, True)


@pytest.mark.req("DOM-MODEL-15")
async def test_the_practice_model_costs_nothing_and_is_not_partial(asking: Asking) -> None:
    detail = await asking.ask("What is 2 + 2?")
    assert (detail.cost_usd, detail.cost_is_partial) == ("0", False)


@pytest.mark.parametrize("usage", ["missing", "zero"])
async def test_an_answer_that_nobody_counted_is_estimated_and_partial(
    asking: Asking, server: OpenAIServer, usage: str
) -> None:
    server.behaviour = Behaviour(usage=usage)
    await asking.use(server, PRICED)
    detail = await asking.ask("Tell me.")
    assert detail.cost_is_partial
    assert detail.cost_usd not in (None, "0")
    assert detail.output_tokens > 0


async def test_a_stop_while_money_is_reserved_gives_it_back(
    asking: Asking, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await asking.use(server, PRICED)
    reserved = asyncio.Event()
    real = RunLedger.reserve

    async def slowly(self: RunLedger, number: int, estimate: Estimate | None) -> Reservation:
        kept = await real(self, number, estimate)
        reserved.set()
        await asyncio.sleep(0.3)
        return kept

    monkeypatch.setattr(RunLedger, "reserve", slowly)
    started = await asking.start("Tell me.")
    await reserved.wait()
    async with acting_as(asking.person) as tx:
        await runs.stop(tx, RunId(started.run_id))
    await asking.events(RunId(started.run_id))
    detail = await asking.detail(RunId(started.run_id))
    assert (detail.status, detail.cost_usd) == (RunStatus.CANCELLED, "0")
    months = await rows(select(Spending).where(col(Spending.organization_id) == asking.house.id))
    assert {(one.spent_micros, one.reserved_micros) for one in months} == {(0, 0)}
    assert not server.chats


async def test_a_provider_that_counts_below_nothing_pays_nobody_back(
    asking: Asking, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_wire, "_usage", lambda *_: {"prompt_tokens": -5, "completion_tokens": -9_999})
    await asking.use(server, PRICED)
    await asking.ask("Tell me.")
    (month,) = await rows(
        select(Spending).where(
            col(Spending.organization_id) == asking.house.id, col(Spending.kind) == "organization"
        )
    )
    assert month.spent_micros >= 0
