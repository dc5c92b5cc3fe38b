"""Which models a provider has, as it says itself."""

import json
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx2

from agenticos_app.contracts.models import Credential, ListedModel, ModelAccess, ModelList
from agenticos_app.contracts.providers import Dialect, Listing
from agenticos_app.kernel.text import clipped

CACHE_S = 3600
TIMEOUT_S = 10
LIMIT_BYTES = 16 * 1024 * 1024
LISTED_MODELS = 2000
KEPT_LISTS = 256
NAME_LENGTH = 200
CURATED: Mapping[str, Sequence[str]] = json.loads(
    (Path(__file__).parent / "curated.json").read_text(encoding="utf-8")
)
"""A few well-known models of each provider that the price data knows, for when it cannot be asked."""

# What servers call the number of tokens that fit into one request, most telling first.
_LENGTHS = (
    "context_length", "max_context_length", "context_window", "max_model_len",
    "inputTokenLimit", "max_input_tokens",
)  # fmt: skip
_STATUSES = {401: "unauthorized", 403: "unauthorized", 404: "not_found", 429: "rate_limited"}

_Key = tuple[str, str, Credential | None]


class NotListed(Exception):
    """The server answered, but with no list of models. The argument is a code as in `ModelCheck.problem`."""


class Listings:
    """What was asked within the last hour."""

    def __init__(self) -> None:
        self._kept: OrderedDict[_Key, tuple[float, ModelList]] = OrderedDict()

    async def of(self, access: ModelAccess, http: httpx2.AsyncClient) -> ModelList:
        """Return the models of a provider, from the provider itself where that is possible."""
        if not is_asked(access):
            return _curated(access)
        is_open = access.entry.listing is Listing.OPEN and not access.base_url
        key: _Key = (access.provider, access.base_url, None if is_open else access.credential)
        now = time.monotonic()
        kept = self._kept.get(key)
        if kept is not None and now - kept[0] < CACHE_S:
            return kept[1]
        try:
            found = ModelList(models=await asked(access, http), is_live=True)
        except NotListed as error:
            return _curated(access, problem=str(error))
        except (httpx2.HTTPError, httpx2.InvalidURL):
            return _curated(access, problem="unreachable")
        self._kept[key] = now, found
        self._kept.move_to_end(key)
        if len(self._kept) > KEPT_LISTS:
            self._kept.popitem(last=False)
        return found


def is_asked(access: ModelAccess) -> bool:
    """Tell whether there is anybody to ask: an address, and a credential where one is wanted."""
    entry = access.entry
    if entry.listing is Listing.NONE or not (access.base_url or entry.base_url):
        return False
    return entry.listing is Listing.OPEN or access.credential is not None or bool(access.base_url)


async def asked(access: ModelAccess, http: httpx2.AsyncClient) -> tuple[ListedModel, ...]:
    """Ask the provider for its models, sorted by name.

    Raises:
        NotListed: It answered something else.
        HTTPError, InvalidURL: Nobody answers, or not to the end, or not within `TIMEOUT_S`.
    """
    url, headers = _question(access)
    timeout = httpx2.Timeout(TIMEOUT_S, connect=5)
    until = time.monotonic() + TIMEOUT_S
    body = bytearray()
    async with http.stream("GET", url, headers=headers, timeout=timeout) as response:
        if response.status_code != 200:
            raise NotListed(_STATUSES.get(response.status_code, "failed"))
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > LIMIT_BYTES:
                raise NotListed("failed")
            if time.monotonic() > until:
                raise httpx2.ReadTimeout("The list took too long.")
    try:
        return _read(json.loads(body))
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError) as error:
        raise NotListed("failed") from error


def _question(access: ModelAccess) -> tuple[str, dict[str, str]]:
    base, key, entry = access.base_url or access.entry.base_url, access.api_key, access.entry
    bearer = {"authorization": f"Bearer {key}"} if key else {}
    if entry.dialect is Dialect.ANTHROPIC:
        return f"{base}/v1/models?limit=1000", {**bearer, "anthropic-version": "2023-06-01"}
    if entry.dialect is Dialect.GOOGLE:
        return f"{base}/v1beta/models?pageSize=1000", {"x-goog-api-key": key}
    url = entry.listing_url if entry.listing_url and not access.base_url else f"{base}/models"
    return url, bearer


def _read(answer: Any) -> tuple[ListedModel, ...]:
    """Return what a list says; every provider has its own way to say the same."""
    rows: Any = answer
    if not isinstance(answer, list):
        rows = answer.get("data") or answer.get("models") or []
    found = {model.id: model for row in rows if (model := _listed(row)) is not None}
    return tuple(found[name] for name in sorted(found)[:LISTED_MODELS])


def _listed(row: Any) -> ListedModel | None:
    name: object = row.get("id") or row.get("name")
    if not isinstance(name, str) or not _talks(row):
        return None
    return ListedModel(id=clipped(name.removeprefix("models/"), NAME_LENGTH), context_length=_length(row))


def _talks(row: Mapping[str, Any]) -> bool:
    """Tell whether a model converses, as far as its row says."""
    methods: Any = row.get("supportedGenerationMethods")
    if methods is not None:
        return "generateContent" in methods
    abilities: Any = row.get("capabilities") or {}
    if "completion_chat" in abilities:
        return bool(abilities["completion_chat"])
    return row.get("type") in (None, "chat", "language", "model")


def _length(row: Mapping[str, Any]) -> int | None:
    own = next((length for name in _LENGTHS if (length := _positive(row.get(name)))), None)
    if own is not None:
        return own
    # A router: the longest that one of those behind it takes.
    served: list[Any] = row.get("providers") or []
    return max((length for each in served if (length := _positive(each.get("context_length")))), default=None)


def _positive(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _curated(access: ModelAccess, problem: str = "") -> ModelList:
    names = () if access.base_url else CURATED.get(access.provider, ())
    return ModelList(models=tuple(ListedModel(id=name) for name in names), is_live=False, problem=problem)
