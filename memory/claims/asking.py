"""Whether a text only asks: what is asked for is not said, and takes no other memory's place."""

import re
from typing import Final

_SENTENCE: Final = re.compile(r"[^.!?。!?;；\n]+[.!?。!?;；\n]*")
_WISH: Final = re.compile(
    r"\b(?:can|could|would|will) (?:you|we)\b|\bplease\b|\bwhy (?:not|don't)\b|\blet'?s\b"
    r"|能不能|可不可以|可以|能否|请|麻烦|帮|改成|改用|换成|换用|以后|好吗|行吗|好不好|行不行|不知道|想知道",
    re.IGNORECASE,
)
"""A wish in the form of a question says what is wanted."""
_CLAIMING: Final = re.compile(
    r"\b(?:right|ok|okay|isn't it|correct)\W*$|对吧|对吗|是吧", re.IGNORECASE
)
_ASKS: Final = re.compile(
    r"^(?:怎么|怎样|如何|什么|为什么|为何|谁|哪|多少|几)[^都也:,]*$|^[^:,]*(?:吗|呢|怎么办|怎么样)$"
)
"""Without its mark a question is known in Chinese alone: "what I like is jazz" is none."""


def only_asks(text: str) -> bool:
    """Say whether every sentence of a folded text is a question, and none of them a wish."""
    if _WISH.search(text) or _CLAIMING.search(text):
        return False
    sentences = [one.group().strip() for one in _SENTENCE.finditer(text)]
    return bool(sentences) and all(_asks(one) for one in sentences if one)


def _asks(sentence: str) -> bool:
    return sentence.endswith("?") or _ASKS.search(sentence) is not None
