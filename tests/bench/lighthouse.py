"""Lighthouse of the sign-in page and of the empty chat, on the mobile profile."""

import asyncio
import json
import shutil
import sys
import tempfile
from pathlib import Path

from agenticos_app.ops import programs
from agenticos_app.ops.setup import NODE
from tests.bench.deployment import deployment
from tests.bench.measure import report

VERSION = "12.8.2"
GOALS = {"performance": 90, "accessibility": 100, "best-practices": 100}
REPEATS = 3


def installed(folder: Path) -> Path:
    """Install Lighthouse into a folder and return its program."""
    env = programs.environment(first_on_path=[NODE])
    done = programs.run(
        ["npm", "install", "--no-fund", "--no-audit", f"lighthouse@{VERSION}"], cwd=folder, env=env
    )
    assert done.returncode == 0, done.stdout
    return folder / "node_modules" / ".bin" / "lighthouse"


def scores(program: Path, folder: Path, url: str, headers: dict[str, str]) -> dict[str, int]:
    """Return the median scores of a page."""
    (folder / "headers.json").write_text(json.dumps(headers))
    chromium = shutil.which("chromium") or shutil.which("google-chrome") or ""
    env = programs.environment(first_on_path=[NODE], CHROME_PATH=chromium)
    found: dict[str, list[int]] = {name: [] for name in GOALS}
    for _ in range(REPEATS):
        command = [
            program,
            url,
            "--quiet",
            "--output=json",
            "--output-path=report.json",
            f"--only-categories={','.join(GOALS)}",
            "--extra-headers=headers.json",
            "--chrome-flags=--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage",
        ]
        done = programs.run(command, cwd=folder, env=env)
        assert done.returncode == 0, done.stdout[-2000:]
        categories = json.loads((folder / "report.json").read_text())["categories"]
        for name in GOALS:
            found[name].append(round(categories[name]["score"] * 100))
    return {name: sorted(values)[len(values) // 2] for name, values in found.items()}


async def main() -> int:
    figures: list[tuple[str, bool]] = []
    async with deployment() as ours:
        with tempfile.TemporaryDirectory(prefix="agenticos-lighthouse-") as name:
            folder = Path(name)
            program = await asyncio.to_thread(installed, folder)
            cookie = {"Cookie": ours.headers["cookie"]}
            for page, headers in (("sign-in", {}), ("chat", cookie)):
                got = await asyncio.to_thread(scores, program, folder, f"{ours.base_url}/{page}", headers)
                figures.append(
                    (
                        f"{page} {'/'.join(map(str, got.values()))}",
                        all(got[one] >= GOALS[one] for one in GOALS),
                    )
                )
    how = f"performance/accessibility/best practices, mobile, medians of {REPEATS}, Lighthouse {VERSION}"
    return report("lighthouse", figures, how)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
