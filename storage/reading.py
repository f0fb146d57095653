"""Reads on SQLite: in a thread of their own, with one hand-over for all that is asked together.

An asynchronous driver hands each step of a statement to its thread and takes it back: the cursor,
the execution, the rows, the end, and so on. For a read of a few rows that costs several times what
SQLite itself takes. A server is spoken to asynchronously, as it should be.
"""

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from sqlalchemy import Executable
from sqlalchemy import Row as SqlRow
from sqlalchemy.engine import URL

from storage.engine import reading_engine

_THREADS: Final = 4
"""Reads at once: they take turns of the interpreter for most of their time anyway."""

Query = tuple[Executable, Mapping[str, Any]]
"""A statement that reads, and its parameters."""
Found = list[Sequence[SqlRow[Any]]]
"""The rows of each statement, in order."""


class Reader:
    """Reads one SQLite file. Its connections can't write."""

    def __init__(self, url: URL) -> None:
        self._engine = reading_engine(url, _THREADS)
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="reading")

    async def fetch(self, queries: Sequence[Query]) -> Found:
        """Return what each statement finds, each seeing its own moment.

        Raises OSError when it is closed.
        """
        loop = asyncio.get_running_loop()
        try:
            reading = loop.run_in_executor(self._threads, self._fetched, queries)
        except RuntimeError as error:
            raise OSError("closed") from error
        return await reading

    async def close(self) -> None:
        """Let what runs end, and let go of every connection."""
        await asyncio.to_thread(self._threads.shutdown)
        self._engine.dispose()

    def _fetched(self, queries: Sequence[Query]) -> Found:
        with self._engine.connect() as connection:
            return [connection.execute(query, dict(asked)).all() for query, asked in queries]
