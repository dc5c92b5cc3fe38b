"""Whether the server answers, and whether it can work."""

from fastapi import APIRouter

from agenticos_app.api.deps import InSystemTx
from agenticos_app.schemas.health import Health
from agenticos_app.services import health

router = APIRouter(tags=["Health"])


@router.get("/health")
async def read_health() -> Health:
    """Say that the process answers."""
    return Health()


@router.get("/health/ready")
async def read_readiness(tx: InSystemTx) -> Health:
    """Say that the database answers too."""
    return await health.ready(tx)
