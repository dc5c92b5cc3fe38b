"""Runs: listed, read, stopped. Their streams are in `api.stream`."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from agenticos_app.api.deps import Acting, InTx
from agenticos_app.api.openapi import binary, refusals
from agenticos_app.contracts.events import RunStatus
from agenticos_app.errors import NotFound
from agenticos_app.kernel.ids import AgentId, CallId, RunId
from agenticos_app.kernel.paging import PAGE_SIZE, Page
from agenticos_app.schemas.runs import RunDetail, RunRow, RunStopped
from agenticos_app.security.actor import Surface
from agenticos_app.services import chart_images, runs

router = APIRouter(tags=["Runs"])


@router.get("/runs")
async def list_runs(
    tx: InTx,
    cursor: Annotated[str, Query(max_length=500)] = "",
    status: Annotated[list[RunStatus] | None, Query(description="Repeat for several")] = None,
    agent_id: AgentId | None = None,
    surface: Surface | None = None,
    is_test: Annotated[bool, Query(description="List test runs, and nothing else")] = False,
    limit: Annotated[int, Query(ge=1, le=100)] = PAGE_SIZE,
) -> Page[RunRow]:
    """List the organization's runs, the latest first; without `runs:view` the caller's own."""
    return await runs.list_runs(
        tx,
        cursor=cursor,
        statuses=status or (),
        agent_id=agent_id,
        surface=surface.value if surface else "",
        is_test=is_test,
        limit=limit,
    )


@router.get("/runs/{run_id}", responses=refusals(NotFound))
async def read_run(tx: InTx, run_id: RunId) -> RunDetail:
    """Return a run with its timeline."""
    return await runs.get_run(tx, run_id)


@router.post("/runs/{run_id}/stop", responses=refusals(NotFound))
async def stop_run(tx: InTx, run_id: RunId) -> RunStopped:
    """Stop a run. It ends `cancelled` within a second; one that has ended stays as it is."""
    return RunStopped(status=await runs.stop(tx, run_id))


@router.get(
    "/runs/{run_id}/calls/{call_id}/chart.png",
    response_class=Response,
    responses=binary("image/png") | refusals(NotFound),
)
async def read_chart(actor: Acting, run_id: RunId, call_id: CallId) -> Response:
    """Return the chart that a tool call drew as an image."""
    name, body = await chart_images.image(actor, run_id, call_id)
    headers = {
        "content-disposition": f'attachment; filename="{name}"',
        "x-content-type-options": "nosniff",
        "cache-control": "private, max-age=86400",
    }
    return Response(body, media_type="image/png", headers=headers)
