"""Agents: which there are, making them, their drafts and versions, and asking them."""

from typing import Annotated, Literal

from fastapi import APIRouter, Header, Path, Query
from fastapi.responses import StreamingResponse

from agenticos_app.api.deps import Calling, InTx
from agenticos_app.api.openapi import EVENT_STREAM, STREAM, refusals
from agenticos_app.api.stream import server_sent
from agenticos_app.errors import Conflict, Forbidden, KeyReused, NotFound, NotPublishable, TooLarge
from agenticos_app.kernel.ids import AgentId
from agenticos_app.kernel.paging import PAGE_SIZE, Page
from agenticos_app.schemas.agents import (
    AgentCard,
    AgentChange,
    AgentCreate,
    AgentLabels,
    Draft,
    DraftChange,
    Publish,
    SpecChanges,
    TemplateRow,
    Validation,
    VersionDetail,
    VersionRow,
)
from agenticos_app.schemas.runs import Ask, RunResult
from agenticos_app.services import agent_versions, agents, asking, drafts, publishing, templates

router = APIRouter(tags=["Agents"])

Labels = Annotated[list[str] | None, Query(max_length=30)]
MOST = 2_147_483_647
Number = Annotated[int, Path(ge=1, le=MOST, description="Of a version")]
Limit = Annotated[int, Query(ge=1, le=100)]


@router.get("/agents")
async def list_agents(
    tx: InTx,
    search: Annotated[str, Query(max_length=200, description="In name, handle and description")] = "",
    status: Annotated[
        Literal["", "draft", "published", "archived"], Query(description="Empty: all but archived ones")
    ] = "",
    shared: Annotated[bool, Query(description="Only what was shared with the caller by name")] = False,
    mine: Annotated[bool, Query(description="Only what the caller owns")] = False,
    category: Labels = None,
    tag: Labels = None,
    cursor: str = "",
    limit: Limit = PAGE_SIZE,
) -> Page[AgentCard]:
    """List the agents that the caller may see, the ones changed last first.

    An agent has one of the given categories and one of the given tags.
    """
    return await agents.list_cards(
        tx,
        search=search,
        status=status,
        shared=shared,
        mine=mine,
        categories=category or (),
        tags=tag or (),
        cursor=cursor,
        limit=limit,
    )


@router.post("/agents", status_code=201, responses=refusals(Forbidden, NotFound, Conflict))
async def create_agent(tx: InTx, body: AgentCreate) -> AgentCard:
    """Make a draft agent with the starter's capabilities, or those of a template."""
    return await agents.create(tx, body)


@router.get("/agents/labels")
async def list_labels(tx: InTx) -> AgentLabels:
    """List the categories and tags in use, most used first."""
    return await agents.labels(tx)


@router.get("/agents/templates")
async def list_templates(_: InTx) -> list[TemplateRow]:
    """List the agents to begin with."""
    return templates.gallery()


@router.get("/agents/{agent_id}", responses=refusals(NotFound))
async def read_agent(tx: InTx, agent_id: AgentId) -> AgentCard:
    """Return one agent."""
    return await agents.get_agent(tx, agent_id)


@router.patch("/agents/{agent_id}", responses=refusals(Forbidden, NotFound))
async def change_agent(tx: InTx, agent_id: AgentId, body: AgentChange) -> AgentCard:
    """Change name, description, labels or visibility; absent fields stay. Nothing of it needs publishing."""
    return await agents.change(tx, agent_id, body)


@router.get("/agents/{agent_id}/draft", responses=refusals(NotFound))
async def read_draft(tx: InTx, agent_id: AgentId) -> Draft:
    """Return the draft and who changed it last."""
    return await drafts.get_draft(tx, agent_id)


@router.put("/agents/{agent_id}/draft", responses=refusals(Forbidden, NotFound, Conflict, TooLarge))
async def save_draft(tx: InTx, agent_id: AgentId, body: DraftChange) -> Draft:
    """Put a spec in place of the draft. It may refer to what does not exist; publishing may not.

    When somebody changed it since `revision`, the answer is 409 and says who, when and how.
    """
    return await drafts.save(tx, agent_id, body)


@router.post("/agents/{agent_id}/validate", responses=refusals(Forbidden, NotFound))
async def validate_draft(tx: InTx, agent_id: AgentId) -> Validation:
    """Return everything that stands in the way of publishing the draft."""
    return await publishing.validate(tx, agent_id)


@router.post(
    "/agents/{agent_id}/publish",
    status_code=201,
    responses=refusals(Forbidden, NotFound, Conflict, NotPublishable),
)
async def publish_agent(tx: InTx, agent_id: AgentId, body: Publish) -> VersionRow:
    """Freeze the draft as the next version. Environments that track the latest move to it."""
    return await publishing.publish(tx, agent_id, body)


@router.get("/agents/{agent_id}/changes", responses=refusals(NotFound))
async def list_changes(
    tx: InTx,
    agent_id: AgentId,
    since: Annotated[
        int | None,
        Query(ge=0, le=2_147_483_647, description="A version; empty: the latest; 0: an empty spec"),
    ] = None,
    until: Annotated[int, Query(ge=0, le=MOST, description="A version; 0: the draft")] = 0,
) -> SpecChanges:
    """Return how two specs of the agent differ, in lines."""
    return await publishing.changes(tx, agent_id, since=since, until=until)


@router.get("/agents/{agent_id}/versions", responses=refusals(NotFound))
async def list_versions(
    tx: InTx, agent_id: AgentId, cursor: str = "", limit: Limit = PAGE_SIZE
) -> Page[VersionRow]:
    """List the published versions, the latest first."""
    return await agent_versions.list_versions(tx, agent_id, cursor=cursor, limit=limit)


@router.get("/agents/{agent_id}/versions/{number}", responses=refusals(NotFound))
async def read_version(tx: InTx, agent_id: AgentId, number: Number) -> VersionDetail:
    """Return one version with its spec."""
    return await agent_versions.get_version(tx, agent_id, number)


@router.delete(
    "/agents/{agent_id}/versions/{number}", status_code=204, responses=refusals(Forbidden, NotFound, Conflict)
)
async def delete_version(tx: InTx, agent_id: AgentId, number: Number) -> None:
    """Delete a version that no environment points to and that is not the latest. Its runs stay."""
    await agent_versions.delete_version(tx, agent_id, number)


@router.post(
    "/agents/{agent_id}/run",
    response_model=RunResult,
    responses=STREAM | refusals(NotFound, Forbidden, Conflict, KeyReused),
)
async def run_agent(
    credentials: Calling,
    agent_id: AgentId,
    body: Ask,
    accept: Annotated[str, Header(include_in_schema=False)] = "",
    idempotency_key: Annotated[
        str,
        Header(
            max_length=255,
            description="A name of your own for this call: repeated within 24 hours it gives the same run",
        ),
    ] = "",
) -> RunResult | StreamingResponse:
    """Ask an agent and wait for the end of its run.

    Hanging up does not stop the run; `GET /runs/{id}` has its result. With `conversation_id` the question
    continues that conversation, without one the run itself is the only record. Who accepts
    `text/event-stream` is sent the run's events instead, as by `GET /runs/{id}/stream`; the header `x-run-id`
    names the run. A status `awaiting_approval` means that a tool call waits for somebody's decision.
    """
    if EVENT_STREAM not in accept:
        return await asking.ask(credentials, agent_id, body, name=idempotency_key)
    asked = await asking.begin(credentials, agent_id, body, name=idempotency_key)
    answer = server_sent(asked.events, credentials)
    answer.headers["x-run-id"] = str(asked.run_id)
    return answer
