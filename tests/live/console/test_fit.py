"""Pages fit a narrow screen with the longest figures, in whatever font a machine has."""

from collections.abc import AsyncIterator
from importlib.resources import files
from typing import Final

import pytest
import pytest_asyncio

from tests.live.console.chromium import (
    AXE,
    CHROMIUM,
    NARROW,
    UNTESTED,
    Watched,
    chromium,
    window,
)

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(not (CHROMIUM.exists() and AXE.exists()), reason=UNTESTED),
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.requirement("Q8"),
]

SHEET: Final = (files("gateway.console") / "static" / "console.css").read_text("utf-8")
FIGURES: Final = (
    ("Waiting for review", "≥ 10,000"),
    ("Decided by people", "10,000"),
    ("Median time to a decision", "119 minutes"),
)
WIDE_FONT: Final = "'DejaVu Sans', Verdana, sans-serif"
"""What a Linux without fonts of its own falls back to; it is wide."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def at() -> AsyncIterator[Watched]:
    """Lend a narrow window."""
    async with chromium() as browser, window(browser, "about:blank", size=NARROW) as opened:
        yield opened


async def show(at: Watched, figures: str, font: str, more: str = "") -> None:
    """Show a page with these figures alone, laid out by the console's own sheet."""
    await at.page.set_content(
        f"<!doctype html><html lang=en data-theme=light><style>{SHEET}\n"
        f"body {{ font-family: {font} }} {more}</style>"
        f"<main><dl class=figures>{figures}</dl></main></html>"
    )


def cards(figures: tuple[tuple[str, str], ...]) -> str:
    """Return figures as the overview writes them."""
    return "".join(f"<div class=card><dt>{dt}</dt><dd>{dd}</dd></div>" for dt, dd in figures)


@pytest.mark.parametrize("font", [WIDE_FONT, "sans-serif", "serif", "monospace"])
async def test_the_longest_figures_fit(at: Watched, font: str) -> None:
    """Three beside each other on a telephone's screen, whichever of them is the longest."""
    longest = max((dd for _, dd in FIGURES), key=len)
    for figures in (FIGURES, tuple((dt, longest) for dt, _ in FIGURES)):
        await show(at, cards(figures), font)
        assert await at.sticking_out() == []


async def test_a_word_that_sticks_out_of_its_element_is_noticed_and_named(at: Watched) -> None:
    """The control: figures as large as on a wide screen, which may not be broken."""
    large = ".figures dd { font-size: 1.7rem !important; overflow-wrap: normal !important }"
    await show(at, cards(FIGURES), WIDE_FONT, large)
    whole, *named = await at.sticking_out()
    assert whole.endswith("wide in 390")
    assert [one.partition(" ends")[0] for one in named] == ["text in DD."]


async def test_an_element_that_sticks_out_is_noticed_and_named(at: Watched) -> None:
    """The control of the other kind."""
    await show(at, "<div class=wider></div>", WIDE_FONT, ".wider { width: 500px; height: 9px }")
    _, *named = await at.sticking_out()
    assert any(one.startswith("DIV.wider ends at") for one in named)
