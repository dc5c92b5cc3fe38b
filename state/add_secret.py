"""The dialog that keeps a new secret; any page may open it, and is told the id."""

import reflex as rx
from pydantic import ValidationError

from agenticos_app.contracts.secrets import PAYLOADS, PURPOSES, Purpose
from agenticos_app.errors import InvalidInput
from agenticos_app.schemas.problems import problems_of
from agenticos_app.schemas.secrets import SecretCreate
from agenticos_app.services import secrets
from state.session import acting


class AddSecretState(rx.State):
    """The dialog. The value passes through `save` and stays in no variable."""

    is_open: bool = False
    offered: list[str] = []
    """Purposes to choose from; empty: all."""
    purpose: str = ""
    kind: str = ""
    """What the purpose fixes."""
    problems: dict[str, str] = {}
    made: str = ""
    """Id of the new secret, until whoever opened the dialog has taken it."""

    @rx.event
    def open_for(self, purposes: list[str]) -> None:
        """Open the dialog for a secret of one of these purposes; of any, if none is named."""
        self.offered = [str(one) for one in purposes if one in PURPOSES]
        self.is_open, self.problems, self.made = True, {}, ""
        self._choose(self.offered[0] if self.offered else next(iter(PURPOSES)))

    def _choose(self, purpose: str) -> None:
        self.purpose, self.kind = purpose, PURPOSES[purpose].kind.value

    @rx.event
    def choose(self, purpose: str) -> None:
        """Choose the service, which fixes the fields."""
        if purpose in PURPOSES:
            self.problems = {}
            self._choose(purpose)

    @rx.event
    def set_open(self, is_open: bool) -> None:
        """Leave the dialog."""
        self.is_open = bool(is_open) and self.is_open
        self.problems = {}

    @rx.event
    async def save(self, form: dict[str, str]) -> None:
        """Keep what was typed; what does not fit is marked, and the form stays as it is."""
        self.problems = {}
        if self.purpose not in PURPOSES:
            return
        body, self.problems = drafted(form, PURPOSES[self.purpose])
        if body is not None:
            await self._keep(body, is_named=bool(form.get("name", "").strip()))

    async def _keep(self, body: SecretCreate, *, is_named: bool) -> None:
        try:
            async with acting(self) as tx:
                if not is_named:
                    body.name = await secrets.free_name(tx, body.name)
                made = await secrets.create(tx, body)
        except InvalidInput as refusal:
            self.problems = {one["field"]: one["message"] for one in refusal.fields}
            return
        self.is_open, self.made = False, str(made.id)

    @rx.event
    def taken(self) -> None:
        """Forget the id: whoever opened the dialog has it."""
        self.made = ""


def drafted(form: dict[str, str], purpose: Purpose) -> tuple[SecretCreate | None, dict[str, str]]:
    """Return the secret that a form describes, or what is wrong with each of its fields."""
    payload, problems = PAYLOADS[purpose.kind], dict[str, str]()
    given = {name: form[name] for name in payload.model_fields if name != "kind" and name in form}
    value: object = {}
    try:
        value = payload.model_validate(given)
    except ValidationError as error:
        problems |= {one["field"]: one["message"] for one in problems_of(error)}
    words = {
        "name": form.get("name", "").strip() or purpose.name,
        "description": form.get("description", ""),
        "purpose": purpose.id,
        "visibility": form.get("visibility") or "private",
    }
    try:
        return SecretCreate.model_validate({**words, "value": value}), problems
    except ValidationError as error:
        found = {one["field"]: one["message"] for one in problems_of(error)}
        return None, problems | {name: code for name, code in found.items() if name != "value"}
