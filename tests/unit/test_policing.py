"""Which policy the settings put in force, and whose own rules."""

import io
import logging
from pathlib import Path

import pytest

from gateway.app import policing
from gateway.app.chores import examine
from gateway.settings import Settings, SettingsError, load
from gateway.telemetry import LOGGER, JsonLines
from memory.types import TenantId
from policies.load import PolicyError, shipped
from policies.model import Enforcement

OWN = '[[rules]]\nid = "pages"\nstage = "injection"\neffect = "reject"\nmax_trust = 1\n'


def _settings(**options: str) -> Settings:
    return load(environ={}, overrides={f"policy.{name}": value for name, value in options.items()})


@pytest.mark.requirement("W11")
def test_a_profile_or_a_file_is_in_force_and_strict_by_default(tmp_path: Path) -> None:
    """Each shipped profile has a name in the settings; both at once contradict each other."""
    assert policing.policy_of(_settings()).name == "strict"
    for name in ("strict", "balanced", "unsafe-monitor"):
        assert policing.policy_of(_settings(profile=name)).name == name
    file = tmp_path / "mine.toml"
    file.write_text('name = "mine"\nbase = "balanced"\n')
    assert policing.policy_of(_settings(file=str(file))).name == "mine"
    with pytest.raises(SettingsError, match="exclude each other"):
        _settings(file=str(file), profile="strict")
    with pytest.raises(SettingsError):
        _settings(profile="monitor")


@pytest.mark.requirement("W11")
def test_tenants_have_files_of_any_name(tmp_path: Path) -> None:
    """The tenant stands in the file; what is hidden in the folder is nobody's rules."""
    assert policing.overrides_of(_settings()) == {}
    (tmp_path / "a.toml").write_text(f'tenant = "爱克美/1"\n{OWN}', encoding="utf-8")
    (tmp_path / "b.toml").write_text(f'tenant = "globex"\n{OWN}')
    (tmp_path / ".hidden").write_text("not TOML")
    settings = _settings(tenants_dir=str(tmp_path))
    own = policing.overrides_of(settings)
    assert set(own) == {"爱克美/1", "globex"}
    strict = policing.policy_of(settings)
    assert policing.governed(strict, own, TenantId("globex")).edition.startswith(
        f"{strict.version}+tenant@"
    )
    assert policing.governed(strict, own, TenantId("other")) == strict


@pytest.mark.requirement("W11")
@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.toml", f'tenant = "globex"\n{OWN}', "x.toml: another file is of this tenant"),
        ("x.toml", OWN, "x.toml: .*tenant"),
        ("x.toml", 'tenant = "acme"', "x.toml: .*rules"),
        ("x.tmol", f'tenant = "acme"\n{OWN}', "not a .toml file: x.tmol"),
        ("x.toml", "tenant = \xff", "x.toml: the document is not"),
        ("x.toml", "#" * 300_000, "larger than"),
    ],
)
def test_rules_that_are_not_understood_are_refused(
    tmp_path: Path, name: str, content: str, said: str
) -> None:
    """A file that is passed over would be rules that nobody misses."""
    (tmp_path / "good.toml").write_text(f'tenant = "globex"\n{OWN}')
    settings = _settings(tenants_dir=str(tmp_path))
    assert len(policing.overrides_of(settings)) == 1
    (tmp_path / name).write_bytes(content.encode("latin-1"))
    with pytest.raises(PolicyError, match=said):
        policing.overrides_of(settings)


@pytest.mark.requirement("W11")
def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """A misspelt path is no way to have no rules."""
    with pytest.raises(PolicyError, match="no such folder"):
        policing.overrides_of(_settings(tenants_dir=str(tmp_path / "nowhere")))


@pytest.mark.requirement("W11")
def test_a_candidate_takes_the_place_of_what_it_is(tmp_path: Path) -> None:
    """A profile stands in for the platform's and keeps the tenant's rules, a tenant's for those."""
    acme = TenantId("acme")
    folder = tmp_path / "tenants"
    folder.mkdir()
    (folder / "acme.toml").write_text(f'tenant = "acme"\n{OWN}')
    settings = _settings(tenants_dir=str(folder))
    balanced = policing.candidate_of(settings, "balanced", acme)
    assert balanced.name == "balanced"
    assert balanced.tightened_by is not None
    assert policing.candidate_of(settings, "balanced", TenantId("x")).tightened_by is None
    file = tmp_path / "next.toml"
    file.write_text(f'tenant = "acme"\n{OWN.replace("1", "2")}')
    own = policing.candidate_of(settings, str(file), acme)
    assert own.name == "strict"
    assert own.edition != policing.candidate_of(settings, "strict", acme).edition
    with pytest.raises(PolicyError, match="another tenant"):
        policing.candidate_of(settings, str(file), TenantId("globex"))
    assert policing.document_of("balanced") == shipped("balanced")


@pytest.mark.requirement("W11")
async def test_an_unsafe_policy_is_said_to_be_unsafe() -> None:
    """The log says so at every start, and `doctor` whenever it is asked; neither does of strict."""
    said = io.StringIO()
    handler = logging.StreamHandler(said)
    handler.setFormatter(JsonLines())
    LOGGER.addHandler(handler)
    try:
        policing.warn_unsafe(policing.policy_of(_settings(profile="strict")))
        assert said.getvalue() == ""
        monitor = policing.policy_of(_settings(profile="unsafe-monitor"))
        assert monitor.enforcement is Enforcement.UNSAFE_MONITOR
        policing.warn_unsafe(monitor)
    finally:
        LOGGER.removeHandler(handler)
    assert '"level": "warning"' in said.getvalue()
    assert "UNSAFE policy" in said.getvalue()


@pytest.mark.requirement("W11", "Q9")
async def test_doctor_tells_of_an_unsafe_policy(tmp_path: Path) -> None:
    """The check of the policy names it, and how many tenants have rules of their own."""
    own = tmp_path / "tenants"
    own.mkdir()
    (own / "acme.toml").write_text(f'tenant = "acme"\n{OWN}')
    options = {
        "storage.data_dir": str(tmp_path / "data"),
        "policy.profile": "unsafe-monitor",
        "policy.tenants_dir": str(own),
    }
    (finding,) = [
        f for f in await examine(load(environ={}, overrides=options)) if f.name == "policy"
    ]
    assert finding.ok
    assert finding.detail.startswith("unsafe-monitor@")
    assert finding.detail.endswith("(UNSAFE: holds nothing), 1 tenants with rules of their own")
