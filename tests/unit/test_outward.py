"""A tenant's webhook leads nowhere that its tenant could not go, whatever its name leads to."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from gateway.app.outward import Outward, looked_up
from gateway.settings import SettingsError
from guard.errors import InvalidError
from guard.hooks import Address, is_public, place_of
from tests.receiver import Receiver, receiving

PUBLIC = ip_address("93.184.216.34")
LOOPBACK = ip_address("127.0.0.1")
SECONDS = 5.0
NOBODY: frozenset[str] = frozenset()


class Names:
    """Looks names up as told: one answer after the other, the last for good."""

    def __init__(self, *answers: list[Address]) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, int]] = []

    async def __call__(self, host: str, port: int) -> list[Address]:
        """Return the next answer."""
        self.asked.append((host, port))
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@pytest.mark.requirement("Q7")
@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1"),  # noqa: S104
        *("169.254.169.254", "100.64.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1"),
        *("255.255.255.255", "::", "::1", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1"),
        *("192.0.0.8", "192.0.0.192", "192.88.99.1", "168.63.129.16", "3fff::1"),
        *("::ffff:127.0.0.1", "::ffff:93.184.216.34", "::127.0.0.1", "64:ff9b::7f00:1"),
        *("64:ff9b:1::7f00:1", "2002:7f00:1::", "2001:0:7f00:1::1", "2001:db8::1", "fec0::1"),
    ],
)
def test_no_private_address_is_public(address: str) -> None:
    """Nor one that leads to another, nor one that nobody has."""
    assert not is_public(ip_address(address))


@pytest.mark.requirement("Q7")
@pytest.mark.parametrize("address", ["93.184.216.34", "8.8.8.8", "2606:4700:4700::1111"])
def test_a_public_address_is_public(address: str) -> None:
    """The control."""
    assert is_public(ip_address(address))


@pytest.mark.requirement("Q7")
@pytest.mark.parametrize(
    "url",
    [
        "http://siem.example/hook",
        "ftp://siem.example/hook",
        "file:///etc/passwd",
        "https://",
        "https:///hook",
        "https://user:secret@siem.example/hook",
        "https://siem.example/hook#part",
        "https://siem.example/a b",
        "https://siem.example/a\r\nHost: other",
        "https://siem.example\\@10.0.0.1/",
        "https://siem.example:99999/",
        "https://127.0.0.1/hook",
        "https://127.0.0.1./hook",
        "https://10.0.0.1:8443/hook",
        "https://[::1]/hook",
        "https://[::ffff:10.0.0.1]/hook",
        "https://169.254.169.254/latest/meta-data",
        "https://münchen.example/",
        "https://siem.example/" + "x" * 2048,
        "//siem.example/hook",
        "siem.example",
    ],
)
def test_a_url_that_is_none_of_theirs_is_refused(url: str) -> None:
    """Before any name is looked up, and without a word of it."""
    with pytest.raises(InvalidError) as refused:
        place_of(url, NOBODY)
    assert url not in str(refused.value)


@pytest.mark.requirement("Q7")
def test_what_the_operator_names_is_allowed_with_its_port() -> None:
    """Neither another port of it nor another host."""
    allowed = frozenset({"127.0.0.1:8088", "siem.internal:443", "[::1]:9"})
    for url in ("http://127.0.0.1:8088/x", "http://[::1]:9/", "https://SIEM.internal/x"):
        assert place_of(url, allowed).allowed
    for url in ("http://127.0.0.1:8089/x", "http://siem.internal/x", "http://localhost:8088/"):
        with pytest.raises(InvalidError):
            place_of(url, allowed)
    assert not place_of("https://siem.example/x", allowed).allowed


async def post(outward: Outward, url: str) -> tuple[int, str]:
    """Post something; return how it ended."""
    answer = await outward.post(url, {"webhook-id": "1"}, b"{}")
    return answer.status, answer.reason


def allowing(receiver: Receiver, *more: str) -> frozenset[str]:
    """Return what an operator says to have a receiver allowed."""
    return frozenset({receiver.place, *more})


@pytest.mark.requirement("Q7")
async def test_a_name_that_leads_inside_is_not_gone_to() -> None:
    """Though it is a public name, and leads elsewhere as well; an allowed name is the control."""
    async with receiving() as inside:
        url = f"https://siem.example:{inside.port}/hook"
        for found in ([LOOPBACK], [PUBLIC, LOOPBACK], [LOOPBACK, PUBLIC], []):
            outward = Outward(NOBODY, SECONDS, resolve=Names(found))
            assert await post(outward, url) == (0, "refused.address")
        assert inside.received == []
        named = frozenset({f"siem.example:{inside.port}"})
        outward = Outward(named, SECONDS, resolve=Names([LOOPBACK]))
        assert await post(outward, url.replace("https", "http")) == (204, "status.204")
        (received,) = inside.received
        assert received.fields["host"] == f"siem.example:{inside.port}"
        assert received.path == "/hook"


@pytest.mark.requirement("Q7")
async def test_a_name_that_changes_where_it_leads_is_asked_but_once() -> None:
    """The connection goes to the address that was looked at, not to what the name leads to next."""
    async with receiving() as inside:
        names = Names([PUBLIC], [LOOPBACK])
        outward = Outward(NOBODY, 0.5, resolve=names)
        status, reason = await post(outward, f"https://siem.example:{inside.port}/hook")
        assert (status, reason) in {(0, "unreachable"), (0, "timeout")}
        assert names.asked == [("siem.example", inside.port)]
        assert inside.received == []
        # The next post looks it up anew, and sees where it leads by now.
        again = await post(outward, f"https://siem.example:{inside.port}/hook")
        assert again == (0, "refused.address")
        assert inside.received == []


@pytest.mark.requirement("Q7")
async def test_no_redirect_is_followed() -> None:
    """Wherever it leads: what may be gone to is where the tenant said."""
    async with receiving() as outside, receiving() as inside:
        outward = Outward(allowing(outside, inside.place), SECONDS)
        for status in ("301 Moved", "302 Found", "307 Again", "308 For Good"):
            outside.answers = [f"{status}\r\nLocation: http://{inside.place}/"]
            code = int(status.partition(" ")[0])
            assert await post(outward, f"http://{outside.place}/") == (code, "refused.redirect")
        assert len(outside.received) == 4
        assert inside.received == []
        assert await post(outward, f"http://{inside.place}/") == (204, "status.204")


@pytest.mark.requirement("Q7")
async def test_an_endpoint_takes_no_longer_than_it_may_and_is_not_read() -> None:
    """One that never answers, and one whose answer never ends."""
    async with receiving() as receiver:
        receiver.silent = True
        outward = Outward(allowing(receiver), 0.3)
        assert await post(outward, f"http://{receiver.place}/") == (0, "timeout")
    async with receiving() as receiver:
        receiver.endless = True
        outward = Outward(allowing(receiver), SECONDS)
        assert await post(outward, f"http://{receiver.place}/") == (204, "status.204")


@pytest.mark.requirement("Q7")
async def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy would be asked to go where we must not."""
    async with receiving() as proxy, receiving() as receiver:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://{proxy.place}")
        outward = Outward(allowing(receiver), SECONDS)
        assert await post(outward, f"http://{receiver.place}/") == (204, "status.204")
        assert proxy.received == []


async def test_the_systems_names_are_looked_up() -> None:
    """As addresses."""
    found = await looked_up("localhost", 80)
    assert found
    assert all(one.is_loopback for one in found)


def _certificate(folder: Path, host: str) -> tuple[Path, Path]:
    """Make a certificate for a host, signed by its own key."""
    key = generate_private_key(SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "endpoint")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .sign(key, SHA256())
    )
    cert, private = folder / "cert.pem", folder / "key.pem"
    cert.write_bytes(made.public_bytes(Encoding.PEM))
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return cert, private


@pytest.mark.requirement("Q7")
async def test_a_certificate_is_that_of_the_name_though_the_address_is_gone_to(
    tmp_path: Path,
) -> None:
    """Another name at the same address is not believed, nor is who is not trusted at all."""
    cert, key = _certificate(tmp_path, "siem.test")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(cert, key)
    async with receiving(context) as receiver:
        allowed = frozenset({f"siem.test:{receiver.port}", f"other.test:{receiver.port}"})
        outward = Outward(allowed, SECONDS, cert, Names([LOOPBACK]))
        other = await post(outward, f"https://other.test:{receiver.port}/")
        assert other == (0, "unreachable")
        untrusting = Outward(allowed, SECONDS, None, Names([LOOPBACK]))
        assert await post(untrusting, f"https://siem.test:{receiver.port}/") == (0, "unreachable")
        assert receiver.received == []
        good = await post(outward, f"https://siem.test:{receiver.port}/")
        assert good == (204, "status.204")
        assert receiver.received[0].fields["host"] == f"siem.test:{receiver.port}"
    with pytest.raises(SettingsError):
        Outward(allowed, SECONDS, key)
