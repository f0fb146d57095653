"""What is known to get through, and which honest twins are lost, scene by scene."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from tests.attacks.scenes import Scene

FILE: Final = Path(__file__).parent / "gaps.json"


class Gaps(msgspec.Struct, frozen=True):
    """Scenes whose poison is recalled as actionable, and scenes whose twin is not recalled."""

    through: Sequence[str]
    lost: Sequence[str]


class Known(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table: both by way."""

    through: Mapping[str, tuple[str, ...]]
    lost: Mapping[str, tuple[str, ...]]

    def of(self, way: str, scenes: Sequence[Scene]) -> Gaps:
        """Return what the table says of these scenes."""
        ids = {scene.id for scene in scenes}
        return Gaps(
            sorted(ids.intersection(self.through.get(way, ()))),
            sorted(ids.intersection(self.lost.get(way, ()))),
        )


def settled(gaps: Gaps) -> Gaps:
    """Return the same in the table's order."""
    return Gaps(sorted(gaps.through), sorted(gaps.lost))


GAPS: Final = msgspec.json.decode(FILE.read_bytes(), type=Known)
