"""The classifier made anew, from the corpus and from what ships inside packages."""

from pathlib import Path

from gateway.app.keep import models_dir
from gateway.app.serving import Progress
from gateway.settings import Settings
from guard.errors import UnavailableError
from guard.models.prepare import prepare


def train(settings: Settings, folder: Path, progress: Progress) -> str:
    """Write a classifier into `folder`; return its SHA-256.

    Raises UnavailableError when the extra `train` is not installed.
    """
    prepare(models_dir(settings), progress)
    try:
        from guard.models.training.numbers import packaged_numbers  # noqa: PLC0415 - an extra
        from guard.models.training.train import train as trained  # noqa: PLC0415
    except ImportError:
        raise UnavailableError(
            "train: not everything is installed: pip install 'memguard-gateway[train]'"
        ) from None
    return trained(folder, packaged_numbers(models_dir(settings)), progress)
