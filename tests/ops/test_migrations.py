"""The schema goes forward and back, and the settings' database is the one that is changed."""

import subprocess
import sys
from pathlib import Path

import pytest

from agenticos_app.ops import migrations, programs
from agenticos_app.ops.place import ROOT
from agenticos_app.ops.postgres import ask, embedded_postgres
from agenticos_app.ops.report import Refusal

TABLES = "SELECT string_agg(tablename, ' ' ORDER BY tablename) FROM pg_tables WHERE schemaname = 'public'"


def _alembic(url: str, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "alembic", *words]
    return programs.run(command, cwd=ROOT, env=programs.environment(DATABASE_URL=url))


@pytest.mark.req("DOM-CONFIG-07")
def test_migrations_apply_forward_back_and_forward_and_fit_the_models(tmp_path: Path) -> None:
    with embedded_postgres(tmp_path) as url:
        assert not migrations.is_current(url)
        migrations.upgrade(url)
        assert migrations.is_current(url)
        tables = ask(url, TABLES)
        assert _alembic(url, "downgrade", "base").returncode == 0
        assert ask(url, TABLES) == "alembic_version"
        migrations.upgrade(url)
        assert ask(url, TABLES) == tables
        checked = _alembic(url, "check")
        assert checked.returncode == 0, checked.stdout


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
