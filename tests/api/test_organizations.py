"""`/api/v1/organization`: its settings, its image, its members, and who may change what."""

from decimal import Decimal
from uuid import UUID

import httpx
import pytest
from sqlalchemy.exc import IntegrityError
from sqlmodel import SQLModel

from agenticos_app.models import Membership, Organization
from agenticos_app.repos import accounts
from agenticos_app.services import deployment
from agenticos_app.services.work import system_work
from tests.world import ROLES, House, acting_as, api_of, build_house, somebody

pytestmark = pytest.mark.usefixtures("console")

MANAGERS = ("owner", "admin")
PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 64
IMAGES = {
    "image/png": PNG,
    "image/jpeg": b"\xff\xd8\xff\xe0" + b"\x00" * 64,
    "image/gif": b"GIF89a" + b"\x00" * 64,
    "image/webp": b"RIFF\x40\x00\x00\x00WEBPVP8 " + b"\x00" * 64,
}
AVATAR = "/api/v1/organization/avatar"


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply")


async def insert(row: SQLModel) -> None:
    async with system_work() as tx:
        tx.add(row)
        await tx.flush()


def problem_of(answer: httpx.Response) -> tuple[int, str, list[dict[str, str]]]:
    error = answer.json()["error"]
    return answer.status_code, error["code"], error["details"].get("fields", [])


@pytest.mark.req("DOM-ORG-03")
@pytest.mark.parametrize("role", ROLES)
async def test_every_member_reads_the_organization_and_managers_change_it(house: House, role: str) -> None:
    async with api_of(house.people[role]) as api:
        read = await api.get("/api/v1/organization")
        changed = await api.patch("/api/v1/organization", json={"name": "Harbor & Sons", "avatar_color": 7})
        again = (await api.get("/api/v1/organization")).json()
    assert read.status_code == 200
    assert read.json()["name"] == "Harbor Supply"
    if role in MANAGERS:
        assert changed.status_code == 200
        assert (again["name"], again["avatar_color"]) == ("Harbor & Sons", 7)
    else:
        assert problem_of(changed)[:2] == (403, "forbidden")
        assert again["name"] == "Harbor Supply"


@pytest.mark.req("DOM-ORG-03")
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"name": "H"}, {"field": "name", "message": "too_short"}),
        ({"name": "H" * 129}, {"field": "name", "message": "too_long"}),
        ({"avatar_color": 0}, {"field": "avatar_color", "message": "too_small"}),
        ({"avatar_color": 11}, {"field": "avatar_color", "message": "too_large"}),
        ({"monthly_budget_usd": "-1"}, {"field": "monthly_budget_usd", "message": "too_small"}),
        ({"monthly_budget_usd": "many"}, {"field": "monthly_budget_usd", "message": "invalid"}),
    ],
)
async def test_a_value_that_does_not_fit_is_refused_beside_its_field(
    house: House, change: dict[str, object], problem: dict[str, str]
) -> None:
    async with api_of(house.owner) as api:
        before = (await api.get("/api/v1/organization")).json()
        refused = await api.patch("/api/v1/organization", json=change)
        after = (await api.get("/api/v1/organization")).json()
    assert problem_of(refused) == (422, "invalid_input", [problem])
    assert after == before


@pytest.mark.req("DOM-ORG-03")
async def test_a_colour_that_is_taken_back_is_derived_from_the_id_again(house: House) -> None:
    async with api_of(house.owner) as api:
        derived = (await api.get("/api/v1/organization")).json()["avatar_color"]
        other = derived % 10 + 1
        chosen = await api.patch("/api/v1/organization", json={"avatar_color": other})
        back = await api.patch("/api/v1/organization", json={"avatar_color": None})
    assert derived == UUID(str(house.id)).int % 10 + 1
    assert (chosen.json()["avatar_color"], back.json()["avatar_color"]) == (other, derived)


@pytest.mark.req("DOM-ORG-03")
async def test_slugs_are_unique_in_the_deployment(house: House) -> None:
    async with api_of(house.owner) as api:
        first = (await api.get("/api/v1/organization")).json()
        second = (await api.post("/api/v1/organizations", json={"name": house.name})).json()
        cyrillic = (await api.post("/api/v1/organizations", json={"name": "Привет"})).json()
    assert len({first["slug"], second["slug"], cyrillic["slug"]}) == 3
    assert all(2 <= len(one["slug"]) <= 64 for one in (first, second, cyrillic))
    with pytest.raises(IntegrityError):
        await insert(Organization(name="Copy", slug=first["slug"]))


@pytest.mark.req("DOM-ORG-03")
async def test_the_organization_knows_who_made_it(house: House) -> None:
    async with acting_as(house.owner) as tx:
        row = await tx.session.get(Organization, house.id)
    assert row is not None
    assert row.created_by_user_id == house.owner.user_id
    assert not row.is_personal


@pytest.mark.req("DOM-ORG-03")
@pytest.mark.parametrize("kind", IMAGES)
async def test_an_image_is_served_with_the_type_of_its_content(house: House, kind: str) -> None:
    named = {"file": ("page.html", IMAGES[kind], "text/html")}
    async with api_of(house.people["admin"]) as api:
        stored = await api.put(AVATAR, files=named)
    assert stored.status_code == 200
    assert stored.json()["avatar_version"]
    async with api_of(house.people["viewer"]) as api:
        served = await api.get(AVATAR)
    assert served.content == IMAGES[kind]
    assert served.headers["content-type"] == kind
    assert served.headers["x-content-type-options"] == "nosniff"


@pytest.mark.req("DOM-ORG-03")
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>",
        b"<html>",
        b"RIFF0000WAVE",
        b"%PDF-1.7",
    ],
)
async def test_what_is_no_image_is_refused_whatever_it_is_called(house: House, content: bytes) -> None:
    async with api_of(house.owner) as api:
        refused = await api.put(AVATAR, files={"file": ("logo.png", content, "image/png")})
        none = await api.get(AVATAR)
    assert problem_of(refused) == (422, "invalid_input", [{"field": "file", "message": "not_image"}])
    assert none.status_code == 404


@pytest.mark.req("DOM-ORG-03")
async def test_an_image_may_have_two_megabytes_and_no_byte_more(house: House) -> None:
    full = PNG + b"\x00" * (2 * 1024 * 1024 - len(PNG))
    async with api_of(house.owner) as api:
        fits = await api.put(AVATAR, files={"file": ("a.png", full)})
        over = await api.put(AVATAR, files={"file": ("a.png", full + b"\x00")})
        kept = await api.get(AVATAR)
    assert fits.status_code == 200
    assert (over.status_code, over.json()["error"]["code"]) == (413, "too_large")
    assert over.json()["error"]["details"] == {"limit_bytes": 2 * 1024 * 1024}
    assert len(kept.content) == len(full)


@pytest.mark.parametrize("role", ROLES)
async def test_only_managers_change_the_image(house: House, role: str) -> None:
    async with api_of(house.people[role]) as api:
        put = await api.put(AVATAR, files={"file": ("a.png", PNG)})
        gone = await api.delete(AVATAR)
    assert (put.status_code, gone.status_code) == ((200, 204) if role in MANAGERS else (403, 403))


async def test_a_replaced_or_removed_image_leaves_no_bytes_behind(house: House) -> None:
    async with api_of(house.owner) as api:
        first = (await api.put(AVATAR, files={"file": ("a.png", PNG)})).json()["avatar_version"]
        second = (await api.put(AVATAR, files={"file": ("a.gif", IMAGES["image/gif"])})).json()[
            "avatar_version"
        ]
        assert second != first
        await api.delete(AVATAR)
        gone = await api.get(AVATAR)
        organization = (await api.get("/api/v1/organization")).json()
    assert gone.status_code == 404
    assert organization["avatar_version"] == ""
    for version in (first, second):
        with pytest.raises(Exception, match="not_found"):
            await deployment.current().storage.read(f"{house.id}/{version}")


async def test_a_stranger_does_not_see_the_image(house: House) -> None:
    async with api_of(house.owner) as api:
        await api.put(AVATAR, files={"file": ("a.png", PNG)})
    stranger = (await build_house("Elsewhere", roles=())).owner
    async with api_of(stranger) as api:
        own = await api.get(AVATAR)
        named = await api.get(AVATAR, params={"organization": str(house.id)})
    assert (own.status_code, named.status_code) == (404, 404)


@pytest.mark.req("DOM-ORG-05")
@pytest.mark.parametrize("role", ROLES)
async def test_the_cap_begins_with_the_deployments_and_may_be_taken_away(house: House, role: str) -> None:
    async with api_of(house.people[role]) as api:
        begun = (await api.get("/api/v1/organization")).json()["monthly_budget_usd"]
        none = await api.patch("/api/v1/organization", json={"monthly_budget_usd": None})
        after = (await api.get("/api/v1/organization")).json()["monthly_budget_usd"]
    assert Decimal(begun) == 100
    if role in MANAGERS:
        assert (none.status_code, after) == (200, None)
    else:
        assert problem_of(none)[:2] == (403, "forbidden")
        assert Decimal(after) == 100


@pytest.mark.req("DOM-ORG-05")
@pytest.mark.parametrize(("setting", "begins"), [(Decimal("12.5"), Decimal("12.5")), (None, None)])
async def test_another_default_is_for_new_organizations_alone(
    house: House, setting: Decimal | None, begins: Decimal | None
) -> None:
    rules = deployment.current()
    changed = {name: getattr(rules, name) for name in rules.__slots__}
    deployment.use(deployment.Deployment(**{**changed, "default_org_monthly_budget_usd": setting}))
    async with api_of(house.owner) as api:
        made = (await api.post("/api/v1/organizations", json={"name": "Second"})).json()["monthly_budget_usd"]
        old = (await api.get("/api/v1/organization")).json()["monthly_budget_usd"]
    assert (None if made is None else Decimal(made)) == begins
    assert Decimal(old) == 100


async def test_an_amount_is_kept_to_the_millionth(house: House) -> None:
    async with api_of(house.owner) as api:
        answer = await api.patch("/api/v1/organization", json={"monthly_budget_usd": "49.990001"})
        finer = await api.patch("/api/v1/organization", json={"monthly_budget_usd": "0.0000001"})
    assert Decimal(answer.json()["monthly_budget_usd"]) == Decimal("49.990001")
    assert finer.status_code == 422


@pytest.mark.parametrize("role", ROLES)
async def test_every_member_sees_the_members_with_what_they_may_change(house: House, role: str) -> None:
    async with api_of(house.people[role]) as api:
        rows = (await api.get("/api/v1/organization/members")).json()
    assert {row["role"] for row in rows} == set(ROLES)
    changeable = {row["role"] for row in rows if row["may_change"]}
    expected = {"owner": set(ROLES), "admin": set(ROLES) - {"owner"}}
    assert changeable == expected.get(role, set())


@pytest.mark.req("DOM-ORG-07")
@pytest.mark.parametrize("role", ROLES)
async def test_managers_add_people_who_have_an_account(house: House, role: str) -> None:
    newcomer = await somebody("New Comer")
    body = {"email": newcomer.email.upper(), "role": "builder"}
    async with api_of(house.people[role]) as api:
        added = await api.post("/api/v1/organization/members", json=body)
        again = await api.post("/api/v1/organization/members", json=body)
    if role not in MANAGERS:
        assert problem_of(added)[:2] == (403, "forbidden")
        return
    assert added.status_code == 201
    assert (added.json()["role"], added.json()["email"]) == ("builder", newcomer.email)
    assert again.status_code == 409
    assert again.json()["error"]["details"]["reason"] == "member"
    async with acting_as(house.people[role]) as tx:
        row = await accounts.membership(tx, newcomer.user_id)
    assert row is not None
    assert row.invited_by_user_id == house.people[role].user_id
    assert row.source == "manual"


@pytest.mark.req("DOM-ORG-07")
async def test_one_person_is_in_an_organization_once(house: House) -> None:
    member, other = house.people["member"], await somebody("Other Person")
    twice = Membership(organization_id=house.id, user_id=member.user_id, role="viewer")
    made_up = Membership(organization_id=house.id, user_id=other.user_id, role="viewer", source="hearsay")
    for row in (twice, made_up):
        with pytest.raises(IntegrityError):
            await insert(row)


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"email": "nobody.here@example.org", "role": "member"}, 404, None),
        ({"email": "not an address", "role": "member"}, 422, "email"),
        ({"email": "", "role": "member"}, 422, "email"),
        ({"email": "somebody@example.org", "role": "emperor"}, 422, "role"),
    ],
)
async def test_who_cannot_be_added_is_refused(
    house: House, body: dict[str, str], status: int, field: str | None
) -> None:
    async with api_of(house.owner) as api:
        answer = await api.post("/api/v1/organization/members", json=body)
    assert answer.status_code == status
    assert [one["field"] for one in problem_of(answer)[2]] == ([field] if field else [])


@pytest.mark.parametrize("role", ROLES)
async def test_managers_change_roles_and_only_an_owner_touches_owners(house: House, role: str) -> None:
    viewer, owner = house.people["viewer"], house.owner
    async with api_of(house.people[role]) as api:
        promoted = await api.patch(
            f"/api/v1/organization/members/{viewer.user_id}", json={"role": "operator"}
        )
        crowned = await api.patch(f"/api/v1/organization/members/{viewer.user_id}", json={"role": "owner"})
        demoted = await api.patch(f"/api/v1/organization/members/{owner.user_id}", json={"role": "viewer"})
    expected = {"owner": (204, 204, 204), "admin": (204, 403, 403)}.get(role, (403, 403, 403))
    assert (promoted.status_code, crowned.status_code, demoted.status_code) == expected


@pytest.mark.parametrize("role", ROLES)
async def test_managers_remove_people_and_everybody_may_leave(house: House, role: str) -> None:
    target = house.people["viewer" if role != "viewer" else "member"]
    async with api_of(house.people[role]) as api:
        removed = await api.delete(f"/api/v1/organization/members/{target.user_id}")
        left = await api.delete(f"/api/v1/organization/members/{house.people[role].user_id}")
    assert removed.status_code == (204 if role in MANAGERS else 403)
    if role == "owner":
        assert (left.status_code, left.json()["error"]["details"]["reason"]) == (409, "last_owner")
    else:
        assert left.status_code == 204


async def test_the_last_owner_cannot_give_the_role_away(house: House) -> None:
    async with api_of(house.owner) as api:
        refused = await api.patch(
            f"/api/v1/organization/members/{house.owner.user_id}", json={"role": "admin"}
        )
    assert (refused.status_code, refused.json()["error"]["details"]["reason"]) == (409, "last_owner")


async def test_a_member_of_another_organization_is_like_nobody(house: House) -> None:
    stranger = (await build_house("Elsewhere", roles=())).owner
    async with api_of(house.owner) as api:
        answers = [
            await api.patch(f"/api/v1/organization/members/{stranger.user_id}", json={"role": "viewer"}),
            await api.delete(f"/api/v1/organization/members/{stranger.user_id}"),
        ]
    assert [problem_of(answer)[:2] for answer in answers] == [(404, "not_found"), (404, "not_found")]


async def test_whoever_founds_an_organization_owns_it(house: House) -> None:
    async with api_of(house.people["viewer"]) as api:
        made = await api.post("/api/v1/organizations", json={"name": "Viewer's own"})
        slug = made.json()["slug"]
        members = await api.get("/api/v1/organization/members", headers={"x-organization-id": slug})
        short = await api.post("/api/v1/organizations", json={"name": " x "})
    assert made.status_code == 201
    assert [row["role"] for row in members.json()] == ["owner"]
    assert problem_of(short) == (422, "invalid_input", [{"field": "name", "message": "too_short"}])
