"""Accounts: who may create one, and what people change about their own."""

from agenticos_app.bus import bus
from agenticos_app.contracts.audit import Action, Target
from agenticos_app.db.work import SystemTx, Tx, system_work, work
from agenticos_app.errors import Conflict, Forbidden, InvalidInput, NotFound, Unauthenticated
from agenticos_app.kernel.ids import new_id
from agenticos_app.models import User
from agenticos_app.repos import accounts as repo
from agenticos_app.schemas.accounts import SignUp, SignUpRule
from agenticos_app.security import passwords
from agenticos_app.security.actor import Actor
from agenticos_app.services import audit, deployment, organizations, sessions
from agenticos_app.services.sessions import Client


async def rule(tx: SystemTx) -> SignUpRule:
    """Return who may create an account, for the page to say before anybody types."""
    rules = deployment.current()
    return SignUpRule(
        policy=rules.sign_up_policy,
        domains=list(rules.sign_up_domains),
        is_set_up=await repo.owner_exists(tx),
    )


def require_allowed(email: str) -> None:
    """Refuse an address that the sign-up policy does not admit. Every way to an account passes here.

    Raises:
        Forbidden: The policy is not `open`, or the domain is not one of the allowed.
    """
    rules = deployment.current()
    if rules.sign_up_policy != "open":
        raise Forbidden(policy=rules.sign_up_policy)
    if rules.sign_up_domains and email.rpartition("@")[2] not in rules.sign_up_domains:
        raise Forbidden(policy="domains")


async def sign_up(body: SignUp, client: Client) -> str:
    """Create an account with a personal organization, sign it in, and return the cookie.

    Raises:
        Conflict: Before the owner exists (`reason="not_set_up"`), or the address has an account
            (`reason="account"`).
        Forbidden: The policy does not admit the address.
        LimitReached: Too many tries.
    """
    await sessions.count_try(client, body.email)
    async with system_work() as tx:
        if not await repo.owner_exists(tx):
            raise Conflict(reason="not_set_up")
    require_allowed(body.email)
    password_hash = await passwords.hash_password(body.password)
    async with system_work() as tx:
        user = await create(tx, body, password_hash)
        await organizations.create(
            tx, user, name=body.full_name if len(body.full_name) > 1 else body.email, is_personal=True
        )
        return await sessions.open_session(tx, user, client)


async def create(tx: SystemTx, body: SignUp, password_hash: str, *, is_app_admin: bool = False) -> User:
    """Add the account's row. The password was hashed before the transaction began: that takes long.

    Raises:
        Conflict: The address has an account.
    """
    if await repo.user_by_email(tx, body.email, lock=True) is not None:
        raise Conflict(reason="account")
    user = User(
        id=new_id(),
        email=body.email,
        full_name=body.full_name,
        password_hash=password_hash,
        is_app_admin=is_app_admin,
    )
    tx.add(user)
    await tx.flush()
    return user


async def rename(tx: Tx, full_name: str) -> None:
    """Change the person's own name."""
    user = await _self(tx)
    user.full_name = full_name
    await tx.flush()


async def change_password(actor: Actor, *, current: str, new: str) -> None:
    """Change the person's password and sign out everywhere else. No transaction is open while it is hashed.

    Raises:
        InvalidInput: The current password is another one.
        LimitReached: Too many tries.
    """
    limits, per_minute = bus.current().limits, deployment.current().auth_per_minute
    await limits.take("password", str(actor.person), per_minute=per_minute)
    async with work(actor) as tx:
        stored = (await _self(tx)).password_hash
    if not await passwords.verify(current, stored):
        raise InvalidInput({"field": "current", "message": "wrong"})
    fresh = await passwords.hash_password(new)
    async with work(actor) as tx:
        user = await _self(tx)
        if user.password_hash != stored:
            raise InvalidInput({"field": "current", "message": "wrong"})
        user.password_hash = fresh
        await tx.flush()
        for row in await sessions.list_sessions(tx):
            if not row.is_current:
                await sessions.end(tx, sessions.SessionId(row.id))


async def _self(tx: Tx) -> User:
    user = await repo.user(tx, tx.actor.person, lock=True)
    if user is None:
        raise Unauthenticated
    return user


async def set_active(tx: SystemTx, email: str, *, active: bool) -> None:
    """Switch an account on or off; off ends its sessions at once.

    Raises:
        NotFound: No account has this address.
    """
    user = await repo.user_by_email(tx, email)
    if user is None:
        raise NotFound
    user.is_active = active
    await audit.record_from_shell(
        tx, Action.USER_ACTIVE_CHANGED, Target("user", user.id), {"is_active": active}
    )
    if not active:
        await sessions.end_all_of(tx, user.id)


async def set_app_admin(tx: SystemTx, email: str, *, admin: bool) -> None:
    """Make an account a deployment administrator, or end that. Only the command line calls this.

    Raises:
        NotFound: No account has this address.
    """
    user = await repo.user_by_email(tx, email)
    if user is None:
        raise NotFound
    user.is_app_admin = admin
    await audit.record_from_shell(
        tx, Action.USER_ADMIN_CHANGED, Target("user", user.id), {"is_app_admin": admin}
    )
