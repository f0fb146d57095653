"""Settings of what is kept: where, in which index, and by whose vectors."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from gateway.settings.kinds import (
    MAX_TEXT_CHARS,
    IndexCredential,
    IndexKind,
    IndexPlacement,
    Secret,
    Url,
)


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
    ready_megabytes: Annotated[int, Meta(ge=0, le=65_536)] = 64
    """MiB of search material that recalls opened of late, for the next ones; 0: none."""

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
    url: Url | None = None
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
    url: Url | None = None
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
