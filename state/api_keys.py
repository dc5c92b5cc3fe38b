"""API keys: the person's own, and everybody's for who manages them."""

from datetime import datetime, timedelta
from uuid import UUID

import reflex as rx
from pydantic import BaseModel, ConfigDict, ValidationError

from agenticos_app.errors import Conflict, Unauthenticated
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import ApiKeyId
from agenticos_app.schemas.api_keys import ApiKeyCreate, ApiKeyRow, KeyStatus
from agenticos_app.schemas.problems import problems_of
from agenticos_app.services import api_keys
from agenticos_app.services.work import Tx
from state.notices import reported
from state.session import acting, identity

DAYS = ("30", "90", "365")
"""After how long a key may end; anything else: never."""


class KeyLine(BaseModel):
    """One key as the list draws it."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    name: str
    owner: str
    is_own: bool
    shown: str
    """The token's beginning and end."""
    groups: list[str]
    others: int
    """Permissions outside of the groups."""
    is_narrowed: bool
    """Whether its owner may no longer do all that it was given."""
    status: KeyStatus
    expires_at: datetime | None
    last_used_at: datetime | None
    last_used_ip: str


class ApiKeysState(rx.State):
    """The list, the form, the panel that shows a new key once, and the question before one ends."""

    rows: list[KeyLine] = []
    next_cursor: str = ""
    usable: bool = False
    """Whether keys that ended are left out."""
    loaded: bool = False
    failure: str = ""
    """Report id of a load that failed; empty when it did not."""
    groups: list[str] = []
    """What the person may give to a key; empty: they may issue none."""
    creating: bool = False
    problems: dict[str, str] = {}
    """Field to code, of the form that was sent last."""
    fresh: str = ""
    """The key that was just made; gone as soon as its panel closes."""
    example: str = ""
    """A command that tries it."""
    revoking: KeyLine | None = None
    """The key that a confirmation is asked for."""

    @rx.event
    async def load(self) -> None:
        """Show the keys."""
        self.problems, self.failure, self.fresh, self.example = {}, "", "", ""
        self.creating, self.revoking = False, None
        try:
            async with acting(self) as tx:
                await self._show(tx)
        except Unauthenticated:
            raise
        except Exception as error:
            self.failure = reported("api_keys.load_failed", error)

    async def _show(self, tx: Tx) -> None:
        page = await api_keys.list_keys(tx, usable=self.usable)
        self.rows, self.next_cursor = [_line(row) for row in page.rows], page.next_cursor
        self.groups, self.loaded = api_keys.givable_groups(tx), True

    @rx.event
    async def more(self) -> None:
        """Show the next page below."""
        if not self.next_cursor:
            return
        async with acting(self) as tx:
            page = await api_keys.list_keys(tx, cursor=self.next_cursor, usable=self.usable)
        self.rows, self.next_cursor = [*self.rows, *map(_line, page.rows)], page.next_cursor

    @rx.event
    async def toggle_usable(self) -> None:
        """Leave out the keys that ended, or show them again."""
        self.usable = not self.usable
        async with acting(self) as tx:
            await self._show(tx)

    @rx.event
    def set_creating(self, is_open: bool) -> None:
        """Open or close the form for a new key."""
        self.creating, self.problems = is_open, {}

    @rx.event
    async def create(self, form: dict[str, str]) -> None:
        """Make a key and show it once."""
        self.problems = {}
        chosen = [name for name in api_keys.GROUPS if form.get(f"group-{name}")]
        try:
            body = ApiKeyCreate(
                name=form.get("key_name", ""),
                permissions=sorted({one for name in chosen for one in api_keys.GROUPS[name]}),
                expires_at=_end_of(form.get("expires", "")),
            )
            async with acting(self) as tx:
                issued = await api_keys.issue(tx, body)
                await self._show(tx)
        except ValidationError as error:
            self.problems = {one["field"]: one["message"] for one in problems_of(error)}
            return
        except Conflict as refusal:
            self.problems = {"name": str(refusal.details["reason"])}
            return
        self.creating, self.fresh = False, issued.token
        self.example = (
            f'curl {self.router.url.origin}/api/v1/agents -H "Authorization: Bearer {issued.token}"'
        )

    @rx.event
    def set_shown(self, is_open: bool) -> None:
        """Close the panel; the key cannot be shown again."""
        if not is_open:
            self.fresh = self.example = ""

    @rx.event
    def ask_revoke(self, key_id: str) -> None:
        """Ask once before a key ends."""
        self.revoking = next((row for row in self.rows if str(row.id) == key_id), None)

    @rx.event
    def set_revoking(self, is_open: bool) -> None:
        """Leave the confirmation."""
        if not is_open:
            self.revoking = None

    @rx.event
    async def revoke(self, key_id: str) -> None:
        """End the key that was asked about."""
        self.revoking = None
        async with acting(self) as tx:
            await api_keys.revoke(tx, ApiKeyId(identity(key_id)))
            await self._show(tx)


def _end_of(days: str) -> datetime | None:
    return now() + timedelta(days=int(days)) if days in DAYS else None


def _line(row: ApiKeyRow) -> KeyLine:
    given = set(row.permissions)
    groups = {name: permissions for name, permissions in api_keys.GROUPS.items() if permissions <= given}
    return KeyLine(
        id=row.id,
        name=row.name,
        owner=row.owner,
        is_own=row.is_own,
        shown=f"{row.prefix}…{row.last_four}",
        groups=list(groups),
        others=len(given.difference(*groups.values())),
        is_narrowed=row.status == "active" and set(row.effective_permissions) != given,
        status=row.status,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
        last_used_ip=row.last_used_ip,
    )
