"""A throwaway PostgreSQL for tests: made by `initdb`, gone when the tests end.

    with throwaway() as cluster:
        url = cluster.database(migrated=True).gateway

PostgreSQL refuses to run as root; then it runs as `postgres` or `nobody`.
"""

import itertools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
import psycopg

OWNER: Final = "owner"
GATEWAY: Final = "gateway"
SUPERUSER: Final = "boss"
_PASSWORD: Final = "only for tests"
_UNPRIVILEGED: Final = ("postgres", "nobody")
_START_SECONDS: Final = 60
_SETTINGS: Final = {
    "fsync": "off",
    "max_connections": "200",
    "shared_buffers": "32MB",
    "log_min_messages": "fatal",
    "max_wal_size": "256MB",
    "deadlock_timeout": "50ms",
}


class MissingError(Exception):
    """There is no PostgreSQL on this machine, or nobody to run it as."""


class Place(msgspec.Struct, frozen=True):
    """One database, by the URL of each role that may come to it."""

    name: str
    owner: str
    gateway: str
    superuser: str

    def empty(self) -> None:
        """Remove all rows, whoever is still connected; what was migrated stays migrated."""
        with self.connect() as boss:
            boss.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            tables = boss.execute(
                "SELECT string_agg(quote_ident(tablename), ', ') FROM pg_tables"
                " WHERE schemaname = 'public' AND tablename <> 'alembic_version'"
            ).fetchall()
            boss.execute(f"TRUNCATE {tables[0][0]} RESTART IDENTITY CASCADE".encode())

    def connect(self) -> psycopg.Connection[tuple[object, ...]]:
        """Return a superuser's connection, for what is done behind the gateway's back."""
        return psycopg.connect(self.superuser, autocommit=True)


class Cluster:
    """A running server. `stop`, `kill` and `start` may be called at any time, in turn."""

    def __init__(
        self, binaries: Path, folder: Path, prefix: list[str], settings: Mapping[str, str]
    ) -> None:
        self.folder: Final = folder
        self.port: Final = _free_port()
        self._binaries: Final = binaries
        self._prefix: Final = prefix
        self._settings: Final = settings
        self._process: subprocess.Popen[bytes] | None = None
        self._names: Final = itertools.count(1)

    def start(self) -> None:
        """Start the server and return when it answers."""
        settings = {
            **_SETTINGS,
            **self._settings,
            "port": str(self.port),
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": str(self.folder),
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        command = [str(self._binaries / "postgres"), "-D", str(self.folder / "data"), *options]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603  # our own arguments
                [*self._prefix, *command], cwd=self.folder, stdout=log, stderr=log
            )
        self._wait()

    def stop(self) -> None:
        """Stop the server as its operator would: connections are cut, nothing is lost."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """End the server at once, without a checkpoint: it recovers at the next start."""
        self._end(signal.SIGQUIT)

    def database(self, *, template: str | None = None) -> Place:
        """Return a new database, owned by `owner`; a copy of `template` where one is named."""
        name = f"test_{next(self._names)}"
        copied = "" if template is None else f" TEMPLATE {template}"
        with psycopg.connect(self.url(SUPERUSER, "postgres"), autocommit=True) as connection:
            connection.execute(
                f"CREATE DATABASE {name} OWNER {OWNER}{copied}".encode()  # names of ours
            )
        return self.place(name)

    def drop(self, place: Place) -> None:
        """Remove a database, whoever is still connected."""
        with psycopg.connect(self.url(SUPERUSER, "postgres"), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {place.name} WITH (FORCE)".encode())

    def place(self, name: str) -> Place:
        """Return a database that is there, by name."""
        return Place(name, *(self.url(role, name) for role in (OWNER, GATEWAY, SUPERUSER)))

    def url(self, role: str, database: str, port: int | None = None) -> str:
        """Return the URL of a role at a database; through another port when one is named."""
        secret = _PASSWORD.replace(" ", "%20")
        return f"postgresql://{role}:{secret}@127.0.0.1:{port or self.port}/{database}"

    def initialise(self) -> None:
        """Make the data directory and the roles."""
        secret = self.folder / "secret"
        secret.write_text(_PASSWORD)
        secret.chmod(0o644)
        who = ("-U", SUPERUSER, f"--pwfile={secret}", "-A", "scram-sha-256")
        how = ("-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        self._run("initdb", "-D", str(self.folder / "data"), *who, *how)
        self.start()
        with psycopg.connect(self.url(SUPERUSER, "postgres"), autocommit=True) as connection:
            for role in (OWNER, GATEWAY):
                connection.execute(f"CREATE ROLE {role} LOGIN PASSWORD '{_PASSWORD}'".encode())

    def _run(self, program: str, *arguments: str) -> None:
        command = [*self._prefix, str(self._binaries / program), *arguments]
        done = subprocess.run(  # noqa: S603  # our own arguments
            command, cwd=self.folder, capture_output=True, check=False
        )
        if done.returncode:
            raise RuntimeError(done.stderr.decode(errors="replace"))

    def _wait(self) -> None:
        until = time.monotonic() + _START_SECONDS
        while True:
            try:
                psycopg.connect(self.url(SUPERUSER, "postgres"), connect_timeout=5).close()
            except psycopg.OperationalError:
                ended = self._process is None or self._process.poll() is not None
                if ended or time.monotonic() > until:
                    raise RuntimeError((self.folder / "log").read_text()[-2000:]) from None
                time.sleep(0.05)
            else:
                return

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(_START_SECONDS)
            self._process = None


@contextmanager
def throwaway(**settings: str) -> Iterator[Cluster]:
    """Lend a running server, with settings of its own. Raises MissingError where there is none."""
    binaries, prefix = _binaries(), _prefix()
    # Not pytest's folder: the server's user must be able to come in, and sockets have short names.
    folder = Path(tempfile.mkdtemp(prefix="memguard-pg-"))
    cluster = Cluster(binaries, folder, prefix, settings)
    try:
        if prefix:
            shutil.chown(folder, *_user())
        cluster.initialise()
        yield cluster
    finally:
        cluster.kill()
        shutil.rmtree(folder, ignore_errors=True)


def _binaries() -> Path:
    packaged = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=_version)
    found = [str(packaged[-1])] if packaged else [shutil.which("initdb") or ""]
    if not found[0]:
        raise MissingError("initdb is neither in /usr/lib/postgresql nor on PATH")
    return Path(found[0]).resolve().parent


def _version(initdb: Path) -> int:
    name = initdb.parts[-3]
    return int(name) if name.isdecimal() else 0


def _prefix() -> list[str]:
    """Return what to run a program by so that it is not root's."""
    if os.geteuid() != 0:
        return []
    user, group = _user()
    setpriv, runuser = shutil.which("setpriv"), shutil.which("runuser")
    if setpriv:
        # Killed with its starter: no server outlives tests that were killed.
        who = [f"--reuid={user}", f"--regid={group}", "--clear-groups"]
        return [setpriv, *who, "--pdeathsig", "INT"]
    if runuser:
        return [runuser, "-u", user, "--"]
    raise MissingError("neither setpriv nor runuser is there to leave root's rights")


def _user() -> tuple[str, str]:
    for user in _UNPRIVILEGED:
        home = subprocess.run(["/usr/bin/id", "-gn", user], capture_output=True, check=False)  # noqa: S603
        if home.returncode == 0:
            return user, home.stdout.decode().strip()
    raise MissingError("no unprivileged user to run PostgreSQL as")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
