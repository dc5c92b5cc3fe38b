"""Which model the organization's agents use."""

from fastapi import APIRouter

from agenticos_app.api.deps import InTx
from agenticos_app.api.openapi import refusals
from agenticos_app.errors import Forbidden
from agenticos_app.schemas.models import ModelDraft, ModelProfileRow
from agenticos_app.services import models

router = APIRouter(tags=["Models"])


@router.get("/models", responses=refusals(Forbidden))
async def list_models(tx: InTx) -> list[ModelProfileRow]:
    """List the organization's models."""
    return await models.list_profiles(tx)


@router.put("/models/default", responses=refusals(Forbidden))
async def use_model(tx: InTx, body: ModelDraft) -> ModelProfileRow:
    """Make a model the organization's default. The key is sealed and never shown again."""
    return await models.use_model(tx, body)
