"""The models that help with questions, as the settings name them: opened, refused, counted."""

from pathlib import Path

import pytest

from gateway.app.assisting import opened_assists
from gateway.settings import Settings, SettingsError, load
from guard.errors import InvalidError
from tests.contracts.tiny_cross import PAIRS, build_cross


def named(**fields: str) -> Settings:
    """Return settings with these fields of `recall`."""
    return load(environ={}, overrides={f"recall.{name}": one for name, one in fields.items()})


@pytest.mark.requirement("R3")
async def test_nobody_helps_unless_one_is_named() -> None:
    """The default opens nothing, and what is said of a model that is not there is refused."""
    async with opened_assists(named()) as assists:
        assert assists.closely is None
    with pytest.raises(SettingsError, match="cross_encoder_items"):
        named(cross_encoder_items="5")
    for items in ("0", "21"):
        with pytest.raises(SettingsError):
            named(cross_encoder="/models/reranker", cross_encoder_items=items)


@pytest.mark.requirement("R3")
async def test_a_cross_encoder_that_cant_be_had_is_not_left_out(tmp_path: Path) -> None:
    """The gateway does not start without what it was told to have."""
    with pytest.raises(InvalidError, match=r"recall\.cross_encoder"):
        async with opened_assists(named(cross_encoder=str(tmp_path))):
            pass


@pytest.mark.requirement("R3", "E11")
async def test_a_named_cross_encoder_reads_and_is_counted(tmp_path: Path) -> None:
    """By the bounds of the settings; its answers and its failures are figures."""
    settings = named(
        cross_encoder=str(build_cross(tmp_path)),
        cross_encoder_items="3",
        cross_encoder_weight="0.4",
        cross_encoder_threads="1",
        cross_encoder_seconds="10",
    )
    (asked, answer), (_, other) = PAIRS[:2]
    async with opened_assists(settings) as assists:
        closely = assists.closely
        assert closely is not None
        assert (closely.items, closely.weight) == (3, 0.4)
        scores = await closely.scores(asked, [answer, other])
        assert scores is not None
        assert scores[0] > scores[1]
    assert await closely.scores(asked, [answer]) is None
    assert (closely.asked, closely.failed) == (2, 1)
