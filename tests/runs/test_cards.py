"""What a tool shows to the person travels with its step, and is the same for everybody who looks."""

import pytest

from agenticos_app.contracts.cards import ChartCard, Series
from agenticos_app.contracts.events import Event, Part, RunStatus
from agenticos_app.kernel.ids import ConversationId, RunId
from agenticos_app.schemas.runs import RunDetail
from agenticos_app.services import conversations
from tests.runs.conftest import Asking
from tests.world import acting_as, api_of

VISITORS = ChartCard(
    type="bar",
    title="Visitors",
    x_values=("Mon", "Tue"),
    series=(Series(name="Value", values=(12, 18)),),
)
DRAW = "Draw a bar chart of visitors: Mon 12, Tue 18"


def shown(parts: list[Part]) -> list[object]:
    return [part.card for part in parts if part.kind == "tool"]


@pytest.mark.req("CAP-CHART-01")
async def test_a_card_is_the_same_live_late_in_the_thread_and_on_the_run(asking: Asking) -> None:
    started = await asking.start(DRAW)
    live, end = await asking.answer(RunId(started.run_id))
    assert end.status is RunStatus.COMPLETED
    late, _ = await asking.answer(RunId(started.run_id))
    detail = await asking.detail(RunId(started.run_id))
    async with acting_as(asking.person) as tx:
        opened = await conversations.open_conversation(tx, ConversationId(detail.conversation_id))  # type: ignore[arg-type]
    (call,) = [row for row in detail.timeline if row.kind == "tool"]
    assert shown(live) == shown(late) == shown(detail.parts) == shown(opened.turns[0].parts) == [VISITORS]
    assert call.card == VISITORS
    assert call.result == 'The chart "Visitors" is shown to the person: Value over 2 points.'


async def test_a_card_crosses_the_wire_whole_though_defaults_are_left_out() -> None:
    part = Part(index=0, kind="tool", card=VISITORS)
    wire = Event(type="part", seq=1, part=part).wire()
    assert '"kind":"chart"' in wire
    assert '"x_label":""' in wire
    assert Event.model_validate_json(wire).part == part


async def test_a_detail_with_a_card_survives_json(asking: Asking) -> None:
    detail = await asking.ask(DRAW)
    assert RunDetail.model_validate_json(detail.model_dump_json()) == detail


def test_a_part_of_before_has_no_card() -> None:
    assert Part.model_validate({"index": 0, "kind": "tool"}).card is None


@pytest.mark.req("CAP-CHART-01")
async def test_the_image_of_a_chart_is_for_who_may_read_the_run(asking: Asking) -> None:
    drawn, other = await asking.ask(DRAW), await asking.ask("What is 17% of 2340?")
    (call,), (sum_call,) = (
        [row.call_id for row in detail.timeline if row.kind == "tool"] for detail in (drawn, other)
    )
    address = "/api/v1/runs/{}/calls/{}/chart.png"
    async with api_of(asking.person) as client:
        answer = await client.get(address.format(drawn.id, call))
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "image/png"
        assert answer.headers["content-disposition"] == 'attachment; filename="visitors.png"'
        assert answer.content.startswith(b"\x89PNG\r\n\x1a\n")
        for run, one in ((other.id, call), (other.id, sum_call), (drawn.id, sum_call)):
            assert (await client.get(address.format(run, one))).status_code == 404
    async with api_of(asking.house.people["viewer"]) as client:
        seen = (await client.get(address.format(drawn.id, call))).status_code
        assert seen == (await client.get(f"/api/v1/runs/{drawn.id}")).status_code
