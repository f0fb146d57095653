"""The browser that the stories of the console are played in."""

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Browser

from tests.live.console.chromium import chromium


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    """Lend Chromium."""
    async with chromium() as opened:
        yield opened
