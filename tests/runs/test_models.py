"""Runs and the models that answer for them."""

from dataclasses import replace

import pytest
from pydantic import SecretStr
from pydantic_ai import ModelRequestTimeout
from sqlmodel import col, select

from agenticos_app.contracts.secrets import ApiKey
from agenticos_app.kernel.ids import ModelProfileId
from agenticos_app.models import AgentVersion, RunRequest
from agenticos_app.runner.failures import outcome_of
from agenticos_app.schemas.models import ModelChange, ModelCreate, ModelProfileRow
from agenticos_app.schemas.runs import RunDetail
from agenticos_app.schemas.secrets import SecretCreate, SecretRow
from agenticos_app.services import models, secrets
from tests.fakes.openai_server import OpenAIServer
from tests.runs.conftest import Asking
from tests.world import acting_as


async def keep(asking: Asking, name: str, **changes: object) -> ModelProfileRow:
    async with acting_as(asking.person) as tx:
        tx.actor = replace(tx.actor, is_app_admin=True)
        described = {"name": name, "provider": "openai", "model_name": "stub"} | changes
        return await models.create(tx, ModelCreate.model_validate(described))


async def key(asking: Asking, name: str) -> SecretRow:
    async with acting_as(asking.person) as tx:
        value = ApiKey(api_key=SecretStr("key"))
        return await secrets.create(
            tx, SecretCreate(name=name, purpose="openai", visibility="org", value=value)
        )


async def default(asking: Asking, profile: ModelProfileRow) -> None:
    async with acting_as(asking.person) as tx:
        await models.make_default(tx, ModelProfileId(profile.id))


async def requests(asking: Asking, run: RunDetail) -> list[RunRequest]:
    async with acting_as(asking.person) as tx:
        query = select(RunRequest).where(col(RunRequest.run_id) == run.id).order_by(col(RunRequest.number))
        return list((await tx.session.execute(query)).scalars())


@pytest.mark.req("DOM-MODEL-11", "DOM-SECRET-14", "DOM-MODEL-15")
async def test_a_fallback_that_answers_is_who_is_booked(asking: Asking, server: OpenAIServer) -> None:
    first, second = await key(asking, "First"), await key(asking, "Second")
    backup = await keep(asking, "Backup", base_url=server.base_url, secret_id=second.id, is_free=True)
    primary = await keep(
        asking,
        "Primary",
        base_url="http://127.0.0.1:9/v1",
        secret_id=first.id,
        fallback_profile_ids=[backup.id],
    )
    await default(asking, primary)
    run = await asking.ask("Hello")
    assert (run.status, run.model_label, run.cost_is_partial) == ("completed", "Primary", False)
    failed, served = await requests(asking, run)
    assert (failed.profile_id, failed.secret_id, failed.failed is not None) == (primary.id, first.id, True)
    assert (served.profile_id, served.secret_id, served.failed) == (backup.id, second.id, None)
    assert (served.provider, served.model, served.cost_micros) == ("openai", "stub", 0)
    async with acting_as(asking.person) as tx:
        assert (await secrets.get_secret(tx, secrets.SecretId(second.id))).last_used_at is not None


@pytest.mark.req("DOM-MODEL-15")
async def test_a_free_model_costs_nothing_and_is_not_partial(asking: Asking, server: OpenAIServer) -> None:
    await default(asking, await keep(asking, "Mine", base_url=server.base_url, is_free=True))
    run = await asking.ask("Hello")
    assert (run.cost_usd, run.cost_is_partial) == ("0", False)
    await default(asking, await keep(asking, "Theirs", base_url=server.base_url))
    run = await asking.ask("Hello")
    assert (run.cost_usd, run.cost_is_partial) == (None, True)


@pytest.mark.req("DOM-MODEL-05", "DOM-SECRET-12")
async def test_a_model_without_a_key_is_refused_by_its_name(asking: Asking) -> None:
    await default(asking, await keep(asking, "Keyless"))
    run = await asking.ask("Hello")
    assert (run.status, run.error_code, run.model_label) == ("failed", "no_key", "Keyless")
    assert run.error == "The model Keyless has no key."
    assert await requests(asking, run) == []


@pytest.mark.req("DOM-MODEL-19", "DOM-MODEL-02")
async def test_a_deleted_model_is_named_and_a_changed_one_is_used_at_once(
    asking: Asking, server: OpenAIServer
) -> None:
    profile = await keep(asking, "Sea", base_url=server.base_url)
    async with acting_as(asking.person) as tx:
        version = await tx.session.get(AgentVersion, asking.house.version_id)
        assert version is not None
        version.spec = version.spec | {"model_profile_id": str(profile.id)}
    run = await asking.ask("Hello")
    assert (run.status, run.model_label) == ("completed", "Sea")
    async with acting_as(asking.person) as tx:
        await models.change(tx, ModelProfileId(profile.id), ModelChange(model_name="stub:tokens=3"))
    assert (await requests(asking, await asking.ask("Hello")))[0].model == "stub:tokens=3"
    async with acting_as(asking.person) as tx:
        await models.delete(tx, ModelProfileId(profile.id))
    run = await asking.ask("Hello")
    assert (run.status, run.error_code, run.model_label) == ("failed", "model_gone", "Sea")
    assert run.error == "The model Sea was deleted."


def test_a_request_over_its_time_limit_is_a_timeout() -> None:
    outcome = outcome_of(ModelRequestTimeout("sea-1", 30), "model")
    assert outcome.error_code == "model_timeout"
