"""Gemini, with a key from Google or with a service account of a cloud project."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# Google's authentication library tells no types.

import json
import time
from collections.abc import AsyncGenerator
from datetime import datetime
from typing import Never

import httpx2
from google.auth import crypt, jwt
from google.auth.credentials import Credentials
from google.genai import Client
from google.genai.types import HttpOptions
from pydantic_ai.exceptions import ModelAuthenticationError
from pydantic_ai.models import Model
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.google_cloud import GoogleCloudProvider

from agenticos_app.contracts.models import ModelAccess
from agenticos_app.contracts.providers import is_region
from agenticos_app.contracts.secrets import GcpServiceAccount
from integrations.models.asking import settings_of

TOKEN_URL = "https://oauth2.googleapis.com/token"  # noqa: S105  # an address
SCOPE = "https://www.googleapis.com/auth/cloud-platform"
TOKEN_LIFE_S = 3600
RENEW_BEFORE_S = 300
EVERYWHERE = "global"
"""The location of an account that names none."""


def build(access: ModelAccess, http: httpx2.AsyncClient) -> Model:
    """Return the model.

    Raises:
        ModelAuthenticationError: The service account's key or location is not one.
    """
    credential = access.credential
    if isinstance(credential, GcpServiceAccount):
        if not isinstance(http.auth, _Tokens):
            http.auth = _Tokens(credential, access.model_name)
        client = _cloud_client(access, credential, http)
        provider = GoogleCloudProvider(client=client)
    else:
        provider = GoogleProvider(
            api_key=access.api_key or "none",
            http_client=http,
            base_url=access.base_url or access.entry.base_url,
        )
    return GoogleModel(access.model_name, provider=provider, settings=settings_of(access))


def _cloud_client(access: ModelAccess, account: GcpServiceAccount, http: httpx2.AsyncClient) -> Client:
    location = account.region or EVERYWHERE
    if not is_region(location):
        raise ModelAuthenticationError(access.model_name, "The service account's location is not one.")
    host = "" if location == EVERYWHERE else f"{location}-"
    options = HttpOptions(
        base_url=access.base_url or f"https://{host}aiplatform.googleapis.com",
        httpx_async_client=http,
        timeout=int((http.timeout.read or 0) * 1000),
    )
    return Client(
        vertexai=True,
        credentials=_FromTheDoor(),
        project=account.info()["project_id"],
        location=location,
        http_options=options,
    )


class _FromTheDoor(Credentials):
    """Satisfies the SDK; the real token is put on each request by `_Tokens`."""

    def __init__(self) -> None:
        super().__init__()
        self.token = "door"  # noqa: S105  # none
        self.expiry: datetime | None = None

    def refresh(self, request: object) -> Never:
        """Never fetch anything: that would go past the one road to providers."""
        raise RuntimeError("tokens come over the road of `_Tokens` alone")


class _Tokens(httpx2.Auth):
    """Buys access tokens with the account's key, over the same connections as everything else."""

    def __init__(self, account: GcpServiceAccount, model_name: str) -> None:
        self._model_name = model_name
        self._token, self._until = "", 0.0
        info = account.info()
        self._email = info["client_email"]
        try:
            self._signer = crypt.RSASigner.from_service_account_info(info)
        except (ValueError, TypeError) as error:
            raise self._refused("The service account's key cannot be read.") from error

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Put the token on a request, a new one if the old one is about to end."""
        if time.monotonic() > self._until:
            response = yield httpx2.Request("POST", TOKEN_URL, data=self._claim())
            await response.aread()
            self._keep(response)
        request.headers["authorization"] = f"Bearer {self._token}"
        yield request

    def _claim(self) -> dict[str, str]:
        now = int(time.time())
        claims = {
            "iss": self._email,
            "scope": SCOPE,
            "aud": TOKEN_URL,
            "iat": now,
            "exp": now + TOKEN_LIFE_S,
        }
        assertion = jwt.encode(self._signer, claims).decode()
        return {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion}

    def _keep(self, response: httpx2.Response) -> None:
        try:
            answer = json.loads(response.content) if response.status_code == 200 else {}
            token, life_s = str(answer["access_token"]), float(answer["expires_in"])
        except (ValueError, LookupError, TypeError) as error:
            raise self._refused("The service account was not accepted.") from error
        self._token, self._until = token, time.monotonic() + life_s - RENEW_BEFORE_S

    def _refused(self, message: str) -> ModelAuthenticationError:
        return ModelAuthenticationError(self._model_name, message)
