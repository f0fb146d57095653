"""Settings of the guard: who judges, what decides, how much waits, who is enrolled."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from gateway.settings.kinds import (
    AnswerFormat,
    ChatModel,
    Name,
    Secret,
    Url,
    Words,
    chat_model,
)
from memory.origin import OriginClass

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
    second_attack_labels: Annotated[Words, Meta(max_length=16)] = ()
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
    judge_url: Url | None = None
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

    @property
    def judge(self) -> ChatModel | None:
        """The judge, if one is named."""
        return chat_model(self, "judge", self.detector_seconds, "screening.judge_api_key_file")


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
    tenant_seconds: Annotated[float, Meta(ge=0.05, le=60)] = 1.0
    """Seconds between two looks at what tenants enacted at other gateways."""
    tenant_stale_seconds: Annotated[float, Meta(ge=1, le=3600)] = 30.0
    """Seconds without such a look after which nothing is decided."""
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
    proposal_days: Annotated[int, Meta(ge=1, le=90)] = 7
    """For so long what one reviewer proposed waits for another."""
    undo_minutes: Annotated[int, Meta(ge=1, le=1440)] = 10
    """For so long a reviewer's decision can be undone; what was rejected is kept for that."""
    days: Annotated[int, Meta(ge=1, le=365)] = 30
    """Days after which what nobody decided on is given up."""


class AuditWitness(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Checkpoints of the audit that the gateway signs by itself, and where they are kept."""

    key_file: Path | None = None
    """The signing key, from `audit key`. Without it the gateway signs nothing."""
    seconds: Annotated[float, Meta(ge=0.1, le=86_400)] = 60.0
    """Seconds between two checkpoints of a record that grew."""
    sink_file: Path | None = None
    """A file that checkpoints are appended to, better on storage that others own."""
    sink_url: Url | None = None
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
