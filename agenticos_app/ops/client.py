"""The browser's half of the product: built once with Node, and again only when what shapes it changed."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from agenticos_app.ops import programs
from agenticos_app.ops.place import ROOT, VENV, alone, usable
from agenticos_app.ops.report import Refusal, say, step
from agenticos_app.ops.setup import NODE, reported

WEB = ROOT / ".web"
BUILT = WEB / "build" / "client"
LOCALES = ROOT / "assets" / "locales"
"""The catalogues, where the client finds them."""

LOG = WEB / "build.log"
_STAMP = WEB / "agenticos.json"
_SOURCES = (
    "agenticos_app/agenticos_app.py",
    "agenticos_app/catalogue.py",
    "agenticos_app/client_build.py",
    "agenticos_app/contracts",
    "agenticos_app/i18n",
    "agenticos_app/pages",
    "agenticos_app/schemas",
    "assets",
    "capabilities",
    "components",
    "reflex.lock",
    "requirements.txt",
    "rxconfig.py",
    "state",
)
_IGNORED = {"__pycache__", "locales", "external"}
_NEEDED_MB = 700


def ensure_built() -> None:
    """Build the client when there is none or its sources changed.

    Raises:
        Refusal: The build failed.
    """
    if is_current():
        return
    with alone(ROOT / "rxconfig.py"):
        if is_current():
            return
        usable(WEB, needed_mb=_NEEDED_MB)
        with step("building the pages (about a minute the first time)"):
            _build()
            _STAMP.write_text(json.dumps({"sources": digest()}))


def is_current() -> bool:
    """Tell whether the built client fits its sources."""
    try:
        built_of = json.loads(_STAMP.read_text())["sources"]
    except (OSError, ValueError, KeyError):
        return False
    return (BUILT / "index.html").is_file() and built_of == digest()


def digest(root: Path = ROOT) -> str:
    """Return a hash of everything that shapes the client."""
    total = hashlib.sha256()
    for path in sorted(_files(root)):
        content = path.read_bytes()
        total.update(f"{path.relative_to(root)} {len(content)}\n".encode())
        total.update(content)
    return total.hexdigest()


def _files(root: Path) -> Iterator[Path]:
    for name in _SOURCES:
        source = root / name
        found = source.rglob("*") if source.is_dir() else [source]
        yield from (
            path
            for path in found
            if path.is_file() and not _IGNORED.intersection(path.relative_to(root).parts)
        )


def _build() -> None:
    write_catalogues(LOCALES)
    command = [VENV / "bin" / "reflex", "export", "--frontend-only", "--no-zip"]
    done = programs.run(command, cwd=ROOT, env=_environment())
    LOG.write_text(done.stdout)
    if done.returncode or not (BUILT / "index.html").is_file():
        for line in done.stdout.strip().splitlines()[-20:]:
            say(f"    {line}")
        raise reported(done.stdout, f"The pages could not be built; all of the output is in {LOG}.")


def write_catalogues(folder: Path) -> None:
    """Write each language with the words of every capability, as `<language>.json`."""
    from agenticos_app import catalogue  # only who builds needs it

    folder.mkdir(parents=True, exist_ok=True)
    for language in catalogue.LANGUAGES:
        words = json.dumps(catalogue.tree(language), ensure_ascii=False)
        (folder / f"{language}.json").write_text(words, encoding="utf-8")


def _environment() -> dict[str, str]:
    quiet = programs.environment(
        first_on_path=[NODE, VENV / "bin"],
        REFLEX_USE_NPM="1",
        REFLEX_TELEMETRY_ENABLED="false",
        REFLEX_CHECK_LATEST_VERSION="false",
        NPM_CONFIG_OMIT_LOCKFILE_REGISTRY_RESOLVED="true",
        NPM_CONFIG_FUND="false",
        NPM_CONFIG_AUDIT="false",
        NPM_CONFIG_UPDATE_NOTIFIER="false",
        CI="1",
    )
    asked = programs.run([NODE / "npm", "config", "get", "registry"], cwd=ROOT, env=quiet)
    if asked.returncode:
        raise Refusal("Node does not run; remove .venv and start again.")
    # Named to Reflex, which would else look for a mirror of its own choice.
    return {**quiet, "NPM_CONFIG_REGISTRY": asked.stdout.strip().splitlines()[-1]}
