"""Tokenizer and weights of a local directory, through transformers and torch: the extra `models`.

Both are imported when a model is loaded and not before: the packaged models need neither. Weights
come from safetensors alone, no code of the directory is run, and no hub is asked.
"""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from guard.errors import GuardError, InvalidError, UnavailableError

T = TypeVar("T")

_NO_LIMIT: Final = 1_000_000
"""Tokenizers that know no limit say some absurd number above this one."""


class Head(StrEnum):
    """What stands on the transformer; the library's name of the class that reads it."""

    NONE = "AutoModel"
    SEQUENCE = "AutoModelForSequenceClassification"


class Loaded(NamedTuple):
    """What was loaded, and the library that computes with it."""

    torch: Any
    tokenizer: Any
    model: Any

    def longest(self, said: int | None = None) -> int:
        """Return how many tokens the model reads at most; `said` is what the directory says."""
        limits = [n for n in (said, self.tokenizer.model_max_length) if n and n < _NO_LIMIT]
        positions = getattr(self.model.config, "max_position_embeddings", None) or _NO_LIMIT
        # Some families count positions from two; a limit that is told elsewhere allows for it.
        return int(min((*limits, positions) if limits else (positions - 2,)))

    @property
    def filler(self) -> int:
        """What stands where no token does; the mask hides it."""
        known = (self.tokenizer.pad_token_id, self.tokenizer.eos_token_id)
        return next((int(id) for id in known if id is not None), 0)


def loaded(weights: Path, head: Head, threads: int, field: str, unused: str = "") -> Loaded:
    """Return the model in `weights`. `unused` begins the names of weights that it may lack.

    Raises InvalidError, naming `field`, for weights that do not fit.
    """
    import torch  # noqa: PLC0415 - an extra: loads with the model, not before
    import transformers  # noqa: PLC0415

    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(threads)
    local: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    path = str(weights)
    tokenizer = transformers.AutoTokenizer.from_pretrained(path, **local)
    model, report = getattr(transformers, head.value).from_pretrained(
        path,
        use_safetensors=True,
        dtype=torch.float32,
        output_loading_info=True,
        ignore_mismatched_sizes=True,  # reported, and refused below with a line that says so
        **local,
    )
    # What is missing or does not fit would be filled with random numbers.
    missing = [key for key in report["missing_keys"] if not (unused and key.startswith(unused))]
    if missing or report["mismatched_keys"]:
        raise InvalidError(f"{field}: its weights do not fit its config.json")
    return Loaded(torch, tokenizer, model.eval())


def attempted(load: Callable[[], T], what: str) -> T:
    """Return what `load` returns. Raises UnavailableError, naming `what`, when it does not load."""
    try:
        return load()
    except ImportError:
        raise UnavailableError(
            f"{what}: transformers and torch are not installed: "
            "pip install 'memguard-gateway[models]'"
        ) from None
    except GuardError:
        raise
    # The runtimes raise whatever they like; any of it means: no model.
    except Exception as error:  # noqa: BLE001
        kind = type(error).__name__
        raise UnavailableError(f"{what}: the model does not load: {kind}") from None
