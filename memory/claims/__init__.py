"""What memories claim, and what a new claim is to an old one. Pure: no I/O, no clock, no model."""

from memory.claims.nouns import (
    Bond,
    BondKind,
    Claim,
    Form,
    Limit,
    Mark,
    Polarity,
    Slot,
    Value,
    ValueKind,
)
from memory.claims.reading import claims_of
from memory.claims.relate import one_meant, relate_all, relate_claims

__all__ = [
    "Bond",
    "BondKind",
    "Claim",
    "Form",
    "Limit",
    "Mark",
    "Polarity",
    "Slot",
    "Value",
    "ValueKind",
    "claims_of",
    "one_meant",
    "relate_all",
    "relate_claims",
]
