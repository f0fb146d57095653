"""How a new memory stands to those that say the same. Pure.

Only equality of the normalised text is looked at here; trust decides what may follow from it.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from guard.checks import is_current
from guard.nouns import Row, Tagged
from memory.origin import RELAYED, TRUST_OF_SUBJECT, OriginClass
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


_AGENT: Final = OriginClass.AGENT_RELAYED.trust

Relation = New | Same | Unlearned


def echo(tagged: Tagged, twins: Sequence[Row]) -> tuple[Tagged, bool]:
    """Return the draft with no more trust than what it repeats, and whether it repeats anything.

    What a page or a tool said before is not raised by an agent that says it again as its own, nor
    by a user whose words an application may have taken from there (W4). What the subject says
    through an application of his is his own, whoever said it before.
    """
    origin = tagged.origin
    if origin.class_ not in RELAYED and origin.quoted is None:
        return tagged, False
    before = [row.sealed.label for row in twins if is_current(row)]
    trusts = [
        label.trust
        for label in before
        if label.recorded_at <= origin.at and label.trust < _AGENT
    ]
    if min(trusts, default=origin.trust) >= origin.trust:
        return tagged, False
    class_ = OriginClass.AGENT_RELAYED if origin.quoted is not None else origin.class_
    lowered = msgspec.structs.replace(origin, class_=class_, trust=min(trusts), quoted=None)
    return msgspec.structs.replace(tagged, origin=lowered), True


def relate(tagged: Tagged, state: State, twins: Sequence[Row]) -> Relation:
    """Return the relation of a draft to the subject's rows with the same fingerprint.

    Only a twin in the `state` that the draft is heading for counts as the same: what is held must
    not swallow what may be stored, nor the other way round. A twin of other trust stands beside
    the new memory: merging would raise or lower one of them.
    """
    same = dict(_same_source(tagged, twins))
    if any(_may_bury(row, tagged) for row in twins):
        return Unlearned(same.get(State.HELD))
    return Same(same[state]) if state in same else New()


def _may_bury(row: Row, tagged: Tagged) -> bool:
    """Say whether the row keeps the draft from being learned again (W15).

    A quotation counts from when the turn was posted: what the subject said before he had it removed
    does not bring it back.
    """
    vouched = tagged.origin.quoted
    if tagged.origin.trust >= TRUST_OF_SUBJECT and (
        vouched is None or vouched.at > row.sealed.label.changed_at
    ):
        return False
    return _is_removed(row)


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
