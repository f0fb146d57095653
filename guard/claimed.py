"""Texts compared by what they claim: fulfils `guard.relating.Relating` with `memory.claims`."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from guard.relating import Reading, Said, Tie
from memory.claims import BondKind, Claim, Form, claims_of, relate_claims

_TIES: Final = {
    BondKind.SAME: Tie.SAME,
    BondKind.SUPERSEDES: Tie.AGAINST,
    BondKind.RETRACTS: Tie.AGAINST,
}
"""What a bond comes to; all others let both stand."""
_BETWEEN: Final = "\x1f"
_WORD: Final = "word\x1f"
_NUMBERED = re.compile(
    # A thing with a number, then what is said of it: the number names the thing and is no value.
    r"(?:the )?(?P<thing>(?:[a-z]+ ){1,2})(?P<number>#?\d[\d.]*)(?: (?:at|in|on) [a-z ]{1,40})? "
    r"(?:is|are|was|were|has|had|holds|runs|contains|keeps|hosts|belongs|opens|closes|needs|uses|"
    r"serves|stands|houses|stores)\b"
    r"|(?P<place>[0-9一二三四五六七八九十]{1,4}[号栋楼层])(?P<what>[\u4e00-\u9fff]{1,6}?)(?:里|上)?[有是放在归]",
    re.IGNORECASE,
)


class ByClaims:
    """Reads slots and values. What is not understood is compared by its words and hides nothing."""

    def read(self, said: Said) -> Reading:
        """Return slots and claims. Among the slots are the words that they are made of: a slot may
        be told more or less exactly, and taken back by another name.
        """
        claims = claims_of(said.text, at=said.at)
        known = [claim for claim in claims if claim.form is not Form.OPAQUE]
        keys = [claim.slot.key for claim in known]
        words = [_WORD + word for claim in known for word in claim.about]
        gist = tuple(_BETWEEN.join(_parts(claim)) for claim in claims)
        return Reading(tuple(dict.fromkeys((*keys, *words))), gist)

    def ties(self, new: Said, old: Sequence[Said]) -> list[Tie]:
        """Return what `new` is to each of `old`. Of two numbered things neither is the other."""
        mine = claims_of(new.text, at=new.at)
        bonds = (relate_claims(mine, claims_of(one.text, at=one.at)) for one in old)
        return [
            Tie.BESIDE if _names_another(new.text, one.text) else _TIES.get(bond.kind, Tie.BESIDE)
            for bond, one in zip(bonds, old, strict=True)
        ]


def _names_another(new: str, old: str) -> bool:
    """Say whether both texts begin with a numbered thing, and with two different ones."""
    mine, its = _NUMBERED.match(new), _NUMBERED.match(old)
    if mine is None or its is None:
        return False
    return mine["number"] != its["number"] or mine["place"] != its["place"]


def _parts(claim: Claim) -> Iterator[str]:
    """Yield all of a claim but what only points at an earlier one."""
    yield claim.slot.key
    yield claim.value.kind
    yield claim.value.text
    yield claim.polarity
    yield claim.limit
    yield from claim.scope
