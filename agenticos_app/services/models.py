"""Which models the organization's agents may use."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from pydantic import SecretStr

from agenticos_app.contracts.audit import Action, Target
from agenticos_app.contracts.models import LONGEST_CHAIN, ModelAccess
from agenticos_app.contracts.prices import Tariff
from agenticos_app.contracts.providers import PRACTICE, PROVIDERS, Dialect, problems_of
from agenticos_app.contracts.secrets import ApiKey
from agenticos_app.db.work import Tx
from agenticos_app.errors import Conflict, FieldProblem, NotFound
from agenticos_app.kernel.ids import ModelProfileId, SecretId, new_id
from agenticos_app.kernel.money import dollars
from agenticos_app.models import ModelProfile, Organization, Secret
from agenticos_app.repos import accounts
from agenticos_app.repos import model_profiles as repo
from agenticos_app.schemas.models import (
    FallbackRow,
    ModelChange,
    ModelCreate,
    ModelDeleted,
    ModelDraft,
    ModelProfileRow,
    ModelUse,
    Params,
)
from agenticos_app.schemas.secrets import SecretCreate, SecretRotate
from agenticos_app.security.access import SECRET
from agenticos_app.security.permissions import Permission
from agenticos_app.services import access, audit, providers, secrets, starter_model
from agenticos_app.services.model_access import described, has_what_it_needs, refuse, require_manager

MOST = 200
"""Profiles of one organization."""
PRACTICE_NAME = "Practice model"


async def list_profiles(tx: Tx) -> list[ModelProfileRow]:
    """Return the organization's models by name.

    Raises:
        Forbidden: Without `connections:view`.
    """
    tx.actor.require(Permission.CONNECTIONS_VIEW)
    return await _rows(tx, await repo.list_all(tx))


async def get_profile(tx: Tx, profile_id: ModelProfileId) -> ModelProfileRow:
    """Return one model.

    Raises:
        Forbidden: Without `connections:view`.
        NotFound: There is none.
    """
    tx.actor.require(Permission.CONNECTIONS_VIEW)
    found = await repo.resolve(tx, profile_id)
    if found is None:
        raise NotFound
    return (await _rows(tx, [(found[0], found[1])]))[0]


async def create(tx: Tx, body: ModelCreate) -> ModelProfileRow:
    """Add a model.

    Raises:
        Forbidden: Without `connections:manage`, for a key that the actor may not use, or for an address from
            somebody who is not a deployment administrator.
        NotFound: The key is not there, or the actor may not see it.
        InvalidInput: The description does not fit the provider, or the name is taken.
        Conflict: There are too many (`reason="models_full"`).
    """
    require_manager(tx, body.base_url)
    if await repo.count(tx) >= MOST:
        raise Conflict(reason="models_full")
    profile = ModelProfile(
        id=new_id(),
        organization_id=tx.actor.organization_id,
        name=body.name,
        provider=body.provider,
        model_name=PRACTICE if body.provider == PRACTICE else body.model_name,
        base_url=body.base_url.rstrip("/"),
        secret_id=body.secret_id,
        dialect=body.dialect.value if body.dialect else None,
        context_length=body.context_length,
        params=body.params.model_dump(exclude_none=True),
        is_free=body.is_free or body.provider == PRACTICE,
    )
    _require_valid(profile)
    if profile.secret_id is not None:
        await secrets.require_bindable(tx, SecretId(profile.secret_id), purposes=[profile.provider])
    await _require_free_name(tx, profile.name)
    profile.context_length = profile.context_length or providers.current().prices.context_window(
        _tariff(profile)
    )
    tx.add(profile)
    await tx.flush()
    await _fall_back(tx, profile, body.fallback_profile_ids)
    await _record(tx, Action.MODEL_PROFILE_CREATED, profile)
    return await get_profile(tx, ModelProfileId(profile.id))


async def change(tx: Tx, profile_id: ModelProfileId, body: ModelChange) -> ModelProfileRow:
    """Change a model; agents use it as it is now from their next run on. Only the fields that were sent.

    A key stays with the server that it was chosen for: another provider or server needs it chosen anew.

    Raises:
        As `create`, and NotFound: There is no such model.
    """
    tx.actor.require(Permission.CONNECTIONS_MANAGE)
    profile = await repo.get(tx, profile_id, lock=True)
    if profile is None:
        raise NotFound
    wanted = _wanted(profile, body)
    has_moved = _server_of(wanted) != _server_of(profile)
    if wanted.base_url != profile.base_url:
        require_manager(tx, wanted.base_url)
    _require_valid(wanted)
    if wanted.secret_id is not None and (has_moved or wanted.secret_id != profile.secret_id):
        await secrets.require_bindable(tx, SecretId(wanted.secret_id), purposes=[wanted.provider])
    if wanted.name != profile.name:
        await _require_free_name(tx, wanted.name)
    changed = sorted(name for name, value in wanted.model_dump().items() if value != getattr(profile, name))
    for name in changed:
        setattr(profile, name, getattr(wanted, name))
    await tx.flush()
    if body.fallback_profile_ids is not None and await _fall_back(tx, profile, body.fallback_profile_ids):
        changed.append("fallback_profile_ids")
    if changed:
        await _record(tx, Action.MODEL_PROFILE_CHANGED, profile, fields=changed)
    return await get_profile(tx, profile_id)


def _wanted(profile: ModelProfile, body: ModelChange) -> ModelProfile:
    """Return what the profile becomes."""
    sent = body.model_dump(exclude_unset=True, exclude={"fallback_profile_ids", "params"})
    wanted = ModelProfile(**profile.model_dump())
    for name, value in sent.items():
        if value is not None or name in ("secret_id", "dialect", "context_length"):
            setattr(wanted, name, value)
    if body.params is not None:
        wanted.params = body.params.model_dump(exclude_none=True)
    wanted.base_url = wanted.base_url.rstrip("/")
    if wanted.provider == PRACTICE:
        wanted.model_name, wanted.is_free = PRACTICE, True
    if _server_of(wanted) != _server_of(profile) and "secret_id" not in sent:
        wanted.secret_id = None
    return wanted


async def delete(tx: Tx, profile_id: ModelProfileId) -> ModelDeleted:
    """Delete a model, also one in use; return the agents that fail now and the models that fell back to it.

    Raises:
        Forbidden: Without `connections:manage`.
        NotFound: There is none.
    """
    tx.actor.require(Permission.CONNECTIONS_MANAGE)
    profile = await repo.get(tx, profile_id, lock=True)
    if profile is None:
        raise NotFound
    broken = (await _uses(tx, await _default(tx))).get(profile.id, [])
    await _record(tx, Action.MODEL_PROFILE_DELETED, profile, used_by=[str(use.id) for use in broken])
    await tx.delete(profile)
    return ModelDeleted(broken=broken)


async def suggested(tx: Tx) -> UUID | None:
    """Return the model that new agents begin with; None when nobody chose one."""
    return await _default(tx)


async def make_default(tx: Tx, profile_id: ModelProfileId) -> ModelProfileRow:
    """Suggest this model for new agents; the starter agent, while it is as it was made, moves to it.

    No other agent changes: each keeps the model that its author chose.

    Raises:
        Forbidden: Without `connections:manage`.
        NotFound: There is none.
    """
    tx.actor.require(Permission.CONNECTIONS_MANAGE)
    organization = await _locked_organization(tx)
    profile = await repo.get(tx, profile_id, lock=True)
    if profile is None:
        raise NotFound
    await _suggest(tx, organization, profile)
    return await get_profile(tx, profile_id)


async def use_model(tx: Tx, draft: ModelDraft) -> ModelProfileRow:
    """Suggest a model for new agents in one step, as `make_default`; a typed key is sealed.

    Without a key the stored one stays, as long as it goes to the server that it was given for.

    Raises:
        Forbidden: Without `connections:manage`, or an address from somebody who is not a deployment
            administrator: the server itself will talk to it.
        InvalidInput: The description does not fit the provider.
    """
    require_manager(tx, draft.base_url)
    organization = await _locked_organization(tx)
    model = described(draft, is_complete=draft.secret_id is not None)
    name = _name_of(model)
    profile, action = await repo.by_name(tx, name), Action.MODEL_PROFILE_CHANGED
    if profile is None:
        action = Action.MODEL_PROFILE_CREATED
        profile = ModelProfile(
            id=new_id(), organization_id=organization.id, name=name, params={}, **_words_of(model)
        )
        tx.add(profile)
    was_at = _server_of(profile)
    for field, value in _words_of(model).items():
        setattr(profile, field, value)
    if _server_of(profile) != was_at:
        profile.secret_id = None
    profile.params = draft.params.model_dump(exclude_none=True)
    profile.is_free = draft.is_free or model.provider == PRACTICE
    if draft.secret_id is not None:
        await secrets.require_bindable(tx, SecretId(draft.secret_id), purposes=[profile.provider])
        profile.secret_id = draft.secret_id
    elif model.api_key:
        profile.secret_id = await _kept(tx, profile, model.api_key)
    _require_valid(profile)
    if profile.context_length is None:
        profile.context_length = providers.current().prices.context_window(_tariff(profile))
    await tx.flush()
    await _record(tx, action, profile)
    await _suggest(tx, organization, profile)
    return await get_profile(tx, ModelProfileId(profile.id))


def _words_of(model: ModelAccess) -> dict[str, Any]:
    return {
        "provider": model.provider,
        "model_name": model.model_name,
        "base_url": model.base_url,
        "dialect": model.dialect.value if model.dialect else None,
    }


def _name_of(model: ModelAccess) -> str:
    if model.provider == PRACTICE:
        return PRACTICE_NAME
    place = urlsplit(model.base_url).netloc or PROVIDERS[model.provider].label
    return f"{model.model_name} ({place})"[:128]


async def _kept(tx: Tx, profile: ModelProfile, key: str) -> UUID:
    """Return the id of the secret that holds the key: the profile's own with a new value, or a new one."""
    value = ApiKey(api_key=SecretStr(key))
    if profile.secret_id is not None:
        return (await secrets.rotate(tx, SecretId(profile.secret_id), SecretRotate(value=value))).id
    name = await secrets.free_name(tx, profile.name)
    body = SecretCreate(name=name, purpose=profile.provider, visibility="org", value=value)
    return (await secrets.create(tx, body)).id


async def _locked_organization(tx: Tx) -> Organization:
    organization = await accounts.organization(tx, lock=True)
    if organization is None:
        raise NotFound
    return organization


async def _suggest(tx: Tx, organization: Organization, profile: ModelProfile) -> None:
    if organization.default_model_profile_id != profile.id:
        organization.default_model_profile_id = profile.id
        await tx.flush()
        await audit.record(tx, Action.MODEL_PROFILE_DEFAULT, _target(profile))
    await starter_model.move(tx, ModelProfileId(profile.id))


async def _require_free_name(tx: Tx, name: str) -> None:
    if await repo.by_name(tx, name) is not None:
        refuse(FieldProblem(field="name", message="taken"))


def _require_valid(profile: ModelProfile) -> None:
    """Refuse what the provider does not take.

    Whether a key is there is no condition: a model without one is shown as such, and is not run.
    """
    entry = PROVIDERS[profile.provider]
    found = problems_of(provider=profile.provider, model_name=profile.model_name, base_url=profile.base_url)
    if profile.provider == PRACTICE:
        wrong = [name for name in ("base_url", "secret_id", "dialect") if getattr(profile, name)]
        found = [FieldProblem(field=name, message="not_accepted") for name in wrong]
    elif profile.is_free and not profile.base_url:
        found.append(FieldProblem(field="is_free", message="not_accepted"))
    if profile.dialect is not None and Dialect(profile.dialect) not in entry.dialects:
        found.append(FieldProblem(field="dialect", message="not_accepted"))
    refuse(*found)


async def _fall_back(tx: Tx, profile: ModelProfile, fallback_ids: Sequence[UUID]) -> bool:
    """Let the profile fall back to these; tell whether that is a change.

    Raises:
        InvalidInput: One is unknown, the profile itself, or there twice.
    """
    chain = [profile.id, *fallback_ids]
    is_known = len(await repo.present(tx, fallback_ids)) == len(fallback_ids)
    if not is_known or len(set(chain)) != len(chain) or len(chain) > LONGEST_CHAIN:
        refuse(FieldProblem(field="fallback_profile_ids", message="invalid"))
    current = [fallback.id for fallback, _ in await repo.fallbacks(tx, profile.id)]
    if current == list(fallback_ids):
        return False
    await repo.fall_back(tx, profile.id, fallback_ids)
    return True


def _server_of(profile: ModelProfile) -> tuple[str, str, str]:
    """Return who would get a key: provider, scheme and host."""
    address = urlsplit(profile.base_url)
    return profile.provider, address.scheme, address.netloc


def _tariff(profile: ModelProfile) -> Tariff:
    return Tariff(
        provider=profile.provider,
        model_name=profile.model_name,
        is_free=profile.is_free,
    )


def _target(profile: ModelProfile) -> Target:
    return Target("model_profile", profile.id)


async def _record(tx: Tx, action: Action, profile: ModelProfile, **more: list[str]) -> None:
    await audit.record(
        tx,
        action,
        _target(profile),
        {"provider": profile.provider, "secret_id": str(profile.secret_id or ""), **more},
    )


async def _default(tx: Tx) -> UUID | None:
    organization = await accounts.organization(tx)
    return organization.default_model_profile_id if organization else None


async def _uses(tx: Tx, default: UUID | None) -> dict[UUID, list[ModelUse]]:
    """Return what uses each model: published agents first, then the models that fall back to it."""
    found: dict[UUID, list[ModelUse]] = {}
    for named, agent_id, name in await repo.agents_by_profile(tx):
        profile_id = UUID(named) if named else default
        if profile_id is not None:
            found.setdefault(profile_id, []).append(ModelUse(type="agent", id=agent_id, name=name))
    for step in await repo.fallings(tx):
        use = ModelUse(type="model_profile", id=step.profile_id, name=step.profile_name)
        found.setdefault(step.fallback_id, []).append(use)
    return found


async def _rows(tx: Tx, held: Sequence[repo.Held]) -> list[ModelProfileRow]:
    default = await _default(tx)
    uses = await _uses(tx, default)
    fallbacks: dict[UUID, list[FallbackRow]] = {}
    for step in await repo.fallings(tx):
        row = FallbackRow(id=step.fallback_id, name=step.fallback_name)
        fallbacks.setdefault(step.profile_id, []).append(row)
    keys = [secret for _, secret in held if secret is not None]
    seen = await access.allowed(tx, SECRET, keys, Permission.SECRETS_VIEW)
    return [
        _row(
            profile,
            secret if secret is not None and secret.id in seen else None,
            is_default=profile.id == default,
            fallbacks=fallbacks.get(profile.id, []),
            used_by=uses.get(profile.id, []),
        )
        for profile, secret in held
    ]


def _row(
    profile: ModelProfile,
    secret: Secret | None,
    *,
    is_default: bool,
    fallbacks: list[FallbackRow],
    used_by: list[ModelUse],
) -> ModelProfileRow:
    prices = providers.current().prices
    rates = prices.rates(_tariff(profile))
    return ModelProfileRow(
        id=profile.id,
        name=profile.name,
        provider=profile.provider,
        model_name=profile.model_name,
        base_url=profile.base_url,
        secret_id=secret.id if secret else None,
        key_name=secret.name if secret else "",
        key_hint=secret.hint if secret else "",
        has_key=profile.secret_id is not None,
        is_usable=has_what_it_needs(profile),
        dialect=Dialect(profile.dialect) if profile.dialect else None,
        context_length=profile.context_length,
        params=Params.model_validate(profile.params),
        is_free=profile.is_free,
        input_usd=dollars(rates.input_micros) if rates else None,
        output_usd=dollars(rates.output_micros) if rates else None,
        prices_from=prices.snapshot,
        is_default=is_default,
        fallbacks=fallbacks,
        used_by=used_by,
    )
