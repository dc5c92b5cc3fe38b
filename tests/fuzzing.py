"""Every route of the API, asked what its description allows and what it does not, by both ways in."""

from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import positive_data_acceptance

from agenticos_app.api.app import build_api
from agenticos_app.api.openapi import operations
from agenticos_app.repos import accounts
from agenticos_app.security.permissions import Permission
from agenticos_app.services import sessions
from agenticos_app.services.api_keys import NEVER_GIVEN
from agenticos_app.services.work import system_work
from tests.api.keys import key_of
from tests.serving import Served
from tests.tenancy.probe import Ids, Place, furnished
from tests.world import HERE

SEED = 20261130
NOT_SAID_BY_A_SCHEMA = [positive_data_acceptance]
"""What a cursor, an image or an address must hold: fitting the schema is not all."""

WAYS = ("key", "session")


@dataclass
class Report:
    """What was asked and what was wrong."""

    calls: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    wrong: dict[str, str] = field(default_factory=dict)

    @property
    def server_errors(self) -> int:
        """Return how many answers were the server's fault."""
        return sum(count for status, count in self.statuses.items() if status >= 500)


def fuzz(served: Served, *, way: str, examples: int) -> Report:
    """Ask each operation so many times in each mode, with ids of its own and with any."""
    place, report = served.do(furnished(f"Fuzzed by {way}")), Report()
    schema = schemathesis.openapi.from_dict(_without_security(build_api().openapi()))
    own = place.ids | {"run_id": place.ids["key"]}
    shown = served.do(_with_key(place))
    for operation in _operations(schema):
        for mode in _modes(operation):
            if way == "session":  # an operation may have ended the one before
                shown = served.do(_with_session(place))
            _ask(served, own, shown, operation, mode, way=way, examples=examples, report=report)
    return report


def _without_security(document: dict[str, Any]) -> dict[str, Any]:
    """Return the description without the ways in: we show our own; nobody's refusal is another test."""
    copy = deepcopy(document)
    for _, operation in operations(copy):
        operation.pop("security", None)
    return copy


def _operations(schema: Any) -> Iterator[Any]:
    for result in schema.get_all_operations():
        yield result.ok()


def _modes(operation: Any) -> Sequence[GenerationMode]:
    """Return how to ask; bytes of another type than a file's do not exist on the wire."""
    if any(body.media_type == "multipart/form-data" for body in operation.body):
        return (GenerationMode.POSITIVE,)
    return (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)


async def _with_key(place: Place) -> dict[str, str]:
    wanted = [one for one in Permission if one not in NEVER_GIVEN]
    return {"Authorization": f"Bearer {(await key_of(place.owner, wanted)).token}"}


async def _with_session(place: Place) -> dict[str, str]:
    async with system_work() as tx:
        user = await accounts.user(tx, place.owner.user_id)
        assert user is not None
        return {"Cookie": f"{sessions.COOKIE}={await sessions.open_session(tx, user, HERE)}"}


def _ask(
    served: Served,
    own: Ids,
    shown: dict[str, str],
    operation: Any,
    mode: GenerationMode,
    *,
    way: str,
    examples: int,
    report: Report,
) -> None:
    turn = iter(range(10**9))

    @seed(SEED)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        if next(turn) % 2 == 0 and mode is GenerationMode.POSITIVE:
            case.path_parameters = {
                name: own.get(name, value) for name, value in case.path_parameters.items()
            }
        case.headers = {
            name: value for name, value in (case.headers or {}).items() if name.lower() != "x-organization-id"
        }
        response = case.call(base_url=served.url, headers=shown, timeout=20)
        report.calls += 1
        report.statuses[response.status_code] += 1
        try:
            case.validate_response(response, excluded_checks=NOT_SAID_BY_A_SCHEMA)
        except FailureGroup as failures:
            for one in failures.exceptions:
                told = f"{one!r}"[:300] + f" {getattr(one, 'message', '')}"[:600]
                report.wrong.setdefault(f"{way} {mode.value} {operation.label} {type(one).__name__}", told)

    try:
        ask()
    except Exception as unusable:
        if "Unsatisfiable" not in type(unusable).__name__:
            report.wrong.setdefault(f"{way} {mode.value} {operation.label}", repr(unusable)[:1500])
