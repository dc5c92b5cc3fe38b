"""`/api/v1/runs`: what is listed for whom, how it is filtered and paged, what is refused."""

from datetime import timedelta
from uuid import UUID

import pytest

from agenticos_app.contracts.events import RunStatus
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import new_id
from tests.world import ROLES, House, Person, api_of, build_house, past_run, second_agent

pytestmark = pytest.mark.usefixtures("console")

SEES_ALL = ("owner", "admin", "builder", "operator")


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply")


async def listed(person: Person, query: str = "") -> list[str]:
    async with api_of(person) as api:
        answer = await api.get(f"/api/v1/runs{query}")
    assert answer.status_code == 200, answer.text
    return [row["id"] for row in answer.json()["rows"]]


@pytest.mark.parametrize("role", ROLES)
async def test_a_role_without_runs_view_sees_own_runs_alone(house: House, role: str) -> None:
    others = await past_run(house, house.owner)
    own = others if role == "owner" else await past_run(house, house.people[role])
    expected = {str(others), str(own)} if role in SEES_ALL else {str(own)}
    assert set(await listed(house.people[role])) == expected


@pytest.mark.parametrize("role", ROLES)
async def test_a_run_of_somebody_else_is_there_only_for_roles_that_see_all_runs(
    house: House, role: str
) -> None:
    run_id = await past_run(house, await member_of(house))
    async with api_of(house.people[role]) as api:
        read = await api.get(f"/api/v1/runs/{run_id}")
        stopped = await api.post(f"/api/v1/runs/{run_id}/stop", headers={"origin": "http://console.test"})
    seen = role in SEES_ALL or role == "member"
    assert read.status_code == (200 if seen else 404)
    expected = {"operator": 403}.get(role, read.status_code)
    assert stopped.status_code == expected, "who stops others' runs may edit their agent"
    if seen:
        assert read.json()["may_stop"] == (expected == 200)


async def member_of(house: House) -> Person:
    return house.people["member"]


async def test_another_organizations_run_is_answered_like_one_that_does_not_exist(house: House) -> None:
    run_id = await past_run(house, house.owner)
    stranger = (await build_house("Elsewhere", roles=())).owner
    async with api_of(stranger) as api:
        foreign = await api.get(f"/api/v1/runs/{run_id}")
        unknown = await api.get(f"/api/v1/runs/{new_id()}")
        foreign_stop = await api.post(f"/api/v1/runs/{run_id}/stop")
    assert foreign.status_code == unknown.status_code == foreign_stop.status_code == 404
    assert foreign.json()["error"]["code"] == unknown.json()["error"]["code"] == "not_found"
    assert foreign.json()["error"]["message"] == unknown.json()["error"]["message"]


async def test_nobody_is_told_anything(house: House) -> None:
    run_id = await past_run(house, house.owner)
    async with api_of(None) as api:
        answers = [await api.get("/api/v1/runs"), await api.get(f"/api/v1/runs/{run_id}")]
    assert [answer.status_code for answer in answers] == [401, 401]
    assert answers[0].json()["error"]["code"] == "unauthenticated"


async def test_pages_follow_each_other_without_a_gap_or_a_repetition(house: House) -> None:
    began = now() - timedelta(hours=1)
    made = [str(await past_run(house, house.owner, at=began + timedelta(seconds=n // 2))) for n in range(7)]
    seen: list[str] = []
    async with api_of(house.owner) as api:
        cursor = ""
        for _ in range(4):
            page = (await api.get("/api/v1/runs", params={"limit": 2, "cursor": cursor})).json()
            seen += [row["id"] for row in page["rows"]]
            cursor = page["next_cursor"]
    assert cursor == ""
    assert seen == sorted(made, reverse=True)


@pytest.mark.parametrize(
    "query",
    [
        "cursor=garbage",
        "cursor=W10=",
        "cursor=" + "a" * 600,
        "status=excellent",
        "status=running&status=excellent",
        "surface=carrier_pigeon",
        "agent_id=the-first-one",
        "limit=0",
        "limit=101",
    ],
)
@pytest.mark.req("DOM-RUN-03")
async def test_a_value_outside_the_set_is_refused_with_its_field(house: House, query: str) -> None:
    async with api_of(house.owner) as api:
        answer = await api.get(f"/api/v1/runs?{query}")
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["code"] == "invalid_input"
    (field,) = {one["field"].split(".")[0] for one in error["details"]["fields"]}
    assert query.startswith(field)
    assert "excellent" not in answer.text
    assert "garbage" not in answer.text


@pytest.mark.req("DOM-RUN-03")
async def test_each_state_of_a_run_can_be_asked_for(house: House) -> None:
    made = {status: str(await past_run(house, house.owner, status=status)) for status in RunStatus}
    for status, run_id in made.items():
        assert await listed(house.owner, f"?status={status.value}") == [run_id]
    two = await listed(house.owner, "?status=failed&status=cancelled")
    assert set(two) == {made[RunStatus.FAILED], made[RunStatus.CANCELLED]}


async def test_filters_narrow_together(house: House) -> None:
    other = await second_agent(house, "Scout")
    await past_run(house, house.owner)
    wanted = await past_run(house, house.owner, agent_id=other, surface="api")
    await past_run(house, house.owner, agent_id=other)
    assert await listed(house.owner, f"?agent_id={other}&surface=api") == [str(wanted)]
    assert await listed(house.owner, f"?agent_id={new_id()}") == []


async def test_a_run_is_told_with_its_timeline(house: House) -> None:
    run_id = await past_run(house, house.owner, seconds=10, prompt="What is 17 times 23?")
    async with api_of(house.owner) as api:
        run = (await api.get(f"/api/v1/runs/{run_id}")).json()
    assert [(row["kind"], row["offset_ms"], row["milliseconds"]) for row in run["timeline"]] == [
        ("model", 0, 4000),
        ("tool", 4000, 1000),
        ("model", 5000, 5000),
    ]
    assert run["full_prompt"] == "What is 17 times 23?"
    assert run["total_ms"] == run["milliseconds"] == 10_000
    assert run["is_own_conversation"]
    assert run["timeline"][1]["result"] == "391"
    assert '"17 * 23"' in run["timeline"][1]["arguments"]


async def test_a_colleague_sees_the_run_but_not_the_conversation(house: House) -> None:
    run_id = await past_run(house, house.people["member"])
    async with api_of(house.owner) as api:
        run = (await api.get(f"/api/v1/runs/{run_id}")).json()
        conversation = await api.get(f"/api/v1/conversations/{run['conversation_id']}")
    assert not run["is_own_conversation"]
    assert conversation.status_code == 404


async def test_stopping_marks_a_working_run_and_leaves_an_ended_one(house: House) -> None:
    working = await past_run(house, house.owner, status=RunStatus.RUNNING)
    ended = await past_run(house, house.owner)
    async with api_of(house.owner) as api:
        answers = [await api.post(f"/api/v1/runs/{run_id}/stop") for run_id in (working, ended)]
    assert [answer.json() for answer in answers] == [{"status": "running"}, {"status": "completed"}]


@pytest.mark.parametrize("run_id", ["7", "all", str(UUID(int=0)) + "0"])
async def test_what_is_no_id_is_refused(house: House, run_id: str) -> None:
    async with api_of(house.owner) as api:
        answer = await api.get(f"/api/v1/runs/{run_id}")
    assert answer.status_code == 422
    assert answer.json()["error"]["details"]["fields"] == [{"field": "run_id", "message": "invalid"}]
