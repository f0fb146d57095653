"""Which classifier is the shipped one. `memguard train` says what to put here."""

from typing import Final

POISON: Final = "poison.bin"
POISON_SHA256: Final = "900813eb92bbae45c425b90000719113e3a192e9982ec250ab4ddad5fa41df11"
PAIRS: Final = "pairs.json"
PAIRS_SHA256: Final = "fd47f4710382ea60c2c6d6604192cfc836256f468ae09b43875d6a5c6cbeab09"
