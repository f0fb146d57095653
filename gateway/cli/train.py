"""`train`: the classifier made anew, for who changed its corpus."""

from pathlib import Path
from typing import Annotated

import typer

from gateway import app
from gateway.cli import say
from gateway.cli.options import Config, DataDir, Json, settings_of

Out = Annotated[
    Path, typer.Option("--out", metavar="DIR", help="Where to write the model.", file_okay=False)
]


def train(
    *,
    out: Out = Path("trained"),
    data_dir: DataDir = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Train the classifier of poisoned memories. Needs the extra `train`, and some minutes.

    The gateway loads a model that is pinned in its code, and none other: see the model card.
    """
    settings = settings_of(data_dir, config)
    with say.progress() as advance:
        digest = app.train(settings, out, advance)
    if json:
        say.report([{"sha256": digest, "folder": str(out)}])
    else:
        say.line(f"sha256 {digest}")
