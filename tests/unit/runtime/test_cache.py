"""The cache of compiled kernels: keys, and bytes under them."""

from pathlib import Path

import pytest

from certile.runtime.cache import Cache, default_cache, key


def test_key_tells_types_and_borders_apart() -> None:
    groups = [
        (True,), (1,), (1.0,), ("1",), (b"1",), (None,), ("True",), (False,), (0,), (-0.0,), (0.0,),
        ("ab", "c"), ("a", "bc"), ("abc",), (("ab", "c"),), (("ab",), "c"), (["ab"], ["c"]),
        ({"a": 1},), ({"a": 1, "b": 2},), (("a", 1),), (), ((),), ("",),
    ]  # fmt: skip
    assert len({key(*parts) for parts in groups}) == len(groups)


def test_key_depends_on_values_only() -> None:
    assert key({"a": 1, "b": (2,)}, "x") == key({"b": (2,), "a": 1}, "x")


def test_key_refuses_what_it_cannot_tell_apart() -> None:
    with pytest.raises(TypeError, match="object"):
        key(object())  # type: ignore[arg-type]


def test_any_text_is_a_key(tmp_path: Path) -> None:
    keys = ("a", "", "../a", "a/b", "ä\0" * 300)
    cache = Cache(tmp_path)
    for entry_key in keys:
        assert cache.get(entry_key) is None
        cache.put(entry_key, entry_key.encode())
    assert [Cache(tmp_path).get(entry_key) for entry_key in keys] == [k.encode() for k in keys]
    assert len(list(tmp_path.glob("*.entry"))) == len(keys)


def test_the_settings_choose_folder_limit_and_mode(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = default_cache()
    cache.put("a", b"content")
    assert default_cache() is cache
    assert cache.store.folder == cache_folder
    monkeypatch.setenv("CERTILE_CACHE", "readonly")
    default_cache().put("b", b"")
    assert (default_cache().get("a"), default_cache().get("b")) == (b"content", None)
    monkeypatch.setenv("CERTILE_CACHE", "off")
    assert default_cache().get("a") is None
    monkeypatch.setenv("CERTILE_CACHE", "on")
    monkeypatch.setenv("CERTILE_CACHE_BYTES", "1")
    default_cache().put("c", b"content")
    assert cache.store.size() == (0, 0)
