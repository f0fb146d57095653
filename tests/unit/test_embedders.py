"""The embedder at an endpoint: what it sends, what it believes, and how it fails."""

import asyncio
import datetime as dt
import ssl
from collections.abc import AsyncIterator, Iterator
from email.utils import format_datetime
from ipaddress import ip_address
from pathlib import Path

import msgspec
import numpy as np
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from guard.errors import InvalidError, UnavailableError
from guard.models.batching import BatchBounds
from guard.models.calling import is_private
from guard.models.remote import Endpoint, RemoteEmbedder
from guard.models.vectors import Prefixes
from guard.ports import Purpose
from tests.contracts.embedding_double import (
    DIMENSIONS,
    MODEL,
    Answer,
    Asked,
    EndpointDouble,
    Reply,
    endpoint,
    holding,
    sound,
    status,
    vectors,
)

TEXT = "The staging database listens on port 5433."
UNIT = [1.0, *[0.0] * (DIMENSIONS - 1)]


@pytest.fixture
def double() -> Iterator[EndpointDouble]:
    """Yield a serving double."""
    with endpoint() as serving:
        yield serving


def at(double: EndpointDouble) -> Endpoint:
    """Return where the double answers; pauses between attempts are too short to notice."""
    return Endpoint(url=double.url, model=MODEL, dimensions=DIMENSIONS, backoff=0.001)


@pytest.fixture
async def embedder(double: EndpointDouble) -> AsyncIterator[RemoteEmbedder]:
    """Yield an embedder at the double."""
    embedder = RemoteEmbedder(at(double))
    yield embedder
    await embedder.close()


# ---- what it sends ---------------------------------------------------------------------------


@pytest.mark.requirement("S7")
async def test_a_request_says_what_the_interface_asks_for(
    double: EndpointDouble, embedder: RemoteEmbedder
) -> None:
    """Model, texts and plain floats go to /embeddings; no key and no length that nobody set."""
    await embedder.embed([TEXT, "ok"])
    (asked,) = double.asked
    assert asked.path == "/v1/embeddings"
    assert asked.body == {"model": MODEL, "input": [TEXT, "ok"], "encoding_format": "float"}
    assert "authorization" not in asked.headers
    assert asked.headers["content-type"] == "application/json"


async def test_key_and_length_are_sent_when_they_are_configured(double: EndpointDouble) -> None:
    """The key goes into one header and shows in no repr."""
    keyed = msgspec.structs.replace(at(double), key=_Key("k-123").reveal, request_dimensions=True)
    assert "k-123" not in repr(keyed)
    embedder = RemoteEmbedder(keyed)
    await embedder.embed([TEXT])
    await embedder.close()
    assert double.asked[0].headers["authorization"] == "Bearer k-123"
    assert double.asked[0].body["dimensions"] == DIMENSIONS


class _Key:
    """Holds a secret as the settings do."""

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return it."""
        return self._value


async def test_a_question_is_marked_otherwise_than_a_memory(double: EndpointDouble) -> None:
    """Each gets its own prefix, and the prefixes are part of the embedder's name."""
    plain = at(double)
    marked = msgspec.structs.replace(plain, prefixes=Prefixes("query: ", "passage: "))
    embedder, other = RemoteEmbedder(marked), RemoteEmbedder(plain)
    await embedder.embed([TEXT])
    await embedder.embed([TEXT], Purpose.QUESTION)
    assert [a.body["input"] for a in double.asked] == [[f"passage: {TEXT}"], [f"query: {TEXT}"]]
    assert embedder.id.name != other.id.name
    assert embedder.id.name.startswith(f"remote:{MODEL}/")
    await embedder.close()
    await other.close()


async def test_long_and_blank_texts_are_sent_so_that_an_endpoint_takes_them(
    double: EndpointDouble,
) -> None:
    """Long ones are cut, blank ones become a full stop."""
    embedder = RemoteEmbedder(msgspec.structs.replace(at(double), max_characters=5))
    await embedder.embed(["记忆" * 5, "", " \n"])
    await embedder.close()
    assert double.asked[0].body["input"] == ["记忆记忆记", ".", "."]


@pytest.mark.requirement("E8")
async def test_what_waits_goes_out_in_one_request(double: EndpointDouble) -> None:
    """While one request runs, the others queue and share the next."""
    double.gate.clear()
    embedder = RemoteEmbedder(at(double), BatchBounds(lanes=1))
    first = asyncio.ensure_future(embedder.embed(["first"]))
    assert await asyncio.to_thread(double.entered.wait, 30)
    others = [asyncio.ensure_future(embedder.embed([f"text {i}"])) for i in range(9)]
    await asyncio.sleep(0)
    double.gate.set()
    await asyncio.gather(first, *others)
    await embedder.close()
    assert [len(asked.body["input"]) for asked in double.asked] == [1, 9]


@pytest.mark.requirement("E8")
async def test_as_many_requests_run_at_once_as_there_are_lanes(double: EndpointDouble) -> None:
    """Two callers are with the endpoint at the same time, and a third waits."""
    double.gate.clear()
    embedder = RemoteEmbedder(at(double), BatchBounds(lanes=2, texts=1))
    callers = [asyncio.ensure_future(embedder.embed([f"{i}"])) for i in range(3)]
    async with asyncio.timeout(30):
        while len(double.asked) < 2:  # noqa: ASYNC110 - the double runs in threads of its own
            await asyncio.sleep(0.001)
    assert len(double.asked) == 2
    double.gate.set()
    await asyncio.gather(*callers)
    await embedder.close()
    assert len(double.asked) == 3


# ---- what it believes ------------------------------------------------------------------------


@pytest.mark.requirement("R1", "S7")
async def test_vectors_come_in_the_order_of_the_texts_and_at_unit_length(
    double: EndpointDouble, embedder: RemoteEmbedder
) -> None:
    """The double answers last text first and three times too long."""
    texts = ["one", "two", "three"]
    answers = await embedder.embed(texts)
    for given, expected in zip(answers, vectors(texts), strict=True):
        np.testing.assert_allclose(given["main"] * 3, expected, atol=1e-5)
    assert len(double.asked) == 1


BELIEVED: dict[str, Answer] = {
    "plain": holding(UNIT),
    "whole numbers": holding([1, *[0] * (DIMENSIONS - 1)]),
    "long": holding([250.0] * DIMENSIONS),
}
REFUSED: dict[str, Answer] = {
    "no json": lambda _: Reply(body=b"<html>"),
    "empty": lambda _: Reply(body=b""),
    "no list": lambda _: Reply(body=b'{"data": {}}'),
    "base64": holding("AACAPwAAAAA="),
    "none": holding(),
    "too many": holding(UNIT, UNIT),
    "another index": holding(UNIT, start=1),
    "negative index": holding(UNIT, start=-1),
    "too short": holding(UNIT[:-1]),
    "too long": holding([*UNIT, 0.0]),
    "no direction": holding([0.0] * DIMENSIONS),
    "beyond float": lambda _: Reply(
        body=b'{"data": [{"index": 0, "embedding": [' + b"1e999," * (DIMENSIONS - 1) + b"1]}]}"
    ),
    "not a number": lambda _: Reply(
        body=b'{"data": [{"index": 0, "embedding": [' + b"NaN," * (DIMENSIONS - 1) + b"1]}]}"
    ),
    "null": holding([None] * DIMENSIONS),
    "endless": lambda _: Reply(body=b" " * 200_000),
    "elsewhere": status(307, Location="http://192.0.2.1/v1/embeddings"),
    "no key": status(401),
    "no model": status(404),
    "no content": status(204),
}


@pytest.mark.requirement("S7", "W11")
@pytest.mark.parametrize("answer", REFUSED.values(), ids=REFUSED.keys())
async def test_an_answer_that_is_wrong_in_any_way_is_unavailable(
    double: EndpointDouble, embedder: RemoteEmbedder, answer: Answer
) -> None:
    """It is asked once, nothing of it is used, and the next sound answer is."""
    double.answers.append(answer)
    with pytest.raises(UnavailableError) as raised:
        await embedder.embed([TEXT])
    assert raised.value.what == "embedder"
    assert TEXT not in str(raised.value)
    assert len(double.asked) == 1
    assert len(await embedder.embed([TEXT])) == 1


@pytest.mark.requirement("S7")
@pytest.mark.parametrize("answer", BELIEVED.values(), ids=BELIEVED.keys())
async def test_a_sound_answer_is_believed(
    double: EndpointDouble, embedder: RemoteEmbedder, answer: Answer
) -> None:
    """The control of the test above: the same builder of answers, without the fault."""
    double.answers.append(answer)
    (found,) = await embedder.embed([TEXT])
    assert np.linalg.norm(found["main"]) == pytest.approx(1.0, abs=1e-5)


# ---- how it fails ----------------------------------------------------------------------------


@pytest.mark.requirement("W11", "E8")
@pytest.mark.parametrize("code", [0, 408, 429, 500, 502, 503, 504])
async def test_a_busy_endpoint_is_asked_again(
    double: EndpointDouble, embedder: RemoteEmbedder, code: int
) -> None:
    """A hang-up or a status that passes is tried at most three times, and the third may succeed."""
    busy = status(code, Retry_After="0") if code else status(0)
    double.answers += [busy, busy]
    assert len(await embedder.embed([TEXT])) == 1
    assert len(double.asked) == 3
    double.answers += [busy, busy, busy]
    with pytest.raises(UnavailableError):
        await embedder.embed([TEXT])
    assert len(double.asked) == 6


@pytest.mark.requirement("E8")
@pytest.mark.parametrize("far", ["120", "date"])
async def test_an_endpoint_that_wants_rest_beyond_the_deadline_gets_it(
    double: EndpointDouble, embedder: RemoteEmbedder, far: str
) -> None:
    """Nobody waits for it in vain: the caller learns at once when to come again."""
    later = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=120)
    header = format_datetime(later, usegmt=True) if far == "date" else far
    double.answers.append(status(429, Retry_After=header))
    with pytest.raises(UnavailableError) as raised:
        await embedder.embed([TEXT])
    assert 100 < raised.value.retry_after <= 120
    assert len(double.asked) == 1


@pytest.mark.requirement("E8")
@pytest.mark.parametrize("header", ["soon", "nan", "inf", "-5", "Mon, 99 Foo 2026", ""])
async def test_a_senseless_wish_for_rest_is_no_reason_to_fail(
    double: EndpointDouble, embedder: RemoteEmbedder, header: str
) -> None:
    """The own pause is taken instead."""
    double.answers.append(status(503, Retry_After=header))
    assert len(await embedder.embed([TEXT])) == 1


@pytest.mark.requirement("E8")
async def test_an_endpoint_that_does_not_answer_costs_its_deadline(double: EndpointDouble) -> None:
    """The request ends with it, although nobody answered."""
    double.gate.clear()
    embedder = RemoteEmbedder(msgspec.structs.replace(at(double), deadline=0.05))
    with pytest.raises(UnavailableError) as raised:
        await embedder.embed([TEXT])
    assert "no answer in time" in str(raised.value)
    double.gate.set()
    await embedder.close()


@pytest.mark.requirement("W11")
async def test_an_outage_fails_all_callers_of_a_batch_without_asking_for_each(
    double: EndpointDouble,
) -> None:
    """Ten callers in one batch cost three requests, not thirty."""
    double.gate.clear()
    embedder = RemoteEmbedder(at(double), BatchBounds(lanes=1))
    first = asyncio.ensure_future(embedder.embed(["first"]))
    assert await asyncio.to_thread(double.entered.wait, 30)
    others = [asyncio.ensure_future(embedder.embed([f"text {i}"])) for i in range(10)]
    await asyncio.sleep(0)
    double.answers.append(sound)
    double.always = status(503)
    double.gate.set()
    assert len(await first) == 1
    failed = await asyncio.gather(*others, return_exceptions=True)
    assert all(isinstance(one, UnavailableError) for one in failed)
    assert len(double.asked) == 1 + 3
    await embedder.close()


@pytest.mark.requirement("W11")
async def test_a_text_that_the_endpoint_refuses_fails_its_own_caller_alone(
    double: EndpointDouble,
) -> None:
    """The others of its batch are asked for again without it."""

    def picky(asked: Asked) -> Reply:
        return status(400)(asked) if "poison" in asked.body["input"] else sound(asked)

    double.gate.clear()
    double.always = picky
    embedder = RemoteEmbedder(at(double), BatchBounds(lanes=1))
    first = asyncio.ensure_future(embedder.embed(["first"]))
    assert await asyncio.to_thread(double.entered.wait, 30)
    good, bad = (asyncio.ensure_future(embedder.embed([text])) for text in ("good", "poison"))
    await asyncio.sleep(0)
    double.gate.set()
    assert len(await first) + len(await good) == 2
    with pytest.raises(UnavailableError):
        await bad
    await embedder.close()


@pytest.mark.requirement("W11")
async def test_an_endpoint_that_is_not_there_is_unavailable(double: EndpointDouble) -> None:
    """A refused connection is an outage like any, and the reason names its kind."""
    nowhere = msgspec.structs.replace(at(double), url="http://127.0.0.1:9/v1")
    embedder = RemoteEmbedder(nowhere)
    with pytest.raises(UnavailableError, match="ConnectError"):
        await embedder.embed([TEXT])
    await embedder.close()


# ---- who may listen --------------------------------------------------------------------------


@pytest.mark.requirement("E14")
@pytest.mark.parametrize(
    ("url", "private"),
    [
        ("https://models.example/v1", True),
        ("http://127.0.0.1:8000/v1", True),
        ("http://127.9.9.9/v1", True),
        ("http://[::1]:8000/v1", True),
        ("http://localhost:8000/v1", True),
        ("http://models.example/v1", False),
        ("http://127.0.0.1.example/v1", False),
        ("http://0.0.0.0/v1", False),
        ("http://192.0.2.7/v1", False),
        ("ftp://127.0.0.1/v1", False),
        ("http:///v1", False),
    ],
)
async def test_plain_http_is_for_the_loopback_address_alone(url: str, *, private: bool) -> None:
    """Anything else is refused before a word is sent."""
    assert is_private(url) == private
    told = Endpoint(url=url, model=MODEL, dimensions=DIMENSIONS)
    if private:
        await RemoteEmbedder(told).close()
    else:
        with pytest.raises(InvalidError):
            RemoteEmbedder(told)


@pytest.mark.requirement("E14")
async def test_a_certificate_that_nobody_vouches_for_ends_the_talk(tmp_path: Path) -> None:
    """Nothing is sent to such a server; with its authority in a file, the same server is asked."""
    authority = _self_signed(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority, tmp_path / "key.pem")
    with endpoint(context) as double:
        stranger = RemoteEmbedder(at(double))
        with pytest.raises(UnavailableError):
            await stranger.embed([TEXT])
        assert double.asked == []
        await stranger.close()
        known = RemoteEmbedder(msgspec.structs.replace(at(double), ca_file=authority))
        assert len(await known.embed([TEXT])) == 1
        await known.close()


async def test_an_authority_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """A missing or foreign file never means to believe everybody."""
    foreign = tmp_path / "ca.pem"
    foreign.write_text("no certificate")
    for file in (foreign, tmp_path / "missing.pem"):
        told = Endpoint(
            url="https://models.example/v1", model=MODEL, dimensions=DIMENSIONS, ca_file=file
        )
        with pytest.raises(InvalidError, match="ca_file"):
            RemoteEmbedder(told)


def _self_signed(folder: Path) -> Path:
    """Write a key and a certificate for the loopback address; return the certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "double")])
    start = dt.datetime.now(dt.UTC) - dt.timedelta(days=1)
    address = x509.IPAddress(ip_address("127.0.0.1"))
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + dt.timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "key.pem").write_bytes(secret)
    (folder / "cert.pem").write_bytes(certificate.public_bytes(pem))
    return folder / "cert.pem"
