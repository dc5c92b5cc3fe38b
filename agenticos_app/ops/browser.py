"""A Chromium for the browser tests: found on the machine, else installed."""

import shutil
import sys
from pathlib import Path

from agenticos_app.ops import programs
from agenticos_app.ops.place import ROOT
from agenticos_app.ops.report import Refusal
from agenticos_app.ops.setup import install_system_packages

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find() -> str | None:
    """Return the path of a Chromium, or None."""
    for name in _NAMES:
        if found := shutil.which(name):
            return found
    asked = programs.run([sys.executable, "-c", _PLAYWRIGHTS_OWN], cwd=ROOT)
    path = (asked.stdout.strip().splitlines() or [""])[-1]
    return path if asked.returncode == 0 and Path(path).is_file() else None


_PLAYWRIGHTS_OWN = """
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    print(playwright.chromium.executable_path)
"""


def ensure() -> str:
    """Return the path of a Chromium, installing one when there is none.

    Raises:
        Refusal: None is there and none could be installed.
    """
    if found := find():
        return found
    programs.run([sys.executable, "-m", "playwright", "install", "--with-deps", "chromium"], cwd=ROOT)
    if found := find():
        return found
    try:
        install_system_packages("chromium")
    except (Refusal, FileNotFoundError) as error:
        raise Refusal("The browser tests need Chromium; install it with your package manager.") from error
    if found := find():
        return found
    raise Refusal("The browser tests need Chromium; install it with your package manager.")
