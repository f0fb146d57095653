"""The requirements by id, and whether a test shows them yet.

`test_architecture` keeps both directions: a test may only name an id that stands here, and an id
that is not `PLANNED` must be named by at least one test. A planned id that a test names already is
no error: parts may land before the whole.
"""

from enum import StrEnum
from typing import Final


class Status(StrEnum):
    """Whether the requirement is in force."""

    DONE = "done"
    PLANNED = "planned"


DONE, PLANNED = Status.DONE, Status.PLANNED

REQUIREMENTS: Final[dict[str, tuple[Status, str]]] = {
    "E1": (DONE, "JWT bearer on every route but the public ones; pinned algorithms; one reason"),
    "E2": (DONE, "Keys from a file or a JWKS URL; rotation without restart"),
    "E3": (DONE, "Tenant, subject and scopes come from the verified token only"),
    "E4": (DONE, "One table maps every route and tool to its scope"),
    "E5": (DONE, "A foreign id answers exactly like a missing one"),
    "E6": (DONE, "Revocation by token, subject and tenant"),
    "E7": (DONE, "Token buckets per subject, tenant and origin"),
    "E8": (DONE, "Size limits and deadlines"),
    "E9": (DONE, "Problem details from one table; never a trace, never content"),
    "E10": (DONE, "Idempotency keys"),
    "E11": (DONE, "Health, readiness, metrics, traces, structured logs"),
    "E12": (DONE, "Graceful shutdown"),
    "E13": (DONE, "Tenants and clients are registered before they are served"),
    "E14": (DONE, "Limits before authentication, trusted proxies, TLS"),
    "M1": (DONE, "Streamable HTTP, legacy SSE, stdio"),
    "M2": (DONE, "OAuth 2.1 resource server"),
    "M3": (DONE, "A session answers no other principal"),
    "M4": (DONE, "The eight tools"),
    "M5": (DONE, "Resources and the prompt"),
    "M6": (DONE, "Every tool calls the use-case of its REST twin"),
    "M7": (DONE, "Conformance suite, inspector and client"),
    "W1": (DONE, "Every write path passes the pipeline"),
    "W2": (DONE, "Detectors see every view of a text"),
    "W3": (DONE, "Provenance is set by the gateway, signed and immutable"),
    "W4": (DONE, "Trust is the minimum over parents; repetition never raises it"),
    "W5": (DONE, "Worth filter"),
    "W6": (DONE, "Secrets and personal data by policy"),
    "W7": (DONE, "Poisoning classifier"),
    "W8": (DONE, "Anomalies"),
    "W9": (DONE, "Near-identical memories merge"),
    "W10": (DONE, "Conflict and supersede"),
    "W11": (DONE, "Policy decides; a missing stage holds"),
    "W12": (DONE, "Explicit outcomes with reasons"),
    "W13": (PLANNED, "Write triggers for agents"),
    "W14": (DONE, "Asynchronous write"),
    "W15": (DONE, "Tombstones against learning again"),
    "W16": (DONE, "What each trust may do"),
    "R1": (DONE, "Four routes, keyed per subject, fused"),
    "R2": (DONE, "Query understanding"),
    "R3": (DONE, "Reranking"),
    "R4": (DONE, "Score is a product of named factors"),
    "R5": (DONE, "Validation before return"),
    "R6": (DONE, "Consensus"),
    "R7": (DONE, "Influence of low trust is bounded"),
    "R8": (DONE, "Fenced assembly"),
    "R9": (DONE, "No reliable memory"),
    "R10": (DONE, "Recall traces"),
    "R11": (DONE, "The ledger answers when the index is down"),
    "R12": (DONE, "Hot cache"),
    "R13": (DONE, "Read your writes"),
    "R14": (DONE, "As of"),
    "L1": (PLANNED, "Working memory"),
    "L2": (DONE, "Layers live in separate collections"),
    "L3": (PLANNED, "Session summaries"),
    "L4": (PLANNED, "Importance and expiry"),
    "L5": (PLANNED, "Promotion and demotion"),
    "L6": (PLANNED, "Consolidation"),
    "L7": (PLANNED, "Consistency scan"),
    "L8": (PLANNED, "Cold start"),
    "L9": (PLANNED, "Background work"),
    "S1": (DONE, "Ledger on SQLite and PostgreSQL"),
    "S2": (PLANNED, "Embedded index and Qdrant server"),
    "S3": (DONE, "Envelope encryption and a key store of its own"),
    "S4": (PLANNED, "Rotation"),
    "S5": (PLANNED, "Erasure"),
    "S6": (DONE, "Vectors are personal data"),
    "S7": (PLANNED, "Model change"),
    "S8": (PLANNED, "Backup, restore, rebuild, export, import"),
    "S9": (DONE, "Outbox and reconciliation"),
    "Q1": (DONE, "Quarantine queue"),
    "Q2": (DONE, "Decisions"),
    "Q3": (DONE, "Reveal"),
    "Q4": (DONE, "Rescan and simulate"),
    "Q5": (DONE, "Blast radius"),
    "Q6": (PLANNED, "Tamper-evident audit"),
    "Q7": (DONE, "SIEM export and webhooks"),
    "Q8": (DONE, "Console"),
    "Q9": (PLANNED, "Command line"),
    "Q10": (PLANNED, "Compose"),
    "Q11": (DONE, "SECURITY.md maps threat to decision to symbol to test"),
    "Q12": (DONE, "Quota of held items"),
}
