"""Plays the writes of a case against a memory of nothing but texts, states and trust."""

from datetime import datetime
from pathlib import Path

import msgspec

from guard.models.pairs import Pairs
from guard.relating import Said, Tie
from guard.weighed import Weighed
from memory.claims import Bond, BondKind, Claim, claims_of, relate_all

_WORD = {
    BondKind.UNRELATED: "new",
    BondKind.UNCERTAIN: "beside",
    BondKind.SAME: "same",
    BondKind.SUPERSEDES: "supersedes",
    BondKind.EXTENDS: "extends",
    BondKind.RETRACTS: "retracts",
    BondKind.NARROWS: "narrows",
    BondKind.BESIDE: "beside",
}
"""The table's word for each bond; it has none for doubt, and both memories stay then as well."""
_STRONGEST = ("conflicts", "same", "supersedes", "retracts", "narrows", "extends", "beside", "new")
_HIDING = ("supersedes", "retracts")
_OWN_WORD = 3
_READER = Weighed(Pairs.load())


class Write(msgspec.Struct, frozen=True):
    """One write of a case."""

    text: str
    at: datetime
    trust: int = _OWN_WORD


class Case(msgspec.Struct, frozen=True):
    """One line of the table."""

    id: str
    lang: str
    kind: str
    writes: tuple[Write, ...]
    relations: tuple[str, ...]
    recall: tuple[str, ...]
    asks: str
    why: str


class Kept(msgspec.Struct, frozen=True):
    """A memory that is active, with what it claims."""

    write: Write
    claims: tuple[Claim, ...]


class Answer(msgspec.Struct, frozen=True):
    """What the relation said of a case, and what is active after it."""

    relations: tuple[str, ...]
    recall: tuple[str, ...]
    bonds: tuple[tuple[Bond, ...], ...]
    doubts: int


def cases(table: Path) -> list[Case]:
    """Return the cases of a table."""
    lines = table.read_text(encoding="utf-8").splitlines()
    return [msgspec.json.decode(line, type=Case) for line in lines if line]


def replay(case: Case) -> Answer:
    """Return what becomes of the writes of a case, one after the other."""
    active: list[Kept] = []
    relations: list[str] = []
    seen: list[tuple[Bond, ...]] = []
    for write in case.writes:
        claims = claims_of(write.text, at=write.at)
        bonds = relate_all(claims, [kept.claims for kept in active])
        new, old = (Said(write.text, write.at), [Said(k.write.text, k.write.at) for k in active])
        ties = _READER.ties(new, old)
        words = [
            _said(bond, tie, write, kept)
            for bond, tie, kept in zip(bonds, ties, active, strict=True)
        ]
        relation = min(words, key=_STRONGEST.index, default="new")
        relations.append(relation)
        seen.append(tuple(bonds))
        if relation == "conflicts":
            continue
        active = [k for k, word in zip(active, words, strict=True) if word not in _HIDING]
        if relation != "same":
            active.append(Kept(write, claims))
    return Answer(
        tuple(relations),
        tuple(kept.write.text for kept in active),
        tuple(seen),
        sum(bond.kind is BondKind.UNCERTAIN for bonds in seen for bond in bonds),
    )


def _said(bond: Bond, tie: Tie, write: Write, kept: Kept) -> str:
    word = _WORD[bond.kind]
    if tie is Tie.AGAINST and word not in _HIDING:
        word = "supersedes"
    if tie is Tie.SAME and word != "same":
        word = "same"
    if tie not in {Tie.AGAINST, Tie.SAME} and word in {*_HIDING, "same"}:
        word = "beside"
    if word in _HIDING and write.trust < kept.write.trust:
        return "conflicts"
    return word
