"""`make test-long` looks only into files that name the mark: no long test is in another one."""

import re
from pathlib import Path
from typing import Final

TESTS: Final = Path(__file__).parent
MAKEFILE: Final = (TESTS.parent / "Makefile").read_text("utf-8")
MARKED: Final = re.compile(r"mark\.(?:live|soak)")
LENDERS: Final = {"contracts/index_builders.py": "ADAPTERS"}
"""Modules that lend the mark to tests, and the name by which those take it."""


def _sources() -> dict[str, str]:
    found = (path for path in TESTS.rglob("*.py") if "node_modules" not in path.parts)
    return {path.relative_to(TESTS).as_posix(): path.read_text("utf-8") for path in found}


def test_a_module_that_lends_the_mark_is_known() -> None:
    """Another than a file of tests names it only where the Makefile knows what is taken from it."""
    lending = {
        name
        for name, text in _sources().items()
        if MARKED.search(text) and not Path(name).name.startswith("test_")
    }
    assert lending == LENDERS.keys()


def test_the_makefile_looks_for_the_mark_and_for_what_lends_it() -> None:
    """Its pattern finds the files of every kind that there is."""
    found = re.search(r"grep -rlE '([^']+)' tests --include='test_\*\.py'", MAKEFILE)
    assert found is not None
    looked_for = re.compile(found[1])
    assert set(LENDERS.values()) <= set(found[1].split("|"))
    long = {name for name, text in _sources().items() if looked_for.search(text)}
    assert {
        "live/test_crash.py",
        "attacks/test_poisoning_scenes.py",
        "contracts/test_index.py",
    } <= long


def test_the_soak_is_in_its_own_file_alone() -> None:
    """That is the one which the Makefile names."""
    soaked = [name for name, text in _sources().items() if re.search(r"mark\.soak", text)]
    assert soaked == ["live/test_soak.py"]
    assert MAKEFILE.count("-m soak --timeout 1200 tests/live/test_soak.py") == MAKEFILE.count(
        "-m soak"
    )
