"""Tokens by a tokenizer's file: as the model counts them, and nothing that is no tokenizer."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers.models import WordLevel

from gateway.app.assisting import opened_assists
from gateway.app.embedding import bounds_of
from gateway.settings import SettingsError, load
from guard.errors import InvalidError
from guard.models.counting import counting
from guard.outcomes import Query, Recollection
from guard.recall import fenced, recall
from memory.assembly import ContextBounds, estimate_tokens
from storage.fakes.registry import MemoryRegistry
from tests.house import House, caller


def tokenizer_file(folder: Path) -> Path:
    """Return a file with a tokenizer that counts words and single signs, made for training: it
    cuts, fills, and sets marks around a text.
    """
    made = Tokenizer(WordLevel({"[UNK]": 0, "[CLS]": 1, "[SEP]": 2}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    made.enable_truncation(8)
    made.enable_padding(length=8)
    path = folder / "tokenizer.json"
    made.save(str(path))
    return path


@pytest.mark.requirement("R8")
def test_a_text_has_as_many_tokens_as_the_file_says(tmp_path: Path) -> None:
    """Neither cut nor filled, without the marks around it; half a character counts as one sign."""
    count = counting(tokenizer_file(tmp_path))
    assert count("") == 0
    assert count("one two, three") == 4
    assert count("word " * 500) == 500
    assert count("我不喝咖啡。") == 6
    assert count("a \ud800 b") == 3
    # The control: the guess says otherwise, on the safe side.
    assert estimate_tokens("word " * 500) > 500


@pytest.mark.requirement("R8")
@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\xfe", b'{"model": 3}', None])
async def test_a_file_without_a_tokenizer_is_refused_at_start(
    tmp_path: Path, content: bytes | None
) -> None:
    """Nothing else counts in its place, and nothing of the file is repeated."""
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_bytes(content)
    settings = load(environ={}, overrides={"recall.tokenizer": str(path)})
    with pytest.raises(InvalidError, match=r"recall\.tokenizer: tokenizer\.json holds no"):
        async with opened_assists(settings, MemoryRegistry()):
            pass


@pytest.mark.requirement("R8")
async def test_the_block_is_as_long_as_the_settings_say(tmp_path: Path) -> None:
    """Fewer memories than asked for when they have more tokens than there may be, as counted."""
    settings = load(
        environ={},
        overrides={
            "recall.tokenizer": str(tokenizer_file(tmp_path)),
            "recall.context_items": "4",
            "recall.context_fewer": "2",
            "recall.context_characters": "60",
        },
    )
    assert bounds_of(settings).context == ContextBounds(4, 2, 1500, 60)
    async with opened_assists(settings, MemoryRegistry()) as assists:
        count = assists.count
    house = House()
    names = ("Ada", "Ben", "Cleo", "Dora", "Emil")
    for name in names:
        await house.remember(caller(), f"The locker of {name} is number {len(name)}{ord(name[0])}.")
    answer = await _asked(house, bounds=bounds_of(settings).context, count=count)
    assert len(answer.items) == 5
    assert answer.context.count("id=") == 4
    # A token less than these four take, and there are as many as then, or fewer.
    tight = msgspec.structs.replace(bounds_of(settings).context, tokens=count(answer.context) - 1)
    fewer = await _asked(house, bounds=tight, count=count)
    assert (len(fewer.items), fewer.context.count("id=")) == (5, 2)
    # The control: by the guess, which counts otherwise, the same room holds another number.
    guessed = await _asked(house, bounds=tight)
    assert guessed.context.count("id=") != 4


async def _asked(house: House, *, bounds: ContextBounds, **rooms: Any) -> Recollection:
    own = msgspec.structs.replace(house.rooms.bounds, context=bounds)
    return await recall(
        caller(),
        Query("The locker of is number", k=5),
        house.with_rooms(bounds=own, **rooms),
    )


def test_no_block_is_without_bounds() -> None:
    """What would show nothing, or everything, is no setting."""
    for name, value in (("items", "0"), ("tokens", "5"), ("characters", "1"), ("fewer", "0")):
        with pytest.raises(SettingsError):
            load(environ={}, overrides={f"recall.context_{name}": value})
    assert fenced((), House().now, House().rooms).ids == ()
