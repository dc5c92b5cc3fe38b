"""What is peculiar to Amazon's and Google's clouds: signatures, frames, tokens."""

import base64
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

import pytest
from pydantic import SecretStr
from pydantic_ai import Agent, BinaryContent, models
from pydantic_ai.exceptions import ModelAuthenticationError, ModelRateLimitError

from agenticos_app.contracts.models import ModelAccess
from integrations.models import google_gemini
from integrations.models.providers import Providers
from tests.fakes.model_access import AWS, KINDS, service_account
from tests.fakes.provider_server import ProviderServer
from tests.fakes.wires import bedrock
from tests.fakes.wires.bedrock import Bedrock
from tests.fakes.wires.google import GoogleCloud
from tests.fakes.wires.wire import TEXT, Situation, Wire


class Throttling(Bedrock):
    """Tells in the middle of an answer that it was too much."""

    def garbage(self) -> bytes:
        return bedrock.throttled()


@dataclass
class Place:
    server: ProviderServer
    family: Providers
    access: ModelAccess

    async def ask(self, *words: str | BinaryContent) -> str:
        """Return the streamed answer."""
        async with Agent(self.family.open(self.access)).run_stream(list(words) or "Hi") as answer:
            return await answer.get_output()


async def place_of(wire: Wire, name: str) -> AsyncIterator[Place]:
    async with ProviderServer(wire) as server:
        made = Place(server, Providers(), KINDS[name].to(server.url))
        with models.override_allow_model_requests(True):
            yield made
        await made.family.close()


@pytest.fixture
async def aws() -> AsyncIterator[Place]:
    async for place in place_of(Throttling(), "bedrock"):
        yield place


@pytest.fixture
async def cloud(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Place]:
    async for place in place_of(GoogleCloud(), "google_cloud"):
        monkeypatch.setattr(google_gemini, "TOKEN_URL", f"{place.server.url}/token")
        place.server.extra["/token"] = json.dumps({"access_token": "bought", "expires_in": 3600}).encode()
        yield place


async def test_a_failure_within_a_stream_of_frames_has_its_name(aws: Place):
    aws.server.situation = Situation.GARBAGE
    with pytest.raises(ModelRateLimitError):
        await aws.ask()


async def test_a_picture_is_signed_and_sent_as_text(aws: Place):
    picture = BinaryContent(b"\x89PNG\x00\xff", media_type="image/png")
    assert await aws.ask("What is this?", picture) == TEXT
    (message,) = aws.server.questions[0].body["messages"]
    sent = next(block["image"] for block in message["content"] if "image" in block)
    assert base64.b64decode(sent["source"]["bytes"]) == picture.data


async def test_a_session_token_goes_along(aws: Place):
    keys = AWS.model_copy(update={"session_token": SecretStr("session-1")})
    aws.access = replace(aws.access, credential=keys)
    assert await aws.ask() == TEXT
    assert aws.server.questions[0].headers["x-amz-security-token"] == "session-1"


@pytest.mark.parametrize("region", ["", "evil.test/#", "eu west", "EU-WEST-1", "-eu", "a" * 41])
async def test_a_region_that_is_none_is_no_host(aws: Place, region: str):
    aws.access = replace(aws.access, base_url="", credential=AWS.model_copy(update={"region": region}))
    with pytest.raises(ModelAuthenticationError):
        aws.family.open(aws.access)
    assert (await aws.family.check(aws.access)).problem == "unauthorized"


async def test_a_token_is_bought_once_and_signed_by_the_account(cloud: Place):
    assert (await cloud.ask(), await cloud.ask()) == (TEXT, TEXT)
    bought = [seen for seen in cloud.server.seen if seen.path == "/token"]
    assert len(bought) == 1
    assert b"grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer" in bought[0].raw
    claims = bought[0].raw.partition(b"assertion=")[2].split(b".")[1]
    told = json.loads(base64.urlsafe_b64decode(claims + b"=="))
    assert told["iss"] == "agent@sea.iam.gserviceaccount.test"
    assert told["exp"] - told["iat"] == 3600


@pytest.mark.parametrize("answer", [b"{}", b"nonsense", b'{"access_token": "x", "expires_in": "y"}'])
async def test_an_account_that_gets_no_token_is_not_accepted(cloud: Place, answer: bytes):
    cloud.server.extra["/token"] = answer
    with pytest.raises(ModelAuthenticationError):
        await cloud.ask()
    assert not cloud.server.questions


@pytest.mark.parametrize("wrong", ["region", "private_key"])
async def test_an_account_that_cannot_be_one_is_refused(cloud: Place, wrong: str):
    account = service_account()
    file = json.dumps({**account.info(), "private_key": "none"})
    changes = {"region": "evil.test/#"} if wrong == "region" else {"service_account": SecretStr(file)}
    account = account.model_copy(update=changes)
    assert (await cloud.family.check(replace(cloud.access, credential=account))).problem == "unauthorized"
    assert not cloud.server.seen
