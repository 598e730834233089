"""Which arrays of a thread are registers, and so which loops are unrolled for them."""

from certile.codegen.threads.registers import arrays_in_registers
from certile.ir.dtypes import i64
from certile.ir.machine import Buffer, MachineKernel, PrivateArray, ScalarParameter
from certile.ir.machine.build import Builder
from certile.ir.machine.fold import facts_of

HELD = PrivateArray("held", i64, 8)


def registers(build, array=HELD):
    """The arrays in registers of a kernel whose body `build` writes."""
    b = Builder(32)
    count = ScalarParameter("count", i64)
    build(b, array, b.parameter(count))
    out = Buffer("out", i64, True)
    b.store(out, b.address(0, 1), b.array_load(array, 0))
    kernel = MachineKernel("k", 32, 1, 1, (out,), (count,), (array,), (), b.block())
    return arrays_in_registers(kernel, facts_of(kernel.body, 32, 1))


def fill(b, array, stop):
    def body(index, _):
        b.array_store(array, index, index)
        return ()

    b.for_(0, stop, 1, (), body)


def test_an_array_that_loops_of_known_bounds_index_is_registers():
    assert registers(lambda b, array, _: fill(b, array, 8)) == {HELD}


def test_an_array_that_a_loop_of_unknown_bounds_indexes_lies_in_memory():
    assert registers(fill) == frozenset()


def test_a_constant_slot_is_a_register_in_any_loop():
    def counted(b, array, count):
        def body(index, _):
            b.array_store(array, 0, index)
            return ()

        b.for_(0, count, 1, (), body)

    assert registers(counted) == {HELD}


def test_a_long_array_lies_in_memory():
    long = PrivateArray("long", i64, 129)
    assert registers(lambda b, array, _: fill(b, array, 129), long) == frozenset()
