"""vault."""

import sqlalchemy as sa
import sqlmodel
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Go to this revision.

    Sealed values stay as they are, with key version 1; the next start seals them anew (`secrets.seal_first`).
    """
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.create_table(
        "audit_entries",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=True),
        sa.Column("actor_user_id", sa.Uuid(), nullable=True),
        sa.Column("impersonator_user_id", sa.Uuid(), nullable=True),
        sa.Column("action", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("target_type", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("target_id", sa.Uuid(), nullable=True),
        sa.Column("details", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("ip_address", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_audit_entries_organization_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["actor_user_id"],
            ["users.id"],
            name=op.f("fk_audit_entries_actor_user_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["impersonator_user_id"],
            ["users.id"],
            name=op.f("fk_audit_entries_impersonator_user_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_entries")),
    )
    op.create_index(
        op.f("ix_audit_entries_organization_id_created_at_id"),
        "audit_entries",
        ["organization_id", "created_at", "id"],
    )
    op.create_index(
        op.f("ix_grants_organization_id_resource_type_resource_id"),
        "grants",
        ["organization_id", "resource_type", "resource_id"],
    )
    _text("description", 500, "")
    _text("purpose", 64, "openai")
    _text("visibility", 16, "org")
    op.add_column("secrets", sa.Column("created_by_user_id", sa.Uuid(), nullable=True))
    op.add_column("secrets", sa.Column("rotated_at", _TIME, nullable=True))
    op.add_column("secrets", sa.Column("last_used_at", _TIME, nullable=True))
    op.alter_column("secrets", "last_four", new_column_name="hint")
    op.execute("UPDATE secrets SET created_by_user_id = owner_user_id, kind = 'api_key'")
    op.create_foreign_key(
        op.f("fk_secrets_created_by_user_id"),
        "secrets",
        "users",
        ["created_by_user_id"],
        ["id"],
        ondelete="SET NULL",
    )
    op.create_check_constraint(
        op.f("ck_secrets_visibility"), "secrets", "visibility IN ('private', 'team', 'org')"
    )
    op.create_index(op.f("ix_secrets_key_version_id"), "secrets", ["key_version", "id"])


def _text(name: str, length: int, value: str) -> None:
    """Add a column that holds `value` in the rows that exist and has no default afterwards."""
    kind = sqlmodel.sql.sqltypes.AutoString(length=length)
    op.add_column("secrets", sa.Column(name, kind, nullable=False, server_default=value))
    op.alter_column("secrets", name, server_default=None)


def downgrade() -> None:
    """Go back. What was sealed since is not readable by the release before, so it is deleted."""
    op.execute("DELETE FROM secrets WHERE key_version <> 1")
    op.execute("UPDATE secrets SET kind = 'model_key'")
    op.drop_index(op.f("ix_secrets_key_version_id"), table_name="secrets")
    op.drop_constraint(op.f("ck_secrets_visibility"), "secrets", type_="check")
    op.drop_constraint(op.f("fk_secrets_created_by_user_id"), "secrets", type_="foreignkey")
    op.alter_column("secrets", "hint", new_column_name="last_four")
    for name in ("last_used_at", "rotated_at", "created_by_user_id", "visibility", "purpose", "description"):
        op.drop_column("secrets", name)
    op.drop_index(op.f("ix_grants_organization_id_resource_type_resource_id"), table_name="grants")
    op.drop_index(op.f("ix_audit_entries_organization_id_created_at_id"), table_name="audit_entries")
    op.drop_table("audit_entries")
