"""A Qdrant server's REST interface in this process, over the client library's in-memory engine.

What it is: the adapter's real client, its real requests parsed by the client's own models, and the
library's pure-Python engine behind them, which filters, scores, orders and counts term rarity
within a corpus itself. What it adds, because that engine has none of it: status codes, payload
indexes, the parts of strict mode that the adapter relies on, and access rights. What it is not:
the server's own engine, storage, concurrency or speed; `QDRANT_TEST_URL` runs the same suite on
a real one.
"""

import json
import re
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, Final

import httpx
import jwt
from pydantic import BaseModel
from qdrant_client import AsyncQdrantClient, models

Fault = Callable[[httpx.Request], Awaitable[httpx.Response]]
"""Answers one request in the server's stead, or raises as a broken connection does."""

_PATH: Final = re.compile(r"/collections/([^/]+)(/.*)?")
_READS: Final = {("GET", ""), ("POST", "/points/query/batch"), ("POST", "/points/scroll")}
_MANAGES: Final = {("PUT", ""), ("DELETE", ""), ("PUT", "/index")}


class _RefusalError(Exception):
    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class QdrantDouble:
    """One server with its content, what it was asked, and the faults that it will show next."""

    def __init__(self, secret: str | None = None, version: str = "1.20.0") -> None:
        self.engine = AsyncQdrantClient(":memory:")
        self.faults: deque[Fault] = deque()
        self.requests: list[httpx.Request] = []
        self.version = version
        self._secret = secret
        self._indexes: dict[str, dict[str, models.PayloadIndexInfo]] = {}
        self._strict: dict[str, models.StrictModeConfig] = {}

    @property
    def wire(self) -> httpx.MockTransport:
        """What a client talks through to reach this server."""
        return httpx.MockTransport(self._handle)

    async def names(self) -> list[str]:
        """Return the names of all collections."""
        return sorted(one.name for one in (await self.engine.get_collections()).collections)

    async def points(self, collection: str) -> list[models.Record]:
        """Return all points of a collection."""
        records, _ = await self.engine.scroll(collection, limit=10_000, with_payload=True)
        return records

    async def wipe(self) -> None:
        """Lose everything, as a server does whose volume was not mounted."""
        for name in await self.names():
            await self._remove(name)

    async def _handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        fault = self.faults.popleft() if self.faults else self.serve
        return await fault(request)

    async def serve(self, request: httpx.Request) -> httpx.Response:
        """Answer as a server does. As a fault: none."""
        try:
            result = await self._answer(request)
        except _RefusalError as refusal:
            return failure(refusal.status, str(refusal))
        except ValueError as error:
            return failure(400, f"Wrong input: {error}")
        return httpx.Response(200, json=result)

    async def _answer(self, request: httpx.Request) -> Any:
        if request.url.path == "/":
            return {"title": "double", "version": self.version}
        match = _PATH.fullmatch(request.url.path)
        if match is None:
            raise _RefusalError(404, "no such path")
        name, action = match[1], (request.method, match[2] or "")
        self._authorise(request, name, action)
        if action == ("PUT", ""):
            return _told(await self._create(name, request.content))
        if action == ("DELETE", ""):
            return _told(await self._remove(name))
        if not await self.engine.collection_exists(name):
            raise _RefusalError(404, f"Not found: Collection `{name}` doesn't exist!")
        return _told(await self._serve(name, action, request.content))

    async def _serve(self, name: str, action: tuple[str, str], body: bytes) -> Any:
        match action:
            case ("GET", ""):
                info = await self.engine.get_collection(name)
                return info.model_copy(update={"payload_schema": self._indexes[name]})
            case ("PUT", "/index"):
                return self._index(name, models.CreateFieldIndex.model_validate_json(body))
            case ("POST", "/points/batch"):
                updates = models.UpdateOperations.model_validate_json(body)
                self._check_updates(name, updates)
                return await self.engine.batch_update_points(name, updates.operations)
            case ("POST", "/points/query/batch"):
                asked = models.QueryRequestBatch.model_validate_json(body)
                self._check_searches(name, asked.searches)
                return await self.engine.query_batch_points(name, asked.searches)
            case ("POST", "/points/scroll"):
                return await self._scroll(name, models.ScrollRequest.model_validate_json(body))
            case _:
                raise _RefusalError(404, "no such path")

    async def _create(self, name: str, body: bytes) -> bool:
        if await self.engine.collection_exists(name):
            raise _RefusalError(409, f"Wrong input: Collection `{name}` already exists!")
        asked = models.CreateCollection.model_validate_json(body)
        self._indexes[name] = {}
        self._strict[name] = asked.strict_mode_config or models.StrictModeConfig()
        return await self.engine.create_collection(name, asked.vectors, asked.sparse_vectors)

    async def _remove(self, name: str) -> bool:
        self._indexes.pop(name, None)
        self._strict.pop(name, None)
        return await self.engine.delete_collection(name)

    async def _scroll(self, name: str, asked: models.ScrollRequest) -> Any:
        self._check_filter(name, asked.filter)
        self._check_limit(name, asked.limit)
        records, following = await self.engine.scroll(
            name,
            asked.filter,
            asked.limit or 10,
            offset=asked.offset,
            with_payload=asked.with_payload if asked.with_payload is not None else True,
        )
        return {"points": _plain(records), "next_page_offset": following}

    def _index(self, name: str, asked: models.CreateFieldIndex) -> Any:
        schema = asked.field_schema
        assert isinstance(schema, models.KeywordIndexParams | models.IntegerIndexParams)
        kind = models.PayloadSchemaType(schema.type.value)
        info = models.PayloadIndexInfo(data_type=kind, params=schema, points=0)
        self._indexes[name][asked.field_name] = info
        return {"operation_id": 0, "status": "completed"}

    def _check_updates(self, name: str, updates: models.UpdateOperations) -> None:
        for one in updates.operations:
            match one:
                case models.UpsertOperation(upsert=models.PointsList() as upsert):
                    self._check_filter(name, upsert.update_filter)
                    self._check_size(len(upsert.points), self._strict[name].upsert_max_batchsize)
                case models.DeleteOperation(delete=models.FilterSelector() as selector):
                    self._check_filter(name, selector.filter)
                case models.SetPayloadOperation():
                    self._check_filter(name, one.set_payload.filter)
                case _:
                    raise _RefusalError(400, "the double does not know this operation")

    def _check_searches(self, name: str, searches: list[models.QueryRequest]) -> None:
        self._check_size(len(searches), self._strict[name].search_max_batchsize)
        for one in searches:
            self._check_limit(name, one.limit)
            self._check_filter(name, one.filter)
            if isinstance(one.query, models.OrderByQuery):
                order = one.query.order_by
                assert isinstance(order, models.OrderBy)
                self._check_keys(name, {order.key})
            if one.params is not None and isinstance(one.params.idf, models.IdfCorpusParams):
                self._check_filter(name, one.params.idf.corpus)

    def _check_filter(self, name: str, asked: models.Filter | None) -> None:
        conditions = [] if asked is None else list(_conditions(asked))
        self._check_size(len(conditions), self._strict[name].filter_max_conditions)
        self._check_keys(name, {c.key for c in conditions if isinstance(c, models.FieldCondition)})

    def _check_keys(self, name: str, keys: set[str]) -> None:
        if self._strict[name].enabled and not keys <= self._indexes[name].keys():
            raise _RefusalError(400, "Bad request: Index required but not found")

    def _check_limit(self, name: str, limit: int | None) -> None:
        self._check_size(limit or 10, self._strict[name].max_query_limit)

    def _check_size(self, size: int, most: int | None) -> None:
        if most is not None and size > most:
            raise _RefusalError(400, "Bad request: Limit exceeded")

    def _authorise(self, request: httpx.Request, name: str, action: tuple[str, str]) -> None:
        if self._secret is None or request.headers.get("api-key") == self._secret:
            return
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme != "Bearer":
            raise _RefusalError(401, "Must provide an API key or an Authorization bearer token")
        try:
            claims = jwt.decode(token, self._secret, ["HS256"], options={"verify_exp": False})
        except jwt.InvalidTokenError:
            raise _RefusalError(401, "Invalid API key or JWT") from None
        if not _allows(claims["access"], name, action):
            raise _RefusalError(403, "Forbidden")


def _allows(access: Any, name: str, action: tuple[str, str]) -> bool:
    if isinstance(access, str):
        return access == "m" or (access == "r" and action in _READS)
    rights = {one["collection"]: one["access"] for one in access}
    if action in _MANAGES:
        return False
    return rights.get(name) == "rw" or (rights.get(name) == "r" and action in _READS)


def _conditions(asked: models.Filter) -> Iterator[Any]:
    """Return every condition in a filter and in the filters within it."""
    least = [] if asked.min_should is None else asked.min_should.conditions
    for group in (asked.must, asked.must_not, asked.should, least):
        for one in group if isinstance(group, list) else [group]:
            if isinstance(one, models.Filter):
                yield from _conditions(one)
            elif one is not None:
                yield one


def _told(result: Any) -> Mapping[str, Any]:
    return {"result": _plain(result), "status": "ok", "time": 0.0}


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return json.loads(value.model_dump_json(exclude_none=True))
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value


def failure(
    status: int, reason: str = "broken", headers: Mapping[str, str] | None = None
) -> httpx.Response:
    """Return an answer as the server gives it when something is wrong."""
    body = {"status": {"error": reason}, "time": 0.0, "result": None}
    return httpx.Response(status, json=body, headers=headers)
