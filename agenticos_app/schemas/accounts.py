"""People, their sessions and what they may do."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from agenticos_app.kernel.text import has_unseen


def _address(value: str) -> str:
    local, at, domain = value.partition("@")
    if not (local and at and domain) or "@" in domain or any(char.isspace() for char in value):
        raise ValueError("address")
    return value.lower()


def _seen(value: str) -> str:
    if has_unseen(value):
        raise ValueError("unseen")
    return value


EmailAddress = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=3, max_length=255),
    AfterValidator(_address),
    AfterValidator(_seen),
]
Password = Annotated[str, StringConstraints(min_length=8, max_length=128)]
PersonName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=128), AfterValidator(_seen)
]
OrganizationName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=2, max_length=128), AfterValidator(_seen)
]


class SignIn(BaseModel):
    """What a person types to sign in. Too long a password is a wrong one, not an error."""

    email: Annotated[str, StringConstraints(strip_whitespace=True, max_length=255)]
    password: Annotated[str, StringConstraints(max_length=10_000)] = Field(repr=False)


class SignUp(BaseModel):
    """A new account with an organization of its own."""

    email: EmailAddress
    password: Password = Field(repr=False)
    full_name: PersonName


class SetUp(SignUp):
    """The owner's account, made through the one-time link."""

    token: str = Field(max_length=200, repr=False)
    organization_name: OrganizationName


class SignUpRule(BaseModel):
    """Who may create an account here; shown before anybody types."""

    model_config = ConfigDict(frozen=True)

    policy: str = Field(description="open, invite_only or closed")
    domains: list[str] = Field(description="E-mail domains that may sign up; empty: all")
    is_set_up: bool = Field(description="False until the owner account exists")


class MembershipRow(BaseModel):
    """One organization of the person."""

    model_config = ConfigDict(frozen=True)

    organization_id: UUID
    organization_name: str
    organization_slug: str
    role: str


class Me(BaseModel):
    """The person who is signed in, acting in one organization."""

    model_config = ConfigDict(frozen=True)

    user_id: UUID
    email: str
    full_name: str
    is_app_admin: bool
    session_id: UUID | None
    organization_id: UUID
    organization_name: str
    role: str = Field(description="Empty for a deployment administrator without a membership")
    permissions: dict[str, str] = Field(description="Permission to scope: own, shared, team, all")
    memberships: list[MembershipRow]


class SessionRow(BaseModel):
    """One device on which the person is signed in."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    device: str = Field(description="Browser and system, as its user agent tells")
    device_type: str = Field(description="computer, phone, tablet or script")
    ip_address: str
    created_at: datetime
    last_used_at: datetime
    is_current: bool


class ProfileChange(BaseModel):
    """What the person may change about themselves."""

    full_name: PersonName


class PasswordChange(BaseModel):
    """Another password, proven by the one in force."""

    current: Annotated[str, StringConstraints(max_length=10_000)] = Field(repr=False)
    new: Password = Field(repr=False)


class SignedIn(BaseModel):
    """The cookie is set."""

    signed_in: bool = True


class OrganizationChoice(BaseModel):
    """One of the person's organizations."""

    organization_id: UUID
