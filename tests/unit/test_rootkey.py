"""Where the root key comes from, and what is refused in its place."""

import base64
import pickle
from pathlib import Path

import pytest

from guard.errors import InvalidError
from storage.rootkey import RootKey, check_private, generate_root_key

KEY, NEXT = bytes(range(32)), bytes(range(100, 132))
TEXT, NEXT_TEXT = base64.b64encode(KEY), base64.b64encode(NEXT)


@pytest.mark.requirement("S3")
@pytest.mark.parametrize("source", [KEY, TEXT, TEXT + b"\n", b"1:" + TEXT + b"\n"])
def test_one_key_is_read_from_every_form(source: bytes) -> None:
    """Raw bytes, base64 and a numbered line all give key number 1."""
    root = RootKey.from_bytes(source)
    assert (root.newest, root.key(1), root.key(2)) == (1, KEY, None)


@pytest.mark.requirement("S3")
def test_the_highest_number_is_the_one_in_use() -> None:
    """Of several numbered keys the highest wraps, in whatever order they stand."""
    root = RootKey.from_bytes(b"7:" + NEXT_TEXT + b"\n2:" + TEXT + b"\n")
    assert (root.newest, root.key(7), root.key(2)) == (7, NEXT, KEY)


@pytest.mark.requirement("S3")
@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\n",
        bytes(32),
        b"0123456789abcdef0123456789abcdef",
        base64.b64encode(b"correct horse battery staple 32!"),
        KEY[:31],
        KEY + b"!",
        base64.b64encode(KEY[:16]),
        TEXT[:-2] + b"*=",
        b"0:" + TEXT,
        b"-1:" + TEXT,
        b"4294967296:" + TEXT,
        b"1:" + TEXT + b"\n1:" + NEXT_TEXT,
        b"1:" + TEXT + b"\n2:" + TEXT,
        TEXT + b"\n" + NEXT_TEXT,
        b"1:" + base64.b64encode(b"changeme" * 4),
    ],
)
def test_what_is_no_root_key_is_refused(source: bytes) -> None:
    """Too short, too long, placeholders, bad base64, and numbers that are twice or out of range."""
    with pytest.raises(InvalidError) as caught:
        RootKey.from_bytes(source)
    assert base64.b64encode(KEY).decode() not in str(caught.value)


@pytest.mark.requirement("S3")
def test_a_generated_key_is_private_whole_and_read_back(tmp_path: Path) -> None:
    """A new key file has mode 0600, holds one fresh key, and nothing else is left beside it."""
    path = tmp_path / "root.key"
    generate_root_key(path)
    assert path.stat().st_mode & 0o777 == 0o600
    check_private(path)
    assert [file.name for file in tmp_path.iterdir()] == ["root.key"]

    other = tmp_path / "other.key"
    generate_root_key(other)
    assert RootKey.from_file(path).key(1) != RootKey.from_file(other).key(1)


@pytest.mark.requirement("S3")
def test_an_existing_key_is_never_replaced(tmp_path: Path) -> None:
    """Generating over a key raises, leaves it as it was, and leaves nothing beside it."""
    path = tmp_path / "root.key"
    path.write_bytes(TEXT)
    with pytest.raises(FileExistsError):
        generate_root_key(path)
    assert path.read_bytes() == TEXT
    assert [file.name for file in tmp_path.iterdir()] == ["root.key"]


@pytest.mark.requirement("S3")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o660, 0o644])
def test_a_key_that_others_may_touch_is_not_private(tmp_path: Path, mode: int) -> None:
    """Any right of group or others on the file is refused, and the owner's alone accepted."""
    path = tmp_path / "root.key"
    path.write_bytes(TEXT)
    path.chmod(0o400)
    check_private(path)
    path.chmod(mode)
    with pytest.raises(InvalidError):
        check_private(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    """A path that leads nowhere is an invalid setting for reading and for the check."""
    with pytest.raises(InvalidError):
        RootKey.from_file(tmp_path / "absent")
    with pytest.raises(InvalidError):
        check_private(tmp_path / "absent")


def test_a_root_key_shows_nothing_of_itself() -> None:
    """Neither its text form nor a pickle gives a key away."""
    root = RootKey.from_bytes(TEXT)
    assert repr(root) == str(root) == "RootKey(numbers=[1])"
    with pytest.raises(TypeError):
        pickle.dumps(root)
