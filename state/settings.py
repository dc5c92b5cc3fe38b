"""The settings of the organization that the console shows, and who belongs to it."""

import re
from collections.abc import Sequence

import reflex as rx
from pydantic import ValidationError
from reflex.event import EventCallback, EventSpec

from agenticos_app.errors import AppError, Conflict, FieldProblem, Forbidden, NotFound, Unauthenticated
from agenticos_app.kernel.ids import OrganizationId, UserId
from agenticos_app.schemas.organizations import (
    MemberAdd,
    MemberChange,
    MemberRow,
    OrganizationChange,
    OrganizationCreate,
    OrganizationDetail,
)
from agenticos_app.schemas.problems import problems_of
from agenticos_app.services import organizations, sessions
from agenticos_app.services.work import Tx
from state.notices import reported
from state.session import SessionState, acting, actor, identity

_GROUPED = re.compile(r"^\s*(\d+)[.,](\d{1,2})\s*$")


class SettingsState(rx.State):
    """The settings page with its dialogs."""

    organization: OrganizationDetail | None = None
    budget: str = ""
    """The cap as it is typed; empty: no cap."""
    members: list[MemberRow] = []
    roles: list[str] = []
    """Roles that the person may hand out."""
    loaded: bool = False
    failure: str = ""
    """Report id of a load that failed; empty when it did not."""
    problems: dict[str, str] = {}
    """Field to code, of the form or member that was sent last; `member-<id>` for one in the list."""
    saved: str = ""
    """The form that was saved last: `profile`, `budget` or `member`."""
    adding: bool = False
    founding: bool = False
    removing: MemberRow | None = None
    """The member that a confirmation is asked for."""
    is_leaving: bool = False
    """Whether that is the person who asks."""

    @rx.event
    async def load(self) -> None:
        """Show the organization and its members."""
        self.problems, self.saved, self.failure = {}, "", ""
        self.adding = self.founding = False
        self.removing = None
        try:
            async with acting(self) as tx:
                await self._show(tx)
        except Unauthenticated:
            raise
        except Exception as error:
            self.failure = reported("settings.load_failed", error)

    async def _show(self, tx: Tx) -> None:
        organization, members = await organizations.detail(tx), await organizations.list_members(tx)
        self._keep(organization)
        self.members, self.roles = members, organizations.roles_to_give(tx)
        self.loaded = True

    def _keep(self, organization: OrganizationDetail) -> None:
        cap = organization.monthly_budget_usd
        self.organization = organization
        self.budget = "" if cap is None else f"{cap.normalize():f}"

    @rx.event
    async def save_profile(self, form: dict[str, str]) -> EventCallback[()] | None:
        """Save name and colour."""
        self.problems, self.saved = {}, ""
        try:
            body = OrganizationChange.model_validate(
                {"name": form.get("name", ""), "avatar_color": form.get("avatar_color") or None}
            )
        except ValidationError as error:
            self._refuse(problems_of(error))
            return None
        async with acting(self) as tx:
            organization = await organizations.change(tx, body)
        self._keep(organization)
        self.saved = "profile"
        return SessionState.load

    @rx.event
    async def save_budget(self, form: dict[str, str]) -> None:
        """Save the monthly cap; an empty field takes it away."""
        self.problems, self.saved = {}, ""
        try:
            cap = _amount(form.get("monthly_budget_usd", ""))
            body = OrganizationChange.model_validate({"monthly_budget_usd": cap})
        except ValidationError as error:
            self._refuse(problems_of(error))
            return
        async with acting(self) as tx:
            organization = await organizations.change(tx, body)
        self._keep(organization)
        self.saved = "budget"

    @rx.event
    async def avatar_saved(self) -> None:
        """Show the image that the browser has sent."""
        self.problems = {}
        async with acting(self) as tx:
            organization = await organizations.detail(tx)
        self._keep(organization)

    @rx.event
    def avatar_refused(self, code: str) -> None:
        """Say beside the image what is wrong with the one that was sent."""
        self.problems = {"avatar": str(code)[:64]}

    @rx.event
    async def remove_avatar(self) -> None:
        """Take the image away."""
        self.problems = {}
        async with acting(self) as tx:
            organization = await organizations.remove_avatar(tx)
        self._keep(organization)

    @rx.event
    def set_adding(self, is_open: bool) -> None:
        """Open or close the form for a new member."""
        self.adding, self.problems, self.saved = is_open, {}, ""

    @rx.event
    async def add_member(self, form: dict[str, str]) -> None:
        """Give somebody with an account a role."""
        self.problems, self.saved = {}, ""
        try:
            body = MemberAdd.model_validate({"email": form.get("email", ""), "role": form.get("role", "")})
            async with acting(self) as tx:
                await organizations.add_member(tx, body)
                members = await organizations.list_members(tx)
        except ValidationError as error:
            self._refuse(problems_of(error))
            return
        except NotFound:
            self.problems = {"email": "no_account"}
            return
        except Conflict as refusal:
            self.problems = {"email": str(refusal.details["reason"])}
            return
        self.members, self.adding, self.saved = members, False, "member"

    @rx.event
    async def change_role(self, user_id: str, role: str) -> EventCallback[()] | None:
        """Give a member another role."""
        self.problems, self.saved = {}, ""
        try:
            body = MemberChange.model_validate({"role": role})
            async with acting(self) as tx:
                await organizations.change_member(tx, UserId(identity(user_id)), body)
        except (Conflict, Forbidden) as refusal:
            self.problems = {f"member-{user_id}": _reason(refusal)}
            await self._reload_members()
            return None
        except NotFound:
            await self._reload_members()
            return None
        await self._reload_members()
        self.saved = "member"
        return SessionState.load

    async def _reload_members(self) -> None:
        async with acting(self) as tx:
            self.members = await organizations.list_members(tx)
            self.roles = organizations.roles_to_give(tx)

    @rx.event
    async def ask_removal(self, user_id: str) -> None:
        """Ask once before a membership ends."""
        self.problems, self.saved = {}, ""
        async with acting(self) as tx:
            me = await sessions.me(tx)
        self.removing = next((row for row in self.members if str(row.user_id) == user_id), None)
        self.is_leaving = self.removing is not None and self.removing.user_id == me.user_id

    @rx.event
    def set_removing(self, is_open: bool) -> None:
        """Leave the confirmation."""
        if not is_open:
            self.removing = None

    @rx.event
    async def remove_member(self) -> EventSpec | None:
        """End the membership that was asked about."""
        if self.removing is None:
            return None
        user_id, self.removing = self.removing.user_id, None
        try:
            async with acting(self) as tx:
                await organizations.remove_member(tx, UserId(user_id))
        except (Conflict, Forbidden) as refusal:
            self.problems = {f"member-{user_id}": _reason(refusal)}
            return None
        except NotFound:
            await self._reload_members()
            return None
        if self.is_leaving:
            return rx.redirect("/chat")
        await self._reload_members()
        self.saved = "member"
        return None

    @rx.event
    def set_founding(self, is_open: bool) -> None:
        """Open or close the form for another organization."""
        self.founding, self.problems = is_open, {}

    @rx.event
    async def found(self, form: dict[str, str]) -> EventSpec | None:
        """Make another organization and show it."""
        self.problems = {}
        try:
            body = OrganizationCreate.model_validate({"name": form.get("new_name", "")})
        except ValidationError as error:
            self.problems = {f"new_{one['field']}": one["message"] for one in problems_of(error)}
            return None
        made = await organizations.found(await actor(self), body)
        async with acting(self) as tx:
            await sessions.choose_organization(tx, OrganizationId(made.id))
        self.founding = False
        return rx.redirect("/chat")

    def _refuse(self, problems: Sequence[FieldProblem]) -> None:
        self.problems = {one["field"]: one["message"] for one in problems}


def _reason(refusal: AppError) -> str:
    return str(refusal.details.get("reason", refusal.code))


def _amount(text: str) -> str | None:
    """Return what was typed as a decimal; two digits after a comma are cents, as in Polish."""
    cents = _GROUPED.match(text)
    return f"{cents[1]}.{cents[2]}" if cents else text.strip() or None
