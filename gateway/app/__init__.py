"""The composition root: the one place that knows every room and wires them together.

`keep` opens what lies on disk, `serving` makes a gateway of it, `chores` are the operator's tasks.
"""

from gateway.app.chores import (
    examine,
    migrate,
    rebuild,
    reconcile,
    screening,
    token,
    verify_audit,
)
from gateway.app.deciding import dead_writes, replay
from gateway.app.policing import checked, policy_of
from gateway.app.rescanning import rescan, simulate
from gateway.app.serving import Gateway, Progress, opened, prepare_models, run
from gateway.app.tenancy import registry_desk, revocation_desk
from gateway.app.training import train

__all__ = [
    "Gateway",
    "Progress",
    "checked",
    "dead_writes",
    "examine",
    "migrate",
    "opened",
    "policy_of",
    "prepare_models",
    "rebuild",
    "reconcile",
    "registry_desk",
    "replay",
    "rescan",
    "revocation_desk",
    "run",
    "screening",
    "simulate",
    "token",
    "train",
    "verify_audit",
]
