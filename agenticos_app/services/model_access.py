"""From a profile to the models that may answer for it, with their keys opened."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from agenticos_app.bus import bus
from agenticos_app.contracts.models import Candidate, Credential, ModelAccess, ModelParams
from agenticos_app.contracts.providers import (
    PRACTICE,
    PROVIDERS,
    CredentialKind,
    Dialect,
    needs_key,
    problems_of,
)
from agenticos_app.contracts.secrets import ApiKey, GithubOauthApp, GoogleOauthApp
from agenticos_app.db.work import Tx
from agenticos_app.errors import Forbidden, InvalidInput, KeyUnavailable, NotFound
from agenticos_app.kernel.ids import ModelProfileId, SecretId
from agenticos_app.models import ModelProfile, Secret
from agenticos_app.repos import model_profiles as repo
from agenticos_app.schemas.models import ModelDraft
from agenticos_app.security.permissions import Permission
from agenticos_app.services import secrets

LONGEST_KEY = 4096
TRIES_PER_MINUTE = 30
"""Checks and lists that one caller may ask for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Chain:
    """A profile and who may answer for it, the profile itself first."""

    profile: ModelProfile
    candidates: list[Candidate]
    problem: str = ""
    """Why there are no candidates: `no_key`, or `key_unavailable` for one that does not open."""


async def chain(tx: Tx, profile_id: ModelProfileId | None) -> Chain | None:
    """Return who may answer for a profile, for the organization's default if None; None when it is gone.

    A fallback whose key cannot be used is left out.
    """
    found = await repo.resolve(tx, profile_id)
    if found is None:
        return None
    profile, secret, has_fallbacks = found
    try:
        candidates = [await _candidate(tx, profile, secret)]
    except KeyUnavailable as error:
        problem = "no_key" if error.details["reason"] == "unset" else "key_unavailable"
        return Chain(profile=profile, candidates=[], problem=problem)
    if has_fallbacks:
        for fallback, its_secret in await repo.fallbacks(tx, profile.id):
            try:
                candidates.append(await _candidate(tx, fallback, its_secret))
            except KeyUnavailable:
                continue
    return Chain(profile=profile, candidates=candidates)


async def _candidate(tx: Tx, profile: ModelProfile, secret: Secret | None) -> Candidate:
    """Return a profile as one that may answer.

    Raises:
        KeyUnavailable: It needs a key and has none (`reason="unset"`), or its key does not open.
    """
    access = _access(profile, await _credential(tx, profile, secret), secret)
    return Candidate(profile_id=ModelProfileId(profile.id), access=access, is_free=profile.is_free)


async def _credential(tx: Tx, profile: ModelProfile, secret: Secret | None) -> Credential | None:
    if profile.provider == PRACTICE:
        return None
    if secret is None:
        if needs_key(profile.provider, profile.base_url):
            raise KeyUnavailable(reason="unset")
        return None
    opened = await secrets.opened_row(tx, secret, purpose=profile.provider)
    assert not isinstance(opened, GithubOauthApp | GoogleOauthApp), "no purpose of a provider has such a kind"
    return opened


def has_what_it_needs(profile: ModelProfile) -> bool:
    """Tell whether a profile has a key, or goes without."""
    return (
        profile.secret_id is not None
        or profile.provider == PRACTICE
        or not needs_key(profile.provider, profile.base_url)
    )


def _access(profile: ModelProfile, credential: Credential | None, secret: Secret | None) -> ModelAccess:
    return ModelAccess(
        provider=profile.provider,
        model_name=profile.model_name,
        base_url=profile.base_url,
        credential=credential,
        params=params_of(profile.params),
        dialect=Dialect(profile.dialect) if profile.dialect else None,
        secret_id=str(secret.id) if secret else "",
    )


def params_of(stored: Mapping[str, Any]) -> ModelParams:
    """Return a profile's parameters; those that are not stored are left out of requests."""
    return ModelParams(**stored)


async def saved(tx: Tx, profile_id: ModelProfileId) -> ModelAccess:
    """Return how to talk to a saved model, for whoever wants to try it.

    Raises:
        NotFound: There is none.
        Forbidden: Without `connections:manage`.
        KeyUnavailable: It has no key that can be used.
        LimitReached: Too many tries within the minute.
    """
    tx.actor.require(Permission.CONNECTIONS_MANAGE)
    found = await repo.resolve(tx, profile_id)
    if found is None:
        raise NotFound
    await _count_try(tx)
    return (await _candidate(tx, found[0], found[1])).access


async def drafted(tx: Tx, draft: ModelDraft, *, is_named: bool = True) -> ModelAccess:
    """Return how to talk to a model as somebody describes it; without `is_named`, to its provider.

    Raises:
        Forbidden: Without `connections:manage`, for a key that the actor may not use, or for an address
            from somebody who is not a deployment administrator: the server itself will talk to it.
        NotFound: The key is not there.
        InvalidInput: The description does not fit the provider.
        KeyUnavailable: The key does not open.
        LimitReached: Too many tries within the minute.
    """
    require_manager(tx, draft.base_url)
    access = described(draft, is_named=is_named, is_complete=draft.secret_id is not None or not is_named)
    await _count_try(tx)
    if draft.secret_id is None:
        return access
    await secrets.require_bindable(tx, SecretId(draft.secret_id), purposes=[draft.provider])
    opened = await secrets.opened(tx, draft.secret_id, purpose=draft.provider)
    assert not isinstance(opened, GithubOauthApp | GoogleOauthApp), "no purpose of a provider has such a kind"
    return ModelAccess(
        provider=access.provider,
        model_name=access.model_name,
        base_url=access.base_url,
        credential=opened,
        params=access.params,
        dialect=access.dialect,
        secret_id=str(draft.secret_id),
    )


async def to_list(tx: Tx, provider: str, *, secret_id: UUID | None = None, base_url: str = "") -> ModelAccess:
    """Return how to ask a provider which models it has.

    Raises:
        As `drafted`.
    """
    draft = ModelDraft(provider=provider, base_url=base_url, secret_id=secret_id)
    return await drafted(tx, draft, is_named=False)


async def _count_try(tx: Tx) -> None:
    await bus.current().limits.take("model_try", str(tx.actor.caller_id), per_minute=TRIES_PER_MINUTE)


def may_name_servers(tx: Tx) -> bool:
    """Tell whether the actor may let the server talk to any address."""
    return tx.actor.may(Permission.CONNECTIONS_MANAGE) and tx.actor.is_app_admin


def may_manage(tx: Tx) -> bool:
    """Tell whether the actor may choose models."""
    return tx.actor.may(Permission.CONNECTIONS_MANAGE)


def require_manager(tx: Tx, base_url: str = "") -> None:
    """Refuse who may not choose models, or not name this address.

    Raises:
        Forbidden: Without `connections:manage`; with an address, for all but deployment administrators.
    """
    tx.actor.require(Permission.CONNECTIONS_MANAGE)
    if base_url and not tx.actor.is_app_admin:
        raise Forbidden(permission="app_admin")


def described(draft: ModelDraft, *, is_named: bool = True, is_complete: bool = False) -> ModelAccess:
    """Return how to talk to the drafted model with the key that was typed.

    With `is_complete` it may be without one, because a stored key follows.

    Raises:
        InvalidInput: The description does not fit the provider.
    """
    if draft.provider == PRACTICE:
        return ModelAccess(provider=PRACTICE, model_name=PRACTICE)
    key = draft.api_key.get_secret_value().strip()
    is_line = key.isascii() and key.isprintable() and len(key) <= LONGEST_KEY
    if key and not (is_line and takes_typed_key(draft.provider)):
        raise InvalidInput({"field": "api_key", "message": "invalid"})
    base_url = draft.base_url.rstrip("/")
    refuse(
        *problems_of(
            provider=draft.provider,
            model_name=draft.model_name if is_named else "any/any",
            base_url=base_url,
            has_credential=bool(key) or is_complete,
        )
    )
    return ModelAccess(
        provider=draft.provider,
        model_name=draft.model_name,
        base_url=base_url,
        credential=ApiKey.model_validate({"api_key": key}) if key else None,
        params=params_of(draft.params.model_dump(exclude_none=True)),
        dialect=draft.dialect,
    )


def takes_typed_key(provider: str) -> bool:
    """Tell whether one line is all there is to a provider's credential."""
    return PROVIDERS[provider].credential in (CredentialKind.API_KEY, CredentialKind.NONE)


def refuse(*problems: Any) -> None:
    """Refuse input that has problems.

    Raises:
        InvalidInput: There is one.
    """
    if problems:
        raise InvalidInput(*problems)
