"""Steps two and three of the set-up: a model to think with, and the first question."""

import reflex as rx
from pydantic import SecretStr, ValidationError

from agenticos_app.errors import FieldProblem, InvalidInput
from agenticos_app.schemas.models import LocalServer, ModelCheckResult, ModelDraft
from agenticos_app.schemas.problems import problems_of
from agenticos_app.services import models
from state.session import acting


class SetupState(rx.State):
    """The model that is being chosen. A typed key is never kept here: it comes with each event."""

    choice: str = "practice"
    """`practice`, `key`, or the address of a local server."""
    servers: list[LocalServer] = []
    result: ModelCheckResult | None = None
    problems: dict[str, str] = {}
    busy: str = ""
    """What is under way: `check` or `save`."""
    chosen: bool = False
    """Whether the model is saved, so that the first question can follow."""

    @rx.event(background=True)
    async def look(self) -> None:
        """Offer the model servers that answer on this machine."""
        async with self:
            self.result, self.problems, self.chosen = None, {}, False
            async with acting(self) as tx:
                models.require_manager(tx)
        found = await models.found_locally()
        async with self:
            self.servers = found

    @rx.event
    def choose(self, choice: str) -> None:
        """Take one of the ways to a model."""
        self.choice, self.result, self.problems, self.chosen = choice, None, {}, False

    @rx.event(background=True)
    async def send(self, form: dict[str, str | None]) -> None:
        """Ask the model one short question (`intent` is `check`), or make it the organization's."""
        checks = form.get("intent") == "check"
        async with self:
            self.result, self.problems, self.busy = None, {}, "check" if checks else "save"
            choice = self.choice
        result: ModelCheckResult | None = None
        problems: list[FieldProblem] = []
        chosen = False
        try:
            draft = _draft(choice, form)
            async with self, acting(self) as tx:
                models.require_manager(tx)
                if not checks:
                    await models.use_model(tx, draft)
                    chosen = True
            if checks:
                result = await models.check_model(draft)
        except ValidationError as error:
            problems = problems_of(error)
        except InvalidInput as refusal:
            problems = list(refusal.fields)
        finally:
            async with self:
                self.busy, self.result, self.chosen = "", result, chosen
                self.problems = {problem["field"]: problem["message"] for problem in problems}

    @rx.event
    def back(self) -> None:
        """Choose another model."""
        self.chosen = False


def _draft(choice: str, form: dict[str, str | None]) -> ModelDraft:
    if choice == "practice":
        return ModelDraft(kind="practice")
    return ModelDraft(
        kind="openai_compatible",
        base_url=(form.get("base_url") or "") if choice == "key" else choice,
        model_name=form.get("model_name") or "",
        api_key=SecretStr(form.get("api_key") or ""),
    )
