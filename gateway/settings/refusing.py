"""What no single field is wrong in: settings that contradict each other, or are not safe."""

from collections.abc import Mapping
from ipaddress import ip_network
from typing import Final

import msgspec

from gateway.settings.edge import Auth, Console
from gateway.settings.guarding import (
    AuditWitness,
    Screening,
    TenantEntry,
)
from gateway.settings.kinds import (
    CHAT_FIELDS,
    DEVELOPMENT_AUDIENCE,
    DEVELOPMENT_ISSUER,
    Algorithm,
    IndexCredential,
    IndexKind,
    LogLevel,
    Mode,
    SettingsError,
)
from gateway.settings.recalling import Recall
from gateway.settings.stores import Embedder, EmbedderKind, Index
from gateway.settings.whole import Settings
from memory.ranking import DEFAULT_THRESHOLDS


def refuse_contradictions(settings: Settings) -> None:
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
    _refuse(_torn_model(settings.relate, "relate", "extract", settings.mode))
    _refuse_torn_console(settings.console, settings.mode)
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


def _refuse_torn_console(console: Console, mode: Mode) -> None:
    """Refuse half an issuer to sign in at, and one that is spoken to in the clear."""
    named = (console.client_id, console.authorize_url, console.token_url)
    plain = [url for url in named[1:] if url is not None and not url.startswith("https://")]
    _refuse(
        {
            "console.client_id, authorize_url and token_url need each other": None in named
            and any(named),
            "console.client_secret_file: of console.client_id": console.client_secret_file
            is not None
            and console.client_id is None,
            "console.scopes: openid is required": "openid" not in console.scopes,
            "production: console.authorize_url and token_url: https is required": mode
            is Mode.PRODUCTION
            and bool(plain),
        }
    )


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
    _refuse(wrong)


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
    _refuse(wrong)


def _refuse_torn_screening(screening: Screening, mode: Mode) -> None:
    """Refuse limits that let nothing through, and what is said of a model that is not there."""
    _refuse(
        {
            **_torn_model(screening, "screening", "judge", mode),
            **_unnamed(screening, "screening", "second", screening.second_directory),
            "screening.doubt_from must be less than doubt_to": screening.doubt_from
            >= screening.doubt_to,
            "screening.second_unsure must not exceed second_poison": screening.second_unsure
            > screening.second_poison,
        }
    )


def _refuse_torn_recall(recall: Recall, mode: Mode) -> None:
    _refuse(
        {
            **_unnamed(recall, "recall", "cross_encoder", recall.cross_encoder),
            **_torn_model(recall, "recall", "rewrite", mode),
            **_torn_model(recall, "recall", "order", mode),
            "recall.order_best must not exceed recall.order_items": recall.order_best
            > recall.order_items,
            "recall.cross_encoder and recall.order_url exclude each other": None
            not in (recall.cross_encoder, recall.order_url),
        }
    )


def _torn_model(section: msgspec.Struct, name: str, whom: str, mode: Mode) -> dict[str, bool]:
    """Return what may be wrong with a model at an endpoint: named in half, or overheard."""
    url, model, key, key_file, *_ = (getattr(section, f"{whom}_{one}") for one in CHAT_FIELDS)
    return {
        **_unnamed(section, name, whom, url),
        f"{name}.{whom}_model: required with {name}.{whom}_url": url is not None and model is None,
        f"{name}.{whom}_api_key and {name}.{whom}_api_key_file exclude each other": None
        not in (key, key_file),
        f"production: {name}.{whom}_url: https is required": mode is Mode.PRODUCTION
        and url is not None
        and not url.startswith("https://"),
    }


def _unnamed(section: msgspec.Struct, name: str, whom: str, there: object) -> dict[str, bool]:
    """Return whether a model that is not there is told of: somebody would believe in it."""
    usual = type(section)()
    fields = [one for one in section.__struct_fields__ if one.startswith(f"{whom}_")]
    said = [one for one in fields if getattr(section, one) != getattr(usual, one)]
    return {f"{name}.{', '.join(said)}: there is no such model": there is None and bool(said)}


def _refuse(wrong: Mapping[str, bool]) -> None:
    failed = [reason for reason, is_wrong in wrong.items() if is_wrong]
    if failed:
        raise SettingsError("; ".join(failed))


def refuse_unsafe(settings: Settings) -> None:
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
