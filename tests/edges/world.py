"""An edge to knock at: the real application over use-cases that write down who called them."""

import json
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, cast

import jwt
import msgspec
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key as generate_rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm
from litestar import Litestar

from gateway.auth import RegisteredOnly, UnsafeFirstUse, Verifier
from gateway.doors import (
    BulkDoors,
    CaseDoors,
    DecisionDoors,
    DossierDoors,
    OriginDoors,
    PolicyDoors,
    ProposalDoors,
    QueueDoors,
    RecordDoors,
    ReportDoors,
    RevisionDoors,
    TenantDoors,
    TokenDoors,
    TraceDoors,
)
from gateway.edge import Edge, UseCases, build
from gateway.keysets import Keys, KeySet, read_keys
from gateway.metrics import Metrics
from gateway.revoked import Revoked
from gateway.settings import Auth, Limits, Mode, Settings
from gateway.tracing import Tracing
from guard.amend import Amendment
from guard.bulk import Done, Preview, Verdict
from guard.casefile import CaseFile
from guard.dismiss import Dismissed
from guard.docket import Search
from guard.dossier import Dossier
from guard.errors import NotFoundError
from guard.explain import WhyNot
from guard.findings import Event
from guard.hooks import DeadPost
from guard.nouns import Draft, Progress
from guard.once import Once
from guard.outcomes import (
    Case,
    Cases,
    Doubts,
    Heard,
    History,
    Listing,
    Memory,
    Query,
    Queued,
    Recalled,
    Receipt,
    Recollection,
    Revision,
    Stored,
    Told,
    WriteOutcome,
    WriteStatus,
)
from guard.overview import Overview
from guard.ports import Buckets, Client, Dead, Filter, Registry, Tenant
from guard.principal import Principal, Scope
from guard.record import Consistent, Included, Leaves, Sought, Tree
from guard.reporting import Findings
from guard.reveal import Ground, Revealed
from guard.revoke import Desk as Revoking
from guard.revoke import Of, Revocation
from guard.rooms import Rooms
from guard.ruling import Manner, Ruling
from guard.trace import Trace
from guard.webhooks import Webhook
from memory.assembly import estimate_tokens
from memory.origin import OriginClass
from memory.types import (
    ClientId,
    Kind,
    Layer,
    MemoryId,
    SessionId,
    State,
    SubjectId,
    TenantId,
    TraceId,
    Turn,
    TurnId,
)
from storage.fakes.registry import MemoryRegistry
from storage.fakes.revocations import MemoryRevocations
from storage.fakes.visits import MemoryVisits
from storage.limits.local import LocalBuckets
from tests.contracts.bucket_builders import HandClock

ID: Final = MemoryId("0197b7a0-0000-7000-8000-000000000001")
OTHER_ID: Final = MemoryId("0197b7a0-0000-7000-8000-000000000002")
EVERY_SCOPE: Final = " ".join(Scope)
NOW: Final = datetime(2026, 11, 1, 12, tzinfo=UTC)


def ed25519_jwk(kid: str | None = "one") -> dict[str, Any]:
    """Return a fresh private Ed25519 key."""
    return _jwk(OKPAlgorithm.to_jwk(Ed25519PrivateKey.generate(), as_dict=True), kid, "EdDSA")


def p256_jwk(kid: str | None = "ec") -> dict[str, Any]:
    """Return a fresh private P-256 key."""
    return _jwk(ECAlgorithm.to_jwk(generate_private_key(SECP256R1()), as_dict=True), kid, "ES256")


def rsa_jwk(kid: str | None = "rsa", bits: int = 2048) -> dict[str, Any]:
    """Return a fresh private RSA key."""
    key = generate_rsa(public_exponent=65537, key_size=bits)
    return _jwk(RSAAlgorithm.to_jwk(key, as_dict=True), kid, "RS256")


def _jwk(members: Mapping[str, Any], kid: str | None, algorithm: str) -> dict[str, Any]:
    named = {"kid": kid} if kid is not None else {}
    kept = {name: value for name, value in members.items() if name != "key_ops"}
    return {**kept, **named, "alg": algorithm, "use": "sig"}


def token(key: Mapping[str, Any], /, **changes: Any) -> str:
    """Return a token that is right but for `changes`; a claim changed to None is left out."""
    now = int(time.time())
    headers: dict[str, Any] = {"kid": key["kid"]} if "kid" in key else {}
    headers |= changes.pop("headers", {})
    claims = {
        "iss": Auth().issuer,
        "aud": "memguard",
        "sub": "alice",
        "tid": "acme",
        "azp": "dev-app",
        "scope": EVERY_SCOPE,
        "iat": now - 5,
        "exp": now + 600,
    } | changes
    kept = {name: value for name, value in claims.items() if value is not None}
    signer = jwt.PyJWK(dict(key))
    return jwt.encode(kept, signer.key, algorithm=signer.algorithm_name, headers=headers)


def bearer(value: str) -> dict[str, str]:
    """Return the header that presents a token."""
    return {"Authorization": f"Bearer {value}"}


class Calls:
    """Use-cases that answer plausibly and keep what they were called with."""

    def __init__(self) -> None:
        self.made: list[tuple[str, Principal, Any]] = []
        self.outcome: WriteOutcome = Stored(ID, OriginClass.USER_STATED, 3)
        self.failure: Exception | None = None
        self.pause: Callable[[], Awaitable[object]] | None = None

    def _note(self, name: str, principal: Principal, what: Any) -> None:
        self.made.append((name, principal, what))
        if self.failure is not None:
            raise self.failure

    @property
    def names(self) -> list[str]:
        """The use-cases called, in order."""
        return [name for name, _, _ in self.made]

    async def remember(self, principal: Principal, draft: Draft, _: Rooms) -> WriteOutcome:
        """Answer what the test set, after the pause that it set."""
        if self.pause is not None:
            await self.pause()
        self._note("remember", principal, draft)
        return self.outcome

    async def remember_once(self, principal: Principal, draft: Draft, once: Once, _: Rooms) -> Told:
        """Answer what the test set, as if for the first time."""
        self._note("remember_once", principal, (draft, once))
        return Told(self.outcome, replayed=False)

    async def accept(self, principal: Principal, draft: Draft, once: Once | None, _: Rooms) -> Told:
        """Answer that it was taken in."""
        self._note("accept", principal, (draft, once))
        return Told(Queued(ID, OriginClass.USER_STATED, 3), replayed=False)

    async def status(self, principal: Principal, id: MemoryId, _: Rooms) -> WriteStatus:
        """Answer that the write known as ID waits."""
        self._note("status", principal, id)
        return WriteStatus(
            self._known(id), Progress.QUEUED, NOW, Queued(ID, OriginClass.USER_STATED, 3)
        )

    async def recall(self, principal: Principal, query: Query, _: Rooms) -> Recollection:
        """Answer with one memory, as text and fenced."""
        self._note("recall", principal, query)
        found = (Recalled(memory(principal), 0.9),)
        return Recollection(
            found, reliable=True, context="<fence>aisle</fence>", degraded=False, trace_id="t1"
        )

    async def forget(self, principal: Principal, id: MemoryId, _: Rooms) -> Receipt:
        """Answer with a receipt."""
        self._note("forget", principal, id)
        return Receipt(self._known(id), ("content",), ("backups",), NOW)

    async def fade(self, principal: Principal, id: MemoryId, _: Rooms) -> Receipt:
        """Answer with a receipt."""
        self._note("fade", principal, id)
        return Receipt(self._known(id), (), ("the memory",), NOW)

    async def confirm(self, principal: Principal, id: MemoryId, _: Rooms) -> WriteOutcome:
        """Answer what the test set."""
        self._note("confirm", principal, id)
        self._known(id)
        return self.outcome

    async def hear(
        self, principal: Principal, session: SessionId, turns: Sequence[Turn], _: Rooms
    ) -> Heard:
        """Answer that every turn is kept."""
        self._note("hear", principal, (session, turns))
        return Heard(tuple(TurnId(ID) for _ in turns), NOW)

    async def fetch(self, principal: Principal, id: MemoryId, _: Rooms) -> Memory:
        """Answer with the memory known as ID."""
        self._note("fetch", principal, id)
        self._known(id)
        return memory(principal)

    async def browse(
        self, principal: Principal, filter: Filter, cursor: str | None, limit: int, _: Rooms
    ) -> Listing:
        """Answer with one page."""
        self._note("browse", principal, (filter, cursor, limit))
        return Listing((memory(principal),), "next")

    async def held(
        self, principal: Principal, cursor: str | None, limit: int, _: Rooms, search: Search
    ) -> Cases:
        """Answer with an empty queue."""
        self._note("held", principal, (cursor, limit, search))
        return Cases((), None, 0)

    async def release(
        self, principal: Principal, id: MemoryId, _: Rooms, ruling: Ruling, manner: Manner
    ) -> Case:
        """Know no case."""
        self._note("release", principal, (id, ruling, manner))
        raise NotFoundError

    async def bulk_preview(
        self, principal: Principal, verdict: Verdict, of: Search | Sequence[MemoryId], _: Rooms
    ) -> Preview:
        """Find nothing."""
        self._note("bulk_preview", principal, (verdict, of))
        return Preview(count=0, more=False, sample=(), token="token", expires_at=NOW)

    async def bulk_decide(
        self, principal: Principal, verdict: Verdict, preview: str, ruling: Ruling, _: Rooms
    ) -> tuple[Done, ...]:
        """Decide nothing."""
        self._note("bulk_decide", principal, (verdict, preview, ruling))
        return ()

    async def undo(self, principal: Principal, id: MemoryId, _: Rooms, ruling: Ruling) -> Case:
        """Know no decision."""
        self._note("undo", principal, (id, ruling))
        raise NotFoundError

    async def hold(self, principal: Principal, id: MemoryId, _: Rooms, ruling: Ruling) -> Case:
        """Know no memory of others."""
        self._note("hold", principal, (id, ruling))
        raise NotFoundError

    async def move(
        self, principal: Principal, id: MemoryId, layer: Layer, _: Rooms, ruling: Ruling
    ) -> Case:
        """Know no memory of others."""
        self._note("move", principal, (id, layer, ruling))
        raise NotFoundError

    async def escalate(self, principal: Principal, id: MemoryId, _: Rooms, ruling: Ruling) -> Case:
        """Know no case."""
        self._note("escalate", principal, (id, ruling))
        raise NotFoundError

    async def reject(self, principal: Principal, id: MemoryId, _: Rooms, ruling: Ruling) -> Case:
        """Know no case."""
        self._note("reject", principal, (id, ruling))
        raise NotFoundError

    async def reveal(
        self, principal: Principal, id: MemoryId, ground: Ground, comment: str, _: Rooms
    ) -> Revealed:
        """Know no case."""
        self._note("reveal", principal, (id, ground, comment))
        raise NotFoundError

    async def dossier(
        self, principal: Principal, subject: SubjectId, cursor: str | None, limit: int, _: Rooms
    ) -> Dossier:
        """Know no memory of anybody."""
        self._note("dossier", principal, (subject, cursor, limit))
        return Dossier((), None)

    async def entry(self, principal: Principal, id: MemoryId, _: Rooms) -> Case:
        """Know no memory."""
        self._note("entry", principal, id)
        raise NotFoundError

    async def disclose(
        self, principal: Principal, id: MemoryId, ground: Ground, comment: str, _: Rooms
    ) -> Revealed:
        """Know no memory."""
        self._note("disclose", principal, (id, ground, comment))
        raise NotFoundError

    async def overview(self, principal: Principal, days: int, _: Rooms) -> Overview:
        """Count nothing."""
        self._note("overview", principal, days)
        return Overview(0, {}, None, (), NOW)

    async def file(self, principal: Principal, id: MemoryId, _: Rooms) -> CaseFile:
        """Know no case."""
        self._note("file", principal, id)
        raise NotFoundError

    async def history(self, principal: Principal, id: MemoryId, _: Rooms) -> History:
        """Answer with the one memory known as ID."""
        self._note("history", principal, id)
        self._known(id)
        return History((Revision(memory(principal), NOW, None, None),))

    async def amend(
        self, principal: Principal, id: MemoryId, amendment: Amendment, _: Rooms
    ) -> WriteOutcome:
        """Answer what the test set."""
        self._note("amend", principal, (id, amendment))
        self._known(id)
        return self.outcome

    async def restore(self, principal: Principal, id: MemoryId, _: Rooms) -> WriteOutcome:
        """Answer what the test set."""
        self._note("restore", principal, id)
        self._known(id)
        return self.outcome

    async def amend_once(
        self, principal: Principal, id: MemoryId, amendment: Amendment, once: Once, rooms: Rooms
    ) -> Told:
        """Answer what the test set."""
        self._note("once", principal, once)
        return Told(await self.amend(principal, id, amendment, rooms), replayed=False)

    async def restore_once(
        self, principal: Principal, id: MemoryId, once: Once, rooms: Rooms
    ) -> Told:
        """Answer what the test set."""
        self._note("once", principal, once)
        return Told(await self.restore(principal, id, rooms), replayed=False)

    async def restore_for(self, principal: Principal, id: MemoryId, _: Rooms) -> Case:
        """Know no such memory."""
        self._note("restore_for", principal, id)
        raise NotFoundError

    async def doubted(
        self, principal: Principal, cursor: str | None, limit: int, _: Rooms
    ) -> Doubts:
        """Answer no doubt."""
        self._note("doubted", principal, (cursor, limit))
        return Doubts((), None)

    async def dismiss(
        self, principal: Principal, id: MemoryId, _: Rooms, ruling: Ruling
    ) -> Dismissed:
        """Know no such doubt."""
        self._note("dismiss", principal, (id, ruling))
        raise NotFoundError

    def _known(self, id: MemoryId) -> MemoryId:
        if id != ID:
            raise NotFoundError
        return id

    def doors(self) -> UseCases:
        """Return the doors that lead here."""
        return UseCases(
            remember=self.remember,
            remember_once=self.remember_once,
            accept=self.accept,
            status=self.status,
            recall=self.recall,
            forget=self.forget,
            fade=self.fade,
            confirm=self.confirm,
            hear=self.hear,
            fetch=self.fetch,
            browse=self.browse,
            held=self.held,
            cases=CaseDoors(file=self.file),
            dossiers=DossierDoors(dossier=self.dossier, entry=self.entry, disclose=self.disclose),
            decisions=DecisionDoors(
                release=self.release,
                reject=self.reject,
                escalate=self.escalate,
                undo=self.undo,
                hold=self.hold,
                move=self.move,
            ),
            bulk=BulkDoors(preview=self.bulk_preview, decide=self.bulk_decide),
            proposals=self.proposal_doors(),
            reveal=self.reveal,
            revisions=RevisionDoors(
                history=self.history,
                amend=self.amend,
                amend_once=self.amend_once,
                restore=self.restore,
                restore_once=self.restore_once,
                restore_for=self.restore_for,
                doubted=self.doubted,
                dismiss=self.dismiss,
            ),
            origins=self.origin_doors(),
            traces=TraceDoors(traced=self.traced, why_not=self.why_not),
            record=RecordDoors(
                tree=self.tree,
                included=self.included,
                consistent=self.consistent,
                leaves=self.leaves,
            ),
            overview=self.overview,
            reports=self.report_doors(),
            tenants=self.tenant_doors(),
            tokens=TokenDoors(
                revoke=self.revoke, revoke_tenant=self.revoke_tenant, revoked=self.revoked
            ),
            queue=QueueDoors(given_up=self.given_up, replay=self.replay),
            policies=self.policy_doors(),
        )

    async def tree(self, principal: Principal, _: Rooms) -> Tree:
        """Answer with a tree of one leaf."""
        self._note("tree", principal, None)
        return Tree(1, b"root")

    async def included(
        self, principal: Principal, leaf: int, size: int | None, _: Rooms
    ) -> Included:
        """Answer that it is in the tree."""
        self._note("included", principal, (leaf, size))
        return Included(leaf, b"leaf", Tree(1, b"root"), ())

    async def consistent(
        self, principal: Principal, first: int, second: int | None, _: Rooms
    ) -> Consistent:
        """Answer that it grew."""
        self._note("consistent", principal, (first, second))
        return Consistent(Tree(first, b"root"), Tree(first, b"root"), ())

    async def leaves(
        self, principal: Principal, sought: Sought, after: int, limit: int, _: Rooms
    ) -> Leaves:
        """Answer that there are none."""
        self._note("leaves", principal, (sought, after, limit))
        return Leaves((), None)

    async def revoke(
        self, principal: Principal, of: Of, name: str, before: datetime | None, _desk: Revoking
    ) -> Revocation:
        """Answer that it is taken back."""
        self._note("revoke", principal, (of, name, before))
        return Revocation(ID, principal.owner.tenant, of, name, before or NOW, NOW)

    async def revoke_tenant(
        self, principal: Principal, tenant: TenantId, before: datetime | None, _desk: Revoking
    ) -> Revocation:
        """Answer that all of it is taken back."""
        self._note("revoke_tenant", principal, (tenant, before))
        return Revocation(ID, tenant, Of.TENANT, "", before or NOW, NOW)

    async def revoked(
        self, principal: Principal, after: str | None, limit: int, _desk: Revoking
    ) -> list[Revocation]:
        """Answer that nothing is."""
        self._note("revoked", principal, (after, limit))
        return []

    async def traced(self, principal: Principal, id: TraceId, _rooms: Rooms) -> Trace:
        """Know no trace."""
        self._note("traced", principal, id)
        raise NotFoundError

    async def why_not(
        self, principal: Principal, id: MemoryId, query: Query, _rooms: Rooms
    ) -> WhyNot:
        """Know no memory."""
        self._note("why_not", principal, (id, query))
        raise NotFoundError

    async def given_up(self, principal: Principal, limit: int, _rooms: Rooms) -> list[Dead]:
        """Return no write."""
        self._note("given_up", principal, limit)
        return []

    async def replay(self, principal: Principal, id: MemoryId, _rooms: Rooms) -> None:
        """Know no write."""
        self._note("replay", principal, id)
        raise NotFoundError

    def origin_doors(self) -> OriginDoors:
        """Return the doors of origins. They know none."""

        def door(name: str) -> Any:
            async def called(principal: Principal, *what: Any) -> Any:
                self._note(name, principal, what[:-1])
                raise NotFoundError

            return called

        names = [one.name for one in msgspec.structs.fields(OriginDoors)]
        return OriginDoors(**{name: door(name) for name in names})

    def proposal_doors(self) -> ProposalDoors:
        """Return the doors of what takes two reviewers. They know nothing."""

        def door(name: str) -> Any:
            async def called(principal: Principal, *what: Any) -> Any:
                self._note(name, principal, what[:-1])
                if name == "proposed":
                    return []
                raise NotFoundError

            return called

        names = [one.name for one in msgspec.structs.fields(ProposalDoors)]
        return ProposalDoors(**{name: door(name) for name in names})

    def policy_doors(self) -> PolicyDoors:
        """Return the doors of a tenant's own rules. They know no version."""

        def door(name: str) -> Any:
            async def called(principal: Principal, *what: Any) -> Any:
                self._note(name, principal, what[:-1])
                raise NotFoundError

            return called

        names = [one.name for one in msgspec.structs.fields(PolicyDoors)]
        return PolicyDoors(**{name: door(name) for name in names})

    def report_doors(self) -> ReportDoors:
        """Return the doors of a SIEM."""
        hook = Webhook("siem", "https://siem.example/", (Event.HELD,), "", 0, NOW)
        answers: dict[str, Any] = {
            "findings": Findings((), 0, end=True),
            "webhooks": [hook],
            "put_webhook": hook,
            "rotate_webhook": hook,
            "remove_webhook": None,
            "dead_posts": [DeadPost("siem", 1, 9, "timeout", NOW)],
            "replay_posts": 1,
        }

        def door(name: str, answer: Any) -> Any:
            async def called(principal: Principal, *what: Any) -> Any:
                self._note(name, principal, what[:-1])
                return answer

            return called

        return ReportDoors(**{name: door(name, answer) for name, answer in answers.items()})

    def tenant_doors(self) -> TenantDoors:
        """Return the administrators' doors."""
        known = Tenant(TenantId("acme"), suspended=False)
        client = Client(ClientId("app"), known.id, OriginClass.WEB)
        answers: dict[str, Any] = {
            "register": known,
            "registered": [known],
            "grant": known,
            "suspend": known,
            "resume": known,
            "clients": [client],
            "put_client": client,
            "remove_client": None,
        }

        def door(name: str, answer: Any) -> Any:
            async def called(principal: Principal, *what: Any) -> Any:
                self._note(name, principal, what[:-1])
                return answer

            return called

        return TenantDoors(**{name: door(name, answer) for name, answer in answers.items()})


def memory(principal: Principal) -> Memory:
    """Return a memory that names its owner, so that a test sees whose it got."""
    return Memory(
        id=ID,
        text=f"{principal.owner.tenant}/{principal.owner.subject} likes the aisle 靠过道",
        layer=Layer.SEMANTIC,
        kind=Kind.PREFERENCE,
        state=State.ACTIVE,
        origin=OriginClass.USER_STATED,
        trust=3,
        importance=0.5,
        confidence=1.0,
        stored_at=NOW,
        occurred_at=None,
        expires_at=None,
        superseded_by=None,
        entities=(),
        session_id=None,
        reference=None,
        metadata={},
    )


class World:
    """One edge with its keys, its calls and its registry."""

    def __init__(
        self,
        keys: Keys,
        *,
        settings: Settings | None = None,
        registry: MemoryRegistry | None = None,
        probes: Mapping[str, Any] | None = None,
    ) -> None:
        self.settings = settings or Settings(limits=Limits(max_body_bytes=65_536))
        self.calls = Calls()
        self.registry = registry or MemoryRegistry()
        self.probes = probes or {}
        self.clock = HandClock()
        self.buckets: Buckets = LocalBuckets(self.clock)
        self.keys = keys
        self.metrics = Metrics()
        self.tokens: TokenDoors | None = None
        """The doors of revocation, when they are not to be those that only note their calls."""
        # Nobody looks in the background: what a test takes back it has looked at.
        self.revoked = Revoked(MemoryRevocations(), 60.0, float("inf"))
        self.tracing: Tracing | None = None
        self.visits = MemoryVisits()

    def edge(self) -> Edge:
        """Return what the application is built from."""
        production = self.settings.mode is Mode.PRODUCTION
        port: Registry = self.registry
        return Edge(
            settings=self.settings,
            rooms=_rooms(port),
            use_cases=msgspec.structs.replace(
                self.calls.doors(), **({} if self.tokens is None else {"tokens": self.tokens})
            ),
            verifier=Verifier(self.keys, self.settings.auth, self.settings.url),
            revoked=self.revoked,
            visits=self.visits,
            admission=RegisteredOnly(port) if production else UnsafeFirstUse(port),
            buckets=self.buckets,
            peers=LocalBuckets(self.clock),
            metrics=self.metrics,
            tracing=self.tracing,
            probes=self.probes,
        )

    def app(self) -> Litestar:
        """Return a fresh application."""
        return build(self.edge())

    def anew(self) -> None:
        """Forget the calls, and let so much time pass that nobody has spent anything."""
        vars(self.calls).update(vars(Calls()))
        self.clock.seconds += 3600.0


def _rooms(registry: Registry) -> Rooms:
    """Return rooms with a clock, ids, the registry and what counts tokens; the doors here use none
    of the others.
    """
    none = cast("Any", None)
    fields = {one.name: none for one in msgspec.structs.fields(Rooms)}
    known = {"clock": lambda: datetime.now(UTC), "new_id": lambda: str(uuid.uuid4())}
    return Rooms(**fields | known | {"registry": registry, "count": estimate_tokens})


def key_set(tmp_path: Any, *keys: Mapping[str, Any], auth: Auth | None = None) -> KeySet:
    """Return the set as the gateway reads it from a file."""
    path = tmp_path / "keys.json"
    path.write_text(json.dumps({"keys": [dict(key) for key in keys]}))
    return read_keys(path, auth or Auth(), Mode.DEVELOPMENT)
