"""How a new memory stands to those that the subject has, and what may follow from it. Pure.

What the texts say to each other is known already (`guard.kin`): here trust and time decide. More
trust stands against less; of equal trust the newer stands (W10). So whichever of two writes commits
first, the same one stands afterwards.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

import msgspec

from guard.checks import is_current
from guard.kin import Kin
from guard.nouns import Facts, Row, Tagged
from guard.relating import Tie
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


class Newer(msgspec.Struct, frozen=True):
    """The draft takes the place of `rows`: it can't hold beside them, and none has more trust."""

    rows: tuple[Row, ...]


class Older(msgspec.Struct, frozen=True):
    """`row` says otherwise, was said later, and has no less trust: the draft is history already."""

    row: Row


class Conflict(msgspec.Struct, frozen=True):
    """`rows` say otherwise and have more trust than the draft, which may change nothing of them.

    `held` is the row that an earlier attempt left to be reviewed.
    """

    rows: tuple[Row, ...]
    held: Row | None


_AGENT: Final = OriginClass.AGENT_RELAYED.trust

Relation = New | Same | Unlearned | Newer | Older | Conflict


def equal_in(facts: Facts) -> list[Row]:
    """Return the twins of equal text: of the others it is only known that they claim the same."""
    return [row for row in facts.twins if row.sealed.fingerprint == facts.fingerprint]


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
        label.trust for label in before if label.recorded_at <= origin.at and label.trust < _AGENT
    ]
    if min(trusts, default=origin.trust) >= origin.trust:
        return tagged, False
    class_ = OriginClass.AGENT_RELAYED if origin.quoted is not None else origin.class_
    lowered = msgspec.structs.replace(origin, class_=class_, trust=min(trusts), quoted=None)
    return msgspec.structs.replace(tagged, origin=lowered), True


def relate(
    tagged: Tagged,
    state: State,
    twins: Sequence[Row],
    kin: Sequence[Kin] = (),
    buried: Sequence[Row] = (),
) -> Relation:
    """Return the relation of a draft to the subject's rows of equal text, and to its kin.

    `buried` are rows in any state that claim the same, whatever their words.

    Only a twin in the `state` that the draft is heading for counts as the same: what is held must
    not swallow what may be stored, nor the other way round. A twin of other trust stands beside
    the new memory: merging would raise or lower one of them.
    """
    same = dict(_same_source(tagged, twins))
    # (1) What was removed is not learned again from a lesser source.
    restated = [row for row in (*twins, *buried) if _is_own_word(row)]
    if any(_may_bury(row, tagged) and not _is_lifted(row, restated) for row in (*twins, *buried)):
        return Unlearned(same.get(State.HELD))

    # (2) Less trust changes nothing of what more trust said, held or not.
    against = [one for one in kin if one.tie is Tie.AGAINST]
    above = tuple(one.row for one in against if _trust(one.row) > tagged.origin.trust)
    if above:
        return Conflict(above, same.get(State.HELD))
    if state is not State.ACTIVE:
        return Same(same[state]) if state in same else New()

    # (3) Of equal trust the newer stands, whichever is written down first.
    later = [
        one.row
        for one in against
        if _trust(one.row) == tagged.origin.trust and not one.revised and _is_later(one, tagged)
    ]
    if later:
        return Older(max(later, key=lambda row: row.sealed.label.changed_at))

    # (4) The same said again is one memory.
    known = same.get(state) or _said_otherwise(tagged, kin)
    if not against:
        return New() if known is None else Same(known)
    rows = [one.row for one in against]
    return Newer((*rows, known) if known is not None else tuple(rows))


def _said_otherwise(tagged: Tagged, kin: Sequence[Kin]) -> Row | None:
    """Return the memory of the draft's own source that says the same in other words.

    Of what comes from outside each wording is kept: by its words an agent is known that says it
    again as its own (`echo`).
    """
    if tagged.origin.trust < _AGENT:
        return None
    equal = (one.row for one in kin if one.tie is Tie.SAME and _is_of_source(one.row, tagged))
    return next(equal, None)


def _trust(row: Row) -> int:
    return row.sealed.label.trust


def _is_later(one: Kin, tagged: Tagged) -> bool:
    """Say whether a memory tells of a later time than the draft, else whether it was said later.

    A time that only one of them states is not compared: the other may be as late.
    """
    stated = tagged.draft.occurred_at
    if one.occurred_at is not None and stated is not None and one.occurred_at != stated:
        return one.occurred_at > stated
    return one.row.sealed.label.changed_at > _said_at(tagged)


def _may_bury(row: Row, tagged: Tagged) -> bool:
    """Say whether the row keeps the draft from being learned again (W15).

    What the subject said before he had it removed does not bring it back, whether an agent quotes
    it afterwards or a queue was late to decide it.
    """
    removed_at = row.sealed.label.changed_at
    quoted = tagged.origin.quoted
    # At one instant the subject's own word counts as the later one, and a quotation does not.
    fresh = tagged.origin.at >= removed_at if quoted is None else quoted.at > removed_at
    if tagged.origin.trust >= TRUST_OF_SUBJECT and fresh:
        return False
    return _is_removed(row)


def _said_at(tagged: Tagged) -> datetime:
    """Return when it was said: a quotation when the turn was posted, all else when it came in."""
    quoted = tagged.origin.quoted
    return tagged.origin.at if quoted is None else quoted.at


def _is_own_word(row: Row) -> bool:
    """Say whether the row is the subject's own word and stands."""
    label = row.sealed.label
    stands = is_current(row) and label.state is State.ACTIVE
    return stands and label.trust >= TRUST_OF_SUBJECT


def _is_lifted(tombstone: Row, restated: Sequence[Row]) -> bool:
    """Say whether the subject has said the same again since it was removed."""
    removed = tombstone.sealed.label.changed_at
    return is_current(tombstone) and any(
        row.sealed.label.recorded_at >= removed for row in restated
    )


def _is_removed(row: Row) -> bool:
    """Say whether the row is a tombstone, or may be one that was rolled back to what it buried.

    Merging with a rolled-back row would give it a newest leaf, and so make it current again.
    """
    return not is_current(row) or row.sealed.label.state in (State.FORGOTTEN, State.REJECTED)


def _same_source(tagged: Tagged, twins: Sequence[Row]) -> Iterator[tuple[State, Row]]:
    """Yield living, current twins of the draft's own class and trust by state, oldest first."""
    for row in reversed(twins):
        label = row.sealed.label
        stands = is_current(row) and (label.expires_at is None or label.expires_at > tagged.at)
        if stands and _is_of_source(row, tagged):
            yield label.state, row


def _is_of_source(row: Row, tagged: Tagged) -> bool:
    label, origin = row.sealed.label, tagged.origin
    return (label.origin, label.trust) == (origin.class_, origin.trust)
