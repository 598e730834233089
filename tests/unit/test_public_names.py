"""What `import certile` shows to somebody who looks around."""

import certile


def test_the_directory_holds_the_language_and_nothing_of_its_making():
    shown = dir(certile)
    assert set(certile.__all__) <= set(shown)
    assert not {"Any", "TYPE_CHECKING", "import_module"} & set(shown)
    assert all(hasattr(certile, name) for name in shown)


def test_an_unknown_name_is_missing():
    assert not hasattr(certile, "sotfmax")
