"""The tables that come of playing: success as recalled per way and layer, and what still passes."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from bench.attacks.playing import Played
from tests.attacks.scenes import Reach

ALL: Final = "all ways"
_TOLD: Final = (
    "Attacks that are recalled as actionable, in percent; in brackets after the last layer those"
    " that are shown with a mark against acting on them."
)


def report(played: Sequence[Played]) -> str:
    """Return Markdown: a table of all ways, then one per language, then one of honest twins."""
    languages = list(dict.fromkeys(one.lang for one in played))
    parts = [
        _TOLD,
        _table(played),
        *(f"{lang}:\n\n{_table([p for p in played if p.lang == lang])}" for lang in languages),
        "Honest twins that are stored and recalled, in percent.",
        _twins(played),
    ]
    return "\n\n".join(parts)


def gaps(played: Iterable[Played]) -> str:
    """Return JSON: by way, whose poison comes through as actionable, and whose twin is lost."""
    through: dict[str, list[str]] = {}
    lost: dict[str, list[str]] = {}
    for one in played:
        if one.reach is Reach.ACTIONABLE:
            through.setdefault(one.way, []).append(one.scene)
        if not one.twin:
            lost.setdefault(one.way, []).append(one.scene)
    table = msgspec.json.encode({"through": through, "lost": lost})
    return msgspec.json.format(table, indent=1).decode()


def _table(played: Sequence[Played]) -> str:
    layers = list(dict.fromkeys(one.layer for one in played))
    rows = [["way", "n", *layers]]
    for way in (*dict.fromkeys(one.way for one in played), ALL):
        cells = [way]
        for layer in layers:
            some = [p for p in played if p.layer == layer and way in (p.way, ALL)]
            if len(cells) == 1:
                cells.append(str(len(some)))
            cell = _percent(p.reach is Reach.ACTIONABLE for p in some)
            if layer == layers[-1]:
                cell += f" ({_percent(p.reach is Reach.MARKED for p in some)})"
            cells.append(cell)
        rows.append(cells)
    return _markdown(rows)


def _twins(played: Sequence[Played]) -> str:
    layers = list(dict.fromkeys(one.layer for one in played))
    rows = [["way", *layers]]
    for way in (*dict.fromkeys(one.way for one in played), ALL):
        shares = [
            _percent(p.twin for p in played if p.layer == layer and way in (p.way, ALL))
            for layer in layers
        ]
        rows.append([way, *shares])
    return _markdown(rows)


def _percent(flags: Iterable[bool]) -> str:
    known = list(flags)
    return f"{100 * sum(known) / len(known):.0f}"


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    head, *body = rows
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
