"""The composition root: the one place that knows every room and wires them together.

`keep` opens what lies on disk, `serving` makes a gateway of it, `chores` are the operator's tasks.
A module of them is read when something of it is asked for: all of them take seconds, and a command
needs few.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from gateway.app.auditing import (
        export_audit,
        kept_in,
        new_audit_key,
        sign_audit,
        verify_audit,
        verify_exported,
    )
    from gateway.app.chores import examine, migrate, rebuild, reconcile
    from gateway.app.chores import screening as judging_rooms
    from gateway.app.deciding import dead_writes, replay
    from gateway.app.policing import checked, policy_of
    from gateway.app.reporting import append_findings, findings
    from gateway.app.rescanning import rescan, simulate
    from gateway.app.sealing import seal, unseal
    from gateway.app.serving import Gateway, Progress, embedded, opened, prepare_models, run
    from gateway.app.tenancy import policy_desk, registry_desk, revocation_desk
    from gateway.app.tokens import token
    from gateway.app.training import train
    from guard.models.calling import is_private

__all__ = [
    "Gateway",
    "Progress",
    "append_findings",
    "checked",
    "dead_writes",
    "embedded",
    "examine",
    "export_audit",
    "findings",
    "is_private",
    "judging_rooms",
    "kept_in",
    "migrate",
    "new_audit_key",
    "opened",
    "policy_desk",
    "policy_of",
    "prepare_models",
    "rebuild",
    "reconcile",
    "registry_desk",
    "replay",
    "rescan",
    "revocation_desk",
    "run",
    "seal",
    "sign_audit",
    "simulate",
    "token",
    "train",
    "unseal",
    "verify_audit",
    "verify_exported",
]

_HOMES: Final = {
    "gateway.app.auditing": (
        *("export_audit", "kept_in", "new_audit_key", "sign_audit", "verify_audit"),
        "verify_exported",
    ),
    "gateway.app.chores": ("examine", "judging_rooms", "migrate", "rebuild", "reconcile"),
    "gateway.app.deciding": ("dead_writes", "replay"),
    "gateway.app.policing": ("checked", "policy_of"),
    "gateway.app.reporting": ("append_findings", "findings"),
    "gateway.app.rescanning": ("rescan", "simulate"),
    "gateway.app.sealing": ("seal", "unseal"),
    "gateway.app.serving": (
        *("Gateway", "Progress", "embedded", "opened", "prepare_models", "run"),
    ),
    "gateway.app.tenancy": ("policy_desk", "registry_desk", "revocation_desk"),
    "gateway.app.tokens": ("token",),
    "gateway.app.training": ("train",),
    "guard.models.calling": ("is_private",),
}
_HOME: Final = {name: home for home, names in _HOMES.items() for name in names}
_THERE: Final = {"judging_rooms": "screening"}
"""What has another name where it lives: here that would be the name of a module."""

if not TYPE_CHECKING:  # so that a name that is not there is an error before anything runs

    def __getattr__(name: str) -> object:
        """Return what has this name, reading its module if nobody has yet (PEP 562)."""
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_HOME[name]), _THERE.get(name, name))
