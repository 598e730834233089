"""What TVM would build or crash on, and the adapter refuses: one test a row of what was found."""

import numpy as np
import pytest

from certile import tirx
from certile.diagnostics import InternalError, UnsupportedError
from certile.ir import machine
from certile.ir.dtypes import bool_, f16, f32, i8, i32, i64
from certile.tirx import threads, tvm, vectors
from certile.tirx.externs import EXTERNS
from certile.tirx.tvm_building import build, target_of
from certile.tirx.tvm_program import Program, function, script


def fault(made):
    with pytest.raises(InternalError) as caught:
        made()
    assert caught.value.diagnostic.code == "M030"
    return caught.value.diagnostic.message


def test_every_operation_has_an_entry():
    assert threads.TABLE.missing() == set()
    assert vectors.TABLE.missing() == set()
    assert machine.Operation not in threads.TABLE.missing()


def test_operands_of_two_types_are_no_cast():
    one, whole = tvm.constant(1.0, f32), tvm.constant(1, i32)
    assert "f32" in fault(lambda: tvm.binary("add", one, whole))
    fault(lambda: tvm.compare("lt", tvm.constant(1, i64), whole))
    fault(lambda: tvm.select(tvm.constant(True, bool_), one, whole))
    fault(lambda: tvm.binary("bit_and", one, one))
    fault(lambda: tvm.logic("and", whole, whole))


def test_lanes_are_not_spread_by_themselves():
    one = tvm.constant(1.0, f32)
    fault(lambda: tvm.binary("add", one, tvm.spread(one, 8)))
    fault(lambda: tvm.select(tvm.constant(True, bool_), tvm.spread(one, 8), tvm.spread(one, 8)))
    fault(lambda: tvm.spread(tvm.spread(one, 8), 4))


def test_a_store_does_not_cast():
    program, place = Program(), tvm.argument("x", f32, 4, 4)
    index = tvm.constant(0, i64)
    fault(lambda: program.store(place, tvm.constant(1.0, f16), index))
    fault(lambda: program.store(place, tvm.spread(tvm.constant(1.0, f32), 8), index))


def test_ranks_and_bounds():
    place, index = tvm.argument("x", f32, 4, 4), tvm.constant(0, i64)
    fault(lambda: tvm.load(place))
    fault(lambda: tvm.load(place, index, index))
    assert fault(lambda: tvm.load(place, tvm.constant(4, i64))) == "element 4 of 4"
    fault(lambda: tvm.load(place, tvm.constant(-1, i64)))
    fault(lambda: tvm.load(place, tvm.constant(0, i8)))
    fault(lambda: Program().store(place, tvm.constant(1.0, f32), tvm.constant(4, i64)))


@pytest.mark.parametrize("target", ["llvm", "metal", "cuda"])
def test_names_that_a_library_lacks(target):
    one = tvm.constant(1.0, f32)
    fault(lambda: tvm.call(target, "no_such_function", f32, [one]))
    elsewhere = {"llvm": "simd_sum", "metal": "__shfl_xor_sync", "cuda": "simd_sum"}[target]
    fault(lambda: tvm.call(target, elsewhere, f32, [one]))
    name, known = next(iter(EXTERNS[target].items()))
    fault(lambda: tvm.call(target, name, f32, [one] * (known.arity + 1)))


def test_intrinsics_that_llvm_lacks():
    fault(lambda: tvm.intrinsic("llvm.simd_sum", tvm.constant(1.0, f32)))
    fault(lambda: tvm.intrinsic("llvm.fma", tvm.constant(1.0, f32)))


@pytest.mark.parametrize("target", ["metal", "cuda"])
def test_a_function_without_threads_is_no_kernel(target):
    program, place = Program(), tvm.argument("x", f32, 4, 4)
    program.store(place, tvm.constant(1.0, f32), tvm.constant(0, i64))
    func = function("unbound", [place], program, None, noalias=True)
    # Passes of TVM may say it first, with an error of theirs.
    with pytest.raises((InternalError, RuntimeError)):
        build(func, target)


def test_what_is_aligned_is_what_was_proved():
    for launch in tirx.export("softmax", (3, 4096), "llvm", noalias=True).launches:
        assert "align=4" in script(launch.func)
    exported = tirx.export("sum", (3, 131), "metal", capability=True, noalias=True)
    x = next(a for a in exported.artifact().arguments if a.name == "x")
    assert x.alignment == exported.launches[0].machine.buffers[0].base_alignment


def test_a_branch_takes_one_truth_value():
    program = Program()
    with pytest.raises(InternalError), program.branch(tvm.constant(1, i32)):
        pass
    with (
        pytest.raises(InternalError),
        program.branch(tvm.spread(tvm.constant(True, bool_), 8)),
    ):
        pass


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e-38, np.pi, -0.0, 65504.0, 2.0**-149])
def test_which_numbers_seven_digits_say(value):
    held = float(np.float32(value))
    assert tvm.prints_exactly(held, f32) == (np.float32(f"{held:e}") == np.float32(held))


def test_what_the_package_says_when_tvm_is_missing(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "tvm", None)
    tvm.api.cache_clear()
    with pytest.raises(UnsupportedError) as caught:
        tirx.export("sum", (3, 64), "llvm")
    assert caught.value.diagnostic.code == "U320"
    tvm.api.cache_clear()


def test_what_the_package_says_of_another_tvm(monkeypatch):
    monkeypatch.setattr(tvm, "VERSION", "0.1")
    tvm.api.cache_clear()
    with pytest.raises(UnsupportedError) as caught:
        tvm.api()
    assert caught.value.diagnostic.code == "U320"
    monkeypatch.undo()
    tvm.api.cache_clear()


@pytest.mark.parametrize("target", ["llvm", "metal", "cuda"])
@pytest.mark.parametrize("pipeline", ["tirx", "s_tir"])
def test_pipelines_of_tvm_take_the_functions_too(target, pipeline):
    for op in ("softmax", "argmax", "cross_entropy"):
        exported = tirx.export(op, (3, 100), target, capability=True, noalias=True)
        (launch,) = exported.launches
        described = target_of(target, "")
        built = tvm.api().tirx.build(launch.func, described, pipeline=pipeline)
        if target == "llvm" and op == "softmax":
            x, y = np.ones(300, np.float32), np.zeros(300, np.float32)
            built[launch.machine.name](tvm.tensor(x), tvm.tensor(y))
            assert np.allclose(y, 0.01)
