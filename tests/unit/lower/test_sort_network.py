"""The sorting network: every input of zeros and ones, and what its text costs.

A network of compare-exchanges that sorts all sequences of zeros and ones sorts everything (the 0-1
principle: Knuth, The Art of Computer Programming 3, 5.3.4).
"""

import numpy as np
import pytest

from certile.ir.build import Builder as TileBuilder
from certile.ir.dtypes import i32
from certile.ir.machine import Buffer, Constant, MachineKernel, PrivateArray, operations
from certile.ir.machine.build import Builder
from certile.ir.machine.verify import check_machine
from certile.lower.sorting.keys import Keys
from certile.lower.sorting.network import Network
from certile.plan.subgroup.sorting import sort_layout
from certile.reference.machine import run_machine


def sort_of(length):
    b = TileBuilder("s")
    cols = b.axis("cols", length)
    x, y = b.view("x", i32, 2), b.view("y", i32, 2)
    one = b.axis("one", 1)
    with b.parallel(one):
        values, _ = b.sort(b.load(x, one, cols), cols)
        b.store(y, (one, cols), values)
    b.build()
    return values.of.with_(positions=False)


def sorting_kernel(lanes, vectors):
    """Sort `vectors` vectors of i32 in place, one program after another in memory."""
    b = Builder(lanes)
    node = sort_of(lanes * vectors)
    keys = Keys(b, i32, sort_layout(node, lanes), descending=False)
    array, data = PrivateArray("held", i32, vectors), Buffer("x", i32, True)
    network = Network(keys, [array], lanes, vectors)
    first = b.mul(b.group(), lanes * vectors)

    def address(number):
        return b.address(b.add(first, b.mul(number, lanes)), 1)

    def fill(number, _):
        network.write(number, network.sorted_vector((b.load(data, address(number)),)))
        return ()

    def drain(number, _):
        b.store(data, address(number), network.read(number)[0])
        return ()

    b.for_(0, vectors, 1, (), fill)
    network.sort()
    b.for_(0, vectors, 1, (), drain)
    return check_machine(MachineKernel("k", lanes, 1, 1, (data,), (), (array,), (), b.block()))


@pytest.mark.parametrize(
    ("lanes", "vectors"), [(1, 3), (1, 8), (1, 11), (2, 5), (4, 2), (4, 3), (8, 1)]
)
def test_all_sequences_of_zeros_and_ones(lanes, vectors):
    count = lanes * vectors
    programs = 1 << count
    inputs = (np.arange(programs)[:, None] >> np.arange(count) & 1).astype(np.int32)
    x = inputs.reshape(-1).copy()
    report = run_machine(sorting_kernel(lanes, vectors), {"x": x}, {}, programs)
    assert report.ok, report
    assert np.array_equal(x.reshape(inputs.shape), np.sort(inputs))


def test_longer_rows_make_no_longer_text():
    def size(vectors):
        made = operations(sorting_kernel(4, vectors).body)
        return sum(not isinstance(operation, Constant) for operation in made)

    assert size(64) == size(16)
