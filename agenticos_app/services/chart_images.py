"""Charts as images, for whoever may read the run that drew them."""

import asyncio

from agenticos_app.contracts.cards import CARD, ChartCard, ChartRenderer
from agenticos_app.errors import NotFound
from agenticos_app.kernel.ids import CallId, RunId
from agenticos_app.kernel.text import slug_of
from agenticos_app.repos import runs as run_repo
from agenticos_app.security.actor import Actor
from agenticos_app.services import runs
from agenticos_app.services.work import work

_renderer: ChartRenderer | None = None


def use(renderer: ChartRenderer | None) -> None:
    """Let `renderer` draw this process's images; set by the composition root."""
    global _renderer
    _renderer = renderer


async def image(actor: Actor, run_id: RunId, call_id: CallId) -> tuple[str, bytes]:
    """Return a file name and the PNG of the chart that a call drew.

    Raises:
        NotFound: Not a run that the actor may read, or the call is none of it or drew no chart.
    """
    assert _renderer is not None, "start the platform first"
    async with work(actor) as tx:
        await runs.readable(tx, run_id)
        call = await run_repo.call(tx, run_id, call_id)
    card = CARD.validate_python(call.card) if call and call.card else None
    if not isinstance(card, ChartCard):
        raise NotFound(call_id=call_id)
    return f"{slug_of(card.title) or 'chart'}.png", await asyncio.to_thread(_renderer, card)
