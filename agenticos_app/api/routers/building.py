"""Building agents: drafts, versions, environments, files."""

from typing import Annotated

from fastapi import APIRouter, Header, Path, Query, Response

from agenticos_app.api.deps import InTx
from agenticos_app.api.openapi import Responses, refusals
from agenticos_app.catalogue import preferred
from agenticos_app.errors import BadDocument, Conflict, Forbidden, NotFound, NotPublishable, TooLarge
from agenticos_app.kernel.ids import AgentId, EnvironmentId
from agenticos_app.kernel.paging import PAGE_SIZE, Page
from agenticos_app.schemas.agents import (
    Draft,
    DraftChange,
    DraftImport,
    EnvironmentChange,
    EnvironmentCreate,
    EnvironmentRow,
    Promotion,
    Publish,
    Rollback,
    SpecChanges,
    Validation,
    VersionDetail,
    VersionRow,
)
from agenticos_app.services import agent_files, agent_versions, drafts, environments, publishing

router = APIRouter(tags=["Building agents"])

MOST = 2_147_483_647
Number = Annotated[int, Path(ge=1, le=MOST, description="Of a version")]
FILE: Responses = {
    200: {
        "description": "The file",
        "content": {
            "application/yaml": {
                "schema": {"type": "object"},
                "example": {"spec_version": 2, "instructions": "Be brief.", "max_steps": 100},
            }
        },
    }
}
Language = Annotated[str, Header(description="Language of the texts: `en` or `pl`")]
Limit = Annotated[int, Query(ge=1, le=100)]


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
async def validate_draft(tx: InTx, agent_id: AgentId, accept_language: Language = "") -> Validation:
    """Return everything that stands in the way of publishing the draft."""
    return await publishing.validate(tx, agent_id, preferred(accept_language))


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
    "/agents/{agent_id}/rollback",
    status_code=201,
    responses=refusals(Forbidden, NotFound, Conflict, NotPublishable),
)
async def roll_back_agent(tx: InTx, agent_id: AgentId, body: Rollback) -> VersionRow:
    """Publish an older version again under the next number, and make it the draft."""
    return await publishing.roll_back(tx, agent_id, body)


@router.get(
    "/agents/{agent_id}/export",
    response_class=Response,
    responses=FILE | refusals(NotFound),
)
async def export_agent(
    tx: InTx,
    agent_id: AgentId,
    version: Annotated[int, Query(ge=0, le=MOST, description="0: the draft")] = 0,
) -> Response:
    """Return draft or version as a YAML file. It names models and secrets by id and holds nothing of them."""
    name, text = await agent_files.export(tx, agent_id, version)
    headers = {
        "content-disposition": f'attachment; filename="{name}"',
        "x-content-type-options": "nosniff",
    }
    return Response(text.encode(), media_type="application/yaml", headers=headers)


@router.post(
    "/agents/{agent_id}/import",
    responses=refusals(BadDocument, Forbidden, NotFound, Conflict, TooLarge),
)
async def import_draft(tx: InTx, agent_id: AgentId, body: DraftImport) -> Draft:
    """Put a file in place of the draft."""
    return await agent_files.import_draft(tx, agent_id, body)


@router.get("/agents/{agent_id}/environments", responses=refusals(NotFound))
async def list_environments(tx: InTx, agent_id: AgentId) -> list[EnvironmentRow]:
    """List the environments: the default one, then the others by name."""
    return await environments.list_environments(tx, agent_id)


@router.post(
    "/agents/{agent_id}/environments", status_code=201, responses=refusals(Forbidden, NotFound, Conflict)
)
async def create_environment(tx: InTx, agent_id: AgentId, body: EnvironmentCreate) -> EnvironmentRow:
    """Add an environment. Something must be published."""
    return await environments.create(tx, agent_id, body)


@router.patch("/agents/{agent_id}/environments/{environment_id}", responses=refusals(Forbidden, NotFound))
async def change_environment(
    tx: InTx, agent_id: AgentId, environment_id: EnvironmentId, body: EnvironmentChange
) -> EnvironmentRow:
    """Change an environment; absent fields stay."""
    return await environments.change(tx, agent_id, environment_id, body)


@router.put(
    "/agents/{agent_id}/environments/{environment_id}/version", responses=refusals(Forbidden, NotFound)
)
async def promote_environment(
    tx: InTx, agent_id: AgentId, environment_id: EnvironmentId, body: Promotion
) -> EnvironmentRow:
    """Point an environment to a version."""
    return await environments.promote(tx, agent_id, environment_id, body.version)


@router.delete(
    "/agents/{agent_id}/environments/{environment_id}",
    status_code=204,
    responses=refusals(Forbidden, NotFound, Conflict),
)
async def delete_environment(tx: InTx, agent_id: AgentId, environment_id: EnvironmentId) -> None:
    """Delete an environment other than the default one. Its runs stay."""
    await environments.delete(tx, agent_id, environment_id)
