"""Steps two and three of the set-up: a model to think with, and the first question."""

import reflex as rx
from pydantic import SecretStr, ValidationError

from agenticos_app.contracts.providers import OFFERED, PRACTICE
from agenticos_app.errors import FieldProblem, InvalidInput
from agenticos_app.schemas.models import LocalServer, ModelCheckResult, ModelDraft
from agenticos_app.schemas.problems import problems_of
from agenticos_app.services import model_access, models, providers
from state.session import acting

FIRST_PROVIDER = "openai"


class SetupState(rx.State):
    """The model that is being chosen. A typed key is never kept here: it comes with each event."""

    choice: str = PRACTICE
    """`practice`, `key`, `own`, or the address of a local server."""
    provider: str = FIRST_PROVIDER
    """Whose key it is."""
    offered: list[str] = []
    """Some of the provider's models."""
    may_name_servers: bool = False
    """Whether the person may let the server talk to any address."""
    servers: list[LocalServer] = []
    result: ModelCheckResult | None = None
    problems: dict[str, str] = {}
    busy: str = ""
    """What is under way: `check` or `save`."""
    chosen: bool = False
    """Whether the model is saved, so that the first question can follow."""

    @rx.event(background=True)
    async def look(self) -> None:
        """Offer the model servers that answer on this machine, to whoever may choose one."""
        async with self:
            self.result, self.problems, self.chosen = None, {}, False
            async with acting(self) as tx:
                model_access.require_manager(tx)
                self.may_name_servers = model_access.may_name_servers(tx)
            looks = self.may_name_servers
        found = await providers.found_locally() if looks else []
        async with self:
            self.servers = found
        await self._offer()

    @rx.event
    def choose(self, choice: str) -> None:
        """Take one of the ways to a model."""
        self.choice, self.result, self.problems, self.chosen = choice, None, {}, False

    @rx.event(background=True)
    async def choose_provider(self, provider: str) -> None:
        """Take the provider that the key is from."""
        async with self:
            if provider not in OFFERED:
                return
            self.provider, self.result, self.problems, self.offered = provider, None, {}, []
        await self._offer()

    async def _offer(self) -> None:
        """Suggest models of the provider; it is asked without a key."""
        async with self, acting(self) as tx:
            access = await model_access.to_list(tx, self.provider)
        listed = await providers.listed(access)
        async with self:
            if self.provider == access.provider:
                self.offered = [model.id for model in listed.models[:200]]

    @rx.event(background=True)
    async def send(self, form: dict[str, str | None]) -> None:
        """Ask the model one short question (`intent` is `check`), or make it the organization's."""
        checks = form.get("intent") == "check"
        async with self:
            self.result, self.problems, self.busy = None, {}, "check" if checks else "save"
        result: ModelCheckResult | None = None
        problems: list[FieldProblem] = []
        chosen = False
        try:
            draft = self._draft(form)
            async with self, acting(self) as tx:
                access = await model_access.drafted(tx, draft)
                if not checks:
                    await models.use_model(tx, draft)
                    chosen = True
            if checks:
                result = await providers.check(access)
        except ValidationError as error:
            problems = problems_of(error)
        except InvalidInput as refusal:
            problems = list(refusal.fields)
        finally:
            async with self:
                self.busy, self.result, self.chosen = "", result, chosen
                self.problems = {problem["field"]: problem["message"] for problem in problems}

    def _draft(self, form: dict[str, str | None]) -> ModelDraft:
        name, key = form.get("model_name") or "", SecretStr(form.get("api_key") or "")
        if self.choice == PRACTICE:
            return ModelDraft(provider=PRACTICE)
        if self.choice == "key":
            return ModelDraft(provider=self.provider, model_name=name, api_key=key)
        if self.choice == "own":
            address = form.get("base_url") or ""
            if not address.strip():
                raise InvalidInput({"field": "base_url", "message": "address"})
            return ModelDraft(provider="openai", base_url=address, model_name=name, api_key=key)
        known = {server.base_url: server.provider for server in self.servers}
        return ModelDraft(
            provider=known.get(self.choice, "openai"), base_url=self.choice, model_name=name, is_free=True
        )

    @rx.event
    def back(self) -> None:
        """Choose another model."""
        self.chosen = False
