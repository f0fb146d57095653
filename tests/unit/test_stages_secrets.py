"""Secrets and personal data: found exactly where they are, and nowhere else."""

import base64

import pytest

from guard.redact import redact
from policies.model import Effect, Finding, Severity, Span
from tests.unit.screening import effect_of, findings_of

PEM = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIrYSSNQFaA2Hwf1duRS\n-----END EC PRIVATE KEY-----"
HEADER = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').decode().rstrip("=")
BODY = base64.urlsafe_b64encode(b'{"sub":"somebody-else"}').decode().rstrip("=")


def secrets_of(text: str) -> dict[str, list[str]]:
    """Return what the secrets stage found, by code, as it stands in the text."""
    return {
        f.code: [text[s.start : s.end] for s in f.spans]
        for f in findings_of(text)
        if f.stage == "secrets"
    }


@pytest.mark.requirement("W6")
@pytest.mark.parametrize(
    ("text", "code", "value"),
    [
        ("key AKIAQ4R7TSZ2NLWXKJ3V in use", "credential", "AKIAQ4R7TSZ2NLWXKJ3V"),
        ("use ghp_" + "a1B2" * 9, "credential", "ghp_" + "a1B2" * 9),
        ("glpat-" + "x" * 20, "credential", "glpat-" + "x" * 20),
        ("sk-proj-" + "Ab3" * 12, "credential", "sk-proj-" + "Ab3" * 12),
        (f"token {HEADER}.{BODY}.", "credential", f"{HEADER}.{BODY}."),
        (f"my key: {PEM} thanks", "credential", PEM),
        ("Authorization: Bearer abcdef0123456789ABCDEF", "credential", "abcdef0123456789ABCDEF"),
        ("db is postgres://app:s3cr3t@db.example/x", "credential", "s3cr3t"),
        ("my password is hunter2!x", "credential", "hunter2!x"),
        ("password=changeme", "credential", "changeme"),
        ("API key: 9f8e7d6c5b4a", "credential", "9f8e7d6c5b4a"),
        (
            "secret access key = wKalrXUtnF/K7MDENG/bPxRfiCYZ0qw9tPLEK1uvw2",
            "credential",
            "wKalrXUtnF/K7MDENG/bPxRfiCYZ0qw9tPLEK1uvw2",
        ),
        ("我的密码是abc12345。", "credential", "abc12345"),
        ("数据库口令：Qwer-9876", "credential", "Qwer-9876"),
        ("验证码：482913", "credential", "482913"),
        ("CVV: 318", "credential", "318"),
        ("card 4111 1111 1111 1111 ok", "card", "4111 1111 1111 1111"),
        ("card 378282246310005", "card", "378282246310005"),
        ("卡号6222021234567890128", "card", "6222021234567890128"),
        ("身份证11010519491231002X", "national_id", "11010519491231002X"),
        ("SSN 536-90-4399", "national_id", "536-90-4399"),
        ("护照号：E12345678", "national_id", "E12345678"),
        ("her passport number is C01X00T47", "national_id", "C01X00T47"),
        ("driver's licence: D1234567", "national_id", "D1234567"),
        ("台胞证号码 12345678", "national_id", "12345678"),
        ("HKID A123456(3)", "national_id", "A123456(3)"),
        ("CPF 529.982.247-25", "national_id", "529.982.247-25"),
        ("codice fiscale RSSMRA85T10A562S", "national_id", "RSSMRA85T10A562S"),
        ("支付密码 123456", "credential", "123456"),
        ("password = pa.ss9word(x", "credential", "pa.ss9word(x"),
        ("IBAN DE89 3704 0044 0532 0130 00 please", "account", "DE89 3704 0044 0532 0130 00"),
        ("mail ann.lee@mail.example now", "contact", "ann.lee@mail.example"),
        ("call +44 20 7946 0958 now", "contact", "+44 20 7946 0958"),
        ("我的手机号是13800138000", "contact", "13800138000"),
        ("电话：010-65529988", "contact", "010-65529988"),
        ("phone (202) 456-1111", "contact", "(202) 456-1111"),
    ],
)
def test_a_secret_is_found_with_its_place(text: str, code: str, value: str) -> None:
    """Each kind is found, and its span is the secret itself so that it alone can be cut out."""
    assert value in secrets_of(text).get(code, [])


@pytest.mark.requirement("W6")
@pytest.mark.parametrize(
    "text",
    [
        "order SF123456 was shipped on 2024-05-01",
        "订单 SF1234567890 已发货，端口 8080",
        "the commit is 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
        "tracking 9400111899223817204561",
        "order number 4111111111111111",
        "uuid 123e4567-e89b-12d3-a456-426614174000",
        "the password is required and expires soon",
        "password: ******** (hidden)",
        "api_key=${API_KEY} in the template",
        "密码是必填项",
        "I lost the token for the bus",
        "4111 1111 1111 1112 is a broken number",
        "身份证号 110105194912310021 写错了",
        "2025551234 rows were read",
        "version 10.2.13.44 of the tool",
        "the IBAN field DE00 0000 0000 0000 0000 00 is a dummy",
        "meet at 10:30-11:30, room 1380",
        'token = request.headers["Authorization"]',
        "password = get_password()",
        'api_key=os.environ["API_KEY"]',
        "self.token = self._token",
        "credential = Credential.from_env()",
        "def login(password: str, token: str) -> None:",
        "design token: #ff00aa",
        'docker run --rm -it -v "$PWD":/work image',
        "sudo: deploy : TTY=pts/0 ; PWD=/srv/app",
        "let secret = rand::random::<u8>()",
        "it is protected with a password: old/tax2016.zip",
        "x-api-key: <your key>",
        "set PASSWORD=DB_PASSWORD_FILE",
        "background: #1a2b3c; color: #ffffff",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhg",
        "2026-11-30T02:45:27.123456Z INFO the call took 1234567 us in hotel 12 345 678 90",
        "ERROR 500123 at 0x7ffee4b2a8c0, pid 1764470727, ts 1764470727123",
        "the visa expires on 2027-01-15 and the passport on 2031-03-02",
        "HKID A123456(4) has a wrong digit",
        "CPF 529.982.247-26 is made up",
    ],
)
def test_ordinary_numbers_and_words_are_no_secrets(text: str) -> None:
    """Order numbers, hashes, ports, placeholders and wrong checksums are left alone."""
    assert secrets_of(text) == {}


@pytest.mark.requirement("W2", "W6")
def test_a_disguised_secret_is_cut_where_it_stands() -> None:
    """An encoded credential is found, and its evidence is the encoded run."""
    coded = base64.b64encode(b"the password=Tr0ub4dor&3 here").decode()
    text = f"note {coded} end"
    assert secrets_of(text)["credential"] == [coded]


@pytest.mark.requirement("W6")
def test_a_key_split_by_invisible_characters_is_found() -> None:
    """Zero-width characters inside a key hide nothing, and are cut with it."""
    text = "key AKIA\u200bQ4R7TSZ2NLWXKJ3V"
    assert secrets_of(text)["credential"] == ["AKIA\u200bQ4R7TSZ2NLWXKJ3V"]


@pytest.mark.requirement("W6")
def test_every_occurrence_has_a_span() -> None:
    """A text with many secrets is cut in all of its places."""
    text = " ".join(f"ghp_{i:036d}" for i in range(40))
    found = [f for f in findings_of(text) if f.code == "credential"]
    assert "ghp_" not in redact(text, found)


@pytest.mark.requirement("W6")
def test_a_public_mailbox_weighs_nothing() -> None:
    """A company's public address is reported and not held; a person's is held from outside."""
    assert effect_of("write to support@shop.example", 0) is Effect.ALLOW
    assert effect_of("write to ann.lee@shop.example", 0) is Effect.QUARANTINE


@pytest.mark.requirement("W6")
@pytest.mark.parametrize(
    ("text", "outside", "agent", "subject"),
    [
        ("my password is hunter2!x", Effect.QUARANTINE, Effect.REDACT, Effect.REDACT),
        ("card 4111 1111 1111 1111", Effect.QUARANTINE, Effect.REDACT, Effect.REDACT),
        ("身份证11010519491231002X", Effect.QUARANTINE, Effect.REDACT, Effect.REDACT),
        ("reach me at jo@mail.example", Effect.QUARANTINE, Effect.ALLOW, Effect.ALLOW),
        ("我的手机号是13800138000", Effect.QUARANTINE, Effect.ALLOW, Effect.ALLOW),
    ],
)
def test_the_strict_profile_treats_each_class_by_trust(
    text: str, outside: Effect, agent: Effect, subject: Effect
) -> None:
    """Credentials are redacted, contact data of the subject kept, all of it held from outside."""
    assert [effect_of(text, trust) for trust in (1, 2, 3)] == [outside, agent, subject]


@pytest.mark.requirement("W6")
def test_redaction_cuts_the_spans_and_nothing_else() -> None:
    """What stands around a secret stays."""
    text = "my password is hunter2!x and my cat is Tom"
    found = [f for f in findings_of(text) if f.stage == "secrets"]
    assert redact(text, found) == "my password is [redacted:credential] and my cat is Tom"


@pytest.mark.requirement("W6")
def test_overlapping_spans_become_one() -> None:
    """Spans that overlap, touch or nest are cut once, whatever their order."""
    one = Finding("s", "a", Severity.HIGH, spans=(Span(6, 9), Span(2, 5)))
    two = Finding("s", "b", Severity.HIGH, spans=(Span(3, 6), Span(4, 5)))
    assert redact("0123456789", (one, two)) == "01[redacted:a]9"
    assert redact("0123456789", (two, one)) == "01[redacted:a]9"
    assert redact("0123456789", ()) == "0123456789"


@pytest.mark.requirement("W6")
def test_a_span_outside_the_text_is_refused() -> None:
    """What can't be cut is an error and never passes as cut."""
    with pytest.raises(ValueError, match="outside"):
        redact("short", (Finding("s", "a", Severity.HIGH, spans=(Span(3, 9),)),))
