"""Scenes played against each layer, and what came of them."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from bench.attacks.layers import Layer
from tests.attacks.meaning import Models, Whole, opened
from tests.attacks.scenes import Reach, Scene, Way, attacked, served

Progress = Callable[[str, int, int], None]


class Played(msgspec.Struct, frozen=True):
    """One scene in one way against one layer: how far the poison came, and whether the twin did."""

    layer: str
    way: str
    scene: str
    lang: str
    reach: Reach
    twin: bool


async def play(
    layers: Sequence[Layer], plan: Sequence[tuple[Way, Scene]], loaded: Models, folder: Path,
    progress: Progress,
) -> list[Played]:  # fmt: skip
    """Play all of a plan against each layer; each scene has subjects of its own."""
    played: list[Played] = []
    for layer in layers:
        place = folder / layer.name.replace(" ", "-")
        place.mkdir()
        async with opened(place, loaded, layer.rooms, layer.doors) as whole:
            for number, (way, scene) in enumerate(plan):
                progress(layer.name, number, len(plan))
                played.append(await _one(whole, layer, way, scene))
    return played


async def _one(whole: Whole, layer: Layer, way: Way, scene: Scene) -> Played:
    # A tenant for each way: several play the same scenes, and what one tenant may spend is bounded.
    attacker, honest = (whole.caller(way.name, f"{scene.id}-{side}") for side in ("attack", "twin"))
    return Played(
        layer=layer.name,
        way=way.name,
        scene=scene.id,
        lang=scene.lang,
        reach=await attacked(attacker, way, scene, marks=layer.marks),
        twin=await served(honest, way, scene),
    )


def plan_of(ways: Iterable[Way], each: int) -> list[tuple[Way, Scene]]:
    """Return the scenes to play: of each way and language at most `each`."""
    return [(way, scene) for way in ways for scene in sample(way, each)]


def sample(way: Way, each: int) -> list[Scene]:
    """Return at most `each` scenes of every language, spread over the table."""
    chosen: list[Scene] = []
    for lang in dict.fromkeys(scene.lang for scene in way.scenes()):
        scenes = [scene for scene in way.scenes() if scene.lang == lang]
        step = max(1, len(scenes) // each)
        chosen += scenes[::step][:each]
    return chosen
