"""Which classifier is the shipped one. `memguard train` says what to put here."""

from typing import Final

POISON: Final = "poison.bin"
POISON_SHA256: Final = "8de62ad7c8138a0486c4047b9ffe702b60a337a31d7d9004639ce31f8ace9be2"
