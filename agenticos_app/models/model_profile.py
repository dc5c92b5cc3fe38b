"""Which models agents may use."""

from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, UniqueConstraint
from sqlmodel import Field

from agenticos_app.models.base import TenantRow, document, same_tenant, tenant_key


class ModelProfile(TenantRow, table=True):
    """A model that agents of the organization may use."""

    __table_args__ = (
        tenant_key(),
        UniqueConstraint("organization_id", "name"),
        same_tenant("secret_id", "secrets", ondelete="SET NULL"),
        CheckConstraint("context_length > 0", name="context_length"),
    )

    name: str = Field(max_length=128)
    provider: str = Field(max_length=64)
    """An id of the catalogue."""
    model_name: str = Field(max_length=200)
    base_url: str = Field(default="", max_length=500)
    """Empty is the provider's own address."""
    secret_id: UUID | None = None
    dialect: str | None = Field(default=None, max_length=32)
    """Another than the provider's first."""
    context_length: int | None = None
    """Tokens; None: nobody knows."""
    params: dict[str, Any] = document()
    """The fields of `contracts.models.ModelParams` that are set."""
    is_free: bool = False
    """Declared: nobody is paid for its answers."""


class ModelFallback(TenantRow, table=True):
    """A model that is asked when another one fails. What itself falls back to is not followed."""

    __table_args__ = (
        same_tenant("profile_id", "model_profiles"),
        same_tenant("fallback_id", "model_profiles"),
        UniqueConstraint("profile_id", "position"),
        UniqueConstraint("profile_id", "fallback_id"),
        CheckConstraint("position BETWEEN 1 AND 2", name="position"),
    )

    profile_id: UUID
    fallback_id: UUID
    position: int
    """1 is asked first."""
