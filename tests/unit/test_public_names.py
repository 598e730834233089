"""What `import certile` shows to somebody who looks around."""

import pytest

import certile


def test_the_directory_holds_the_language_and_nothing_of_its_making():
    shown = dir(certile)
    assert set(certile.__all__) <= set(shown)
    assert not {"Any", "TYPE_CHECKING", "import_module"} & set(shown)
    assert all(hasattr(certile, name) for name in shown)


def test_an_unknown_name_is_missing():
    assert not hasattr(certile, "sotfmax")


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("sum", r"in a kernel use ct\.reduce\(tile, axis, ct\.add\)"),
        ("program_id", "in a kernel use the coordinate r of `for r in ct.parallel"),
        ("softmax", r"certile\.ops\.softmax is an operation on arrays"),
        ("_sum", "'_sum'$"),
    ],
)
def test_what_other_packages_have_by_a_name_is_said(name, instead):
    with pytest.raises(AttributeError, match=instead):
        getattr(certile, name)
