"""A tab's state is emptied before another person sees anything of it."""

from typing import cast

import reflex as rx
from reflex.app import App
from reflex.event import Event

from agenticos_app.settings import Settings
from state.chat import ConversationsState
from state.holder import HolderCheck
from state.session import SessionState
from tests.fakes.reflex_state import page_state, visit
from tests.world import build_house


async def test_another_cookie_finds_nothing_of_the_person_before(console: Settings) -> None:
    house = await build_house("Harbor Supply", roles=("owner", "member"))
    state = page_state(SessionState, "/chat", cookie=house.owner.cookie)
    root = state.parent_state
    assert root is not None
    others = root.substates[ConversationsState.get_name()]
    assert isinstance(others, ConversationsState)

    async def handle() -> None:
        await HolderCheck().preprocess(cast("App", None), root, cast("Event", None))

    await handle()
    await SessionState.event_handlers["load"].fn(state)
    others.search = "secret search"
    await handle()
    assert state.me is not None
    assert others.search == "secret search"
    for cookie in (house.people["member"].cookie, ""):
        visit(cast("rx.State", state), "/chat", cookie=cookie)
        await handle()
        assert state.me is None
        assert others.search == ""
        others.search = "another secret"
