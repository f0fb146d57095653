"""Which classifier is the shipped one. `memguard train` says what to put here."""

from typing import Final

POISON: Final = "poison.bin"
POISON_SHA256: Final = "900813eb92bbae45c425b90000719113e3a192e9982ec250ab4ddad5fa41df11"
PAIRS: Final = "pairs.json"
PAIRS_SHA256: Final = "9cc235155817e9284c2c20cfebf14e0fc271782ee7f888a8ac19944bd0d84d19"
