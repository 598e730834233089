"""Several texts as one: equal items once, and no name for two things."""

import pytest

from certile.diagnostics import ArgumentError, KernelError
from certile.metalsim import check, joined
from certile.metalsim.reader import parse

HEAD = "#include <metal_stdlib>\nusing namespace metal;\n#pragma METAL fp contract(off)\n"
TWICE = "static inline float twice(float x) {\n  return 2.0f * x;  // exact\n}\n"
LIMIT = "[[max_total_threads_per_threadgroup(64)]]\n"


def kernel(name, body="x[0] = twice(x[0]);"):
    return f"kernel void {name}(device float* x [[buffer(0)]]) {{\n  {body}\n}}\n"


def test_what_is_common_stands_once():
    one = HEAD + TWICE + LIMIT + kernel("one")
    two = HEAD + "struct S { int n; };\nconstant int four = 4;\n" + TWICE + kernel("two")
    text = joined([one, two, one])
    assert check(text) == []
    unit = parse(text)
    assert [item.name for item in unit.items] == ["twice", "one", "S", "four", "two"]
    assert unit.kernels[0].max_threads == 64
    assert text.count("#pragma METAL fp contract(off)") == 1
    assert joined([text]) == text


def test_a_name_has_one_meaning():
    other = TWICE.replace("2.0f", "3.0f")
    with pytest.raises(ArgumentError, match=r"X021.*another 'twice'"):
        joined([HEAD + TWICE + kernel("one"), HEAD + other + kernel("two")])
    with pytest.raises(ArgumentError, match=r"X021.*another 'one'"):
        joined([HEAD + TWICE + kernel("one"), HEAD + TWICE + kernel("one", "x[0] = 0.0f;")])


def test_pragmas_count_for_a_whole_text():
    without = HEAD.replace("#pragma METAL fp contract(off)\n", "")
    with pytest.raises(ArgumentError, match=r"X021.*pragmas"):
        joined([HEAD + TWICE + kernel("one"), without + TWICE + kernel("two")])


def test_a_form_outside_the_subset_is_refused():
    with pytest.raises(KernelError, match=r"X001.*line 4"):
        joined([HEAD + "typedef float real;\n"])
    with pytest.raises(KernelError, match=r"X001.*line 5"):
        joined([HEAD + kernel("one", "x[0] = 'a';")])


def test_nothing_is_an_empty_text():
    assert check(joined([])) == []
