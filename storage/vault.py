"""Seals and opens memories under their owner's keys, and proves their labels.

One class is both ports, `guard.ports.Vault` and `guard.ports.Marks`, since both speak with the same
keys. Every failure to open is one `UnreadableError` without a reason: a prober learns nothing.
"""

import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final
from weakref import WeakKeyDictionary

import msgspec

from guard.errors import InvalidError, UnreadableError
from guard.nouns import Admitted, Decided, Evidence, Label, Laid, Opened, Sealed
from memory.signals import Blinded, Signals
from memory.types import Body, LeafId, MemoryId, Owner, State, SubjectId, SubjectMark, TenantId
from policies.gravity import gravity
from storage.blinding import Blinding
from storage.entries import pack_entry, unpack_entry
from storage.hazmat import (
    MAC_BYTES,
    NONCE_BYTES,
    TamperedError,
    check_mac,
    encrypt,
    equal,
    mac,
)
from storage.keyring import Keyring, SubjectKeys, SubjectPurpose, TenantKeys, TenantPurpose
from storage.layouts import (
    Envelope,
    LayoutError,
    digest,
    fields,
    pack,
    pack_tag,
    tag_data,
    token_data,
    unpack,
    unpack_tag,
    utf8,
)
from storage.ready import Ready

_EMPTIED: Final = (State.FORGOTTEN, State.REJECTED)
_MARK_BYTES: Final = 16
_ASKED: Final = 16_384
"""Subjects whose marks are known by name: more than ask at a time."""
_WHOLE: Final = 256
"""Memories of a tenant, still sealed, that were found whole: those of a few recalls."""

_NONE: Final[Mapping[int, Sealed]] = {}

_encoder = msgspec.msgpack.Encoder()
_bodies = msgspec.msgpack.Decoder(Body)
_evidences = msgspec.msgpack.Decoder(Evidence)
_UNFIT: Final = (
    TamperedError,
    LayoutError,
    msgspec.MsgspecError,
    # A hand-edited database holds any type in any column, and each fails in its own way.
    ValueError,
    TypeError,
    OverflowError,
)


class SealingVault:
    """Fulfils `guard.ports.Vault` and `guard.ports.Marks` with the keys of one keyring."""

    def __init__(
        self,
        keyring: Keyring,
        *,
        nonce: Callable[[int], bytes] = secrets.token_bytes,
        ready: Ready | None = None,
    ) -> None:
        """`ready` keeps search material for the next time that it is asked for."""
        self._keyring = keyring
        self._nonce = nonce
        self.ready: Final = Ready(0) if ready is None else ready
        # As long-lived as the keys they come from: gone when a keyring lets go of a subject.
        self._blindings: WeakKeyDictionary[SubjectKeys, Blinding] = WeakKeyDictionary()
        self._asked: OrderedDict[tuple[TenantId, SubjectMark], Owner] = OrderedDict()
        self._whole: WeakKeyDictionary[TenantKeys, OrderedDict[int, Sealed]] = WeakKeyDictionary()

    async def seal(self, admitted: Admitted) -> Sealed:
        """Return `admitted` sealed under its owner's newest key, labelled and tagged.

        Raises InvalidError for content that has no stored form.
        """
        owner = admitted.screened.tagged.owner
        if len(admitted.fingerprint) != MAC_BYTES:
            raise InvalidError("fingerprint: not one of this vault")

        # (1) The owner's keys, made if this is the first memory.
        tenant = await self._keyring.tenant(owner.tenant)
        keys = await self._keyring.subject(owner)

        # (2) The three sealed parts, each under a key of its own and bound to id, layer, revision.
        label = _label(admitted, tenant)
        decided = admitted.screened
        evidence = Evidence(
            decided.findings, decided.completions, decided.decision.reasons, decided.models
        )
        search = pack_entry(self._blinding(keys).blind(admitted.signals))
        token = self._sealed(keys, SubjectPurpose.CONTENT, label, _body(admitted.body))
        entry = self._sealed(keys, SubjectPurpose.ENTRY, label, search)
        proof = self._sealed(keys, SubjectPurpose.EVIDENCE, label, _evidence(evidence))

        # (3) The label names them by digest, and the tag covers the label whole.
        label = msgspec.structs.replace(label, digest=digest(token), entry_digest=digest(entry))
        tag = _tag(tenant, label, (admitted.fingerprint, proof, admitted.claim))
        return Sealed(label, tag, token, entry, proof, admitted.fingerprint, admitted.claim)

    async def relabel(
        self,
        sealed: Sealed,
        *,
        state: State,
        leaf: LeafId,
        at: datetime,
        superseded_by: MemoryId | None = None,
        decided: Decided | None = None,
        faded: int | None = None,
        over: Sealed | None = None,
        laid: Laid | None = None,
    ) -> Sealed:
        """Return the same content with another state, the next version and a new tag.

        With state `forgotten` or `rejected` tokens and digests become empty and the fingerprint
        stays, so that what was removed is known again (W15). `decided` replaces evidence, policy
        and confidence of what keeps its content, and `faded` how often it was let fade. With
        `over`, content from before becomes the version after that one of the same memory. `laid`
        puts what keeps its content into another layer: the cipher binds that, so all of it is
        sealed anew, word for word. Raises UnreadableError when the tag of either does not hold, or
        when emptied content is asked to come back.
        """
        # (1) Nothing is carried over that was not proved.
        await self._prove(sealed)
        if over is not None:
            await self._prove(over)
            if _place(over.label) != _place(sealed.label):
                raise UnreadableError
        newest = (over or sealed).label.version
        emptied = state in _EMPTIED
        if not (emptied or sealed.token):
            raise UnreadableError
        if emptied:
            self.ready.drop(sealed.label.id)

        # (2) The next label; an emptied one names no bytes.
        label = msgspec.structs.replace(
            sealed.label,
            state=state,
            version=newest + 1,
            changed_at=at,
            superseded_by=superseded_by,
            leaf=leaf,
            digest=b"" if emptied else sealed.label.digest,
            entry_digest=b"" if emptied else sealed.label.entry_digest,
            faded=sealed.label.faded if faded is None else faded,
            gravity=await self._gravity(sealed, state, decided),
        )

        # (3) What it was decided by, sealed anew when it was decided again; and all, where its
        # place is another.
        token, entry, proof = (
            (b"", b"", b"") if emptied else (sealed.token, sealed.entry, sealed.evidence)
        )
        if laid is not None and not emptied:
            label, token, entry, proof = await self._relaid(sealed, label, laid)
        if decided is not None and not emptied:
            label = msgspec.structs.replace(
                label, policy=decided.policy, confidence=float(decided.confidence)
            )
            keys = await self._keys_of(sealed)
            plain = _evidence(decided.evidence)
            proof = self._sealed(keys, SubjectPurpose.EVIDENCE, label, plain)

        # (4) A new tag, under the tenant's newest key.
        tenant = await self._keyring.tenant(TenantId(label.tenant))
        tag = _tag(tenant, label, (sealed.fingerprint, proof, sealed.claim))
        return Sealed(label, tag, token, entry, proof, sealed.fingerprint, sealed.claim)

    async def open(self, owner: Owner, sealed: Sealed) -> Opened:
        """Return the content. Raises UnreadableError when anything does not fit `owner`."""
        plain = await self._opened(owner, sealed, SubjectPurpose.CONTENT, sealed.token)
        try:
            return Opened(sealed.label, _bodies.decode(plain))
        except _UNFIT:
            raise UnreadableError from None

    async def open_entry(self, owner: Owner, sealed: Sealed) -> Blinded:
        """Return the search material of a memory. Raises UnreadableError."""
        # (1) What was kept counts for the one who asks alone, and under the keys that he has now.
        tenant, keys = await self._keys_for(owner, sealed, sealed.entry)
        kept = self.ready.find(tenant, keys, sealed)
        if kept is not None:
            self._found_whole(tenant, sealed)
            return kept

        # (2) It is opened for the first time, or is not what it was.
        await self._prove_whole(tenant, sealed)
        try:
            blinded = unpack_entry(
                _plain(keys, owner, sealed.label, SubjectPurpose.ENTRY, sealed.entry)
            )
        except _UNFIT:
            raise UnreadableError from None
        self.ready.put(tenant, keys, sealed, blinded)
        return blinded

    async def open_evidence(self, owner: Owner, sealed: Sealed) -> Evidence:
        """Return what the decision rested on. Raises UnreadableError."""
        plain = await self._opened(owner, sealed, SubjectPurpose.EVIDENCE, sealed.evidence)
        try:
            return _evidences.decode(plain)
        except _UNFIT:
            raise UnreadableError from None

    async def blind(self, owner: Owner, signals: Signals) -> Blinded:
        """Return search material keyed for `owner`; equal input gives equal output."""
        blinding = self._blinding(await self._keyring.subject(owner))
        self._asked[owner.tenant, blinding.mark] = owner
        self._asked.move_to_end((owner.tenant, blinding.mark))
        if len(self._asked) > _ASKED:
            self._asked.popitem(last=False)
        return blinding.blind(signals)

    def owner_of(self, tenant: TenantId, mark: SubjectMark) -> Owner | None:
        """Return whose mark it is, of those for whom material was blinded here of late."""
        return self._asked.get((tenant, mark))

    async def fingerprint(self, owner: Owner, text: str) -> bytes:
        """Return 32 bytes, equal for equal `text` of one owner and unlinkable otherwise."""
        keys = await self._keyring.subject(owner)
        return mac(keys.matching(SubjectPurpose.FINGERPRINT), utf8(text))

    async def source(self, tenant: TenantId, reference: str) -> str:
        """Return the keyed id of a source reference or session within a tenant, 32 hex digits."""
        return _source(await self._keyring.tenant(tenant), reference)

    async def keyed(self, owner: Owner, *parts: str) -> bytes:
        """Return 32 bytes, equal for equal `parts` of one owner and unlinkable otherwise."""
        keys = await self._keyring.subject(owner)
        return mac(keys.matching(SubjectPurpose.KEYED), fields(*map(utf8, parts)))

    async def _gravity(self, sealed: Sealed, state: State, decided: Decided | None) -> int:
        """Return how bad what was found in a memory is, as far as it is held."""
        if state is not State.HELD:
            return 0
        owner = Owner(TenantId(sealed.label.tenant), SubjectId(sealed.label.subject))
        found = await self.open_evidence(owner, sealed) if decided is None else decided.evidence
        return gravity(found.completions, found.findings)

    async def _relaid(
        self, sealed: Sealed, label: Label, laid: Laid
    ) -> tuple[Label, bytes, bytes, bytes]:
        """Return the label in another layer, and its three parts sealed for that place."""
        owner = Owner(TenantId(label.tenant), SubjectId(label.subject))
        parts = {
            SubjectPurpose.CONTENT: sealed.token,
            SubjectPurpose.ENTRY: sealed.entry,
            SubjectPurpose.EVIDENCE: sealed.evidence,
        }
        plain = {one: await self._opened(owner, sealed, one, part) for one, part in parts.items()}
        keys = await self._keys_of(sealed)
        label = msgspec.structs.replace(
            label, layer=laid.layer, expires_at=laid.expires_at, revision=label.revision + 1
        )
        token, entry, proof = (
            self._sealed(keys, purpose, label, part) for purpose, part in plain.items()
        )
        label = msgspec.structs.replace(label, digest=digest(token), entry_digest=digest(entry))
        return label, token, entry, proof

    async def _keys_of(self, sealed: Sealed) -> SubjectKeys:
        """Return the keys of a memory that can still be read; none are made."""
        label = sealed.label
        try:
            number = unpack(sealed.token).number
        except LayoutError:
            raise UnreadableError from None
        owner = Owner(TenantId(label.tenant), SubjectId(label.subject))
        return await self._keyring.known_subject(owner, number)

    async def _prove(self, sealed: Sealed) -> None:
        """Return when the tag holds: label, fingerprint and evidence are as they were made."""
        label = sealed.label
        try:
            number, found = unpack_tag(sealed.tag)
            tenant = await self._keyring.known_tenant(TenantId(label.tenant), number)
            covered = tag_data(number, label, sealed.fingerprint, sealed.evidence, sealed.claim)
            check_mac(tenant.key(number, TenantPurpose.LABEL), covered, found)
        except _UNFIT:
            raise UnreadableError from None

    async def _prove_whole(self, tenant: TenantKeys, sealed: Sealed) -> None:
        """Return when the tag holds, and all sealed bytes are those that the label names.

        A recall opens first the search material of a memory and then its content. Of one and the
        same object, which nothing can change, that is proved once under the same keys.
        """
        if self._whole.get(tenant, _NONE).get(id(sealed)) is sealed:
            return
        await self._prove(sealed)
        try:
            # Evidence is covered by the tag itself.
            fits = equal(digest(sealed.token), sealed.label.digest)
            if not (fits and equal(digest(sealed.entry), sealed.label.entry_digest)):
                raise UnreadableError
        except _UNFIT:
            raise UnreadableError from None
        self._found_whole(tenant, sealed)

    def _found_whole(self, tenant: TenantKeys, sealed: Sealed) -> None:
        """Note that all of a memory is what was sealed under these keys."""
        whole = self._whole.setdefault(tenant, OrderedDict())
        whole[id(sealed)] = sealed
        if len(whole) > _WHOLE:
            whole.popitem(last=False)

    async def _keys_for(
        self, owner: Owner, sealed: Sealed, token: bytes
    ) -> tuple[TenantKeys, SubjectKeys]:
        """Return the live keys that a memory says it was sealed under, if its label speaks of the
        one who asks.
        """
        label = sealed.label
        if (label.tenant, label.subject) != (owner.tenant, owner.subject):
            raise UnreadableError
        try:
            number, _ = unpack_tag(sealed.tag)
            tenant = await self._keyring.known_tenant(TenantId(label.tenant), number)
            return tenant, await self._keyring.known_subject(owner, unpack(token).number)
        except _UNFIT:
            raise UnreadableError from None

    async def _opened(
        self, owner: Owner, sealed: Sealed, purpose: SubjectPurpose, token: bytes
    ) -> bytes:
        # (1) The label speaks of the one who asks, and (2) is one that this gateway made, with its
        # fingerprint and evidence, and (3) it names all bytes, whichever are asked for: a memory is
        # whole or it is not shown.
        tenant, keys = await self._keys_for(owner, sealed, token)
        await self._prove_whole(tenant, sealed)
        try:
            # (4) The cipher opens, with associated data made from the owner who asks.
            return _plain(keys, owner, sealed.label, purpose, token)
        except _UNFIT:
            raise UnreadableError from None

    def _sealed(
        self, keys: SubjectKeys, purpose: SubjectPurpose, label: Label, plain: bytes
    ) -> bytes:
        number, key = keys.sealing(purpose)
        owner = Owner(TenantId(label.tenant), SubjectId(label.subject))
        nonce = self._nonce(NONCE_BYTES)
        body = encrypt(key, nonce, plain, token_data(purpose, number, owner, label))
        return pack(Envelope(number, nonce, body))

    def _blinding(self, keys: SubjectKeys) -> Blinding:
        blinding = self._blindings.get(keys)
        if blinding is None:
            blinding = self._blindings[keys] = Blinding(keys)
        return blinding


def _label(admitted: Admitted, tenant: TenantKeys) -> Label:
    """Return the label of a memory before it is sealed: both digests are still empty."""
    screened = admitted.screened
    tagged = screened.tagged
    origin = tagged.origin
    held = admitted.state is State.HELD
    return Label(
        id=tagged.id,
        tenant=tagged.owner.tenant,
        subject=tagged.owner.subject,
        layer=admitted.layer,
        kind=admitted.body.kind,
        state=admitted.state,
        revision=admitted.revision,
        version=admitted.version,
        origin=origin.class_,
        trust=origin.trust,
        channel=origin.channel,
        client=origin.client,
        source="" if origin.reference is None else _source(tenant, origin.reference),
        session="" if origin.session is None else _source(tenant, origin.session),
        importance=float(admitted.importance),
        confidence=float(admitted.confidence),
        recorded_at=admitted.recorded_at,
        changed_at=tagged.at,
        expires_at=admitted.expires_at,
        superseded_by=admitted.superseded_by,
        policy=admitted.screened.decision.policy,
        digest=b"",
        entry_digest=b"",
        leaf=admitted.leaf,
        faded=admitted.faded,
        gravity=gravity(screened.completions, screened.findings) if held else 0,
    )


def _plain(
    keys: SubjectKeys, owner: Owner, label: Label, purpose: SubjectPurpose, token: bytes
) -> bytes:
    """Return what was sealed for this place. Raises TamperedError when it is another's."""
    envelope = unpack(token)
    associated = token_data(purpose, envelope.number, owner, label)
    cipher = keys.cipher(envelope.number, purpose)
    return cipher.decrypt(envelope.nonce, envelope.body, associated)


def _place(label: Label) -> tuple[str, str, MemoryId]:
    return label.tenant, label.subject, label.id


def _tag(tenant: TenantKeys, label: Label, beside: tuple[bytes, bytes, bytes]) -> bytes:
    """Return the tag over a label and what stands beside it: fingerprint, evidence, claim."""
    number, key = tenant.sealing(TenantPurpose.LABEL)
    return pack_tag(number, mac(key, tag_data(number, label, *beside)))


def _source(tenant: TenantKeys, reference: str) -> str:
    return mac(tenant.matching(TenantPurpose.SOURCE), utf8(reference))[:_MARK_BYTES].hex()


def _evidence(evidence: Evidence) -> bytes:
    """Return evidence as it is stored: what has no models is written as it always was."""
    if evidence.models:
        return _encoded(evidence)
    return _encoder.encode((evidence.findings, evidence.completions, evidence.reasons))


def _body(body: Body) -> bytes:
    """Return content as it is stored: what has no trigger, or reading, ends before that."""
    if body.trigger is not None:
        return _encoded(body)
    return _encoded(msgspec.structs.astuple(body)[: -1 if body.reading else -2])


def _encoded(content: Body | Evidence | tuple[object, ...]) -> bytes:
    try:
        return _encoder.encode(content)
    except UnicodeEncodeError:
        # The exception carries the text; it must not travel.
        raise InvalidError("text: not valid Unicode") from None
