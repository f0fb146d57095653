"""Rows that recall read and proved of late, still sealed, while nothing of the subject changes.

A subject who asks one thing asks another, and much the same memories come into question: what the
ledger holds of them need not be read each time. Every change of a memory moves its subject's epoch,
in the same transaction. So a row that was read at the epoch which the ledger names now is the row
that it would be read as now; and it is checked and opened like any other before it is shown.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final

from guard.nouns import Row
from memory.types import Epoch, MemoryId, Owner

_OVERHEAD: Final = 2_048
"""About what the objects of one row take beside their bytes."""


class Lately:
    """The rows of the subjects who asked last, at most so many bytes and seconds of them.

    Of one subject there are rows of one epoch, never of two. What the index lacks is not among
    them: whether it still does, no epoch tells.
    """

    def __init__(self, most_bytes: int = 0, seconds: float = 300.0) -> None:
        """With room for no bytes it keeps nothing."""
        self.bytes = 0
        self._most = most_bytes
        self._lasts = timedelta(seconds=seconds)
        self._kept: OrderedDict[Owner, _OneEpoch] = OrderedDict()

    @property
    def is_open(self) -> bool:
        """Whether there is room for anything."""
        return self._most > 0

    def find(
        self, owner: Owner, epoch: Epoch, ids: Iterable[MemoryId], now: datetime
    ) -> Mapping[MemoryId, Row]:
        """Return those of `ids` that were read of this owner, as they still are at `epoch`.

        `epoch` is what the ledger named after the question had been asked. What was read at
        another one is let go of, a later one as well: it was put back behind the ledger's back.
        """
        kept = self._kept.get(owner)
        if kept is None:
            return {}
        if kept.epoch != epoch or not kept.since <= now < kept.since + self._lasts:
            self.drop(owner)
            return {}
        self._kept.move_to_end(owner)
        return {id: row for id in ids if (row := kept.rows.get(id)) is not None}

    def put(self, owner: Owner, epoch: Epoch, rows: Iterable[Row], now: datetime) -> None:
        """Keep rows that were read after the ledger had named `epoch`, and proved since.

        They take the place of what was not asked for longest.
        """
        # (1) Of one epoch, from the first of its rows on: none is kept for ever by being used.
        kept = self._kept.get(owner)
        if kept is None or kept.epoch != epoch:
            self.drop(owner)
            kept = _OneEpoch(epoch, now)
        # (2) One that is there already stays: it is the same.
        for row in rows:
            id = row.sealed.label.id
            if row.indexed and id not in kept.rows:
                kept.rows[id] = row
                kept.bytes += (size := _size(row))
                self.bytes += size
        if kept.rows:
            self._kept[owner] = kept
            self._kept.move_to_end(owner)
        # (3) As much as there is room for.
        while self.bytes > self._most:
            self.drop(next(iter(self._kept)))

    def drop(self, owner: Owner) -> None:
        """Let go of all rows of one subject."""
        kept = self._kept.pop(owner, None)
        if kept is not None:
            self.bytes -= kept.bytes


class _OneEpoch:
    def __init__(self, epoch: Epoch, since: datetime) -> None:
        self.epoch = epoch
        self.since = since
        self.rows: dict[MemoryId, Row] = {}
        self.bytes = 0


def _size(row: Row) -> int:
    sealed = row.sealed
    parts = (sealed.token, sealed.entry, sealed.evidence, sealed.claim)
    return _OVERHEAD + sum(map(len, parts))
