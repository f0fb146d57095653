"""Which classifier is the shipped one. `memguard train` says what to put here."""

from typing import Final

POISON: Final = "poison.bin"
POISON_SHA256: Final = ""
