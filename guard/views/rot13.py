"""Reading of words that are English only after rot13."""

import codecs
import math
import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from guard.nouns import View
from guard.views.rewrite import rewritten

_WORD = re.compile(r"(?<![A-Za-z0-9+/=_])[A-Za-z]{1,24}(?![A-Za-z0-9+/=_])")
_WINDOW: Final = 4
"""Words judged together: letter frequencies of a single short word say little."""
_LEAST: Final = 4.0
"""Log ratio from which a window counts as turned: rare letters alone do not reach it."""
FREQUENCY: Final = dict(
    zip("etaoinshrdlcumwfgypbvkjxqz",
        (12.7, 9.1, 8.2, 7.5, 7.0, 6.7, 6.3, 6.1, 6.0, 4.3, 4.0, 2.8, 2.8, 2.4, 2.4, 2.2, 2.0, 2.0,
         1.9, 1.5, 1.0, 0.8, 0.15, 0.15, 0.1, 0.07), strict=True)
)  # fmt: skip
_GAIN: Final = {c: math.log(FREQUENCY[codecs.encode(c, "rot13")] / FREQUENCY[c]) for c in FREQUENCY}
"""How much likelier a letter is in English after rot13 than before, as a log ratio."""
_GAINS: Final = np.array([_GAIN.get(chr(code), 0.0) for code in range(0x80)])
_BLANK: Final = ord(" ")
_ROUNDING: Final = 1e-9


def rot13(view: View) -> View:
    """Return the reading with those words turned that look English only when turned.

    A word is judged with its neighbours, so a payload inside ordinary text is found too.
    """
    words = _WORD.findall(view.text)
    if not words or not _may_be_turned(words):
        return view
    turn = _turned([sum(_GAIN[c] for c in word.lower()) for word in words])
    return rewritten(
        view, _WORD, lambda m: codecs.encode(m.group(), "rot13") if next(turn) else None
    )


def _may_be_turned(words: list[str]) -> bool:
    """Say whether any window of words may count as turned: all at once, nearly exactly."""
    codes = np.frombuffer(f" {' '.join(words)} ".lower().encode(), dtype=np.uint8)
    at_edges = _GAINS[codes].cumsum()[codes == _BLANK]
    size = min(_WINDOW, len(words))
    return float((at_edges[size:] - at_edges[:-size]).max()) > _LEAST - _ROUNDING


def _turned(gains: list[float]) -> Iterator[bool]:
    """Yield for each word whether any window of words around it is likelier English when turned."""
    total = [0.0]
    for gain in gains:
        total.append(total[-1] + gain)
    count = len(gains)
    size = min(_WINDOW, count)
    wins = [total[i + size] - total[i] > _LEAST for i in range(count - size + 1)]
    run = [0]
    for win in wins:
        run.append(run[-1] + win)
    for i in range(count):
        low, high = max(0, i - size + 1), min(len(wins), i + 1)
        yield run[high] > run[low]
