"""What takes seconds to make and is the same each time, made once per process of tests.

A gateway that starts loads its models and migrates a ledger that is not there yet, some three
seconds of a processor. Tests start a hundred of them. So what is made of the pinned files is kept
here, and a ledger that is not there yet is a copy of one that the real migration made. Everything
is the real thing, and the files' digests are compared at every start as ever. Neither is the
signature of a handler read again for each of the hundreds of applications.
"""

import asyncio
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FunctionType
from typing import Any, Final

import pytest
from litestar.utils.signature import ParsedSignature

from guard.models import embedder, prepare, reading
from guard.models.defender import Defender
from guard.models.files import Progress
from guard.models.minilm import MiniLm
from guard.models.use import MultilingualUse
from storage import database
from storage.engine import is_sqlite, parse
from storage.migrations import migrate

_ONE_AT_A_TIME: Final = threading.Lock()


@contextmanager
def kept_warm() -> Iterator[None]:
    """Have gateways share what each would make alike, while the block runs."""
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        keep = Path(folder)
        patch.setattr(embedder, "MiniLm", _shared(MiniLm, "embed", lambda *given: given))
        # The table, the third, lies in the folder of the gateway; its digest was compared before.
        patch.setattr(
            embedder,
            "MultilingualUse",
            _shared(MultilingualUse, "embed", lambda *given: (*given[:2], given[3])),
        )
        patch.setattr(reading, "Defender", _shared(Defender, "read", lambda *given: given))
        for room in ("gateway.app.serving", "gateway.app.screening"):
            patch.setattr(import_module(room), "prepare", _prepared(keep / "models"))
        patch.setattr(database, "migrate", _migrated(keep / "ledger.db"))
        patch.setattr(ParsedSignature, "from_fn", _read(ParsedSignature.from_fn))
        yield


class _OneAtATime:
    """A model of several gateways: each promises its own "one call at a time", this keeps it."""

    def __init__(self, model: Any, method: str) -> None:
        self._turn: Final = threading.Lock()
        self._ask: Final = getattr(model, method)
        setattr(self, method, self._asked)

    def _asked(self, texts: Sequence[str]) -> Any:
        with self._turn:
            return self._ask(texts)


def _shared(
    model: Callable[..., Any], method: str, alike: Callable[..., tuple[Any, ...]]
) -> Callable[..., Any]:
    """Return a maker that makes one model of what is `alike` in its arguments."""
    made: dict[tuple[Any, ...], _OneAtATime] = {}

    def make(*given: Any) -> _OneAtATime:
        key = alike(*given)
        with _ONE_AT_A_TIME:
            if key not in made:
                made[key] = _OneAtATime(model(*given), method)
            return made[key]

    return make


def _prepared(kept: Path) -> Callable[[Path, Progress], None]:
    """Return a `prepare` that inflates the word table once, and copies it from then on."""

    def laid_out(target: Path, progress: Progress) -> None:
        if not (target / prepare.TABLE).exists():
            with _ONE_AT_A_TIME:
                prepare.prepare(kept, lambda _step, _done, _total: None)
            target.mkdir(parents=True, exist_ok=True)
            for file in kept.iterdir():
                shutil.copyfile(file, target / file.name)
        prepare.prepare(target, progress)

    return laid_out


def _read(parse: Callable[..., ParsedSignature]) -> Callable[..., ParsedSignature]:
    """Return a reader of handlers' signatures that reads each once: a third of an application.

    Handlers are made anew for each application, out of the same code with the same types.
    """
    known: dict[tuple[Any, ...], ParsedSignature] = {}

    def read(fn: Any, names: dict[str, Any]) -> ParsedSignature:
        if not isinstance(fn, FunctionType) or fn.__kwdefaults__:
            return parse(fn, names)
        key = (fn.__module__, fn.__code__, tuple(fn.__annotations__.items()), fn.__defaults__)
        try:
            found = known.get(key)
        except TypeError:  # a default or a type that has no hash
            return parse(fn, names)
        if found is None:
            found = known[key] = parse(fn, names)
        return found

    return read


def _migrated(kept: Path) -> Callable[[str], Any]:
    """Return a `migrate` for which a ledger that is not there yet begins as a migrated one."""

    @cache
    def migrated() -> bytes:
        asyncio.run(migrate(f"sqlite+aiosqlite:///{kept}"))
        return kept.read_bytes()

    def copied(file: Path) -> None:
        with _ONE_AT_A_TIME:
            if file.parent.is_dir() and not file.exists():
                part = file.with_suffix(".part")
                part.write_bytes(migrated())
                part.replace(file)

    async def brought_up(url: str) -> str:
        parsed = parse(url)
        if is_sqlite(parsed):
            await asyncio.to_thread(copied, Path(str(parsed.database)))
        return await migrate(url)  # which sees to the file's mode, and that nothing is missing

    return brought_up
