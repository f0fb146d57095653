"""Where a write came from that left no memory: its audit leaf tells it among the reasons (Q7).

A refused write has no label that could. As in labels, what its writer called its source or session
is a keyed id, the same for the same name.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from guard.nouns import Leaf, Tagged
from guard.ports import Marks

_PREFIX: Final = "from."
_ORIGIN: Final = "from.origin."
_TRUST: Final = "from.trust."
_SOURCE: Final = "from.source."
_SESSION: Final = "from.session."


class Provenance(msgspec.Struct, frozen=True):
    """The class of an origin, its trust, and keyed ids, empty where there was no name."""

    origin: str
    trust: int
    source: str = ""
    session: str = ""


async def told_of(tagged: Tagged, marks: Marks) -> tuple[str, ...]:
    """Return what the leaf of a write says of where it came from."""
    origin, tenant = tagged.origin, tagged.owner.tenant
    told = [f"{_ORIGIN}{origin.class_}", f"{_TRUST}{origin.trust}"]
    for prefix, name in ((_SOURCE, origin.reference), (_SESSION, origin.session)):
        if name is not None:
            told.append(prefix + await marks.source(tenant, name))
    return tuple(told)


def provenance_in(leaf: Leaf) -> Provenance | None:
    """Return where a write came from, None where its leaf does not say, as those of before."""
    origin, trust = _after(_ORIGIN, leaf.reasons), _after(_TRUST, leaf.reasons)
    if not origin or not trust.isdecimal():
        return None
    source, session = _after(_SOURCE, leaf.reasons), _after(_SESSION, leaf.reasons)
    return Provenance(origin, int(trust), source, session)


def reasons_in(leaf: Leaf) -> tuple[str, ...]:
    """Return the reasons of a leaf without what says where the write came from."""
    return tuple(reason for reason in leaf.reasons if not reason.startswith(_PREFIX))


def _after(prefix: str, reasons: Sequence[str]) -> str:
    return next((one.removeprefix(prefix) for one in reasons if one.startswith(prefix)), "")
