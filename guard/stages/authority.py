"""Finds claims that only the subject may make, and text that steers the assistant (W16).

`privileged_claim`: who is authorised, whom to pay, where to send, which tool or address to use or
trust, what to hide, which check to skip. `standing_instruction`: how to behave from now on.
`directive`: how assistants act, or what needs no check, stated as if it were a fact. An ordinary
preference is at most one of the last two; policy keeps these from an agent and holds the first.
"""

from collections.abc import Sequence
from typing import Final

from guard.nouns import Draft, View
from guard.stages.authority_rules import RULES
from guard.stages.directive_cn_rules import RULES as DIRECTIVE_CN_RULES
from guard.stages.directive_rules import RULES as DIRECTIVE_RULES
from guard.stages.rules import RuleBook, gathered, sightings
from guard.stages.told import graded
from policies.model import Finding

NAME: Final = "authority"
BOOK: Final = RuleBook((*RULES, *DIRECTIVE_RULES, *DIRECTIVE_CN_RULES))


def inspect(_draft: Draft, views: Sequence[View]) -> tuple[Finding, ...]:
    """Return at most one finding per code, with every span that shows it."""
    return gathered(NAME, graded(sightings(BOOK, views), views[0].text))
