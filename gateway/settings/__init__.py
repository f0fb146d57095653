"""Everything that can be configured, read once at start and frozen.

This package is all that reads the environment. A section is a struct; what is wrong with several
fields at once is refused in `refusing`.
"""

import os

# The model runtime reports home when it is imported, unless it is told not to before that. This
# package is imported before any runtime, so nothing in the product can be faster.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
# Nor may the library of local models ask its hub for anything, whatever a directory names.
os.environ["HF_HUB_OFFLINE"] = "1"

from gateway.settings.edge import Auth, Console, Http, Limits, Metrics, Tracing
from gateway.settings.guarding import (
    AuditWitness,
    ClientEntry,
    PolicySource,
    Profile,
    Screening,
    TenantEntry,
)
from gateway.settings.kinds import (
    MAX_TEXT_CHARS,
    Algorithm,
    AnswerFormat,
    ChatModel,
    ForwardedHeader,
    IndexCredential,
    IndexKind,
    IndexPlacement,
    LogLevel,
    Mode,
    Name,
    Secret,
    SettingsError,
)
from gateway.settings.posting import Webhooks
from gateway.settings.reading import agent_token, load, variables
from gateway.settings.recalling import Recall, Relate
from gateway.settings.stores import Embedder, EmbedderKind, Index, PoolingMode, Storage
from gateway.settings.whole import Settings

__all__ = [
    "MAX_TEXT_CHARS",
    "Algorithm",
    "AnswerFormat",
    "AuditWitness",
    "Auth",
    "ChatModel",
    "ClientEntry",
    "Console",
    "Embedder",
    "EmbedderKind",
    "ForwardedHeader",
    "Http",
    "Index",
    "IndexCredential",
    "IndexKind",
    "IndexPlacement",
    "Limits",
    "LogLevel",
    "Metrics",
    "Mode",
    "Name",
    "PolicySource",
    "PoolingMode",
    "Profile",
    "Recall",
    "Relate",
    "Screening",
    "Secret",
    "Settings",
    "SettingsError",
    "Storage",
    "TenantEntry",
    "Tracing",
    "Webhooks",
    "agent_token",
    "load",
    "variables",
]
