"""One site and one set of models for all attacks of a run: both take longer to start than most."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from memory.types import TenantId
from tests.attacks import meaning
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


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def loaded(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[meaning.Models]:
    """Return the models that a gateway on its defaults judges with."""
    async with meaning.models(tmp_path_factory.mktemp("models")) as models:
        yield models


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def whole(
    loaded: meaning.Models, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[meaning.Whole]:
    """Return a whole gateway with its models, over adapters in memory."""
    async with meaning.opened(tmp_path_factory.mktemp("whole"), loaded) as one:
        yield one
