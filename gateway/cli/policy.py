"""`policy check`, `explain` and `simulate`: what a policy says, before anybody relies on it."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gateway import app
from gateway.cli import say
from gateway.cli.options import Config, DataDir, Json, settings_of
from memory.origin import OriginClass
from policies.load import PolicyError

if TYPE_CHECKING:
    from gateway.cli.explaining import Explanation, Seen
    from guard.simulate import Simulation

File = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE",
        help="A policy or a tenant's rules; what is configured by default.",
        exists=True,
        dir_okay=False,
    ),
]
Text = Annotated[
    str | None,
    typer.Argument(
        metavar="[TEXT]", help="The text; standard input by default.", show_default=False
    ),
]
Origin = Annotated[OriginClass, typer.Option(help="Where the text is said to come from.")]
Whose = Annotated[str | None, typer.Option("--tenant", metavar="T", help="With this one's rules.")]
Candidate = Annotated[
    str,
    typer.Argument(
        metavar="CANDIDATE", help="A policy file, a tenant's rules, a profile's name, or a version."
    ),
]
Of = Annotated[str, typer.Option("--tenant", metavar="T", help="Whose stored decisions.")]
Days = Annotated[int, typer.Option(min=1, max=3650, help="How many days back.")]


def check(file: File = None, *, config: Config = None, json: Json = False) -> None:
    """Check a policy, or a tenant's rules. Exit code 1 if the gateway would refuse it."""
    settings = settings_of(None, config)
    try:
        summary = app.checked(settings, file)
    except PolicyError as error:
        if json:
            say.report({"ok": False, "problem": str(error)})
        else:
            say.error(f"policy: {error}")
        raise typer.Exit(say.Exit.PROBLEM) from None
    if json:
        say.report({"ok": True, **summary})
        return
    rows = [(name, str(value)) for name, value in summary.items()]
    say.table("policy check", ("policy", "is"), rows)


def explain(
    text: Text = None,
    *,
    origin: Origin,
    tenant: Whose = None,
    data_dir: DataDir = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Print what each stage finds in one text, and which rules make of it what. Stores nothing."""
    from gateway.cli.explaining import explained, text_of  # noqa: PLC0415 - the whole screening

    settings = settings_of(data_dir, config)
    given = text_of(text, settings)
    explanation = asyncio.run(explained(given, origin, tenant, settings))
    if json:
        say.report(explanation)
    else:
        _show(explanation, given)


def simulate(
    candidate: Candidate,
    *,
    tenant: Of,
    days: Days = 30,
    data_dir: DataDir = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Say which stored decisions of a tenant another policy would make otherwise, by rule.

    Changes nothing, and shows ids and no content. The gateway may be running.
    """
    settings = settings_of(data_dir, config)
    with say.progress() as advance:
        found = asyncio.run(app.simulate(settings, tenant, candidate, days, advance))
    if json:
        say.report(found)
    else:
        _tell(found)


def _show(explanation: "Explanation", text: str) -> None:
    stages = ", ".join(f"{stage} {status}" for stage, status in explanation.stages.items())
    say.table(
        "decision",
        ("of", "is"),
        [
            ("effect", explanation.effect),
            ("policy", explanation.policy),
            ("origin", f"{explanation.origin}, trust {explanation.trust}"),
            ("stages", stages),
            ("reasons", ", ".join(explanation.reasons)),
        ],
    )
    columns = ("finding", "severity", "score", "view", "where", "effect", "rules")
    say.table("findings", columns, [_row(one, text) for one in explanation.findings])


def _row(seen: "Seen", text: str) -> tuple[str, ...]:
    score = "" if seen.score is None else f"{seen.score:.3f}"
    places = "; ".join(f"{start}-{end} {text[start:end]!r}" for start, end in seen.spans)
    rules = ", ".join(seen.rules)
    return seen.reason, seen.severity, score, seen.view, places, seen.effect, rules


def _tell(found: "Simulation") -> None:
    say.table(
        "simulation",
        ("of", "is"),
        [
            ("in force", found.current),
            ("candidate", found.candidate),
            ("decisions compared", str(found.decisions)),
            ("would come out otherwise", str(sum(one.count for one in found.changes))),
            ("without today's stages", str(found.incomplete)),
            ("unreadable", str(found.unreadable)),
            *((f"recorded {name}", str(count)) for name, count in found.recorded.items()),
        ],
    )
    say.table(
        "changes",
        ("before", "after", "decisions", "for example"),
        [(one.before, one.after, str(one.count), ", ".join(one.samples)) for one in found.changes],
    )
    say.table(
        "rules",
        ("rule", "decisions", "for example"),
        [
            (f"{'+' if one.tightens else '-'} {one.rule}", str(one.count), ", ".join(one.samples))
            for one in found.rules
        ],
    )
