"""How the API bears what a machine thinks up: `python -m tests.bench.fuzz [examples]`."""

import sys
import tempfile
import time
from pathlib import Path

from pydantic import SecretStr

from agenticos_app import log
from agenticos_app.ops import migrations
from agenticos_app.settings import Settings
from tests.fuzzing import WAYS, fuzz
from tests.services import postgres_cluster
from tests.serving import serving

MANY = 10**9


def main() -> int:
    """Ask every operation by both ways in; print the figures, return how many findings there are."""
    examples = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    log.configure("error", "text")
    findings = 0
    with postgres_cluster("fuzz") as url, tempfile.TemporaryDirectory() as folder:
        migrations.upgrade(url)
        settings = Settings(
            database_url=SecretStr(url),
            agenticos_home=Path(folder),
            redis_url=None,
            secret_key=None,
            rate_limit_auth_per_minute=MANY,
            rate_limit_api_per_minute=MANY,
            rate_limit_run_per_minute=MANY,
        )
        (pages := Path(folder) / "pages").mkdir()
        with serving(settings, pages) as served:
            for way in WAYS:
                began = time.monotonic()
                report = fuzz(served, way=way, examples=examples)
                findings += report.server_errors + len(report.wrong)
                print(  # noqa: T201
                    f"{way}: {report.calls} calls in {time.monotonic() - began:.0f} s, "
                    f"{report.server_errors} server errors, {len(report.wrong)} violations, "
                    f"statuses {dict(sorted(report.statuses.items()))}"
                )
                for name, told in report.wrong.items():
                    print(f"  {name}\n    {told}")  # noqa: T201
    return min(findings, 100)


if __name__ == "__main__":
    sys.exit(main())
