"""The composition root: the one place that knows every room and wires them together.

`keep` opens what lies on disk, `serving` makes a gateway of it, `chores` are the operator's tasks.
"""

from gateway.app.auditing import (
    export_audit,
    kept_in,
    new_audit_key,
    sign_audit,
    verify_audit,
    verify_exported,
)
from gateway.app.chores import (
    examine,
    migrate,
    rebuild,
    reconcile,
    screening,
    token,
)
from gateway.app.deciding import dead_writes, replay
from gateway.app.policing import checked, policy_of
from gateway.app.reporting import append_findings, findings
from gateway.app.rescanning import rescan, simulate
from gateway.app.sealing import seal, unseal
from gateway.app.serving import Gateway, Progress, embedded, opened, prepare_models, run
from gateway.app.tenancy import policy_desk, registry_desk, revocation_desk
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
    "screening",
    "seal",
    "sign_audit",
    "simulate",
    "token",
    "train",
    "unseal",
    "verify_audit",
    "verify_exported",
]
