"""The streams: a run's events as server-sent events or over a WebSocket, and a person's signals."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Annotated

from fastapi import APIRouter, Query, Request, WebSocket
from fastapi.responses import StreamingResponse

from agenticos_app.api import leaving
from agenticos_app.api.deps import Calling, credentials_of
from agenticos_app.api.openapi import EVENT_STREAM, STREAM, refusals
from agenticos_app.bus import bus
from agenticos_app.contracts.events import Event
from agenticos_app.errors import AppError, NotFound
from agenticos_app.kernel.ids import RunId
from agenticos_app.security.actor import Surface
from agenticos_app.services import following
from agenticos_app.services.following import Watched
from agenticos_app.services.session_watch import until_over
from agenticos_app.services.work import Credentials, signed_in

router = APIRouter(tags=["Runs"])

REFUSED = 4000
"""Close code of a refused socket: 4000 plus the HTTP status, 4401 or 4404."""

GOING_AWAY = 1012
"""Close code of a server that restarts; the reader comes back with its cursor."""

IDLE_S = 15

After = Annotated[
    int, Query(ge=0, le=2**53, description="The last event that the reader has; 0 for a snapshot")
]


@router.get("/runs/{run_id}/stream", response_class=StreamingResponse, responses=STREAM | refusals(NotFound))
async def stream_run(
    request: Request, credentials: Calling, run_id: RunId, after: After = 0
) -> StreamingResponse:
    """Follow a run as server-sent events: each has the event's number as `id` and JSON as `data`.

    The last one is `end`. Reconnect with `after` (or `Last-Event-ID`) set to the last number seen.
    """
    resumed = request.headers.get("last-event-id", "")
    async with signed_in(credentials) as tx:
        watched = await following.watch(tx, run_id)
    after = int(resumed) if resumed.isascii() and resumed.isdecimal() and len(resumed) < 12 else after
    return server_sent(following.follow(watched, after), credentials)


def server_sent(events: AsyncGenerator[Event], credentials: Credentials) -> StreamingResponse:
    """Return a run's events as server-sent events, while the session lasts and the server serves."""

    async def lines() -> AsyncGenerator[str]:
        over = asyncio.create_task(until_over(credentials))
        try:
            async with aclosing(events):
                async for event in events:
                    if over.done() or leaving.is_set():
                        return
                    yield f"id: {event.seq}\ndata: {event.wire()}\n\n"
        finally:
            over.cancel()
            await asyncio.wait({over})  # it may hold a transaction

    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(lines(), media_type=EVENT_STREAM, headers=headers)


@router.websocket("/runs/{run_id}/stream")
async def stream_run_socket(socket: WebSocket, run_id: RunId, after: After = 0) -> None:
    """Follow a run over a WebSocket: one event per frame, closed with 1000 after `end`."""
    async with _admitted(socket, run_id) as watched:
        if watched is not None:
            await _until_gone(socket, _send_run(socket, watched, after))


@router.websocket("/events")
async def person_events(socket: WebSocket) -> None:
    """Hear what happens to the caller's conversations: `run.started`, `run.ended`, `conversation.changed`.

    `listening` comes first: from then on nothing is missed.
    """
    try:
        async with signed_in(credentials_of(socket, surface=Surface.WEB)) as tx:
            actor = tx.actor
            actor.require_person()
    except AppError as refusal:
        await _refuse(socket, refusal)
        return
    await socket.accept()
    await _until_gone(socket, _send_signals(socket, str(actor.user_id)))


@asynccontextmanager
async def _admitted(socket: WebSocket, run_id: RunId) -> AsyncGenerator[Watched | None]:
    try:
        async with signed_in(credentials_of(socket)) as tx:
            watched = await following.watch(tx, run_id)
    except AppError as refusal:
        await _refuse(socket, refusal)
        yield None
        return
    await socket.accept()
    yield watched


async def _refuse(socket: WebSocket, refusal: AppError) -> None:
    """Close with a code that the page can read, which needs an accepted socket."""
    await socket.accept()
    await socket.close(REFUSED + refusal.status, refusal.code)


async def _send_run(socket: WebSocket, watched: Watched, after: int) -> None:
    async with aclosing(following.follow(watched, after)) as events:
        async for event in events:
            await socket.send_text(event.wire())
    await socket.close(1000)


async def _send_signals(socket: WebSocket, person: str) -> None:
    async with bus.current().signals.listen(person) as mailbox:
        await socket.send_text('{"kind":"listening"}')
        while True:
            signal = await mailbox.next(IDLE_S)
            text = (
                '{"kind":"idle"}'
                if signal is None
                else signal.model_dump_json(exclude={"topic"}, exclude_none=True)
            )
            await socket.send_text(text)


async def _until_gone(socket: WebSocket, sending: Awaitable[None]) -> None:
    """Send until the sender ends, the browser leaves, the session ends, or the server stops."""
    tasks = [
        asyncio.ensure_future(sending),
        asyncio.create_task(_left(socket)),
        asyncio.create_task(_signed_out(socket)),
        asyncio.create_task(_server_stops(socket)),
    ]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _server_stops(socket: WebSocket) -> None:
    await leaving.wait()
    with suppress(RuntimeError):
        await socket.close(GOING_AWAY)


async def _left(socket: WebSocket) -> None:
    with suppress(RuntimeError):
        while (await socket.receive())["type"] != "websocket.disconnect":
            continue


async def _signed_out(socket: WebSocket) -> None:
    await until_over(credentials_of(socket))
    with suppress(RuntimeError):
        await socket.close(REFUSED + 401, "unauthenticated")
