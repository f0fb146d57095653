"""Many remembered examples multiplied with few rows: as bytes, a quarter of what floats take.

One product with thousands of examples is bound by how fast memory is read. The examples are whole
numbers of one byte each, so they stay that, and a row is cut into three bytes a number: as exact as
single precision, and the same on every machine, since whole numbers are added up. The runtime of
the packaged models multiplies; what it is told to do is the one operator that `_model` spells out.
"""

from typing import Final

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from guard.models.minilm import session_options

_LIMBS: Final = 3
_MOST: Final = float(127 << 16)
"""What the largest number of a row becomes: it fits three bytes with a sign."""
_BYTE: Final = 0xFF
_ZERO: Final = 128
"""The byte that stands for zero. With signed bytes some processors cut off large sums."""
_AT_ONCE: Final = 16
"""Rows multiplied together; more of them are taken in turn, so that their products fit memory."""
_UINT8: Final = 2
_INT32: Final = 6
_BYTES: Final = 2
"""The wire type of what has a length, in protocol buffers."""

_WEIGHTS: Final = np.array([1.0, 256.0, 65536.0])

Floats = NDArray[np.float64]


class Products:
    """Holds the examples, shape (n, d): whole numbers from -127 to 127."""

    def __init__(self, examples: NDArray[np.float32]) -> None:
        signed = np.rint(examples)
        if not np.array_equal(signed, examples) or np.abs(signed).max(initial=0.0) >= _ZERO:
            raise ValueError("examples are whole numbers of one byte")
        columns = np.ascontiguousarray((signed + _ZERO).astype(np.uint8).T)
        onnxruntime.disable_telemetry_events()
        self._session = onnxruntime.InferenceSession(
            _model(columns), session_options(1), providers=["CPUExecutionProvider"]
        )

    def with_rows(self, rows: NDArray[np.float32]) -> Floats:
        """Return the product of each row, shape (m, d), with each example: shape (m, n)."""
        if len(rows) <= _AT_ONCE:
            return self._multiplied(rows)
        every = range(0, len(rows), _AT_ONCE)
        return np.concatenate([self._multiplied(rows[at : at + _AT_ONCE]) for at in every])

    def _multiplied(self, rows: NDArray[np.float32]) -> Floats:
        largest = np.abs(rows).max(axis=1, keepdims=True).astype(np.float64)
        largest[largest <= 0.0] = 1.0
        units = largest / _MOST
        (made,) = self._session.run(None, {"rows": _limbs(rows / units)})
        products: Floats = (_WEIGHTS @ made.reshape(_LIMBS, -1)).reshape(len(rows), -1)
        products *= units
        return products


def _limbs(rows: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return the bytes of numbers, each rounded to a whole one and around `_ZERO`: the lowest of
    all rows first, shape (3 m, d).
    """
    numbers = np.rint(rows, out=rows).astype(np.int32)
    limbs = np.empty((_LIMBS, *numbers.shape), np.uint8)
    for limb in limbs:
        # What is below `_ZERO` borrows from the byte above.
        numbers += _ZERO
        limb[:] = numbers & _BYTE
        numbers >>= 8
    return limbs.reshape(-1, numbers.shape[1])


def _model(columns: NDArray[np.uint8]) -> bytes:
    """Return the ONNX model that multiplies rows of bytes with these columns, as its bytes."""
    depth, count = columns.shape
    zero = np.array(_ZERO, np.uint8)
    takes = (b"rows", b"columns", b"row_zero", b"column_zero")
    node = b"".join(_held(1, name) for name in takes)
    node += _held(2, b"products") + _held(4, b"MatMulInteger")
    graph = _held(1, node) + _held(2, b"products")
    for name, array in zip(takes[1:], (columns, zero, zero), strict=True):
        sizes = b"".join(_number(1, size) for size in array.shape)
        graph += _held(5, sizes + _number(2, _UINT8) + _held(8, name) + _held(9, array.tobytes()))
    graph += _held(11, _shaped(b"rows", _UINT8, depth))
    graph += _held(12, _shaped(b"products", _INT32, count))
    operators = _held(8, _number(2, 13))
    return _number(1, 8) + _held(7, graph) + operators


def _shaped(name: bytes, kind: int, columns: int) -> bytes:
    """Return a named matrix of any number of rows."""
    sizes = _held(1, _held(2, b"m")) + _held(1, _number(1, columns))
    return _held(1, name) + _held(2, _held(1, _number(1, kind) + _held(2, sizes)))


def _held(field: int, content: bytes) -> bytes:
    """Return a field of a protocol buffer that holds bytes, a text or another message."""
    return _varint(field << 3 | _BYTES) + _varint(len(content)) + content


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:  # noqa: PLR2004  # seven bits a byte
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)
