"""States as a page has them, without Reflex running. What touches Reflex's insides is here alone."""

from typing import TypeVar

import reflex as rx
from reflex.istate.data import HeaderData, ReflexURL, RouterData

from agenticos_app.services import sessions

ORIGIN = "http://console.test"

S = TypeVar("S", bound=rx.State)


def page_state(kind: type[S], address: str, *, cookie: str = "") -> S:
    """Return the State of a new page at `address`, whose browser shows the session cookie."""
    root = rx.State(_reflex_internal_init=True)  # pyright: ignore[reportCallIssue]  # how the framework makes one
    state = root.substates[kind.get_name()]
    assert isinstance(state, kind)
    visit(state, address, cookie=cookie)
    return state


def visit(state: rx.State, address: str, *, cookie: str | None = None) -> None:
    """Lead the page to another address."""
    root = state if state.parent_state is None else state.parent_state
    held = root.router.headers.cookie if cookie is None else f"{sessions.COOKIE}={cookie}"
    root.router = RouterData(headers=HeaderData(cookie=held), url=ReflexURL(ORIGIN + address))


def led_to(event: object) -> str:
    """Return the address that a handler's event leads to."""
    arguments = {str(name): value for name, value in getattr(event, "args", ())}
    return str(arguments["path"]._var_value)


class _Background:
    """A State as a background handler gets it: changes happen inside `async with`."""

    def __init__(self, state: rx.State) -> None:
        object.__setattr__(self, "_state", state)
        object.__setattr__(self, "_is_held", False)

    async def __aenter__(self) -> "_Background":
        object.__setattr__(self, "_is_held", True)
        return self

    async def __aexit__(self, *_: object) -> None:
        object.__setattr__(self, "_is_held", False)

    def __getattr__(self, name: str) -> object:
        return getattr(object.__getattribute__(self, "_state"), name)

    def __setattr__(self, name: str, value: object) -> None:
        assert self._is_held, f"{name} is changed outside of `async with self`"
        setattr(object.__getattribute__(self, "_state"), name, value)


async def in_background(state: rx.State, handler: str, *arguments: object) -> None:
    """Run a background handler of the State to its end."""
    await type(state).event_handlers[handler].fn(_Background(state), *arguments)
