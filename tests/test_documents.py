"""What the documents say is so: links lead somewhere, names exist, the map of threats is true."""

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
import typer.main

from gateway.cli.program import program
from gateway.scopes import ROUTES, TOOLS

ROOT: Final = Path(__file__).parent.parent
_HIDDEN: Final = frozenset({"data", "dist", "node_modules", "build"})
MIN_ROWS: Final = 25
PRIVATE: Final = re.compile(
    r"(?<![\w.])/(?:home|root|work|opt|Users|private|mnt|tmp)/|[A-Z]:\\|file://|site-packages"
    r"|\b(?:[\w-]+\.)*(?:pypi|pythonhosted|npmjs|docker|ghcr|quay|artifactory|nexus)\.(?:\w+)\b"
    r"|\b(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2,3}\b",
)
LINK: Final = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
HEADING: Final = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
FENCE: Final = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def _documents() -> list[Path]:
    return [
        path
        for path in sorted(ROOT.rglob("*.md"))
        if not any(part.startswith(".") or part in _HIDDEN for part in path.relative_to(ROOT).parts)
    ]


def _text(*parts: str) -> str:
    return ROOT.joinpath(*parts).read_text(encoding="utf-8")


def _broken_links(document: Path, text: str) -> Iterator[str]:
    for target in LINK.findall(FENCE.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        found = document.parent / path if path else document
        if not found.exists() or (anchor and anchor not in _anchors(found)):
            yield target


@cache
def _anchors(document: Path) -> frozenset[str]:
    headings = HEADING.findall(FENCE.sub("", document.read_text(encoding="utf-8")))
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return frozenset(one.strip().replace(" ", "-") for one in plain)


def _rows(text: str, heading: str) -> list[list[str]]:
    """Return the cells of the table under a heading, without its head."""
    section = text.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def _resolve(symbol: str) -> Any:
    module, _, name = symbol.partition(":")
    found: Any = importlib.import_module(module)
    for part in name.split(".") if name else ():
        found = getattr(found, part)
    return found


def _has_test(reference: str) -> bool:
    path, _, name = reference.partition("::")
    if not (ROOT / path).is_file():
        return False
    tree = ast.parse(_text(path))
    defined = (ast.FunctionDef, ast.AsyncFunctionDef)
    return any(isinstance(node, defined) and node.name == name for node in ast.walk(tree))


MAP: Final = _rows(_text("SECURITY.md"), "Threat to decision to symbol to test")


@pytest.mark.requirement("Q11")
def test_the_map_has_whole_rows() -> None:
    """Each row names a threat, a decision, one symbol and one test; no threat stands twice."""
    assert len(MAP) >= MIN_ROWS
    assert [row for row in MAP if len(row) != len(("threat", "decision", "symbol", "test"))] == []
    threats = [row[0] for row in MAP]
    assert len(threats) == len(set(threats))


@pytest.mark.requirement("Q11")
@pytest.mark.parametrize("row", MAP, ids=lambda row: row[0])
def test_a_threat_leads_to_a_symbol_and_a_test(row: list[str]) -> None:
    """The symbol imports, the test is there, and the decision is a page or a requirement."""
    _, decision, symbol, test = row
    assert re.fullmatch(r"`[\w.]+(:[\w.]+)?`", symbol)
    _resolve(symbol.strip("`"))
    assert _has_test(test.strip("`"))
    for one in decision.split(", "):
        page = re.fullmatch(r"ADR (\d+)", one)
        if page:
            assert list((ROOT / "docs/adr").glob(f"{int(page[1]):04}-*.md")), one
        else:
            assert f'"{one}":' in _text("tests", "requirements.py"), one


@pytest.mark.requirement("Q11")
def test_the_map_is_read_by_a_check_that_can_fail() -> None:
    """A symbol or a test that is not there is noticed: the control of the check above."""
    with pytest.raises(AttributeError):
        _resolve("guard.recall:recall_everything")
    with pytest.raises(ModuleNotFoundError):
        _resolve("guard.backdoor")
    assert not _has_test("tests/test_documents.py::test_that_nobody_wrote")
    assert not _has_test("tests/test_nothing.py::test_the_map_has_whole_rows")
    assert _has_test("tests/test_documents.py::test_the_map_has_whole_rows")


@pytest.mark.requirement("Q11")
def test_security_states_every_guarantee_and_what_is_not_promised() -> None:
    """G1 to G7, adversaries, limits and the way to report are all there."""
    text = _text("SECURITY.md")
    assert [f"G{n}" for n in range(1, 8) if f"**G{n} " not in text] == []
    for heading in ("Report a vulnerability", "Adversaries", "Guarantees", "Not promised"):
        assert f"\n## {heading}\n" in text


@pytest.mark.parametrize("document", _documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_relative_links_lead_somewhere(document: Path) -> None:
    """Every relative link names a file that exists, and a heading in it."""
    assert list(_broken_links(document, document.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("document", _documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_speaks_of_no_machine(document: Path) -> None:
    """No path of someone's machine, no private address and no registry host stands in it."""
    assert [found[0] for found in PRIVATE.finditer(document.read_text(encoding="utf-8"))] == []


def test_the_checks_of_documents_can_fail() -> None:
    """Broken links, lost headings, machine paths, hosts and unknown commands are noticed."""
    here = ROOT / "README.md"
    wrong = (
        "[a](no/such.md) [b](SECURITY.md#nowhere) [c](SECURITY.md#guarantees) [d](https://x.org)"
    )
    assert list(_broken_links(here, wrong)) == ["no/such.md", "SECURITY.md#nowhere"]
    assert _unknown_commands("`memguard serve --port 1`, `memguard token steal`") == ["token steal"]
    # Put together here, so that this file does not hold what it forbids.
    for private in (
        "see /home/me/x",
        f"in /{'work'}/x",
        f"index https://{'pypi'}.org/simple",
        "10.0.0.7",
    ):
        assert PRIVATE.search(private), private
    for public in ("/v1/memories", "/var/lib/memguard", "127.0.0.1:8080", "pypi-free text"):
        assert not PRIVATE.search(public), public


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_every_make_target_that_is_named_exists(page: str) -> None:
    """`make x` in the page is a target of the Makefile."""
    targets = set(re.findall(r"^([a-z][\w-]*):", _text("Makefile"), re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make ([a-z][\w-]*)", _text(page), re.MULTILINE))
    assert named
    assert named <= targets


@pytest.mark.parametrize(
    "document",
    [d for d in _documents() if "memguard " in d.read_text(encoding="utf-8")],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_every_command_that_is_named_exists(document: Path) -> None:
    """`memguard x y` in a document is a command of the program."""
    assert _unknown_commands(document.read_text(encoding="utf-8")) == []


def test_the_readme_names_the_commands() -> None:
    """The two commands that set everything up, and the first ones after them, are in the README."""
    text = _text("README.md")
    for command in ("make serve", "make test", "memguard demo", "memguard token mint"):
        assert command in text
    assert {"serve", "demo", "token mint"} <= _commands()


def _unknown_commands(text: str) -> list[str]:
    commands = _commands()
    spoken = re.findall(r"(?:^|[`(|$] ?)memguard ([a-z]+)(?: ([a-z]+))?", text, re.MULTILINE)
    return [
        f"{first} {second}".strip()
        for first, second in spoken
        if first not in commands and f"{first} {second}" not in commands
    ]


def _commands() -> set[str]:
    root: Any = typer.main.get_command(program)
    names = set()
    for name, command in root.commands.items():
        below = getattr(command, "commands", None)
        names |= {f"{name} {one}" for one in below} if below else {name}
    return names


def test_the_guides_name_every_route_and_tool() -> None:
    """A route or tool that is added without a line in its guide fails here; of the console, a page:
    where its forms go is nobody's interface.
    """
    rest, mcp = _text("docs/guides/rest-api.md"), _text("docs/guides/mcp.md")
    console = _text("docs/guides/console.md")
    for method, path in ROUTES:
        if path.startswith("/console"):
            assert method == "POST" or f"`{method} {path}`" in console, path
            continue
        named = f"`{method} {path}`" in rest or f"`{path}`" in mcp or f"(and `{path[-4:]}`)" in mcp
        assert named, f"{method} {path}"
    for tool in TOOLS:
        assert f"`{tool}`" in mcp


def test_decisions_are_numbered_and_listed() -> None:
    """Pages are numbered from 1 without a gap, have one form, and stand in the index."""
    folder = ROOT / "docs/adr"
    pages = sorted(folder.glob("[0-9]*.md"))
    assert [int(page.name[:4]) for page in pages] == list(range(1, len(pages) + 1))
    index = _text("docs/adr/README.md")
    for page in pages:
        lines = page.read_text(encoding="utf-8").splitlines()
        title = re.fullmatch(rf"# {int(page.name[:4])}\. (.+)", lines[0])
        assert title, page.name
        assert re.fullmatch(r"Status: (accepted|superseded by \d+)", lines[2]), page.name
        assert [h for h in ("Context", "Decision", "Consequences") if f"## {h}" not in lines] == []
        assert f"[{int(page.name[:4])}]({page.name}) | {title[1]} |" in index, page.name
