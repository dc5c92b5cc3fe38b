"""The models page: which models there are, and the one that is added or changed."""

from collections.abc import Sequence
from typing import Literal, cast
from uuid import UUID

import reflex as rx
from pydantic import ValidationError

from agenticos_app.contracts.models import ModelAccess
from agenticos_app.contracts.providers import PROVIDERS
from agenticos_app.errors import FieldProblem, InvalidInput, KeyUnavailable, NotFound, Unauthenticated
from agenticos_app.kernel.ids import ModelProfileId, SecretId
from agenticos_app.schemas.models import (
    KeyChoice,
    ListedRow,
    ModelChange,
    ModelCheckResult,
    ModelCreate,
    ModelDraft,
    ModelProfileRow,
)
from agenticos_app.schemas.problems import problems_of
from agenticos_app.services import model_access, models, providers, secrets
from agenticos_app.services.work import Tx
from state.notices import reported
from state.session import acting, identity

FIRST_PROVIDER = "openai"
OFFERED = 300
"""Names that the picker suggests; any other may be typed."""

Doing = Literal["", "add", "edit", "test", "delete"]
PARAMS = ("temperature", "top_p", "max_tokens", "timeout_s", "parallel_tool_calls")


class ModelsState(rx.State):
    """The list with its dialogs. Keys are of the vault, and only named here."""

    rows: list[ModelProfileRow] = []
    search: str = ""
    may_manage: bool = False
    may_name_servers: bool = False
    """Whether the person may let the server talk to any address."""
    prices_from: str = ""
    loaded: bool = False
    failure: str = ""
    """Report id of a load that failed; empty when it did not."""
    doing: Doing = ""
    """Which dialog is open."""
    model: ModelProfileRow | None = None
    """The model that a dialog is about; None while one is added."""
    provider: str = FIRST_PROVIDER
    takes_url: bool = True
    dialects: list[str] = []
    keys: list[KeyChoice] = []
    """Those of the provider that the person may use."""
    bound: str = ""
    """Id of the chosen key; empty for none, `kept` for one that the person may not see."""
    offered: list[ListedRow] = []
    is_live: bool = False
    list_problem: str = ""
    listing: bool = False
    testing: bool = False
    result: ModelCheckResult | None = None
    problems: dict[str, str] = {}
    made: str = ""
    """Id of the model that was just added, for whoever opened the dialog to use it."""
    saved: str = ""
    """What was done last: `added`, `changed`, `default` or `deleted`; drawn above the list."""

    @rx.event
    async def load(self) -> None:
        """Show the organization's models."""
        self.failure, self.search, self.saved, self.made = "", "", "", ""
        self._leave()
        try:
            await self._list()
        except Unauthenticated:
            raise
        except Exception as error:
            self.failure = reported("models.load_failed", error)

    async def _list(self) -> None:
        async with acting(self) as tx:
            rows = await models.list_profiles(tx)
            self.may_manage = model_access.may_manage(tx)
            self.may_name_servers = model_access.may_name_servers(tx)
        sought = self.search.strip().casefold()
        self.rows = [row for row in rows if sought in f"{row.name} {row.model_name} {_label(row)}".casefold()]
        self.prices_from, self.loaded = providers.current().prices.snapshot.isoformat(), True

    @rx.event
    async def set_search(self, text: str) -> None:
        """Show the models whose name or provider has this in it."""
        self.search = str(text)[:128]
        await self._list()

    @rx.event
    async def clear_search(self) -> None:
        """Show all again."""
        self.search = ""
        await self._list()

    def _leave(self) -> None:
        self.doing, self.model, self.result, self.problems = "", None, None, {}

    @rx.event
    def close(self, is_open: bool) -> None:
        """Leave the dialog."""
        if not is_open:
            self._leave()

    @rx.event(background=True)
    async def add(self) -> None:
        """Open the dialog for a new model."""
        async with self:
            self._leave()
            await self._begin(FIRST_PROVIDER, "")
            self.doing, self.saved = "add", ""
        await self._offer("")

    @rx.event(background=True)
    async def ask(self, model_profile_id: str, doing: str) -> None:
        """Open the dialog that does something to a model."""
        async with self:
            self._leave()
            async with acting(self) as tx:
                row = await models.get_profile(tx, ModelProfileId(identity(model_profile_id)))
            self.model, self.saved = row, ""
            if doing == "edit":
                kept = str(row.secret_id) if row.secret_id else "kept" if row.has_key else ""
                await self._begin(row.provider, kept)
            self.doing = cast("Doing", doing) if doing in ("edit", "test", "delete") else ""
        if doing == "edit":
            await self._offer(row.base_url)

    async def _begin(self, provider: str, key: str) -> None:
        """Fill the pickers for a provider."""
        entry = PROVIDERS[provider]
        self.provider, self.bound, self.takes_url = provider, key, entry.takes_url
        self.dialects = [one.value for one in entry.dialects] if len(entry.dialects) > 1 else []
        self.offered, self.result, self.problems = [], None, {}
        async with acting(self) as tx:
            self.keys = await _keys(tx, provider)
        if not key and self.model is None and self.keys:
            self.bound = str(self.keys[0].id)

    async def _offer(self, base_url: str) -> None:
        """Suggest the provider's models, from itself where that is possible."""
        async with self:
            provider, key = self.provider, self.bound
            if base_url and not self.may_name_servers:
                return
            self.listing = True
            try:
                async with acting(self) as tx:
                    chosen = identity(key) if key not in ("", "kept") else None
                    access = await model_access.to_list(tx, provider, secret_id=chosen, base_url=base_url)
            except (InvalidInput, KeyUnavailable):
                self.listing = False
                return
        found = await providers.listed(access)
        async with self:
            self.listing = False
            if self.provider == provider:
                self.offered = found.models[:OFFERED]
                self.is_live, self.list_problem = found.is_live, found.problem

    @rx.event(background=True)
    async def choose_provider(self, provider: str) -> None:
        """Choose the provider, which fixes keys and models."""
        async with self:
            if provider not in PROVIDERS:
                return
            await self._begin(provider, "")
        await self._offer("")

    @rx.event(background=True)
    async def choose_key(self, secret_id: str) -> None:
        """Choose a key of the vault; the provider is asked for its models with it."""
        async with self:
            if secret_id not in ("", "kept"):
                async with acting(self) as tx:
                    await secrets.get_secret(tx, SecretId(identity(secret_id)))
            self.bound, self.result = secret_id, None
        await self._offer("")

    @rx.event(background=True)
    async def key_added(self, secret_id: str) -> None:
        """Take the key that was just put into the vault."""
        async with self:
            async with acting(self) as tx:
                await secrets.get_secret(tx, SecretId(identity(secret_id)))
                self.keys = await _keys(tx, self.provider)
            self.bound = secret_id
        await self._offer("")

    @rx.event(background=True)
    async def send(self, form: dict[str, str | bool | None]) -> None:
        """Try the described model (`intent` is `check`), or save it."""
        words = {name: str(value) for name, value in form.items() if value is not None}
        checks = words.get("intent") == "check"
        async with self:
            self.problems, self.result, self.testing = {}, None, checks
            given = self._given(words)
        problems: Sequence[FieldProblem] = ()
        result: ModelCheckResult | None = None
        try:
            async with self, acting(self) as tx:
                access = await self._to_check(tx, given) if checks else await self._keep(tx, given)
            if access is not None:
                result = await providers.check(access)
        except ValidationError as error:
            problems = problems_of(error)
        except InvalidInput as refusal:
            problems = refusal.fields
        finally:
            async with self:
                self.testing, self.result = False, result
                self.problems = {one["field"]: one["message"] for one in problems}
        if not checks and not problems:
            async with self:
                self.saved = "changed" if self.doing == "edit" else "added"
                self._leave()
                await self._list()

    def _given(self, words: dict[str, str]) -> dict[str, object]:
        """Return what the form says, in the fields of the API."""
        name = words.get("model_name", "").strip()
        listed = next((one.context_length for one in self.offered if one.id == name), None)
        params: dict[str, object] = {one: words[one].strip() for one in PARAMS if words.get(one, "").strip()}
        given: dict[str, object] = {
            "name": words.get("name", "").strip() or name,
            "provider": self.provider,
            "model_name": name,
            "dialect": words.get("dialect") or None,
            "context_length": words.get("context_length", "").strip() or listed,
            "params": params,
            "is_free": bool(words.get("is_free")) and words.get("is_free") != "False",
            "fallback_profile_ids": [
                words[one] for one in ("fallback_1", "fallback_2") if words.get(one, "")
            ],
        }
        if self.takes_url and "base_url" in words:
            given["base_url"] = words["base_url"]
        if self.bound != "kept":
            given["secret_id"] = UUID(self.bound) if self.bound else None
        return given

    async def _to_check(self, tx: Tx, given: dict[str, object]) -> ModelAccess:
        if self.bound == "kept" and self.model is not None:
            return await model_access.saved(tx, ModelProfileId(self.model.id))
        asked = {name: given[name] for name in ModelDraft.model_fields if name in given}
        return await model_access.drafted(tx, ModelDraft.model_validate(asked))

    async def _keep(self, tx: Tx, given: dict[str, object]) -> None:
        if self.model is None:
            self.made = str((await models.create(tx, ModelCreate.model_validate(given))).id)
        else:
            await models.change(tx, ModelProfileId(self.model.id), ModelChange.model_validate(given))

    @rx.event
    def taken(self) -> None:
        """Note that whoever opened the dialog has the new model."""
        self.made = ""

    @rx.event(background=True)
    async def test(self) -> None:
        """Ask the chosen model one short question."""
        async with self:
            if self.model is None:
                return
            self.result, self.testing = None, True
            try:
                async with acting(self) as tx:
                    access = await model_access.saved(tx, ModelProfileId(self.model.id))
            except BaseException:
                self.testing = False
                raise
        result = await providers.check(access)
        async with self:
            self.result, self.testing = result, False

    @rx.event
    async def make_default(self, model_profile_id: str) -> None:
        """Let every agent that names no model use this one."""
        async with acting(self) as tx:
            await models.make_default(tx, ModelProfileId(identity(model_profile_id)))
        await self._list()
        self.saved = "default"

    @rx.event
    async def delete(self) -> None:
        """Delete the chosen model, which the dialog has asked about."""
        if self.model is None:
            return
        try:
            async with acting(self) as tx:
                await models.delete(tx, ModelProfileId(self.model.id))
        except NotFound:
            self._leave()
            await self._list()
            return
        self._leave()
        await self._list()
        self.saved = "deleted"


def _label(row: ModelProfileRow) -> str:
    return PROVIDERS[row.provider].label


async def _keys(tx: Tx, provider: str) -> list[KeyChoice]:
    rows = await secrets.list_secrets(tx, purposes=[provider])
    return [KeyChoice(id=row.id, name=row.name, hint=row.hint) for row in rows]
