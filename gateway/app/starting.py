"""The keys to start with: apart from what they open, for commands that open none of it."""

import sys

from gateway import firststart
from gateway.settings import Settings
from storage.rootkey import generate_root_key
from storage.signing import generate_signing_jwk


def start_keys(settings: Settings) -> firststart.StartKeys:
    """Return the keys to start with; development makes what is missing and says so on stderr."""
    return firststart.prepare(
        settings,
        new_root_key=generate_root_key,
        new_signing_jwk=generate_signing_jwk,
        say=lambda line: sys.stderr.write(f"memguard: {line}\n"),
    )
