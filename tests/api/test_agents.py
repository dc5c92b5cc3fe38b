"""Agents over HTTP: built, published, shared, exported, asked."""

import pytest

from agenticos_app.kernel.ids import new_id
from agenticos_app.security.permissions import Permission
from tests.api.keys import key_of
from tests.world import House, api_of, build_house

pytestmark = pytest.mark.usefixtures("console")

AGENTS = "/api/v1/agents"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply", roles=("builder", "member", "viewer"))


@pytest.mark.req("DOM-AGENT-02", "DOM-AGENT-07", "DOM-AGENT-09", "DOM-AGENT-11", "DOM-AGENT-13")
async def test_an_agent_is_built_from_nothing_to_a_rollback(house: House) -> None:
    async with api_of(house.owner) as api:
        made = await api.post(AGENTS, json={"name": "Claims Desk"})
        assert (made.status_code, made.json()["status"]) == (201, "draft")
        agent = f"{AGENTS}/{made.json()['id']}"
        assert (await api.post(f"{agent}/run", json={"prompt": "Hello"})).json()["error"][
            "code"
        ] == "conflict"
        draft = (await api.get(f"{agent}/draft")).json()
        spec = {**draft["spec"], "model_profile_id": None, "instructions": "Be brief."}
        saved = await api.put(f"{agent}/draft", json={"revision": draft["revision"], "spec": spec})
        assert saved.json()["revision"] == draft["revision"] + 1
        stale = await api.put(f"{agent}/draft", json={"revision": draft["revision"], "spec": spec})
        told = stale.json()["error"]["details"]
        assert (stale.status_code, told["reason"], told["how"]) == (409, "draft_changed", "typing")
        assert (told["changed_by"], told["revision"]) == (house.owner.name, saved.json()["revision"])
        shape = await api.put(f"{agent}/draft", json={"revision": 2, "spec": {**spec, "colour": "red"}})
        assert shape.json()["error"]["details"]["fields"] == [
            {"field": "spec.colour", "message": "unexpected"}
        ]
        refused = await api.post(f"{agent}/publish", json={})
        details = refused.json()["error"]["details"]
        assert (refused.status_code, refused.json()["error"]["code"]) == (422, "not_publishable")
        assert details["fields"] == [{"field": "model_profile_id", "message": "model_missing"}]
        assert details["problems"][0]["text"] == "Choose a model for the agent."
        checked = await api.post(f"{agent}/validate", headers={"accept-language": "pl"})
        assert checked.json()["problems"][0]["text"] == "Wybierz model dla agenta."
        spec["model_profile_id"] = draft["spec"]["model_profile_id"]
        await api.put(f"{agent}/draft", json={"revision": 2, "spec": spec})
        first = await api.post(f"{agent}/publish", json={"note": "first"})
        assert (first.status_code, first.json()["number"]) == (201, 1)
        changed = {**spec, "instructions": "Be long."}
        await api.put(f"{agent}/draft", json={"revision": 3, "spec": changed})
        changes = (await api.get(f"{agent}/changes")).json()
        assert changes == {
            "since": 1,
            "until": 0,
            "changes": [{"at": "instructions", "before": "Be brief.", "after": "Be long."}],
        }
        assert (await api.post(f"{agent}/publish", json={})).json()["number"] == 2
        back = await api.post(f"{agent}/rollback", json={"version": 1})
        assert (back.json()["number"], back.json()["note"]) == (3, "rollback to v1")
        rows = (await api.get(f"{agent}/versions")).json()["rows"]
        assert [(row["number"], row["is_live"]) for row in rows] == [(3, True), (2, False), (1, False)]
        assert (await api.get(f"{agent}/versions/1")).json()["spec"]["instructions"] == "Be brief."
        (production,) = (await api.get(f"{agent}/environments")).json()
        promoted = await api.put(f"{agent}/environments/{production['id']}/version", json={"version": 2})
        assert (promoted.json()["version"], promoted.json()["behind_by"]) == (2, 1)
        assert (await api.delete(f"{agent}/environments/{production['id']}")).status_code == 409
        assert (await api.delete(f"{agent}/versions/1")).status_code == 204
        assert (await api.get(f"{agent}/versions/1")).status_code == 404


@pytest.mark.req("DOM-AGENT-03")
async def test_a_taken_handle_is_a_conflict_with_its_value(house: House) -> None:
    async with api_of(house.owner) as api:
        assert (await api.post(AGENTS, json={"name": "Desk"})).json()["slug"] == "desk"
        again = await api.post(AGENTS, json={"name": "DESK!"})
    assert again.status_code == 409
    assert again.json()["error"]["details"] == {"reason": "slug_taken", "slug": "desk"}


@pytest.mark.req("DOM-AGENT-27")
async def test_a_draft_travels_as_a_file(house: House) -> None:
    agent = f"{AGENTS}/{house.agent_id}"
    async with api_of(house.owner) as api:
        file = await api.get(f"{agent}/export")
        assert file.headers["content-type"] == "application/yaml"
        assert file.headers["content-disposition"] == 'attachment; filename="getting-started-draft.yaml"'
        assert (await api.get(f"{agent}/export", params={"version": 1})).text == file.text
        body = {"revision": 1, "document": file.text.replace("briefly and exactly", "at length")}
        imported = await api.post(f"{agent}/import", json=body)
        assert (imported.json()["how"], imported.json()["revision"]) == ("import", 2)
        second = await api.get(f"{agent}/export")
        assert second.text == body["document"]
        copy = await api.post(f"{AGENTS}/import", json={"name": "A copy", "document": second.text})
        assert copy.status_code == 201
        assert (await api.get(f"{AGENTS}/{copy.json()['id']}/export")).text == second.text
        newer = await api.post(f"{agent}/import", json={"revision": 2, "document": "spec_version: 99"})
        assert (newer.status_code, newer.json()["error"]["code"]) == (400, "bad_document")
        assert newer.json()["error"]["details"] == {"field": "spec_version", "problem": "newer"}
        assert (await api.get(f"{agent}/draft")).json()["revision"] == 2


@pytest.mark.req("DOM-AGENT-35")
async def test_a_picture_is_an_image_and_is_seen_with_the_agent(house: House) -> None:
    async with api_of(house.owner) as api:
        made = await api.post(AGENTS, json={"name": "Desk", "visibility": "private"})
        picture = f"{AGENTS}/{made.json()['id']}/avatar"
        assert (await api.get(picture)).status_code == 404
        for body, status in (
            (b"<svg onload=alert(1)>", 422),
            (b"GIF87a" + bytes(2 * 1024 * 1024), 413),
            (PNG, 200),
        ):
            assert (await api.put(picture, files={"file": ("x.png", body)})).status_code == status
        card = (await api.get(f"{AGENTS}/{made.json()['id']}")).json()
        assert card["avatar_version"]
        shown = await api.get(picture)
        assert (shown.content, shown.headers["content-type"]) == (PNG, "image/png")
        assert shown.headers["x-content-type-options"] == "nosniff"
        draft = await api.get(f"{AGENTS}/{made.json()['id']}/draft")
        assert (draft.json()["revision"], "avatar" in draft.text) == (1, False)
    async with api_of(house.people["member"]) as api:
        assert (await api.get(picture)).status_code == 404
        starter = f"{AGENTS}/{house.agent_id}/avatar"
        assert (await api.put(starter, files={"file": ("x.png", PNG)})).status_code == 403
    async with api_of(house.owner) as api:
        assert (await api.delete(picture)).status_code == 204
        assert (await api.get(picture)).status_code == 404


@pytest.mark.req("DOM-PERM-14", "DOM-PERM-15")
async def test_sharing_over_the_api(house: House) -> None:
    member = house.people["member"]
    async with api_of(house.owner) as api:
        body = {"name": "Chosen", "visibility": "private", "user_ids": [str(member.user_id)]}
        made = (await api.post(AGENTS, json=body)).json()
        assert (made["visibility"], made["audience"]) == ("private", "people")
        shares = f"{AGENTS}/{made['id']}/shares"
        people = (await api.get(shares)).json()["people"]
        assert [(one["email"], one["level"]) for one in people] == [(member.email, "use")]
        assert (await api.put(f"{shares}/{new_id()}", json={"level": "use"})).status_code == 404
        assert (await api.put(f"{shares}/{member.user_id}", json={"level": "edit"})).status_code == 200
    async with api_of(member) as api:
        assert (await api.get(f"{AGENTS}/{made['id']}")).json()["can_edit"]
        changed = await api.patch(f"{AGENTS}/{made['id']}", json={"visibility": "org"})
        assert changed.json()["audience"] == "everyone"
    async with api_of(house.owner) as api:
        assert (await api.delete(f"{shares}/{member.user_id}")).status_code == 204
        assert (await api.post(AGENTS, json={"name": "Default"})).json()["audience"] == "everyone"


@pytest.mark.req("DOM-AGENT-29", "DOM-AGENT-30")
async def test_the_catalogue_is_narrowed_by_its_parameters(house: House) -> None:
    async with api_of(house.owner) as api:
        templates = await api.get(f"{AGENTS}/templates", headers={"accept-language": "pl"})
        assert templates.headers["content-language"] == "pl"
        chosen = next(one for one in templates.json() if one["industry"] == "finance")
        made = await api.post(AGENTS, json={"name": chosen["name"], "template": chosen["id"]})
        labels = {"categories": ["Finance"], "tags": ["Invoices"]}
        await api.patch(f"{AGENTS}/{made.json()['id']}", json=labels)
        for query, count in (
            ({"category": ["finance", "legal"], "tag": "invoices"}, 1),
            ({"category": "legal"}, 0),
            ({"status": "draft"}, 1),
            ({"search": "finans"}, 1),
            ({"mine": "true"}, 2),
            ({"shared": "true"}, 0),
        ):
            found = await api.get(AGENTS, params=query)
            assert len(found.json()["rows"]) == count, query
        found = await api.get(f"{AGENTS}/labels")
        assert found.json()["categories"] == [{"label": "finance", "agents": 1}]
        for wrong in ({"status": "lost"}, {"cursor": "x"}, {"limit": "0"}):
            assert (await api.get(AGENTS, params=wrong)).status_code == 422


@pytest.mark.req("CAP-REG-20", "CAP-REG-24")
async def test_a_capability_is_enabled_or_asked_for(house: House) -> None:
    agent = f"{AGENTS}/{house.agent_id}"
    async with api_of(house.people["viewer"]) as api:
        assert (await api.post(f"{agent}/capabilities/thinking")).status_code == 403
        asked = await api.post(f"{agent}/capability-requests", json={"capability_id": "thinking"})
        assert asked.status_code == 204
    async with api_of(house.owner) as api:
        (row,) = (await api.get(f"{agent}/capability-requests")).json()
        assert (row["capability_id"], row["person"]) == ("thinking", house.people["viewer"].name)
        enabled = await api.post(f"{agent}/capabilities/thinking")
        assert enabled.json() == {"published_version": 2, "draft_revision": 2}
        assert (await api.get(f"{agent}/capability-requests")).json() == []
        assert (await api.post(f"{agent}/capabilities/no_such_thing")).status_code == 422


async def test_a_key_does_what_it_was_given(house: House) -> None:
    narrow = await key_of(house.owner, [Permission.AGENTS_VIEW])
    agent = f"{AGENTS}/{house.agent_id}"
    headers = {"authorization": f"Bearer {narrow.token}"}
    async with api_of(None) as api:
        assert (await api.get(f"{agent}/draft", headers=headers)).status_code == 200
        for method, path, body in (
            ("POST", AGENTS, {"name": "Desk"}),
            ("PATCH", agent, {"name": "Desk"}),
            ("POST", f"{agent}/publish", {}),
            ("POST", f"{agent}/archive", None),
            ("POST", f"{agent}/clone", None),
            ("DELETE", agent, None),
        ):
            refused = await api.request(method, path, json=body, headers=headers)
            assert refused.status_code == 403, (method, path, refused.text)
