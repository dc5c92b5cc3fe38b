"""Tool calls have cards, runs may be tests of a draft, and their answers may be data."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_JSON = postgresql.JSONB(astext_type=sa.Text())


def upgrade() -> None:
    """Go to this revision."""
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.add_column("tool_calls", sa.Column("card", _JSON, nullable=True))
    op.add_column("runs", sa.Column("spec", _JSON, nullable=True))
    op.add_column("runs", sa.Column("structured", _JSON, nullable=True))
    for table in ("runs", "conversations"):
        op.add_column(table, sa.Column("is_test", sa.Boolean(), nullable=False, server_default="false"))
        op.alter_column(table, "is_test", server_default=None)


def downgrade() -> None:
    """Go back to the revision before."""
    op.execute("SET LOCAL lock_timeout = '5s'")
    for table in ("conversations", "runs"):
        op.drop_column(table, "is_test")
    op.drop_column("runs", "structured")
    op.drop_column("runs", "spec")
    op.drop_column("tool_calls", "card")
