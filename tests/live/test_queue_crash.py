"""Kills the gateway right after it accepted or stored a write: nothing is lost or doubled."""

import asyncio
import contextlib
import itertools
import uuid
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from http import HTTPStatus
from pathlib import Path
from typing import Final

import httpx2
import pytest

from gateway.fields import KEY, PREFER
from gateway.problems import REPLAYED
from tests.live.conftest import Figure
from tests.live.gateway_process import Caller, GatewayProcess, until
from tests.live.phrases import phrases

pytestmark = [pytest.mark.live, pytest.mark.timeout(900)]

_PER_ROUND: Final = 24
_LEASE_SECONDS: Final = 5
"""What a killed gateway was deciding is due again after that."""
_AGAIN_SECONDS: Final = 0.5


@pytest.fixture
async def gateway(tmp_path: Path, models: Path) -> AsyncIterator[GatewayProcess]:
    """Lend a gateway whose leases are short."""
    lease = str(_LEASE_SECONDS)
    async with GatewayProcess(
        tmp_path / "data", models, MEMGUARD_WRITES_LEASE_SECONDS=lease
    ) as process:
        yield process


class Accepting:
    """Clients that have writes accepted, and send one again, with its key, until it is."""

    def __init__(self, callers: list[Caller]) -> None:
        self.accepted: list[tuple[Caller, str, str]] = []
        self.broken = 0
        self.replayed = 0
        self._callers = callers
        self._texts = [phrases(number) for number in range(len(callers))]

    async def round(self, writes: int) -> None:
        """Have so many writes accepted, all at once."""
        pairs = list(itertools.islice(itertools.cycle(range(len(self._callers))), writes))
        async with asyncio.TaskGroup() as group:
            for number in pairs:
                group.create_task(self._insist(self._callers[number], next(self._texts[number])))

    async def _insist(self, caller: Caller, text: str) -> None:
        headers = {PREFER: "respond-async", KEY: str(uuid.uuid4())}
        while True:
            try:
                answer = await caller.http.post(
                    "/v1/memories", json={"text": text}, headers=headers
                )
            except httpx2.TransportError:
                self.broken += 1
            else:
                if answer.status_code == HTTPStatus.ACCEPTED:
                    break
                assert answer.status_code == HTTPStatus.SERVICE_UNAVAILABLE, answer.text
            await asyncio.sleep(_AGAIN_SECONDS)
        assert answer.json()["outcome"] == "queued"
        self.replayed += REPLAYED in answer.headers
        self.accepted.append((caller, str(answer.json()["id"]), text))


@pytest.mark.requirement("W14", "E10", "Q6")
async def test_accepted_writes_survive_kills_of_the_gateway(
    gateway: GatewayProcess, figure: Figure, kills: int
) -> None:
    """Each is decided once, under its id; those whose 202 was lost are accepted once as well."""
    callers = [
        gateway.caller(tenant, subject)
        for tenant in ("acme", "globex")
        for subject in ("anna", "béla-李")
    ]
    accepting = Accepting(callers)
    waited, kills = 0, max(3, kills // 2)
    for kill in range(kills):
        before = len(accepting.accepted)
        going = asyncio.create_task(accepting.round(_PER_ROUND))

        async def acknowledged(count: int = before + 1 + 2 * kill) -> bool:
            return len(accepting.accepted) >= count

        await until(acknowledged, "writes are accepted")
        await gateway.kill()
        waited += _rows(gateway, "queue")
        await gateway.start()
        await going
    assert accepting.broken >= kills, "every kill was to fall in the middle of writes"
    assert waited > 0, "some accepted writes were to wait when the gateway was killed"
    assert len(accepting.accepted) == kills * _PER_ROUND

    async def decided() -> bool:
        return _rows(gateway, "queue") == 0

    await until(decided, "everything that was accepted is decided")
    outcomes: Counter[str] = Counter()
    expected: defaultdict[Caller, list[str]] = defaultdict(list)
    for caller, id, text in accepting.accepted:
        told = (await caller.http.get(f"/v1/writes/{id}")).json()
        outcomes[told["write"]["outcome"]] += 1
        assert told["write"]["id"] == id
        assert (await caller.fetch(id)).json()["text"] == text
        expected[caller].append(text)
    assert outcomes == {"stored": len(accepting.accepted)}
    for caller, texts in expected.items():
        assert sorted(await caller.texts()) == sorted(texts)
    await gateway.drained()
    await gateway.stop()
    assert await gateway.verify_audit() >= 2 * len(accepting.accepted)
    figure(
        f"{kills} kills right after 202: {len(accepting.accepted)} accepted, {waited} waited at "
        f"the kills, {accepting.broken} requests broken off, {accepting.replayed} answered again, "
        "0 lost, 0 doubled"
    )


@pytest.mark.requirement("E10")
@pytest.mark.parametrize("way", ["direct", "later"])
async def test_a_kill_between_commit_and_answer_does_not_double_a_write(
    gateway: GatewayProcess, figure: Figure, kills: int, way: str
) -> None:
    """The client never reads the answer; asked again with the key it is the first one."""
    caller = gateway.caller("acme", "anna")
    texts = phrases(7)
    table, prefer = {
        "direct": ("memories", {}),
        "later": ("writes", {PREFER: "respond-async"}),
    }[way]
    told: list[str] = []
    kills = max(2, kills // 4)
    for kill in range(kills):
        text, headers = next(texts), {KEY: f"key-{kill}", **prefer}
        before = _rows(gateway, table)
        asking = asyncio.create_task(
            caller.http.post("/v1/memories", json={"text": text}, headers=headers)
        )

        async def committed(count: int = before) -> bool:
            return _rows(gateway, table) > count

        await until(committed, "the write is in the ledger")
        await gateway.kill()
        with contextlib.suppress(httpx2.TransportError):
            await asking
        await gateway.start()
        answer = await caller.http.post("/v1/memories", json={"text": text}, headers=headers)
        assert answer.headers.get(REPLAYED) == "true"
        assert answer.json()["outcome"] == {"direct": "stored", "later": "queued"}[way]
        told.append(answer.json()["id"])
    if way == "direct":
        again = await caller.store(text)
        assert again.json()["outcome"] == "merged", "without its key it would have been another"

    async def decided() -> bool:
        return _rows(gateway, "queue") == 0

    await until(decided, "everything that was accepted is decided")
    assert len(set(told)) == len(await caller.texts()) == kills
    await gateway.stop()
    await gateway.verify_audit()
    figure(f"{kills} kills between commit and answer ({way}): {kills} told again, 0 doubled")


def _rows(gateway: GatewayProcess, table: str) -> int:
    with contextlib.closing(gateway.ledger()) as ledger:
        found = ledger.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608  # ours
    return int(found[0])
