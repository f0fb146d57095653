"""Searches and points in the server's terms, and its answers read with suspicion. Pure.

A search of one layer is one batch of queries, each filtered by tenant and subject on the server.
The entity route asks once per number of matches, exactly that many each, so that it is exact and no
hit comes twice. The batch also asks whether the tenant is being rebuilt just now.
"""

import base64
import binascii
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

import numpy as np
from qdrant_client import models

from memory.types import MemoryId
from storage.index import wire
from storage.index.placement import (
    ENTITIES,
    REBUILD,
    SUBJECT,
    TENANT,
    TERMS,
    WHEN,
    Place,
    matches,
)

_TOKEN, _BEAT = "token", "beat"
_MARKER: Final = "marker"
_OWNERS: Final = (TENANT, SUBJECT)


class Candidate(NamedTuple):
    """A hit before layers are merged; among equal scores the newer `when` goes first."""

    score: float
    when: int
    id: MemoryId


class Rebuild(NamedTuple):
    """Which rebuild the tenant is under, and when it last gave a sign, in microseconds."""

    token: str
    beat: int


class Layered(NamedTuple):
    """What one layer gave: candidates by route, their content, and the rebuild under way."""

    routes: Mapping[str, list[Candidate]]
    tokens: Mapping[MemoryId, bytes]
    rebuild: Rebuild | None


NOTHING: Final = Layered({}, {}, None)


def point(place: Place, point: wire.Point) -> models.PointStruct:
    """Return a point as the server stores it."""
    vectors: dict[str, Any] = {name: _floats(raw) for name, raw in point.vectors.items()}
    if point.term_ids:
        # An empty sparse vector would count as a document and move everybody's IDF.
        vectors[TERMS] = models.SparseVector(
            indices=list(point.term_ids), values=list(point.term_weights)
        )
    payload = {
        TENANT: place.mark,
        SUBJECT: point.subject,
        ENTITIES: list(point.entities),
        WHEN: point.when,
        _TOKEN: base64.b64encode(point.token).decode("ascii"),
    }
    return models.PointStruct(id=point.id, vector=vectors, payload=payload)


def marker(place: Place, rebuild: Rebuild) -> models.PointStruct:
    """Return the point that says that the tenant is being rebuilt. No search finds it."""
    payload = {TENANT: place.mark, REBUILD: rebuild.token, _BEAT: rebuild.beat}
    return models.PointStruct(id=place.marker, vector={}, payload=payload)


def stored(place: Place, points: Sequence[models.PointStruct]) -> models.UpsertOperation:
    """Return the operation that stores points, but in no other tenant's stead."""
    listed = models.PointsList(points=list(points), update_filter=place.only())
    return models.UpsertOperation(upsert=listed)


def removed(place: Place, ids: Iterable[str]) -> models.DeleteOperation:
    """Return the operation that removes those of `ids` that are the tenant's."""
    return _deleted(place.only(models.HasIdCondition(has_id=list(ids))))


def emptied(place: Place) -> models.DeleteOperation:
    """Return the operation that removes all of the tenant but its marker."""
    return _deleted(place.only(without=(models.HasIdCondition(has_id=[place.marker]),)))


def dropped(place: Place) -> models.DeleteOperation:
    """Return the operation that removes all of the tenant."""
    return _deleted(place.only())


def ended(place: Place, rebuild: Rebuild) -> models.DeleteOperation:
    """Return the operation that takes the marker away if it is still that of this rebuild."""
    return _deleted(_of_rebuild(place, rebuild))


def beaten(place: Place, rebuild: Rebuild) -> models.SetPayloadOperation:
    """Return the operation that says that this rebuild is still under way."""
    return models.SetPayloadOperation(
        set_payload=models.SetPayload(
            payload={_BEAT: rebuild.beat}, filter=_of_rebuild(place, rebuild)
        )
    )


def _of_rebuild(place: Place, rebuild: Rebuild) -> models.Filter:
    return place.only(models.HasIdCondition(has_id=[place.marker]), matches(REBUILD, rebuild.token))


def _deleted(which: models.Filter) -> models.DeleteOperation:
    return models.DeleteOperation(delete=models.FilterSelector(filter=which))


def batch(place: Place, ask: wire.Search) -> dict[str, models.QueryRequest]:
    """Return the queries of one layer by name: routes, `entity.<matches>`, and the marker."""
    conditions = _conditions(ask)
    within = place.only(*conditions)
    requests: dict[str, models.QueryRequest] = {}
    for name, raw in ask.vectors.items():
        requests[f"dense.{name}"] = _query(ask, within, _floats(raw), using=name)
    if ask.term_ids:
        terms = models.SparseVector(indices=list(ask.term_ids), values=list(ask.term_weights))
        # Rarity counts within the subject: else one could move another's scores, or read them (R1).
        corpus = models.IdfCorpusParams(corpus=place.only(matches(SUBJECT, ask.subject)))
        requests["keyword"] = _query(
            ask, within, terms, using=TERMS, params=models.SearchParams(idf=corpus)
        )
    if ask.since is not None or ask.until is not None:
        requests["time"] = _query(ask, within, _NEWEST)
    wanted = [matches(ENTITIES, entity) for entity in ask.entities]
    for count in range(len(wanted), 0, -1):
        exactly = _exactly(place, conditions, wanted, count)
        requests[f"entity.{count}"] = _query(ask, exactly, _NEWEST)
    requests[_MARKER] = models.QueryRequest(
        filter=place.only(models.HasIdCondition(has_id=[place.marker])),
        limit=1,
        with_payload=[TENANT, REBUILD, _BEAT],
    )
    return requests


_NEWEST: Final = models.OrderByQuery(
    order_by=models.OrderBy(key=WHEN, direction=models.Direction.DESC)
)


def _query(ask: wire.Search, within: models.Filter, query: Any, **how: Any) -> models.QueryRequest:
    shown = [*_OWNERS, _TOKEN] if ask.contents else list(_OWNERS)
    return models.QueryRequest(
        query=query, filter=within, limit=ask.limit, with_payload=shown, **how
    )


def _conditions(ask: wire.Search) -> list[Any]:
    conditions: list[Any] = [matches(SUBJECT, ask.subject)]
    if ask.since is not None or ask.until is not None:
        bounds = models.Range(gte=ask.since, lt=ask.until)
        conditions.append(models.FieldCondition(key=WHEN, range=bounds))
    return conditions


def _exactly(place: Place, conditions: list[Any], wanted: list[Any], count: int) -> models.Filter:
    more = models.Filter(min_should=models.MinShould(conditions=wanted, min_count=count + 1))
    within = place.only(*conditions, without=(more,) if count < len(wanted) else ())
    within.min_should = models.MinShould(conditions=wanted, min_count=count)
    return within


def read(
    place: Place,
    ask: wire.Search,
    names: Sequence[str],
    answers: Sequence[models.QueryResponse],
) -> Layered:
    """Return what the answers say. Raises ValueError when they do not go with the queries."""
    routes: dict[str, list[Candidate]] = {}
    tokens: dict[MemoryId, bytes] = {}
    rebuild = None
    for name, answer in zip(names, answers, strict=True):
        if name == _MARKER:
            rebuild = _rebuild(place, answer.points)
            continue
        route, _, count = name.partition(".") if name.startswith("entity.") else (name, "", "")
        for hit in answer.points[: ask.limit]:
            payload = hit.payload or {}
            # A server or something before it that mixes up answers must not mix up owners.
            if payload.get(TENANT) != place.mark or payload.get(SUBJECT) != ask.subject:
                continue
            candidate = _candidate(route, count, hit)
            routes.setdefault(route, []).append(candidate)
            if ask.contents and candidate.id not in tokens:
                tokens[candidate.id] = _token(payload)
    return Layered(routes, tokens, rebuild)


def _candidate(route: str, count: str, hit: models.ScoredPoint) -> Candidate:
    id, when = MemoryId(str(hit.id)), int(hit.order_value or 0)
    if route == "time":
        return Candidate(when / 1e6, when, id)
    return Candidate(float(count) if count else hit.score, when, id)


def _rebuild(place: Place, points: Sequence[models.ScoredPoint]) -> Rebuild | None:
    for hit in points:
        payload = hit.payload or {}
        if payload.get(TENANT) == place.mark:
            return Rebuild(str(payload.get(REBUILD)), int(payload.get(_BEAT) or 0))
    return None


def listing(place: Place) -> tuple[models.Filter, list[str]]:
    """Return which points an inventory lists, and the payload that it needs of them."""
    hidden = models.HasIdCondition(has_id=[place.marker])
    return place.only(without=(hidden,)), [TENANT, _TOKEN]


def listed(place: Place, records: Sequence[models.Record]) -> list[tuple[MemoryId, bytes]]:
    """Return ids with the SHA-256 of their content."""
    return [
        (MemoryId(str(record.id)), sha256(_token(record.payload or {})).digest())
        for record in records
        if (record.payload or {}).get(TENANT) == place.mark
    ]


def best(layers: Sequence[Layered], route: str, limit: int) -> list[Candidate]:
    """Return a route's best candidates of all layers, best first."""
    hits = [hit for layer in layers for hit in layer.routes.get(route, ())]
    return sorted(hits, key=lambda hit: (-hit.score, -hit.when, hit.id))[:limit]


def _floats(raw: bytes) -> list[float]:
    return [float(value) for value in np.frombuffer(raw, dtype="<f4")]


def _token(payload: Mapping[str, Any]) -> bytes:
    value = payload.get(_TOKEN)
    try:
        return base64.b64decode(value, validate=True) if isinstance(value, str) else b""
    except binascii.Error:
        return b""  # edited behind our back: the caller's digest check reports it
