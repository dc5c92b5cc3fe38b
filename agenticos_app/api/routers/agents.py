"""Agents: which there are, and asking them."""

from typing import Annotated

from fastapi import APIRouter, Header
from fastapi.responses import StreamingResponse

from agenticos_app.api.deps import Calling, InTx
from agenticos_app.api.openapi import EVENT_STREAM, STREAM, refusals
from agenticos_app.api.stream import server_sent
from agenticos_app.errors import Conflict, Forbidden, KeyReused, NotFound
from agenticos_app.kernel.ids import AgentId
from agenticos_app.schemas.agents import AgentRow
from agenticos_app.schemas.runs import Ask, AskTest, RunResult
from agenticos_app.services import agents, asking
from agenticos_app.services.work import Credentials

router = APIRouter(tags=["Agents"])


@router.get("/agents")
async def list_agents(tx: InTx) -> list[AgentRow]:
    """List the agents that the caller may see."""
    return await agents.list_agents(tx)


@router.get("/agents/{agent_id}", responses=refusals(NotFound))
async def read_agent(tx: InTx, agent_id: AgentId) -> AgentRow:
    """Return one agent."""
    return await agents.get_agent(tx, agent_id)


IdempotencyKey = Annotated[
    str,
    Header(
        max_length=255,
        description="A name of your own for this call: repeated within 24 hours it gives the same run",
    ),
]
Accept = Annotated[str, Header(include_in_schema=False)]


@router.post(
    "/agents/{agent_id}/run",
    response_model=RunResult,
    responses=STREAM | refusals(NotFound, Forbidden, Conflict, KeyReused),
)
async def run_agent(
    credentials: Calling,
    agent_id: AgentId,
    body: Ask,
    accept: Accept = "",
    idempotency_key: IdempotencyKey = "",
) -> RunResult | StreamingResponse:
    """Ask an agent and wait for the end of its run.

    Hanging up does not stop the run; `GET /runs/{id}` has its result. With `conversation_id` the question
    continues that conversation, without one the run itself is the only record. Who accepts
    `text/event-stream` is sent the run's events instead, as by `GET /runs/{id}/stream`; the header `x-run-id`
    names the run. A status `awaiting_approval` means that a tool call waits for somebody's decision.
    """
    if EVENT_STREAM not in accept:
        return await asking.ask(credentials, agent_id, body, name=idempotency_key)
    return _streamed(await asking.begin(credentials, agent_id, body, name=idempotency_key), credentials)


@router.post(
    "/agents/{agent_id}/test",
    response_model=RunResult,
    responses=STREAM | refusals(NotFound, Forbidden, Conflict, KeyReused),
)
async def try_agent(
    credentials: Calling,
    agent_id: AgentId,
    body: AskTest,
    accept: Accept = "",
    idempotency_key: IdempotencyKey = "",
) -> RunResult | StreamingResponse:
    """Try out the draft or a version, as whoever may edit the agent, and wait for the end of the run.

    It works, answers and costs like `POST /agents/{id}/run`, but is flagged as a test: `GET /runs` lists it
    with `is_test=true` alone.
    """
    if EVENT_STREAM not in accept:
        return await asking.ask(credentials, agent_id, body, name=idempotency_key)
    return _streamed(await asking.begin(credentials, agent_id, body, name=idempotency_key), credentials)


def _streamed(asked: asking.Asked, credentials: Credentials) -> StreamingResponse:
    answer = server_sent(asked.events, credentials)
    answer.headers["x-run-id"] = str(asked.run_id)
    return answer
