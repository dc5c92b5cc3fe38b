"""Who acts when there is a person, and when there is none."""

from uuid import uuid4

import pytest

from agenticos_app.errors import Forbidden, Unauthenticated
from agenticos_app.kernel.ids import OrganizationId, UserId
from agenticos_app.security.actor import Actor, Surface, nobody
from agenticos_app.security.permissions import Permission, Scope

HERE = OrganizationId(uuid4())


@pytest.mark.req("DOM-PERM-16")
def test_nobody_may_do_nothing() -> None:
    actor = nobody(HERE, Surface.API)
    assert actor.organization_id == HERE
    assert not actor.is_app_admin
    assert [permission for permission in Permission if actor.may(permission)] == []
    for permission in Permission:
        with pytest.raises(Forbidden):
            actor.require(permission)


@pytest.mark.req("DOM-PERM-16")
def test_code_that_needs_a_person_is_refused_for_nobody() -> None:
    with pytest.raises(Unauthenticated):
        _ = nobody(HERE, Surface.API).person


def test_a_person_is_named_and_held_to_the_role() -> None:
    me = UserId(uuid4())
    actor = Actor(organization_id=HERE, user_id=me, reach={Permission.RUNS_VIEW: Scope.ALL})
    assert actor.person == me
    actor.require(Permission.RUNS_VIEW)
    with pytest.raises(Forbidden) as refusal:
        actor.require(Permission.ORG_DELETE)
    assert refusal.value.details == {"permission": "org:delete"}


def test_an_actor_cannot_be_changed_afterwards() -> None:
    actor = nobody(HERE, Surface.WEB)
    with pytest.raises(AttributeError):
        actor.is_app_admin = True  # type: ignore[misc]
