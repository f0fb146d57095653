"""Settings of webhooks: where posts may go, and how long they are tried."""

from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

HostPort = Annotated[
    str, Meta(max_length=512, pattern=r"\A(\[[0-9a-f:.]+\]|[a-z0-9._-]+):[0-9]{1,5}\Z")
]


class Webhooks(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where findings of tenants may be posted, and how long that is tried."""

    allowed_hosts: tuple[HostPort, ...] = ()
    """`host:port` that posts may go to although it is private or plain http."""
    ca_file: Path | None = None
    """Certificates to believe of endpoints, instead of the system's."""
    seconds: Annotated[float, Meta(ge=0.05, le=60)] = 1.0
    """Seconds between two looks at what there is to post."""
    at_once: Annotated[int, Meta(ge=1, le=256)] = 16
    """Posts that one process has under way, of each webhook one."""
    timeout_seconds: Annotated[float, Meta(gt=0, le=60)] = 10.0
    """Seconds that an endpoint may take to answer."""
    attempts: Annotated[int, Meta(ge=1, le=100)] = 12
    """How often a post is tried before it is given up until somebody replays it."""
    longest_pause_seconds: Annotated[float, Meta(ge=0.05, le=86_400)] = 3600.0
    """Seconds between two attempts at most; they begin at five and double."""
