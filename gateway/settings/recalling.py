"""Settings of what is read of a text and of how memories are found."""

from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from gateway.settings.kinds import AnswerFormat, ChatModel, HalfLife, Part, Secret, Url, chat_model
from memory.fusion import Fusion


class Relate(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Who is asked what a text says that the rules can't read. Nobody unless one is named."""

    extract_url: Url | None = None
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

    @property
    def extractor(self) -> ChatModel | None:
        """The model that is asked, if one is named."""
        return chat_model(self, "extract", self.extract_seconds, "relate.extract_api_key_file")


class Recall(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How memories are found and ordered. Weights count by their ratios, floors bound a factor."""

    fusion: Fusion = Fusion.WEIGHTED
    """`weighted` by measured qualities, or `rank` by reciprocal ranks, which recalls less."""
    semantic_weight: Part = 0.5
    keyword_weight: Part = 0.3
    entity_weight: Part = 0.3
    time_weight: Part = 0.1
    route_hits: Annotated[int, Meta(ge=5, le=100)] = 20
    """Memories that each route of the index may name."""
    session_neighbours: Annotated[int, Meta(ge=0, le=50)] = 16
    """Best memories for which the turns beside them are looked at; 0: none."""
    rerank_items: Annotated[int, Meta(ge=1, le=100)] = 20
    """Most relevant memories whose wording is read once more."""
    context_items: Annotated[int, Meta(ge=1, le=50)] = 5
    """Memories in the block for a prompt."""
    context_fewer: Annotated[int, Meta(ge=1, le=50)] = 3
    """As many when those have more than `context_tokens`; then fewer still, until they fit."""
    context_tokens: Annotated[int, Meta(ge=100, le=1_000_000)] = 1500
    context_characters: Annotated[int, Meta(ge=40, le=8192)] = 200
    """Of each memory in the block; its whole text is to be had by its id."""
    tokenizer: Path | None = None
    """A `tokenizer.json` by which tokens are counted; none: a guess on the safe side."""
    cross_encoder: Path | None = None
    """A sequence classifier of one score that reads question and memory together: a directory in
    Hugging Face's form, with weights in safetensors.
    """
    cross_encoder_items: Annotated[int, Meta(ge=1, le=20)] = 20
    """Best memories that it reads."""
    cross_encoder_weight: Part = 0.5
    """What its full score adds to relevance."""
    cross_encoder_tokens: Annotated[int, Meta(ge=32, le=8192)] = 256
    """Tokens of question and memory together; the model's own limit, when that is less."""
    cross_encoder_threads: Annotated[int, Meta(ge=1, le=64)] = 2
    cross_encoder_seconds: Annotated[float, Meta(gt=0, le=10)] = 1.0
    """Seconds that an answer waits for it; then the order stands that there was without it."""
    rewrite_url: Url | None = None
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
    order_url: Url | None = None
    """What `/chat/completions` is appended to. Questions and the best memories that were found are
    sent there, not those of sealed tenants.
    """
    order_model: Annotated[str, Meta(min_length=1, max_length=256)] | None = None
    order_api_key: Secret | None = None
    """The endpoint's API key itself, from the environment only."""
    order_api_key_file: Path | None = None
    order_ca_file: Path | None = None
    """Authorities whose certificates are believed, instead of the system's."""
    order_format: AnswerFormat = AnswerFormat.JSON_SCHEMA
    order_items: Annotated[int, Meta(ge=2, le=20)] = 20
    """Best memories that it is shown."""
    order_best: Annotated[int, Meta(ge=1, le=20)] = 5
    """How many of them it may put first."""
    order_seconds: Annotated[float, Meta(gt=0, le=10)] = 2.5
    """Seconds that an answer waits for it; then the order stands that there was without it."""
    half_life_episodic_days: HalfLife = 30.0
    half_life_semantic_days: HalfLife = 180.0
    recency_floor_episodic: Part = 0.6
    """What age leaves of a score at least."""
    recency_floor_semantic: Part = 0.85
    importance_floor: Part = 0.7
    confidence_floor: Part = 0.6
    low_trust_items: Annotated[int, Meta(ge=0, le=50)] = 2
    """Low-trust memories in one answer at most."""
    cache_bytes: Annotated[int, Meta(ge=0, le=1_073_741_824)] = 16_777_216
    """Bytes of what questions came to that a process keeps, and as many of sealed rows that were
    proved; 0: none. Nothing is shown unchecked.
    """
    cache_seconds: Annotated[float, Meta(ge=1, le=3600)] = 300.0
    """Seconds both count for at most, while nothing of the subject and no policy changes."""
    trace_days: Annotated[int, Meta(ge=1, le=90)] = 7
    """Days that what a recall looked at is kept, sealed, for `GET /v1/traces/{id}`."""

    @property
    def orderer(self) -> ChatModel | None:
        """The model that says which memories come first, if one is named."""
        return chat_model(self, "order", self.order_seconds, "recall.order_api_key_file")

    @property
    def rewriter(self) -> ChatModel | None:
        """The model that says questions again, if one is named."""
        return chat_model(self, "rewrite", self.rewrite_seconds, "recall.rewrite_api_key_file")
