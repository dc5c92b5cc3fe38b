"""Reads the words of the command line and does what they say."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import ValidationError

from agenticos_app.ops.place import ROOT
from agenticos_app.ops.report import Refusal, say
from agenticos_app.settings import Settings

Command = Callable[[Settings, argparse.Namespace], int]


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code."""
    given = parser().parse_args(words)
    os.chdir(ROOT)
    try:
        return given.command(_settings(), given)
    except Refusal as refusal:
        say(str(refusal))
        return 1
    except KeyboardInterrupt:
        say("Stopped.")
        return 130


def parser() -> argparse.ArgumentParser:
    """Describe all commands."""
    top = argparse.ArgumentParser(prog="agenticos", description="Run and look after an AgenticOS deployment.")
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, command: Command, text: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text)
        made.set_defaults(command=command)
        return made

    add("run", _run, "Start everything and serve until Ctrl-C.")
    add("worker", _worker, "Execute runs without serving pages; needs REDIS_URL.")
    add("doctor", _doctor, "Check everything that a start needs.")
    add("migrate", _migrate, "Bring the database to the schema of this release.")
    add("settings-example", _settings_example, "Print the settings as a .env file.")

    link = add("set-up-link", _set_up_link, "Print a fresh one-time link that creates the owner's account.")
    link.add_argument("--quiet", action="store_true", help="say nothing when the owner exists")

    boot = add("bootstrap", _bootstrap, "Create the owner's account without the link.")
    boot.add_argument("--email", required=True)
    boot.add_argument("--name", required=True, help="the owner's full name")
    boot.add_argument("--organization", required=True)
    boot.add_argument("--password-file", type=_path, help="else it is asked for, or read from standard input")
    boot.add_argument("--model-url", help="base URL of a server with OpenAI's interface")
    boot.add_argument("--model-name")
    boot.add_argument("--model-key-file", type=_path)

    admin = add("create-app-admin", _create_app_admin, "Make an account an administrator of the deployment.")
    admin.add_argument("email", metavar="EMAIL")
    admin.add_argument("--revoke", action="store_true", help="take the role away")

    off = add("deactivate-account", _deactivate, "End an account's sessions and let nobody sign in with it.")
    off.add_argument("email", metavar="EMAIL")
    on = add("reactivate-account", _reactivate, "Let a deactivated account be used again.")
    on.add_argument("email", metavar="EMAIL")
    add("vault-rewrap", _vault_rewrap, "Put all stored secrets under the newest VAULT_MASTER_KEY.")

    save = add("backup", _backup, "Save database, files and keys into one archive.")
    save.add_argument("archive", type=_path, metavar="ARCHIVE", help="a new file, for example saved.tar.gz")

    back = add("restore", _restore, "Bring back what `backup` saved.")
    back.add_argument("archive", type=_path, metavar="ARCHIVE")
    back.add_argument("--force", action="store_true", help="replace what is there")
    return top


def _path(word: str) -> Path:
    return Path(word).expanduser().resolve()


def _settings() -> Settings:
    try:
        return Settings()
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        name = "_".join(str(part) for part in problem["loc"]).upper()
        raise Refusal(f"{name} has a wrong value ({problem['msg']}); correct it in .env.") from None


# What each command needs is imported by it, so that `run` does not wait for what only `bootstrap` uses.


def _run(settings: Settings, _given: argparse.Namespace) -> int:
    from agenticos_app.ops import serve

    return serve.run(settings)


def _doctor(settings: Settings, _given: argparse.Namespace) -> int:
    from agenticos_app.ops import doctor

    return doctor.doctor(settings)


def _migrate(settings: Settings, _given: argparse.Namespace) -> int:
    from agenticos_app.ops import migrations
    from agenticos_app.ops.postgres import database_of

    with database_of(settings) as url:
        if not migrations.is_current(url):
            migrations.upgrade(url)
        say(f"The database is at revision {migrations.revision_of(url)}.")
    return 0


def _settings_example(_settings: Settings, _given: argparse.Namespace) -> int:
    from agenticos_app.ops.settings_file import example

    sys.stdout.write(example())
    return 0


def _backup(settings: Settings, given: argparse.Namespace) -> int:
    from agenticos_app.ops import backup

    backup.backup(settings, given.archive)
    return 0


def _restore(settings: Settings, given: argparse.Namespace) -> int:
    from agenticos_app.ops import backup

    backup.restore(settings, given.archive, force=given.force)
    return 0


def _worker(settings: Settings, _given: argparse.Namespace) -> int:
    from agenticos_app.cli import platform

    return platform.worker(settings)


def _set_up_link(settings: Settings, given: argparse.Namespace) -> int:
    from agenticos_app.cli import set_up

    return set_up.set_up_link(settings, quiet=given.quiet)


def _bootstrap(settings: Settings, given: argparse.Namespace) -> int:
    from agenticos_app.cli import platform

    return platform.bootstrap(settings, given)


def _create_app_admin(settings: Settings, given: argparse.Namespace) -> int:
    from agenticos_app.cli import platform

    return platform.create_app_admin(settings, given.email, admin=not given.revoke)


def _deactivate(settings: Settings, given: argparse.Namespace) -> int:
    from agenticos_app.cli import platform

    return platform.set_account_active(settings, given.email, active=False)


def _reactivate(settings: Settings, given: argparse.Namespace) -> int:
    from agenticos_app.cli import platform

    return platform.set_account_active(settings, given.email, active=True)


def _vault_rewrap(settings: Settings, _given: argparse.Namespace) -> int:
    from agenticos_app.cli import platform

    return platform.vault_rewrap(settings)
