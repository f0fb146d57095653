"""What says quickly that a text holds no secret never says so of one that does."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guard.stages import secrets

_FEW = settings(max_examples=4, suppress_health_check=list(HealthCheck), deadline=None)


@pytest.mark.requirement("W6")
@pytest.mark.parametrize("pattern", secrets._EVERY_TOKEN, ids=range(len(secrets._EVERY_TOKEN)))
def test_whatever_a_pattern_of_tokens_finds_is_looked_for(pattern: re.Pattern[str]) -> None:
    """Texts made from each pattern, in whatever letters and digits it allows."""

    @_FEW
    @given(st.from_regex(pattern))
    def check(text: str) -> None:
        assert pattern.search(text) is not None
        assert secrets._may_be_token(text, text.casefold())

    check()


@pytest.mark.requirement("W6")
@pytest.mark.parametrize(
    "label",
    [
        *("password", "PassWD", "passphrase", "passcode", "PWD", "api_key", "secret access key"),
        *("access-token", "auth token", "clıent secret", "prİvate key", "credentıal", "token"),
        *("paſſword", "api\u212aey", "密码", "口令", "密钥", "秘钥", "令牌", "访问凭证"),
    ],
)
def test_whatever_is_a_label_is_looked_for(label: str) -> None:
    """Letters whose case is folded in another way are the same letters."""
    text = f"{label}: Zk8#qPw9-xT"
    assert secrets._ASSIGNED.search(text) is not None
    assert ("credential", text.index("Zk8"), len(text)) in secrets._credentials(text)
    # The control: the same value after no label at all.
    assert not list(secrets._credentials("shelf: Zk8#qPw9-xT"))
