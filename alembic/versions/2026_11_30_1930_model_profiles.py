"""Model profiles name a provider of the catalogue, with parameters and fallbacks."""

import sqlalchemy as sa
import sqlmodel
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this revision."""
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.drop_constraint(op.f("ck_model_profiles_kind"), "model_profiles", type_="check")
    op.alter_column(
        "model_profiles",
        "kind",
        new_column_name="provider",
        type_=sqlmodel.sql.sqltypes.AutoString(length=64),
        existing_nullable=False,
    )
    op.execute("UPDATE model_profiles SET provider = 'openai' WHERE provider = 'openai_compatible'")
    op.add_column(
        "model_profiles",
        sa.Column("dialect", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=True),
    )
    op.add_column("model_profiles", sa.Column("context_length", sa.Integer(), nullable=True))
    op.add_column(
        "model_profiles",
        sa.Column(
            "params", postgresql.JSONB(astext_type=sa.Text()), nullable=False, server_default=sa.text("'{}'")
        ),
    )
    op.add_column(
        "model_profiles", sa.Column("is_free", sa.Boolean(), nullable=False, server_default="false")
    )
    op.execute("UPDATE model_profiles SET is_free = true WHERE provider = 'practice'")
    for column in ("params", "is_free"):
        op.alter_column("model_profiles", column, server_default=None)
    op.create_check_constraint(
        op.f("ck_model_profiles_context_length"), "model_profiles", "context_length > 0"
    )
    op.create_table(
        "model_fallbacks",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("profile_id", sa.Uuid(), nullable=False),
        sa.Column("fallback_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.CheckConstraint("position BETWEEN 1 AND 2", name=op.f("ck_model_fallbacks_position")),
        sa.ForeignKeyConstraint(
            ["organization_id", "profile_id"],
            ["model_profiles.organization_id", "model_profiles.id"],
            name=op.f("fk_model_fallbacks_organization_id_profile_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "fallback_id"],
            ["model_profiles.organization_id", "model_profiles.id"],
            name=op.f("fk_model_fallbacks_organization_id_fallback_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_model_fallbacks_organization_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_fallbacks")),
        sa.UniqueConstraint("profile_id", "position", name=op.f("uq_model_fallbacks_profile_id_position")),
        sa.UniqueConstraint(
            "profile_id", "fallback_id", name=op.f("uq_model_fallbacks_profile_id_fallback_id")
        ),
    )


def downgrade() -> None:
    """Go back. Models that the release before cannot reach are deleted."""
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.drop_table("model_fallbacks")
    op.execute(
        "DELETE FROM model_profiles WHERE provider <> 'practice' AND (provider <> 'openai' OR base_url = '')"
    )
    op.execute("UPDATE model_profiles SET provider = 'openai_compatible' WHERE provider = 'openai'")
    op.drop_constraint(op.f("ck_model_profiles_context_length"), "model_profiles", type_="check")
    for column in ("is_free", "params", "context_length", "dialect"):
        op.drop_column("model_profiles", column)
    op.alter_column(
        "model_profiles",
        "provider",
        new_column_name="kind",
        type_=sqlmodel.sql.sqltypes.AutoString(length=32),
        existing_nullable=False,
    )
    op.create_check_constraint(
        op.f("ck_model_profiles_kind"), "model_profiles", "kind IN ('practice', 'openai_compatible')"
    )
