"""The database's schema: which revision it has, which this release needs, and the way between."""

import re
import sys
from pathlib import Path

from agenticos_app.ops import programs
from agenticos_app.ops.place import ROOT
from agenticos_app.ops.postgres import ask
from agenticos_app.ops.report import Refusal

VERSIONS = ROOT / "alembic" / "versions"
_REVISION = re.compile(r"""^(revision|down_revision)\b[^=]*=\s*["'](\w+)["']""", re.MULTILINE)


def revisions(folder: Path = VERSIONS) -> tuple[set[str], str]:
    """Return all revisions of this release, and the last one.

    Raises:
        Refusal: There is not exactly one last one.
    """
    found = [dict(_REVISION.findall(path.read_text())) for path in folder.glob("*.py")]
    known = {names["revision"] for names in found if "revision" in names}
    heads = known - {names.get("down_revision") for names in found}
    if len(heads) != 1:
        raise Refusal(f"The migrations end in {len(heads)} revisions instead of one; merge them.")
    return known, heads.pop()


def revision_of(url: str) -> str:
    """Return the revision of a database; empty when it has no tables yet."""
    if not ask(url, "SELECT to_regclass('public.alembic_version')"):
        return ""
    return ask(url, "SELECT version_num FROM alembic_version")


def is_current(url: str) -> bool:
    """Tell whether the database fits this release.

    Raises:
        Refusal: It belongs to a newer one.
    """
    known, head = revisions()
    has = revision_of(url)
    if has and has not in known:
        raise Refusal(
            f"The database is of a newer release (revision {has}); start that release, "
            "or restore a backup that this one made."
        )
    return has == head


def upgrade(url: str) -> None:
    """Bring the database to the last revision, in a process of its own.

    Raises:
        Refusal: A migration failed; what it said comes before.
    """
    command = [sys.executable, "-m", "alembic", "upgrade", "head"]
    done = programs.run(command, cwd=ROOT, env=programs.environment(DATABASE_URL=url))
    if done.returncode:
        last = (done.stdout.strip().splitlines() or ["no reason given"])[-1]
        raise Refusal(
            f"The database could not be migrated ({last}); run `.venv/bin/alembic upgrade head` to see all."
        )
