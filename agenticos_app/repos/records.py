"""What a run did and cost, written by one statement: run, answer, calls, requests, money.

A run ends with one way to the database and back; a statement for each table took four more.
"""

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import TextClause, Uuid, bindparam, text

from agenticos_app.contracts.events import RunStatus
from agenticos_app.contracts.recording import CallRecord, Outcome, Recorded
from agenticos_app.db.work import Tx
from agenticos_app.repos.ledger import SETTLED, Settled, settled_as_json
from agenticos_app.repos.runs import INTERRUPTED, request_values

_SPENT = """
    requests = :requests, input_tokens = :input_tokens, output_tokens = :output_tokens,
    cost_micros = :cost_micros, cost_is_partial = :cost_is_partial"""
_RETURNED = "RETURNING id, input_tokens, output_tokens, cost_micros, cost_is_partial"

_GOES_ON = f"""
    UPDATE runs SET {_SPENT}
    WHERE organization_id = :organization_id AND id = :run_id AND host_id = :host_id AND status = 'running'
    {_RETURNED}"""

# A live run's own end wins over a sweep that took it for lost.
_ENDS = f"""
    UPDATE runs SET {_SPENT}, status = :status, error_code = :error_code,
        error = :error, ended_at = :ended_at, lease_until = NULL,
        output = CASE WHEN conversation_id IS NULL THEN :answer END,
        structured = CASE WHEN conversation_id IS NULL THEN CAST(:structured AS jsonb) END
    WHERE organization_id = :organization_id AND id = :run_id AND CASE
        WHEN status = 'running' THEN host_id = :host_id
        ELSE status = 'failed' AND error_code = '{INTERRUPTED}' END
    {_RETURNED}"""

_CALL_NEWS = ("result", "status", "milliseconds", "card")
_CALL = (
    *("id", "created_at", "organization_id", "run_id", "message_id", "position", "reference", "tool"),
    *("arguments", "started_at", *_CALL_NEWS),
)
_REQUEST_NEWS = (
    *("milliseconds", "provider", "model", "profile_id", "secret_id", "input_tokens", "output_tokens"),
    *("cache_read_tokens", "cache_write_tokens", "is_estimated", "cost_micros", "failed"),
)
_REQUEST = ("id", "created_at", "organization_id", "run_id", "number", "started_at", *_REQUEST_NEWS)


def _saved(table: str, columns: Collection[str], key: str, news: Collection[str]) -> str:
    """Return the insert of the rows of a JSON array, which brings those that exist up to date."""
    new = ", ".join(f"{column} = excluded.{column}" for column in news)
    return f"""
    INSERT INTO {table} ({", ".join(columns)})
    SELECT {", ".join(f"r.{column}" for column in columns)}
    FROM ours, jsonb_populate_recordset(NULL::{table}, CAST(:{table} AS jsonb)) AS r
    ON CONFLICT (run_id, {key}) DO UPDATE SET {new}"""


def _statement(ours: str) -> TextClause:
    whole = f"""
    WITH ours AS ({ours}
    ), answer AS (
        UPDATE messages m SET parts = CAST(:parts AS jsonb), stream_seq = :stream_seq, status = :status,
            context_tokens = :context_tokens, input_tokens = ours.input_tokens,
            output_tokens = ours.output_tokens, cost_micros = ours.cost_micros,
            cost_is_partial = ours.cost_is_partial
        FROM ours
        WHERE m.organization_id = :organization_id AND m.id = :message_id
    ), calls AS ({_saved("tool_calls", _CALL, "position", _CALL_NEWS)}
    ), requests AS ({_saved("run_requests", _REQUEST, "number", _REQUEST_NEWS)}
    ), {SETTLED}
    SELECT EXISTS (SELECT FROM ours)"""
    # The driver takes a statement of more than 4,096 characters apart anew each time.
    ids = [bindparam(name, type_=Uuid()) for name in ("organization_id", "run_id", "host_id", "message_id")]
    return text(" ".join(whole.split())).bindparams(*ids)


_SAVE = _statement(_GOES_ON)
_END = _statement(_ENDS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Held:
    """The rows of a run, and which host holds it."""

    run_id: UUID
    host_id: UUID
    message_id: UUID | None


async def save(tx: Tx, held: Held, recorded: Recorded, settled: Collection[Settled]) -> bool:
    """Write what is known of a run that goes on; False, with the money alone, when it is not the host's."""
    values = _values(tx, held, recorded, settled, RunStatus.RUNNING)
    return (await tx.session.execute(_SAVE, values)).scalar_one()


async def end(
    tx: Tx,
    held: Held,
    recorded: Recorded,
    outcome: Outcome,
    at: datetime,
    settled: Collection[Settled] = (),
) -> bool:
    """Write how a run ended if it is still open, or was only taken for interrupted.

    Returns whether it was written; what is settled is written in any case.
    """
    values = _values(tx, held, recorded, settled, outcome.status) | {
        "error_code": outcome.error_code,
        "error": outcome.error,
        "ended_at": at,
        "answer": recorded.answer,
        "structured": None if recorded.structured is None else json.dumps(recorded.structured),
    }
    return (await tx.session.execute(_END, values)).scalar_one()


def _values(
    tx: Tx, held: Held, recorded: Recorded, settled: Collection[Settled], status: RunStatus
) -> dict[str, object]:
    usage, organization_id = recorded.usage, tx.actor.organization_id
    calls = [_call(organization_id, held, call) for call in recorded.calls if not call.is_stored]
    requests = [request_values(organization_id, held.run_id, request) for request in recorded.requests]
    has_message = held.message_id is not None
    parts = [part.model_dump(mode="json", exclude_none=True) for part in recorded.parts if has_message]
    return {
        "organization_id": organization_id,
        "run_id": held.run_id,
        "host_id": held.host_id,
        "message_id": held.message_id,
        "status": status.value,
        "requests": len(recorded.requests),
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_micros": recorded.cost_micros,
        "cost_is_partial": usage.cost_is_partial,
        "context_tokens": recorded.context_tokens,
        "stream_seq": recorded.seq,
        "parts": _json(parts),
        "tool_calls": _json(calls),
        "run_requests": _json(requests),
        "settled": settled_as_json(settled),
    }


def _call(organization_id: UUID, held: Held, call: CallRecord) -> dict[str, object]:
    return {
        "id": call.id,
        "created_at": call.started_at,
        "organization_id": organization_id,
        "run_id": held.run_id,
        "message_id": held.message_id,
        "position": call.position,
        "reference": call.reference[:128],
        "tool": call.tool[:128],
        "arguments": call.arguments,
        "result": call.result,
        "status": call.status.value,
        "started_at": call.started_at,
        "milliseconds": call.milliseconds,
        "card": call.card.model_dump(mode="json") if call.card else None,
    }


def _json(rows: Collection[object]) -> str:
    return json.dumps(rows, default=str, ensure_ascii=False) if rows else "[]"
