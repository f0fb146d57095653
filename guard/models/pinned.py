"""Which classifier is the shipped one. `memguard train` says what to put here."""

from typing import Final

POISON: Final = "poison.bin"
POISON_SHA256: Final = "2b1b8cb6218c0827c94bc86a56d2fe106cc3bcf52d04ee69f03cfb923ab1744d"
PAIRS: Final = "pairs.json"
PAIRS_SHA256: Final = "9cc235155817e9284c2c20cfebf14e0fc271782ee7f888a8ac19944bd0d84d19"
