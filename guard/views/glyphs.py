"""Which characters look like which: the folding tables of the skeleton view.

Only what a reader (or a model) takes for an ASCII letter is listed; NFKC has already folded full
width, mathematical and circled letters, but not those in filled circles and squares. Traditional
characters are folded too, so that one spelling of a rule sees both scripts.
"""

from typing import Final

from guard.views.hanzi import TO_SIMPLIFIED

_CYRILLIC = dict(zip("авеёзіїјкмнорԛсѕтуԝхһԁьӏг", "abeezlijkmhopqcstywxhdblr", strict=True)) | {
    "і": "i",
    "ӏ": "l",
    "г": "r",
    "п": "n",
    "и": "u",
    "я": "r",
    "ш": "w",
    "ѵ": "v",
    "ґ": "r",
    "ӕ": "ae",
    "ғ": "f",
    "ң": "h",
    "ү": "y",
    "ҳ": "x",
    "ҫ": "c",
}
_GREEK = {
    "α": "a",
    "β": "b",
    "γ": "y",
    "δ": "d",
    "ε": "e",
    "ζ": "z",
    "η": "n",
    "ι": "i",
    "κ": "k",
    "μ": "u",
    "ν": "v",
    "ο": "o",
    "π": "n",
    "ρ": "p",
    "σ": "o",
    "ς": "c",
    "τ": "t",
    "υ": "u",
    "χ": "x",
    "ω": "w",
    "ϲ": "c",
    "ϳ": "j",
    "ϝ": "f",
}
_LATIN = {
    "ı": "i",
    "ȷ": "j",
    "ɑ": "a",
    "ƅ": "b",
    "ɡ": "g",
    "ɢ": "g",
    "ɩ": "i",
    "ɪ": "i",
    "ʟ": "l",
    "ɴ": "n",
    "ʀ": "r",
    "ʏ": "y",
    "ʙ": "b",
    "ʜ": "h",
    "ø": "o",
    "đ": "d",
    "ħ": "h",
    "ł": "l",
    "ŧ": "t",
    "ƒ": "f",
    "ɓ": "b",
    "ɗ": "d",
    "ɛ": "e",
    "ɔ": "o",
    "ʋ": "v",
    "ᴀ": "a",
    "ᴄ": "c",
    "ᴅ": "d",
    "ᴇ": "e",
    "ᴊ": "j",
    "ᴋ": "k",
    "ᴍ": "m",
    "ᴏ": "o",
    "ᴘ": "p",
    "ᴛ": "t",
    "ᴜ": "u",
    "ᴠ": "v",
    "ᴡ": "w",
    "ᴢ": "z",
    "ꜱ": "s",
    "ꜰ": "f",
}
_ARMENIAN = {"օ": "o", "ո": "n", "ս": "u", "հ": "h", "ց": "g", "զ": "q", "ա": "w", "ք": "p"}
_FILLED = {chr(start + i): chr(ord("a") + i) for start in (0x1F150, 0x1F170) for i in range(26)}
_SIGNS = {"‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "’": "'", "‘": "'", "“": '"', "”": '"'}
FOLD: Final = {
    ord(char): fold
    for char, fold in (_CYRILLIC | _GREEK | _LATIN | _ARMENIAN | _SIGNS | _FILLED).items()
    if len(fold) == 1
} | TO_SIMPLIFIED
"""One character to one character, so that a fold never moves a position."""

LEET: Final = {
    ord("0"): "o",
    ord("1"): "i",
    ord("3"): "e",
    ord("4"): "a",
    ord("5"): "s",
    ord("7"): "t",
    ord("@"): "a",
    ord("$"): "s",
}
