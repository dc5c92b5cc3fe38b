"""Model servers of this machine are looked for all at once."""

import asyncio

from agenticos_app.contracts.models import ModelAccess, ModelCheck
from agenticos_app.services import providers
from tests.fakes.model_ways import answering


async def test_all_ports_are_asked_at_the_same_time() -> None:
    everybody = asyncio.Barrier(len(providers.LOCAL_SERVERS))

    async def check(access: ModelAccess) -> ModelCheck:
        async with asyncio.timeout(5):
            await everybody.wait()
        found = ("small",) if ":1234" in access.base_url else ()
        return ModelCheck(ok=bool(found), milliseconds=1, models=found)

    with answering(check):
        found = await providers.found_locally()
    assert [(one.name, one.models) for one in found] == [("LM Studio", ["small"])]
