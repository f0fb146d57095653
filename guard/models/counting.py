"""Tokens counted as the model counts them that will read the block (R8): by a `tokenizer.json`.

Nothing is fetched and no code of the file runs: it holds a vocabulary and rules in the form that
Hugging Face's tokenizers read.
"""

from pathlib import Path

from tokenizers import Tokenizer

from guard.errors import InvalidError
from memory.assembly import CountTokens

_FIELD = "recall.tokenizer"


def counting(path: Path) -> CountTokens:
    """Return how many tokens a text has by the tokenizer in a file, without marks around it.

    Raises InvalidError for a file that can't be read or holds no tokenizer.
    """
    try:
        tokenizer = Tokenizer.from_str(path.read_text("utf-8"))
    except Exception as error:  # the library raises nothing narrower for a file that is none
        raise InvalidError(f"{_FIELD}: {path.name} holds no tokenizer") from error
    # A file made for training cuts and fills; then every long block would have one length.
    tokenizer.no_truncation()
    tokenizer.no_padding()

    def count(text: str) -> int:
        # Half a character has no encoding; it is shown as one sign, and counted as that.
        readable = text.encode("utf-8", "replace").decode("utf-8")
        return len(tokenizer.encode(readable, add_special_tokens=False).ids)

    return count
