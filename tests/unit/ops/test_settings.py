"""Settings: one typed object, its example file, and the sentence for a wrong value."""

from pathlib import Path

import pytest

from agenticos_app.cli.main import main
from agenticos_app.ops import serve
from agenticos_app.ops.report import Refusal
from agenticos_app.ops.settings_file import EXAMPLE, example
from agenticos_app.settings import Settings


@pytest.mark.req("DOM-CONFIG-01")
def test_the_example_file_is_made_from_the_settings() -> None:
    assert EXAMPLE.read_text() == example(), "run `.venv/bin/agenticos settings-example > .env.example`"


@pytest.mark.req("DOM-CONFIG-01")
def test_a_start_needs_no_file_and_unknown_names_do_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.chdir(tmp_path)
    untouched = Settings()
    (tmp_path / ".env").write_text("API_KEY=old\nPGVECTOR_HOST=old\nPORT=8123\n")
    assert Settings() == untouched.model_copy(update={"port": 8123})


@pytest.mark.req("DOM-CONFIG-01")
def test_the_example_file_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    untouched = Settings()
    lines = [line.removeprefix("# ") for line in example().splitlines() if "=" in line]
    (tmp_path / ".env").write_text("\n".join(lines))
    assert Settings() == untouched


def test_a_wrong_value_is_named_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PORT", "s3cret")
    assert main(["settings-example"]) == 1
    said = capsys.readouterr().out
    assert said.startswith("PORT has a wrong value")
    assert said.count("\n") == 1
    assert "s3cret" not in said


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"server_processes": 2}, "REDIS_URL"),
        ({"trusted_proxies": "10.0.0.1, proxy.internal"}, "proxy.internal"),
        ({"public_url": "agents.example.org"}, "PUBLIC_URL"),
    ],
)
def test_settings_that_do_not_go_together_stop_the_start(changes: dict[str, object], named: str) -> None:
    with pytest.raises(Refusal, match=named):
        serve.check(Settings().model_copy(update={"redis_url": None, **changes}))
