"""Every reading of a text that a detector must see (W2). Pure, linear, never raises on text.

`views_of` returns the original first. Then come, where they differ from an earlier one:

- `bare`: NFKC without invisible characters, case kept
- `nfkc`: `bare` with case and white space folded; rules are written against this form
- `skeleton`, `joined`: look-alikes, leetspeak and sound-alikes read, letters and pieces of words
  that stand apart joined
- `<code>`: runs in base64, base32, hex, percent, HTML, backslash, decimal, binary or Morse code and
  text between marks decoded in place, up to `DEPTH` times (`base64+percent` side by side,
  `base64>percent` one inside the other), each with its own `.nfkc`, `.skeleton` and `.joined`
- `rot13`, `shift`, `reversed`, `mirrored`: text in another alphabet, or backwards
- `hidden`: text carried by tag characters or variation selectors
- `overflow`, empty: the text unfolds into more than is read; a stage holds it for that
"""

from collections.abc import Iterator, Sequence
from typing import Final

from guard.nouns import View
from guard.views.choose import MODEL_CHARACTERS, MODEL_VIEWS, views_for_models
from guard.views.decode import decoded, hidden
from guard.views.fold import bare, forms, plain
from guard.views.rewrite import original, renamed, span_of
from guard.views.rot13 import rot13
from guard.views.turn import turned

__all__ = [
    "DEPTH",
    "MODEL_CHARACTERS",
    "MODEL_VIEWS",
    "OVERFLOW",
    "normalised",
    "span_of",
    "views_for_models",
    "views_of",
]

DEPTH: Final = 3
"""How many times a code inside a code is opened."""
OVERFLOW: Final = "overflow"
_BUDGET_PER_CHARACTER: Final = 12
_BUDGET_AT_LEAST: Final = 65_536


def views_of(text: str) -> tuple[View, ...]:
    """Return every distinct reading of `text`, the original first.

    All readings together stay within a budget that honest text does not come near; a text that
    would exceed it gets the empty view `overflow` as its last.
    """
    budget = max(_BUDGET_AT_LEAST, _BUDGET_PER_CHARACTER * len(text))
    kept: dict[str, View] = {}
    for view in _readings(text):
        if view.text in kept or not view.text:
            continue
        budget -= len(view.text)
        if budget < 0 and kept:
            return (*kept.values(), View(OVERFLOW, "", (), ()))
        kept[view.text] = view
    return tuple(kept.values()) or (original(text),)


def normalised(text: str, views: Sequence[View] = ()) -> str:
    """Return the text of the `nfkc` view, the same for texts that differ in writing only.

    It is not read again where it is among `views`, the readings of this text.
    """
    if views and views[0].text == text:
        for view in views[1:3]:
            if view.name == "nfkc":
                return view.text
    return plain(original(text)).text


def _readings(text: str) -> Iterator[View]:
    first = original(text)
    yield first
    shown = bare(first)
    yield from _named(shown, "bare", "")
    yield from _turned(shown, "")
    carried = hidden(first)
    if carried is not first:
        shown = bare(carried)
        yield from _named(shown, "hidden", "hidden.")
    path: list[str] = []
    for _ in range(DEPTH):
        shown, kinds = decoded(shown)
        if not kinds:
            return
        shown = bare(shown)
        path.append("+".join(kinds))
        name = ">".join(path)
        yield from _named(shown, name, f"{name}.")
        yield from _turned(shown, f"{name}>")


def _named(view: View, name: str, prefix: str) -> Iterator[View]:
    """Yield a reading with case kept and its folded forms; without case only the forms."""
    folded = forms(view, prefix)
    if view.text != folded[0].text:
        yield renamed(view, name)
    yield from folded


def _turned(view: View, prefix: str) -> Iterator[View]:
    rotated = rot13(view)
    ways = [] if rotated is view else [("rot13", rotated)]
    for name, reading in (*ways, *turned(view)):
        yield from _named(reading, f"{prefix}{name}", f"{prefix}{name}.")
