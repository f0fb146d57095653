"""One open shard of the embedded engine: the collection of one tenant and one layer.

The engine raises bare `Exception` for nearly everything; callers treat any as trouble with the
shard. Facts about it that shaped this module are in docs/adr/0004-embedded-index.md.
"""

import base64
import binascii
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import qdrant_edge as engine

from memory.types import MemoryId, SubjectMark
from storage.index import wire

_SUBJECT, _ENTITIES, _WHEN, _TOKEN = "subject", "entities", "when", "token"
_TERMS = "terms"
_CONFIG = "edge_config.json"
_COLD = engine.Memory.Cold


class Candidate(NamedTuple):
    """A hit before layers are merged; among equal scores the newer `when` goes first."""

    score: float
    when: int
    id: MemoryId


Routes = dict[str, list[Candidate]]


class Shard:
    """Stores and finds the points of one layer of one tenant."""

    def __init__(self, shard: engine.EdgeShard) -> None:
        self._shard = shard

    @classmethod
    def create(cls, path: Path, dimensions: Mapping[str, int]) -> "Shard":
        """Return a new empty shard at `path`."""
        return cls(_indexed(engine.EdgeShard.create(str(path), _config(dimensions))))

    @classmethod
    def load(cls, path: Path, dimensions: Mapping[str, int]) -> "Shard":
        """Return the shard at `path`. Raises when it is damaged or open elsewhere."""
        if not (path / _CONFIG).is_file():
            # The engine would make an empty shard of an empty directory and call it loaded.
            raise FileNotFoundError(_CONFIG)
        return cls(_indexed(engine.EdgeShard.load(str(path), _config(dimensions))))

    def upsert(self, points: Sequence[wire.Point]) -> None:
        """Store or replace points. When it raises, a prefix may have been applied."""
        self._shard.update(
            engine.UpdateOperation.upsert_points([_engine_point(point) for point in points])
        )

    def remove(self, ids: Sequence[MemoryId]) -> bool:
        """Remove those of `ids` that are here, and say whether any was."""
        # Asking first keeps the log free of deletions of what was never here.
        present = self._shard.retrieve(list(ids), with_payload=False, with_vector=False)
        if not present:
            return False
        self._shard.update(engine.UpdateOperation.delete_points([record.id for record in present]))
        return True

    def search(self, ask: wire.Search) -> Routes:
        """Return each route's best hits, all filtered by subject and time inside the engine."""
        conditions = _conditions(ask)
        within = engine.Filter(must=conditions)
        requests: dict[str, engine.QueryRequest] = {}
        for name, raw in ask.vectors.items():
            nearest = engine.Query.Nearest(_floats(raw), using=name)
            requests[f"dense.{name}"] = engine.QueryRequest(
                limit=ask.limit, query=nearest, filter=within
            )
        if ask.term_ids:
            requests["keyword"] = _keyword(ask, within)
        if ask.since is not None or ask.until is not None:
            requests["time"] = _newest(ask.limit, within)
        batch = self._shard.query_batch(engine.QueryBatchRequest(list(requests.values())))
        routes: Routes = {}
        for name, hits in zip(requests, batch, strict=True):
            routes[name] = [
                _dated(hit) if name == "time" else Candidate(hit.score, 0, MemoryId(str(hit.id)))
                for hit in hits
            ]
        if ask.entities:
            routes["entity"] = self._entity(ask, conditions)
        return routes

    def _entity(self, ask: wire.Search, conditions: list[Any]) -> list[Candidate]:
        """Return the points that share most entities with the query, newest first among equals.

        One query per number of matches, from all of them downwards until there are enough: the
        engine counts, so the result is exact however many points match.
        """
        wanted: list[Any] = [
            engine.FieldCondition(key=_ENTITIES, match=engine.MatchValue(entity))
            for entity in ask.entities
        ]
        found: dict[MemoryId, Candidate] = {}
        for count in range(len(wanted), 0, -1):
            within = engine.Filter(
                must=conditions, min_should=engine.MinShould(conditions=wanted, min_count=count)
            )
            for hit in self._shard.query(_newest(ask.limit + len(found), within)):
                dated = _dated(hit)
                found.setdefault(dated.id, dated._replace(score=float(count)))
            if len(found) >= ask.limit:
                break
        return list(found.values())[: ask.limit]

    def tokens(self, ids: Sequence[MemoryId]) -> dict[MemoryId, bytes]:
        """Return the content stored under `ids`; empty bytes where it is not what was stored."""
        records = self._shard.retrieve(list(ids), with_payload=[_TOKEN], with_vector=False)
        return {MemoryId(str(record.id)): _token(record) for record in records}

    def inventory(self, after: MemoryId | None, limit: int) -> list[tuple[MemoryId, bytes]]:
        """Return ids after `after`, in order, with the SHA-256 of their content."""
        records, _ = self._shard.scroll(
            engine.ScrollRequest(
                offset=after, limit=limit + 1, with_payload=[_TOKEN], with_vector=False
            )
        )
        listed = [(MemoryId(str(record.id)), sha256(_token(record)).digest()) for record in records]
        return [item for item in listed if item[0] != after][:limit]

    def flush(self) -> None:
        """Write all that is pending to the disk."""
        self._shard.flush()

    def close(self) -> None:
        """Flush and release the shard."""
        self._shard.flush()
        self._shard.close()


def _indexed(shard: engine.EdgeShard) -> engine.EdgeShard:
    """Return the shard with every field indexed that searches need.

    A shard whose creation was cut short loads without complaint and lacks some, and then refuses
    each search for good.
    """
    there = shard.info().payload_schema
    for field, index in (
        (_SUBJECT, engine.KeywordIndexParams(is_tenant=True)),
        (_ENTITIES, engine.KeywordIndexParams(enable_hnsw=False)),
        (_WHEN, engine.IntegerIndexParams(lookup=False, range=True, enable_hnsw=False)),
    ):
        if field not in there:
            shard.update(engine.UpdateOperation.create_field_index(field, index))
    return shard


def _config(dimensions: Mapping[str, int]) -> engine.EdgeConfig:
    return engine.EdgeConfig(
        vectors={
            name: engine.EdgeVectorParams(size=size, distance=engine.Distance.Cosine, memory=_COLD)
            for name, size in dimensions.items()
        },
        sparse_vectors={
            _TERMS: engine.EdgeSparseVectorParams(modifier=engine.Modifier.Idf, memory=_COLD)
        },
        # No graph over the whole collection: every search is within one subject.
        hnsw_config=engine.HnswIndexConfig(
            m=0,
            ef_construct=100,
            full_scan_threshold=10_000,
            payload_m=16,
            max_indexing_threads=1,
            memory=_COLD,
        ),
        max_search_threads=1,
        payload_memory=_COLD,
        id_tracker_memory=_COLD,
        wal_enabled=True,  # its lock is what refuses a second opener of the shard
    )


def _engine_point(point: wire.Point) -> engine.Point:
    vectors: dict[str, Any] = {name: _floats(raw) for name, raw in point.vectors.items()}
    if point.term_ids:
        # An empty sparse vector would count as a document and move everybody's IDF.
        vectors[_TERMS] = engine.SparseVector(list(point.term_ids), list(point.term_weights))
    payload = {
        _SUBJECT: point.subject,
        _ENTITIES: list(point.entities),
        _WHEN: point.when,
        _TOKEN: base64.b64encode(point.token).decode("ascii"),
    }
    return engine.Point(point.id, vectors, payload)


def _conditions(ask: wire.Search) -> list[Any]:
    conditions: list[Any] = [_of_subject(ask.subject)]
    if ask.since is not None or ask.until is not None:
        bounds = engine.RangeFloat(gte=ask.since, lt=ask.until)
        conditions.append(engine.FieldCondition(key=_WHEN, range=bounds))
    return conditions


def _of_subject(subject: SubjectMark) -> engine.FieldCondition:
    return engine.FieldCondition(key=_SUBJECT, match=engine.MatchValue(subject))


def _keyword(ask: wire.Search, within: engine.Filter) -> engine.QueryRequest:
    terms = engine.SparseVector(list(ask.term_ids), list(ask.term_weights))
    # Rarity counts within the subject: else one could move another's scores, or read them (R1).
    corpus = engine.IdfParams(corpus=engine.Filter(must=[_of_subject(ask.subject)]))
    return engine.QueryRequest(
        limit=ask.limit,
        query=engine.Query.Nearest(terms, using=_TERMS),
        filter=within,
        params=engine.SearchParams(idf=corpus),
    )


def _newest(limit: int, within: engine.Filter) -> engine.QueryRequest:
    # Without payload: what is ordered by comes along by itself, and the rest is read from the disk.
    newest = engine.OrderBy(_WHEN, engine.Direction.Desc)
    return engine.QueryRequest(limit=limit, query=newest, filter=within)


def _dated(hit: engine.ScoredPoint) -> Candidate:
    when = int(hit.order_value or 0)
    return Candidate(when / 1e6, when, MemoryId(str(hit.id)))


def _floats(raw: bytes) -> Any:
    # The engine takes any buffer of float32, faster than a list of Python floats.
    return memoryview(raw).cast("f")


def _token(record: engine.Record) -> bytes:
    value = (record.payload or {}).get(_TOKEN)
    try:
        return base64.b64decode(value, validate=True) if isinstance(value, str) else b""
    except binascii.Error:
        return b""  # edited behind our back: the caller's digest check reports it
