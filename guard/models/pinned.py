"""Which classifier is the shipped one. `memguard train` says what to put here."""

from typing import Final

POISON: Final = "poison.bin"
POISON_SHA256: Final = "900813eb92bbae45c425b90000719113e3a192e9982ec250ab4ddad5fa41df11"
PAIRS: Final = "pairs.json"
PAIRS_SHA256: Final = "c73befdce77eea7ae8cb70855228902185f015c98ab08e3de68c7c64290a365c"
