"""Everything a draft would store as text, as one string that the stages can read.

The text comes first, so that evidence spans are offsets into it; after it, one per line, come the
other fields a caller fills freely. An instruction hidden in a metadata value is screened like any,
and a metadata entry reads `key: value`, so that a password under the key `password` is seen as one.
"""

from collections.abc import Iterator, Sequence

import msgspec

from guard.nouns import Draft
from guard.redact import redact
from memory.types import SessionId
from policies.model import Finding, Span

_LINE = "\n"
_PAIR = ": "


def content_of(draft: Draft) -> str:
    """Return the text and all other free-form fields, each on a line of its own."""
    return "".join(before + part for before, part in _parts(draft))


def redact_draft(draft: Draft, findings: Sequence[Finding]) -> Draft:
    """Return the draft with the spans of `findings` replaced, in whichever field they lie."""
    parts: list[str] = []
    start = 0
    for before, part in _parts(draft):
        start += len(before)
        parts.append(redact(part, [_shift(f, start, len(part)) for f in findings]))
        start += len(part)
    rest = iter(parts)
    text = next(rest)
    entities = tuple(next(rest) for _ in draft.entities)
    metadata = {next(rest): next(rest) for _ in draft.metadata}
    reference = draft.hint.reference and next(rest)
    session = draft.session and SessionId(next(rest))
    return msgspec.structs.replace(
        draft,
        text=text,
        entities=entities,
        session=session,
        metadata=metadata,
        hint=msgspec.structs.replace(draft.hint, reference=reference),
    )


def _parts(draft: Draft) -> Iterator[tuple[str, str]]:
    """Yield every part with what stands before it."""
    yield "", draft.text
    for entity in draft.entities:
        yield _LINE, entity
    for key, value in draft.metadata.items():
        yield _LINE, key
        yield _PAIR, value
    if draft.hint.reference:
        yield _LINE, draft.hint.reference
    if draft.session:
        yield _LINE, draft.session


def _shift(finding: Finding, start: int, length: int) -> Finding:
    """Return the finding as seen from a field at [start, start + length) of the content."""
    spans = tuple(
        Span(max(s.start - start, 0), min(s.end - start, length))
        for s in finding.spans
        if s.start < start + length and s.end > start
    )
    return msgspec.structs.replace(finding, spans=spans)
