"""All settings together."""

from typing import Annotated
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from gateway.settings.edge import Auth, Console, Http, Limits, Metrics, Sessions, Tracing, Writes
from gateway.settings.guarding import (
    AuditWitness,
    Held,
    PolicySource,
    Screening,
    TenantEntry,
)
from gateway.settings.kinds import (
    LogLevel,
    Mode,
)
from gateway.settings.posting import Webhooks
from gateway.settings.recalling import Recall, Relate
from gateway.settings.stores import Embedder, Index, Storage


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole configuration."""

    mode: Mode = Mode.DEVELOPMENT
    log_level: LogLevel = LogLevel.INFO
    http: Http = Http()
    auth: Auth = Auth()
    limits: Limits = Limits()
    storage: Storage = Storage()
    index: Index = Index()
    metrics: Metrics = Metrics()
    tracing: Tracing = Tracing()
    policy: PolicySource = PolicySource()
    tenants: Annotated[tuple[TenantEntry, ...], Meta(max_length=10_000)] = ()
    """Tenants that are registered at start; in the file only."""
    embedder: Embedder = Embedder()
    screening: Screening = Screening()
    writes: Writes = Writes()
    sessions: Sessions = Sessions()
    held: Held = Held()
    recall: Recall = Recall()
    relate: Relate = Relate()
    audit: AuditWitness = AuditWitness()
    webhooks: Webhooks = Webhooks()
    console: Console = Console()

    @property
    def url(self) -> str:
        """The address clients use, without a trailing slash."""
        if self.http.public_url is not None:
            return self.http.public_url.rstrip("/")
        host = "127.0.0.1" if self.http.host in ("0.0.0.0", "::") else self.http.host  # noqa: S104
        scheme = "https" if self.http.tls_cert is not None else "http"
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{self.http.port}"

    @property
    def hosts(self) -> list[str]:
        """`Host` values that the MCP endpoints accept."""
        if self.http.allowed_hosts:
            return list(self.http.allowed_hosts)
        return [urlsplit(self.url).netloc, *self._local("")]

    @property
    def origins(self) -> list[str]:
        """`Origin` values that the MCP endpoints accept."""
        if self.http.allowed_origins:
            return list(self.http.allowed_origins)
        parts = urlsplit(self.url)
        return [f"{parts.scheme}://{parts.netloc}", *self._local(f"{parts.scheme}://")]

    def _local(self, scheme: str) -> list[str]:
        names = ("127.0.0.1", "localhost", "[::1]") if self.mode is Mode.DEVELOPMENT else ()
        return [f"{scheme}{name}{port}" for name in names for port in ("", ":*")]
