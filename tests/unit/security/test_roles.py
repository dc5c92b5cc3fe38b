"""The permission catalogue and the role matrix, written out here once more and apart from the code."""

import pytest

from agenticos_app.security.permissions import (
    EVERYTHING,
    GLOBAL,
    NOTHING,
    ROLES,
    Permission,
    Role,
    Scope,
    reach_of,
)

COLUMNS = ("owner", "admin", "builder", "operator", "member", "viewer")

HELD_OR_NOT = """
members:manage      all  all  -       -       -       -
roles:manage        all  all  -       -       -       -
org:settings        all  all  -       -       -       -
org:delete          all  -    -       -       -       -
budgets:manage      all  all  -       -       -       -
approvals:decide    all  all  -       all     -       -
connections:view    all  all  all     all     -       -
connections:manage  all  all  all     -       -       -
channels:manage     all  all  -       -       -       -
runs:view           all  all  all     all     -       -
audit:read          all  all  -       -       -       -
ml:invoke           all  all  all     all     all     -
api_keys:create     all  all  all     all     all     -
api_keys:manage     all  all  -       -       -       -
"""

BY_SCOPE = """
agents:view         all  all  all     all     shared  shared
agents:edit         all  all  shared  -       own     -
agents:publish      all  all  shared  -       -       -
agents:run          all  all  all     all     shared  -
collections:view    all  all  all     all     shared  shared
collections:edit    all  all  shared  -       own     -
skills:view         all  all  all     all     shared  shared
skills:edit         all  all  shared  -       own     -
context:view        all  all  all     all     shared  shared
context:edit        all  all  shared  -       own     -
secrets:view        all  all  shared  shared  shared  -
secrets:edit        all  all  own     -       own     -
mcp:manage          all  all  shared  -       -       -
workflows:view      all  all  all     all     shared  -
workflows:edit      all  all  shared  -       own     -
workflows:run       all  all  all     all     shared  -
tables:view         all  all  all     all     shared  -
tables:edit         all  all  shared  -       own     -
"""


def rows_of(matrix: str) -> dict[str, list[str]]:
    return {permission: scopes for permission, *scopes in map(str.split, matrix.strip().splitlines())}


BINARY, SCOPED = rows_of(HELD_OR_NOT), rows_of(BY_SCOPE)


def written_out() -> dict[tuple[str, str], str]:
    return {
        (role, permission): scope
        for permission, scopes in (BINARY | SCOPED).items()
        for role, scope in zip(COLUMNS, scopes, strict=True)
    }


def held() -> dict[tuple[str, str], str]:
    return {
        (role, permission.value): reach_of(role).get(permission, Scope.NONE).name.lower().replace("none", "-")
        for role in COLUMNS
        for permission in Permission
    }


@pytest.mark.req("DOM-PERM-01", "DOM-PERM-02")
def test_the_catalogue_is_the_one_that_was_agreed() -> None:
    assert sorted(permission.value for permission in Permission) == sorted([*BINARY, *SCOPED])


@pytest.mark.req("DOM-PERM-01", "DOM-PERM-02")
def test_permissions_on_rows_carry_a_scope_and_the_others_are_held_or_not() -> None:
    assert {permission.value for permission in GLOBAL} == set(BINARY)
    in_between = {
        permission.value
        for reach in ROLES.values()
        for permission, scope in reach.items()
        if scope not in (Scope.NONE, Scope.ALL)
    }
    assert in_between <= set(SCOPED)


@pytest.mark.req("DOM-PERM-04", "DOM-ORG-09")
def test_each_role_reaches_what_the_matrix_says() -> None:
    assert held() == written_out()


@pytest.mark.req("DOM-ORG-09")
def test_there_are_six_roles() -> None:
    assert [role.value for role in Role] == list(COLUMNS)
    assert set(ROLES) == set(Role)


@pytest.mark.req("DOM-ORG-09")
@pytest.mark.parametrize("role", ["", "Owner", "OWNER", " owner", "superuser", "anonymous", "member,owner"])
def test_a_role_that_does_not_exist_reaches_nothing(role: str) -> None:
    assert dict(reach_of(role)) == {}


def test_nobody_can_widen_a_role_while_the_server_runs() -> None:
    for reach in (EVERYTHING, NOTHING, ROLES[Role.VIEWER]):
        with pytest.raises(TypeError):
            reach[Permission.ORG_DELETE] = Scope.ALL  # type: ignore[index]
