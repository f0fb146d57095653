"""The packaged injection model, counted or asked once a text while something is measured.

It is deterministic and reads one text at a time, so what it said of a text under one origin is what
it says under the next.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guard.models.defender import Defender

Read = Callable[[Any, Sequence[str]], Any]
"""The model and texts to one row a text."""


@contextmanager
def asked_once() -> Iterator[None]:
    """Have the model read each text once meanwhile."""
    known: dict[str, NDArray[np.float32]] = {}

    def remembering(read: Read) -> Read:
        def remembered(model: Any, texts: Sequence[str]) -> NDArray[np.float32]:
            new = list(dict.fromkeys(text for text in texts if text not in known))
            if new:
                known.update(zip(new, read(model, new), strict=True))
            return np.stack([known[text] for text in texts])

        return remembered

    with reading(remembering):
        yield


@contextmanager
def reading(change: Callable[[Read], Read]) -> Iterator[None]:
    """Let the model read as `change` makes of its way to read meanwhile.

    It has no port of its own: whoever asks it made it himself.
    """
    original = Defender.read
    setattr(Defender, "read", change(original))  # noqa: B010 - the type checker refuses to assign
    try:
        yield
    finally:
        setattr(Defender, "read", original)  # noqa: B010
