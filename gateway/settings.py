"""Everything that can be configured, read once at start and frozen.

Sources, weakest first: the defaults below, a TOML file (`--config` or `MEMGUARD_CONFIG`), variables
named `MEMGUARD_<SECTION>_<FIELD>`, options of the command line. A name that nobody knows is refused
everywhere: a misspelt limit must not silently be no limit. This is the only file that reads the
environment.
"""

import os
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Final, Never, get_type_hints
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from memory.fusion import Fusion
from memory.origin import OriginClass
from memory.ranking import DEFAULT_THRESHOLDS

# The model runtime reports home when it is imported, unless it is told not to before that. This
# module is imported before any runtime, so nothing in the product can be faster.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
# Nor may the library of local models ask its hub for anything, whatever a directory names.
os.environ["HF_HUB_OFFLINE"] = "1"

PREFIX: Final = "MEMGUARD_"
CONFIG_VARIABLE: Final = "MEMGUARD_CONFIG"
TOKEN_VARIABLE: Final = "MEMGUARD_TOKEN"  # noqa: S105 - a name
"""Holds what `memguard mcp` speaks with; no setting of a gateway."""
MAX_TEXT_CHARS: Final = 32_768
"""Above this no configuration goes: one memory is a statement, not a document."""
DEVELOPMENT_ISSUER: Final = "urn:memguard:development"
DEVELOPMENT_AUDIENCE: Final = "memguard"

Name = Annotated[
    str, Meta(min_length=1, max_length=255, pattern="\\A[^\\x00-\\x1f\\x7f\\ud800-\\udfff]+\\Z")
]
"""What a tenant, subject or client may be called."""
_Words = tuple[Annotated[str, Meta(min_length=1, max_length=512)], ...]
_ClaimName = Annotated[str, Meta(min_length=1, max_length=64)]
_Units = Annotated[int, Meta(ge=1, le=1_000_000_000)]
_Cost = Annotated[int, Meta(ge=1, le=1000)]
_RedisUrl = Annotated[str, Meta(max_length=512, pattern=r"\A(rediss?://[^\s@]+|unix:///[^\s@]+)\Z")]
_Url = Annotated[str, Meta(max_length=512, pattern=r"\Ahttps?://[^\s/?#]+(/[^\s?#]*)?\Z")]


class SettingsError(Exception):
    """The configuration can't be used. Names the field, never a secret's value."""


class Mode(StrEnum):
    """How much the gateway may do by itself. `production` generates and registers nothing."""

    DEVELOPMENT = "development"
    PRODUCTION = "production"


class LogLevel(StrEnum):
    """Least severity that is logged. `debug` lets libraries log payloads: development only."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class IndexKind(StrEnum):
    """What searches: an engine in this machine's worker processes, or a Qdrant server."""

    EMBEDDED = "embedded"
    SERVER = "server"


class IndexPlacement(StrEnum):
    """Whether tenants have collections of their own on a server."""

    PER_TENANT = "per-tenant"
    SHARED = "shared"


class IndexCredential(StrEnum):
    """What a server is shown: its key, or tokens for one collection that the key has signed."""

    API_KEY = "api-key"
    TOKENS = "collection-tokens"


class Algorithm(StrEnum):
    """Signature algorithms a key may be bound to."""

    EDDSA = "EdDSA"
    ES256 = "ES256"
    RS256 = "RS256"
    HS256 = "HS256"


class ForwardedHeader(StrEnum):
    """Where a proxy writes down for whom it asks."""

    X_FORWARDED_FOR = "x-forwarded-for"
    FORWARDED = "forwarded"


class Secret:
    """A string that does not show itself: not in repr, logs, comparisons by eye, or pickles."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the value: call it only where the value is used."""
        return self._value

    def __repr__(self) -> str:
        """Say that there is a secret, and nothing about it."""
        return "Secret(…)"

    def __reduce__(self) -> Never:
        """Refuse: a pickled secret is a secret on disk."""
        raise TypeError("a secret is not serialised")


class Http(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the gateway listens, and under which names it lets itself be called."""

    host: Annotated[str, Meta(min_length=1, max_length=255)] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65_535)] = 8080
    public_url: _Url | None = None
    """The address clients use; required in production. Metadata and host checks rest on it."""
    allowed_hosts: _Words = ()
    """`Host` values the MCP endpoints accept, `name:*` for any port. Empty: from `public_url`."""
    allowed_origins: _Words = ()
    """`Origin` values the MCP endpoints accept from browsers. Empty: from `public_url`."""
    shutdown_seconds: Annotated[int, Meta(ge=1, le=300)] = 10
    """Seconds that running requests get to finish after SIGTERM."""
    head_seconds: Annotated[float, Meta(gt=0, le=300)] = 10.0
    """Seconds a fresh connection has to send the head of its first request."""
    trusted_proxies: _Words = ()
    """Networks (CIDR) of proxies whose word on the client's address is taken. Empty: nobody's."""
    forwarded_header: ForwardedHeader = ForwardedHeader.X_FORWARDED_FOR
    """The one header those proxies write; the other one may come from the client itself."""
    tls_cert: Path | None = None
    """Certificate chain in PEM; with `tls_key` the gateway speaks HTTPS itself."""
    tls_key: Path | None = None


class Auth(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a token must be to be believed."""

    issuer: Annotated[str, Meta(min_length=1, max_length=512)] = DEVELOPMENT_ISSUER
    audiences: Annotated[_Words, Meta(min_length=1, max_length=16)] = (DEVELOPMENT_AUDIENCE,)
    """Audiences that open every door, beside the addresses of the gateway's own resources."""
    authorization_servers: Annotated[tuple[_Url, ...], Meta(max_length=16)] = ()
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
    tenant_claim: _ClaimName = "tid"
    subject_claim: _ClaimName = "sub"
    scope_claim: _ClaimName = "scope"
    client_claim: _ClaimName = "azp"

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
    subject_units_per_minute: _Units = 12_000
    """What one subject may spend. The buckets hold `burst_seconds` worth of it."""
    origin_units_per_minute: _Units = 60_000
    """What one client of a tenant may spend in one class of origin, for all its subjects."""
    tenant_units_per_minute: _Units = 60_000
    """What all subjects of one tenant may spend together."""
    burst_seconds: Annotated[int, Meta(ge=1, le=3600)] = 60
    """Seconds whose worth of units may be spent at once."""
    write_cost: _Cost = 5
    """Units of a write: several models and an fsync, the dearest operation."""
    recall_cost: _Cost = 2
    """Units of a recall: one embedding and one search."""
    read_cost: _Cost = 1
    """Units of reading what is named: a memory, a page of a list."""
    admin_cost: _Cost = 2
    """Units of what reviewers and administrators do."""
    concurrency: Annotated[int, Meta(ge=1, le=4096)] = 32
    """Operations at work at once; the rest wait for their turn, tenant by tenant."""
    tenant_concurrency: Annotated[int, Meta(ge=1, le=4096)] = 4
    """Operations of one tenant at work at once."""
    tenant_queue: Annotated[int, Meta(ge=0, le=65_536)] = 256
    """Operations of one tenant that may wait; what comes then is refused with 429."""
    queue_seconds: Annotated[float, Meta(gt=0, le=300)] = 10.0
    """Seconds an operation may wait for its turn."""
    peer_requests_per_minute: _Units = 60_000
    """Requests of one address (IPv6: one /64), with or without a token."""
    peer_failures_per_minute: _Units = 60
    """Tokens of one address that fail; after that it is refused before any token is looked at."""
    peer_connections: Annotated[int, Meta(ge=1, le=65_536)] = 1000
    """Open connections of one address that is no trusted proxy."""
    redis_url: _RedisUrl | None = None
    """Redis or Valkey that all replicas count in. None: each process counts alone."""
    redis_username: Annotated[str, Meta(min_length=1, max_length=128)] | None = None
    redis_password_file: Path | None = None
    redis_deadline_seconds: Annotated[float, Meta(gt=0, le=5)] = 0.05
    """Seconds until a process counts alone for the time being."""


class Storage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where things are kept, and what opens them."""

    data_dir: Path = Path("data")
    root_key_file: Path | None = None
    root_key: Secret | None = None
    """The root key itself, from the environment only."""
    ledger_url: Secret | None = None
    """`postgresql://role@host/database`, from the environment only. None: SQLite, in `data_dir`."""
    ledger_url_file: Path | None = None
    keys_url: Secret | None = None
    """Another database than the ledger's, so that its backups hold no key."""
    keys_url_file: Path | None = None
    gateway_role: Annotated[str, Meta(min_length=1, max_length=63)] | None = None
    """The role that gateways connect as: `memguard migrate`, run as the owner, grants it what they
    need. None: they connect as the owner."""
    pool_size: Annotated[int, Meta(ge=1, le=200)] = 12
    """Connections to the ledger, of one process."""
    pool_wait_seconds: Annotated[float, Meta(gt=0, le=60)] = 10.0
    """Seconds a request waits for one of them."""
    statement_seconds: Annotated[float, Meta(gt=0, le=300)] = 10.0
    """Seconds one statement may take on PostgreSQL."""
    lock_seconds: Annotated[float, Meta(gt=0, le=60)] = 3.0
    """Seconds a statement waits there for a row that somebody else is changing."""
    index_workers: Annotated[int, Meta(ge=1, le=64)] = 1
    """Processes that hold index shards; more than cores gains nothing."""
    sealed_megabytes: Annotated[int, Meta(ge=16, le=1_048_576)] = 512
    """MiB of opened vectors of sealed tenants in memory, of all their subjects together."""

    @property
    def keeps_ledger_elsewhere(self) -> bool:
        """Whether the ledger has a URL of its own and is not in the data directory."""
        return self.ledger_url is not None or self.ledger_url_file is not None

    @property
    def keeps_keys_elsewhere(self) -> bool:
        """Whether the key store has a URL of its own and is not in the data directory."""
        return self.keys_url is not None or self.keys_url_file is not None


class Index(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where memories are searched: in the data directory, or on a Qdrant server."""

    kind: IndexKind = IndexKind.EMBEDDED
    url: _Url | None = None
    """The server's REST address; without a port, 6333 is meant."""
    api_key: Secret | None = None
    """The server's API key itself, from the environment only."""
    api_key_file: Path | None = None
    credential: IndexCredential = IndexCredential.API_KEY
    """What is shown to the server. Tokens need `jwt_rbac` switched on there."""
    placement: IndexPlacement = IndexPlacement.PER_TENANT
    """Beyond about a thousand tenants a server wants them in shared collections."""
    prefix: Annotated[str, Meta(pattern=r"\A[a-z0-9][a-z0-9_-]{0,63}\Z")] = "memguard"
    """First part of every collection's name. Another prefix is another, empty index."""
    timeout_seconds: Annotated[float, Meta(gt=0, le=60)] = 2.0
    """Seconds one call may take, repetitions included; recall asks the ledger after that."""
    ca_file: Path | None = None
    """Authorities in PEM that may vouch for the server. None: those of the system."""
    cert_file: Path | None = None
    """Certificate in PEM that the gateway shows; with `key_file`."""
    key_file: Path | None = None


class EmbedderKind(StrEnum):
    """What makes vectors: the packaged models, a local directory, or an endpoint elsewhere."""

    PACKAGED = "packaged"
    TRANSFORMERS = "transformers"
    REMOTE = "remote"


class PoolingMode(StrEnum):
    """How the vectors of a text's tokens become one."""

    MEAN = "mean"
    CLS = "cls"


_Prefix = Annotated[str, Meta(max_length=256)]
_Cosine = Annotated[float, Meta(ge=-1, le=1)]
_Share = Annotated[float, Meta(gt=0, le=1)]
_Part = Annotated[float, Meta(gt=0, le=1)]
_HalfLife = Annotated[float, Meta(ge=1, le=3650)]


class Embedder(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What makes the vectors. The ledger remembers it, and another one is refused."""

    kind: EmbedderKind = EmbedderKind.PACKAGED
    directory: Path | None = None
    """A model directory in Hugging Face's form, with weights in safetensors."""
    pooling: PoolingMode | None = None
    """None: as the directory says, else the mean."""
    max_tokens: Annotated[int, Meta(ge=16, le=8192)] = 512
    """Tokens after which a local model cuts a text; its own limit, when that is less."""
    threads: Annotated[int, Meta(ge=1, le=64)] = 2
    """Threads of a model in this process; more than cores gains nothing."""
    url: _Url | None = None
    """What `/embeddings` is appended to, such as `https://models.example/v1`."""
    model: Annotated[str, Meta(min_length=1, max_length=256)] | None = None
    dimensions: Annotated[int, Meta(ge=8, le=8192)] | None = None
    """Length of the endpoint's vectors; an answer of another length is refused."""
    request_dimensions: bool = False
    """Ask the endpoint to shorten its vectors to that length; not every model can."""
    api_key: Secret | None = None
    """The endpoint's API key itself, from the environment only."""
    api_key_file: Path | None = None
    ca_file: Path | None = None
    """Authorities whose certificates are believed, instead of the system's."""
    max_characters: Annotated[int, Meta(ge=256, le=MAX_TEXT_CHARS)] = 4096
    """Characters of a text that are sent: beyond its own limit an endpoint refuses the text."""
    requests_at_once: Annotated[int, Meta(ge=1, le=64)] = 4
    attempts: Annotated[int, Meta(ge=1, le=10)] = 3
    """How often a batch is sent while the endpoint is busy, within the deadline."""
    batch_texts: Annotated[int, Meta(ge=1, le=256)] = 32
    """Texts of concurrent callers that are embedded together."""
    deadline_seconds: Annotated[float, Meta(gt=0, le=120)] = 10.0
    """Seconds a caller waits for vectors."""
    question_prefix: _Prefix | None = None
    """Written before a question; None: as the directory says, else nothing."""
    memory_prefix: _Prefix | None = None
    cosine_unrelated: _Cosine | None = None
    """Mean cosine of a question and a memory that has nothing to do with it; counts as 0."""
    cosine_answering: _Cosine | None = None
    """Cosine of a question and a memory that answers it well; counts as 1."""
    reliable: _Share | None = None
    """Evidence from which a memory is relied on; None: .36, calibrated for the packaged models."""
    kept: _Share | None = None
    """Evidence that others need beside a reliable one; None: .22."""


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


class AnswerFormat(StrEnum):
    """How a judge's endpoint is asked for the fixed form; what it says is checked in any case."""

    JSON_SCHEMA = "json-schema"
    JSON_OBJECT = "json-object"
    TEXT = "text"


_Probability = Annotated[float, Meta(ge=0, le=1)]
_AskedShare = Annotated[float, Meta(ge=0.01, le=0.2)]


class Screening(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Who is asked about texts that the first classifier doubts. Nobody unless one is named."""

    detector_seconds: Annotated[float, Meta(gt=0, le=30)] = 5.0
    """Seconds that each detector has for a write; one that takes longer holds it."""
    doubt_from: _Probability = 0.0
    """Least score of a text in doubt, among those that the first classifier finds suspicious."""
    doubt_to: _Probability = 1.0
    """And from which on it is not in doubt; what policy holds for its score is not, anyhow."""
    second_directory: Path | None = None
    """A sequence classifier in Hugging Face's form, with weights in safetensors."""
    second_attack_labels: Annotated[_Words, Meta(max_length=16)] = ()
    """Its labels that mean an attack. Empty: those with a usual name."""
    second_poison: _Probability = 0.5
    """Its score from which on a text is taken for an attack."""
    second_unsure: _Probability = 0.2
    """And from which on it is unsure, which is left to the judge."""
    second_share: _AskedShare = 0.2
    """Share of a tenant's writes that it is asked about; more than a fifth is never spent."""
    second_tokens: Annotated[int, Meta(ge=32, le=8192)] = 512
    """Tokens of one window of a long text; the model's own limit, when that is less."""
    second_windows: Annotated[int, Meta(ge=1, le=256)] = 16
    """Windows of one reading of a text; one that has more is held unread."""
    second_threads: Annotated[int, Meta(ge=1, le=64)] = 2
    judge_url: _Url | None = None
    """What `/chat/completions` is appended to, such as `https://models.example/v1`."""
    judge_model: Annotated[str, Meta(min_length=1, max_length=256)] | None = None
    judge_api_key: Secret | None = None
    """The endpoint's API key itself, from the environment only."""
    judge_api_key_file: Path | None = None
    judge_ca_file: Path | None = None
    """Authorities whose certificates are believed, instead of the system's."""
    judge_format: AnswerFormat = AnswerFormat.JSON_SCHEMA
    judge_sure: _Probability = 0.7
    """Confidence from which on an honest verdict counts."""
    judge_share: _AskedShare = 0.05
    """Share of a tenant's writes that it is asked about."""


class Metrics(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where `/metrics` is served without a token, beside the gateway's own port. None: nowhere."""

    host: Annotated[str, Meta(min_length=1, max_length=255)] = "127.0.0.1"
    port: Annotated[int, Meta(ge=1, le=65_535)] | None = None


class Tracing(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where traces go. None: they are not made."""

    otlp_url: _Url | None = None
    """A collector's address for traces over OTLP/HTTP, such as `http://collector:4318/v1/traces`."""
    otlp_headers_file: Path | None = None
    """What the collector wants to be told, `name: value` a line: a file, since it may be a key."""
    service_name: Annotated[str, Meta(min_length=1, max_length=128)] = "memguard"
    sample_ratio: Annotated[float, Meta(ge=0, le=1)] = 1.0
    """Share of the requests that are traced."""
    trusted_parents: _Words = ()
    """Networks (CIDR) of connections whose `traceparent` is taken. Empty: nobody's."""


class Profile(StrEnum):
    """The profiles that are shipped. One that is unsafe says so."""

    STRICT = "strict"
    BALANCED = "balanced"
    UNSAFE_MONITOR = "unsafe-monitor"


class PolicySource(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What decides, and how much is decided again while somebody waits for an answer."""

    profile: Profile | None = None
    """A shipped profile. None: the strict one, unless there is a file."""
    file: Path | None = None
    """A policy of one's own, instead of a shipped profile."""
    tenants_dir: Path | None = None
    """A folder with one file per tenant that has rules of its own; they can only tighten."""
    rescreen_items: Annotated[int, Meta(ge=1, le=100)] = 8
    """Outdated memories that newer models look at for one question; the rest is withheld."""
    rescreen_seconds: Annotated[float, Meta(gt=0, le=30)] = 2.0
    """Seconds they have for that; what is not done by then is withheld, too."""


class Held(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How much may wait for a person to decide, and for how long."""

    tenant: Annotated[int, Meta(ge=1, le=1_000_000)] = 10_000
    """Held memories of one tenant; beyond that a write that would be held is refused."""
    origin: Annotated[int, Meta(ge=1, le=1_000_000)] = 500
    """Of those, how many of one subject through one client from one class of origin."""
    days: Annotated[int, Meta(ge=1, le=365)] = 30
    """Days after which what nobody decided on is given up."""


class Relate(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Who is asked what a text says that the rules can't read. Nobody unless one is named."""

    extract_url: _Url | None = None
    """What `/chat/completions` is appended to. Texts that no rule reads are sent there."""
    extract_model: Annotated[str, Meta(min_length=1, max_length=256)] | None = None
    extract_api_key: Secret | None = None
    """The endpoint's API key itself, from the environment only."""
    extract_api_key_file: Path | None = None
    extract_ca_file: Path | None = None
    """Authorities whose certificates are believed, instead of the system's."""
    extract_format: AnswerFormat = AnswerFormat.JSON_SCHEMA
    extract_seconds: Annotated[float, Meta(gt=0, le=10)] = 1.5
    """Seconds that a write waits for it; then the rules' reading stands alone."""


class Recall(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How memories are found and ordered. Weights count by their ratios, floors bound a factor."""

    fusion: Fusion = Fusion.WEIGHTED
    """`weighted` by measured qualities, or `rank` by reciprocal ranks, which recalls less."""
    semantic_weight: _Part = 0.5
    keyword_weight: _Part = 0.3
    entity_weight: _Part = 0.3
    time_weight: _Part = 0.1
    route_hits: Annotated[int, Meta(ge=5, le=100)] = 20
    """Memories that each route of the index may name."""
    session_neighbours: Annotated[int, Meta(ge=0, le=50)] = 16
    """Best memories for which the turns beside them are looked at; 0: none."""
    rerank_items: Annotated[int, Meta(ge=1, le=100)] = 32
    """Most relevant memories whose wording is read once more."""
    cross_encoder: Path | None = None
    """A sequence classifier of one score that reads question and memory together: a directory in
    Hugging Face's form, with weights in safetensors.
    """
    cross_encoder_items: Annotated[int, Meta(ge=1, le=20)] = 20
    """Best memories that it reads."""
    cross_encoder_weight: _Part = 0.5
    """What its full score adds to relevance."""
    cross_encoder_tokens: Annotated[int, Meta(ge=32, le=8192)] = 256
    """Tokens of question and memory together; the model's own limit, when that is less."""
    cross_encoder_threads: Annotated[int, Meta(ge=1, le=64)] = 2
    cross_encoder_seconds: Annotated[float, Meta(gt=0, le=10)] = 1.0
    """Seconds that an answer waits for it; then the order stands that there was without it."""
    rewrite_url: _Url | None = None
    """What `/chat/completions` is appended to. Questions that lean on the turns before them are
    sent there, with those turns.
    """
    rewrite_model: Annotated[str, Meta(min_length=1, max_length=256)] | None = None
    rewrite_api_key: Secret | None = None
    """The endpoint's API key itself, from the environment only."""
    rewrite_api_key_file: Path | None = None
    rewrite_ca_file: Path | None = None
    """Authorities whose certificates are believed, instead of the system's."""
    rewrite_format: AnswerFormat = AnswerFormat.JSON_SCHEMA
    rewrite_seconds: Annotated[float, Meta(gt=0, le=10)] = 1.5
    """Seconds that a question waits for it; then it is completed by rule alone."""
    half_life_episodic_days: _HalfLife = 30.0
    half_life_semantic_days: _HalfLife = 180.0
    recency_floor_episodic: _Share = 0.6
    """What age leaves of a score at least."""
    recency_floor_semantic: _Share = 0.85
    importance_floor: _Share = 0.7
    confidence_floor: _Share = 0.6
    low_trust_items: Annotated[int, Meta(ge=0, le=50)] = 2
    """Low-trust memories in one answer at most."""
    cache_bytes: Annotated[int, Meta(ge=0, le=1_073_741_824)] = 16_777_216
    """Bytes of what questions came to that a process keeps; 0: none. Nothing is shown unchecked."""
    cache_seconds: Annotated[float, Meta(ge=1, le=3600)] = 300.0
    """Seconds it counts for at most, while nothing of the subject and no policy changes."""
    trace_days: Annotated[int, Meta(ge=1, le=90)] = 7
    """Days that what a recall looked at is kept, sealed, for `GET /v1/traces/{id}`."""


class AuditWitness(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Checkpoints of the audit that the gateway signs by itself, and where they are kept."""

    key_file: Path | None = None
    """The signing key, from `audit key`. Without it the gateway signs nothing."""
    seconds: Annotated[float, Meta(ge=0.1, le=86_400)] = 60.0
    """Seconds between two checkpoints of a record that grew."""
    sink_file: Path | None = None
    """A file that checkpoints are appended to, better on storage that others own."""
    sink_url: _Url | None = None
    """Where checkpoints are posted, as lines of JSON; https, but on loopback."""
    sink_ca_file: Path | None = None
    """Certificates to believe of that URL, instead of the system's."""
    sink_timeout_seconds: Annotated[float, Meta(gt=0, le=60)] = 5.0
    """Seconds that the URL may take to answer."""


class ClientEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A client that is registered at start."""

    id: Name
    ceiling: OriginClass


class TenantEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A tenant that is registered at start. One that is there already keeps what is not named."""

    id: Name
    ceiling: OriginClass = OriginClass.USER_STATED
    sealed: bool | None = None
    """Whether no index may have entries of it. One that is there already is not switched by this:
    where it is otherwise, the gateway does not start.
    """
    clients: Annotated[tuple[ClientEntry, ...], Meta(max_length=1000)] = ()


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


def load(
    *,
    config: Path | None = None,
    overrides: Mapping[str, str] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Return the settings, or raise SettingsError when any source says something unknown or unsafe.

    `overrides` are options of the command line by dotted name, such as `http.port`.
    """
    env = os.environ if environ is None else environ
    path = config or (Path(env[CONFIG_VARIABLE]) if env.get(CONFIG_VARIABLE) else None)
    tree: dict[str, Any] = _from_file(path) if path is not None else {}
    known = variables()
    for name, value in env.items():
        if not name.startswith(PREFIX) or name in (CONFIG_VARIABLE, TOKEN_VARIABLE):
            continue
        dotted = known.get(name)
        if dotted is None:
            raise SettingsError(f"unknown variable {name}")
        _put(tree, dotted, value)
    for dotted, value in (overrides or {}).items():
        if dotted not in known.values():
            raise SettingsError(f"unknown option {dotted}")
        _put(tree, dotted, value)
    try:
        settings = msgspec.convert(tree, Settings, strict=False, dec_hook=_decode)
    except msgspec.ValidationError as error:
        raise SettingsError(str(error)) from None
    _refuse_contradictions(settings)
    _refuse_unsafe(settings)
    return settings


def agent_token(file: Path | None, environ: Mapping[str, str] | None = None) -> str | None:
    """Return the token that an agent speaks with: of the file, else of the environment.

    Raises SettingsError for a file that can't be read.
    """
    if file is not None:
        try:
            return file.read_text("ascii").strip() or None
        except (OSError, ValueError) as error:
            raise SettingsError(f"cannot read {file}: {type(error).__name__}") from None
    return (os.environ if environ is None else environ).get(TOKEN_VARIABLE) or None


def _from_file(path: Path) -> dict[str, Any]:
    try:
        tree = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"cannot read {path}: {type(error).__name__}") from None
    for section, field in _SECRETS:
        table = tree.get(section)
        if isinstance(table, dict) and field in table:
            raise SettingsError(
                f"{section}.{field} belongs in a file of its own or the environment"
            )
    return tree


def variables() -> dict[str, str]:
    """Return every variable's name with the dotted name of the field it sets."""
    found: dict[str, str] = {}
    for name, hint in get_type_hints(Settings).items():
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
            for field in msgspec.structs.fields(hint):
                found[f"{PREFIX}{name}_{field.name}".upper()] = f"{name}.{field.name}"
        elif name not in _FILE_ONLY:
            found[f"{PREFIX}{name}".upper()] = name
    return found


_SECRETS: Final = (
    ("storage", "root_key"),
    ("storage", "ledger_url"),
    ("storage", "keys_url"),
    ("index", "api_key"),
    ("embedder", "api_key"),
    ("screening", "judge_api_key"),
    ("recall", "rewrite_api_key"),
    ("relate", "extract_api_key"),
)
_FILE_ONLY: Final = frozenset({"tenants"})
_LISTS: Final = frozenset(
    {
        "http.allowed_hosts",
        "http.allowed_origins",
        "http.trusted_proxies",
        "tracing.trusted_parents",
        "auth.audiences",
        "auth.authorization_servers",
        "auth.algorithms",
        "screening.second_attack_labels",
    }
)


def _put(tree: dict[str, Any], dotted: str, value: str) -> None:
    parsed: Any = value
    if dotted in _LISTS:
        parsed = [word.strip() for word in value.split(",") if word.strip()]
    section, _, field = dotted.rpartition(".")
    target = tree.setdefault(section, {}) if section else tree
    if not isinstance(target, dict):
        raise SettingsError(f"{section} must be a table")
    target[field] = parsed


def _decode(kind: type, value: Any) -> Any:
    if issubclass(kind, Path) and isinstance(value, str) and value and "\0" not in value:
        return Path(value)
    if kind is Secret and isinstance(value, str) and value:
        return Secret(value)
    raise ValueError("must be a non-empty string")


def _refuse_contradictions(settings: Settings) -> None:
    """Refuse what no single field is wrong in."""
    http, limits = settings.http, settings.limits
    _refuse_torn_tenants(settings.tenants)
    _refuse_torn_keys(settings.auth)
    _refuse_torn_witness(settings.audit)
    if settings.policy.profile is not None and settings.policy.file is not None:
        raise SettingsError("policy.profile and policy.file exclude each other")
    _refuse_torn_index(settings.index)
    _refuse_torn_embedder(settings.embedder, settings.mode)
    _refuse_torn_screening(settings.screening, settings.mode)
    _refuse_torn_recall(settings.recall, settings.mode)
    _refuse_torn_relate(settings.relate, settings.mode)
    if (http.tls_cert is None) != (http.tls_key is None):
        raise SettingsError("http.tls_cert and http.tls_key need each other")
    _refuse_no_networks("http.trusted_proxies", http.trusted_proxies)
    _refuse_no_networks("tracing.trusted_parents", settings.tracing.trusted_parents)
    if 2 * settings.screening.detector_seconds >= limits.request_deadline_seconds:
        raise SettingsError(
            "screening.detector_seconds: two detectors that are late must end within "
            "limits.request_deadline_seconds, or their writes fail where they should be held"
        )
    dearest = max(limits.write_cost, limits.recall_cost, limits.read_cost, limits.admin_cost)
    least = min(
        limits.subject_units_per_minute,
        limits.origin_units_per_minute,
        limits.tenant_units_per_minute,
    )
    if least * limits.burst_seconds < dearest * 60:
        raise SettingsError("limits: a full bucket must hold the dearest operation")


def _refuse_no_networks(field: str, networks: tuple[str, ...]) -> None:
    for network in networks:
        try:
            ip_network(network)
        except ValueError:
            raise SettingsError(f"{field}: {network} is no network") from None


def _refuse_torn_tenants(tenants: tuple[TenantEntry, ...]) -> None:
    """Refuse a list that says two things of one, or grants a client what its tenant has not."""
    for names in ([one.id for one in tenants], *([c.id for c in one.clients] for one in tenants)):
        if len(set(names)) != len(names):
            raise SettingsError("tenants: an id occurs twice")
    if any(c.ceiling.trust > one.ceiling.trust for one in tenants for c in one.clients):
        raise SettingsError("tenants: a client's ceiling is above its tenant's")


def _refuse_torn_keys(auth: Auth) -> None:
    """Refuse two sources of verification keys, or settings of the one that is not used."""
    if auth.keys_url is None:
        if auth.keys_ca_file is not None:
            raise SettingsError("auth.keys_ca_file: of auth.keys_url only")
    elif auth.keys_file is not None or auth.key_id is not None:
        raise SettingsError("auth.keys_url excludes auth.keys_file and auth.key_id")
    elif Algorithm.HS256 in auth.algorithms:
        raise SettingsError("auth.keys_url: nobody publishes the secret of HS256")


def _refuse_torn_witness(audit: AuditWitness) -> None:
    """Refuse a key without a place and a place without a key: nothing would be kept."""
    places = audit.sink_file is not None or audit.sink_url is not None
    if places != (audit.key_file is not None):
        raise SettingsError("audit.key_file and audit.sink_file or audit.sink_url need each other")
    if audit.sink_ca_file is not None and audit.sink_url is None:
        raise SettingsError("audit.sink_ca_file: of audit.sink_url only")


def _refuse_torn_index(index: Index) -> None:
    """Refuse a server that is half configured: memories would go where nobody expects them."""
    server = index.kind is IndexKind.SERVER
    named = {"url": index.url, "api_key": index.api_key, "api_key_file": index.api_key_file}
    secrets = [field for field in ("api_key", "api_key_file") if named[field] is not None]
    wrong = {
        "index.url is required for a server": server and index.url is None,
        "index.kind is embedded, yet a server is named": not server and any(named.values()),
        "index.api_key and index.api_key_file exclude each other": len(secrets) > 1,
        "index.credential: tokens are signed with an API key": not secrets
        and index.credential is IndexCredential.TOKENS,
        "index.cert_file and index.key_file need each other": (index.cert_file is None)
        != (index.key_file is None),
    }
    failed = [reason for reason, is_wrong in wrong.items() if is_wrong]
    if failed:
        raise SettingsError("; ".join(failed))


_OF_DIRECTORIES: Final = frozenset({"directory", "pooling", "max_tokens"})
_OF_ENDPOINTS: Final = frozenset(
    {
        *("url", "model", "dimensions", "request_dimensions", "api_key", "api_key_file", "ca_file"),
        *("max_characters", "requests_at_once", "attempts"),
    }
)
_OF_OTHERS_MODELS: Final = frozenset(
    {"question_prefix", "memory_prefix", "cosine_unrelated", "cosine_answering"}
)
_FOREIGN: Final = {
    EmbedderKind.PACKAGED: _OF_DIRECTORIES | _OF_ENDPOINTS | _OF_OTHERS_MODELS,
    EmbedderKind.TRANSFORMERS: _OF_ENDPOINTS,
    EmbedderKind.REMOTE: _OF_DIRECTORIES | {"threads"},
}
"""Fields that mean nothing for a kind: set there, somebody believes in what is not so."""


def _refuse_torn_embedder(embedder: Embedder, mode: Mode) -> None:
    """Refuse an embedder that is half configured, or that others could listen to."""
    defaults, kind, usual = Embedder(), embedder.kind, DEFAULT_THRESHOLDS
    foreign = sorted(f for f in _FOREIGN[kind] if getattr(embedder, f) != getattr(defaults, f))
    low, high = embedder.cosine_unrelated, embedder.cosine_answering
    needed = {
        EmbedderKind.PACKAGED: (),
        EmbedderKind.TRANSFORMERS: ("directory",),
        EmbedderKind.REMOTE: ("url", "model", "dimensions"),
    }[kind]
    missing = [field for field in needed if getattr(embedder, field) is None]
    reliable, kept = embedder.reliable or usual.reliable, embedder.kept or usual.kept
    wrong = {
        f"embedder.{', '.join(foreign)}: not of an embedder of kind {kind}": bool(foreign),
        f"embedder.{', '.join(missing)}: required for kind {kind}": bool(missing),
        "embedder.api_key and embedder.api_key_file exclude each other": embedder.api_key
        is not None
        and embedder.api_key_file is not None,
        "embedder.cosine_unrelated and embedder.cosine_answering need each other, the first less": (
            (low is None) != (high is None)
            or (low is not None and high is not None and low >= high)
        ),
        "embedder.kept must not exceed embedder.reliable": kept > reliable,
        "production: embedder.url: https is required": mode is Mode.PRODUCTION
        and embedder.url is not None
        and not embedder.url.startswith("https://"),
    }
    failed = [reason for reason, is_wrong in wrong.items() if is_wrong]
    if failed:
        raise SettingsError("; ".join(failed))


def _refuse_torn_screening(screening: Screening, mode: Mode) -> None:
    """Refuse limits that let nothing through to a model, and what is said of one that is not there.

    Set there, somebody believes in what is not so.
    """
    usual, wrong = Screening(), dict[str, bool]()
    for whom, there in (("second", screening.second_directory), ("judge", screening.judge_url)):
        fields = [one for one in Screening.__struct_fields__ if one.startswith(f"{whom}_")]
        said = [one for one in fields if getattr(screening, one) != getattr(usual, one)]
        wrong[f"screening.{', '.join(said)}: there is no such model"] = there is None and bool(said)
    url, key = screening.judge_url, screening.judge_api_key
    wrong |= {
        "screening.doubt_from must be less than doubt_to": screening.doubt_from
        >= screening.doubt_to,
        "screening.second_unsure must not exceed second_poison": screening.second_unsure
        > screening.second_poison,
        "screening.judge_model: required for a judge": url is not None
        and screening.judge_model is None,
        "screening.judge_api_key and screening.judge_api_key_file exclude each other": key
        is not None
        and screening.judge_api_key_file is not None,
        "production: screening.judge_url: https is required": mode is Mode.PRODUCTION
        and url is not None
        and not url.startswith("https://"),
    }
    failed = [reason for reason, is_wrong in wrong.items() if is_wrong]
    if failed:
        raise SettingsError("; ".join(failed))


def _refuse_torn_recall(recall: Recall, mode: Mode) -> None:
    """Refuse what is said of a model that is not there: somebody would believe in it."""
    usual, wrong = Recall(), dict[str, bool]()
    for whom, there in (("cross_encoder", recall.cross_encoder), ("rewrite", recall.rewrite_url)):
        fields = [one for one in Recall.__struct_fields__ if one.startswith(f"{whom}_")]
        said = [one for one in fields if getattr(recall, one) != getattr(usual, one)]
        wrong[f"recall.{', '.join(said)}: there is no such model"] = there is None and bool(said)
    url, key = recall.rewrite_url, recall.rewrite_api_key
    wrong |= {
        "recall.rewrite_model: required for a rewrite": url is not None
        and recall.rewrite_model is None,
        "recall.rewrite_api_key and recall.rewrite_api_key_file exclude each other": key is not None
        and recall.rewrite_api_key_file is not None,
        "production: recall.rewrite_url: https is required": mode is Mode.PRODUCTION
        and url is not None
        and not url.startswith("https://"),
    }
    failed = [reason for reason, is_wrong in wrong.items() if is_wrong]
    if failed:
        raise SettingsError("; ".join(failed))


def _refuse_torn_relate(relate: Relate, mode: Mode) -> None:
    """Refuse a model that is named in half, or that others could overhear."""
    url, key = relate.extract_url, relate.extract_api_key
    wrong = {
        "relate: there is no such model, extract_url is missing": url is None
        and relate != Relate(),
        "relate.extract_model: required for a model": url is not None
        and relate.extract_model is None,
        "relate.extract_api_key and relate.extract_api_key_file exclude each other": key is not None
        and relate.extract_api_key_file is not None,
        "production: relate.extract_url: https is required": mode is Mode.PRODUCTION
        and url is not None
        and not url.startswith("https://"),
    }
    failed = [reason for reason, is_wrong in wrong.items() if is_wrong]
    if failed:
        raise SettingsError("; ".join(failed))


def _refuse_unsafe(settings: Settings) -> None:
    """Refuse in production whatever is only good for trying things out."""
    for name in ("root_key", "ledger_url", "keys_url"):
        given = (getattr(settings.storage, name), getattr(settings.storage, f"{name}_file"))
        if None not in given:
            raise SettingsError(f"storage.{name} and storage.{name}_file exclude each other")
    if settings.storage.keeps_ledger_elsewhere != settings.storage.keeps_keys_elsewhere:
        # Gateways that share a ledger and not its keys could not read each other's memories.
        raise SettingsError("storage.ledger_url and storage.keys_url go together")
    if settings.mode is not Mode.PRODUCTION:
        return
    auth, storage = settings.auth, settings.storage
    refusals = {
        "auth.keys_file or auth.keys_url is required": auth.keys_file is None
        and auth.keys_url is None,
        "auth.issuer is required": auth.issuer == DEVELOPMENT_ISSUER,
        "auth.audiences are required": DEVELOPMENT_AUDIENCE in auth.audiences,
        "auth.algorithms: HS256 is for development only": Algorithm.HS256 in auth.algorithms,
        "storage.root_key or storage.root_key_file is required": storage.root_key is None
        and storage.root_key_file is None,
        "http.public_url is required": settings.http.public_url is None,
        "log_level debug is for development only": settings.log_level is LogLevel.DEBUG,
    }
    failed = [reason for reason, wrong in refusals.items() if wrong]
    if failed:
        raise SettingsError("production: " + "; ".join(failed))
