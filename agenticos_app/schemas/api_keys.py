"""API keys as their owners see them."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from agenticos_app.security.permissions import Permission

KeyStatus = Literal["active", "expired", "revoked", "dormant"]


class ApiKeyCreate(BaseModel):
    """A new key for oneself."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "name": "Nightly report",
                    "permissions": ["agents:view", "agents:run"],
                    "expires_at": "2030-01-31T00:00:00Z",
                }
            ]
        },
    )

    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
    permissions: list[Permission] = Field(
        min_length=1,
        max_length=len(Permission),
        description="What the key may do; each one you hold yourself",
    )
    expires_at: AwareDatetime | None = Field(default=None, description="null: never")


class ApiKeyRow(BaseModel):
    """One key. Its secret is stored as a hash and cannot be shown."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    name: str
    owner: str = Field(description="Who issued it and whom it acts for")
    is_own: bool
    prefix: str = Field(description="The token's beginning")
    last_four: str = Field(description="The token's end")
    permissions: list[Permission] = Field(description="What it was given")
    effective_permissions: list[Permission] = Field(
        description="What it may do now: less when its owner's role was lowered"
    )
    status: KeyStatus = Field(description="dormant: its owner is no active member now")
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None = Field(description="Within a minute; null: never")
    last_used_ip: str


class ApiKeyIssued(ApiKeyRow):
    """A new key with its secret, which is never shown again."""

    token: str = Field(repr=False, description="`aos_` and 60 letters and digits")
