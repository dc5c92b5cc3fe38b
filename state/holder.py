"""State belongs to a tab, what it shows to a person: whoever comes with another cookie starts anew."""

import hashlib

import reflex as rx
from reflex.app import App
from reflex.event import Event
from reflex.middleware.middleware import Middleware
from reflex.state import BaseState, StateUpdate

from state.session import SessionState, credentials_of


class HolderCheck(Middleware):
    """Empties the whole state before an event of somebody else than its holder is handled."""

    async def preprocess(self, app: App, state: BaseState, event: Event) -> StateUpdate | None:
        """Compare the cookie that came with the socket with the one that the state was made for."""
        root = state
        while root.parent_state is not None:
            root = root.parent_state
        assert isinstance(root, rx.State)
        secret = credentials_of(root).secret
        holder = hashlib.sha256(secret.encode()).hexdigest() if secret else ""
        session = await root.get_state(SessionState)
        if SessionState.is_held_by(session, holder):
            return None
        for kind in rx.State.get_substates():
            await root.get_state(kind)
        root.reset()
        SessionState.hand_to(session, holder)
        return None
