"""Sections of the Builder that are plain fields of the spec: instructions, model, budget."""

import json
from decimal import Decimal, InvalidOperation

import reflex as rx
from pydantic import BaseModel, ConfigDict, ValidationError

from agenticos_app.contracts.spec import AgentSpec, ModelSettings, Variable
from agenticos_app.errors import Forbidden
from agenticos_app.kernel.ids import ModelProfileId
from agenticos_app.kernel.money import MICROS, dollars
from agenticos_app.services import models
from state.builder import BuilderState, change_draft, draft_of, with_fields
from state.session import acting, identity

NUMBERS = {"temperature": float, "top_p": float, "max_tokens": int}
CAPS = ("monthly_budget_micros", "run_budget_micros")
LONGEST_SCHEMA = 100_000


class ModelChoice(BaseModel):
    """A model that the agent may be given."""

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    model_name: str
    context_length: int | None
    has_no_key: bool


class SpecState(rx.State):
    """What the sections show of the draft, read when one of them opens."""

    instructions: str = ""
    variables: list[Variable] = []
    models: list[ModelChoice] = []
    may_see_models: bool = False
    chosen_model: str = ""
    """Id of the model; empty for none."""
    settings: dict[str, str] = {}
    """Temperature and the like as they are typed; empty: the model's own."""
    parallel: str = ""
    """`yes`, `no`, or empty for the model's own."""
    schema: str = ""
    caps: dict[str, str] = {}
    """Dollars as they are typed; empty: no cap."""
    steps: int = 0
    problems: dict[str, str] = {}
    """Field to code, of what could not be saved."""
    shown: str = ""
    """`BuilderState.agent_id` and `renewed` of what is shown, so that nothing of another draft is drawn."""

    @rx.event
    async def load(self) -> None:
        """Show the draft."""
        builder = await self.get_state(BuilderState)
        if builder.agent is None or builder.may_not:
            return
        self._show(await draft_of(builder))
        self.problems, self.shown = {}, f"{builder.agent_id}/{builder.renewed}"
        await self._list_models()

    async def _list_models(self) -> None:
        try:
            async with acting(self) as tx:
                rows = await models.list_profiles(tx)
            self.may_see_models = True
        except Forbidden:
            rows, self.may_see_models = [], False
        self.models = [
            ModelChoice(
                id=str(row.id),
                name=row.name,
                model_name=row.model_name,
                context_length=row.context_length,
                has_no_key=not row.is_usable,
            )
            for row in rows
        ]

    def _show(self, spec: AgentSpec) -> None:
        asked = spec.model_settings
        self.instructions, self.variables = spec.instructions, list(spec.variables)
        self.chosen_model = str(spec.model_profile_id or "")
        self.settings = {name: _typed(getattr(asked, name)) for name in NUMBERS}
        self.parallel = {True: "yes", False: "no", None: ""}[asked.parallel_tool_calls]
        self.schema = json.dumps(spec.output_schema, indent=2) if spec.output_schema else ""
        self.caps = {name: dollars(getattr(spec, name)) or "" for name in CAPS}
        self.steps = spec.max_steps

    async def _set(self, field: str, *, seen: int = 0, **values: object) -> bool:
        """Change fields of the spec; what does not fit is told beside the field and not saved."""
        builder = await self.get_state(BuilderState)
        self.problems = {name: code for name, code in self.problems.items() if name != field}
        try:
            return await change_draft(builder, lambda spec: with_fields(spec, **values), seen=seen)
        except ValidationError:
            self.problems = {**self.problems, field: "out_of_range"}
            return False

    @rx.event
    async def set_instructions(self, text: str, seen: int) -> None:
        """Save what the agent is told; `seen` is the revision that it was typed upon."""
        if await self._set("instructions", seen=seen, instructions=text):
            self.instructions = text

    @rx.event
    async def save_variable(self, form: dict[str, str]) -> None:
        """Add a variable, or give the one of this name other words."""
        name = form.get("name", "").strip()
        kept = [one for one in self.variables if one.name != name]
        try:
            added = Variable(
                name=name, description=form.get("description", ""), default=form.get("default", "")
            )
        except ValidationError:
            self.problems = {**self.problems, "variable": "name"}
            return
        if await self._set("variable", variables=[*kept, added]):
            self.variables = [*kept, added]

    @rx.event
    async def remove_variable(self, name: str) -> None:
        """Take a variable away."""
        kept = [one for one in self.variables if one.name != name]
        if await self._set("variable", variables=kept):
            self.variables = kept

    @rx.event
    async def set_model(self, model_profile_id: str) -> None:
        """Choose the model."""
        await self._choose(model_profile_id)

    @rx.event
    async def take_model(self, model_profile_id: str) -> None:
        """Choose the model that was just added."""
        await self._list_models()
        await self._choose(model_profile_id)

    async def _choose(self, model_profile_id: str) -> None:
        wanted = ModelProfileId(identity(model_profile_id)) if model_profile_id else None
        if await self._set("model_profile_id", model_profile_id=wanted):
            self.chosen_model = model_profile_id

    @rx.event
    async def set_number(self, field: str, text: str) -> None:
        """Save one of the model's settings; empty is the model's own."""
        if field not in NUMBERS:
            return
        self.settings = {**self.settings, field: text}
        try:
            value = NUMBERS[field](text.replace(",", ".")) if text.strip() else None
        except ValueError:
            self.problems = {**self.problems, field: "number"}
            return
        await self._set_setting(field, value)

    @rx.event
    async def set_parallel(self, choice: str) -> None:
        """Say whether the model may call several tools at once."""
        self.parallel = choice
        await self._set_setting("parallel_tool_calls", {"yes": True, "no": False}.get(choice))

    async def _set_setting(self, field: str, value: object) -> None:
        builder = await self.get_state(BuilderState)
        self.problems = {name: code for name, code in self.problems.items() if name != field}

        def change(spec: AgentSpec) -> AgentSpec:
            asked = ModelSettings.model_validate({**spec.model_settings.model_dump(), field: value})
            return with_fields(spec, model_settings=asked)

        try:
            await change_draft(builder, change)
        except ValidationError:
            self.problems = {**self.problems, field: "out_of_range"}

    @rx.event
    async def set_schema(self, text: str) -> None:
        """Save what the answer must be; empty is prose."""
        if len(text) > LONGEST_SCHEMA:
            self.problems = {**self.problems, "output_schema": "too_long"}
            return
        self.schema = text
        try:
            schema = json.loads(text) if text.strip() else None
        except ValueError:
            self.problems = {**self.problems, "output_schema": "json"}
            return
        await self._set("output_schema", output_schema=schema)

    @rx.event
    async def set_cap(self, field: str, text: str) -> None:
        """Save a cap in dollars; empty is none."""
        if field not in CAPS:
            return
        self.caps = {**self.caps, field: text}
        try:
            micros = int(Decimal(text.replace(",", ".")) * MICROS) if text.strip() else None
        except (InvalidOperation, ValueError, OverflowError):
            self.problems = {**self.problems, field: "number"}
            return
        values: dict[str, object] = {field: micros}
        await self._set(field, seen=0, **values)

    @rx.event
    async def set_steps(self, text: str) -> None:
        """Save how many requests to the model one run may make."""
        try:
            steps = int(text)
        except ValueError:
            self.problems = {**self.problems, "max_steps": "number"}
            return
        if await self._set("max_steps", max_steps=steps):
            self.steps = steps


def _typed(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
