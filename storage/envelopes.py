"""Seals what is kept beside memories: first answers, writes that wait, and what became of them.

The same envelope as a memory's tokens, under keys of its own for each kind of record, bound to the
owner and to the place where it lies: moved or handed to another, it does not open.
"""

import secrets
from collections.abc import Callable, Sequence

from guard.errors import UnreadableError
from guard.ports import Record
from memory.types import Owner
from storage.hazmat import NONCE_BYTES, TamperedError, decrypt, encrypt
from storage.keyring import Keyring, SubjectPurpose
from storage.layouts import Envelope, LayoutError, pack, record_data, unpack


class SealingEnvelopes:
    """Fulfils `guard.ports.Envelopes` with the keys of one keyring."""

    def __init__(
        self, keyring: Keyring, *, nonce: Callable[[int], bytes] = secrets.token_bytes
    ) -> None:
        self._keyring = keyring
        self._nonce = nonce

    async def wrap(
        self, owner: Owner, record: Record, place: Sequence[bytes], plain: bytes
    ) -> bytes:
        """Return `plain` sealed under the owner's newest key."""
        keys = await self._keyring.subject(owner)
        number, key = keys.sealing(SubjectPurpose(record))
        nonce = self._nonce(NONCE_BYTES)
        associated = record_data(record, number, owner, place)
        return pack(Envelope(number, nonce, encrypt(key, nonce, plain, associated)))

    async def unwrap(
        self, owner: Owner, record: Record, place: Sequence[bytes], token: bytes
    ) -> bytes:
        """Return what was sealed. Raises UnreadableError when anything does not fit."""
        try:
            envelope = unpack(token)
            keys = await self._keyring.known_subject(owner, envelope.number)
            key = keys.key(envelope.number, SubjectPurpose(record))
            associated = record_data(record, envelope.number, owner, place)
            return decrypt(key, envelope.nonce, envelope.body, associated)
        except (TamperedError, LayoutError, TypeError):
            # TypeError: a hand-edited SQLite file holds any type in any column.
            raise UnreadableError from None
