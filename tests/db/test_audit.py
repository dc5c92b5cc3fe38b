"""The audit trail: who did what where, in the transaction that did it, and never with a value."""

from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from pydantic import SecretStr
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from agenticos_app.contracts.audit import Action
from agenticos_app.contracts.secrets import ApiKey
from agenticos_app.db.work import Tx
from agenticos_app.errors import NotFound
from agenticos_app.kernel.ids import SecretId, UserId
from agenticos_app.schemas.models import ModelDraft
from agenticos_app.schemas.organizations import (
    MemberAdd,
    MemberChange,
    OrganizationChange,
    OrganizationCreate,
)
from agenticos_app.schemas.secrets import SecretChange, SecretCreate, SecretRotate
from agenticos_app.security.access import SECRET
from agenticos_app.services import accounts, models, organizations, secrets, sharing
from agenticos_app.services.work import system_work
from tests.world import House, Person, acting_as, api_of, build_house, somebody

pytestmark = pytest.mark.usefixtures("console")

VALUE = "sk-audited-value-7788"


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply")


async def entries(house: House | None) -> list[dict[str, Any]]:
    """Return the entries of an organization in order; those of the deployment without one."""
    where = "organization_id = :id" if house else "organization_id IS NULL"
    query = text(f"SELECT * FROM audit_entries WHERE {where} ORDER BY created_at, id")
    async with system_work() as tx:
        rows = (await tx.session.execute(query, {"id": house.id} if house else {})).mappings().all()
    return [dict(row) for row in rows]


def body(**changes: Any) -> SecretCreate:
    value = ApiKey(api_key=SecretStr(VALUE))
    return SecretCreate(**{"name": "Key", "purpose": "openai", "value": value, **changes})


async def act(person: Person, change: Callable[[Tx], Awaitable[Any]], house: House) -> Any:
    async with acting_as(person, organization=house.id) as tx:
        return await change(tx)


@pytest.mark.req("DOM-AUDIT-01", "DOM-AUDIT-03", "DOM-SECRET-13")
async def test_each_change_of_a_secret_is_one_entry_without_its_value(house: House) -> None:
    owner, member = house.owner, house.people["member"]
    row = await act(owner, lambda tx: secrets.create(tx, body(description="words of a person")), house)
    secret_id = SecretId(row.id)
    new = SecretRotate(value=ApiKey(api_key=SecretStr(VALUE + "-2")))
    await act(owner, lambda tx: secrets.rotate(tx, secret_id, new), house)
    renamed = SecretChange(name="Renamed to this", visibility="org")
    await act(owner, lambda tx: secrets.change(tx, secret_id, renamed), house)
    await act(owner, lambda tx: sharing.share(tx, SECRET, secret_id, member.user_id, "use"), house)
    await act(owner, lambda tx: sharing.unshare(tx, SECRET, secret_id, member.user_id), house)
    await act(owner, lambda tx: secrets.delete(tx, secret_id), house)
    found = await entries(house)
    shown = [(one["action"], one["details"]) for one in found]
    user_id = str(member.user_id)
    assert shown == [
        ("secret.created", {"purpose": "openai", "kind": "api_key", "visibility": "private"}),
        ("secret.rotated", {"purpose": "openai"}),
        ("resource.visibility_changed", {"visibility": "org"}),
        ("secret.changed", {"fields": ["name"]}),
        ("resource.share", {"user_id": user_id, "level": "use"}),
        ("resource.unshare", {"user_id": user_id}),
        ("secret.deleted", {"purpose": "openai", "used_by": []}),
    ]
    who = {(one["actor_user_id"], one["target_type"], one["target_id"]) for one in found}
    assert who == {(owner.user_id, "secret", row.id)}
    for text_of_a_person in (VALUE, "7788", "words of a person", "Renamed to this"):
        assert text_of_a_person not in str(found)


@pytest.mark.req("DOM-AUDIT-01")
async def test_an_entry_says_from_where(house: House) -> None:
    async with api_of(house.owner) as api:
        await api.patch("/api/v1/organization", json={"name": "Renamed"})
    (entry,) = await entries(house)
    assert (entry["ip_address"], entry["actor_user_id"]) == ("127.0.0.1", house.owner.user_id)
    assert entry["impersonator_user_id"] is None
    assert entry["created_at"].tzinfo is not None


async def run(statement: str) -> None:
    async with system_work() as tx:
        await tx.session.execute(text(statement))


@pytest.mark.req("DOM-AUDIT-01")
async def test_what_cannot_be_recorded_does_not_happen(house: House) -> None:
    row = await act(house.owner, lambda tx: secrets.create(tx, body()), house)
    before = len(await entries(house))
    value = SecretRotate(value=ApiKey(api_key=SecretStr("sk-another-value-0000")))
    changes: list[Callable[[Tx], Awaitable[Any]]] = [
        lambda tx: secrets.create(tx, body(name="Other")),
        lambda tx: secrets.rotate(tx, SecretId(row.id), value),
        lambda tx: secrets.delete(tx, SecretId(row.id)),
        lambda tx: organizations.change(tx, OrganizationChange(name="Renamed")),
        lambda tx: organizations.remove_member(tx, house.people["viewer"].user_id),
        lambda tx: sharing.share(tx, SECRET, row.id, house.people["viewer"].user_id, "edit"),
    ]
    await run("ALTER TABLE audit_entries ADD CONSTRAINT closed CHECK (false) NOT VALID")
    try:
        for change in changes:
            with pytest.raises(IntegrityError, match="closed"):
                await act(house.owner, change, house)
    finally:
        await run("ALTER TABLE audit_entries DROP CONSTRAINT closed")
    assert len(await entries(house)) == before
    (left,) = await act(house.owner, secrets.list_secrets, house)
    assert (left.name, left.hint, left.rotated_at) == ("Key", "7788", None)
    assert (await act(house.owner, organizations.detail, house)).name == "Harbor Supply"
    assert len(await act(house.owner, organizations.list_members, house)) == 6


@pytest.mark.req("DOM-AUDIT-01", "DOM-AUDIT-03")
async def test_a_refused_change_leaves_no_entry(house: House) -> None:
    with pytest.raises(NotFound):
        await act(house.people["viewer"], lambda tx: secrets.delete(tx, SecretId(house.id)), house)
    async with api_of(house.people["viewer"]) as api:
        assert (await api.patch("/api/v1/organization", json={"name": "Mine"})).status_code == 403
    assert await entries(house) == []


async def changes_by(person: Person, house: House) -> list[str]:
    """Make every audited change of an organization; return the actions in order."""
    guest = await somebody("Guest Person")

    async def found_organization(tx: Tx) -> None:
        await organizations.found(tx.actor, OrganizationCreate(name="Another"))

    changes: list[Callable[[Tx], Awaitable[Any]]] = [
        lambda tx: organizations.change(tx, OrganizationChange(name="N2", monthly_budget_usd=Decimal(5))),
        lambda tx: organizations.add_member(tx, MemberAdd(email=guest.email, role="viewer")),
        lambda tx: organizations.change_member(tx, guest.user_id, MemberChange(role="builder")),
        lambda tx: organizations.remove_member(tx, guest.user_id),
        lambda tx: models.use_model(tx, draft(VALUE)),
        lambda tx: models.use_model(tx, draft("")),
        found_organization,
    ]
    for change in changes:
        await act(person, change, house)
    return [one["action"] for one in await entries(house)]


def draft(key: str) -> ModelDraft:
    return ModelDraft(
        provider="openai", base_url="http://models.test/v1", model_name="m", api_key=SecretStr(key)
    )


@pytest.mark.req("DOM-AUTH-16", "DOM-AUDIT-01")
async def test_what_a_deployment_administrator_does_among_others_is_on_the_trail(house: House) -> None:
    """They may do everything in every organization, so each thing that they do names them."""
    admin = (await build_house("Operations", roles=())).owner
    async with system_work() as tx:
        await accounts.set_app_admin(tx, admin.email, admin=True)
    assert await changes_by(admin, house) == [
        "organization.changed",
        "member.added",
        "member.role_changed",
        "member.removed",
        "secret.created",
        "model_profile.created",
        "model_profile.default",
        "agent.published",
        "model_profile.changed",
        "organization.created",
    ]
    found = await entries(house)
    assert {one["actor_user_id"] for one in found} == {admin.user_id}
    details = {one["action"]: one["details"] for one in found}
    assert details["organization.changed"] == {"fields": ["monthly_budget_usd", "name"]}
    assert details["member.role_changed"] == {"from": "viewer", "to": "builder"}
    assert VALUE not in str(found)


@pytest.mark.req("DOM-AUDIT-04", "DOM-AUTH-16")
async def test_entries_without_a_person_are_the_command_lines(house: House) -> None:
    email = house.people["builder"].email
    async with system_work() as tx:
        await accounts.set_app_admin(tx, email, admin=True)
        await accounts.set_active(tx, email, active=False)
    target = house.people["builder"].user_id
    mine = [one for one in await entries(None) if one["target_id"] == target]
    assert [(one["action"], one["details"]) for one in mine] == [
        ("user.admin_changed", {"is_app_admin": True}),
        ("user.active_changed", {"is_active": False}),
    ]
    assert {one["actor_user_id"] for one in mine} == {None}
    await act(house.owner, lambda tx: secrets.create(tx, body()), house)
    assert all(one["actor_user_id"] for one in await entries(house))
    async with system_work() as tx:
        nameless = text("SELECT DISTINCT action FROM audit_entries WHERE actor_user_id IS NULL")
        found = set((await tx.session.execute(nameless)).scalars())
    shell = {Action.USER_ADMIN_CHANGED, Action.USER_ACTIVE_CHANGED, Action.VAULT_REWRAPPED}
    assert found <= {action.value for action in shell}


async def test_the_trail_of_one_organization_is_not_anothers(house: House) -> None:
    other = await build_house("Elsewhere", roles=())
    await act(other.owner, lambda tx: secrets.create(tx, body()), other)
    assert await entries(house) == []
    assert {one["organization_id"] for one in await entries(other)} == {other.id}
    assert isinstance(house.id, UUID)
    assert UserId(house.owner.user_id) not in {one["actor_user_id"] for one in await entries(other)}
