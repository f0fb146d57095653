"""Settings of the edge: where the gateway listens, whom it believes, what a request may cost."""

from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from gateway.settings.kinds import (
    DEVELOPMENT_AUDIENCE,
    DEVELOPMENT_ISSUER,
    MAX_TEXT_CHARS,
    Algorithm,
    ClaimName,
    Cost,
    ForwardedHeader,
    Name,
    RedisUrl,
    Units,
    Url,
    Words,
)


class Http(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the gateway listens, and under which names it lets itself be called."""

    host: Annotated[str, Meta(min_length=1, max_length=255)] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65_535)] = 8080
    public_url: Url | None = None
    """The address clients use; required in production. Metadata and host checks rest on it."""
    allowed_hosts: Words = ()
    """`Host` values the MCP endpoints accept, `name:*` for any port. Empty: from `public_url`."""
    allowed_origins: Words = ()
    """`Origin` values the MCP endpoints accept from browsers. Empty: from `public_url`."""
    shutdown_seconds: Annotated[int, Meta(ge=1, le=300)] = 10
    """Seconds that running requests get to finish after SIGTERM."""
    head_seconds: Annotated[float, Meta(gt=0, le=300)] = 10.0
    """Seconds a fresh connection has to send the head of its first request."""
    trusted_proxies: Words = ()
    """Networks (CIDR) of proxies whose word on the client's address is taken. Empty: nobody's."""
    forwarded_header: ForwardedHeader = ForwardedHeader.X_FORWARDED_FOR
    """The one header those proxies write; the other one may come from the client itself."""
    tls_cert: Path | None = None
    """Certificate chain in PEM; with `tls_key` the gateway speaks HTTPS itself."""
    tls_key: Path | None = None


class Auth(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a token must be to be believed."""

    issuer: Annotated[str, Meta(min_length=1, max_length=512)] = DEVELOPMENT_ISSUER
    audiences: Annotated[Words, Meta(min_length=1, max_length=16)] = (DEVELOPMENT_AUDIENCE,)
    """Audiences that open every door, beside the addresses of the gateway's own resources."""
    authorization_servers: Annotated[tuple[Url, ...], Meta(max_length=16)] = ()
    """Where clients are sent for a token. Empty: to the issuer, if it is an address."""
    leeway_seconds: Annotated[int, Meta(ge=0, le=60)] = 5
    """Clock skew forgiven in exp, nbf and iat. A minute at most: beyond it clocks are broken."""
    keys_file: Path | None = None
    """A JWK Set, a JWK or a PEM public key. Development makes one when this is not set."""
    keys_url: Annotated[str, Meta(min_length=1, max_length=2048)] | None = None
    """Where the issuer publishes its JWK Set, in place of `keys_file`; https, but on loopback."""
    keys_ca_file: Path | None = None
    """Certificates to believe of that URL, instead of the system's."""
    keys_seconds: Annotated[float, Meta(ge=1, le=86_400)] = 300.0
    """Seconds between two readings of the keys; a key that the issuer withdraws counts so long."""
    keys_floor_seconds: Annotated[float, Meta(ge=1, le=3600)] = 10.0
    """Seconds from one reading to the next when tokens name keys that nobody knows."""
    keys_timeout_seconds: Annotated[float, Meta(gt=0, le=60)] = 5.0
    """Seconds that the issuer may take to answer."""
    key_id: Annotated[str, Meta(min_length=1, max_length=256)] | None = None
    """The `kid` that tokens name a PEM key by; a PEM file can't say so itself."""
    algorithms: Annotated[tuple[Algorithm, ...], Meta(min_length=1)] = (
        Algorithm.EDDSA,
        Algorithm.ES256,
        Algorithm.RS256,
    )
    platform_tenant: Name | None = None
    """The only tenant whose tokens may carry `platform:admin`. None: any, as the issuer decides."""
    registry_seconds: Annotated[float, Meta(gt=0, le=60)] = 5.0
    """Seconds for which a request trusts what was read of tenants and clients; streams, twice."""
    revocation_seconds: Annotated[float, Meta(ge=0.05, le=60)] = 0.5
    """Seconds between two looks at what was revoked; open streams end within that time, too."""
    revocation_stale_seconds: Annotated[float, Meta(ge=1, le=3600)] = 30.0
    """Seconds without such a look after which no token is believed."""
    tenant_claim: ClaimName = "tid"
    subject_claim: ClaimName = "sub"
    scope_claim: ClaimName = "scope"
    client_claim: ClaimName = "azp"

    @property
    def servers(self) -> list[str]:
        """The issuers to name in the metadata of resources; a development gateway has none."""
        if self.authorization_servers:
            return list(self.authorization_servers)
        return [self.issuer] if self.issuer.startswith(("https://", "http://")) else []


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How much one request may cost."""

    max_body_bytes: Annotated[int, Meta(ge=1024, le=16_777_216)] = 262_144
    """Bytes of one request body: the largest admissible text, escaped, with room to spare."""
    max_text_chars: Annotated[int, Meta(ge=1, le=MAX_TEXT_CHARS)] = 8192
    """Code points of one memory's text."""
    request_deadline_seconds: Annotated[float, Meta(gt=0, le=300)] = 30.0
    """Seconds one request or tool call may take, reading its body included."""
    probe_deadline_seconds: Annotated[float, Meta(gt=0, le=60)] = 5.0
    """Seconds one readiness probe may take before it counts as failed."""
    mcp_sessions: Annotated[int, Meta(ge=1, le=10_000)] = 1000
    """Open sessions of the older MCP revisions; each holds memory until it ends."""
    mcp_sessions_each: Annotated[int, Meta(ge=1, le=10_000)] = 100
    """Of these, and of open SSE streams, at most so many of one subject."""
    mcp_idle_seconds: Annotated[int, Meta(ge=10, le=86_400)] = 900
    """Seconds after which an unused session is closed."""
    subject_units_per_minute: Units = 12_000
    """What one subject may spend. The buckets hold `burst_seconds` worth of it."""
    origin_units_per_minute: Units = 60_000
    """What one client of a tenant may spend in one class of origin, for all its subjects."""
    tenant_units_per_minute: Units = 60_000
    """What all subjects of one tenant may spend together."""
    burst_seconds: Annotated[int, Meta(ge=1, le=3600)] = 60
    """Seconds whose worth of units may be spent at once."""
    write_cost: Cost = 5
    """Units of a write: several models and an fsync, the dearest operation."""
    recall_cost: Cost = 2
    """Units of a recall: one embedding and one search."""
    read_cost: Cost = 1
    """Units of reading what is named: a memory, a page of a list."""
    admin_cost: Cost = 2
    """Units of what reviewers and administrators do."""
    concurrency: Annotated[int, Meta(ge=1, le=4096)] = 32
    """Operations at work at once; the rest wait for their turn, tenant by tenant."""
    tenant_concurrency: Annotated[int, Meta(ge=1, le=4096)] = 4
    """Operations of one tenant at work at once."""
    tenant_queue: Annotated[int, Meta(ge=0, le=65_536)] = 256
    """Operations of one tenant that may wait; what comes then is refused with 429."""
    queue_seconds: Annotated[float, Meta(gt=0, le=300)] = 10.0
    """Seconds an operation may wait for its turn."""
    peer_requests_per_minute: Units = 60_000
    """Requests of one address (IPv6: one /64), with or without a token."""
    peer_failures_per_minute: Units = 60
    """Tokens of one address that fail; after that it is refused before any token is looked at."""
    peer_connections: Annotated[int, Meta(ge=1, le=65_536)] = 1000
    """Open connections of one address that is no trusted proxy."""
    redis_url: RedisUrl | None = None
    """Redis or Valkey that all replicas count in. None: each process counts alone."""
    redis_username: Annotated[str, Meta(min_length=1, max_length=128)] | None = None
    redis_password_file: Path | None = None
    redis_deadline_seconds: Annotated[float, Meta(gt=0, le=5)] = 0.05
    """Seconds until a process counts alone for the time being."""


class Writes(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How long first answers are remembered, and how writes that are decided later are."""

    answer_hours: Annotated[int, Meta(ge=1, le=720)] = 24
    """Hours that an idempotency key, and what became of an accepted write, are remembered."""
    queued: Annotated[int, Meta(ge=1, le=10_000_000)] = 10_000
    """Writes of one tenant that may wait to be decided; what comes then is refused with 429."""
    at_once: Annotated[int, Meta(ge=1, le=64)] = 4
    """Accepted writes that one process decides at once, beside those it is asked for directly."""
    lease_seconds: Annotated[float, Meta(ge=5, le=600)] = 60.0
    """Seconds one of them may take; after a process was killed, until another takes over."""
    attempts: Annotated[int, Meta(ge=1, le=1000)] = 20
    """How often one is tried while something is away, before an operator has to see to it."""
    longest_pause_seconds: Annotated[float, Meta(ge=0.5, le=86_400)] = 600.0
    """Seconds between two attempts at most; they begin at half a second and double."""


class Sessions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How much of what was said in sessions is kept, and how long; an agent's word is checked
    against it.
    """

    turn_minutes: Annotated[int, Meta(ge=1, le=4320)] = 240
    """Minutes a turn is kept; after that an agent that quotes it speaks for itself."""
    turns: Annotated[int, Meta(ge=1, le=2000)] = 200
    """Turns of one session that are kept, the newest first."""
    max_bytes: Annotated[int, Meta(ge=4096, le=4_194_304)] = 262_144
    """Sealed bytes of one session that are kept."""


class Console(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How people sign in to the pages under `/console`."""

    visit_minutes: Annotated[int, Meta(ge=1, le=1440)] = 480
    """Minutes after which somebody signs in again; never later than his token expires."""
    client_id: Name | None = None
    """What the issuer knows the console as. None: in production nobody can sign in."""
    client_secret_file: Path | None = None
    """The secret of that client, if it has one; a public client proves itself by PKCE alone."""
    authorize_url: Url | None = None
    """Where people sign in at the issuer."""
    token_url: Url | None = None
    """Where the issuer gives tokens for a code."""
    scopes: Annotated[Words, Meta(min_length=1, max_length=32)] = ("openid",)
    """What is asked for there, `openid` among it."""


class Metrics(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where `/metrics` is served without a token, beside the gateway's own port. None: nowhere."""

    host: Annotated[str, Meta(min_length=1, max_length=255)] = "127.0.0.1"
    port: Annotated[int, Meta(ge=1, le=65_535)] | None = None


class Tracing(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where traces go. None: they are not made."""

    otlp_url: Url | None = None
    """A collector's address for traces over OTLP/HTTP, such as `http://collector:4318/v1/traces`."""
    otlp_headers_file: Path | None = None
    """What the collector wants to be told, `name: value` a line: a file, since it may be a key."""
    service_name: Annotated[str, Meta(min_length=1, max_length=128)] = "memguard"
    sample_ratio: Annotated[float, Meta(ge=0, le=1)] = 1.0
    """Share of the requests that are traced."""
    trusted_parents: Words = ()
    """Networks (CIDR) of connections whose `traceparent` is taken. Empty: nobody's."""
