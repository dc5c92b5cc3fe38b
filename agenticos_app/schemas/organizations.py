"""Organizations and their members."""

from datetime import datetime
from decimal import Decimal
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from agenticos_app.schemas.accounts import EmailAddress, OrganizationName

RoleName = Literal["owner", "admin", "builder", "operator", "member", "viewer"]


class OrganizationDetail(BaseModel):
    """One organization."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    name: str
    slug: str
    is_personal: bool
    avatar_color: int = Field(description="1 to 10; chosen, or derived from the id")
    avatar_version: str = Field(description="Another one with each image; empty: there is none")
    monthly_budget_usd: Decimal | None = Field(description="None: no cap")
    month_spent_usd: str = Field(description="Spent in this calendar month (UTC), decimal")
    month_is_partial: bool = Field(description="Something of the month has no known price")
    month_percent: int | None = Field(description="Of the cap, 0 to 100; null: no cap")
    created_at: datetime


class OrganizationCreate(BaseModel):
    """A new organization; its creator becomes its owner."""

    name: OrganizationName


class OrganizationChange(BaseModel):
    """New values; what is absent stays."""

    name: OrganizationName | None = None
    avatar_color: int | None = Field(default=None, ge=1, le=10)
    monthly_budget_usd: Decimal | None = Field(
        default=None, ge=0, le=Decimal(10_000_000), decimal_places=6, description="null: no cap"
    )


class MemberRow(BaseModel):
    """One member."""

    model_config = ConfigDict(frozen=True)

    user_id: UUID
    full_name: str
    email: str
    role: str
    is_active: bool
    joined_at: datetime
    may_change: bool = Field(description="Whether the caller may change the role and end the membership")


class MemberAdd(BaseModel):
    """Somebody with an account joins."""

    email: EmailAddress
    role: RoleName = "member"


class MemberChange(BaseModel):
    """Another role."""

    role: RoleName
