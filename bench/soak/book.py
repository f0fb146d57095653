"""The driver's own account of what the gateways acknowledged, and what each answer must then say.

It knows nothing of the product but its answers. Every text carries the mark of its owner, so that
a text in anybody else's answer is recognised wherever in the answer it stands.
"""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

import msgspec

from tests.live.phrases import phrases

_MARK: Final = re.compile(r"Q(\d{2})(\d{2})N(\d{5})")


class Owner(NamedTuple):
    """One subject of one tenant. Subjects of all tenants have the same names."""

    tenant_number: int
    subject_number: int

    @property
    def tenant(self) -> str:
        """The tenant's id."""
        return f"tenant-{self.tenant_number:02d}"

    @property
    def subject(self) -> str:
        """The subject's id."""
        return f"subject-{self.subject_number:02d}"


class State(StrEnum):
    """What the driver knows of a memory."""

    KEPT = "kept"
    ACCEPTED = "accepted"
    """Acknowledged, to be decided later: it need not be there yet."""
    GONE = "gone"
    UNKNOWN = "unknown"
    """The answer to forgetting it was lost."""


class Entry(msgspec.Struct):
    """One acknowledged memory."""

    owner: Owner
    id: str
    text: str
    state: State


class Book:
    """What was acknowledged to whom. Each method takes one answer in and notes what is wrong."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.violations: list[str] = []
        self._entries: defaultdict[Owner, dict[str, Entry]] = defaultdict(dict)
        self._refused: defaultdict[Owner, set[str]] = defaultdict(set)
        """Marks of texts that were refused each time: none of them may be there."""
        self._phrases: dict[Owner, Iterator[str]] = {}
        self._numbers: Counter[Owner] = Counter()

    def violated(self, what: str) -> None:
        """Note that a promise was broken."""
        self.violations.append(what)

    def new_text(self, owner: Owner) -> str:
        """Return a text that nobody has said, with its owner's mark."""
        number = self._numbers[owner]
        self._numbers[owner] += 1
        if owner not in self._phrases:
            self._phrases[owner] = phrases(20 * owner.tenant_number + owner.subject_number)
        mark = f"Q{owner.tenant_number:02d}{owner.subject_number:02d}N{number:05d}"
        return f"{mark}: {next(self._phrases[owner])}"

    def entries(self, owner: Owner) -> list[Entry]:
        """Return everything that was acknowledged to somebody."""
        return list(self._entries[owner].values())

    def owners(self) -> list[Owner]:
        """Return everybody to whom something was acknowledged."""
        return [owner for owner, entries in self._entries.items() if entries]

    def any_entry(self, chance: random.Random, owner: Owner, *states: State) -> Entry | None:
        """Return one of somebody's memories in one of these states, if there is one."""
        found = [one for one in self._entries[owner].values() if one.state in states]
        return chance.choice(found) if found else None

    def acknowledged(self, owner: Owner, id: str, text: str, state: State = State.KEPT) -> None:
        """Take in that a write has been answered with success."""
        self.counts[f"writes {state}"] += 1
        if id in self._entries[owner]:
            self.violated(f"{owner}: one id for two texts: {id}")
        self._entries[owner][id] = Entry(owner, id, text, state)

    def refused(self, owner: Owner, text: str) -> None:
        """Take in that each attempt at a write was refused with the word that nothing was kept."""
        self.counts["writes refused"] += 1
        self._refused[owner].add(_mark_in(text))

    def scoped(self, owner: Owner, body: str) -> None:
        """Insist that an answer's texts are all of the one who asked."""
        for tenant, subject, number in _MARK.findall(body):
            self.counts["marks seen"] += 1
            whose = Owner(int(tenant), int(subject))
            if whose != owner:
                self.violated(f"CROSS-SCOPE: {owner} was shown number {number} of {whose}")

    def fetched(self, entry: Entry, text: str | None) -> None:
        """Take in what asking for one memory by id gave; None for 404."""
        self.counts["fetches checked"] += 1
        match entry.state, text:
            case State.UNKNOWN, _:
                return
            case State.GONE, None:
                return
            case State.GONE, _:
                self.violated(f"NOT FORGOTTEN: {entry.owner} {entry.id} was read")
            case State.ACCEPTED, None:
                return
            case State.KEPT, None:
                self.violated(f"LOST: {entry.owner} {entry.id} is not there")
            case _:
                entry.state = State.KEPT
                if text != entry.text:
                    self.violated(f"CHANGED: {entry.owner} {entry.id} reads differently")

    def listed(self, owner: Owner, found: Mapping[str, str]) -> None:
        """Take in a whole list: text by id."""
        self.counts["lists checked"] += 1
        for id, entry in self._entries[owner].items():
            self.fetched(entry, found.get(id))
        self._unexpected(owner, found)

    def recalled(self, owner: Owner, found: Mapping[str, str]) -> None:
        """Take in what a question found: text by id."""
        self.counts["recalls checked"] += 1
        for id, text in found.items():
            entry = self._entries[owner].get(id)
            if entry is not None:
                self.fetched(entry, text)
        self._unexpected(owner, found)

    def settle(self) -> None:
        """Say that what was accepted must be decided by now."""
        for entries in self._entries.values():
            for entry in entries.values():
                if entry.state is State.ACCEPTED:
                    entry.state = State.KEPT

    def _unexpected(self, owner: Owner, found: Mapping[str, str]) -> None:
        for text in found.values():
            if _mark_in(text) in self._refused[owner]:
                self.violated(f"KEPT THOUGH REFUSED: {owner} {_mark_in(text)}")
        texts: Collection[str] = found.values()
        if len(set(texts)) != len(texts):
            self.violated(f"TWICE: {owner} has one text under two ids")


def _mark_in(text: str) -> str:
    match = _MARK.search(text)
    return "" if match is None else match[0]
