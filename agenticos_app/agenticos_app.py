"""Composition root of a server process; `agenticos_app.server` loads it."""

import asyncio
import gc
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from uuid import uuid4

import reflex as rx
import structlog
from reflex.event import EventSpec
from starlette.types import ASGIApp

from agenticos_app import log
from agenticos_app.api import leaving
from agenticos_app.api.app import build_api
from agenticos_app.api.event_gate import EventGate
from agenticos_app.api.guard import Guard, Rules
from agenticos_app.api.page_gate import PageGate, console_pages
from agenticos_app.errors import AppError
from agenticos_app.ops.client import BUILT
from agenticos_app.ops.serve import GOODBYE
from agenticos_app.pages import everything
from agenticos_app.settings import Settings
from agenticos_app.wiring import CAPABILITIES, Platform, open_platform
from components.layout.head import STYLESHEETS, head, wraps
from components.live import steps
from components.toolbox import icons
from state.holder import HolderCheck
from state.notices import notice_of

settings = Settings()
log.configure(settings.log_level, settings.log_format)


@asynccontextmanager
async def platform() -> AsyncGenerator[None]:
    """Open what the process needs; Reflex runs this as its lifespan."""
    async with open_platform(settings) as opened:
        leaving.start()
        loop = asyncio.get_running_loop()
        goodbyes: list[asyncio.Task[None]] = []
        loop.add_signal_handler(GOODBYE, lambda: goodbyes.append(loop.create_task(_say_goodbye(opened))))
        gc.freeze()
        gc.set_threshold(50_000, 20, 50)
        yield
        await asyncio.gather(*goodbyes)


async def _say_goodbye(opened: Platform) -> None:
    """Let running work end, then close what browsers hold open: until then the server does not stop."""
    await opened.host.drain()
    leaving.leave()
    if app.sio is not None:
        for namespace in app.sio.manager.get_namespaces():
            for participant, _ in list(app.sio.manager.get_participants(namespace, None)):
                await app.sio.disconnect(participant, namespace=namespace)


def tell(exception: Exception) -> EventSpec:
    """Tell the person whose event failed; what is not a refusal is logged under the id that they see."""
    report = uuid4().hex[:8]
    if not isinstance(exception, AppError):
        structlog.get_logger().error("event.broken", report=report, exc_info=exception)
    return notice_of(exception, report=report)


app = rx.App(
    api_transformer=build_api(),
    stylesheets=STYLESHEETS,
    head_components=head(),
    app_wraps=wraps(),
    backend_exception_handler=tell,
    toaster=None,
    reset_style=False,
)
app.register_lifespan_task(platform)
app.add_middleware(HolderCheck(), index=0)
steps.use(CAPABILITIES.values())
icons.use(CAPABILITIES.values())
everything()


def serve() -> ASGIApp:
    """Return the server: the guard outside of Reflex and the API."""
    rules = Rules(
        client=BUILT,
        body_limit_bytes=(settings.upload_limit_mb + 1) * 1024 * 1024,
        public_url=settings.public_url or "",
        trusted_proxies=settings.trusted_proxies.split(","),
    )
    return Guard(PageGate(EventGate(app()), pages=console_pages(BUILT)), rules)
