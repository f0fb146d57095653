"""What many texts say, in a few of their own sentences. Pure and extractive, English and Chinese.

A sentence counts by how much of what it says is said elsewhere, too, so that the common matter
comes first; each next one counts less for what those before it have said. Nothing is worded anew:
a sentence can be traced to the text it stands in, with that text's origin and trust.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import regex

from memory.terms import terms_of

SENTENCES_AT_MOST: Final = 400
"""Of more, the first are looked at: the cost grows with their number times the number chosen."""
_REPEATED: Final = 0.7
"""Of a sentence's terms; one that has so many in common with what was chosen says nothing new."""
_SAID: Final = 0.3
"""What a term still counts that a chosen sentence has: the matter goes on, and is no news."""
_SENTENCE: Final = regex.compile(
    r"[^.!?。！？；\n]+(?:[.!?]+(?!\s|[\"'”’)\]]|$)[^.!?。！？；\n]+)*"
    r"(?:[.!?]+[\"'”’)\]]*(?=\s|$)|[。！？；]+[”’」』）】]*|\n|$)"
)


class Sentence(msgspec.Struct, frozen=True):
    """One sentence, and which of the texts it stands in."""

    source: int
    text: str


def summarize(texts: Sequence[str], most: int) -> tuple[Sentence, ...]:
    """Return at most `most` sentences that say most of what `texts` say, in the order of the texts.

    The same texts give the same sentences. Raises ValueError for `most` below 1.
    """
    if most < 1:
        raise ValueError("most")
    sentences = [
        Sentence(source, one) for source, text in enumerate(texts) for one in sentences_of(text)
    ][:SENTENCES_AT_MOST]
    terms = [terms_of(one.text) for one in sentences]
    spread = _spread(sentences, terms)
    chosen: list[int] = []
    said: set[str] = set()
    while len(chosen) < most:
        worth = {
            place: _worth(terms[place], spread, said)
            for place in range(len(sentences))
            if place not in chosen and _is_new(terms[place], said)
        }
        if not worth:
            break
        best = max(worth, key=lambda place: (worth[place], -place))
        chosen.append(best)
        said |= terms[best].keys()
    return tuple(sentences[place] for place in sorted(chosen))


def sentences_of(text: str) -> list[str]:
    """Return the sentences of `text` without the space around them; a line's end ends one."""
    found = (match[0].strip() for match in _SENTENCE.finditer(text))
    return [one for one in found if terms_of(one)]


def _spread(
    sentences: Sequence[Sentence], terms: Sequence[Mapping[str, float]]
) -> Mapping[str, int]:
    """Return in how many of the texts each term stands."""
    texts: dict[int, set[str]] = {}
    for sentence, said in zip(sentences, terms, strict=True):
        texts.setdefault(sentence.source, set()).update(said)
    return Counter(term for said in texts.values() for term in said)


def _worth(terms: Mapping[str, float], spread: Mapping[str, int], said: set[str]) -> float:
    """Return how much a sentence adds: its terms by how widely they are used, per root of length,
    so that none wins by its length alone.
    """
    worth = sum(
        spread[term] ** 2 * weight * (_SAID if term in said else 1.0)
        for term, weight in terms.items()
    )
    return float(worth / len(terms) ** 0.5)


def _is_new(terms: Mapping[str, float], said: set[str]) -> bool:
    return len(terms.keys() & said) < _REPEATED * len(terms)
