"""Ask one guard about every row, in a process of its environment that knows nothing of ours."""

import asyncio
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from bench.poisoning.figures import Spread, spread
from bench.poisoning.peers.installing import MissingError, Peer, installed
from bench.poisoning.rows import Row
from bench.poisoning.tables import Case, Scored, scored
from memory.origin import OriginClass

_ASK: Final = Path(__file__).parent / "ask.py"
_ANSWER_SECONDS: Final = 60.0
"""How long one row may take, the loading of the guard included."""
_LAST: Final = 200
"""Characters of the last line on a guard's stderr that are told when it ends early."""


class Verdict(msgspec.Struct, frozen=True):
    """What one setting of a guard makes of one row."""

    held: bool
    score: float | None


class Answer(msgspec.Struct, frozen=True):
    """What a guard says of one row; `failed` is the kind of error it raised instead."""

    seconds: float
    verdicts: Mapping[str, Verdict] = {}
    failed: str | None = None


class PeerReport(msgspec.Struct, frozen=True):
    """What came of asking a guard. `reason` says why there is nothing, else it is None.

    `loose` are the settings that let the guard's own control through. `failed` rows count as not
    held. `each` is the time of a row with all settings together.
    """

    name: str
    version: str
    reason: str | None
    loose: tuple[str, ...]
    failed: int
    each: Spread
    scored: Mapping[str, list[Scored]]


async def asked(
    peer: Peer,
    rows: Sequence[tuple[Row, OriginClass]],
    peers_dir: Path,
    advance: Callable[[int], None],
) -> tuple[PeerReport, dict[str, list[Case]]]:
    """Return what the guard makes of each row, as its origin, by the name of the setting."""
    try:
        python = await installed(peer, peers_dir)
        control = (Row(text=peer.control, label=1), OriginClass.WEB)
        first, *answers = await _answers(python, peer, (control, *rows), advance)
    except MissingError as error:
        return PeerReport(peer.name, peer.version, str(error), (), 0, spread(()), {}), {}
    names = list(dict.fromkeys(name for one in answers for name in one.verdicts))
    cases: dict[str, list[Case]] = {name: [] for name in names}
    scores: dict[str, list[float | None]] = {name: [] for name in names}
    for (row, _), answer in zip(rows, answers, strict=True):
        for name in names:
            verdict = _verdict(answer, name)
            cases[name].append(Case(row, verdict.held, unread=answer.failed is not None))
            scores[name].append(verdict.score)
    told = {
        name: scored([row for row, _ in rows], [one or 0.0 for one in given])
        for name, given in scores.items()
        if any(one is not None for one in given)
    }
    failed = sum(one.failed is not None for one in answers)
    each = spread([one.seconds for one in answers])
    loose = tuple(name for name in names if not _verdict(first, name).held)
    return PeerReport(peer.name, peer.version, None, loose, failed, each, told), cases


def _verdict(answer: Answer, setting: str) -> Verdict:
    return answer.verdicts.get(setting, Verdict(held=False, score=None))


async def _answers(
    python: Path,
    peer: Peer,
    rows: Sequence[tuple[Row, OriginClass]],
    advance: Callable[[int], None],
) -> list[Answer]:
    """Return one answer a row. Raises MissingError when the guard ends before the last."""
    answers: list[Answer] = []
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as said:
        questions = Path(folder) / "rows.jsonl"
        lines = [msgspec.json.encode({"text": row.text, "origin": at}) for row, at in rows]
        questions.write_bytes(b"".join(line + b"\n" for line in lines))
        home = Path(folder) / "home"
        home.mkdir()
        with questions.open("rb") as source:
            process = await asyncio.create_subprocess_exec(
                str(python),
                "-I",
                str(_ASK),
                peer.runner,
                str(home),
                stdin=source,
                stdout=asyncio.subprocess.PIPE,
                stderr=said,
                cwd=home,
                env=_environment(home),
            )
        assert process.stdout is not None  # noqa: S101 - it was asked for
        try:
            while line := await _line(process.stdout):
                answers.append(msgspec.json.decode(line, type=Answer))
                advance(len(answers))
        finally:
            if process.returncode is None and len(answers) < len(rows):
                process.kill()
            await process.wait()
        if len(answers) != len(rows):
            said.seek(0)
            last = said.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise MissingError(f"ended after {len(answers)} rows: {last[:_LAST]}")
    return answers


async def _line(stream: asyncio.StreamReader) -> bytes:
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            return await stream.readline()
    except TimeoutError:
        return b""


def _environment(home: Path) -> dict[str, str]:
    """Return what the guard's process is given: nothing of ours, and no way to be configured."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {**kept, "HOME": str(home), "TMPDIR": str(home), "PYTHONUTF8": "1"}
