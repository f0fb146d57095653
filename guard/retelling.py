"""What a model told of a text, read by the rules as the plain sentence that it comes to. Pure.

So both sides name a slot alike: "Globex is who pays me" told as (user, employer, Globex) is the
slot of "I work at Globex". A value counts only when it stands in the text word for word.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from guard.relating import Said, Told
from memory.claims import BondKind, Claim, Form, Polarity, claims_of, relate_claims
from memory.claims.folding import folded

_HAN = re.compile(r"[\u3400-\u9fff]")
_ITSELF: Final = frozenset({"user", "the user", "i", "me", "用户", "我"})
_AGAINST: Final = frozenset({BondKind.SUPERSEDES, BondKind.RETRACTS, BondKind.UNCERTAIN})


def claims_told(said: Said) -> tuple[Claim, ...]:
    """Return what was told of a text, as claims of one slot each; the rest is left out."""
    return tuple(dict.fromkeys(_claimed(said)))


def in_doubt_by(
    mine: Sequence[Claim], told: Sequence[Claim], its: Sequence[Claim], its_told: Sequence[Claim]
) -> bool:
    """Say whether two texts say otherwise of one slot, where a model found it in one of them."""
    if not told and not its_told:
        return False
    read = [claim for claim in mine if claim.form is Form.SLOT]
    its_read = [claim for claim in its if claim.form is Form.SLOT]
    pairs = [(new, old) for new in told for old in (*its_read, *its_told)]
    pairs += [(new, old) for new in read for old in its_told]
    return any(
        new.slot == old.slot
        and not (new.many or old.many)
        and relate_claims([new], [old]).kind in _AGAINST
        for new, old in pairs
    )


def _claimed(said: Said) -> Iterator[Claim]:
    text = folded(said.text).casefold()
    for told in said.told:
        value = folded(told.value).casefold().strip()
        if not value or value not in text:
            continue
        # Words that make more than one sentence, or another one, make no claim.
        claims = claims_of(_sentence(told), at=said.at)
        if len(claims) == 1 and claims[0].form is Form.SLOT and not claims[0].marks:
            yield msgspec.structs.replace(
                claims[0],
                polarity=Polarity(told.polarity),
                many=claims[0].many or told.many,
                order=(),
            )


def _sentence(told: Told) -> str:
    """Return what was told in the plainest words."""
    of_user = told.subject.casefold() in _ITSELF
    if _HAN.search(told.attribute):
        whose = "我的" if of_user else f"{told.subject}的"
        return f"{whose}{told.attribute}是{told.value}。"
    whose = "My" if of_user else f"{told.subject}'s"
    return f"{whose} {told.attribute} is {told.value}."
