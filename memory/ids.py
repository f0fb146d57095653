"""Version 7 UUIDs (RFC 9562 §5.7): sortable by time of making, unguessable in 74 bits."""

from datetime import datetime
from uuid import UUID

RANDOM_BYTES = 10


def uuid7(at: datetime, random: bytes) -> str:
    """Return the id of the instant `at` with 10 bytes of randomness, in its 36-character form."""
    milliseconds = int(at.timestamp() * 1000)
    value = (milliseconds << 80) | int.from_bytes(random[:RANDOM_BYTES], "big")
    value = (value & ~(0xF << 76)) | (7 << 76)
    value = (value & ~(0b11 << 62)) | (0b10 << 62)
    return str(UUID(int=value))
