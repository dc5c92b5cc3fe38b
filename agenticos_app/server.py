"""What granian loads: the composition root, with the garbage collector at rest until all of it is there."""

import gc

from starlette.types import ASGIApp


def serve() -> ASGIApp:
    """Return the server. What the imports make stays for good: looking through it meanwhile is in vain."""
    gc.disable()
    from agenticos_app.agenticos_app import serve as build

    server = build()
    gc.freeze()
    gc.enable()
    return server
