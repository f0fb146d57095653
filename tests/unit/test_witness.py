"""The gateway signs what its tenants' records are, where somebody else keeps it (Q6)."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import msgspec
import pytest

from gateway.app.auditing import kept_in, new_audit_key, signing_key
from gateway.app.keep import Keep, opened_keep
from gateway.app.witnessing import Witness, in_file, witnessed
from gateway.settings import SettingsError, load
from guard.errors import UnavailableError
from memory.types import TenantId
from tests.contracts.test_registry import leaf

ACME, GLOBEX = TenantId("acme"), TenantId("globex")


@pytest.fixture
async def keep(tmp_path: Path) -> AsyncIterator[Keep]:
    """Lend a ledger on a real file with a record of three leaves."""
    settings = load(environ={}, overrides={"storage.data_dir": str(tmp_path / "data")})
    async with opened_keep(settings) as opened:
        await opened.audit.note([leaf(number, ACME) for number in (1, 2, 3)])
        yield opened


@pytest.mark.requirement("Q6")
async def test_each_record_that_grew_is_signed_once(keep: Keep, tmp_path: Path) -> None:
    """Waiting leaves included; what is kept fits the ledger, and the file is its owner's alone."""
    file, sink = tmp_path / "audit.key", tmp_path / "kept.jsonl"
    verifier = new_audit_key("memory.example", file)
    witness = Witness(keep.audit, signing_key(file), [in_file(sink)])
    assert (await witness.sign(), await witness.sign()) == (1, 0)
    await keep.audit.note([leaf(4, ACME), leaf(1, GLOBEX)])
    assert await witness.sign() == 2
    kept = kept_in(sink, [verifier])
    assert [(one.tenant, one.size) for one in kept] == [(ACME, 3), (ACME, 4), (GLOBEX, 1)]
    mine = [one for one in kept if one.tenant == ACME]
    assert (await keep.audit.verify(ACME, mine)).ok
    assert sink.stat().st_mode & 0o777 == 0o600


@pytest.mark.requirement("Q6")
async def test_a_checkpoint_that_was_not_kept_is_offered_again(keep: Keep, tmp_path: Path) -> None:
    """A place that does not take it costs no checkpoint."""
    file, sink = tmp_path / "audit.key", tmp_path / "not yet" / "kept.jsonl"
    verifier = new_audit_key("memory.example", file)
    witness = Witness(keep.audit, signing_key(file), [in_file(sink)])
    with pytest.raises(UnavailableError):
        await witness.sign()
    sink.parent.mkdir()
    assert await witness.sign() == 1
    assert [one.size for one in kept_in(sink, [verifier])] == [3]


@pytest.mark.requirement("Q6")
@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM leaves WHERE tenant = 'acme' AND sequence > 1",
        "UPDATE leaves SET chain = x'00' WHERE tenant = 'acme' AND sequence = 3",
    ],
)
async def test_a_record_that_does_not_go_on_is_signed_no_more(
    keep: Keep, tmp_path: Path, sql: str
) -> None:
    """Cut, or with another head than the one that was seen; other tenants' go on."""
    file, sink = tmp_path / "audit.key", tmp_path / "kept.jsonl"
    new_audit_key("memory.example", file)
    witness = Witness(keep.audit, signing_key(file), [in_file(sink)])
    assert await witness.sign() == 1
    with closing(sqlite3.connect(tmp_path / "data" / "ledger.db")) as ledger, ledger:
        assert ledger.execute(sql).rowcount > 0
    await keep.audit.note([leaf(9, ACME), leaf(1, GLOBEX)])
    assert await witness.sign() == 1
    assert len(sink.read_text().splitlines()) == 2
    assert '"globex"' in sink.read_text().splitlines()[1]


class _Receiver(BaseHTTPRequestHandler):
    """Refuses what comes first, then keeps it."""

    server: "_Server"

    def do_POST(self) -> None:
        """Take lines."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.offered += 1
        if self.server.offered > 1:
            self.server.kept += body
        self.send_response(503 if self.server.offered == 1 else 204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is inherited
        """Say nothing."""


class _Server(HTTPServer):
    offered = 0
    kept = b""


@pytest.mark.requirement("Q6")
async def test_a_url_takes_checkpoints_while_the_gateway_serves(keep: Keep, tmp_path: Path) -> None:
    """What it refuses is posted again; plain http is for this machine alone."""
    file, sink = tmp_path / "audit.key", tmp_path / "kept.jsonl"
    verifier = new_audit_key("memory.example", file)
    with _Server(("127.0.0.1", 0), _Receiver) as server:
        serving = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        serving.start()
        settings = load(
            environ={},
            overrides={
                "audit.key_file": str(file),
                "audit.sink_url": f"http://127.0.0.1:{server.server_port}/checkpoints",
                "audit.seconds": "0.1",
            },
        )
        async with asyncio.timeout(30), witnessed(settings, keep.audit):
            while not server.kept:  # noqa: ASYNC110 - another thread keeps it
                await asyncio.sleep(0.01)
        server.shutdown()
    sink.write_bytes(server.kept)
    assert [(one.tenant, one.size) for one in kept_in(sink, [verifier])] == [(ACME, 3)]

    audit = msgspec.structs.replace(settings.audit, sink_url="http://logs.example/checkpoints")
    exposed = msgspec.structs.replace(settings, audit=audit)
    with pytest.raises(SettingsError, match=r"audit\.sink_url"):
        async with witnessed(exposed, keep.audit):
            pass


def test_a_place_without_a_key_is_refused() -> None:
    """Nor is a key without a place: somebody would believe that checkpoints are kept."""
    for wrong in (
        {"audit.sink_file": "kept.jsonl"},
        {"audit.key_file": "audit.key"},
        {"audit.key_file": "audit.key", "audit.sink_file": "k", "audit.sink_ca_file": "ca.pem"},
    ):
        with pytest.raises(SettingsError, match=r"audit\."):
            load(environ={}, overrides=wrong)
    assert (
        load(
            environ={}, overrides={"audit.key_file": "audit.key", "audit.sink_file": "kept.jsonl"}
        ).audit.seconds
        == 60
    )
