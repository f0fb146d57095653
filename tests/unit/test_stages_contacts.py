"""Whose a telephone number or a mail address is: a person's, a place's, or a correspondent's."""

import pytest

from guard.stages.contacts import letter_of
from policies.model import Effect
from tests.unit.screening import effect_of, reasons_of

LETTER = """From: Nora Lind <nora.lind@lumen-lamps.example>
To: Piet Maas <piet@maas-interiors.example>
Subject: Offer for the lobby

Dear Mr Maas,

the twelve lamps cost 4,320 euros, delivery included. If that suits you, I will have them made
by the end of March.

Kind regards,
Nora Lind
Lumen Lamps, 12 Quay Street
T +44 20 7946 0958
nora.lind@lumen-lamps.example
"""
LETTER_CN = """发件人：林诺 <lin.nuo@dengju.example>
收件人：马先生 <ma@neishi.example>
主题：大厅灯具报价

马先生，您好：

十二盏灯共计四万三千元，含运费。如果合适，三月底之前可以做好。

此致
林诺
灯具公司，电话 13800138000
"""


@pytest.mark.requirement("W6")
@pytest.mark.parametrize("text", [LETTER, LETTER_CN])
def test_those_who_write_and_are_written_to_hold_no_letter(text: str) -> None:
    """Addresses in the head and the contact data under the close are reported and not held."""
    assert reasons_of(text) == {"secrets.correspondent"}
    assert effect_of(text, 1) is Effect.ALLOW


@pytest.mark.requirement("W6")
@pytest.mark.parametrize(
    ("letter", "line"),
    [
        (LETTER, "Please call my neighbour Ann Lee, +44 7911 123456, ann.lee@mail.example.\n"),
        (LETTER_CN, "请联系我的邻居李安，手机 13912345678。\n"),
    ],
)
def test_a_third_person_in_a_letter_holds_it(letter: str, line: str) -> None:
    """Contact data in the body is somebody else's."""
    closing = "Kind regards" if letter is LETTER else "此致"
    text = letter.replace(closing, f"{line}\n{closing}")
    assert "secrets.contact" in reasons_of(text)
    assert effect_of(text, 1) is Effect.QUARANTINE


@pytest.mark.requirement("W6")
@pytest.mark.parametrize(
    "text",
    [
        "Ann Lee, born 1981, phone +44 20 7946 0958, ann.lee@mail.example, lives in Leeds.",
        "李安，1981年生，手机13800138000，住在杭州。",
        "To: ann.lee@mail.example",
        "Kind regards,\nAnn Lee\n+44 20 7946 0958",
    ],
)
def test_a_dossier_is_held(text: str) -> None:
    """Without the signs of a letter a head or a close alone makes none."""
    assert effect_of(text, 1) is Effect.QUARANTINE


@pytest.mark.requirement("W6")
def test_a_long_list_under_a_close_is_a_list() -> None:
    """More contacts than one signature has are held, letter or not."""
    rows = "\n".join(f"member {n}: m{n}@club.example" for n in range(9))
    text = f"Subject: the club\n\nDear all,\nhere is the list.\n\nBest regards,\n{rows}\n"
    assert reasons_of(text) == {"secrets.contact", "secrets.correspondent"}
    assert effect_of(text, 1) is Effect.QUARANTINE


@pytest.mark.requirement("W6")
@pytest.mark.parametrize(
    "text",
    [
        "Questions? Call us at +44 20 7946 0958.",
        "Reservations: (202) 456-1111",
        "Our office can be reached under +44 20 7946 0958 on weekdays.",
        "Toll-free 800-555-0199 day and night.",
        "Write to orders@lamps.example or careers+2026@lamps.example.",
        "Warranty: warranty@lamps.example, stories to editor@lamps.example.",
        "客服热线：010-65529988",
        "报名电话 010-65529988，周一至周五。",
        "全国统一热线 400 810 8888",
        "The new team phone is 020 7946 0958.",
        "Track your parcel online or dial 0345 600 1234.",
        "Complaints go to the ombudswoman at ombud@lamps.example.",
        "Press officer: Amelie Durand, +33 2 40 12 34 56.",
        "各位同事：部门新座机 021-55667788。",
        "诊所已搬迁，电话改为 0512-66558899。",
    ],
)
def test_a_line_of_a_place_is_public(text: str) -> None:
    """Numbers and mailboxes by which a place wants to be reached are reported and not held."""
    assert reasons_of(text) <= {"secrets.public_contact"}
    assert effect_of(text, 0) is Effect.ALLOW


@pytest.mark.requirement("W6")
def test_whoever_signs_a_change_is_named_in_public() -> None:
    """The author of a commit is no secret of it; somebody named in its text is."""
    commit = "commit 4be1f09c\nAuthor: Mika Aho <mika@lamps.example>\n\n    Dim the lamps"
    assert effect_of(commit, 1) is Effect.ALLOW
    assert effect_of(f"{commit} as ann.lee@mail.example asked", 1) is Effect.QUARANTINE


@pytest.mark.requirement("W6")
def test_a_letter_takes_two_signs() -> None:
    """A head and a subject, or a salutation and a close; one of them alone is anybody's line."""
    assert letter_of(LETTER).heads != ()
    assert letter_of("Dear Piet,\n\nall is well.\n\nBest regards,\nNora").signatures != ()
    assert letter_of("From: nora@lamps.example") == letter_of("nothing")


@pytest.mark.requirement("W6")
@pytest.mark.parametrize(
    "text",
    [
        "The lamps for the lobby are ready. If noon suits you better, call me on +44 7911 123456.",
        (
            "大厅的灯具周二已经做好，安装时间由您定；如果中午更方便，"
            "随时可以打我电话 13800138000 商量。"
        ),
        (
            "The gate stays shut until Friday while the yard is being paved, "
            "so please bring no lamps. — nora@lumen-lamps.example"
        ),
        "您好，看到您转让自行车，还在吗？我周日可以过去，我的电话 15011223344。",
        'mail.read(17): from "Olu Adeyemi" <olu@lamps.example>: "See you at seven, all is booked."',
    ],
)
def test_how_a_writer_is_reached_himself_holds_no_message(text: str) -> None:
    """A message says how to reach its writer; the same number of a third person holds it."""
    assert reasons_of(text) == {"secrets.correspondent"}
    assert effect_of(text, 1) is Effect.ALLOW
    other = text.replace("call me", "call Ann Lee").replace("打我电话", "打李安手机")
    assert other == text or effect_of(other, 1) is Effect.QUARANTINE
