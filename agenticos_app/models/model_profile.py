"""Which models agents may use."""

from uuid import UUID

from sqlalchemy import CheckConstraint, UniqueConstraint
from sqlmodel import Field

from agenticos_app.models.base import TenantRow, same_tenant, tenant_key


class ModelProfile(TenantRow, table=True):
    """A model that agents of the organization may use."""

    __table_args__ = (
        tenant_key(),
        UniqueConstraint("organization_id", "name"),
        same_tenant("secret_id", "secrets", ondelete="SET NULL"),
        CheckConstraint("kind IN ('practice', 'openai_compatible')", name="kind"),
    )

    name: str = Field(max_length=128)
    kind: str = Field(max_length=32)
    model_name: str = Field(max_length=200)
    base_url: str = Field(default="", max_length=500)
    secret_id: UUID | None = None
