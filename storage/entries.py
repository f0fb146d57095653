"""Stored form of blinded search material, the plain text of an entry token.

Little-endian throughout, for numpy reads it in place; vectors by name and all ids ascending, so
that equal material has equal bytes::

    0x01 | subject mark, 16 bytes
    vectors   count u8,  each: name length u8 | name UTF-8 | dimension u16 | float32 × dimension
    terms     count u32 | ids u32 × count | weights float32 × count
    entities  count u32 | ids, 16 bytes × count
"""

import struct
from typing import Final

import numpy as np

from memory.signals import Blinded, Sparse, Vector
from memory.types import SubjectMark
from storage.layouts import VERSION, LayoutError

MARK_BYTES: Final = 16
_HEX: Final = 2 * MARK_BYTES


def pack_entry(blinded: Blinded) -> bytes:
    """Return the stored form of search material."""
    parts = [bytes((VERSION,)), bytes.fromhex(blinded.subject), bytes((len(blinded.vectors),))]
    for name, vector in sorted(blinded.vectors.items()):
        raw = name.encode()
        parts += (bytes((len(raw),)), raw, struct.pack("<H", vector.size))
        parts.append(vector.astype("<f4").tobytes())
    parts.append(struct.pack("<I", len(blinded.sparse.ids)))
    parts.append(np.asarray(blinded.sparse.ids, "<u4").tobytes())
    parts.append(np.asarray(blinded.sparse.weights, "<f4").tobytes())
    parts.append(struct.pack("<I", len(blinded.entities)))
    parts += (bytes.fromhex(entity) for entity in blinded.entities)
    return b"".join(parts)


def unpack_entry(data: bytes) -> Blinded:
    """Return search material from its stored form. Raises LayoutError unless it fits exactly."""
    # Read in place, for each recall reads dozens. What ends early fails here, or at the end below.
    try:
        if data[0] != VERSION:
            raise LayoutError("entry")
        mark, at = SubjectMark(data[1 : 1 + MARK_BYTES].hex()), 1 + MARK_BYTES
        count, at = data[at], at + 1
        vectors: dict[str, Vector] = {}
        for _ in range(count):
            name, at = data[at + 1 : at + 1 + data[at]].decode(), at + 1 + data[at]
            dimension, at = int.from_bytes(data[at : at + 2], "little"), at + 2
            vectors[name] = np.frombuffer(data, "<f4", dimension, at).astype(np.float32, copy=False)
            at += 4 * dimension
        count, at = int.from_bytes(data[at : at + 4], "little"), at + 4
        ids = np.frombuffer(data, "<u4", count, at)
        weights = np.frombuffer(data, "<f4", count, at + 4 * count)
        at += 8 * count
        count, at = int.from_bytes(data[at : at + 4], "little"), at + 4
    except (IndexError, ValueError):
        raise LayoutError("entry") from None
    if at + MARK_BYTES * count != len(data):
        raise LayoutError("entry")
    named = data[at:].hex()
    entities = tuple(named[n : n + _HEX] for n in range(0, len(named), _HEX))
    return Blinded(mark, vectors, Sparse(tuple(ids.tolist()), tuple(weights.tolist())), entities)
