"""Models: what embeds a text, and what finds something in it."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Protocol

import msgspec

from guard.nouns import Facts, Tagged
from memory.signals import Vectors
from policies.model import Finding


class EmbedderId(msgspec.Struct, frozen=True):
    """Which model made a vector: its name with version, and the dimension per vector name."""

    name: str
    dimensions: Mapping[str, int]


class Purpose(StrEnum):
    """What a text is embedded for: some models read a question otherwise than what answers it."""

    MEMORY = "memory"
    QUESTION = "question"


class Embedder(Protocol):
    """Turns texts into unit vectors, off the event loop, batched across concurrent callers."""

    @property
    def id(self) -> EmbedderId:
        """The model that answers."""
        ...

    async def embed(self, texts: Sequence[str], purpose: Purpose = Purpose.MEMORY) -> list[Vectors]:
        """Return one set of named unit vectors per text, in order. Raises UnavailableError."""
        ...


class Detector(Protocol):
    """A screening stage that takes time: a model, or somebody asked over the network (W7).

    It runs under a deadline; one that raises, hangs or answers nonsense holds the write (W11).
    """

    @property
    def version(self) -> str:
        """What decides its answers, at most 64 characters; part of the version of each decision."""
        ...

    async def detect(
        self, tagged: Tagged, facts: Facts, before: Sequence[Finding]
    ) -> tuple[Finding, ...]:
        """Return what it finds; `before` is what the detectors ahead of it found.

        Every finding names the detector's own stage.
        """
        ...
