"""Which readings a model is asked about: few, and as different from each other as can be (W2).

A model costs milliseconds per text, and most readings of a text differ by a quotation mark. So the
original is taken, then again and again the reading that shows most letter groups which none of
those taken shows: of twenty readings of a text with a coded sentence, the ones that spell it out.
"""

import re
from collections.abc import Sequence
from typing import Final

from guard.nouns import View
from guard.views.rewrite import cut

MODEL_VIEWS: Final = 4
"""Readings that a model is asked about at most."""
MODEL_CHARACTERS: Final = 8192
"""Characters of one reading that a model is given at most: as much as one memory may have."""

_GROUP: Final = 3
_NEARLY: Final = 0.9
"""A reading this close to the most different one is taken if it comes first: plainer ones do."""
_BEFORE: Final = 256
"""Characters of context kept ahead of the first difference when a long reading is cut."""
_NOT_WORD = re.compile(r"[\W_]+")


def views_for_models(views: Sequence[View]) -> tuple[View, ...]:
    """Return at most `MODEL_VIEWS` readings, the original first, the most different ones after it.

    Readings that differ in case, punctuation or white space alone count as equal. One that is
    longer than `MODEL_CHARACTERS` is cut to where it begins to differ from the original.
    """
    original = views[0]
    taken = [_cut(original, original)]
    plain = _plain(original.text)
    texts = [(view, _plain(view.text)) for view in views[1:] if view.text]
    # One that says nothing new is never taken, and most texts have no other.
    groups = [(view, _groups(text)) for view, text in texts if text != plain]
    seen = _groups(plain) if groups else frozenset()
    while groups and len(taken) < MODEL_VIEWS:
        gains = [len(group - seen) for _, group in groups]
        most = max(gains)
        if most == 0:
            break
        at = next(i for i, gain in enumerate(gains) if gain >= _NEARLY * most)
        view, group = groups.pop(at)
        seen |= group
        taken.append(_cut(view, original))
    return tuple(taken)


def _plain(text: str) -> str:
    return f" {_NOT_WORD.sub(' ', text.casefold()).strip()} "


def _groups(plain: str) -> frozenset[str]:
    return frozenset([plain[i : i + _GROUP] for i in range(len(plain) - _GROUP + 1)])


def _cut(view: View, original: View) -> View:
    if len(view.text) <= MODEL_CHARACTERS:
        return view
    pairs = zip(view.text, original.text, strict=False)
    differs = next((i for i, (one, other) in enumerate(pairs) if one != other), 0)
    low = min(max(0, differs - _BEFORE), len(view.text) - MODEL_CHARACTERS)
    return cut(view, low, low + MODEL_CHARACTERS)
