"""Secrets that stand in a file of their own."""

from pathlib import Path

from gateway.settings import Secret, SettingsError


def secret_in(file: Path, field: str) -> Secret:
    """Return the secret in `file`. Raises SettingsError, naming `field`, when there is none."""
    try:
        word = file.read_text("utf-8").strip()
    except (OSError, ValueError) as error:
        raise SettingsError(f"cannot read {field}: {type(error).__name__}") from None
    if not (word.isascii() and word.isprintable() and word):
        raise SettingsError(f"{field} holds no key")
    return Secret(word)
