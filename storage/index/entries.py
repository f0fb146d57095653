"""What the index accepts, the same for every adapter: entries and probes in the engine's terms.

Whatever the engine would take silently and answer wrongly is refused here, before the pipe.
"""

import uuid
from collections.abc import Mapping

import numpy as np

from guard.errors import InvalidError
from guard.ports import Entry, Probe
from memory.signals import Sparse, Vectors
from memory.types import INDEXED_LAYERS, MemoryId, SubjectMark, TenantId
from storage.index import wire

HITS_LIMIT = 1000
"""Most hits per route, whatever a probe asks for."""
ENTITIES_LIMIT = 32
"""Most entities of a query that are looked up."""
_TERM_LIMIT = 2**32


def point(entry: Entry, dimensions: Mapping[str, int]) -> wire.Point:
    """Return `entry` for the pipe. Raises InvalidError for what an engine would mistake."""
    if entry.layer not in INDEXED_LAYERS:
        raise InvalidError("layer")
    blinded = entry.blinded
    _check_sparse(blinded.sparse)
    return wire.Point(
        id=memory_id(entry.id),
        layer=entry.layer,
        subject=blinded.subject,
        vectors=_raw(blinded.vectors, dimensions),
        term_ids=blinded.sparse.ids,
        term_weights=blinded.sparse.weights,
        entities=tuple(dict.fromkeys(blinded.entities)),
        when=wire.micros(entry.occurred_at or entry.recorded_at),
        token=entry.token,
    )


def search(
    tenant: TenantId, subject: SubjectMark, probe: Probe, dimensions: Mapping[str, int]
) -> wire.Search:
    """Return `probe` for the pipe, with its bounds applied. Raises InvalidError like `point`.

    `subject` comes from the verified token: the mark inside the probe must be the same.
    """
    blinded = probe.blinded
    if blinded.subject != subject:
        raise InvalidError("subject")
    _check_sparse(blinded.sparse)
    return wire.Search(
        tenant=tenant,
        subject=subject,
        layers=tuple(layer for layer in INDEXED_LAYERS if layer in probe.layers),
        limit=min(probe.limit, HITS_LIMIT),
        vectors=_raw(blinded.vectors, dimensions),
        term_ids=blinded.sparse.ids,
        term_weights=blinded.sparse.weights,
        entities=tuple(dict.fromkeys(blinded.entities))[:ENTITIES_LIMIT],
        since=None if probe.since is None else wire.micros(probe.since),
        until=None if probe.until is None else wire.micros(probe.until),
        contents=probe.contents,
    )


def routes(ask: wire.Search) -> list[str]:
    """Return the names of the routes that `ask` runs."""
    names = [f"dense.{name}" for name in ask.vectors]
    if ask.term_ids:
        names.append("keyword")
    if ask.entities:
        names.append("entity")
    if ask.since is not None or ask.until is not None:
        names.append("time")
    return names


def memory_id(id: MemoryId) -> MemoryId:
    """Return `id` when it is a UUID in the one spelling that comes back unchanged."""
    try:
        canonical = str(uuid.UUID(id))
    except ValueError:
        raise InvalidError("id") from None
    if canonical != id:
        raise InvalidError("id")
    return id


def _raw(vectors: Vectors, dimensions: Mapping[str, int]) -> dict[str, bytes]:
    raw: dict[str, bytes] = {}
    for name, vector in vectors.items():
        if vector.shape != (dimensions.get(name),) or not np.isfinite(vector).all():
            raise InvalidError("vectors")
        raw[name] = np.ascontiguousarray(vector, dtype="<f4").tobytes()
    return raw


def _check_sparse(sparse: Sparse) -> None:
    fits = len(sparse.ids) == len(sparse.weights) == len(set(sparse.ids))
    bounded = all(0 <= id < _TERM_LIMIT for id in sparse.ids)
    weights = np.asarray(sparse.weights, dtype=np.float64)
    if not (fits and bounded and np.isfinite(weights).all() and (weights > 0).all()):
        raise InvalidError("terms")
