"""Where each tenant's points lie on a server, and how its collections are made.

    per-tenant   <prefix>-<mark>-<layer>    a tenant's own, up to about a thousand tenants
    shared       <prefix>-all-<layer>       many tenants in one, beyond that
    both         <prefix>-about             always empty: says that the rest is whole, and for which
                                            vectors it was made

A tenant's mark is a keyed hash of its name, so that the server can tell nobody who the tenants are;
it is the same in every gateway, so that there is no list to keep. Under either placement every
point carries its tenant's mark and every request is filtered by it: what separates tenants is the
same code, tested once.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple
from uuid import UUID

from qdrant_client import AsyncQdrantClient, models

from memory.types import INDEXED_LAYERS, Layer, TenantId
from storage.index.entries import HITS_LIMIT

TENANT, SUBJECT, ENTITIES, WHEN, REBUILD = "tenant", "subject", "entities", "when", "rebuild"
TERMS: Final = "terms"
_MARKS_KEPT: Final = 10_000

MarkOf = Callable[[TenantId], Awaitable[str]]
"""The keyed id of a tenant: 32 hexadecimal digits."""


class Spread(StrEnum):
    """Whether tenants have collections of their own."""

    PER_TENANT = "per-tenant"
    SHARED = "shared"


class Place(NamedTuple):
    """Where one tenant's points lie."""

    mark: str
    collections: Mapping[Layer, str]

    @property
    def marker(self) -> str:
        """The id of the point that stands there while the tenant is being rebuilt."""
        return str(UUID(hex=self.mark))

    def only(self, *also: Any, without: tuple[Any, ...] = ()) -> models.Filter:
        """Return the filter for this tenant's points that meet `also` and none of `without`."""
        return models.Filter(must=[matches(TENANT, self.mark), *also], must_not=[*without] or None)


class Placement:
    """Finds places."""

    def __init__(self, spread: Spread, prefix: str, mark_of: MarkOf) -> None:
        self.shared = spread is Spread.SHARED
        self.about = f"{prefix}-about"
        self._prefix = prefix
        self._mark_of = mark_of
        self._marks: OrderedDict[TenantId, str] = OrderedDict()

    async def of(self, tenant: TenantId) -> Place:
        """Return the tenant's place, whether anything is there or not."""
        mark = self._marks.get(tenant)
        if mark is None:
            mark = self._marks[tenant] = await self._mark_of(tenant)
            while len(self._marks) > _MARKS_KEPT:
                self._marks.popitem(last=False)
        whose = "all" if self.shared else mark
        return Place(mark, {layer: f"{self._prefix}-{whose}-{layer}" for layer in INDEXED_LAYERS})


def matches(key: str, value: str) -> models.FieldCondition:
    """Return the condition that a field is, or holds, `value`."""
    return models.FieldCondition(key=key, match=models.MatchValue(value=value))


def fits(info: models.CollectionInfo, dimensions: Mapping[str, int]) -> bool:
    """Say whether a collection was made for these vectors."""
    vectors, sparse = info.config.params.vectors, info.config.params.sparse_vectors or {}
    if not isinstance(vectors, dict) or TERMS not in sparse:
        return False
    sizes = {name: params.size for name, params in vectors.items()}
    return sizes == dict(dimensions) and sparse[TERMS].modifier is models.Modifier.IDF


async def create(
    client: AsyncQdrantClient, name: str, dimensions: Mapping[str, int], seconds: int
) -> None:
    """Make a collection that refuses whatever Memguard never asks for."""
    await client.create_collection(
        name,
        vectors_config={
            vector: models.VectorParams(size=size, distance=models.Distance.COSINE)
            for vector, size in dimensions.items()
        },
        sparse_vectors_config={TERMS: models.SparseVectorParams(modifier=models.Modifier.IDF)},
        # A graph per subject once it is large, none over all: every search is within one subject.
        hnsw_config=models.HnswConfigDiff(m=0, payload_m=16),
        strict_mode_config=models.StrictModeConfig(
            enabled=True,
            max_query_limit=HITS_LIMIT,
            max_timeout=60,
            unindexed_filtering_retrieve=False,
            unindexed_filtering_update=False,
            search_allow_exact=False,
            search_max_batchsize=64,
            upsert_max_batchsize=256,
            filter_max_conditions=128,
            condition_max_size=256,
        ),
        timeout=seconds,
    )


def indexes(*, shared: bool) -> dict[str, Any]:
    """Return the payload index of every field that a filter or an order names."""
    keyword, integer = models.KeywordIndexType.KEYWORD, models.IntegerIndexType.INTEGER
    return {
        TENANT: models.KeywordIndexParams(type=keyword, is_tenant=shared, enable_hnsw=False),
        SUBJECT: models.KeywordIndexParams(type=keyword, is_tenant=not shared),
        ENTITIES: models.KeywordIndexParams(type=keyword, enable_hnsw=False),
        REBUILD: models.KeywordIndexParams(type=keyword, enable_hnsw=False),
        WHEN: models.IntegerIndexParams(type=integer, lookup=False, range=True, enable_hnsw=False),
    }
