"""The person's own account: name, password, devices, and which organization the console shows."""

import reflex as rx
from pydantic import ValidationError
from reflex.event import EventCallback, EventSpec

from agenticos_app.errors import InvalidInput, Unauthenticated
from agenticos_app.kernel.ids import OrganizationId, SessionId
from agenticos_app.schemas.accounts import PasswordChange, ProfileChange, SessionRow
from agenticos_app.schemas.problems import problems_of
from agenticos_app.services import accounts, sessions
from state.notices import reported
from state.session import SessionState, acting, actor, identity


class AccountState(rx.State):
    """The account page, and the organization switcher of every page."""

    sessions: list[SessionRow] = []
    loaded: bool = False
    failure: str = ""
    """Report id of a load that failed; empty when it did not."""
    problems: dict[str, str] = {}
    """Field to code, of the form that was sent last."""
    asking: bool = False
    """Whether the person is asked about signing out everywhere."""
    changes: int = 0
    """How often the password was changed on this page; the form is emptied with each."""
    saved: str = ""
    """The form that was saved last: `name` or `password`."""

    @rx.event
    async def load(self) -> None:
        """Show where the person is signed in."""
        self.problems, self.saved, self.asking, self.failure = {}, "", False, ""
        try:
            async with acting(self) as tx:
                rows = await sessions.list_sessions(tx)
        except Unauthenticated:
            raise
        except Exception as error:
            self.failure = reported("account.load_failed", error)
            return
        self.sessions, self.loaded = rows, True

    @rx.event
    def ask(self, asking: bool) -> None:
        """Open or close the question about signing out everywhere."""
        self.asking = asking

    @rx.event
    async def rename(self, form: dict[str, str]) -> EventCallback[()] | None:
        """Save the name."""
        self.problems, self.saved = {}, ""
        try:
            body = ProfileChange.model_validate(form)
        except ValidationError as error:
            self.problems = _by_field(InvalidInput(*problems_of(error)))
            return None
        async with acting(self) as tx:
            await accounts.rename(tx, body.full_name)
        self.saved = "name"
        return SessionState.load

    @rx.event
    async def change_password(self, form: dict[str, str]) -> EventSpec | None:
        """Save another password; other devices are signed out."""
        self.problems, self.saved = {}, ""
        try:
            body = PasswordChange.model_validate(form)
            await accounts.change_password(await actor(self), current=body.current, new=body.new)
            async with acting(self) as tx:
                rows = await sessions.list_sessions(tx)
        except ValidationError as error:
            self.problems = _by_field(InvalidInput(*problems_of(error)))
            return None
        except InvalidInput as refusal:
            self.problems = _by_field(refusal)
            return None
        self.sessions, self.saved = rows, "password"
        self.changes += 1
        return None

    @rx.event
    async def end_session(self, session_id: str) -> None:
        """Sign one device out."""
        async with acting(self) as tx:
            await sessions.end(tx, SessionId(identity(session_id)))
            rows = await sessions.list_sessions(tx)
        self.sessions = rows

    @rx.event
    async def end_all_sessions(self) -> EventSpec:
        """Sign the person out everywhere, here too."""
        async with acting(self) as tx:
            await sessions.end_all(tx)
        return rx.redirect("/sign-in")

    @rx.event
    async def choose_organization(self, organization_id: str) -> EventSpec:
        """Show another organization of the person."""
        async with acting(self) as tx:
            await sessions.choose_organization(tx, OrganizationId(identity(organization_id)))
        return rx.redirect("/chat")


def _by_field(refusal: InvalidInput) -> dict[str, str]:
    return {problem["field"]: problem["message"] for problem in refusal.fields}
