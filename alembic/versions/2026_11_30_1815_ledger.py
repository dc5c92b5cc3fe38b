"""What months spend and reserve, what requests and answers cost."""

import sqlalchemy as sa
import sqlmodel
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

NEW = {
    "messages": ("input_tokens", "output_tokens", "context_tokens", "cost_is_partial"),
    "run_requests": ("provider", "model", "cache_read_tokens", "cache_write_tokens", "is_estimated"),
}


def upgrade() -> None:
    """Go to this revision."""
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.create_table(
        "spendings",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("month", sa.Date(), nullable=False),
        sa.Column("kind", sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("spent_micros", sa.BigInteger(), nullable=False),
        sa.Column("reserved_micros", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("kind IN ('organization', 'agent')", name=op.f("ck_spendings_kind")),
        sa.CheckConstraint("reserved_micros >= 0", name=op.f("ck_spendings_reserved")),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_spendings_organization_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_spendings")),
        sa.UniqueConstraint(
            "organization_id",
            "month",
            "kind",
            "subject_id",
            name=op.f("uq_spendings_organization_id_month_kind_subject_id"),
        ),
    )
    op.create_table(
        "reservations",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("month", sa.Date(), nullable=False),
        sa.Column("micros", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("is_booked", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id", "run_id"],
            ["runs.organization_id", "runs.id"],
            name=op.f("fk_reservations_organization_id_run_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_reservations_organization_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "agent_id"],
            ["agents.organization_id", "agents.id"],
            name=op.f("fk_reservations_organization_id_agent_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reservations")),
        sa.UniqueConstraint("run_id", "number", name=op.f("uq_reservations_run_id_number")),
    )
    op.create_index(
        "ix_reservations_expiry",
        "reservations",
        ["expires_at"],
        unique=False,
        postgresql_where=sa.text("NOT is_booked"),
    )
    op.add_column("messages", sa.Column("input_tokens", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("messages", sa.Column("output_tokens", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("messages", sa.Column("context_tokens", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("messages", sa.Column("cost_micros", sa.BigInteger(), nullable=True))
    op.add_column(
        "messages", sa.Column("cost_is_partial", sa.Boolean(), nullable=False, server_default="false")
    )
    op.add_column(
        "run_requests",
        sa.Column("provider", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False, server_default=""),
    )
    op.add_column(
        "run_requests",
        sa.Column("model", sqlmodel.sql.sqltypes.AutoString(length=200), nullable=False, server_default=""),
    )
    op.add_column("run_requests", sa.Column("profile_id", sa.Uuid(), nullable=True))
    op.add_column("run_requests", sa.Column("secret_id", sa.Uuid(), nullable=True))
    op.add_column(
        "run_requests", sa.Column("cache_read_tokens", sa.Integer(), nullable=False, server_default="0")
    )
    op.add_column(
        "run_requests", sa.Column("cache_write_tokens", sa.Integer(), nullable=False, server_default="0")
    )
    op.add_column(
        "run_requests", sa.Column("is_estimated", sa.Boolean(), nullable=False, server_default="false")
    )
    op.add_column("run_requests", sa.Column("cost_micros", sa.BigInteger(), nullable=True))
    op.execute(
        "UPDATE messages m SET input_tokens = r.input_tokens, output_tokens = r.output_tokens "
        "FROM runs r WHERE m.run_id = r.id AND m.role = 'assistant'"
    )
    for table, columns in NEW.items():
        for column in columns:
            op.alter_column(table, column, server_default=None)


def downgrade() -> None:
    """Go back to the revision before."""
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.drop_column("run_requests", "cost_micros")
    op.drop_column("run_requests", "is_estimated")
    op.drop_column("run_requests", "cache_write_tokens")
    op.drop_column("run_requests", "cache_read_tokens")
    op.drop_column("run_requests", "secret_id")
    op.drop_column("run_requests", "profile_id")
    op.drop_column("run_requests", "model")
    op.drop_column("run_requests", "provider")
    op.drop_column("messages", "cost_is_partial")
    op.drop_column("messages", "cost_micros")
    op.drop_column("messages", "context_tokens")
    op.drop_column("messages", "output_tokens")
    op.drop_column("messages", "input_tokens")
    op.drop_index(
        "ix_reservations_expiry", table_name="reservations", postgresql_where=sa.text("NOT is_booked")
    )
    op.drop_table("reservations")
    op.drop_table("spendings")
