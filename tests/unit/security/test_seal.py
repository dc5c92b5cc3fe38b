"""Envelopes open in one place, with one of the deployment's keys, and only whole."""

import base64
import os
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from agenticos_app.security import seal
from agenticos_app.security.seal import Place, Sealer, Unsealable, sealer_of, version_in

OLD, NEW, OTHER = (os.urandom(seal.KEY_BYTES) for _ in range(3))
HERE = Place("organization", uuid4(), "api_key")
VALUE = b'{"api_key": "sk-secret-value"}'


@pytest.mark.req("DOM-SECRET-02")
def test_a_sealed_value_opens_where_it_belongs_and_nowhere_else() -> None:
    sealer = Sealer(NEW)
    envelope = sealer.seal(VALUE, HERE)
    assert b"sk-secret" not in envelope
    assert envelope[5:] != sealer.seal(VALUE, HERE)[5:]
    assert sealer.open(envelope, HERE) == VALUE
    for elsewhere in (
        replace(HERE, owner_id=uuid4()),
        replace(HERE, owner="user"),
        replace(HERE, kind="azure_openai"),
    ):
        with pytest.raises(Unsealable):
            sealer.open(envelope, elsewhere)
        with pytest.raises(Unsealable):
            sealer.rewrapped(envelope, elsewhere)
    with pytest.raises(Unsealable):
        Sealer(OTHER).open(envelope, HERE)


@pytest.mark.req("DOM-SECRET-02")
def test_neither_half_of_an_envelope_fits_into_another_place() -> None:
    """The data key is sealed for its place and the value too, so no mixture of two envelopes opens."""
    sealer, there = Sealer(NEW), replace(HERE, owner_id=uuid4())
    mine, theirs = sealer.seal(VALUE, HERE), sealer.seal(VALUE, there)
    cut = len(mine) - len(VALUE) - 28
    for mixed in (mine[:cut] + theirs[cut:], theirs[:cut] + mine[cut:]):
        for place in (HERE, there):
            with pytest.raises(Unsealable):
                sealer.open(mixed, place)


@pytest.mark.req("DOM-SECRET-02")
def test_no_changed_byte_opens() -> None:
    sealer = Sealer(NEW)
    envelope = sealer.seal(VALUE, HERE)
    for at in range(len(envelope)):
        changed = envelope[:at] + bytes([envelope[at] ^ 1]) + envelope[at + 1 :]
        with pytest.raises(Unsealable):
            sealer.open(changed, HERE)
        with pytest.raises(Unsealable):
            sealer.open(envelope[:at], HERE)


@pytest.mark.req("DOM-SECRET-03")
def test_a_rewrapped_envelope_needs_the_new_key_alone_and_its_value_is_not_touched() -> None:
    before = Sealer(OLD).seal(VALUE, HERE)
    rotating = Sealer(NEW, OLD)
    assert rotating.open(before, HERE) == VALUE
    after = rotating.rewrapped(before, HERE)
    assert Sealer(NEW).open(after, HERE) == VALUE
    assert (version_in(before), version_in(after)) == (Sealer(OLD).version, Sealer(NEW).version)
    with pytest.raises(Unsealable):
        Sealer(OLD).open(after, HERE)
    kept = len(VALUE) + seal.NONCE_BYTES + 16
    assert before[-kept:] == after[-kept:]
    assert before[:-kept] != after[:-kept]


@pytest.mark.req("DOM-SECRET-03")
def test_an_envelope_that_claims_another_key_does_not_open() -> None:
    envelope, both = Sealer(OLD).seal(VALUE, HERE), Sealer(NEW, OLD)
    claimed = envelope[:1] + both.version.to_bytes(4) + envelope[5:]
    with pytest.raises(Unsealable):
        both.open(claimed, HERE)


@pytest.mark.req("DOM-SECRET-15")
def test_the_fields_of_one_row_have_one_version_and_do_not_change_places() -> None:
    sealer, values = Sealer(OLD), {"access": b"a", "refresh": b"r"}
    envelopes = sealer.seal_all(values, HERE)
    assert {version_in(one) for one in envelopes.values()} == {sealer.version}
    assert sealer.open_all(envelopes, HERE) == values
    with pytest.raises(Unsealable):
        sealer.open_all({"access": envelopes["refresh"], "refresh": envelopes["access"]}, HERE)
    rotating = Sealer(NEW, OLD)
    renewed = rotating.rewrapped_all(envelopes, HERE)
    assert Sealer(NEW).open_all(renewed, HERE) == values
    mixed = {"access": renewed["access"], "refresh": envelopes["refresh"]}
    for use in (rotating.open_all, rotating.rewrapped_all):
        with pytest.raises(Unsealable):
            use(mixed, HERE)


def first_format(key: bytes, value: bytes, bound: bytes) -> bytes:
    """Seal as releases before envelopes had a head did."""
    data_key, outer, inner = AESGCM.generate_key(256), os.urandom(12), os.urandom(12)
    wrapped = outer + AESGCM(key).encrypt(outer, data_key, bound)
    return wrapped + inner + AESGCM(data_key).encrypt(inner, value, bound)


def test_the_first_format_opens_with_any_of_the_keys_and_where_it_belongs() -> None:
    organization_id = uuid4()
    sealed = first_format(OLD, b"sk-old", organization_id.bytes + b"model_key")
    assert Sealer(NEW, OLD).open_first(sealed, organization_id, "model_key") == b"sk-old"
    for sealer, place in ((Sealer(NEW), organization_id), (Sealer(OLD), uuid4())):
        with pytest.raises(Unsealable):
            sealer.open_first(sealed, place, "model_key")
    with pytest.raises(Unsealable):
        Sealer(OLD).open(sealed, HERE)


def text(key: bytes) -> str:
    return base64.b64encode(key).decode()


@pytest.mark.req("DOM-SECRET-03")
def test_the_masters_key_is_the_vaults_else_the_deployments_and_that_still_opens(tmp_path: Path) -> None:
    plain = sealer_of(vault_master_key=None, older=(), secret_key=text(OLD), folder=tmp_path)
    assert plain.version == Sealer(OLD).version
    own = sealer_of(vault_master_key=text(NEW), older=(text(OTHER),), secret_key=text(OLD), folder=tmp_path)
    assert own.version == Sealer(NEW).version
    for key in (NEW, OLD, OTHER):
        assert own.open(Sealer(key).seal(VALUE, HERE), HERE) == VALUE
    assert not (tmp_path / "secret.key").exists()
    made = sealer_of(vault_master_key=None, older=(), secret_key=None, folder=tmp_path)
    assert made.version == Sealer(base64.b64decode((tmp_path / "secret.key").read_text())).version
    with pytest.raises(ValueError, match="32 bytes"):
        sealer_of(vault_master_key=text(b"short"), older=(), secret_key=text(OLD), folder=tmp_path)


def test_nothing_that_holds_a_key_shows_it() -> None:
    assert NEW.hex() not in repr(Sealer(NEW))
    assert repr(NEW) not in repr(Sealer(NEW))
