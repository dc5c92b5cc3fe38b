"""Which models the organization's agents may use."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from agenticos_app.api.deps import Acting, InTx
from agenticos_app.api.openapi import refusals
from agenticos_app.errors import Conflict, Forbidden, KeyUnavailable, NotFound
from agenticos_app.kernel.ids import ModelProfileId
from agenticos_app.schemas.models import (
    ModelChange,
    ModelCheckResult,
    ModelCreate,
    ModelDeleted,
    ModelDraft,
    ModelListResult,
    ModelProfileRow,
    ProviderId,
    ProviderRow,
    Trimmed,
)
from agenticos_app.services import model_access, models, providers
from agenticos_app.services.work import work

router = APIRouter(tags=["Models"])


@router.get("/models", responses=refusals(Forbidden))
async def list_models(tx: InTx) -> list[ModelProfileRow]:
    """List the organization's models by name."""
    return await models.list_profiles(tx)


@router.post("/models", status_code=201, responses=refusals(Forbidden, NotFound, Conflict))
async def create_model(tx: InTx, body: ModelCreate) -> ModelProfileRow:
    """Add a model. A missing key is no hindrance: the model is then shown without one, and not run."""
    return await models.create(tx, body)


@router.put("/models/default", responses=refusals(Forbidden, NotFound))
async def use_model(tx: InTx, body: ModelDraft) -> ModelProfileRow:
    """Add a model and make it the default in one step. A typed key is sealed and never shown again."""
    return await models.use_model(tx, body)


@router.post("/models/check", responses=refusals(Forbidden, NotFound, KeyUnavailable))
async def check_draft(actor: Acting, body: ModelDraft) -> ModelCheckResult:
    """Ask a model one short question before it is saved."""
    async with work(actor) as tx:
        access = await model_access.drafted(tx, body)
    return await providers.check(access)


@router.get("/models/providers", responses=refusals(Forbidden))
async def list_providers(actor: Acting) -> list[ProviderRow]:
    """List the providers that a model may name."""
    return providers.catalogue_for(actor)


@router.get("/models/providers/{provider}/list", responses=refusals(Forbidden, NotFound, KeyUnavailable))
async def list_offered(
    actor: Acting,
    provider: ProviderId,
    secret_id: Annotated[UUID | None, Query(description="A key of the vault")] = None,
    base_url: Annotated[Trimmed, Query(description="Another address than the provider's own")] = "",
) -> ModelListResult:
    """List what a provider offers: its own list, kept for an hour, else a short one that comes along."""
    async with work(actor) as tx:
        access = await model_access.to_list(tx, provider, secret_id=secret_id, base_url=base_url)
    return await providers.listed(access)


@router.get("/models/{model_profile_id}", responses=refusals(Forbidden, NotFound))
async def read_model(tx: InTx, model_profile_id: ModelProfileId) -> ModelProfileRow:
    """Return one model, with what uses it."""
    return await models.get_profile(tx, model_profile_id)


@router.patch("/models/{model_profile_id}", responses=refusals(Forbidden, NotFound, Conflict))
async def change_model(tx: InTx, model_profile_id: ModelProfileId, body: ModelChange) -> ModelProfileRow:
    """Change a model; absent fields stay. Agents use it as it is now from their next run on."""
    return await models.change(tx, model_profile_id, body)


@router.delete("/models/{model_profile_id}", responses=refusals(Forbidden, NotFound))
async def delete_model(tx: InTx, model_profile_id: ModelProfileId) -> ModelDeleted:
    """Delete a model, also one in use, and return what used it."""
    return await models.delete(tx, model_profile_id)


@router.put("/models/{model_profile_id}/default", responses=refusals(Forbidden, NotFound))
async def make_default(tx: InTx, model_profile_id: ModelProfileId) -> ModelProfileRow:
    """Let every agent that names no model use this one."""
    return await models.make_default(tx, model_profile_id)


@router.post("/models/{model_profile_id}/check", responses=refusals(Forbidden, NotFound, KeyUnavailable))
async def check_model(actor: Acting, model_profile_id: ModelProfileId) -> ModelCheckResult:
    """Ask a model one short question; return what came back and how long it took."""
    async with work(actor) as tx:
        access = await model_access.saved(tx, model_profile_id)
    return await providers.check(access)
