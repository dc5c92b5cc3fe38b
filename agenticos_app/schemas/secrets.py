"""Secrets as the outside sees them: everything but their values."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from agenticos_app.contracts.secrets import PURPOSES, Payload, SecretKind

SecretName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=128)]
Description = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)]
Visibility = Literal["private", "org"]


def _known(purpose: str) -> str:
    if purpose not in PURPOSES:
        raise ValueError("invalid")
    return purpose


PurposeId = Annotated[
    str,
    AfterValidator(_known),
    Field(description="The service that it is for", json_schema_extra={"enum": list(PURPOSES)}),
]


class SecretUse(BaseModel):
    """Something that uses a secret."""

    model_config = ConfigDict(frozen=True)

    type: Literal["model_profile"]
    id: UUID
    name: str


class SecretRow(BaseModel):
    """One secret."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    name: str
    description: str
    kind: SecretKind
    purpose: str
    visibility: str
    hint: str = Field(description="The last four characters; empty for short ones")
    owner_name: str = Field(description="Empty when the account is gone")
    added_by: str = Field(description="Empty when the account is gone")
    created_at: datetime
    rotated_at: datetime | None = Field(description="When the value was replaced last")
    last_used_at: datetime | None = Field(description="To the minute; null: never")
    used_by: list[SecretUse]
    is_mine: bool = Field(description="Whether the caller owns it")
    may_edit: bool = Field(description="Whether the caller may replace, share and delete it")


class SecretCreate(BaseModel):
    """A new secret. The purpose fixes the kind of its value."""

    model_config = ConfigDict(hide_input_in_errors=True)

    name: SecretName
    description: Description = ""
    purpose: PurposeId
    visibility: Visibility = Field(default="private", description="`org`: whoever may see shared secrets")
    value: Payload


class SecretRotate(BaseModel):
    """A new value. Whoever uses the secret goes on with it."""

    model_config = ConfigDict(hide_input_in_errors=True)

    value: Payload


class SecretChange(BaseModel):
    """New words about a secret; what is absent stays."""

    name: SecretName | None = None
    description: Description | None = None
    visibility: Visibility | None = None


class SecretDeleted(BaseModel):
    """What used the secret and has no key now."""

    model_config = ConfigDict(frozen=True)

    broken: list[SecretUse]
