"""How a new memory stands to those that say the same. Pure.

Only equality of the normalised text is looked at here; trust decides what may follow from it.
"""

from collections.abc import Iterator, Sequence

import msgspec

from guard.checks import is_current
from guard.nouns import Row, Tagged
from memory.origin import TRUST_OF_SUBJECT
from memory.types import State


class New(msgspec.Struct, frozen=True):
    """Nothing says the same."""


class Same(msgspec.Struct, frozen=True):
    """`row` says the same, from an origin of equal class and trust, and stands the same way."""

    row: Row


class Unlearned(msgspec.Struct, frozen=True):
    """The subject or a reviewer removed exactly this; a lesser source may not bring it back.

    `held` is the row that an earlier attempt left to be reviewed.
    """

    held: Row | None


Relation = New | Same | Unlearned


def relate(tagged: Tagged, state: State, twins: Sequence[Row]) -> Relation:
    """Return the relation of a draft to the subject's rows with the same fingerprint.

    Only a twin in the `state` that the draft is heading for counts as the same: what is held must
    not swallow what may be stored, nor the other way round. A twin of other trust stands beside
    the new memory: merging would raise or lower one of them.
    """
    same = dict(_same_source(tagged, twins))
    removed = any(map(_is_removed, twins))
    if removed and tagged.origin.trust < TRUST_OF_SUBJECT:
        return Unlearned(same.get(State.HELD))
    return Same(same[state]) if state in same else New()


def _is_removed(row: Row) -> bool:
    """Say whether the row is a tombstone, or may be one that was rolled back to what it buried.

    Merging with a rolled-back row would give it a newest leaf, and so make it current again.
    """
    return not is_current(row) or row.sealed.label.state in (State.FORGOTTEN, State.REJECTED)


def _same_source(tagged: Tagged, twins: Sequence[Row]) -> Iterator[tuple[State, Row]]:
    """Yield living, current twins of the draft's own class and trust by state, oldest first."""
    origin = tagged.origin
    for row in reversed(twins):
        label = row.sealed.label
        stands = is_current(row) and (label.expires_at is None or label.expires_at > tagged.at)
        if stands and (label.origin, label.trust) == (origin.class_, origin.trust):
            yield label.state, row
