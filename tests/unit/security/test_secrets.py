"""Passwords, opaque secrets, the deployment's key and devices."""

import asyncio
import base64
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agenticos_app.security import passwords, seal, tokens
from agenticos_app.security.devices import device_of
from agenticos_app.security.seal import Sealer, deployment_key


async def test_a_password_is_known_by_its_hash_alone() -> None:
    stored = await passwords.hash_password("correct horse")
    assert stored.startswith("$argon2id$")
    assert "correct" not in stored
    assert stored != await passwords.hash_password("correct horse")
    assert await passwords.verify("correct horse", stored)
    assert not await passwords.verify("wrong horse", stored)


@pytest.mark.req("DOM-AUTH-02")
@pytest.mark.parametrize("length", [72, 73, 128, 10_000])
async def test_every_byte_of_a_long_password_counts(length: int) -> None:
    stored = await passwords.hash_password("ż" * length)
    assert await passwords.verify("ż" * length, stored)
    assert not await passwords.verify("ż" * (length - 1) + "z", stored)


@pytest.mark.parametrize("stored", [None, "", "not a hash", "$argon2id$v=19$m=8,t=1,p=1$broken"])
async def test_nothing_fits_a_hash_that_is_none(stored: str | None) -> None:
    assert not await passwords.verify("nobody has this password", stored)


@pytest.mark.req("DOM-AUTH-02")
async def test_verification_leaves_the_event_loop_free(monkeypatch: pytest.MonkeyPatch) -> None:
    verified_in: list[str] = []
    real = passwords.PasswordHasher.verify

    def noted(self: passwords.PasswordHasher, hash: str, password: str) -> bool:  # noqa: A002
        verified_in.append(threading.current_thread().name)
        return bool(real(self, hash, password))

    monkeypatch.setattr(passwords.PasswordHasher, "verify", noted)
    stored = await passwords.hash_password("correct horse")
    await asyncio.gather(passwords.verify("correct horse", stored), passwords.verify("correct horse", None))
    assert len(verified_in) == 2
    assert threading.current_thread().name not in verified_in


def test_secrets_are_long_and_never_the_same() -> None:
    made = {tokens.new_secret() for _ in range(100)}
    assert len(made) == 100
    assert all(len(base64.urlsafe_b64decode(secret + "=")) == 32 for secret in made)


def test_a_secret_fits_its_own_digest_alone() -> None:
    secret = tokens.new_secret()
    assert tokens.same(secret, tokens.digest(secret))
    assert not tokens.same(secret, tokens.digest(tokens.new_secret()))
    assert not tokens.same(secret, None)
    assert not tokens.same("", tokens.digest(secret))
    assert secret.encode() not in tokens.digest(secret)


@pytest.mark.parametrize("key", [b"", b"short", b"k" * 33])
def test_a_key_of_another_length_is_refused(key: bytes) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Sealer(key)
    with pytest.raises(ValueError, match="32 bytes"):
        deployment_key(base64.b64encode(key).decode(), Path("/nowhere"))


def test_the_deployments_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    first = deployment_key(None, tmp_path)
    assert len(first) == seal.KEY_BYTES
    assert deployment_key(None, tmp_path) == first
    assert (tmp_path / "secret.key").stat().st_mode & 0o777 == 0o600
    configured = base64.b64encode(b"c" * seal.KEY_BYTES).decode()
    assert deployment_key(configured, tmp_path) == b"c" * seal.KEY_BYTES


def test_processes_that_start_at_once_have_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        keys = set(threads.map(lambda _: deployment_key(None, tmp_path), range(32)))
    assert len(keys) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["secret.key"]


@pytest.mark.parametrize(
    ("user_agent", "name", "kind"),
    [
        (
            "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            "Firefox, Linux",
            "computer",
        ),
        (
            "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140 Safari/537.36 Edg/140",
            "Edge, Windows",
            "computer",
        ),
        (
            "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140 Safari/537.36 OPR/120",
            "Opera, Windows",
            "computer",
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_0) AppleWebKit/605 Version/18 Safari/605",
            "Safari, macOS",
            "computer",
        ),
        (
            "Mozilla/5.0 (X11; CrOS x86_64) AppleWebKit/537.36 Chrome/140 Safari/537.36",
            "Chrome, ChromeOS",
            "computer",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) CriOS/140 Mobile Safari/604",
            "Chrome, iOS",
            "phone",
        ),
        (
            "Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) FxiOS/140 Mobile Safari/604",
            "Firefox, iPadOS",
            "tablet",
        ),
        (
            "Mozilla/5.0 (Linux; Android 15; Pixel) Chrome/140 Mobile Safari/537.36",
            "Chrome, Android",
            "phone",
        ),
        ("Mozilla/5.0 (Linux; Android 15; Tab) Chrome/140 Safari/537.36", "Chrome, Android", "tablet"),
        ("Mozilla/5.0 (PlayStation) AppleWebKit/605 Version/18 Safari/605", "Safari", "computer"),
        ("curl/8.9.1", "curl", "script"),
        ("", "?", "script"),
    ],
)
def test_a_device_is_named_by_what_its_browser_says(user_agent: str, name: str, kind: str) -> None:
    assert device_of(user_agent) == (name, kind)
