"""The first account, through a link that only who started the server has seen."""

from agenticos_app.db.work import SystemTx, system_work
from agenticos_app.errors import Conflict, NotFound
from agenticos_app.kernel.ids import new_id
from agenticos_app.models import Organization, SetupLink, User
from agenticos_app.repos import accounts as repo
from agenticos_app.schemas.accounts import SetUp, SignUp
from agenticos_app.security import passwords, tokens
from agenticos_app.services import accounts, organizations, sessions
from agenticos_app.services.sessions import Client


async def open_link() -> str | None:
    """Return a fresh one-time token, or None when the owner exists."""
    async with system_work() as tx:
        if await repo.owner_exists(tx):
            return None
        token = tokens.new_secret()
        tx.add(SetupLink(id=new_id(), token_hash=tokens.digest(token)))
    return token


async def set_up(body: SetUp, client: Client) -> str:
    """Create the owner with the link's token, sign in, and return the cookie.

    Raises:
        NotFound: The token is not one that was printed, or it is used up.
        Conflict: The owner exists (`reason="set_up"`).
        LimitReached: Too many tries.
    """
    await sessions.count_try(client, body.email)
    token_hash = tokens.digest(body.token)
    async with system_work() as tx:
        if await repo.owner_exists(tx):
            raise Conflict(reason="set_up")
        if not await repo.setup_link_exists(tx, token_hash):
            raise NotFound
    password_hash = await passwords.hash_password(body.password)
    async with system_work() as tx:
        if await repo.owner_exists(tx, lock=True):
            raise Conflict(reason="set_up")
        if not await repo.setup_link_exists(tx, token_hash):
            raise NotFound
        await repo.delete_setup_links(tx)
        user, _ = await _owner(tx, body, password_hash, body.organization_name)
        return await sessions.open_session(tx, user, client)


async def bootstrap(
    tx: SystemTx, body: SignUp, password_hash: str, *, organization_name: str
) -> tuple[User, Organization]:
    """Create the owner from the command line.

    Raises:
        Conflict: The owner exists (`reason="set_up"`).
    """
    if await repo.owner_exists(tx, lock=True):
        raise Conflict(reason="set_up")
    await repo.delete_setup_links(tx)
    return await _owner(tx, body, password_hash, organization_name)


async def _owner(
    tx: SystemTx, body: SignUp, password_hash: str, organization_name: str
) -> tuple[User, Organization]:
    user = await accounts.create(tx, body, password_hash, is_app_admin=True)
    return user, await organizations.create(tx, user, name=organization_name)
