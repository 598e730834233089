"""Tokens know their places; the writer maps columns back."""

import pytest

from certile.metalsim.findings import Refused
from certile.metalsim.tokens import tokenise
from certile.metalsim.writer import Writer


def test_places_and_kinds():
    text = "#include <a>\nx /* c\n c */ += 0x1.8p-3f; // end\n  y->z[[1]]"
    tokens = [(t.kind, t.text, t.line, t.column) for t in tokenise(text)]
    assert tokens == [
        ("directive", "#include <a>", 1, 1),
        ("name", "x", 2, 1),
        ("punct", "+=", 3, 7),
        ("number", "0x1.8p-3f", 3, 10),
        ("punct", ";", 3, 19),
        ("name", "y", 4, 3),
        ("punct", "->", 4, 4),
        ("name", "z", 4, 6),
        ("punct", "[", 4, 7),
        ("punct", "[", 4, 8),
        ("number", "1", 4, 9),
        ("punct", "]", 4, 10),
        ("punct", "]", 4, 11),
    ]


def test_glued_brackets_differ_from_nested_ones():
    assert [t.glued for t in tokenise("[[ [ [")] == [False, True, False, False]


@pytest.mark.parametrize("text", ['"text"', "'c'", "a @ b", "#pragma x \\\n y"])
def test_what_is_outside_the_subset(text):
    with pytest.raises(Refused) as caught:
        tokenise(text)
    assert caught.value.diagnostic.code == "X001"


def test_writer_keeps_lines_and_maps_columns():
    writer = Writer()
    writer.put("int", 1, 1)
    writer.put("a_longer_name", 1, 5)
    writer.put("=", 3, 2)
    writer.put("1", 3, 40)
    assert writer.text() == "int a_longer_name\n\n= 1\n"
    assert [writer.column(1, c) for c in (1, 4, 5, 9)] == [1, 1, 5, 5]
    assert writer.column(3, 3) == 40
    assert writer.column(9, 1) == 1
