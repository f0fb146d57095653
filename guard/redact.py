"""Cut out of a text what policy says must not be kept."""

from collections.abc import Iterable

from policies.model import Finding, Span


def redact(text: str, findings: Iterable[Finding]) -> str:
    """Return `text` with every span of `findings` replaced by `[redacted:<code>]`.

    Spans that overlap or touch become one, named after the first. Raises ValueError for a span
    outside the text: what can't be cut must not pass as cut.
    """
    spans = [(span, finding.code) for finding in findings for span in finding.spans]
    pieces: list[str] = []
    at = 0
    for start, end, code in _merged(spans):
        if not 0 <= start < end <= len(text):
            raise ValueError("a span lies outside the text")
        pieces += (text[at:start], f"[redacted:{code}]")
        at = end
    pieces.append(text[at:])
    return "".join(pieces)


def _merged(spans: list[tuple[Span, str]]) -> list[tuple[int, int, str]]:
    merged: list[tuple[int, int, str]] = []
    for span, code in sorted(spans, key=lambda s: (s[0].start, s[0].end, s[1])):
        if merged and span.start <= merged[-1][1]:
            start, end, first = merged[-1]
            merged[-1] = (start, max(end, span.end), first)
        else:
            merged.append((span.start, span.end, code))
    return merged
