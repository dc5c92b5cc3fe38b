"""The vault page: which secrets there are, and what is done to one of them."""

from collections.abc import Sequence
from typing import Literal, cast

import reflex as rx
from pydantic import ValidationError

from agenticos_app.contracts.secrets import PAYLOADS, PURPOSES, SecretKind
from agenticos_app.errors import FieldProblem, InvalidInput, NotFound, Unauthenticated
from agenticos_app.kernel.ids import SecretId, UserId
from agenticos_app.schemas.problems import problems_of
from agenticos_app.schemas.secrets import SecretChange, SecretRotate, SecretRow
from agenticos_app.schemas.sharing import Level, ShareLevel, Sharing
from agenticos_app.security.access import SECRET
from agenticos_app.services import secrets, sharing
from state.notices import reported
from state.session import acting, identity

SHOWN = 100
"""Rows of the list; the search finds the others."""

Doing = Literal["", "rotate", "edit", "share", "delete"]


def fields_of(form: dict[str, str], kind: SecretKind) -> dict[str, str]:
    """Return what a form says about a value of this kind."""
    return {name: form[name] for name in PAYLOADS[kind].model_fields if name != "kind" and name in form}


class VaultState(rx.State):
    """The list of secrets with its dialogs. Values pass through events and stay in no variable."""

    rows: list[SecretRow] = []
    is_cut: bool = False
    """Whether there are more than the list shows."""
    search: str = ""
    may_add: bool = False
    loaded: bool = False
    failure: str = ""
    """Report id of a load that failed; empty when it did not."""
    about: SecretRow | None = None
    """The secret that a dialog is about."""
    doing: Doing = ""
    """Which dialog is open."""
    shared: Sharing | None = None
    problems: dict[str, str] = {}
    """Field to code, of the form that was sent last."""
    saved: str = ""
    """What was done last: `added`, `rotate`, `edit` or `delete`; drawn above the list."""

    @rx.event
    async def load(self) -> None:
        """Show the secrets that the person may see."""
        self.problems, self.saved, self.failure, self.search = {}, "", "", ""
        self.about, self.doing, self.shared = None, "", None
        try:
            await self._list()
        except Unauthenticated:
            raise
        except Exception as error:
            self.failure = reported("vault.load_failed", error)

    async def _list(self) -> None:
        async with acting(self) as tx:
            rows = await secrets.list_secrets(tx, search=self.search, limit=SHOWN + 1)
            self.may_add = secrets.may_add(tx)
        by_service = sorted(rows[:SHOWN], key=_service)
        self.rows, self.is_cut, self.loaded = by_service, len(rows) > SHOWN, True

    @rx.event
    async def set_search(self, text: str) -> None:
        """Show the secrets whose name or service has this in it."""
        self.search = str(text)[:128]
        await self._list()

    @rx.event
    async def clear_search(self) -> None:
        """Show all again."""
        self.search = ""
        await self._list()

    @rx.event
    async def added(self, secret_id: str) -> None:
        """Show the secret that the dialog has kept."""
        self.search = ""
        async with acting(self) as tx:
            await secrets.get_secret(tx, SecretId(identity(secret_id)))
        await self._list()
        self.saved = "added"

    @rx.event
    async def ask(self, secret_id: str, doing: str) -> None:
        """Open the dialog that does something to a secret."""
        self.problems, self.saved, self.shared = {}, "", None
        async with acting(self) as tx:
            about = await secrets.get_secret(tx, SecretId(identity(secret_id)))
            shared = await sharing.sharing(tx, SECRET, about.id) if doing == "share" else None
        self.about, self.shared = about, shared
        self.doing = cast("Doing", doing) if doing in ("rotate", "edit", "share", "delete") else ""

    @rx.event
    def close(self, is_open: bool) -> None:
        """Leave the dialog."""
        if not is_open:
            self.about, self.doing, self.shared, self.problems = None, "", None, {}

    async def _done(self, what: str) -> None:
        self.about, self.doing, self.shared, self.problems, self.saved = None, "", None, {}, what
        await self._list()

    @rx.event
    async def rotate(self, form: dict[str, str]) -> None:
        """Replace the value of the chosen secret."""
        self.problems = {}
        if self.about is None:
            return
        try:
            payload = PAYLOADS[self.about.kind].model_validate(fields_of(form, self.about.kind))
        except ValidationError as error:
            self._refuse(problems_of(error))
            return
        async with acting(self) as tx:
            body = SecretRotate.model_validate({"value": payload})
            await secrets.rotate(tx, SecretId(self.about.id), body)
        await self._done("rotate")

    @rx.event
    async def edit(self, form: dict[str, str]) -> None:
        """Change name and description of the chosen secret."""
        self.problems = {}
        if self.about is None:
            return
        try:
            body = SecretChange(name=form.get("name", ""), description=form.get("description", ""))
            async with acting(self) as tx:
                await secrets.change(tx, SecretId(self.about.id), body)
        except ValidationError as error:
            self._refuse(problems_of(error))
            return
        except InvalidInput as refusal:
            self._refuse(refusal.fields)
            return
        await self._done("edit")

    @rx.event
    async def show_to(self, visibility: str) -> None:
        """Let everybody in the organization see the chosen secret, or only its owner."""
        if self.about is None:
            return
        async with acting(self) as tx:
            body = SecretChange.model_validate({"visibility": visibility})
            self.about = await secrets.change(tx, SecretId(self.about.id), body)
            self.shared = await sharing.sharing(tx, SECRET, self.about.id)
        await self._list()

    @rx.event
    async def share(self, form: dict[str, str]) -> None:
        """Give a member a level on the chosen secret."""
        self.problems = {}
        if self.about is None:
            return
        try:
            level = ShareLevel.model_validate({"level": form.get("level", "")}).level
            async with acting(self) as tx:
                self.shared = await sharing.share_with(
                    tx, SECRET, self.about.id, form.get("email", "")[:255], level
                )
        except ValidationError as error:
            self._refuse(problems_of(error))
        except InvalidInput as refusal:
            self._refuse(refusal.fields)

    @rx.event
    async def set_level(self, user_id: str, level: str) -> None:
        """Give somebody on the list another level."""
        if self.about is None:
            return
        wanted: Level = ShareLevel.model_validate({"level": level}).level
        async with acting(self) as tx:
            self.shared = await sharing.share(tx, SECRET, self.about.id, UserId(identity(user_id)), wanted)

    @rx.event
    async def unshare(self, user_id: str) -> None:
        """Take somebody off the list."""
        if self.about is None:
            return
        async with acting(self) as tx:
            await sharing.unshare(tx, SECRET, self.about.id, UserId(identity(user_id)))
            self.shared = await sharing.sharing(tx, SECRET, self.about.id)

    @rx.event
    async def delete(self) -> None:
        """Delete the chosen secret, which the dialog has asked about."""
        if self.about is None:
            return
        try:
            async with acting(self) as tx:
                await secrets.delete(tx, SecretId(self.about.id))
        except NotFound:
            await self._done("")
            return
        await self._done("delete")

    def _refuse(self, problems: Sequence[FieldProblem]) -> None:
        self.problems = {one["field"]: one["message"] for one in problems}


def _service(row: SecretRow) -> str:
    purpose = PURPOSES.get(row.purpose)
    return (purpose.name if purpose else row.purpose).casefold()
