"""What a new memory is to an old one. Unsure means both stay: a doubt hides nothing."""

from collections.abc import Callable, Sequence
from typing import Final

from memory.claims.aligning import LOOSE, TURNED, aligned, core, repeated, swapped, told_beside
from memory.claims.ending import SAME, ended, given_up
from memory.claims.exchanging import both_so, exchanged, in_other_voice
from memory.claims.lexicon import DOING
from memory.claims.nouns import (
    Bond,
    BondKind,
    Claim,
    Form,
    Mark,
    Polarity,
    ValueKind,
)
from memory.claims.small_rules import COMMON, FAINT
from memory.claims.topics import content, on_topic
from memory.claims.valuing import valued

_ALIKE: Final = 0.6
"""Share of the words of two slots that makes them one, when the new claim says it changes it."""
_AROUND: Final = 0.5
"""Share of a clause that must be the same around one changed place."""

_STRENGTH: Final = (
    BondKind.SUPERSEDES,
    BondKind.RETRACTS,
    BondKind.NARROWS,
    BondKind.EXTENDS,
    BondKind.UNCERTAIN,
    BondKind.BESIDE,
    BondKind.SAME,
    BondKind.UNRELATED,
)
# In tuples: among few, one is found sooner than hashed.
_REPLACING: Final = (BondKind.SUPERSEDES, BondKind.RETRACTS)
_SETTLED: Final = (*_REPLACING, BondKind.SAME)


def relate_claims(new: Sequence[Claim], old: Sequence[Claim]) -> Bond:
    """Return what a memory with the claims `new` is to an earlier one with the claims `old`."""
    if not new or not old:
        return Bond(BondKind.UNRELATED, "no_claim")
    if same := _same(new, old):
        return Bond(BondKind.SAME, same)
    if _happened_again(new, old):
        return Bond(BondKind.BESIDE, "happened_again")
    said = _all_said(new)
    known = _words_of(old) if len(old) > 1 else frozenset()
    table = [[_pair(mine, its, said, known) for its in old] for mine in new]
    if all(any(bond.kind is BondKind.SAME for bond in row) for row in table):
        return SAME
    bonds = [bond for row in table for bond in row]
    best = min(bonds, key=lambda bond: _STRENGTH.index(bond.kind))
    if best.kind in _REPLACING:
        ends = any(claim.polarity is Polarity.ENDED for claim in old)
        covered = all(
            any(row[n].kind in _SETTLED for row in table) or (ends and _idle(claim))
            for n, claim in enumerate(old)
        )
        return _replacing(best, new, old, covered=covered)
    return _leaving(best, new, old)


def _same(new: Sequence[Claim], old: Sequence[Claim]) -> str:
    """Return how two texts are told to say the same as wholes, or nothing."""
    if _equal(_bare, new, old) and not _exchanged(new, old):
        return "same_claims"
    clauses = len(new) + len(old)
    if clauses > _ONE_AND_TWO or not _equal(_terms, new, old):
        return ""
    if clauses == _ONE_AND_TWO:
        return "same_in_other_clauses" if _words_of(new) == _words_of(old) else ""
    return "same_in_other_voice" if in_other_voice(new[0].order, old[0].order) else ""


def _equal(
    part: Callable[[Claim], tuple[object, ...]], new: Sequence[Claim], old: Sequence[Claim]
) -> bool:
    """Say whether two texts have the same claims by a part of each."""
    if len(new) == len(old) == 1:
        return part(new[0]) == part(old[0])
    return set(map(part, new)) == set(map(part, old))


_ONE_AND_TWO: Final = 3
"""Clauses of two texts of which one breaks in two what the other says in one: no two values can
have changed places.
"""


def _words_of(claims: Sequence[Claim]) -> frozenset[str]:
    return frozenset().union(*(core(claim) for claim in claims)) - COMMON


def _all_said(claims: Sequence[Claim]) -> frozenset[str]:
    """Return all words of a text of several claims that tells a change; nothing of another text."""
    if len(claims) == 1 or not any(TURNED & set(claim.marks) for claim in claims):
        return frozenset()
    return _words_of(claims)


def _happened_again(new: Sequence[Claim], old: Sequence[Claim]) -> bool:
    """Say whether a memory tells that something came about once more, under a number of its own: of
    two faults each has its ticket. What is set to an old value again has no such number beside it.
    """
    once_more = {w for claim in new if Mark.AGAIN in claim.marks for w in content(claim)}
    if not once_more or not once_more & {word for claim in old for word in content(claim)} - COMMON:
        return False
    return any(
        mine.value.kind is its.value.kind is ValueKind.CODE
        and Mark.AGAIN not in mine.marks
        and mine.slot == its.slot
        and mine.value != its.value
        for mine in new
        for its in old
    )


def _leaving(best: Bond, new: Sequence[Claim], old: Sequence[Claim]) -> Bond:
    """Judge a memory of which no claim by itself replaces one of the earlier memory."""
    if swapped(new, old):
        return Bond(BondKind.SUPERSEDES, "given_up_for_another")
    return Bond(BondKind.EXTENDS, "says_more") if best.kind is BondKind.SAME else best


def relate_all(new: Sequence[Claim], olds: Sequence[Sequence[Claim]]) -> list[Bond]:
    """Return what a memory is to each of several: what may be meant of any of them replaces the one
    that it names most exactly, and none where two are as near. Each of its claims may replace one.
    """
    return one_meant(new, [relate_claims(new, old) for old in olds])


def one_meant(new: Sequence[Claim], bonds: Sequence[Bond]) -> list[Bond]:
    """Return the bonds of a memory with several, each found by itself, as they are together."""
    bonds = list(bonds)
    loose = [n for n, bond in enumerate(bonds) if bond.kind in _REPLACING and bond.reason in LOOSE]
    if sum(bond.kind in _REPLACING for bond in bonds) > len(new):
        for n in loose:
            bonds[n] = Bond(BondKind.UNCERTAIN, "which_is_meant")
    return bonds


def _replacing(best: Bond, new: Sequence[Claim], old: Sequence[Claim], *, covered: bool) -> Bond:
    """Judge a memory that replaces a claim of an earlier one: all of it, or a part."""
    if not covered and any(Mark.ADDED in claim.marks for claim in new):
        return Bond(BondKind.EXTENDS, "said_to_be_added")
    if not covered:
        return Bond(BondKind.UNCERTAIN, "replaces_a_part")
    if best.kind is BondKind.RETRACTS and _names_another(new, old):
        return Bond(BondKind.SUPERSEDES, "given_up_for_another")
    return best


def _idle(claim: Claim) -> bool:
    """Say whether a claim beside an end only tells why, or what is over: nothing is lost of it."""
    return claim.form is Form.OPAQUE or claim.polarity is Polarity.ENDED


def _names_another(new: Sequence[Claim], old: Sequence[Claim]) -> bool:
    """Say whether a memory that takes something back says what is in its place."""
    about = {word for claim in old for word in claim.about}
    said = [claim for claim in new if claim.polarity is Polarity.AFFIRMED and claim.about]
    return any(about & set(claim.about) for claim in said)


def _bare(c: Claim) -> tuple[object, ...]:
    """Return a claim without what only points at an earlier one."""
    return c.slot, c.value, c.polarity, c.scope, c.limit, c.form is Form.OPAQUE


def _terms(c: Claim) -> tuple[object, ...]:
    """Return how, when and how far a claim is so."""
    return c.polarity, c.scope, c.limit


_OPEN: Final = (BondKind.BESIDE, BondKind.UNRELATED, BondKind.UNCERTAIN)
"""What is asked again by all words of both claims: nothing in their slots showed more."""


def _exchanged(new: Sequence[Claim], old: Sequence[Claim]) -> bool:
    return any(exchanged(mine.order, its.order) for mine in new for its in old)


def _pair(new: Claim, old: Claim, said: frozenset[str], known: frozenset[str]) -> Bond:
    """Return what a claim is to an older one; `said` are the words of all that is new if it tells a
    change, `known` those of all that is old if that is more than this claim.
    """
    apart = _apart(new, old)
    bond = _read(new, old, apart=apart)
    if bond.kind in _OPEN and not apart:
        bond = aligned(new, old) or (told_beside(new, old, said) if said else None) or bond
    if bond.reason == "slot_more_exact" and known and repeated(new, old, known):
        bond = Bond(BondKind.SAME, "same_in_its_text")
    told = exchanged if bond.kind is BondKind.SAME else both_so
    if bond.kind in _SETTLED and told(new.order, old.order):
        return Bond(BondKind.UNCERTAIN, "other_roles")
    return bond


def _apart(new: Claim, old: Claim) -> bool:
    """Say whether a number or code names one thing here and another there."""
    mine = _things(new)
    its = _things(old) if mine else mine
    return bool(mine and its and mine != its)


def _read(new: Claim, old: Claim, *, apart: bool) -> Bond:
    if new.polarity is Polarity.ENDED and Mark.CHANGED in new.marks and not new.about:
        return given_up(new, old)
    if apart:
        return on_topic(new, old)
    if Form.OPAQUE in (new.form, old.form):
        return _words(new, old)
    if Polarity.ENDED in (new.polarity, old.polarity):
        return ended(new, old)
    return _compared(new, old, _slots(new, old))


def _compared(new: Claim, old: Claim, alike: float) -> Bond:
    """Judge two claims by how alike their slots are."""
    if alike == 0:
        return on_topic(new, old)
    mine, its = set(new.about), set(old.about)
    same = new.slot.whose == old.slot.whose
    verbs = set(new.about) ^ set(old.about) <= DOING | FAINT
    moved = Mark.CHANGED in new.marks and same and (alike >= _ALIKE or verbs)
    if alike == 1:
        return valued(new, old)
    if moved:
        bond = valued(new, old)
        named = mine <= its or its <= mine
        if bond.kind is BondKind.SAME and not named and not mine ^ its <= DOING | FAINT:
            return Bond(BondKind.UNCERTAIN, "same_value_of_another")
        loose = bond.kind in _REPLACING and not named
        return Bond(bond.kind, "less_alike") if loose else bond
    if new.scope and not old.scope and same:
        return Bond(BondKind.NARROWS, "scope")
    added = Mark.ADDED in new.marks and same
    return Bond(BondKind.EXTENDS if added else BondKind.BESIDE, "slot_more_exact")


def _things(claim: Claim) -> set[str]:
    """Return the numbers and codes that name what a claim speaks of."""
    if claim.form is Form.OPAQUE:
        return {word for word in claim.words if _names(word)}
    return {word for word in claim.about if _has_digit(word)}


def _has_digit(word: str) -> bool:
    # Asked of each word of each pair, and most words are of letters alone, which is told at once.
    return not word.isalpha() and any(map(str.isdigit, word))


def _names(word: str) -> bool:
    """Say whether a word is a code: of letters and digits, or of many digits."""
    if word.isalpha():
        return False
    digits = sum(char.isdigit() for char in word)
    return digits >= _LONG_CODE or (0 < digits < len(word) and word.isascii() and word[0].isalpha())


_LONG_CODE: Final = 5


def _slots(new: Claim, old: Claim) -> float:
    """Return how alike two slots are: 1 for one slot, 0 for two."""
    mine, its = set(new.about), set(old.about)
    if mine == its:
        return 1
    common = mine & its
    if not common - COMMON:
        return 0
    if mine <= its or its <= mine or Mark.CHANGED in new.marks:
        return len(common) / len(mine | its)
    return 0


def _words(new: Claim, old: Claim) -> Bond:
    """Compare clauses that nobody understood: word by word, from both ends."""
    over = Polarity.ENDED in (new.polarity, old.polarity)
    if new.words == old.words and new.scope == old.scope and new.form is old.form:
        if new.polarity is old.polarity:
            return Bond(BondKind.SAME, "same_words")
        if not over:
            return Bond(BondKind.SUPERSEDES, "opposite")
    if over:
        return ended(new, old)
    if new.form is old.form and _around(new.words, old.words):
        return _replaced(new, old)
    if new.form is old.form and Mark.ADDED in new.marks and new.words[:1] == old.words[:1]:
        return Bond(BondKind.EXTENDS, "said_to_be_added")
    return on_topic(new, old)


def _around(mine: Sequence[str], its: Sequence[str]) -> bool:
    """Say whether two clauses are the same but for one place that is not their first."""
    shortest = min(len(mine), len(its))
    head = next((n for n in range(shortest) if mine[n] != its[n]), shortest)
    rest = shortest - head
    tail = next((n for n in range(rest) if mine[-1 - n] != its[-1 - n]), rest)
    return head > 0 and head + tail >= _AROUND * max(len(mine), len(its))


def _replaced(new: Claim, old: Claim) -> Bond:
    if new.scope and not old.scope:
        return Bond(BondKind.NARROWS, "scope")
    if {Mark.CHANGED, Mark.AGAIN} & set(new.marks):
        return Bond(BondKind.SUPERSEDES, "changed")
    if Mark.ADDED in new.marks:
        return Bond(BondKind.EXTENDS, "said_to_be_added")
    return Bond(BondKind.UNCERTAIN, "one_place_differs")
