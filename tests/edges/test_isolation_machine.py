"""Nobody ever sees what is another's: random calls over HTTP by two subjects of two tenants."""

import secrets
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, ClassVar, Concatenate, Final, ParamSpec, TypeVar

import httpx2
import msgspec
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    multiple,
    rule,
    run_state_machine_as_test,
)

from gateway.app.serving import USE_CASES
from gateway.doors import UseCases
from guard.principal import Principal
from memory.types import Owner, SubjectId, TenantId
from tests.edges.served import Served, served

P = ParamSpec("P")
R = TypeVar("R")

SCOPES: Final = [(tenant, who) for tenant in ("acme", "umbra") for who in ("alice", "bob")]
PLACES: Final = ("Lisbon", "Porto", "北京", "上海", "Kraków")
THINGS: Final = ("spare key", "tax folder", "备用钥匙", "合同原件", "rotor blade")


def _mixed_up(use_cases: UseCases, confuse: Callable[[Owner], Owner]) -> UseCases:
    """Return doors that take one owner for another: what a forgotten filter amounts to."""

    def leaky(
        door: Callable[Concatenate[Principal, P], Awaitable[R]],
    ) -> Callable[Concatenate[Principal, P], Awaitable[R]]:
        def through(principal: Principal, /, *args: P.args, **kwargs: P.kwargs) -> Awaitable[R]:
            owner = confuse(principal.owner)
            return door(msgspec.structs.replace(principal, owner=owner), *args, **kwargs)

        return through

    return msgspec.structs.replace(
        use_cases,
        remember=leaky(use_cases.remember),
        recall=leaky(use_cases.recall),
        forget=leaky(use_cases.forget),
        fetch=leaky(use_cases.fetch),
        browse=leaky(use_cases.browse),
    )


BUILDS: Final = {
    "honest": USE_CASES,
    "one subject": _mixed_up(
        USE_CASES, lambda owner: Owner(owner.tenant, SubjectId(owner.subject.split("-")[1]))
    ),
    "one tenant": _mixed_up(USE_CASES, lambda owner: Owner(TenantId("acme"), owner.subject)),
}


@pytest.fixture(scope="module")
def gateways(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve the honest build and two that leak, over the same adapters."""
    with served(tmp_path_factory.mktemp("served"), BUILDS) as running:
        yield running


class Isolation(RuleBasedStateMachine):
    """Four callers write, ask, list, read and forget; a model knows whose is what."""

    gateways: ClassVar[Served]
    build: ClassVar[str]

    memories = Bundle("memories")

    def __init__(self) -> None:
        super().__init__()
        # Fresh names per run: nothing of an earlier run is in scope, and nothing is cleaned up.
        self.run = secrets.token_hex(4)
        self.mine: dict[tuple[str, str], dict[str, str]] = {scope: {} for scope in SCOPES}
        self.past: dict[tuple[str, str], dict[str, str]] = {scope: {} for scope in SCOPES}
        self.clients: dict[tuple[str, str], httpx2.Client] = {}

    def teardown(self) -> None:
        """Let go of the connections."""
        for client in self.clients.values():
            client.close()

    def call(self, scope: tuple[str, str], method: str, path: str, body: Any = None) -> Any:
        """Send one request of one caller."""
        if scope not in self.clients:
            tenant, who = scope
            token = self.gateways.token(f"{who}-{self.run}", tenant)
            self.clients[scope] = self.gateways.client(token, self.build)
        return self.clients[scope].request(method, path, json=body)

    @rule(
        target=memories,
        scope=st.sampled_from(SCOPES),
        thing=st.sampled_from(THINGS),
        place=st.sampled_from(PLACES),
    )
    def store(self, scope: tuple[str, str], thing: str, place: str) -> Any:
        """Write; the same text again is the same memory."""
        text = f"The {thing} is in {place}."
        answer = self.call(scope, "POST", "/v1/memories", {"text": text})
        assert answer.status_code in (200, 201), answer.text
        id = answer.json()["id"]
        known = self.mine[scope].get(id)
        assert (answer.status_code == 201) == (known is None)
        assert known in (None, text)
        if known is not None:
            return multiple()
        self.mine[scope][id] = text
        # The same thing in another place: what was known of it is his past from now on.
        for before in (i for i, said in [*self.mine[scope].items()] if i != id):
            if self.mine[scope][before].startswith(f"The {thing} is in "):
                self.past[scope][before] = self.mine[scope].pop(before)
        return (scope, id)

    @rule(scope=st.sampled_from(SCOPES), thing=st.sampled_from(THINGS))
    def recall(self, scope: tuple[str, str], thing: str) -> None:
        """Ask: nothing foreign is found, and all of his own that the question names is."""
        body = {"query": f"Where is the {thing}?", "k": 10}
        answer = self.call(scope, "POST", "/v1/recall", body)
        assert answer.status_code == 200, answer.text
        found = {item["id"]: item["text"] for item in answer.json()["items"]}
        assert found.items() <= self.mine[scope].items()
        # The positive side: what is his and named by the question is found.
        wanted = {i for i, text in self.mine[scope].items() if f"The {thing} is" in text}
        assert wanted <= found.keys()

    @rule(scope=st.sampled_from(SCOPES))
    def listing(self, scope: tuple[str, str]) -> None:
        """List: exactly his own."""
        answer = self.call(scope, "GET", "/v1/memories?limit=50")
        assert answer.status_code == 200, answer.text
        found = {item["id"]: item["text"] for item in answer.json()["items"]}
        assert found == self.mine[scope]

    @rule(scope=st.sampled_from(SCOPES), memory=memories)
    def read(self, scope: tuple[str, str], memory: tuple[tuple[str, str], str]) -> None:
        """Read by id: his own, or not found."""
        owner, id = memory
        answer = self.call(scope, "GET", f"/v1/memories/{id}")
        his = self.mine[scope] | self.past[scope]
        if scope == owner and id in his:
            assert answer.json()["text"] == his[id]
        else:
            assert answer.status_code == 404

    @rule(scope=st.sampled_from(SCOPES), memory=consumes(memories), target=memories)
    def forget(self, scope: tuple[str, str], memory: tuple[tuple[str, str], str]) -> Any:
        """Forget: his own, or not found."""
        owner, id = memory
        answer = self.call(scope, "DELETE", f"/v1/memories/{id}")
        if scope == owner and id in self.mine[scope] | self.past[scope]:
            assert answer.status_code == 200, answer.text
            self.mine[scope].pop(id, None)
            self.past[scope].pop(id, None)
        else:
            assert answer.status_code == 404
        return memory


def _run(gateways: Served, build: str, examples: int) -> None:
    run_state_machine_as_test(
        type("Machine", (Isolation,), {"gateways": gateways, "build": build}),
        settings=settings(
            max_examples=examples,
            stateful_step_count=20,
            deadline=None,
            # A leak need not be shrunk to be seen, nor another one found: each step is a request.
            phases=(Phase.generate,),
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.requirement("E3", "E5", "S2")
@pytest.mark.timeout(600)
def test_no_result_ever_crosses_a_scope(gateways: Served) -> None:
    """Whatever two subjects of two tenants do, each sees his own memories, all of them, only."""
    _run(gateways, "honest", 12)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("build", ["one subject", "one tenant"])
def test_the_machine_catches_a_leak(gateways: Served, build: str) -> None:
    """The control: a build that takes one subject or tenant for another fails the same machine."""
    with pytest.raises((AssertionError, BaseExceptionGroup)):
        _run(gateways, build, 40)
