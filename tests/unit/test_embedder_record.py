"""The ledger remembers which embedder made its vectors."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from guard.errors import UnreadableError
from guard.models.prepare import EMBEDDER
from guard.ports import EmbedderId
from storage.database import Database
from storage.embedders import SqlEmbedders
from tests.contracts.ledger_builders import new_file, open_books, put, sealed, url_of

ONE = EmbedderId("one@1", {"main": 8})
OTHER = EmbedderId("other@1", {"main": 8})


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    """Lend an open ledger."""
    opened = await Database.open(url_of(await new_file(tmp_path)))
    yield opened
    await opened.close()


def edit(file: Path, statement: str, *values: str) -> None:
    """Change the file behind the ledger's back."""
    raw = sqlite3.connect(file)
    raw.execute(statement, values)
    raw.commit()
    raw.close()


@pytest.mark.requirement("S7")
async def test_the_first_embedder_is_recorded_and_stays(database: Database) -> None:
    """Whoever comes with another one learns which it is; asking records nothing."""
    embedders = SqlEmbedders(database)
    assert await embedders.recorded() is None
    assert await embedders.adopt(ONE) == ONE
    assert await embedders.adopt(OTHER) == ONE
    assert await SqlEmbedders(database).recorded() == ONE


@pytest.mark.requirement("S7")
async def test_several_starts_at_once_agree_on_one(tmp_path: Path) -> None:
    """Over connections of their own, as processes have."""
    url = url_of(await new_file(tmp_path))
    opened = [await Database.open(url) for _ in range(4)]
    wanted = [EmbedderId(f"embedder-{i}@1", {"main": i + 1}) for i in range(4)]
    found = await asyncio.gather(
        *(SqlEmbedders(one).adopt(id) for one, id in zip(opened, wanted, strict=True))
    )
    for one in opened:
        await one.close()
    assert found[0] in wanted
    assert found == [found[0]] * 4


@pytest.mark.requirement("S7")
@pytest.mark.parametrize("spoilt", ["", "[]", '{"main": "x"}', "{"])
async def test_a_record_that_is_none_is_unreadable(database: Database, spoilt: str) -> None:
    """It is never taken for another model's, nor for a fresh ledger's."""
    embedders = SqlEmbedders(database)
    await embedders.adopt(ONE)
    file = Path(str(database.engine.url.database))
    edit(file, "UPDATE embedders SET dimensions = ?", spoilt)
    with pytest.raises(UnreadableError):
        await embedders.recorded()
    with pytest.raises(UnreadableError):
        await embedders.adopt(ONE)


LATER_INDEXES = (
    *("memories_claim", "memories_chain", "memories_session"),
    *("held_subject", "held_client", "held_origin", "held_source", "held_session", "held_gravity"),
    *("memories_by_source", "memories_by_session", "memories_by_client"),
)
LATER_COLUMNS = (
    *(("memories", column) for column in ("claim", "faded", "gravity")),
    *(("tenants", column) for column in ("ceiling", "tenant_units", "origin_units")),
    *(("tenants", column) for column in ("subject_units", "indexing")),
)
LATER_TABLES = (
    *("embedders", "answers", "queue", "writes", "turns", "revocations", "doubts"),
    *("rulesets", "enactments", "traces", "remarks", "escalations", "decisions", "proposals"),
    *("visits", "derivations", "lineages", "bans", "barred"),
    *("posts", "webhook_seals", "webhooks"),
)


@pytest.mark.requirement("S7", "S1")
@pytest.mark.parametrize("filled", [True, False], ids=["with memories", "empty"])
async def test_an_older_ledger_with_memories_is_the_packaged_embedders(
    tmp_path: Path, *, filled: bool
) -> None:
    """There was no other one; an empty ledger is anybody's."""
    async with open_books("sqlite", tmp_path) as books:
        if filled:
            await put(books, sealed())
        assert books.file is not None
        file = books.file
    # Back to what revision 0002 knew: without what later ones added.
    for index in LATER_INDEXES:
        edit(file, f"DROP INDEX {index}")
    for table, column in LATER_COLUMNS:
        edit(file, f"ALTER TABLE {table} DROP COLUMN {column}")
    for table in LATER_TABLES:
        edit(file, f"DROP TABLE {table}")
    edit(file, "UPDATE alembic_version SET version_num = ?", "0002")
    database = await Database.open(url_of(file))
    assert await SqlEmbedders(database).recorded() == (EMBEDDER if filled else None)
    await database.close()
