"""Amazon Bedrock's Converse, over the same road as every other provider.

AWS's own client is synchronous: a streamed answer would hold a thread, and one that hangs could not be cut
off. So the framework builds the request and reads the events, and this module signs, sends and takes apart.
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportMissingTypeStubs=false
# AWS's library tells no types.

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Mapping
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import quote

import httpx2
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.eventstream import EventStreamBuffer
from botocore.exceptions import (
    ClientError,
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    ReadTimeoutError,
)
from botocore.loaders import Loader
from botocore.model import ServiceModel
from pydantic_ai.exceptions import ModelAuthenticationError
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import Model, ModelRequestParameters, bedrock
from pydantic_ai.models.bedrock import BedrockConverseModel, BedrockModelSettings
from pydantic_ai.providers.bedrock import BedrockProvider

from agenticos_app.contracts.models import ModelAccess
from agenticos_app.contracts.providers import is_region
from agenticos_app.contracts.secrets import AwsCredentials
from integrations.models.asking import settings_of


def build(access: ModelAccess, http: httpx2.AsyncClient) -> Model:
    """Return the model.

    Raises:
        ModelAuthenticationError: The credential is not a key pair with a region.
    """
    keys = access.credential
    if not isinstance(keys, AwsCredentials) or not is_region(keys.region):
        raise ModelAuthenticationError(access.model_name, "The credential is no key pair with a region.")
    base_url = access.base_url or f"https://bedrock-runtime.{keys.region}.amazonaws.com"
    return _Converse(access, _Road(base_url, keys, http))


class _Road:
    """Signs and sends requests; what goes wrong is told in AWS's own errors, which the framework knows."""

    def __init__(self, base_url: str, keys: AwsCredentials, http: httpx2.AsyncClient) -> None:
        self.base_url = base_url
        self._http = http
        token = keys.session_token.get_secret_value() if keys.session_token else None
        pair = Credentials(
            keys.access_key_id.get_secret_value(), keys.secret_access_key.get_secret_value(), token
        )
        self._signature = SigV4Auth(pair, "bedrock", keys.region)

    async def send(self, request: Mapping[str, Any], *, stream: bool) -> httpx2.Response:
        """Return the answer, read to its end unless it is a stream.

        Raises:
            ClientError: Another status than 200.
            HTTPClientError: Nobody there, or silence.
        """
        action = "converse-stream" if stream else "converse"
        url = f"{self.base_url}/model/{quote(request['modelId'], safe='')}/{action}"
        fields = {name: value for name, value in request.items() if name != "modelId"}
        signed = AWSRequest(
            "POST", url, {"content-type": "application/json"}, json.dumps(fields, default=_text)
        )
        self._signature.add_auth(signed)
        prepared = signed.prepare()
        ready = self._http.build_request("POST", url, headers=dict(prepared.headers), content=prepared.body)
        try:
            response = await self._http.send(ready, stream=True)
            if not stream or response.status_code != 200:
                await response.aread()
        except httpx2.TransportError as error:
            raise _translated(error, url) from error
        if response.status_code != 200:
            raise _client_error(response)
        return response


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise TypeError(type(value).__name__)


def _translated(error: httpx2.TransportError, url: str) -> Exception:
    if isinstance(error, httpx2.ReadTimeout):
        return ReadTimeoutError(endpoint_url=url)
    if isinstance(error, httpx2.TimeoutException):
        return ConnectTimeoutError(endpoint_url=url)
    if isinstance(error, httpx2.ConnectError):
        return EndpointConnectionError(endpoint_url=url)
    return ConnectionClosedError(endpoint_url=url)


def _client_error(response: httpx2.Response) -> ClientError:
    try:
        body = json.loads(response.content)
        message = str(body.get("message") or body.get("Message") or "")
    except (ValueError, AttributeError):
        message = ""
    error = {"Code": response.headers.get("x-amzn-errortype", "").partition(":")[0], "Message": message}
    metadata = {"HTTPStatusCode": response.status_code, "HTTPHeaders": dict(response.headers)}
    return ClientError(cast("Any", {"Error": error, "ResponseMetadata": metadata}), "Converse")


class _Events:
    """The events of one streamed answer."""

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response
        self._loop = asyncio.get_running_loop()

    async def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        buffer = EventStreamBuffer()
        try:
            async for data in self._response.aiter_raw():
                buffer.add_data(data)
                for message in buffer:
                    yield _event(message.headers, message.payload)
        except httpx2.TransportError as error:
            raise _translated(error, str(self._response.url)) from error
        finally:
            await self._response.aclose()

    def close(self) -> None:
        """Close the connection; called from another thread."""
        asyncio.run_coroutine_threadsafe(self._response.aclose(), self._loop).result()


def _event(headers: Mapping[str, object], payload: bytes) -> dict[str, Any]:
    """Return one event as AWS's client would.

    Raises:
        ClientError: The event tells of a failure.
    """
    body = json.loads(payload) if payload else {}
    kind = str(headers.get(":message-type"))
    if kind != "event":
        code = headers.get(":exception-type") or headers.get(":error-code") or kind
        message = body.get("message") or headers.get(":error-message") or ""
        raise ClientError(
            cast("Any", {"Error": {"Code": str(code), "Message": str(message)}}), "ConverseStream"
        )
    return {str(headers.get(":event-type")): body}


_original_wrapper = bedrock._AsyncIteratorWrapper  # pyright: ignore[reportPrivateUsage]


def _iterated(events: object) -> object:
    """Leave what is asynchronous as it is, where the framework would read in threads."""
    return aiter(events) if isinstance(events, _Events) else _original_wrapper(cast("Any", events))


bedrock._AsyncIteratorWrapper = _iterated  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]


class _Converse(BedrockConverseModel):
    """The framework's model with another way to send."""

    def __init__(self, access: ModelAccess, road: _Road) -> None:
        self._road = road
        provider = BedrockProvider(bedrock_client=cast("Any", _Recorder(road.base_url)))
        super().__init__(access.model_name, provider=provider, settings=settings_of(access))

    async def _messages_create(  # pyright: ignore[reportIncompatibleMethodOverride]  # two overloads in one
        self,
        messages: list[ModelMessage],
        stream: bool,
        model_settings: BedrockModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> Any:
        built: Any = await super()._messages_create(
            messages, cast("Any", stream), model_settings, model_request_parameters
        )
        with bedrock._map_api_errors(self.model_name):  # pyright: ignore[reportPrivateUsage]
            response = await self._road.send(built["output"], stream=stream)
        metadata = {
            "RequestId": response.headers.get("x-amzn-requestid", ""),
            "HTTPStatusCode": response.status_code,
            "HTTPHeaders": dict(response.headers),
        }
        if stream:
            return {"stream": _Events(response), "ResponseMetadata": metadata}
        return json.loads(response.content) | {"ResponseMetadata": metadata}


@lru_cache(maxsize=1)
def _service_model() -> ServiceModel:
    """Return what AWS says of its own requests, read from its package and not from anybody's profile."""
    return ServiceModel(Loader().load_service_model("bedrock-runtime", "service-2"), "bedrock-runtime")


class _Recorder:
    """Stands where AWS's client would, and hands back the request that the framework built."""

    def __init__(self, base_url: str) -> None:
        self.meta = SimpleNamespace(
            endpoint_url=base_url,
            service_model=_service_model(),
            events=SimpleNamespace(register_first=_ignored),
        )

    def converse(self, **request: object) -> dict[str, object]:
        """Return the request."""
        return {"output": request}

    def converse_stream(self, **request: object) -> dict[str, object]:
        """Return the request."""
        return {"output": request}


def _ignored(*_: object, **__: object) -> None:
    pass
