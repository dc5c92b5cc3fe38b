"""Every event handler answers another organization's id like one that does not exist.

A browser may send any event with any arguments, in any order, from a page at any address. So each handler is
called once for each place where an id can come from: its arguments, a variable that an earlier event filled,
the address. Generated from the States themselves: a new handler is called as soon as it exists, and one whose
arguments are not known here makes the first test fail.
"""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import pytest
import reflex as rx
from reflex.event import EventSpec

import state as states
from agenticos_app.errors import AppError, Forbidden
from agenticos_app.kernel.clock import now
from agenticos_app.schemas.models import ModelProfileRow
from agenticos_app.schemas.organizations import MemberRow
from agenticos_app.schemas.secrets import SecretRow
from tests.fakes.reflex_state import in_background, page_state, visit
from tests.tenancy.probe import (
    Ids,
    Place,
    blinded,
    furnished,
    kind_of,
    looks_like_an_id,
    make_admin,
    rows_of,
    unknown,
)
from tests.world import Person

pytestmark = pytest.mark.usefixtures("console")

for module in pkgutil.iter_modules(states.__path__, "state."):
    importlib.import_module(module.name)

STATES = sorted(
    (one for one in rx.State.__subclasses__() if one.__module__.startswith("state.")),
    key=lambda one: one.__name__,
)

ADDRESSES = {
    "AddSecretState": "/vault",
    "AccountState": "/account",
    "AgentBasicsState": "/agents/edit",
    "AgentEndState": "/agents/edit",
    "AgentEnvironmentsState": "/agents/edit",
    "AgentSharingState": "/agents/edit",
    "AgentVersionsState": "/agents/edit",
    "ActivityState": "/activity?agent={agent_id}",
    "AgentsState": "/agents",
    "ApiKeysState": "/settings/api-keys",
    "BuilderChatState": "/agents",
    "BuilderState": "/agents/edit?a={agent_id}",
    "SpecState": "/agents/edit?a={agent_id}",
    "CapabilityCardsState": "/chat",
    "ChatState": "/chat?c={conversation_id}",
    "ConversationsState": "/chat?c={conversation_id}",
    "ModelsState": "/models",
    "NewAgentState": "/agents",
    "NoticesState": "/chat",
    "RunState": "/activity/{run_id}",
    "SessionState": "/chat",
    "SettingsState": "/settings",
    "SetupState": "/welcome",
    "ToolboxState": "/agents/edit?a={agent_id}&s=toolbox",
    "VaultState": "/vault",
}
"""Where each State is shown."""

ARGUMENTS: dict[str, object] = {
    "approval": "required",
    "asking": True,
    "at": "capabilities.charts",
    "capability": "charts",
    "choice": "practice",
    "code": "not_found",
    "details": {},
    "doing": "share",
    "field": "max_steps",
    "has_unsaved": True,
    "form": {"role": "viewer", "title": "Another title", "intent": "check"},
    "is_on": True,
    "is_open": True,
    "kind": "run.ended",
    "label": "care",
    "language": "en",
    "level": "use",
    "number": 1,
    "name": "tide",
    "problem": "missing",
    "only_on": True,
    "provider": "openai",
    "purpose": "openai",
    "purposes": [],
    "reason": "",
    "report": "",
    "revision": 1,
    "role": "viewer",
    "section": "model",
    "seen": 0,
    "status": "completed",
    "surface": "web",
    "tested": "draft",
    "text": "A question",
    "title": "A title",
    "tool": "create_chart",
    "visibility": "private",
    "who": "people",
    "whose": "mine",
}
"""Arguments that are no ids."""


def _member(user_id: str) -> MemberRow:
    return MemberRow.model_validate(
        {"user_id": user_id, "full_name": "A", "email": "a@b", "role": "member", "is_active": True}
        | {"joined_at": now(), "may_change": True}
    )


def _secret(secret_id: str) -> SecretRow:
    return SecretRow.model_validate(
        {"id": secret_id, "name": "A", "description": "", "kind": "api_key", "purpose": "openai"}
        | {"visibility": "org", "hint": "", "owner_name": "", "added_by": "", "created_at": now()}
        | {"rotated_at": None, "last_used_at": None, "used_by": [], "is_mine": True, "may_edit": True}
    )


def _model(profile_id: str) -> ModelProfileRow:
    return ModelProfileRow.model_validate(
        {"id": profile_id, "name": "A", "provider": "openai", "model_name": "a", "base_url": ""}
        | {"secret_id": None, "key_name": "", "key_hint": "", "has_key": False, "is_usable": False}
        | {"dialect": None, "context_length": None, "params": {}, "is_free": False, "input_usd": None}
        | {"output_usd": None, "prices_from": now().date(), "is_default": False, "fallbacks": []}
        | {"used_by": []}
    )


HOLDERS: dict[str, tuple[str, Callable[[str], object]]] = {
    "renaming": ("conversation_id", str),
    "deleting": ("conversation_id", str),
    "removing": ("user_id", _member),
    "about": ("secret_id", _secret),
    "running_run_id": ("run_id", str),
    "bound": ("secret_id", str),
    "model": ("model_profile_id", _model),
    "chosen_model": ("model_profile_id", str),
    "next_cursor": ("cursor", str),
}
"""Variables that hold an id under another name: which kind, and how it is held."""

A_POSITION = {"earlier_cursor"}
"""Variables that hold a position among the turns of the open conversation, which any id is."""

NOT_READ = {
    "AgentsState.clone variable:agent_id",
    "AgentsState.clone variable:next_cursor",
    "BuilderState.publish address:agent_id",
    "ChatState.send variable:running_run_id",
    "ChatState.send address:conversation_id",
}
"""Places that a handler does not look at: it is about the agent or conversation that is open, and a copy of
an agent is named after the copies before it."""


@dataclass(frozen=True)
class Slot:
    """One place of one handler where a browser can put an id."""

    state: type[rx.State]
    handler: str
    where: str
    """argument, variable, address or organization"""
    name: str

    def __str__(self) -> str:
        return f"{self.state.__name__}.{self.handler} {self.where}:{self.name}"


def handlers(kind: type[rx.State]) -> Iterator[tuple[str, Any]]:
    for name, handler in kind.event_handlers.items():
        if name != "setvar":
            yield name, handler


def parameters(handler: Any) -> list[str]:
    return list(inspect.signature(handler.fn).parameters)[1:]


def held_ids(kind: type[rx.State]) -> list[str]:
    return [
        name
        for name in kind.base_vars
        if name not in A_POSITION and (name in HOLDERS or looks_like_an_id(name))
    ]


def slots() -> Iterator[Slot]:
    for kind in STATES:
        for name, handler in handlers(kind):
            for parameter in parameters(handler):
                if looks_like_an_id(parameter):
                    yield Slot(kind, name, "argument", parameter)
            for variable in held_ids(kind):
                yield Slot(kind, name, "variable", variable)
            for named in re.findall(r"{(\w+)}", ADDRESSES.get(kind.__name__, "")):
                yield Slot(kind, name, "address", named)
            yield Slot(kind, name, "organization", "organization_id")


SLOTS = [slot for slot in slots() if str(slot) not in NOT_READ]


@pytest.mark.req("DOM-ORG-02")
def test_the_matrix_knows_every_state_and_every_argument() -> None:
    assert {kind.__name__ for kind in STATES} == set(ADDRESSES)
    nothing = unknown()
    unclear = [
        f"{kind.__name__}.{name}({parameter})"
        for kind in STATES
        for name, handler in handlers(kind)
        for parameter in parameters(handler)
        if parameter not in ARGUMENTS and kind_of(parameter, nothing) is None
    ]
    unclear += [
        f"{kind.__name__}.{name}"
        for kind in STATES
        for name in held_ids(kind)
        if name not in HOLDERS and kind_of(name, nothing) is None
    ]
    assert unclear == []
    print(f"\ntenancy matrix: {len(SLOTS)} places of {sum(1 for k in STATES for _ in handlers(k))} handlers")  # noqa: T201


def value_of(name: str, ids: Ids) -> object:
    kind = kind_of(name, ids)
    if kind is None:
        return ARGUMENTS[name]
    return [ids[kind]] if name.endswith("_ids") else ids[kind]


async def outcome(person: Person, slot: Slot, own: Ids, asked: Ids) -> str:
    """Return all that the browser can tell after the event."""
    address = ADDRESSES[slot.state.__name__]
    state = page_state(slot.state, address.format(**own), cookie=person.cookie)
    if "load" in slot.state.event_handlers:
        await slot.state.event_handlers["load"].fn(state)
    given = {name: value_of(name, own) for name in parameters(slot.state.event_handlers[slot.handler])}
    if "file_ids" in given:
        given["file_ids"] = []
    match slot.where:
        case "argument":
            given[slot.name] = value_of(slot.name, asked)
        case "variable":
            kind, held = HOLDERS.get(slot.name, (slot.name, str))
            setattr(state, slot.name, held(asked[kind]))
        case "address":
            visit(state, address.format(**(own | {slot.name: asked[slot.name]})))
        case _:
            joint = "&" if "?" in address else "?"
            visit(state, f"{address.format(**own)}{joint}org={asked['organization_id']}")
    return blinded(await said_by(slot, state, list(given.values())), asked)


async def said_by(slot: Slot, state: rx.State, arguments: list[object]) -> str:
    handler, told = slot.state.event_handlers[slot.handler], ""
    try:
        if handler.is_background:
            await in_background(state, slot.handler, *arguments)
        else:
            event = handler.fn(state, *arguments)
            told = described(await event if inspect.isawaitable(event) else event)
    except AppError as refusal:
        told = f"{type(refusal).__name__} {dict(refusal.details)}"
        if isinstance(refusal, Forbidden):
            told = f"TELLS THAT IT EXISTS: {told}"
    shown = {name: getattr(state, name) for name in slot.state.base_vars}
    shown["failure"] = bool(shown.get("failure"))
    return anonymous(f"{told} {shown}")


def described(event: object) -> str:
    """Return what an event makes the browser do."""
    if isinstance(event, list):
        return str([described(one) for one in cast("list[object]", event)])
    if isinstance(event, EventSpec):
        return f"{event.handler.fn.__qualname__} {[(str(name), str(value)) for name, value in event.args]}"
    return type(event).__name__


def anonymous(text: str) -> str:
    """Return the text without ids and times, which differ from call to call."""
    text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}", "<id>", text)
    return re.sub(r"datetime\.datetime\([^)]*\)+", "<time>", text)


@pytest.fixture
async def places() -> tuple[Place, Place]:
    return await furnished("Ours"), await furnished("Theirs")


@pytest.mark.req("DOM-ORG-02")
@pytest.mark.parametrize("caller", ["owner", "app_admin"])
async def test_another_organizations_id_is_answered_like_an_unknown_one(
    places: tuple[Place, Place], caller: str
) -> None:
    ours, theirs = places
    if caller == "app_admin":
        await make_admin(ours.owner)
    before, wrong = await rows_of(theirs), []
    for slot in SLOTS:
        if caller == "app_admin" and slot.where == "organization":
            continue  # who administers the deployment may enter every organization
        foreign = await outcome(ours.owner, slot, ours.ids, theirs.ids)
        missing = await outcome(ours.owner, slot, ours.ids, unknown())
        if foreign != missing or "TELLS THAT" in foreign:
            at = next(
                (i for i, pair in enumerate(zip(foreign, missing, strict=False)) if len(set(pair)) > 1), 0
            )
            wrong.append(f"{slot}: {foreign[at - 40 : at + 80]} <> {missing[at - 40 : at + 80]}")
    assert wrong == []
    assert await rows_of(theirs) == before


@pytest.mark.req("DOM-ORG-08")
async def test_an_address_that_names_an_organization_overrides_the_remembered_one(
    places: tuple[Place, Place],
) -> None:
    ours, theirs = places
    session = next(kind for kind in STATES if kind.__name__ == "SessionState")
    await make_admin(ours.owner)
    remembered = page_state(session, "/chat", cookie=ours.owner.cookie)
    named = page_state(session, f"/chat?org={theirs.house.id}", cookie=ours.owner.cookie)
    for state in (remembered, named):
        await session.event_handlers["load"].fn(state)
    assert remembered.me.organization_id == ours.house.id
    assert named.me.organization_id == theirs.house.id
    assert named.me.role == ""
    await session.event_handlers["load"].fn(remembered)
    assert remembered.me.organization_id == ours.house.id
