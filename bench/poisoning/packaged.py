"""The packaged injection model, counted or asked once a text while something is measured."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

Read = Callable[[Any, Sequence[str]], Any]
"""The model and texts to one row a text."""


@contextmanager
def asked_once() -> Iterator[None]:
    """Have the model read each text once meanwhile; no stage asks it yet."""
    yield


@contextmanager
def reading(change: Callable[[Read], Read]) -> Iterator[None]:
    """Let the model read as `change` makes of its way to read; no stage asks it yet."""
    del change
    yield
