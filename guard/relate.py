"""How a new memory stands to those that say the same. Pure.

Only equality of the normalised text is looked at here; trust decides what may follow from it.
"""

from collections.abc import Sequence

import msgspec

from guard.nouns import Row, Tagged
from memory.origin import TRUST_OF_SUBJECT
from memory.types import State


class New(msgspec.Struct, frozen=True):
    """Nothing says the same."""


class Same(msgspec.Struct, frozen=True):
    """`row` says the same from an origin of equal trust, and stands as `row.sealed.label.state`."""

    row: Row


class Unlearned(msgspec.Struct, frozen=True):
    """The subject or a reviewer removed exactly this; a lesser source may not bring it back."""


Relation = New | Same | Unlearned


def relate(tagged: Tagged, twins: Sequence[Row]) -> Relation:
    """Return the relation of a draft to the subject's rows with the same fingerprint.

    A twin of other trust stands beside the new memory: merging would raise or lower one of them.
    """
    trust = tagged.origin.trust
    for row in twins:
        label = row.sealed.label
        alive = label.expires_at is None or label.expires_at > tagged.at
        same_source = label.trust == trust and label.origin is tagged.origin.class_
        if label.state in (State.ACTIVE, State.HELD) and alive and same_source:
            return Same(row)
    removed = any(row.sealed.label.state in (State.FORGOTTEN, State.REJECTED) for row in twins)
    if removed and trust < TRUST_OF_SUBJECT:
        return Unlearned()
    return New()
