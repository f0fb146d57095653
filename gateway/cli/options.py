"""The options that commands share, and the settings they lead to."""

from pathlib import Path
from typing import Annotated

import typer

from gateway.settings import Settings, load

DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", metavar="D", help="Where everything is kept.", show_default="data"),
]
Config = Annotated[
    Path | None,
    typer.Option("--config", metavar="F", help="A TOML file with settings.", dir_okay=False),
]
Json = Annotated[bool, typer.Option("--json", help="Report as JSON.")]
Tenant = Annotated[
    str | None, typer.Option("--tenant", metavar="T", help="Only this tenant; all by default.")
]


def settings_of(data_dir: Path | None, config: Path | None, **others: str | None) -> Settings:
    """Return the settings with the command's options on top; raise SettingsError as `load` does.

    `others` are dotted names with `__` for the dot, None for an option that was not given.
    """
    given = {"storage__data_dir": None if data_dir is None else str(data_dir), **others}
    overrides = {
        name.replace("__", "."): value for name, value in given.items() if value is not None
    }
    return load(config=config, overrides=overrides)
