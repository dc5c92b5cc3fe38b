"""Which model the organization's agents use."""

import asyncio
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit
from uuid import UUID

from pydantic import SecretStr

from agenticos_app.contracts.audit import Action, Target
from agenticos_app.contracts.models import Candidate, ModelAccess, ModelCheck
from agenticos_app.contracts.providers import MODEL_NAME_LENGTH, PRACTICE, is_address
from agenticos_app.contracts.secrets import ApiKey
from agenticos_app.db.work import Tx
from agenticos_app.errors import Forbidden, InvalidInput, NotFound
from agenticos_app.kernel.ids import ModelProfileId, SecretId, new_id
from agenticos_app.models import ModelProfile
from agenticos_app.repos import accounts
from agenticos_app.repos import model_profiles as repo
from agenticos_app.schemas.models import LocalServer, ModelCheckResult, ModelDraft, ModelProfileRow
from agenticos_app.schemas.secrets import SecretCreate, SecretRotate
from agenticos_app.security.permissions import Permission
from agenticos_app.services import audit, secrets

PURPOSE = "openai"
"""What the keys of both kinds of models are for."""

LOCAL_SERVERS = (("Ollama", 11434), ("LM Studio", 1234), ("llama.cpp", 8080))

COMPATIBLE = "openai_compatible"
"""The kind of a stored profile that is not the practice model: provider `openai` at an address of its own."""

PRACTICE_NAME = "Practice model"

Check = Callable[[ModelAccess], Awaitable[ModelCheck]]

_check: Check | None = None


def use_check(check: Check | None) -> None:
    """Make `check` the way to try a model; set by the composition root."""
    global _check
    _check = check


async def list_profiles(tx: Tx) -> list[ModelProfileRow]:
    """Return the organization's models.

    Raises:
        Forbidden: Without `connections:view`.
    """
    tx.actor.require(Permission.CONNECTIONS_VIEW)
    organization = await accounts.organization(tx)
    default = organization.default_model_profile_id if organization else None
    return [
        ModelProfileRow(
            id=profile.id,
            name=profile.name,
            kind=profile.kind,
            model_name=profile.model_name,
            base_url=profile.base_url,
            key_last_four=secret.hint if secret else "",
            is_default=profile.id == default,
        )
        for profile, secret in await repo.list_all(tx)
    ]


async def use_model(tx: Tx, draft: ModelDraft) -> ModelProfileRow:
    """Make a model the organization's default; its key is sealed.

    Without a key the stored one stays, as long as it goes to the server that it was given for.

    Raises:
        Forbidden: Without `connections:manage`, or an address from somebody who is not a deployment
            administrator: the server itself will talk to it.
        InvalidInput: No address or no name.
    """
    require_manager(tx)
    access = access_of(draft)
    name = PRACTICE_NAME if access.provider == PRACTICE else _name_of(access)
    organization = await accounts.organization(tx, lock=True)
    if organization is None:
        raise NotFound
    profile, action = await repo.by_name(tx, name), Action.MODEL_PROFILE_CHANGED
    if profile is None:
        action = Action.MODEL_PROFILE_CREATED
        profile = ModelProfile(
            id=new_id(),
            organization_id=organization.id,
            name=name,
            kind=PRACTICE if access.provider == PRACTICE else COMPATIBLE,
            model_name=access.model_name,
            base_url=access.base_url,
        )
        tx.add(profile)
    if _server_of(profile.base_url) != _server_of(access.base_url):
        profile.secret_id = None
    profile.base_url = access.base_url
    if access.api_key:
        profile.secret_id = await _kept(tx, profile, access.api_key)
    organization.default_model_profile_id = profile.id
    await tx.flush()
    await audit.record(
        tx,
        action,
        Target("model_profile", profile.id),
        {"kind": profile.kind, "secret_id": str(profile.secret_id or ""), "is_default": True},
    )
    resolved = await repo.resolve(tx, profile.id)
    secret = resolved[1] if resolved else None
    return ModelProfileRow(
        id=profile.id,
        name=name,
        kind=profile.kind,
        model_name=profile.model_name,
        base_url=profile.base_url,
        key_last_four=secret.hint if secret else "",
        is_default=True,
    )


def require_manager(tx: Tx) -> None:
    """Refuse who may not name a model's address.

    Raises:
        Forbidden: Not a deployment administrator with `connections:manage`.
    """
    tx.actor.require(Permission.CONNECTIONS_MANAGE)
    if not tx.actor.is_app_admin:
        raise Forbidden(permission="app_admin")


def access_of(draft: ModelDraft) -> ModelAccess:
    """Return how to talk to the drafted model.

    Raises:
        InvalidInput: No usable address, or no model name.
    """
    if draft.kind == PRACTICE:
        return ModelAccess(provider=PRACTICE, model_name=PRACTICE)
    if not is_address(draft.base_url):
        raise InvalidInput({"field": "base_url", "message": "address"})
    key = draft.api_key.get_secret_value().strip()
    if not (key.isascii() and key.isprintable()):
        raise InvalidInput({"field": "api_key", "message": "invalid"})
    if not draft.model_name:
        raise InvalidInput({"field": "model_name", "message": "missing"})
    if len(draft.model_name) > MODEL_NAME_LENGTH:
        raise InvalidInput({"field": "model_name", "message": "too_long"})
    return _compatible(draft.model_name, draft.base_url.rstrip("/"), key)


def _compatible(model_name: str, base_url: str, key: str = "", secret_id: str = "") -> ModelAccess:
    return ModelAccess(
        provider="openai",
        model_name=model_name,
        base_url=base_url,
        credential=ApiKey(api_key=SecretStr(key)) if key else None,
        secret_id=secret_id,
    )


def _server_of(base_url: str) -> tuple[str, str]:
    """Return scheme and host: who would get a key."""
    address = urlsplit(base_url)
    return address.scheme, address.netloc


def _name_of(access: ModelAccess) -> str:
    return f"{access.model_name} ({urlsplit(access.base_url).netloc})"[:128]


async def _kept(tx: Tx, profile: ModelProfile, key: str) -> UUID:
    """Return the id of the secret that holds the key: the profile's own with a new value, or a new one."""
    value = ApiKey(api_key=SecretStr(key))
    if profile.secret_id is not None:
        return (await secrets.rotate(tx, SecretId(profile.secret_id), SecretRotate(value=value))).id
    body = SecretCreate(
        name=await secrets.free_name(tx, profile.name), purpose=PURPOSE, visibility="org", value=value
    )
    return (await secrets.create(tx, body)).id


async def check_model(draft: ModelDraft) -> ModelCheckResult:
    """Ask the drafted model one short question. Call `require_manager` first, in a transaction of its own.

    Raises:
        InvalidInput: No usable address, or no model name.
    """
    assert _check is not None, "start the platform first"
    found = await _check(access_of(draft))
    return ModelCheckResult(
        ok=found.ok,
        milliseconds=found.milliseconds,
        reply=found.reply,
        problem=found.problem,
        models=list(found.models),
    )


async def found_locally() -> list[LocalServer]:
    """Return the OpenAI-compatible servers that answer on this machine's usual ports."""
    looked = await asyncio.gather(*(_look(name, port) for name, port in LOCAL_SERVERS))
    return [server for server in looked if server.models]


async def _look(name: str, port: int) -> LocalServer:
    assert _check is not None, "start the platform first"
    base_url = f"http://127.0.0.1:{port}/v1"
    checked = await _check(_compatible("", base_url))
    return LocalServer(name=name, base_url=base_url, models=list(checked.models))


async def candidates(
    tx: Tx, profile_id: ModelProfileId | None
) -> tuple[ModelProfile, list[Candidate]] | None:
    """Return a profile and the models that may answer for it, keys opened; None when it is gone.

    Raises:
        KeyUnavailable: Its key does not open.
    """
    found = await _opened(tx, profile_id)
    if found is None:
        return None
    profile, access = found
    return profile, [
        Candidate(profile_id=ModelProfileId(profile.id), access=access, is_free=access.provider == PRACTICE)
    ]


async def _opened(tx: Tx, profile_id: ModelProfileId | None) -> tuple[ModelProfile, ModelAccess] | None:
    found = await repo.resolve(tx, profile_id)
    if found is None:
        return None
    profile, secret = found
    if profile.kind == PRACTICE:
        return profile, ModelAccess(provider=PRACTICE, model_name=profile.model_name)
    key = ""
    if secret is not None:
        opened = await secrets.opened_row(tx, secret, purpose=PURPOSE)
        assert isinstance(opened, ApiKey)
        key = opened.api_key.get_secret_value()
    secret_id = str(secret.id) if secret else ""
    return profile, _compatible(profile.model_name, profile.base_url, key, secret_id)
