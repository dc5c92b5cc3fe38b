"""Every tenant table keeps organizations apart by itself: whatever the code above forgets is refused here."""

from collections.abc import Generator
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import (
    Column,
    Connection,
    ForeignKeyConstraint,
    NullPool,
    Table,
    UniqueConstraint,
    Uuid,
    create_engine,
    delete,
    func,
    insert,
    select,
    text,
)
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlmodel import SQLModel

from agenticos_app import models
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import new_id

GLOBAL = {"users", "organizations", "sessions", "setup_links", "audit_entries"}
"""Tables of the deployment itself, or of both; every other one belongs to tenants."""

POINTS_NOWHERE = {
    "grants.resource_id": "names a row of any kind of resource; read together with the organization only",
    "run_requests.profile_id": "what was spent is written even if the profile is deleted meanwhile",
    "run_requests.secret_id": "likewise the key",
    "idempotent_calls.caller_id": "names a key or a person; compared with the caller's own only",
    "runs.host_id": "names a process, not a row",
    "spendings.subject_id": "names an organization or an agent; read together with the organization only",
}
"""Ids that no foreign key can follow."""

ALLOWED = {
    "agents.visibility": "org",
    "secrets.visibility": "org",
    "grants.level": "read",
    "grants.resource_type": "agent",
    "memberships.role": "member",
    "memberships.source": "manual",
    "messages.role": "user",
    "model_fallbacks.position": 1,
    "spendings.kind": "agent",
}
"""Values for columns that take only some."""

VALUES = {
    str: "same",
    int: 7,
    bytes: b"bytes",
    dict: {},
    object: "same",
    bool: True,
    datetime: now(),
    date: now().date(),
    UUID: UUID(int=7),
}
"""What stands in columns that take anything, in every organization alike; `object` is SQLModel's text."""

assert models.__all__, "fills the metadata"
TABLES: dict[str, Table] = {
    table.name: table
    for table in SQLModel.metadata.sorted_tables
    if table.name in GLOBAL or "organization_id" in table.columns
}
TENANT_TABLES = [name for name in TABLES if name not in GLOBAL]

Row = dict[str, Any]


def references(table: Table) -> list[ForeignKeyConstraint]:
    """Return the keys that lead from a tenant's row to another row of the tenant."""
    return [
        key
        for key in sorted(table.foreign_key_constraints, key=lambda key: str(key.name))
        if key.referred_table.name in TENANT_TABLES
    ]


CROSSINGS = [
    pytest.param(name, key, id=f"{name}.{key.column_keys[1]}")
    for name in TENANT_TABLES
    for key in references(TABLES[name])
]


def value_of(column: "Column[Any]") -> object:
    """Return a value that fits, the same one in every organization."""
    named = f"{column.table.name}.{column.name}"
    if named in ALLOWED:
        return ALLOWED[named]
    return VALUES[column.type.python_type]


@dataclass
class Tenant:
    """An organization with one row in every table."""

    id: UUID
    person: UUID
    rows: dict[str, Row] = field(default_factory=dict)

    def row(self, name: str) -> Row:
        """Return values for another row of this table that refers to the tenant's rows."""
        table = TABLES[name]
        row: Row = {"id": new_id(), "created_at": now(), "organization_id": self.id}
        for key in table.foreign_key_constraints:
            target = key.referred_table.name
            own = [column.name for column in key.columns if column.name != "organization_id"]
            if not own or target == name:
                continue
            if target == "users":
                row[own[0]] = self.person
            elif target in self.rows:
                row[own[0]] = self.rows[target]["id"]
        for column in table.columns:
            if column.name not in row and not column.nullable:
                row[column.name] = value_of(column)
        return row


def add(connection: Connection, name: str, row: Row) -> None:
    connection.execute(insert(TABLES[name]).values(**row))


def new_tenant(connection: Connection) -> Tenant:
    tenant, mark = Tenant(new_id(), new_id()), new_id().hex
    user = TABLES["users"]
    person: Row = {column.name: value_of(column) for column in user.columns if not column.nullable}
    add(connection, "users", person | {"id": tenant.person, "email": f"{mark}@example.org"})
    add(
        connection,
        "organizations",
        {"id": tenant.id, "created_at": now(), "name": "The same", "slug": mark, "is_personal": False},
    )
    for name in TENANT_TABLES:
        tenant.rows[name] = tenant.row(name)
        add(connection, name, tenant.rows[name])
    check_now(connection)
    return tenant


def check_now(connection: Connection) -> None:
    """Let the keys speak up that wait for the end of the transaction."""
    connection.execute(text("SET CONSTRAINTS ALL IMMEDIATE"))
    connection.execute(text("SET CONSTRAINTS ALL DEFERRED"))


@pytest.fixture(scope="module")
def tenants(console_database: str) -> Generator[tuple[Connection, Tenant, Tenant]]:
    """Give two organizations in a transaction that is never committed."""
    engine = create_engine(console_database, poolclass=NullPool)
    with engine.connect() as connection:
        yield connection, new_tenant(connection), new_tenant(connection)
        connection.rollback()


Two = tuple[Connection, Tenant, Tenant]


@pytest.fixture
def two(tenants: Two) -> Generator[Two]:
    """Give them as they were."""
    point = tenants[0].begin_nested()
    yield tenants
    point.rollback()


def refused(connection: Connection, name: str, row: Row) -> str:
    """Return which constraint refuses the row."""
    point = connection.begin_nested()
    with pytest.raises(IntegrityError) as refusal:  # noqa: PT012
        add(connection, name, row)
        check_now(connection)
    point.rollback()
    return str(refusal.value.orig)


@pytest.mark.req("DOM-ORG-01")
def test_a_table_belongs_to_tenants_unless_it_is_one_of_the_deployments() -> None:
    all_of_ours = {
        table.name
        for mapper in models.User._sa_registry.mappers
        for table in [mapper.local_table]
        if mapper.class_.__module__.startswith("agenticos_app.")
    }
    without = {
        name for name in all_of_ours if "organization_id" not in SQLModel.metadata.tables[name].columns
    }
    assert all_of_ours == set(TABLES)
    assert without | {"sessions", "audit_entries"} == GLOBAL


@pytest.mark.req("DOM-ORG-01")
@pytest.mark.parametrize("name", TENANT_TABLES)
def test_a_row_without_an_organization_is_refused(two: Two, name: str) -> None:
    connection, tenant, _ = two
    row = tenant.row(name)
    said = refused(connection, name, row | {"organization_id": None})
    assert 'null value in column "organization_id"' in said


@pytest.mark.req("DOM-ORG-01")
@pytest.mark.parametrize("name", TENANT_TABLES)
def test_a_row_of_an_organization_that_does_not_exist_is_refused(two: Two, name: str) -> None:
    connection = two[0]
    row = another(two, name)
    optional = {
        key.column_keys[1]: None
        for key in references(TABLES[name])
        if TABLES[name].columns[key.column_keys[1]].nullable
    }
    said = refused(connection, name, row | optional | {"organization_id": new_id()})
    assert "violates foreign key constraint" in said


@pytest.mark.req("DOM-ORG-01")
@pytest.mark.parametrize(("name", "key"), CROSSINGS)
def test_a_row_cannot_refer_to_another_organizations_row(
    two: Two, name: str, key: ForeignKeyConstraint
) -> None:
    connection, tenant, other = two
    reference = key.column_keys[1]
    row = another(two, name)
    target = key.referred_table.name
    said = refused(connection, name, row | {reference: other.rows[target]["id"]})
    assert f'"{key.name}"' in said
    add(connection, name, row | {reference: tenant.rows[target]["id"]})
    check_now(connection)


def another(two: Two, name: str) -> Row:
    """Return a row that the table's unique keys let in beside the first ones, or in their place."""
    connection, tenant, other = two
    table, row = TABLES[name], tenant.row(name)
    for key in keys_of(table):
        free = [column for column in key if table.columns[column].type.python_type in (int, str, object)]
        for column in free:
            if f"{name}.{column}" not in ALLOWED:
                row[column] = 8 if table.columns[column].type.python_type is int else "another"
        if not free and "id" not in key:
            connection.execute(delete(table).where(table.c.organization_id.in_([tenant.id, other.id])))
    return row


def keys_of(table: Table) -> list[list[str]]:
    """Return the columns of each unique key and unique index."""
    constraints = [[*one.columns.keys()] for one in table.constraints if isinstance(one, UniqueConstraint)]
    return sorted([*constraints, *([*index.columns.keys()] for index in table.indexes if index.unique)])


@pytest.mark.req("DOM-ORG-01")
@pytest.mark.parametrize("name", ["organizations", *TENANT_TABLES])
def test_every_id_of_a_row_is_followed_by_a_key_that_compares_the_organization(name: str) -> None:
    table = TABLES[name]
    followed = {column for key in table.foreign_key_constraints for column in key.column_keys}
    loose = {
        f"{name}.{column.name}"
        for column in table.columns
        if isinstance(column.type, Uuid) and column.name != "id" and column.name not in followed
    }
    assert loose <= set(POINTS_NOWHERE)
    tenant_column = "id" if name == "organizations" else "organization_id"
    for key in references(table):
        assert key.column_keys[0] == tenant_column
        assert [element.column.name for element in key.elements] == ["organization_id", "id"]


@pytest.mark.req("DOM-ORG-01")
@pytest.mark.parametrize("name", TENANT_TABLES)
def test_unique_keys_hold_within_an_organization(name: str) -> None:
    """A key names the organization, or a row of it that a key with the organization leads to."""
    table = TABLES[name]
    owned = {"organization_id", *(key.column_keys[1] for key in references(table))}
    assert [key for key in keys_of(table) if not owned.intersection(key)] == []


@pytest.mark.req("DOM-ORG-01")
@pytest.mark.parametrize(
    ("name", "key"),
    [
        pytest.param(name, key, id=f"{name}-{'-'.join(key)}")
        for name in TENANT_TABLES
        for key in keys_of(TABLES[name])
        if "id" not in key
    ],
)
def test_two_organizations_use_the_same_name_and_one_does_not_twice(
    two: Two, name: str, key: list[str]
) -> None:
    connection, tenant, other = two
    mine, theirs = tenant.rows[name], other.rows[name]
    named = [column for column in key if not isinstance(TABLES[name].columns[column].type, Uuid)]
    assert [mine[column] for column in named] == [theirs[column] for column in named]
    again = tenant.row(name) | {column: mine[column] for column in key}
    assert "violates unique constraint" in refused(connection, name, again)


@pytest.mark.req("DOM-ORG-01")
def test_the_names_that_people_choose_are_unique_in_their_organization() -> None:
    chosen = {"agents": "slug", "secrets": "name", "model_profiles": "name"}
    for name, column in chosen.items():
        assert ["organization_id", column] in keys_of(TABLES[name])


@pytest.mark.req("DOM-ORG-01")
def test_deleting_an_organization_takes_its_rows_and_no_others(two: Two) -> None:
    connection, tenant, other = two
    agents, organizations = TABLES["agents"], TABLES["organizations"]
    connection.execute(
        agents.update()
        .where(agents.c.id == tenant.rows["agents"]["id"])
        .values(live_version_id=tenant.rows["agent_versions"]["id"])
    )
    connection.execute(
        organizations.update()
        .where(organizations.c.id == tenant.id)
        .values(default_model_profile_id=tenant.rows["model_profiles"]["id"])
    )
    connection.execute(delete(organizations).where(organizations.c.id == tenant.id))
    check_now(connection)
    for name in TENANT_TABLES:
        table = TABLES[name]
        count = select(func.count()).select_from(table)
        assert connection.execute(count.where(table.c.organization_id == tenant.id)).scalar() == 0, name
        assert connection.execute(count.where(table.c.organization_id == other.id)).scalar() == 1, name


@pytest.mark.req("DOM-ORG-01")
def test_an_organizations_default_model_is_one_of_its_own(two: Two) -> None:
    connection, tenant, other = two
    organizations = TABLES["organizations"]
    chosen = organizations.update().where(organizations.c.id == tenant.id)
    with pytest.raises(IntegrityError, match="fk_organizations_id_default_model_profile_id"):  # noqa: PT012
        connection.execute(chosen.values(default_model_profile_id=other.rows["model_profiles"]["id"]))
        check_now(connection)


@pytest.mark.req("DOM-ORG-07")
def test_a_membership_is_made_by_hand_or_by_a_directory(two: Two) -> None:
    connection, tenant, other = two
    joining = tenant.row("memberships") | {"user_id": other.person}
    assert "ck_memberships_source" in refused(connection, "memberships", joining | {"source": "guess"})
    for source in ("manual", "directory"):
        point = connection.begin_nested()
        add(connection, "memberships", joining | {"source": source})
        point.rollback()


@pytest.mark.req("DOM-ORG-07")
def test_a_person_has_one_membership_with_one_role_in_an_organization(two: Two) -> None:
    connection, tenant, other = two
    again = tenant.row("memberships") | {"role": "owner"}
    said = refused(connection, "memberships", again)
    assert "uq_memberships_organization_id_user_id" in said
    add(connection, "memberships", other.row("memberships") | {"user_id": tenant.person})
    kept = {"role", "user_id", "invited_by_user_id", "created_at", "source"}
    assert kept <= set(TABLES["memberships"].columns.keys())
    assert isinstance(tenant.rows["memberships"]["created_at"], datetime)


@pytest.mark.req("DOM-AUTH-01")
def test_an_account_has_the_agreed_fields_and_no_role() -> None:
    columns = TABLES["users"].columns
    assert set(columns.keys()) == {
        *("id", "created_at", "email", "full_name", "password_hash", "is_active", "is_app_admin"),
        *("avatar_key", "avatar_color", "onboarding_completed_at", "oauth_provider", "oauth_id"),
        *("notify_budget", "notify_approvals", "notify_usage"),
    }
    optional = {name for name, column in columns.items() if column.nullable}
    assert optional == {
        *(
            "password_hash",
            "avatar_key",
            "avatar_color",
            "onboarding_completed_at",
            "oauth_provider",
            "oauth_id",
        )
    }
    fresh = models.User(email="ada@example.org", full_name="Ada")
    assert (fresh.is_active, fresh.is_app_admin, fresh.password_hash) == (True, False, None)
    assert (fresh.notify_budget, fresh.notify_approvals, fresh.notify_usage) == (True, True, True)


@pytest.mark.req("DOM-AUTH-01")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"email": None}, "uq_users_email"),
        ({"email": "x" * 256}, "value too long"),
        ({"oauth_provider": "google", "oauth_id": "17"}, "uq_users_oauth_provider_oauth_id"),
    ],
)
def test_an_address_and_an_outside_identity_belong_to_one_account(two: Two, change: Row, said: str) -> None:
    connection, _, _ = two
    users = TABLES["users"]
    person: Row = {column.name: value_of(column) for column in users.columns if not column.nullable}
    first = person | {"id": new_id(), "email": f"{new_id().hex}@example.org"}
    first |= {name: value for name, value in change.items() if name.startswith("oauth")}
    add(connection, "users", first)
    second = first | {"id": new_id(), "email": f"{new_id().hex}@example.org"} | change
    if second["email"] is None:
        second["email"] = first["email"]
    point = connection.begin_nested()
    with pytest.raises(DBAPIError, match=said):
        add(connection, "users", second)
    point.rollback()
