"""Which classifier is the shipped one. `memguard train` says what to put here."""

from typing import Final

POISON: Final = "poison.bin"
POISON_SHA256: Final = "900813eb92bbae45c425b90000719113e3a192e9982ec250ab4ddad5fa41df11"
PAIRS: Final = "pairs.json"
PAIRS_SHA256: Final = "f0537bd3466cf35f1c6846b71389005ccd20eb39505ce58de90060d91692fa68"
