"""Scopes are ordered, and which rows each of them reaches."""

import operator
from dataclasses import dataclass
from itertools import pairwise
from uuid import UUID, uuid4

import pytest

from agenticos_app.kernel.ids import OrganizationId, UserId
from agenticos_app.security.access import LEVELS, needed_level, reaches
from agenticos_app.security.actor import Actor
from agenticos_app.security.permissions import Permission, Scope

HERE = OrganizationId(uuid4())
ME, SOMEBODY = UserId(uuid4()), UserId(uuid4())
ASCENDING = (Scope.NONE, Scope.OWN, Scope.SHARED, Scope.TEAM, Scope.ALL)
COMPARISONS = (operator.lt, operator.le, operator.gt, operator.ge)


@dataclass(frozen=True)
class Thing:
    id: UUID
    organization_id: UUID
    owner_user_id: UUID | None
    visibility: str


def actor(scope: Scope, permission: Permission = Permission.AGENTS_VIEW) -> Actor:
    return Actor(organization_id=HERE, user_id=ME, reach={permission: scope})


def thing(owner: UUID | None, visibility: str) -> Thing:
    return Thing(uuid4(), HERE, owner, visibility)


@pytest.mark.req("DOM-PERM-03")
def test_each_scope_is_wider_than_the_one_before() -> None:
    assert sorted(ASCENDING, reverse=True) == list(reversed(ASCENDING))
    assert set(ASCENDING) == set(Scope)
    for narrow, wide in pairwise(ASCENDING):
        assert narrow < wide
        assert narrow <= wide
        assert wide > narrow
        assert wide >= narrow


@pytest.mark.req("DOM-PERM-03")
@pytest.mark.parametrize("compare", COMPARISONS)
@pytest.mark.parametrize("other", [4, 0, "all", None])
def test_a_scope_does_not_compare_with_anything_else(compare: object, other: object) -> None:
    assert callable(compare)
    with pytest.raises(TypeError):
        compare(Scope.ALL, other)
    with pytest.raises(TypeError):
        compare(other, Scope.ALL)


@pytest.mark.req("DOM-PERM-03")
@pytest.mark.parametrize(
    ("owner", "visibility", "least"),
    [
        (ME, "private", Scope.OWN),
        (ME, "team", Scope.OWN),
        (ME, "org", Scope.OWN),
        (SOMEBODY, "org", Scope.SHARED),
        (None, "org", Scope.SHARED),
        (SOMEBODY, "team", Scope.TEAM),
        (SOMEBODY, "private", Scope.ALL),
        (None, "private", Scope.ALL),
    ],
)
def test_the_least_scope_that_reaches_a_row(owner: UUID | None, visibility: str, least: Scope) -> None:
    reached = [
        scope
        for scope in ASCENDING
        if reaches(actor(scope), Permission.AGENTS_VIEW, thing(owner, visibility))
    ]
    assert reached == [scope for scope in ASCENDING if scope >= least]


@pytest.mark.req("DOM-PERM-05")
@pytest.mark.parametrize("held", list(Permission))
def test_a_permission_brings_no_other(held: Permission) -> None:
    one = actor(Scope.ALL, held)
    assert [permission for permission in Permission if one.may(permission)] == [held]
    reached = [permission for permission in Permission if reaches(one, permission, thing(ME, "org"))]
    assert reached == [held]


def test_a_row_without_an_owner_is_not_owned_by_nobody() -> None:
    nobody = Actor(organization_id=HERE, user_id=None, reach={Permission.AGENTS_VIEW: Scope.OWN})
    assert not reaches(nobody, Permission.AGENTS_VIEW, thing(None, "private"))


@pytest.mark.parametrize(
    ("permission", "level"),
    [
        (Permission.AGENTS_VIEW, "read"),
        (Permission.AGENTS_RUN, "use"),
        (Permission.AGENTS_EDIT, "edit"),
        (Permission.AGENTS_PUBLISH, "edit"),
        (Permission.MCP_MANAGE, "edit"),
    ],
)
def test_the_least_grant_that_stands_for_a_permission(permission: Permission, level: str) -> None:
    assert needed_level(permission) == LEVELS[level]
