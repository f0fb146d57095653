"""What a write says of itself: the caller's key, and whether he will wait for the decision."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from guard.errors import InvalidError
from guard.once import Once

KEY: Final = "Idempotency-Key"
PREFER: Final = "Prefer"
KEY_FIELD: Final = {
    KEY: "1 to 255 visible ASCII characters: the same key and body give the first answer again.",
}
WRITE_FIELDS: Final = {
    **KEY_FIELD,
    PREFER: "`respond-async` to be answered before the write is decided (RFC 7240).",
}

_VISIBLE: Final = re.compile(r"\A[\x21-\x7e]{1,255}\Z")
_QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"')


def once_of(values: Sequence[str], route: str) -> Once | None:
    """Return the key that was sent to a route or tool, None when there is none.

    The draft of the field has it in quotes and most clients send it bare: both are the same key.
    Raises InvalidError for more than one, and for one that is no key.
    """
    if not values:
        return None
    key = values[0]
    if key[:1] == key[-1:] == '"':
        key = key[1:-1]
    if len(values) > 1 or not _VISIBLE.match(key):
        raise InvalidError("idempotency key: one of 1 to 255 visible ASCII characters")
    return Once(key, route)


def prefers_async(values: Iterable[str]) -> bool:
    """Return whether a `Prefer` field asks for an answer before the work (RFC 7240)."""
    wishes = ",".join(_QUOTED.sub("", value) for value in values).split(",")
    names = (wish.partition(";")[0].partition("=")[0] for wish in wishes)
    return any(name.strip().lower() == "respond-async" for name in names)
