"""What guard asks of the outside world.

Tenant and subject are required positional arguments everywhere: there is no way to ask without.
Each port has a shipped fake and one contract suite under `tests/contracts`, run on every adapter.
"""

from guard.ports.audit import Audit, AuditHead, Integrated, Journal
from guard.ports.index import Entry, Found, Hit, Index, Probe
from guard.ports.ledger import Beside, Filter, Ledger, Page, Sessions
from guard.ports.limits import Allowed, Bucket, Buckets, Rates, Taken
from guard.ports.models import Detector, Embedder, EmbedderId, Purpose
from guard.ports.queue import Answers, Dead, Due, Queue
from guard.ports.review import WHOLE_QUEUE, Docket, Order, Quarantine, Remarks
from guard.ports.sealing import Clock, Envelopes, Marks, NewId, Record, Vault
from guard.ports.stock import Stock, Stretch, Sweep
from guard.ports.talk import SealedTurn, Traces, Transcript, Window
from guard.ports.tenants import Client, Enrolment, Indexing, Registry, Tenant

__all__ = [
    "WHOLE_QUEUE",
    "Allowed",
    "Answers",
    "Audit",
    "AuditHead",
    "Beside",
    "Bucket",
    "Buckets",
    "Client",
    "Clock",
    "Dead",
    "Detector",
    "Docket",
    "Due",
    "Embedder",
    "EmbedderId",
    "Enrolment",
    "Entry",
    "Envelopes",
    "Filter",
    "Found",
    "Hit",
    "Index",
    "Indexing",
    "Integrated",
    "Journal",
    "Ledger",
    "Marks",
    "NewId",
    "Order",
    "Page",
    "Probe",
    "Purpose",
    "Quarantine",
    "Queue",
    "Rates",
    "Record",
    "Registry",
    "Remarks",
    "SealedTurn",
    "Sessions",
    "Stock",
    "Stretch",
    "Sweep",
    "Taken",
    "Tenant",
    "Traces",
    "Transcript",
    "Vault",
    "Window",
]
