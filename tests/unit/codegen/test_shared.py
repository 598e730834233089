"""What the targets share: writers, names, tables of packs, and which integers are indices."""

import pytest

from certile.codegen.indices import index_only
from certile.codegen.packs import packs
from certile.codegen.writer import Names, Writer
from certile.ir.dtypes import bf16, f32, i64
from certile.ir.machine import Buffer, For, Load, ScalarParameter, Store, operations
from certile.ir.machine.build import Builder
from certile.ir.machine.fold import facts_of

N = ScalarParameter("n", i64)
X = Buffer("x", f32, False, 16)
Y = Buffer("y", f32, True, 16)


def widths(b, kind=Load, widest=16):
    """The sizes of the packs of a built block, in order of their first accesses."""
    block = b.block()
    facts = facts_of(block, b.lanes, b.subgroups)
    found = packs(block, facts, lambda dtype: widest // dtype.size)
    ordered = dict.fromkeys(
        found[o] for o in block.operations if isinstance(o, kind) and o in found
    )
    return [len(pack.accesses) for pack in ordered]


def read(b, count, *, base=0, stride=4, buffer=X, mask=None):
    """Load `count` neighbours a lane and use them."""
    for v in range(count):
        value = b.load(buffer, b.address(b.add(base, v), stride), mask, 0.0)
        b.store(Y, b.address(1000 * v, 1), b.convert(value, f32))


def test_neighbours_are_packed_to_the_width_of_an_access():
    b = Builder(32)
    read(b, 8, stride=8)
    assert widths(b) == [4, 4]
    b = Builder(32)
    read(b, 3)
    assert widths(b) == [2]
    b = Builder(32)
    read(b, 8, stride=8, buffer=Buffer("half", bf16, False, 16))
    assert widths(b) == [8]
    b = Builder(32)
    read(b, 4)
    assert widths(b, widest=8) == [2, 2]


@pytest.mark.parametrize(
    ("stride", "base", "alignment"),
    [(3, 0, 16), (4, 1, 16), (4, 0, 4), (1, 0, 16)],
)
def test_what_is_not_proved_aligned_is_not_packed(stride, base, alignment):
    b = Builder(32)
    read(b, 2, stride=stride, base=base, buffer=Buffer("x", f32, False, alignment))
    assert widths(b) == []


def test_a_row_of_unknown_stride_is_aligned_where_its_parameter_is():
    b = Builder(32)
    stride = b.parameter(ScalarParameter("stride", i64, multiple=4))
    read(b, 4, base=b.mul(b.group(), stride))
    assert widths(b) == [4]
    b = Builder(32)
    read(b, 4, base=b.mul(b.group(), b.parameter(N)))
    assert widths(b) == []


def test_masks_of_a_pack_are_one():
    b = Builder(32)
    place = b.convert(b.lane(), i64)
    for v, limit in enumerate((20, 20, 20, 20, 9, 10)):
        value = b.load(X, b.address(v, 8), b.lt(place, limit), 0.0)
        b.store(Y, b.address(1000 * v, 1), value)
    assert widths(b) == [4]


def test_a_store_between_ends_a_run():
    b = Builder(32)
    for v in range(4):
        b.store(Y, b.address(v, 4), b.load(Y, b.address(v, 4)))
    assert widths(b) == []
    b = Builder(32)
    loaded = [b.load(Y, b.address(v, 4)) for v in range(4)]
    for v in range(4):
        b.store(Y, b.address(v, 4), loaded[v])
    assert widths(b) == [4]
    assert widths(b, Store) == [4]


def test_a_barrier_ends_a_run():
    b = Builder(32)
    first = b.load(X, b.address(0, 2))
    b.barrier()
    second = b.load(X, b.address(1, 2))
    b.store(Y, b.address(0, 1), b.compute("add", first, second))
    assert widths(b) == []


def test_indices_are_told_from_data():
    ints = Buffer("ints", i64, True)
    b = Builder(32)
    n = b.parameter(N)
    place = b.add(b.mul(n, 3), 1)
    number = b.add(b.mul(n, 5), 2)
    b.store(ints, b.address(place, 1), number)
    block = b.block()
    indices = index_only(block)
    assert place in indices
    assert number not in indices
    # Part of both: data decides.
    assert n not in indices


def test_a_carried_integer_is_data_and_a_loop_bound_is_not():
    b = Builder(32)
    stop = b.add(b.parameter(N), 7)
    start = b.add(b.group(), 9)
    b.for_(0, stop, 1, [start], lambda i, p: [b.add(p[0], i)])
    ints = Buffer("ints", i64, True)
    (total,) = b.for_(0, stop, 1, [start], lambda i, p: [b.add(p[0], i)])
    b.store(ints, b.address(0), total)
    block = b.block()
    (loop,) = [o for o in operations(block) if isinstance(o, For)]
    indices = index_only(block)
    assert loop.stop in indices
    assert not indices.intersection((*loop.yields, *loop.inits))


def test_writers_indent_blocks():
    writer = Writer()
    with writer.block("while (true)"):
        writer.line("f();")
        with writer.block(""):
            writer.line()
    assert writer.text() == "while (true) {\n  f();\n  {\n\n  }\n}\n"


def test_names_are_identifiers_and_unique():
    names = Names()
    assert [names.make(text) for text in ("x", "x", "a.b", "a-b", "é")] == [
        "x",
        "x_2",
        "a_b",
        "a_b_2",
        "_",
    ]
