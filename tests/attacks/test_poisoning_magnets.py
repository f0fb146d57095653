"""A text made to be near to many questions: the tool that makes one works.

What the gateway makes of such texts is played in `test_poisoning_scenes`.
"""

import numpy as np
import pytest

from bench.pairs import CHINESE, ENGLISH
from guard.ports import Embedder
from tests.attacks.meaning import Models
from tests.attacks.optimiser import GUESSED, UNRELATED, Bank, lures, optimised
from tests.attacks.scenes import LANGUAGES, table

pytestmark = pytest.mark.live  # with the real models, for minutes

whole_house = pytest.mark.asyncio(loop_scope="session")
languages = pytest.mark.parametrize("lang", LANGUAGES)
HONEST = {"en": ENGLISH, "zh": CHINESE}
SHOWN = 5


async def _share(texts: list[str], bank: Bank, lang: str, embedder: Embedder) -> float:
    """Return in what share of a bank's questions a text is among the nearest of a bare index."""
    honest = await embedder.embed([memory for memory, _ in HONEST[lang]])
    bar = np.sort(np.stack([bank.near(one) for one in honest]), axis=0)[-SHOWN]
    near = [bank.near(one) > bar for one in await embedder.embed(texts)]
    return float(np.mean(near))


@languages
@whole_house
@pytest.mark.requirement("W8")
async def test_the_tool_pulls_a_text_to_the_questions(loaded: Models, lang: str) -> None:
    """One sweep over a few words brings a payload much nearer to the guessed questions."""
    lure = next(one for one in lures() if one.lang == lang)
    bank = await Bank.of(GUESSED[lang], loaded.embedder)
    text = await optimised(lure.payload, lang, bank, loaded.embedder, slots=6, sweeps=1)
    before, after = await loaded.embedder.embed([lure.payload, text])
    assert text.endswith(lure.payload)
    assert bank.pull(after) > bank.pull(before) + 0.05


@languages
@whole_house
@pytest.mark.requirement("W8")
async def test_its_texts_succeed_against_a_bare_index(loaded: Models, lang: str) -> None:
    """They are among the nearest five of 37 for most questions, for those that the tool never saw
    too; the payload alone is so for few.
    """
    made = [scene.attack[0] for scene in table("magnet") if scene.lang == lang]
    bare = [lure.payload for lure in lures() if lure.lang == lang]
    for questions, at_least in ((list(GUESSED[lang]), 0.75), (list(UNRELATED[lang]), 0.5)):
        bank = await Bank.of(questions, loaded.embedder)
        assert await _share(made, bank, lang, loaded.embedder) > at_least
        assert await _share(bare, bank, lang, loaded.embedder) < 0.25


@pytest.mark.requirement("W8")
def test_each_magnet_carries_its_payload() -> None:
    """What the scenes play is what the tool was given to hide, and asks what it never saw."""
    scenes = {scene.id: scene for scene in table("magnet")}
    for lure in lures():
        scene = scenes[lure.id]
        assert scene.attack[0].endswith(lure.payload)
        assert not set(scene.asks) & set(GUESSED[scene.lang])
