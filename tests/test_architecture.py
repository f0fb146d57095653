"""The tree keeps its own rules: requirement ids, places of construction, write paths."""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.requirements import PLANNED, REQUIREMENTS

ROOT = Path(__file__).parent.parent
ROOMS = ("gateway", "storage", "guard", "memory", "policies")


Calls = tuple[tuple[str, ast.Call], ...]
"""The calls of a module, each by the last name of what is called."""


def _modules(*folders: str) -> Iterator[tuple[Path, Calls]]:
    for folder in folders:
        yield from _folder(folder)


@functools.cache
def _folder(folder: str) -> tuple[tuple[Path, Calls], ...]:
    """Return the modules below a folder: read once, since reading them is all that takes time."""
    return tuple(
        (path.relative_to(ROOT), tuple(_calls(ast.parse(path.read_text(encoding="utf-8")))))
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "node_modules" not in path.parts  # the official clients, once they are installed
    )


def _calls(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func
            yield (name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")), node


def _ids_named_by_tests() -> dict[str, set[str]]:
    named: dict[str, set[str]] = {}
    for path, calls in _modules("tests"):
        for name, call in calls:
            if name == "requirement":
                for arg in call.args:
                    assert isinstance(arg, ast.Constant), f"{path}: ids must be literal"
                    named.setdefault(str(arg.value), set()).add(str(path))
    return named


def test_tests_name_only_known_requirements() -> None:
    """A test that names an id which does not exist fails here, so that no proof is misfiled."""
    unknown = {i: p for i, p in _ids_named_by_tests().items() if i not in REQUIREMENTS}
    assert not unknown


def test_every_requirement_in_force_is_shown_by_a_test() -> None:
    """An id that is not planned is named by at least one test."""
    named = _ids_named_by_tests()
    in_force = [i for i, (status, _) in REQUIREMENTS.items() if status is not PLANNED]
    assert [i for i in in_force if i not in named] == []


@pytest.mark.requirement("E3", "W1")
@pytest.mark.parametrize(
    ("noun", "makers"),
    [
        ("Principal", {"gateway/auth.py"}),
        ("Tagged", {"guard/gather.py", "guard/revise.py"}),
        ("Screened", {"guard/pipeline.py", "guard/revise.py"}),
        ("Admitted", {"guard/admit.py", "guard/revise.py"}),
        ("Sealed", {"storage/vault.py", "storage/rows.py"}),
    ],
)
def test_a_noun_is_made_in_its_one_place(noun: str, makers: set[str]) -> None:
    """No module can skip a step of the write path by making the next noun itself."""
    found = {str(path) for path, calls in _modules(*ROOMS) for name, _ in calls if name == noun}
    assert found, f"{noun} is made nowhere: this check would pass on anything"
    assert found <= makers


@pytest.mark.requirement("W1")
def test_only_the_doors_commit_to_the_ledger() -> None:
    """Every function that can persist a memory is one of the guard's doors."""
    # What remembering comes to is written down by `settle`, which no other door calls.
    doors = {"guard/settle.py", "guard/forget.py", "guard/confirm.py", "guard/deciding.py"}
    # Stores nothing that was not stored: two reviewers weigh it anew, or remove it.
    doors |= {"guard/proposals.py"}
    # Takes a write in and stores no memory: it hands it to the door of `remember` later.
    doors |= {"guard/queue.py"}
    # Stores nothing that was not stored: it decides again, and holds or cuts.
    doors |= {"guard/rescreen.py"}
    # Stores nothing that was not stored: it seals what is read otherwise today.
    doors |= {"guard/reread.py"}
    # Stores nothing that was not stored: two memories change places.
    doors |= {"guard/restore.py"}
    # Stores nothing at all: it gives up what nobody decided on.
    doors |= {"guard/held.py"}
    # Stores nothing that was not stored: it holds what came of a barred origin, or lets it out.
    doors |= {"guard/ban.py"}
    found = {
        str(path)
        for path, calls in _modules("gateway", "guard")
        for name, call in calls
        if name == "commit" and "ledger" in ast.unparse(call.func)
    }
    assert found == doors
    settling = {
        str(path)
        for path, calls in _modules("gateway", "guard")
        for name, _ in calls
        if name == "Work"
    }
    assert settling == {"guard/remember.py"}


@pytest.mark.requirement("W11")
def test_only_one_place_reads_the_platforms_policy() -> None:
    """A door that read it by itself would pass over the rules of the tenant."""
    read = re.compile(r"\brooms\.policy\b")
    found = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "guard").rglob("*.py")
        if read.search(path.read_text(encoding="utf-8"))
    }
    assert found == {"guard/governing.py"}


def test_only_settings_reads_the_environment() -> None:
    """`os.environ` has one home, so that a setting can't hide."""
    pattern = re.compile(r"\bos\.(environ|getenv)\b")
    found = {
        str(path.relative_to(ROOT))
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
        if pattern.search(path.read_text(encoding="utf-8"))
    }
    assert found <= {"gateway/settings/__init__.py", "gateway/settings/reading.py"}
