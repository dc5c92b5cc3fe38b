"""Agents know who changed their draft, have labels, a picture and environments; owners are asked for more."""

import sqlalchemy as sa
import sqlmodel
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_TEXT = sqlmodel.sql.sqltypes.AutoString
_DRAFT = ("draft_revision", "draft_how", "draft_by_user_id", "draft_changed_at")


def upgrade() -> None:
    """Go to this revision. Who was published gets the environment `production`, which follows the latest."""
    op.execute("SET LOCAL lock_timeout = '5s'")
    _extend_agents()
    op.create_table(
        "agent_environments",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("name", _TEXT(length=64), nullable=False),
        sa.Column("version_id", sa.Uuid(), nullable=False),
        sa.Column("is_default", sa.Boolean(), nullable=False),
        sa.Column("tracks_latest", sa.Boolean(), nullable=False),
        sa.Column("tracing_secret_id", sa.Uuid(), nullable=True),
        sa.Column("tracing_service", _TEXT(length=128), nullable=False),
        _organization("agent_environments"),
        _own("agent_environments", "agent_id", "agents", "CASCADE"),
        _own("agent_environments", "version_id", "agent_versions", "NO ACTION"),
        _own("agent_environments", "tracing_secret_id", "secrets", "SET NULL (tracing_secret_id)"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agent_environments")),
        sa.UniqueConstraint("organization_id", "id", name=op.f("uq_agent_environments_organization_id_id")),
        sa.UniqueConstraint("agent_id", "name", name=op.f("uq_agent_environments_agent_id_name")),
    )
    op.create_index(
        op.f("ix_agent_environments_agent_id"),
        "agent_environments",
        ["agent_id"],
        unique=True,
        postgresql_where=sa.text("is_default"),
    )
    op.execute(
        "INSERT INTO agent_environments (id, created_at, organization_id, agent_id, name, version_id,"
        " is_default, tracks_latest, tracing_service)"
        " SELECT gen_random_uuid(), now(), organization_id, id, 'production', live_version_id, true, true, ''"
        " FROM agents WHERE live_version_id IS NOT NULL"
    )
    op.create_table(
        "capability_requests",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("capability_id", _TEXT(length=64), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("reason", _TEXT(length=500), nullable=False),
        _organization("capability_requests"),
        _own("capability_requests", "agent_id", "agents", "CASCADE"),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_capability_requests_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_capability_requests")),
        sa.UniqueConstraint(
            "agent_id",
            "capability_id",
            "user_id",
            name=op.f("uq_capability_requests_agent_id_capability_id_user_id"),
        ),
    )
    op.add_column("runs", sa.Column("environment_id", sa.Uuid(), nullable=True))
    op.create_foreign_key(
        op.f("fk_runs_organization_id_environment_id"),
        "runs",
        "agent_environments",
        ["organization_id", "environment_id"],
        ["organization_id", "id"],
        ondelete="SET NULL (environment_id)",
    )


def _extend_agents() -> None:
    agents = (
        sa.Column("draft_revision", sa.Integer(), nullable=False, server_default="1"),
        sa.Column("draft_how", _TEXT(length=16), nullable=False, server_default="created"),
        sa.Column("draft_by_user_id", sa.Uuid(), nullable=True),
        sa.Column("draft_changed_at", _TIME, nullable=False, server_default=sa.text("now()")),
        sa.Column("latest_version", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("avatar_key", _TEXT(), nullable=True),
        sa.Column("categories", postgresql.JSONB(), nullable=False, server_default=sa.text("'[]'")),
        sa.Column("tags", postgresql.JSONB(), nullable=False, server_default=sa.text("'[]'")),
    )
    for column in agents:
        op.add_column("agents", column)
    op.create_foreign_key(
        op.f("fk_agents_draft_by_user_id"),
        "agents",
        "users",
        ["draft_by_user_id"],
        ["id"],
        ondelete="SET NULL",
    )
    op.execute(
        "UPDATE agents SET draft_changed_at = changed_at, draft_by_user_id = owner_user_id,"
        " latest_version = coalesce("
        "(SELECT max(number) FROM agent_versions WHERE agent_versions.agent_id = agents.id), 0)"
    )
    for column in agents:
        if column.server_default is not None:
            op.alter_column("agents", column.name, server_default=None)


def _organization(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["organization_id"],
        ["organizations.id"],
        name=op.f(f"fk_{table}_organization_id"),
        ondelete="CASCADE",
    )


def _own(table: str, column: str, target: str, ondelete: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["organization_id", column],
        [f"{target}.organization_id", f"{target}.id"],
        name=op.f(f"fk_{table}_organization_id_{column}"),
        ondelete=ondelete,
    )


def downgrade() -> None:
    """Go back to the revision before."""
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.drop_constraint(op.f("fk_runs_organization_id_environment_id"), "runs", type_="foreignkey")
    op.drop_column("runs", "environment_id")
    op.drop_table("capability_requests")
    op.drop_table("agent_environments")
    op.drop_constraint(op.f("fk_agents_draft_by_user_id"), "agents", type_="foreignkey")
    for column in (*_DRAFT, "latest_version", "avatar_key", "categories", "tags"):
        op.drop_column("agents", column)
