"""Which classifier is the shipped one. `memguard train` says what to put here."""

from typing import Final

POISON: Final = "poison.bin"
POISON_SHA256: Final = "1a8a838a4a81d5ad18bc8f35e79265c143dee93ada08812d8ab33f1a5174023e"
