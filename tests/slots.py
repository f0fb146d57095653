"""A reader of one kind of sentence, for tests of what follows when two can't both hold."""

import re
from collections.abc import Sequence
from typing import Self

from guard.relating import Reading, Said, Tie

_SENTENCE = re.compile(
    r"^(?:my|the) (?P<slot>[a-z ]+?) (?:is|are)(?: now)? (?P<value>.+?)\.?$", re.IGNORECASE
)
_GONE = re.compile(r"^(?:my|the) (?P<slot>[a-z ]+?) is no longer known\.?$", re.IGNORECASE)


class Sentences:
    """Fulfils `guard.relating.Relating` for `My <slot> is <value>.`: one value for each slot."""

    def read(self, said: Said) -> Reading:
        """Return slot and value of the sentence."""
        read = _read(said.text)
        return Reading() if read is None else Reading((read[0],), (f"{read[0]}={read[1]}",))

    def ties(self, new: Said, old: Sequence[Said]) -> list[Tie]:
        """Compare slot and value; a sentence of any other form stands beside all."""
        return [self._tie(new, one) for one in old]

    @property
    def once(self) -> Self:
        """Return itself: it holds nothing."""
        return self

    @property
    def certain(self) -> Self:
        """Return itself."""
        return self

    def is_unread(self, said: Said) -> bool:
        """Return False: nobody else is asked."""
        del said
        return False

    def is_current(self, record: bytes) -> bool:
        """Return True: there is one version of it."""
        del record
        return True

    def _tie(self, new: Said, old: Said) -> Tie:
        one, other = _read(new.text), _read(old.text)
        if one is None or other is None or one[0] != other[0]:
            return Tie.BESIDE
        return Tie.SAME if one[1] == other[1] else Tie.AGAINST


def value_of(text: str) -> tuple[str, str | None] | None:
    """Return slot and value of a sentence, None for one of another form."""
    return _read(text)


def _read(text: str) -> tuple[str, str | None] | None:
    gone = _GONE.match(text)
    if gone is not None:
        return gone["slot"].casefold(), None
    found = _SENTENCE.match(text)
    return None if found is None else (found["slot"].casefold(), found["value"].casefold())
