"""The configuration is bounded, complete, and refuses what it doesn't know."""

import pickle
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gateway.firststart import MARKER, StartKeys, prepare
from gateway.settings import Algorithm, Mode, Settings, SettingsError, load, variables

PRODUCTION = {
    "MEMGUARD_MODE": "production",
    "MEMGUARD_HTTP_PUBLIC_URL": "https://memory.example",
    "MEMGUARD_AUTH_ISSUER": "https://login.example",
    "MEMGUARD_AUTH_AUDIENCES": "https://memory.example/mcp",
    "MEMGUARD_AUTH_KEYS_FILE": "/etc/memguard/jwks.json",
    "MEMGUARD_STORAGE_ROOT_KEY_FILE": "/etc/memguard/root.key",
}

SECRETS = ('[storage]\nroot_key = "k"\n', '[index]\napi_key = "k"\n')
SERVER = {"MEMGUARD_INDEX_KIND": "server", "MEMGUARD_INDEX_URL": "http://qdrant:6333"}


def test_the_defaults_are_development_on_this_machine_alone() -> None:
    """Without any configuration the gateway listens on the loopback address."""
    settings = load(environ={})
    assert settings == Settings()
    assert settings.mode is Mode.DEVELOPMENT
    assert settings.url == "http://127.0.0.1:8080"
    assert Algorithm.HS256 not in settings.auth.algorithms


def test_the_stronger_source_wins(tmp_path: Path) -> None:
    """Options beat the environment, which beats the file, which beats the defaults."""
    config = tmp_path / "memguard.toml"
    config.write_text(
        'log_level = "error"\n[http]\nport = 1\nhost = "a"\n[limits]\nmcp_sessions = 7\n'
    )
    environ = {"MEMGUARD_CONFIG": str(config), "MEMGUARD_HTTP_PORT": "2", "MEMGUARD_HTTP_HOST": "b"}
    settings = load(environ=environ, overrides={"http.port": "3"})
    assert (settings.http.port, settings.http.host) == (3, "b")
    assert settings.limits.mcp_sessions == 7
    assert settings.log_level == "error"
    assert load(environ={"PATH": "/bin"}, config=config).http.port == 1


def test_lists_come_from_commas() -> None:
    """Several audiences fit into one variable."""
    settings = load(environ={"MEMGUARD_AUTH_AUDIENCES": "one, two"})
    assert settings.auth.audiences == ("one", "two")


@pytest.mark.parametrize(
    "environ",
    [
        {"MEMGUARD_LIMITS_MAX_BODY_BYTE": "5"},
        {"MEMGUARD_TYPO": "1"},
        {"MEMGUARD_MODE": "debug"},
        {"MEMGUARD_HTTP_PORT": "65536"},
        {"MEMGUARD_HTTP_PORT": "http"},
        {"MEMGUARD_HTTP_PUBLIC_URL": "memory.example"},
        {"MEMGUARD_HTTP_PUBLIC_URL": "https://memory.example/?x"},
        {"MEMGUARD_AUTH_LEEWAY_SECONDS": "61"},
        {"MEMGUARD_AUTH_LEEWAY_SECONDS": "-1"},
        {"MEMGUARD_AUTH_ALGORITHMS": "none"},
        {"MEMGUARD_AUTH_ALGORITHMS": ""},
        {"MEMGUARD_AUTH_AUDIENCES": " , "},
        {"MEMGUARD_LIMITS_MAX_TEXT_CHARS": "32769"},
        {"MEMGUARD_LIMITS_MAX_TEXT_CHARS": "0"},
        {"MEMGUARD_LIMITS_REQUEST_DEADLINE_SECONDS": "inf"},
        {"MEMGUARD_LIMITS_REQUEST_DEADLINE_SECONDS": "nan"},
        {"MEMGUARD_LIMITS_REQUEST_DEADLINE_SECONDS": "0"},
        {"MEMGUARD_STORAGE_INDEX_WORKERS": "0"},
        {"MEMGUARD_STORAGE_DATA_DIR": ""},
        {"MEMGUARD_STORAGE_ROOT_KEY": "k", "MEMGUARD_STORAGE_ROOT_KEY_FILE": "f"},
        {"MEMGUARD_INDEX_KIND": "server"},
        {"MEMGUARD_INDEX_URL": "http://qdrant:6333"},
        {"MEMGUARD_INDEX_API_KEY": "k"},
        {"MEMGUARD_INDEX_KIND": "server", "MEMGUARD_INDEX_URL": "qdrant:6333"},
        SERVER | {"MEMGUARD_INDEX_API_KEY": "k", "MEMGUARD_INDEX_API_KEY_FILE": "f"},
        SERVER | {"MEMGUARD_INDEX_CREDENTIAL": "collection-tokens"},
        SERVER | {"MEMGUARD_INDEX_CERT_FILE": "cert.pem"},
        SERVER | {"MEMGUARD_INDEX_PREFIX": "../x"},
        SERVER | {"MEMGUARD_INDEX_TIMEOUT_SECONDS": "61"},
        {"MEMGUARD_CONFIG": "/nowhere/memguard.toml"},
    ],
    ids=str,
)
def test_what_is_unknown_or_out_of_bounds_is_refused(environ: Mapping[str, str]) -> None:
    """A misspelt or absurd limit stops the start, and never silently is no limit."""
    with pytest.raises(SettingsError):
        load(environ=environ)


@pytest.mark.parametrize(
    "text",
    ["[http]\nprot = 1\n", "prot = 1\n", "http = 1\n", "not toml", *SECRETS],
)
def test_a_wrong_file_is_refused(tmp_path: Path, text: str) -> None:
    """Unknown keys, wrong shapes and secrets in the file stop the start."""
    config = tmp_path / "memguard.toml"
    config.write_text(text)
    with pytest.raises(SettingsError):
        load(environ={"MEMGUARD_HTTP_PORT": "1"}, config=config)


def test_a_server_that_is_wholly_named_is_taken() -> None:
    """The control: what is refused above is refused for what it lacks."""
    index = load(environ=SERVER | {"MEMGUARD_INDEX_API_KEY": "zyzzyva"}).index
    assert index.url == "http://qdrant:6333"
    assert index.api_key is not None
    assert "zyzzyva" not in repr(index)


def test_an_unknown_option_is_refused() -> None:
    """The command line can't invent settings either."""
    with pytest.raises(SettingsError):
        load(environ={}, overrides={"http.prot": "1"})


def test_a_secret_does_not_show_itself() -> None:
    """Neither printing, nor an error, nor pickling gives the value away; revealing it does."""
    settings = load(environ={"MEMGUARD_STORAGE_ROOT_KEY": "zyzzyva"})
    assert settings.storage.root_key is not None
    assert settings.storage.root_key.reveal() == "zyzzyva"
    assert "zyzzyva" not in f"{settings} {settings!r} {settings.storage.root_key}"
    with pytest.raises(TypeError):
        pickle.dumps(settings.storage.root_key)
    with pytest.raises(SettingsError) as refused:
        load(
            environ={
                "MEMGUARD_STORAGE_ROOT_KEY": "zyzzyva",
                "MEMGUARD_STORAGE_ROOT_KEY_FILE": "f",
            }
        )
    assert "zyzzyva" not in str(refused.value)


def test_production_starts_when_it_is_complete() -> None:
    """A complete production configuration is accepted, and local names are then no hosts of it."""
    settings = load(environ=PRODUCTION)
    assert settings.hosts == ["memory.example"]
    assert settings.origins == ["https://memory.example"]


@pytest.mark.requirement("E1")
@pytest.mark.parametrize(
    "change",
    [
        *({name: ""} for name in PRODUCTION if name != "MEMGUARD_MODE"),
        {"MEMGUARD_AUTH_ALGORITHMS": "EdDSA,HS256"},
        {"MEMGUARD_AUTH_AUDIENCES": "memguard,https://memory.example"},
        {"MEMGUARD_AUTH_ISSUER": "urn:memguard:development"},
        {"MEMGUARD_LOG_LEVEL": "debug"},
    ],
    ids=str,
)
def test_production_refuses_what_is_missing_or_for_development(change: dict[str, str]) -> None:
    """Each missing piece and each shortcut stops a production start."""
    environ = {name: value for name, value in (PRODUCTION | change).items() if value}
    with pytest.raises(SettingsError, match="production"):
        load(environ=environ)


def _settings(data_dir: Path, **changes: Any) -> Settings:
    settings = load(environ={}, overrides={"storage.data_dir": str(data_dir)})
    return msgspec.structs.replace(settings, **changes)


def _prepare(settings: Settings, said: list[str]) -> StartKeys:
    return prepare(
        settings,
        new_root_key=lambda path: path.write_bytes(b"root"),
        new_signing_jwk=lambda: {"kty": "OKP", "d": "private"},
        say=said.append,
    )


def test_the_first_start_makes_private_keys_and_says_so(tmp_path: Path) -> None:
    """Directory 0700, keys 0600, each named on the way; the second start makes nothing."""
    data_dir, said = tmp_path / "new" / "data", list[str]()
    keys = _prepare(_settings(data_dir), said)
    assert isinstance(keys.root_key, Path)
    assert keys.keys_file is not None
    assert stat.S_IMODE(data_dir.stat().st_mode) == 0o700
    for path in (keys.root_key, keys.keys_file):
        assert path.parent == data_dir
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert any(str(path) in line for line in said)
    before = (keys.root_key.read_bytes(), keys.keys_file.read_bytes())
    said.clear()
    assert _prepare(_settings(data_dir), said) == keys
    assert (keys.root_key.read_bytes(), keys.keys_file.read_bytes()) == before
    assert said == []
    assert {path.name for path in data_dir.iterdir()} == {
        MARKER,
        keys.root_key.name,
        keys.keys_file.name,
    }


def test_development_refuses_its_keys_once_others_can_read_them(tmp_path: Path) -> None:
    """A generated key that was opened up afterwards stops the start."""
    keys = _prepare(_settings(tmp_path / "data"), [])
    assert keys.keys_file is not None
    keys.keys_file.chmod(0o644)
    with pytest.raises(SettingsError, match="readable"):
        _prepare(_settings(tmp_path / "data"), [])


def _production(tmp_path: Path, *, root_mode: int = 0o600, jwks_mode: int = 0o644) -> Settings:
    etc, data_dir = tmp_path / "etc", tmp_path / "data"
    for name, mode in (("root.key", root_mode), ("jwks.json", jwks_mode)):
        etc.mkdir(exist_ok=True)
        path = etc / name
        path.write_bytes(b"key")
        path.chmod(mode)
    return load(
        environ=PRODUCTION
        | {
            "MEMGUARD_AUTH_KEYS_FILE": str(etc / "jwks.json"),
            "MEMGUARD_STORAGE_ROOT_KEY_FILE": str(etc / "root.key"),
            "MEMGUARD_STORAGE_DATA_DIR": str(data_dir),
        }
    )


def test_production_takes_configured_keys_and_creates_nothing(tmp_path: Path) -> None:
    """With keys in place and private, production starts and writes no file."""
    settings, said = _production(tmp_path), list[str]()
    keys = _prepare(settings, said)
    assert keys.root_key == settings.storage.root_key_file
    assert keys.keys_file == settings.auth.keys_file
    assert said == []
    assert not settings.storage.data_dir.exists()


@pytest.mark.parametrize(
    "modes",
    [{"root_mode": 0o644}, {"root_mode": 0o640}, {"jwks_mode": 0o666}, {"jwks_mode": 0o620}],
    ids=str,
)
def test_production_refuses_keys_that_others_reach(tmp_path: Path, modes: dict[str, int]) -> None:
    """A readable root key or a writable key set stops the start."""
    settings = _production(tmp_path, **modes)
    with pytest.raises(SettingsError, match="by others"):
        _prepare(settings, [])


def test_production_refuses_missing_and_generated_keys(tmp_path: Path) -> None:
    """A key that is not there is not made, and one that development made is not taken."""
    settings = _production(tmp_path)
    assert settings.storage.root_key_file is not None
    (settings.storage.root_key_file.parent / MARKER).touch()
    with pytest.raises(SettingsError, match="generated for development"):
        _prepare(settings, [])
    (settings.storage.root_key_file.parent / MARKER).unlink()
    settings.storage.root_key_file.unlink()
    with pytest.raises(SettingsError, match="cannot read"):
        _prepare(settings, [])
    assert not settings.storage.root_key_file.exists()


def test_the_guide_names_every_variable_and_no_other() -> None:
    """What can be configured and what the guide says can be are the same."""
    guide = Path(__file__).parents[2] / "docs" / "guides" / "configuration.md"
    named = set(re.findall(r"^\| `(MEMGUARD_[A-Z_]+)`", guide.read_text("utf-8"), re.MULTILINE))
    assert named == set(variables())


REMOTE: dict[str, str] = {
    "MEMGUARD_EMBEDDER_KIND": "remote",
    "MEMGUARD_EMBEDDER_URL": "https://models.example/v1",
    "MEMGUARD_EMBEDDER_MODEL": "m",
    "MEMGUARD_EMBEDDER_DIMENSIONS": "8",
}
LOCAL: dict[str, str] = {
    "MEMGUARD_EMBEDDER_KIND": "transformers",
    "MEMGUARD_EMBEDDER_DIRECTORY": "/models/e5",
}


@pytest.mark.requirement("S7")
@pytest.mark.parametrize(
    ("sound", "change"),
    [
        ({}, {"MEMGUARD_EMBEDDER_URL": "https://models.example/v1"}),
        ({}, {"MEMGUARD_EMBEDDER_DIRECTORY": "/models"}),
        ({}, {"MEMGUARD_EMBEDDER_QUESTION_PREFIX": "query: "}),
        ({}, {"MEMGUARD_EMBEDDER_RELIABLE": "0"}),
        ({}, {"MEMGUARD_EMBEDDER_KEPT": "0.5"}),
        ({}, {"MEMGUARD_EMBEDDER_KIND": "transformers"}),
        (LOCAL, {"MEMGUARD_EMBEDDER_API_KEY": "k"}),
        (LOCAL, {"MEMGUARD_EMBEDDER_POOLING": "max"}),
        (LOCAL, {"MEMGUARD_EMBEDDER_COSINE_UNRELATED": "0.7"}),
        (REMOTE, {"MEMGUARD_EMBEDDER_MODEL": ""}),
        (REMOTE, {"MEMGUARD_EMBEDDER_POOLING": "cls"}),
        (REMOTE, {"MEMGUARD_EMBEDDER_DIMENSIONS": "7"}),
        (REMOTE, {"MEMGUARD_EMBEDDER_API_KEY": "k", "MEMGUARD_EMBEDDER_API_KEY_FILE": "f"}),
        (
            REMOTE,
            {
                "MEMGUARD_EMBEDDER_COSINE_UNRELATED": "0.8",
                "MEMGUARD_EMBEDDER_COSINE_ANSWERING": "0.7",
            },
        ),
        (PRODUCTION | REMOTE, {"MEMGUARD_EMBEDDER_URL": "http://127.0.0.1:8000/v1"}),
    ],
    ids=str,
)
def test_an_embedder_that_is_half_or_doubly_configured_is_refused(
    sound: dict[str, str], change: dict[str, str]
) -> None:
    """Fields of another kind mean that somebody believes in what is not so."""
    load(environ=sound)
    with pytest.raises(SettingsError):
        load(environ=sound | change)


@pytest.mark.parametrize("field", ["url", "model", "dimensions"])
def test_an_endpoint_needs_to_be_named_whole(field: str) -> None:
    """Nothing of it is guessed."""
    name = f"MEMGUARD_EMBEDDER_{field.upper()}"
    with pytest.raises(SettingsError, match=field):
        load(environ={key: value for key, value in REMOTE.items() if key != name})


def test_the_key_of_an_endpoint_does_not_stand_in_the_file(tmp_path: Path) -> None:
    """It comes from a file of its own or the environment, and shows itself nowhere."""
    config = tmp_path / "memguard.toml"
    config.write_text('[embedder]\napi_key = "zyzzyva"\n')
    with pytest.raises(SettingsError):
        load(environ=REMOTE, config=config)
    settings = load(environ=REMOTE | {"MEMGUARD_EMBEDDER_API_KEY": "zyzzyva"})
    assert settings.embedder.api_key is not None
    assert "zyzzyva" not in repr(settings)


JUDGE: dict[str, str] = {
    "MEMGUARD_SCREENING_JUDGE_URL": "https://models.example/v1",
    "MEMGUARD_SCREENING_JUDGE_MODEL": "m",
}
SECOND: dict[str, str] = {"MEMGUARD_SCREENING_SECOND_DIRECTORY": "/models/guard"}


@pytest.mark.requirement("W7")
@pytest.mark.parametrize(
    ("sound", "change"),
    [
        ({}, {"MEMGUARD_SCREENING_JUDGE_MODEL": "m"}),
        ({}, {"MEMGUARD_SCREENING_JUDGE_SHARE": "0.1"}),
        ({}, {"MEMGUARD_SCREENING_SECOND_POISON": "0.4"}),
        (SECOND, {"MEMGUARD_SCREENING_JUDGE_API_KEY": "k"}),
        (SECOND, {"MEMGUARD_SCREENING_SECOND_SHARE": "0.21"}),
        (SECOND, {"MEMGUARD_SCREENING_SECOND_SHARE": "0"}),
        (SECOND, {"MEMGUARD_SCREENING_SECOND_UNSURE": "0.6"}),
        (SECOND, {"MEMGUARD_SCREENING_SECOND_POISON": "nan"}),
        (JUDGE, {"MEMGUARD_SCREENING_JUDGE_MODEL": ""}),
        (JUDGE, {"MEMGUARD_SCREENING_JUDGE_FORMAT": "yaml"}),
        (JUDGE, {"MEMGUARD_SCREENING_JUDGE_SHARE": "0.5"}),
        (JUDGE, {"MEMGUARD_SCREENING_SECOND_TOKENS": "128"}),
        (
            JUDGE,
            {
                "MEMGUARD_SCREENING_JUDGE_API_KEY": "k",
                "MEMGUARD_SCREENING_JUDGE_API_KEY_FILE": "f",
            },
        ),
        ({}, {"MEMGUARD_SCREENING_DOUBT_FROM": "1"}),
        ({}, {"MEMGUARD_SCREENING_DETECTOR_SECONDS": "15"}),
        (PRODUCTION | JUDGE, {"MEMGUARD_SCREENING_JUDGE_URL": "http://127.0.0.1:8000/v1"}),
    ],
    ids=str,
)
def test_a_second_stage_or_judge_that_is_half_configured_is_refused(
    sound: dict[str, str], change: dict[str, str]
) -> None:
    """Also one that would cost more than a fifth of the writes, or wait longer than a request."""
    load(environ=sound)
    with pytest.raises(SettingsError):
        load(environ=sound | change)


@pytest.mark.requirement("W7")
def test_a_judge_needs_its_models_name_and_labels_are_a_list() -> None:
    """Nothing of it is guessed; labels may be Chinese."""
    with pytest.raises(SettingsError, match="judge_model"):
        load(environ={"MEMGUARD_SCREENING_JUDGE_URL": "https://models.example/v1"})
    labels = {"MEMGUARD_SCREENING_SECOND_ATTACK_LABELS": "JAILBREAK, 攻击"}
    assert load(environ=SECOND | labels).screening.second_attack_labels == ("JAILBREAK", "攻击")
