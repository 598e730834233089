"""Locations: columns without the source, the call chain, and the caret."""

import textwrap

from certile.source import UNKNOWN_LOC, Loc, caret


def _made_here():
    return Loc.here()


def test_here_gives_line_columns_and_function():
    code = _made_here.__code__
    loc = _made_here()
    assert (loc.file, loc.line) == (__file__, code.co_firstlineno + 1)
    assert (loc.column, loc.end_column) == (12, 22)
    assert loc.function == "_made_here"
    assert loc.caller is None


def test_callers_are_kept_on_request():
    def inner():
        return Loc.here(callers=2)

    def outer():
        return inner()

    loc = outer()
    assert loc.caller is not None
    assert loc.caller.function.endswith("outer")
    assert loc.caller.caller is not None
    assert loc.caller.caller.function == "test_callers_are_kept_on_request"
    assert loc.caller.caller.caller is None


def test_of_user_stops_the_chain_at_the_root():
    def helper():
        return Loc.of_user(kernel.__code__)

    def kernel():
        return helper()

    loc = kernel()
    assert loc.function.endswith("helper")
    assert loc.caller is not None
    assert loc.caller.function.endswith("kernel")
    assert loc.caller.caller is None


def test_frames_of_the_package_are_left_out_but_its_kernels_are_not():
    text = "from certile.source import Loc\ndef f(g): return g()\nx = lambda: Loc.of_user()"
    inside = {"__name__": "certile.frontend.trace"}
    around = {"__name__": "certile.ops.norm"}
    kernels = {"__name__": "certile.ops.kernels.norm"}
    exec(compile(text, "inside.py", "exec"), inside)
    exec(compile(text, "around.py", "exec"), around)
    exec(compile(text, "kernels.py", "exec"), kernels)
    assert inside["x"]().file == __file__
    assert around["x"]().file == __file__
    assert kernels["x"]().file == "kernels.py"


def test_without_source_the_place_is_known_and_the_caret_is_left_out():
    namespace = {}
    exec("from certile.source import Loc\ndef f():\n    return Loc.here()\n", namespace)
    loc = namespace["f"]()
    assert (loc.line, loc.column) == (3, 12)
    assert caret(loc) == ""
    assert loc.describe() == "<string>:3:12, in f"


def test_caret_counts_characters_and_not_bytes(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text("é = load(x)\n", encoding="utf-8")
    loc = Loc(str(path), 1, 6, 1, 13)  # é is two bytes
    assert caret(loc) == "    1 | é = load(x)\n      |     ^^^^^^^"


def test_caret_of_several_lines_underlines_the_first(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text("a = f(\n    1)\n")
    assert caret(Loc(str(path), 1, 5, 2, 7)) == "    1 | a = f(\n      |     ^^"


def test_caret_without_columns_shows_the_line(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text("a = 1\n")
    assert caret(Loc(str(path), 1)) == "    1 | a = 1"


def test_an_edited_file_is_read_again(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text("a = 1\n")
    assert "a = 1" in caret(Loc(str(path), 1))
    path.write_text(textwrap.dedent("longer = 22\n"))
    assert "longer = 22" in caret(Loc(str(path), 1))


def test_unknown():
    assert Loc.UNKNOWN is UNKNOWN_LOC
    assert not UNKNOWN_LOC.known
    assert caret(UNKNOWN_LOC) == ""
    assert UNKNOWN_LOC.describe() == "<unknown>"
