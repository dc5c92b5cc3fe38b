"""Every check, in the order in which a failure is cheapest; ends with pytest's own closing line."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from agenticos_app.ops import browser, client, programs
from agenticos_app.ops.place import ROOT, VENV
from agenticos_app.ops.postgres import embedded_postgres
from agenticos_app.ops.report import Refusal, say, step
from agenticos_app.ops.setup import NODE, install_system_packages

_TOOLS = {
    "ruff format": (["ruff", "format", "--check", "."], "run `.venv/bin/ruff format .`"),
    "ruff check": (["ruff", "check", "."], "run `.venv/bin/ruff check --fix .`, then correct the rest"),
    "lint-imports": (["lint-imports"], "move the import: pyproject.toml says which layer may know which"),
    "pyright": (["pyright"], "correct the types it names"),
    "codespell": (["codespell"], "correct the words, or run `.venv/bin/codespell -w`"),
}


def main(words: list[str]) -> int:
    """Run all checks; words go to pytest."""
    try:
        for name, (command, fix) in _TOOLS.items():
            _check(name, command, fix)
        _migrations()
        client.ensure_built()
        _services()
        say("  pytest:")
        return _pytest(words)
    except Refusal as refusal:
        say(str(refusal))
        return 1
    except KeyboardInterrupt:
        say("Stopped.")
        return 130


def _environment(**changes: str) -> dict[str, str]:
    return programs.environment(first_on_path=[VENV / "bin", NODE], **changes)


def _check(name: str, command: list[str], fix: str, **changes: str) -> None:
    with step(name):
        done = programs.run([VENV / "bin" / command[0], *command[1:]], cwd=ROOT, env=_environment(**changes))
    if done.returncode:
        say(done.stdout.rstrip())
        raise Refusal(f"{name} failed; {fix}.")


def _migrations() -> None:
    fix = "correct the migration, or make one: `.venv/bin/alembic revision --autogenerate -m what_it_does`"
    with tempfile.TemporaryDirectory(prefix="agenticos-") as home, embedded_postgres(Path(home)) as url:
        for words in ("upgrade head", "downgrade base", "upgrade head", "check"):
            _check(f"alembic {words}", ["alembic", *words.split()], fix, DATABASE_URL=url)


def _services() -> None:
    wanted: list[tuple[str, Callable[[], str | None], Callable[[], object]]] = [
        (
            "redis-server",
            lambda: shutil.which("redis-server"),
            lambda: install_system_packages("redis-server"),
        ),
        ("chromium", browser.find, browser.ensure),
    ]
    for name, find, install in wanted:
        if not find():
            with step(f"installing {name}"):
                install()


def _pytest(words: list[str]) -> int:
    command = [sys.executable, "-m", "pytest", *words]
    return subprocess.run(
        command, cwd=ROOT, env=_environment(), stdin=subprocess.DEVNULL, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
