"""From nouns to columns and back, without loss; and what a change must be before it is stored."""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, ScalarSelect, Select, select

from guard.nouns import Change, Label, Leaf, Row, Sealed
from memory.types import LeafId
from storage.tables import LEAVES, MEMORIES

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_LABEL: Final = Label.__struct_fields__
_INSTANTS: Final = ("recorded_at", "changed_at", "expires_at")
_TOKENS: Final = tuple(name for name in Sealed.__struct_fields__ if name != "label")
_SEALED: Final = (*_LABEL, *_TOKENS)
_INSTANT_PLACES: Final = tuple(map(_LABEL.index, _INSTANTS))
_NATIVE: Final = (bytes, datetime)
_MISSING_LEAF: Final = LeafId("")
"""Newest leaf of a row whose leaves are gone: equal to no label's leaf."""


def micros(at: datetime) -> int:
    """Return an aware instant as microseconds since 1970. Raises ValueError for a naive one."""
    if at.tzinfo is None:
        raise ValueError("an instant must be aware")
    return (at - _EPOCH) // _MICROSECOND


def instant(microseconds: int) -> datetime:
    """Return the instant, in UTC. Raises OverflowError beyond the calendar."""
    return _EPOCH + timedelta(microseconds=microseconds)


def raw(value: bytes | str) -> bytes:
    """Return a binary column's value; SQLite lets someone who writes to the file put text there."""
    return value if isinstance(value, bytes) else str(value).encode()


def storable(id: str) -> bool:
    """Tell whether any row could have this id: PostgreSQL refuses even to look for a NUL."""
    return "\0" not in id


def columns_of(sealed: Sealed) -> dict[str, Any]:
    """Return the columns of a memory row, `indexed_version` apart.

    Raises ValueError when the label would come back different: its tag would never hold again.
    """
    label = msgspec.to_builtins(sealed.label, builtin_types=_NATIVE)
    columns: dict[str, Any] = dict(zip(_LABEL, label, strict=True))
    for name in _INSTANTS:
        if columns[name] is not None:
            columns[name] = micros(columns[name])
    for name in _TOKENS:
        columns[name] = getattr(sealed, name)
    finite = math.isfinite(columns["importance"]) and math.isfinite(columns["confidence"])
    back = sealed_of(columns)
    if not finite or msgspec.msgpack.encode(back) != msgspec.msgpack.encode(sealed):
        raise ValueError("a label must survive storage unchanged")
    return columns


def sealed_of(columns: Mapping[Any, Any]) -> Sealed | None:
    """Return what the columns hold, or None when someone spoilt them beyond reading."""
    return _sealed([columns[name] for name in _SEALED])


def newest_leaf() -> ScalarSelect[Any]:
    """Return the leaf of the newest version that the audit has of a memory.

    Newest by version and then by id, so that a clock that stepped back is not taken for a
    rollback. Leaves that changed no memory have no version and don't count.
    """
    made = LEAVES.alias("made")
    return (
        select(made.c.id)
        .where(
            made.c.tenant == MEMORIES.c.tenant,
            made.c.object == MEMORIES.c.id,
            made.c.row_version.is_not(None),
        )
        .order_by(made.c.row_version.desc(), made.c.id.desc())
        .limit(1)
        .correlate(MEMORIES)
        .scalar_subquery()
    )


def select_rows(*where: ColumnElement[bool]) -> Select[Any]:
    """Return the query for memories, each with its newest leaf, for `rows_of`."""
    columns = [MEMORIES.c[name] for name in _SEALED]
    return select(*columns, MEMORIES.c.indexed_version, newest_leaf()).where(*where)


def rows_of(found: Iterable[Sequence[Any]]) -> list[Row]:
    """Return the rows that can be read. A spoilt one is left out; `audit verify` names it."""
    rows = []
    for *columns, indexed_version, newest in found:
        sealed = _sealed(columns)
        if sealed is not None:
            indexed = indexed_version == sealed.label.version
            rows.append(Row(sealed, LeafId(newest or _MISSING_LEAF), indexed))
    return rows


def versions_by_leaf(change: Change) -> Mapping[LeafId, int]:
    """Return which version each leaf made of its memory, for the leaves that rows name.

    Raises ValueError when the change is not one: a programming error, not an event.
    """
    leaves = {leaf.id: leaf for leaf in change.leaves}
    versions: dict[LeafId, int] = {}
    if not leaves:
        raise ValueError("a change has a leaf")
    if len(leaves) != len(change.leaves):
        raise ValueError("a leaf occurs twice")
    if any(leaf.tenant != change.owner.tenant for leaf in change.leaves):
        raise ValueError("a leaf is of another tenant")
    for sealed in change.rows:
        label = sealed.label
        if (label.tenant, label.subject) != (change.owner.tenant, change.owner.subject):
            raise ValueError("a row is of another owner")
        if label.version < 1:
            raise ValueError("versions count from 1")
        _check_leaf(label, leaves.get(label.leaf))
        versions[label.leaf] = label.version
    if len({sealed.label.id for sealed in change.rows}) != len(change.rows):
        raise ValueError("a memory occurs twice")
    check_changeless([leaf for leaf in change.leaves if leaf.id not in versions])
    return versions


def check_changeless(leaves: Iterable[Leaf]) -> None:
    """Raise ValueError when a leaf that no row names says that it made a version."""
    if any(leaf.version != 0 for leaf in leaves):
        raise ValueError("a leaf that changes no memory has version 0")


def leaf_columns(leaves: Sequence[Leaf], versions: Mapping[LeafId, int]) -> list[dict[str, Any]]:
    """Return the columns of leaves that wait for their place in the chain."""
    return [
        {
            "tenant": leaf.tenant,
            "id": leaf.id,
            "object": leaf.object,
            "row_version": versions.get(leaf.id),
            "body": msgspec.msgpack.encode(leaf),
            "sequence": None,
            "chain": None,
        }
        for leaf in leaves
    ]


def _sealed(columns: list[Any]) -> Sealed | None:
    try:
        for place in _INSTANT_PLACES:
            if columns[place] is not None:
                columns[place] = instant(columns[place])
        fields = dict(zip(_TOKENS, columns[len(_LABEL) :], strict=True))
        fields["label"] = columns[: len(_LABEL)]
        return msgspec.convert(fields, Sealed, builtin_types=_NATIVE)
    except (msgspec.ValidationError, TypeError, OverflowError):
        return None


def _check_leaf(label: Label, leaf: Leaf | None) -> None:
    if leaf is None:
        raise ValueError("a row's leaf is missing")
    named = (leaf.subject, leaf.object, leaf.version, leaf.digest)
    if named != (label.subject, label.id, label.version, label.digest):
        raise ValueError("a leaf says otherwise than its row")
