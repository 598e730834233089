"""Settings: defaults, values, wrong values, unknown names, the key."""

import warnings
from pathlib import Path

import pytest

from certile import settings
from certile.diagnostics import ArgumentError
from certile.settings import VARIABLES, Settings, SettingsWarning, current, warn_unknown
from certile.store import Form, Store


def test_defaults():
    read = Settings.read({})
    assert read.target is None
    assert (read.cache, read.math, read.check, read.verify) == ("on", "precise", "args", "ends")
    assert read.threads >= 1
    assert read.dump == ()
    assert read.cache_dir.name == "certile"


def test_a_cache_folder_of_the_user_is_absolute():
    usual = Settings.read({}).cache_dir
    assert Settings.read({"XDG_CACHE_HOME": "relative/folder"}).cache_dir == usual
    assert Settings.read({"XDG_CACHE_HOME": "/tmp/folder"}).cache_dir == Path("/tmp/folder/certile")


def test_a_wrong_value_is_one_error():
    with pytest.raises(ArgumentError, match="S001") as raised:
        Settings.read({"CERTILE_THREADS": "0"})
    assert raised.value.__suppress_context__


@pytest.mark.parametrize(
    ("name", "raw", "value"),
    [
        ("CERTILE_TARGET", "metal-sim", "metal-sim"),
        ("CERTILE_CACHE", "readonly", "readonly"),
        ("CERTILE_CACHE_DIR", "some/where", Path("some/where")),
        ("CERTILE_CACHE_BYTES", "4k", 4096),
        ("CERTILE_POOL_BYTES", "2GB", 2 << 30),
        ("CERTILE_POOL_BYTES", "0", 0),
        ("CERTILE_THREADS", "3", 3),
        ("CERTILE_MATH", " portable ", "portable"),
        ("CERTILE_REWRITES", "off", "off"),
        ("CERTILE_GUARD_BUDGET", "0.5", 0.5),
        ("CERTILE_DUMP", "tile, plan", ("tile", "plan")),
        ("CERTILE_TRACE", "rules", "rules"),
        ("CERTILE_TIME", "on", True),
        ("CERTILE_TIME", "0", False),
        ("CERTILE_MATH", "", "precise"),
    ],
)
def test_values(name, raw, value):
    assert Settings.read({name: raw}).values()[name] == value


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("CERTILE_TARGET", "vulkan"),
        ("CERTILE_CACHE_BYTES", "4x"),
        ("CERTILE_CACHE_BYTES", "-1"),
        ("CERTILE_THREADS", "0"),
        ("CERTILE_THREADS", "many"),
        ("CERTILE_GUARD_BUDGET", "nan"),
        ("CERTILE_DUMP", "Plan!"),
        ("CERTILE_DUMP", "tile,plam"),
        ("CERTILE_TIME", "yes"),
        ("CERTILE_CACHE_DIR", "~a user that nobody has/cache"),
        ("CERTILE_DUMP_DIR", "~a user that nobody has"),
    ],
)
def test_a_wrong_value_names_the_variable_and_what_it_takes(name, raw):
    kind = next(variable.kind for variable in VARIABLES if variable.name == name)
    with pytest.raises(ArgumentError) as caught:
        Settings.read({name: raw})
    assert caught.value.code == "S001"
    assert f"{name}={raw!r}" in str(caught.value)
    assert kind in str(caught.value)


def test_nobody_has_no_cache(monkeypatch, caplog):
    def refuse(path):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", refuse)
    folder = Settings.read({}).cache_dir
    store = Store(folder, Form((".entry",)))
    assert not store.publish("a.entry", b"content")
    assert store.find("a.entry") is None
    assert "going on without the cache folder" in caplog.text


def test_current_follows_the_environment(monkeypatch):
    before = current()
    assert current() is before
    monkeypatch.setenv("CERTILE_MATH", "fast")
    assert current().math == "fast"


def test_the_key_holds_what_changes_code_and_nothing_else():
    plain = Settings.read({"CERTILE_THREADS": "1"})
    for name, raw in {"CERTILE_MATH": "fast", "CERTILE_CHECK": "bounds"}.items():
        assert Settings.read({"CERTILE_THREADS": "1", name: raw}).codegen_key() != (
            plain.codegen_key()
        )
    quiet = {"CERTILE_THREADS": "1", "CERTILE_TIME": "1", "CERTILE_DUMP": "all"}
    assert Settings.read(quiet).codegen_key() == plain.codegen_key()


def test_unknown_names_warn_once_with_a_suggestion(monkeypatch):
    monkeypatch.setattr(settings, "_warned", set())
    environment = {"CERTILE_MAHT": "fast", "CERTILE_MATH": "fast", "OTHER": "1"}
    with pytest.warns(SettingsWarning, match="CERTILE_MAHT; did you mean CERTILE_MATH"):
        warn_unknown(environment)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_unknown(environment)
