"""Agents: which there are, making, sharing and deleting them, and asking them."""

from typing import Annotated, Literal

from fastapi import APIRouter, File, Header, Path, Query, Response, UploadFile
from fastapi.responses import StreamingResponse

from agenticos_app.api.deps import Acting, Calling, InTx
from agenticos_app.api.openapi import EVENT_STREAM, STREAM, binary, refusals
from agenticos_app.api.stream import server_sent
from agenticos_app.catalogue import preferred
from agenticos_app.errors import (
    BadDocument,
    Conflict,
    Forbidden,
    KeyReused,
    NotFound,
    NotPublishable,
    TooLarge,
)
from agenticos_app.kernel.ids import AgentId, CapabilityRequestId, UserId
from agenticos_app.kernel.paging import PAGE_SIZE, Page
from agenticos_app.schemas.agents import (
    AgentCard,
    AgentChange,
    AgentCreate,
    AgentDeleted,
    AgentImport,
    AgentLabels,
    CapabilityAsk,
    CapabilityEnabled,
    CapabilityRequestRow,
    TemplateRow,
)
from agenticos_app.schemas.runs import Ask, AskTest, RunResult
from agenticos_app.schemas.sharing import ShareLevel, Sharing
from agenticos_app.security.access import AGENT
from agenticos_app.services import (
    agent_files,
    agent_life,
    agent_pictures,
    agents,
    asking,
    more_capabilities,
    sharing,
    templates,
)
from agenticos_app.services.work import Credentials

router = APIRouter(tags=["Agents"])

Labels = Annotated[list[str] | None, Query(max_length=30)]
Language = Annotated[str, Header(description="Language of the texts: `en` or `pl`")]
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
async def list_templates(
    _actor: Acting, response: Response, accept_language: Language = ""
) -> list[TemplateRow]:
    """List the agents to begin with."""
    language = preferred(accept_language)
    response.headers.update({"content-language": language, "vary": "accept-language"})
    return templates.gallery(language)


@router.post(
    "/agents/import", status_code=201, responses=refusals(BadDocument, Forbidden, Conflict, TooLarge)
)
async def import_agent(tx: InTx, body: AgentImport) -> AgentCard:
    """Make a draft agent of a file."""
    return await agent_files.import_agent(tx, body)


@router.get("/agents/{agent_id}", responses=refusals(NotFound))
async def read_agent(tx: InTx, agent_id: AgentId) -> AgentCard:
    """Return one agent."""
    return await agents.get_agent(tx, agent_id)


@router.patch("/agents/{agent_id}", responses=refusals(Forbidden, NotFound))
async def change_agent(tx: InTx, agent_id: AgentId, body: AgentChange) -> AgentCard:
    """Change name, description, labels or visibility; absent fields stay. Nothing of it needs publishing."""
    return await agents.change(tx, agent_id, body)


@router.get("/agents/{agent_id}/loss", responses=refusals(Forbidden, NotFound))
async def read_loss(tx: InTx, agent_id: AgentId) -> AgentDeleted:
    """Return what deleting the agent takes along."""
    return await agent_life.loss(tx, agent_id)


@router.delete("/agents/{agent_id}", responses=refusals(Forbidden, NotFound, Conflict))
async def delete_agent(tx: InTx, agent_id: AgentId) -> AgentDeleted:
    """Delete an archived agent with its versions, environments and runs, and return what was lost."""
    return await agent_life.delete(tx, agent_id)


@router.post("/agents/{agent_id}/archive", responses=refusals(Forbidden, NotFound))
async def archive_agent(tx: InTx, agent_id: AgentId) -> AgentCard:
    """Take an agent out of use. It keeps its history and takes no new run."""
    return await agent_life.archive(tx, agent_id)


@router.post("/agents/{agent_id}/unarchive", responses=refusals(Forbidden, NotFound, Conflict))
async def unarchive_agent(tx: InTx, agent_id: AgentId) -> AgentCard:
    """Take an agent into use again."""
    return await agent_life.unarchive(tx, agent_id)


@router.post("/agents/{agent_id}/clone", status_code=201, responses=refusals(Forbidden, NotFound, Conflict))
async def clone_agent(tx: InTx, agent_id: AgentId) -> AgentCard:
    """Copy the draft into a new draft agent of the caller."""
    return await agent_life.clone(tx, agent_id)


@router.post("/agents/{agent_id}/claim", responses=refusals(Forbidden, NotFound, Conflict))
async def claim_agent(tx: InTx, agent_id: AgentId) -> AgentCard:
    """Become the owner of an agent that nobody of the organization owns."""
    return await agent_life.claim(tx, agent_id)


@router.put("/agents/{agent_id}/avatar", responses=refusals(Forbidden, NotFound, TooLarge))
async def set_agent_picture(
    actor: Acting, agent_id: AgentId, file: Annotated[UploadFile, File()]
) -> AgentCard:
    """Give the agent a picture: JPEG, PNG, WebP or GIF, at most 2 MB."""
    return await agent_pictures.set_picture(actor, agent_id, await file.read(agent_pictures.LIMIT_BYTES + 1))


@router.get(
    "/agents/{agent_id}/avatar",
    response_class=Response,
    responses=binary("image/png", "image/jpeg", "image/webp", "image/gif") | refusals(NotFound),
)
async def read_agent_picture(actor: Acting, agent_id: AgentId) -> Response:
    """Return the agent's picture."""
    kind, body = await agent_pictures.picture(actor, agent_id)
    headers = {"x-content-type-options": "nosniff", "cache-control": "private, max-age=86400"}
    return Response(body, media_type=kind, headers=headers)


@router.delete("/agents/{agent_id}/avatar", status_code=204, responses=refusals(Forbidden, NotFound))
async def remove_agent_picture(tx: InTx, agent_id: AgentId) -> None:
    """Take the picture away."""
    await agent_pictures.remove_picture(tx, agent_id)


@router.get("/agents/{agent_id}/shares", responses=refusals(NotFound))
async def read_agent_sharing(tx: InTx, agent_id: AgentId) -> Sharing:
    """Return how far the agent is shared."""
    return await sharing.sharing(tx, AGENT, agent_id)


@router.put("/agents/{agent_id}/shares/{user_id}", responses=refusals(Forbidden, NotFound))
async def share_agent(tx: InTx, agent_id: AgentId, user_id: UserId, body: ShareLevel) -> Sharing:
    """Let a member see it (`read`), ask it (`use`), or change, publish and share it too (`edit`)."""
    return await sharing.share(tx, AGENT, agent_id, user_id, body.level)


@router.delete(
    "/agents/{agent_id}/shares/{user_id}", status_code=204, responses=refusals(Forbidden, NotFound)
)
async def unshare_agent(tx: InTx, agent_id: AgentId, user_id: UserId) -> None:
    """Take what was given to a member away."""
    await sharing.unshare(tx, AGENT, agent_id, user_id)


@router.post(
    "/agents/{agent_id}/capability-requests",
    status_code=204,
    responses=refusals(NotFound, Conflict),
)
async def ask_for_capability(tx: InTx, agent_id: AgentId, body: CapabilityAsk) -> None:
    """Ask the agent's owner for a capability."""
    await more_capabilities.ask_for(tx, agent_id, body)


@router.get("/agents/{agent_id}/capability-requests", responses=refusals(Forbidden, NotFound))
async def list_capability_requests(tx: InTx, agent_id: AgentId) -> list[CapabilityRequestRow]:
    """List the capabilities that people ask for and the draft does not have."""
    return await more_capabilities.requests(tx, agent_id)


@router.delete(
    "/agents/{agent_id}/capability-requests/{capability_request_id}",
    status_code=204,
    responses=refusals(Forbidden, NotFound),
)
async def dismiss_capability_request(
    tx: InTx, agent_id: AgentId, capability_request_id: CapabilityRequestId
) -> None:
    """Put a request away."""
    await more_capabilities.dismiss(tx, agent_id, capability_request_id)


@router.post(
    "/agents/{agent_id}/capabilities/{capability}",
    responses=refusals(Forbidden, NotFound, Conflict, NotPublishable),
)
async def enable_capability(
    tx: InTx, agent_id: AgentId, capability: Annotated[str, Path(max_length=64)]
) -> CapabilityEnabled:
    """Switch a capability on as the starter agent has it.

    Published at once when the draft held nothing unpublished and the caller may publish; else it waits there.
    """
    return await more_capabilities.enable_capability(tx, agent_id, capability)


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
