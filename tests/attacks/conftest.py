"""One site for all attacks of a run: starting its index worker takes longer than most of them."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from memory.types import TenantId
from tests.attacks.tamper import Library, Site, opened


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def site(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    """Real rooms on real files."""
    async with opened(tmp_path_factory.mktemp("site")) as one:
        yield one


@pytest.fixture
def tenant(site: Site) -> TenantId:
    """Return a tenant of the test's own, so that what it breaks stays there."""
    return site.new_tenant()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def library(site: Site) -> Library:
    """Return memories for tests that put everything back."""
    return await site.library()
