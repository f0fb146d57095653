"""The guide on tampering claims nothing that no test shows."""

import ast
import re
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "tamper.md"


def test_every_line_of_the_guide_names_a_test_that_exists() -> None:
    """Each row of its tables of attacks ends with tests, and each test named is one of these."""
    tests = {
        node.name
        for path in Path(__file__).parent.glob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef)
    }
    guide = GUIDE.read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+)`", guide))
    assert named
    assert named <= tests
    attacks = guide[guide.index("## Seen at recall") :].splitlines()
    rows = [line for line in attacks if line.startswith("| ") and "| test |" not in line]
    assert len(rows) > 20
    assert [row for row in rows if "`test_" not in row] == []
