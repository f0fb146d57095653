"""The official conformance suite against a gateway as people run it (M7).

`expected-failures.yml` names what does not fit and why. The suite's own exit code says whether
anything else failed, or anything of that passed.
"""

import re
from pathlib import Path
from typing import Final

import pytest

from gateway import app
from tests.live.conftest import Figure
from tests.live.gateway_process import SCOPES, GatewayProcess
from tests.live.mcp.npm import CONFORMANCE, FOLDER, Npm
from tests.live.mcp.shim import tokens_added

pytestmark = [
    pytest.mark.live,
    pytest.mark.timeout(300),
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.requirement("M7"),
]

_EXPECTED: Final = FOLDER / "expected-failures.yml"
_PASSED: Final = re.compile(r"^✓ ([\w-]+): (\d+) passed, 0 failed$", re.MULTILINE)
_HANDSHAKE: Final = {
    *("server-initialize", "server-session-lifecycle", "ping"),
    *("tools-list", "resources-list", "prompts-list"),
}
FITTING: Final = {
    "2025-06-18": _HANDSHAKE,
    "2025-11-25": _HANDSHAKE | {"server-sse-multiple-streams", "dns-rebinding-protection"},
    "2026-07-28": {
        *("tools-list", "resources-list", "prompts-list", "sep-2164-resource-not-found"),
        *("server-sse-multiple-streams", "dns-rebinding-protection", "caching"),
        *("http-header-validation", "input-required-result-unsupported-methods"),
        "input-required-result-validate-input",
    },
}
"""The scenarios of each revision that fit: all their checks must pass."""


def _token(gateway: GatewayProcess) -> str:
    return app.token(
        gateway.settings,
        tenant="conformance",
        subject="suite",
        scopes=SCOPES,
        client="suite",
        ttl_seconds=3600,
    )


@pytest.mark.parametrize("revision", FITTING)
async def test_every_scenario_that_fits_passes(
    shared: GatewayProcess, npm: Npm, figure: Figure, revision: str
) -> None:
    """Of each revision that the suite knows, and no failure is another than expected."""
    async with tokens_added(shared.url, _token(shared)) as url:
        words = ("--suite", "all", "--spec-version", revision)
        code, told = await _run(npm, url, _EXPECTED, *words)
    assert code == 0, told[-3000:]
    passed = dict(_PASSED.findall(told))
    assert passed.keys() >= FITTING[revision]
    checks = sum(int(passed[name]) for name in FITTING[revision])
    figure(f"conformance {revision}: {len(FITTING[revision])} scenarios, {checks} checks passed")


async def test_an_unexpected_failure_or_pass_is_noticed(
    shared: GatewayProcess, npm: Npm, tmp_path: Path
) -> None:
    """The suite's exit code does tell: one entry too few or too many fails it."""
    nothing, too_much = tmp_path / "nothing.yml", tmp_path / "too_much.yml"
    nothing.write_text("server: []\n")
    too_much.write_text("server:\n  - ping\n")
    async with tokens_added(shared.url, _token(shared)) as url:
        assert (await _run(npm, url, _EXPECTED, "--scenario", "tools-call-image"))[0] == 0
        assert (await _run(npm, url, nothing, "--scenario", "tools-call-image"))[0] == 1
        assert (await _run(npm, url, nothing, "--scenario", "ping"))[0] == 0
        assert (await _run(npm, url, too_much, "--scenario", "ping"))[0] == 1


async def _run(npm: Npm, url: str, expected: Path, *words: str) -> tuple[int, str]:
    return await npm.run(
        CONFORMANCE, "server", "--url", f"{url}/mcp", "--expected-failures", str(expected), *words
    )
