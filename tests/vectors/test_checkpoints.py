"""Signed checkpoints: the note by the byte, and what is not believed."""

import base64

import pytest

from guard.errors import InvalidError, UnreadableError
from memory.types import TenantId
from storage.checkpoints import Checkpoint, SigningKey, VerifierKey

KEY = SigningKey("memory.example", bytes(range(32)))
CHECKPOINT = Checkpoint(TenantId("acme/东区"), 8, bytes(range(100, 132)))
NOTE = """\
memory.example/acme%2F%E4%B8%9C%E5%8C%BA
8
ZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7fH1+f4CBgoM=

\u2014 memory.example 5tu5I8/lIudFNdi8Q/tMrIwa6R1GBm3qnTHIquidFhGkahp5\
eRZgSAXjYzsJi3l3rt1Ybazsd/yItulW9tJeJyjY8wQ=
"""
VERIFIER = "memory.example+e6dbb923+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"


def signature_of(note: str) -> str:
    """Return what stands in the last line of a note."""
    return note.splitlines()[-1].split(" ")[-1]


@pytest.mark.requirement("Q6")
def test_a_note_is_what_it_was_by_the_byte() -> None:
    """Ed25519 signs alike each time, and the key's hash stands before the signature."""
    assert KEY.note(CHECKPOINT) == NOTE
    assert str(KEY.verifier) == VERIFIER
    raw = base64.b64decode(signature_of(NOTE))
    assert (len(raw), raw[:4].hex()) == (68, VERIFIER.split("+")[1])


@pytest.mark.requirement("Q6")
def test_keys_and_notes_are_read_back() -> None:
    """The verifier needs its one line alone; a second signature beside ours does no harm."""
    assert SigningKey.parse(KEY.line()).note(CHECKPOINT) == KEY.note(CHECKPOINT)
    verifier = VerifierKey.parse(str(KEY.verifier))
    assert verifier.open(KEY.note(CHECKPOINT)) == CHECKPOINT
    witness = SigningKey.new("witness.example")
    both = KEY.note(CHECKPOINT) + witness.note(CHECKPOINT).splitlines()[-1] + "\n"
    assert verifier.open(both) == CHECKPOINT


@pytest.mark.requirement("Q6")
def test_whatever_is_changed_in_a_note_it_is_not_believed() -> None:
    """Each character of it; what follows the signature is no part of it."""
    note = KEY.note(CHECKPOINT)
    body = note.rstrip("\n")
    for place, letter in enumerate(body):
        other = "B" if letter != "B" else "C"
        changed = body[:place] + other + body[place + 1 :] + "\n"
        if base64_equal(changed, note):
            continue
        with pytest.raises(UnreadableError):
            KEY.verifier.open(changed)


def base64_equal(one: str, other: str) -> bool:
    """Say whether only unused bits of the last base64 letter of the signature differ."""
    try:
        same = base64.b64decode(signature_of(one)) == base64.b64decode(signature_of(other))
    except ValueError:
        return False
    return same and one.rpartition(" ")[0] == other.rpartition(" ")[0]


@pytest.mark.requirement("Q6")
def test_another_key_of_the_same_name_is_another() -> None:
    """A forger may call himself so; what he signs is not believed."""
    forger = SigningKey.new("memory.example")
    with pytest.raises(UnreadableError):
        KEY.verifier.open(forger.note(CHECKPOINT))
    assert forger.verifier.open(forger.note(CHECKPOINT)) == CHECKPOINT


@pytest.mark.parametrize(
    "line",
    [
        "",
        "memory.example",
        VERIFIER.replace(VERIFIER.split("+")[1], "00000000"),
        "memory.example+HASH+AAAA",
        "a b+00000000+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
    ],
)
def test_a_line_that_is_no_key_is_refused(line: str) -> None:
    """For either kind of key, without a word of what it said."""
    with pytest.raises(InvalidError):
        VerifierKey.parse(line)
    with pytest.raises(InvalidError):
        SigningKey.parse(f"PRIVATE+KEY+{line}")
    with pytest.raises(InvalidError):
        SigningKey.new("a name")
