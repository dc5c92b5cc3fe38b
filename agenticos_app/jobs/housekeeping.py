"""The housekeeper: sweeps once an hour, in one process of the deployment at a time."""

import asyncio

import structlog

from agenticos_app.services import housekeeping

log = structlog.get_logger()

FIRST_AFTER_S = 60
EVERY_S = 3600


async def keep_house() -> None:
    """Sweep a minute after the start, out of its way, and then every hour, until cancelled."""
    await asyncio.sleep(FIRST_AFTER_S)
    while True:
        try:
            if (swept := await housekeeping.sweep()) is not None:
                log.info(
                    "housekeeping.swept",
                    sessions=swept.sessions,
                    files=swept.files,
                    setup_links=swept.setup_links,
                )
        except Exception:
            log.exception("housekeeping.failed")
        await asyncio.sleep(EVERY_S)
