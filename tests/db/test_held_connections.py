"""No connection is held while a password is hashed or bytes are stored, and no bytes are left over."""

from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy.exc import IntegrityError
from sqlalchemy.pool import QueuePool

from agenticos_app.db import session as db
from agenticos_app.errors import InvalidInput, LimitReached, WrongCredentials
from agenticos_app.kernel.ids import OrganizationId, UserId, new_id
from agenticos_app.schemas.accounts import SignIn, SignUp
from agenticos_app.schemas.organizations import OrganizationCreate
from agenticos_app.security import passwords
from agenticos_app.services import accounts, deployment, files, organizations, sessions
from agenticos_app.services.sessions import Client
from agenticos_app.services.work import system_work
from integrations.storage.local import LocalStorage
from tests.world import House, acting_as, actor_of, build_house

pytestmark = pytest.mark.usefixtures("console")

PASSWORD = "correct horse battery"
GIF = b"GIF89a" + b"\x00" * 16


def held() -> int:
    """Return how many connections are in use."""
    pool = db.current().engine.pool
    assert isinstance(pool, QueuePool)
    return pool.checkedout()


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply")


@pytest.fixture
def while_hashing(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Note the connections in use each time that argon2 works."""
    seen: list[int] = []
    for name in ("hash", "verify"):
        real = getattr(passwords.PasswordHasher, name)

        def noted(self: object, *given: str, real: object = real) -> object:
            seen.append(held())
            return real(self, *given)  # type: ignore[operator]

        monkeypatch.setattr(passwords.PasswordHasher, name, noted)
    return seen


def here() -> Client:
    return Client(ip_address=f"test {new_id()}", user_agent="")


async def test_signing_up_and_in_and_another_password(house: House, while_hashing: list[int]) -> None:
    email = f"{new_id().hex}@example.org"
    cookie = await accounts.sign_up(SignUp(email=email, password=PASSWORD, full_name="Ada"), here())
    await sessions.sign_in(SignIn(email=email, password=PASSWORD), here())
    with pytest.raises(WrongCredentials):
        await sessions.sign_in(SignIn(email=f"no-{email}", password=PASSWORD), here())
    async with system_work() as tx:
        actor = await sessions.resolve(tx, cookie)
    await accounts.change_password(actor, current=PASSWORD, new="another horse battery")
    assert len(while_hashing) >= 5
    assert set(while_hashing) == {0}


async def test_another_password_has_as_many_tries_as_signing_in(house: House) -> None:
    actor = await actor_of(house.owner)
    for _ in range(deployment.current().auth_per_minute):
        with pytest.raises(InvalidInput):
            await accounts.change_password(actor, current="a guess", new="another horse battery")
    with pytest.raises(LimitReached):
        await accounts.change_password(actor, current="a guess", new="another horse battery")


async def test_one_person_makes_five_organizations_a_minute(house: House) -> None:
    actor, other = await actor_of(house.owner), await actor_of(house.people["member"])
    for n in range(organizations.FOUNDED_PER_MINUTE):
        await organizations.found(actor, OrganizationCreate(name=f"Harbor {n}"))
    with pytest.raises(LimitReached):
        await organizations.found(actor, OrganizationCreate(name="One too many"))
    await organizations.found(other, OrganizationCreate(name="Another's first"))


class Watched(LocalStorage):
    """A storage that notes the connections in use while it works."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.folder = folder
        self.held: list[int] = []

    async def put(self, key: str, data: bytes | AsyncIterator[bytes]) -> int:
        self.held.append(held())
        return await super().put(key, data)

    async def read(self, key: str) -> bytes:
        self.held.append(held())
        return await super().read(key)

    async def delete(self, key: str) -> None:
        self.held.append(held())
        await super().delete(key)

    def kept(self, organization: UUID) -> int:
        return sum(path.is_file() for path in self.folder.rglob("*") if str(organization) in str(path))


@pytest.fixture
async def storage(console: object, tmp_path: Path) -> AsyncGenerator[Watched]:
    watched, before = Watched(tmp_path / "watched"), deployment.current()
    deployment.use(replace(before, storage=watched))
    yield watched
    deployment.use(before)


async def test_files_and_images_are_stored_and_read_apart(house: House, storage: Watched) -> None:
    actor = await actor_of(house.owner)
    row = await files.take_in(actor, name="plan.txt", body=b"the plan")
    assert (await files.download(actor, files.FileId(row.id)))[1] == b"the plan"
    await organizations.set_avatar(actor, GIF)
    await organizations.set_avatar(actor, GIF)
    assert await organizations.avatar(actor) == ("image/gif", GIF)
    async with acting_as(house.owner) as tx:
        await files.discard(tx, files.FileId(row.id))
    assert len(storage.held) == 7
    assert set(storage.held) == {0}
    assert storage.kept(house.id) == 1, "the image in use"


async def test_bytes_of_rows_that_come_to_nothing_are_taken_away(house: House, storage: Watched) -> None:
    gone = replace(await actor_of(house.owner), user_id=UserId(new_id()))
    with pytest.raises(IntegrityError):
        await files.take_in(gone, name="plan.txt", body=b"the plan")
    nowhere = replace(await actor_of(house.owner), organization_id=OrganizationId(new_id()))
    with pytest.raises(organizations.NotFound):
        await organizations.set_avatar(nowhere, GIF)
    assert [path for path in storage.folder.rglob("*") if path.is_file()] == []
