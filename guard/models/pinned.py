"""Which classifier is the shipped one. `memguard train` says what to put here."""

from typing import Final

POISON: Final = "poison.bin"
POISON_SHA256: Final = "ed3dd60dcaa51d8fe4deb0157348b8e27dd149ca99c3143c2ce7042926567202"
PAIRS: Final = "pairs.json"
PAIRS_SHA256: Final = "ef104f4ce00ca46e867a725d44eab86b28d2f15f4dcdf15b933513cfcc18ac20"
