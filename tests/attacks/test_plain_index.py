"""What lies in the files says nothing: no word, no hash that could be guessed, nobody else's ids.

Also the two replays that an index can be made to tell: of a memory that is forgotten, and of one
that belongs to somebody else under the same words.
"""

import hashlib
import hmac
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import numpy as np
import pytest

from guard.forget import forget
from guard.gather import search_material
from guard.nouns import Draft
from guard.outcomes import Query
from guard.ports import Found, Probe, Purpose
from guard.principal import Principal
from guard.recall import recall
from memory.signals import Blinded
from memory.terms import terms_of
from memory.types import INDEXED_LAYERS, MemoryId, TenantId
from tests.attacks.tamper import Library, Site, opened
from tests.attacks.test_tamper_index import entry_of
from tests.house import caller
from tests.live.plaintext import dense, traces

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXTS = (
    "The Quixberry violins sleep in the Marzipole vault, 琥珀色的长颈鹿 no 4827193056.",
    "我的旧怀表放在Larkspindle茶馆的乌木匣子里。",
)
WORDS = ("Quixberry", "Marzipole", "琥珀色的长颈鹿", "4827193056", "Larkspindle", "乌木匣子")
_SHORTEST = 8
"""Bytes of a hash that chance does not bring about in some megabytes."""


def digests(term: str) -> Iterator[bytes]:
    """Yield every hash of a term that needs no key: whoever has a word list makes the same."""
    for raw in (term.encode(), term.encode("utf-16-le")):
        for name in ("md5", "sha1", "sha256", "sha512", "blake2b", "blake2s", "sha3_256"):
            yield hashlib.new(name, raw).digest()
        # A key that everybody knows is none.
        yield hmac.digest(b"", raw, "sha256")
        yield hmac.digest(b"memguard", raw, "sha256")


def hashed(folder: Path, terms: Mapping[str, float]) -> set[str]:
    """Return the terms of which any file holds a hash, whole or cut, as bytes or in hex."""
    sought: dict[bytes, str] = {}
    for term in terms:
        for digest in digests(term):
            start = digest[:_SHORTEST]
            for form in (start, start[::-1], start.hex().encode(), start.hex().upper().encode()):
                sought[form] = term
    # By its first three bytes nearly every place is ruled out without a look.
    begins = np.zeros(1 << 24, dtype=bool)
    begins[[int.from_bytes(form[:3], "big") for form in sought]] = True
    found = set()
    for path in folder.rglob("*"):
        content = dense(path) if path.is_file() else b""
        bytes_of = np.frombuffer(content, np.uint8).astype(np.uint32)
        first = bytes_of[:-2] << 16 | bytes_of[1:-1] << 8 | bytes_of[2:]
        for at in np.flatnonzero(begins[first]):
            for size in (_SHORTEST, 2 * _SHORTEST):
                named = sought.get(content[at : at + size])
                found.update([] if named is None else [named])
    return found


def small_hashes(term: str) -> set[int]:
    """Return the 32-bit ids that a term would have without a key."""
    raw = term.encode()
    ids = {zlib.crc32(raw), zlib.adler32(raw)}
    for digest in digests(term):
        ids |= {int.from_bytes(digest[:4], "big"), int.from_bytes(digest[:4], "little")}
    return ids


async def material(site: Site, principal: Principal, id: MemoryId) -> Blinded:
    """Return what a memory is found by, as it lies sealed in the ledger and open in the index."""
    return (await entry_of(site, principal, id)).blinded


@pytest.mark.requirement("S3", "R1", "S6")
async def test_no_word_and_no_unkeyed_hash_of_one_lies_in_index_ledger_or_log(
    tmp_path: Path,
) -> None:
    """Every byte of the embedded index, the ledger, both WALs and the key store, while open."""
    # Files of its own: those that other tests share grow to gigabytes, and all is read.
    async with opened(tmp_path) as site:
        await _say_nothing(site)


async def _say_nothing(site: Site) -> None:
    alice = caller("alice", site.new_tenant())
    ids = [await site.remember(alice, text) for text in TEXTS]
    await site.settle()
    await recall(alice, Query(TEXTS[0], 5), site.rooms)
    await site.journal.flush()
    folder = site.settings.storage.data_dir
    terms = {term: weight for text in TEXTS for term, weight in terms_of(text).items()}
    assert len(terms) > 20
    assert traces(folder, WORDS) == []
    assert hashed(folder, terms) == set()
    for id in ids:
        stored = set((await material(site, alice, id)).sparse.ids)
        assert stored
        assert stored.isdisjoint({one for term in terms for one in small_hashes(term)})

    # Controls: the same search sees a word and a hash once they are there, and it looked where the
    # index keeps what it compares.
    entities = (await material(site, alice, ids[0])).entities
    index = [dense(path) for path in (folder / "index").rglob("*") if path.is_file()]
    assert any(entity.encode() in content for entity in entities for content in index)
    planted = folder / "index" / "planted"
    term = next(iter(terms))
    planted.write_bytes(
        b"x" * 99 + hashlib.sha256(term.encode()).digest()[:16] + "乌木匣子".encode()
    )
    try:
        assert hashed(folder, terms) == {term}
        assert {trace.word for trace in traces(folder, WORDS)} == {"乌木匣子"}
    finally:
        planted.unlink()


async def scores(site: Site, principal: Principal, question: str) -> Found:
    """Return what the index makes of a question, with raw scores."""
    owner = principal.owner
    _, blinded = await search_material(owner, Draft(question), site.rooms, Purpose.QUESTION)
    probe = Probe(blinded, INDEXED_LAYERS, 50)
    return await site.index.search(owner.tenant, blinded.subject, probe)


@pytest.mark.requirement("R1", "E5")
async def test_two_subjects_with_the_same_words_share_no_id_and_move_no_score(
    site: Site, tenant: TenantId
) -> None:
    """Whoever writes chosen text learns nothing of another's ids and changes nothing of his."""
    alice, bob = caller("alice", tenant), caller("bob", tenant)
    (mine,) = await site.shelves(alice, 1)
    await site.shelves(alice, 2)
    question = "Which shelf in the north library holds the atlas volumes?"
    before = await scores(site, alice, question)
    assert before.routes["keyword"]

    (theirs,) = await site.shelves(bob, 1)
    for number in range(30, 45):
        await site.remember(bob, f"Atlas {number} lies on another shelf of the north library.")
    await site.settle()
    own, other = await material(site, alice, mine), await material(site, bob, theirs)
    assert set(own.sparse.ids).isdisjoint(other.sparse.ids)
    assert set(own.entities).isdisjoint(other.entities)
    assert own.subject != other.subject
    for name, vector in own.vectors.items():
        assert abs(float(vector @ other.vectors[name])) < 0.5
    assert await scores(site, alice, question) == before

    # Controls: one subject's ids for the same words do match, his vectors do, too, and what he
    # writes himself does move how rare a word of his is.
    (again,) = await site.shelves(alice, 3)
    same = await material(site, alice, again)
    assert set(same.sparse.ids) & set(own.sparse.ids)
    for name, vector in own.vectors.items():
        assert float(vector @ same.vectors[name]) > 0.5
        assert np.isclose(float(np.linalg.norm(vector)), 1.0, atol=1e-3)
    after = await scores(site, alice, question)
    moved = {hit.id: hit.score for hit in after.routes["keyword"]}
    assert any(moved[hit.id] != hit.score for hit in before.routes["keyword"])


@pytest.mark.requirement("R5", "S5")
async def test_an_entry_that_points_to_a_forgotten_memory_surfaces_nowhere(
    site: Site, tenant: TenantId
) -> None:
    """Put back whole after the memory was forgotten: named, withheld, and not readable by id."""
    alice = caller("alice", tenant)
    victim, other = await site.shelves(alice, 1, 2)
    entry = await entry_of(site, alice, victim)
    assert (await site.ask(alice)).shown == {victim, other}  # the control: it is a good entry
    await forget(alice, victim, site.rooms)
    await site.settle()
    assert (await site.ask(alice)).shown == {other}

    await site.index.upsert(tenant, [entry])
    answer = await site.ask(alice)
    assert answer.shown == {other}
    assert set(answer.withheld) == {victim}
    assert not await site.fetched(alice, victim)


@pytest.mark.requirement("R5", "E5")
async def test_an_entry_of_another_subject_replayed_under_ones_own_memory_is_dropped(
    site: Site, library: Library
) -> None:
    """Content and material of one subject, id and mark of another: neither of them sees it."""
    stolen = await entry_of(site, library.bob, library.theirs[0])
    victim, *rest = library.mine
    own = await entry_of(site, library.alice, victim)
    assert (await site.ask(library.alice)).shown == {*library.mine}
    forged = msgspec.structs.replace(own, token=stolen.token, blinded=own.blinded)
    await site.index.upsert(library.tenant, [forged])
    try:
        answer = await site.ask(library.alice)
        assert (answer.shown, answer.withheld) == ({*rest}, {victim: "check.index"})
        assert (await site.ask(library.bob)).shown == {*library.theirs}
    finally:
        await site.index.upsert(library.tenant, [own])
    assert (await site.ask(library.alice)).shown == {*library.mine}
