"""Feed one guard: JSON lines with `text` and `origin` in, JSON lines with its verdicts out.

    python ask.py PEER FOLDER

Runs in the guard's own environment. `FOLDER` is empty and thrown away afterwards.
"""

import importlib.util
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Judge = Callable[[str, str], dict[str, dict[str, Any]]]
"""Text and origin to `held` and `score` by the name of each setting that is asked."""


def main() -> None:
    """Answer every line; one that fails is answered with the kind of its failure."""
    name, folder = sys.argv[1:]
    # A guard that prints must not be taken for its verdict.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    judge = _opened(name, Path(folder))
    for line in sys.stdin.buffer:
        row = json.loads(line)
        start = time.perf_counter()
        try:
            answer: dict[str, Any] = {"verdicts": judge(row["text"], row["origin"])}
        # Somebody else's code may fail in any way at all; that it did is its answer.
        except Exception as error:  # noqa: BLE001
            answer = {"failed": type(error).__name__}
        answer["seconds"] = time.perf_counter() - start
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _opened(name: str, folder: Path) -> Judge:
    """Return the guard's `opened(folder)`, from the file of its name beside this one."""
    path = Path(__file__).parent / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"peer_{name}", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"no such peer: {name}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    judge: Judge = module.opened(folder)
    return judge


if __name__ == "__main__":
    main()
