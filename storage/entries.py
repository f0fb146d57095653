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
    reader = _Reader(data)
    try:
        if reader.take(1)[0] != VERSION:
            raise LayoutError("entry")
        mark = SubjectMark(reader.take(MARK_BYTES).hex())
        vectors: dict[str, Vector] = {}
        for _ in range(reader.take(1)[0]):
            name = reader.take(reader.take(1)[0]).decode()
            (dimension,) = struct.unpack("<H", reader.take(2))
            vectors[name] = np.frombuffer(reader.take(4 * dimension), "<f4").astype(np.float32)
        count = reader.count()
        ids = np.frombuffer(reader.take(4 * count), "<u4")
        weights = np.frombuffer(reader.take(4 * count), "<f4")
        entities = tuple(reader.take(MARK_BYTES).hex() for _ in range(reader.count()))
    except UnicodeDecodeError:
        raise LayoutError("entry") from None
    reader.end()
    return Blinded(mark, vectors, Sparse(tuple(ids.tolist()), tuple(weights.tolist())), entities)


class _Reader:
    """Takes bytes off the front, never past the end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, length: int) -> bytes:
        part = self._data[self._at : self._at + length]
        if len(part) != length:
            raise LayoutError("entry")
        self._at += length
        return part

    def count(self) -> int:
        return int.from_bytes(self.take(4), "little")

    def end(self) -> None:
        if self._at != len(self._data):
            raise LayoutError("entry")
