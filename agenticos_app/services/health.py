"""Whether the deployment can work."""

from agenticos_app.db.work import SystemTx
from agenticos_app.repos import accounts
from agenticos_app.schemas.health import Health


async def ready(tx: SystemTx) -> Health:
    """Ask the database for something."""
    await accounts.owner_exists(tx)
    return Health()
