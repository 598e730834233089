"""A file without a line table has no lines; a library's lines are those of its text."""

from certile.metalsim.building import built
from certile.metalsim.lines import LineTable
from certile.metalsim.rewrite import SOURCE_NAME
from tests.metalsim.texts import SOFTMAX, line_of


def test_another_format_has_no_lines(tmp_path):
    path = tmp_path / "image"
    path.write_bytes(b"\xcf\xfa\xed\xfe" + bytes(64))
    assert LineTable(path, SOURCE_NAME).line(100) == 0


def test_lines_of_a_library():
    table = LineTable(built(SOFTMAX, "checked"), SOURCE_NAME)
    seen = {table.line(address) for address in range(0x8000)}
    accesses = (
        "m = fmax(m, row",
        "maxima[sg] =",
        "maxima[lane]",
        "sums[sg] =",
        "sums[lane]",
        "y[group",
    )
    assert {line_of(SOFTMAX, part) for part in accesses} <= seen
    assert max(seen) <= SOFTMAX.count("\n") + 1
    assert table.line(0) == 0
