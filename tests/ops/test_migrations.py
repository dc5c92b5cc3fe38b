"""The schema goes forward and back, and the settings' database is the one that is changed."""

from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config

from agenticos_app.ops import migrations
from agenticos_app.ops.place import ROOT
from agenticos_app.ops.postgres import ask, embedded_postgres
from agenticos_app.ops.report import Refusal

TABLES = "SELECT string_agg(tablename, ' ' ORDER BY tablename) FROM pg_tables WHERE schemaname = 'public'"


def _alembic(url: str) -> Config:
    config = Config(ROOT / "alembic.ini")
    config.attributes["url"] = url
    return config


@pytest.mark.req("DOM-CONFIG-07")
def test_migrations_apply_forward_back_and_forward_and_fit_the_models(tmp_path: Path) -> None:
    with embedded_postgres(tmp_path) as url:
        assert not migrations.is_current(url)
        command.upgrade(_alembic(url), "head")
        assert migrations.is_current(url)
        tables = ask(url, TABLES)
        command.downgrade(_alembic(url), "base")
        assert ask(url, TABLES) == "alembic_version"
        command.upgrade(_alembic(url), "head")
        assert ask(url, TABLES) == tables
        command.check(_alembic(url))


def test_a_database_of_a_newer_release_is_left_alone(tmp_path: Path) -> None:
    with embedded_postgres(tmp_path) as url:
        ask(url, "CREATE TABLE alembic_version AS SELECT 'from_the_future' AS version_num")
        with pytest.raises(Refusal, match="newer release"):
            migrations.is_current(url)


def test_a_failing_migration_is_told_in_one_sentence(tmp_path: Path) -> None:
    with embedded_postgres(tmp_path) as url:
        migrations.upgrade(url)
        ask(url, "DROP TABLE alembic_version")
        with pytest.raises(Refusal, match="could not be migrated"):
            migrations.upgrade(url)
