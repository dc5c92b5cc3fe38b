"""Charts."""

from collections.abc import Callable

import pytest
from pydantic import ValidationError
from pydantic_ai.messages import ToolCallPart

from agenticos_app.contracts.cards import MOST_POINTS, ChartCard, Series
from capabilities.charts import CAPABILITY
from capabilities.charts.config import ChartsConfig
from tests.fakes.run_deps import run_deps, run_tools
from tests.unit.capabilities.conftest import Caller

SALES: dict[str, object] = {
    "type": "line",
    "title": "Sales grew",
    "x_values": ["Jan", "Feb", "Mar"],
    "series": [{"name": "Sales", "values": [3, 4.5, 5]}],
}


@pytest.fixture
def call(calling: Callable[..., Caller]) -> Caller:
    return calling(CAPABILITY, ChartsConfig())


async def refused(call: Caller, **changes: object) -> str:
    outcome, told = await call(run_deps(), "create_chart", **(SALES | changes))
    assert outcome == "retried", told
    return told


@pytest.mark.req("CAP-CHART-01", "CAP-CHART-03")
async def test_columns_become_a_card_for_the_person_and_a_line_for_the_model():
    toolset = CAPABILITY.build(ChartsConfig()).toolset
    assert toolset is not None
    tools = run_tools(toolset, run_deps())
    await tools.offer()
    result = await tools.call(ToolCallPart("create_chart", SALES | {"y_label": "EUR"}))
    assert result.outcome == "success"
    assert result.text == 'The chart "Sales grew" is shown to the person: Sales over 3 points.'
    assert result.card == ChartCard(
        type="line",
        title="Sales grew",
        y_label="EUR",
        x_values=("Jan", "Feb", "Mar"),
        series=(Series(name="Sales", values=(3, 4.5, 5)),),
    )


@pytest.mark.req("CAP-CHART-04", "CAP-CHART-05", "CAP-CHART-06")
@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"x_values": []}, "`x_values` is empty"),
        ({"series": []}, "`series` is empty"),
        (
            {"series": [{"name": "Sales", "values": [3]}]},
            '"Sales" has 1 numbers for 3 points of `x_values`: 2',
        ),
        ({"series": [{"name": "Sales", "values": []}]}, "3 are missing"),
        ({"series": [{"name": "Sales", "values": [1, 2, 3, 4]}]}, "1 more than `x_values` has points (3)"),
        ({"series": [{"name": "Sales", "values": [None, None, None]}]}, "only gaps"),
    ],
)
async def test_what_is_missing_is_named_with_a_correct_call(
    call: Caller, changes: dict[str, object], missing: str
):
    told = await refused(call, **changes)
    assert missing in told
    assert 'series=[{"name": "Sales", "values": [3, 4, 5]}]' in told


@pytest.mark.req("CAP-CHART-04", "CAP-CHART-05", "CAP-CHART-06")
@pytest.mark.parametrize(
    ("name", "value"), [("x_values", None), ("series", None), ("series", [{}]), ("series", [{"name": "A"}])]
)
async def test_a_column_that_is_not_there_is_named(call: Caller, name: str, value: object):
    arguments = SALES | {name: value}
    if value is None:
        del arguments[name]
    outcome, told = await call(run_deps(), "create_chart", **arguments)
    assert outcome == "retried"
    assert f"{name}: Field required" in told or f"{name}.0.values: Field required" in told


@pytest.mark.req("CAP-CHART-03", "CAP-CHART-07")
async def test_the_schema_declares_columns_and_cannot_say_an_empty_chart():
    toolset = CAPABILITY.build(ChartsConfig()).toolset
    assert toolset is not None
    (tool,) = await run_tools(toolset, run_deps()).offer()
    schema = tool.parameters_json_schema
    column = schema["$defs"]["Column"]
    assert {"type", "title", "x_values", "series"} <= set(schema["required"])
    assert schema["properties"]["x_values"]["minItems"] == 1
    assert schema["properties"]["series"]["minItems"] == 1
    assert column["properties"]["values"]["minItems"] == 1
    assert set(column["required"]) == {"name", "values"}
    assert column["additionalProperties"] is False


@pytest.mark.req("CAP-CHART-07")
@pytest.mark.parametrize(
    "emptied", [{"x_values": ()}, {"series": ()}, {"series": ({"name": "A", "values": ()},)}]
)
def test_an_empty_card_cannot_be_made(emptied: dict[str, object]):
    whole = {"type": "bar", "title": "T", "x_values": (1,), "series": ({"name": "A", "values": (1,)},)}
    ChartCard.model_validate(whole)
    with pytest.raises(ValidationError):
        ChartCard.model_validate(whole | emptied)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"type": "pie", "series": [{"name": n, "values": [1, 2, 3]} for n in "AB"]}, "one series, not of 2"),
        ({"type": "pie", "series": [{"name": "A", "values": [1, -2, 3]}]}, "below zero"),
        ({"type": "scatter"}, "'Jan' is none"),
        ({"series": [{"name": "A", "values": [1, 2, 3]}] * 2}, 'Two series are called "A"'),
        (
            {
                "x_values": list(range(MOST_POINTS)),
                "series": [{"name": str(n), "values": [1] * MOST_POINTS} for n in range(5)],
            },
            "2,500 numbers are more than a chart can show (2,000)",
        ),
    ],
)
async def test_what_the_kind_of_chart_cannot_show_is_refused(
    call: Caller, changes: dict[str, object], why: str
):
    assert why in await refused(call, **changes)


@pytest.mark.req("CAP-CHART-02")
async def test_the_text_says_what_to_use_for_what_it_does_not_do(call: Caller):
    (tool,) = CAPABILITY.tools
    assert "fetches, computes and aggregates nothing" in tool.text
    assert "run_python" in tool.text
    assert "tools that read documents" in tool.text
    toolset = CAPABILITY.build(ChartsConfig()).toolset
    assert toolset is not None
    (offered,) = await run_tools(toolset, run_deps()).offer()
    assert set(offered.parameters_json_schema["properties"]) == {
        "type",
        "title",
        "x_values",
        "series",
        "x_label",
        "y_label",
    }
