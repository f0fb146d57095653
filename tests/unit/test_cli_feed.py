"""Lines reach `screen` whole, numbered and bounded, whatever the file looks like."""

import io
import os
import threading

import pytest

from gateway.cli.feed import Line, lines, numbered


def _numbered(content: bytes, max_bytes: int = 8) -> list[tuple[int, bytes | None]]:
    return [(line.number, line.content) for line in numbered(io.BytesIO(content), max_bytes)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (b"a\nb", [(1, b"a"), (2, b"b")]),
        (b"a\r\n\n \nb\n", [(1, b"a"), (4, b"b")]),
        (b"\xef\xbb\xbfa\n", [(1, b"a")]),
        (b"12345678\n", [(1, b"12345678")]),
        (b"123456789\nb\n", [(1, None), (2, b"b")]),
        (b"1234567890123456789012345678901234567890\nb\n", [(1, None), (2, b"b")]),
        (b"a\n123456789", [(1, b"a"), (2, None)]),
    ],
)
def test_lines_are_numbered_and_bounded(content: bytes, expected: list[object]) -> None:
    """Blank lines count and are left out; a line beyond the bound is told and costs no other."""
    assert _numbered(content) == expected


def test_ends_are_offsets_in_the_file() -> None:
    """The last end is the size of the file, so that progress reaches its total."""
    content = b"a\n123456789012345678901234567890\nb"
    assert [line.end for line in numbered(io.BytesIO(content), 8)] == [2, 33, len(content)]


async def test_a_line_is_there_before_the_next_is_written() -> None:
    """Whoever pipes one line at a time gets his answer at once."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb", buffering=0) as sink:
        feed = lines(source, 100, 4)
        sink.write(b"first\n")
        assert await anext(feed) == Line(1, b"first", 6)
        sink.write(b"second\n")
        assert await anext(feed) == Line(2, b"second", 13)
        sink.close()
        assert [line async for line in feed] == []


async def test_a_broken_source_is_an_error_and_not_an_end() -> None:
    """An input that fails in the middle is not taken for a short one."""

    class Broken(io.BytesIO):
        """Fails when read."""

        def readline(self, *_: object) -> bytes:
            """Fail."""
            raise OSError(5, "input/output error")

    with pytest.raises(OSError, match="input/output"):
        assert [line async for line in lines(Broken(), 100, 4)] == []


async def test_reading_stays_a_bounded_way_ahead() -> None:
    """A file of any size is never read into memory at once."""
    content = io.BytesIO(b"x\n" * 1000)
    feed = lines(content, 100, 4)
    await anext(feed)
    assert content.tell() <= 2 * (4 + 3)
    assert sum([1 async for _ in feed]) == 999
    assert not [t for t in threading.enumerate() if t.name == "lines" and not t.daemon]
