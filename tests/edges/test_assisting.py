"""The models that help, as the settings name them: opened, refused, counted."""

from pathlib import Path

import pytest

from gateway.app.assisting import opened_assists, watch_assists
from gateway.metrics import Metrics
from gateway.settings import Settings, SettingsError, load
from guard.errors import InvalidError
from guard.ports import Indexing, Tenant
from memory.types import TenantId
from storage.fakes.registry import MemoryRegistry
from tests.contracts.chat_double import MODEL, saying
from tests.contracts.embedding_double import endpoint, status
from tests.contracts.tiny_cross import PAIRS, build_cross

OPEN = TenantId("open")
VEILED = TenantId("veiled")


async def two_tenants() -> MemoryRegistry:
    """Return a registry with a tenant that is sealed, and one that is not."""
    registry = MemoryRegistry()
    await registry.register(Tenant(OPEN, suspended=False), ())
    await registry.register(Tenant(VEILED, suspended=False, indexing=Indexing.SEALED), ())
    return registry


def named(**fields: str) -> Settings:
    """Return settings with these fields of `recall`."""
    return load(environ={}, overrides={f"recall.{name}": one for name, one in fields.items()})


@pytest.mark.requirement("R3")
async def test_nobody_helps_unless_one_is_named() -> None:
    """The default opens nothing, and what is said of a model that is not there is refused."""
    async with opened_assists(named(), MemoryRegistry()) as assists:
        helpers = (assists.closely, assists.rewording, assists.ordering, assists.extracting)
    assert helpers == (None, None, None, None)
    with pytest.raises(SettingsError, match="cross_encoder_items"):
        named(cross_encoder_items="5")
    for items in ("0", "21"):
        with pytest.raises(SettingsError):
            named(cross_encoder="/models/reranker", cross_encoder_items=items)


@pytest.mark.requirement("R3")
async def test_a_cross_encoder_that_cant_be_had_is_not_left_out(tmp_path: Path) -> None:
    """The gateway does not start without what it was told to have."""
    with pytest.raises(InvalidError, match=r"recall\.cross_encoder"):
        async with opened_assists(named(cross_encoder=str(tmp_path)), MemoryRegistry()):
            pass


@pytest.mark.requirement("R3", "E11")
async def test_a_named_cross_encoder_reads_and_is_counted(tmp_path: Path) -> None:
    """By the bounds of the settings; its answers and its failures are figures."""
    settings = named(
        cross_encoder=str(build_cross(tmp_path)),
        cross_encoder_items="3",
        cross_encoder_weight="0.4",
        cross_encoder_threads="1",
        cross_encoder_seconds="10",
    )
    (asked, answer), (_, other) = PAIRS[:2]
    async with opened_assists(settings, MemoryRegistry()) as assists:
        closely = assists.closely
        assert closely is not None
        assert (closely.items, closely.weight) == (3, 0.4)
        scores = await closely.scores(asked, [answer, other])
        assert scores is not None
        assert scores[0] > scores[1]
    assert await closely.scores(asked, [answer]) is None
    assert (closely.asked, closely.failed) == (2, 1)


@pytest.mark.requirement("R2")
@pytest.mark.parametrize(
    "change",
    [
        {"rewrite_url": ""},
        {"rewrite_model": ""},
        {"rewrite_seconds": "11"},
        {"rewrite_url": "http://models.example/v1", "mode": "production"},
        {"rewrite_format": "xml"},
    ],
    ids=str,
)
def test_a_rewrite_that_is_half_configured_is_refused(change: dict[str, str]) -> None:
    """Somebody would believe in a model that is not asked."""
    whole = {"rewrite_url": "https://models.example/v1", "rewrite_model": "tiny"}
    named(**whole, rewrite_seconds="2")
    fields = {name: one for name, one in (whole | change).items() if one and name != "mode"}
    overrides = {f"recall.{name}": one for name, one in fields.items()}
    mode = {"mode": change["mode"]} if "mode" in change else {}
    with pytest.raises(SettingsError):
        load(environ={}, overrides=overrides | mode)


@pytest.mark.requirement("R2", "E11")
async def test_a_named_rewrite_asks_its_endpoint_with_its_key(tmp_path: Path) -> None:
    """By the fixed form, and counted."""
    key = tmp_path / "key"
    key.write_text("the-key\n", "utf-8")
    key.chmod(0o600)
    with endpoint() as double:
        double.always = saying({"question": "Does the mill flat have a cellar?"})
        settings = named(
            rewrite_url=double.url,
            rewrite_model=MODEL,
            rewrite_api_key_file=str(key),
            rewrite_seconds="10",
        )
        async with opened_assists(settings, await two_tenants()) as assists:
            rewording = assists.rewording
            assert rewording is not None
            ask, before = "And the other one?", ["The mill flat, the harbour."]
            assert await rewording.reworded(VEILED, ask, before) == ask
            assert double.asked == []
            said = await rewording.reworded(OPEN, ask, before)
    assert said == "Does the mill flat have a cellar?"
    assert (rewording.asked, rewording.failed) == (1, 0)
    assert double.asked[0].headers["authorization"] == "Bearer the-key"


@pytest.mark.requirement("R3")
@pytest.mark.parametrize(
    "change",
    [
        {"order_url": ""},
        {"order_model": ""},
        {"order_seconds": "11"},
        {"order_items": "1"},
        {"order_items": "4"},
        {"order_best": "21"},
        {"order_format": "xml"},
        {"order_url": "http://models.example/v1", "mode": "production"},
        {"cross_encoder": "/models/reranker"},
    ],
    ids=str,
)
def test_an_order_that_is_half_configured_is_refused(change: dict[str, str]) -> None:
    """Named in half, in the clear, beside a cross-encoder, or to put first more than it sees."""
    whole = {"order_url": "https://models.example/v1", "order_model": "tiny"}
    named(**whole, order_items="5", order_best="5")
    fields = {name: one for name, one in (whole | change).items() if one and name != "mode"}
    overrides = {f"recall.{name}": one for name, one in fields.items()}
    mode = {"mode": change["mode"]} if "mode" in change else {}
    with pytest.raises(SettingsError, match=r"order|mode"):
        load(environ={}, overrides=overrides | mode)


@pytest.mark.requirement("R3", "E11")
async def test_a_named_order_asks_its_endpoint_with_its_key(tmp_path: Path) -> None:
    """By the fixed form, for tenants that are not sealed; answers and failures are counted."""
    key = tmp_path / "key"
    key.write_text("the-key\n", "utf-8")
    key.chmod(0o600)
    registry = await two_tenants()
    with endpoint() as double:
        double.answers = [saying({"order": [2]}), status(503)]
        settings = named(
            order_url=double.url,
            order_model=MODEL,
            order_api_key_file=str(key),
            order_items="7",
            order_best="3",
            order_seconds="10",
        )
        metrics = Metrics()
        async with opened_assists(settings, registry) as assists:
            ordering = assists.ordering
            assert ordering is not None
            assert (ordering.items, ordering.best) == (7, 3)
            watch_assists(metrics, assists)
            ask, texts = "Where is the key?", ["The lake is cold.", "The key hangs by the door."]
            assert await ordering.first(VEILED, ask, texts) == ()
            assert await ordering.first(OPEN, ask, texts) == (1,)
            assert await ordering.first(OPEN, ask, texts) is None
            # Nothing is remembered of a tenant: it counts from the next question on.
            now = Tenant(TenantId("open"), suspended=False, indexing=Indexing.SEALING)
            await registry.register(now, ())
            assert await ordering.first(now.id, ask, texts) == ()
            shown = (await metrics.page()).decode()
    assert "memguard_order_asked_total 2" in shown
    assert "memguard_order_failed_total 1" in shown
    assert len(double.asked) == 2
    assert double.asked[0].headers["authorization"] == "Bearer the-key"
    assert double.asked[0].body["response_format"]["json_schema"]["name"] == "order"


def relate(**fields: str) -> Settings:
    """Return settings with these fields of `relate`."""
    return load(environ={}, overrides={f"relate.{name}": one for name, one in fields.items()})


@pytest.mark.requirement("W10")
@pytest.mark.parametrize(
    "change",
    [
        {"extract_url": ""},
        {"extract_model": ""},
        {"extract_seconds": "11"},
        {"extract_format": "xml"},
    ],
    ids=str,
)
def test_an_extractor_that_is_half_configured_is_refused(change: dict[str, str]) -> None:
    """Somebody would believe in a model that is not asked."""
    whole = {"extract_url": "https://models.example/v1", "extract_model": "tiny"}
    relate(**whole, extract_seconds="2")
    with pytest.raises(SettingsError):
        relate(**{name: one for name, one in (whole | change).items() if one})


@pytest.mark.requirement("W10")
def test_an_extractor_in_the_clear_is_refused_in_production() -> None:
    """As for the other models; the line names the setting."""
    named = {"relate.extract_url": "http://models.example/v1", "relate.extract_model": "tiny"}
    with pytest.raises(SettingsError, match=r"relate\.extract_url"):
        load(environ={}, overrides=named | {"mode": "production"})


@pytest.mark.requirement("W10", "E11")
async def test_a_named_extractor_asks_its_endpoint_with_its_key(tmp_path: Path) -> None:
    """By the fixed form; its answers and its failures are counted."""
    key = tmp_path / "key"
    key.write_text("the-key\n", "utf-8")
    key.chmod(0o600)
    claim = {"subject": "user", "attribute": "employer", "value": "Globex", "polarity": "affirmed"}
    with endpoint() as double:
        double.answers = [saying({"claims": [claim]}), status(503)]
        settings = relate(
            extract_url=double.url,
            extract_model=MODEL,
            extract_api_key_file=str(key),
            extract_seconds="10",
        )
        metrics = Metrics()
        async with opened_assists(settings, await two_tenants()) as assists:
            extracting = assists.extracting
            assert extracting is not None
            watch_assists(metrics, assists)
            assert await extracting.told(VEILED, "Globex pays me these days.") == ()
            told = await extracting.told(OPEN, "Globex pays me these days.")
            assert await extracting.told(OPEN, "Globex pays me these days.") is None
            shown = (await metrics.page()).decode()
    assert told is not None
    assert [one.value for one in told] == ["Globex"]
    assert "memguard_extract_asked_total 2" in shown
    assert "memguard_extract_failed_total 1" in shown
    assert double.asked[0].headers["authorization"] == "Bearer the-key"
    assert double.asked[0].body["response_format"]["json_schema"]["name"] == "claims"
