"""Which classifier is the shipped one. `memguard train` says what to put here."""

from typing import Final

POISON: Final = "poison.bin"
POISON_SHA256: Final = "900813eb92bbae45c425b90000719113e3a192e9982ec250ab4ddad5fa41df11"
PAIRS: Final = "pairs.json"
PAIRS_SHA256: Final = "1c5f72e5b330a9392ae4095b4d8235087d1cd332b0d40e8251b567c04359e38a"
