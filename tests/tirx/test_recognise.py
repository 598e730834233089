"""Recognising reductions: spellings that are accepted, look-alikes that are refused."""

import numpy as np
import pytest

from certile.diagnostics import ArgumentError, KernelError, Refusal
from certile.ir.array_types import numpy_dtype
from certile.ir.verify import verify
from certile.plan.options import Options
from certile.reference.tile import run
from certile.tirx.recognition import nodes
from certile.tirx.recognition.recognised import Recognised, recognise, recognised
from certile.tirx.tvm_reading import read
from tests.tirx.look_alikes import LOOK_ALIKES
from tests.tirx.machine_runs import run_compiled
from tests.tirx.records import execute
from tests.tirx.spellings import (
    COLUMNS,
    ROWS,
    SPELLINGS,
    Arrays,
    Spelling,
    rows,
    script,
)
from tests.tirx.stage_spellings import STAGE_LOOK_ALIKES, STAGES

ACCEPTED = SPELLINGS | STAGES
REFUSED = LOOK_ALIKES | STAGE_LOOK_ALIKES
UNMARKED = SPELLINGS["initialised before the loop"].text


def _accepted(text: object, **declared: object) -> Recognised:
    made = recognise(text, target="metal", **{"noalias": True, "capability": True, **declared})
    assert isinstance(made, Recognised), made
    return made


def _arguments(made: Recognised) -> Arrays:
    rng = np.random.default_rng(7)
    return {
        view.name: rng.integers(-2, COLUMNS + 2, made.shapes[view.name])
        if view.dtype.name == "i64"
        else rng.standard_normal(made.shapes[view.name]).astype(numpy_dtype(view.dtype.name))
        for view in made.kernel.views
    }


def _agree(results: Arrays, spelling: Spelling, given: Arrays) -> None:
    for name, wanted in spelling.outputs(given).items():
        loose = 2e-5 if results[name].dtype == np.float32 else 1e-3
        np.testing.assert_allclose(results[name], wanted, rtol=loose, atol=loose)


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_spelling_is_recognised_and_means_what_it_does(name: str) -> None:
    spelling = ACCEPTED[name]
    made = _accepted(spelling.text)
    assert tuple(reduction.kind for reduction in made.reductions) == spelling.kinds
    assert verify(made.kernel) == []
    given = _arguments(made)
    results = {key: array.copy() for key, array in given.items()}
    run(made.kernel, results)
    _agree(results, spelling, given)
    compiled = {key: array.copy() for key, array in given.items()}
    run_compiled(made, compiled)
    _agree(compiled, spelling, given)
    executed = {key: array.copy() for key, array in given.items()}
    execute(read(spelling.text), executed.values())
    _agree(executed, spelling, given)


def test_tvm_computes_what_the_kernels_do() -> None:
    """The functions themselves, compiled by TVM, which knows nothing of this reading."""
    import tvm
    from tvm.script.parser import parse
    from tvm.script.parser import tirx as dialect

    for name in (
        *("a row with several readers", "a guarded gather", "two carries of one loop"),
        *("two outputs of one loop", "stages of all rows", "a maximum in float16"),
    ):
        spelling = ACCEPTED[name]
        made = _accepted(spelling.text)
        given = _arguments(made)
        function = parse(spelling.text, extra_vars={"T": dialect})
        built = tvm.tirx.build(function, target=tvm.target.Target({"kind": "llvm"}))
        held = [tvm.runtime.tensor(array) for array in given.values()]
        built[made.kernel.name](*held)
        results = {key: tensor.numpy() for key, tensor in zip(given, held, strict=True)}
        _agree(results, spelling, given)


@pytest.mark.parametrize("name", REFUSED)
def test_a_look_alike_is_refused_by_its_reason(name: str) -> None:
    expected = REFUSED[name]
    refusal = recognise(expected.text, target="metal", noalias=True, capability=True)
    assert isinstance(refusal, Refusal)
    assert refusal.kind == "admission"
    assert refusal.rule == expected.rule
    assert expected.says in f"{refusal.claim}: {refusal.missing}"


def _marked(claim: str, update: str) -> str:
    return rows(f"""
    acc: T.float32 = 0.0
    for j in T.serial({COLUMNS}, annotations={{"certile.reduction": "{claim}"}}):
        {update}
    B[i] = acc
""")


def test_a_lying_mark_is_an_error() -> None:
    assert _accepted(_marked("add", "acc += A[i, j]")).reductions[0].kind == "add"
    with pytest.raises(KernelError, match="marked max and folds by add") as caught:
        recognise(_marked("max", "acc += A[i, j]"), target="metal", noalias=True)
    assert caught.value.code == "K120"


def test_a_mark_on_a_sum_in_an_output_is_held_to_it() -> None:
    text = """@T.prim_func
def f(A: T.Buffer((5, 37), 'float32'), B: T.Buffer((5,), 'float32')):
    for k in T.serial(5):
        B[k] = T.float32(0)
    for i in T.serial(5):
        for j in T.serial(37, annotations={"certile.reduction": "add"}):
            B[i] += A[i, j]
"""
    assert _accepted(text).reductions[0].carry == "B"
    for lie in (text.replace('"add"', '"max"'), text.replace("B[k] =", "B[0] =")):
        with pytest.raises(KernelError) as caught:
            recognise(lie, target="metal", noalias=True)
        assert caught.value.code == "K120"


@pytest.mark.parametrize("update", ["acc += A[i, j] * acc", "acc = A[i, j]", "B[i] = A[i, 0]"])
def test_a_mark_makes_a_failed_proof_an_error(update: str) -> None:
    unmarked = _marked("add", update).replace(', annotations={"certile.reduction": "add"}', "")
    assert isinstance(recognise(unmarked, target="metal", noalias=True), Refusal)
    with pytest.raises(KernelError) as caught:
        recognise(_marked("add", update), target="metal", noalias=True)
    assert caught.value.code == "K120"


def test_a_mark_is_not_what_makes_a_loop_a_reduction() -> None:
    marked, plain = _accepted(_marked("add", "acc += A[i, j]")), _accepted(UNMARKED)
    assert [(r.kind, r.extents) for r in marked.reductions] == [
        (r.kind, r.extents) for r in plain.reductions
    ]


def test_an_attribute_statement_claims_no_more_than_an_annotation() -> None:
    text = rows(f"""
    acc: T.float32 = 0.0
    with T.attr({{"certile.reduction": "max"}}):
        for j in T.serial({COLUMNS}):
            acc += A[i, j]
    B[i] = acc
""")
    with pytest.raises(KernelError, match="marked max"):
        recognise(text, target="metal", noalias=True)


def test_without_noalias_nothing_is_recognised() -> None:
    refusal = recognise(UNMARKED, target="metal", capability=True)
    assert isinstance(refusal, Refusal)
    assert refusal.rule == "kernel_abi"
    assert "noalias" in refusal.missing


def test_the_attribute_noalias_is_no_declaration() -> None:
    text = UNMARKED.replace(
        "    for i in", '    T.func_attr({"tirx.noalias": True})\n    for i in', 1
    )
    assert isinstance(recognise(text, target="metal"), Refusal)
    assert isinstance(recognise(text, target="metal", noalias=True), Recognised)


def test_without_the_capability_the_order_is_as_written() -> None:
    made = _accepted(UNMARKED, capability=False)
    (plan,) = made.plan()
    assert plan.mapping is not None
    assert plan.mapping.family == "reference"
    with pytest.raises(ArgumentError) as caught:
        made.plan(Options(subgroup_reductions="on"))
    assert caught.value.code == "A321"


def test_no_function_and_no_target() -> None:
    with pytest.raises(ArgumentError) as caught:
        recognise(print, target="metal")
    assert caught.value.code == "A320"
    with pytest.raises(ArgumentError) as caught:
        recognise(UNMARKED, target="webgpu")  # type: ignore[arg-type]
    assert caught.value.code == "A320"


@pytest.mark.parametrize("text", ["def f(:", "@T.prim_func\ndef f():\n    unknown[0] = 1"])
def test_a_text_that_is_no_script_is_an_error(text: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        recognise(text, target="metal")
    assert caught.value.code == "A320"
    assert "what script() of a function prints" in str(caught.value)


def test_a_function_object_its_module_and_its_text_are_read_alike() -> None:
    import tvm
    from tvm.script.parser import parse
    from tvm.script.parser import tirx as dialect

    function = parse(UNMARKED, extra_vars={"T": dialect})
    assert read(function) == read(UNMARKED)
    assert read(tvm.IRModule({"f": function})) == read(UNMARKED)


def test_buffers_with_strides_or_an_offset_are_refused() -> None:
    for layout in ("strides=[64, 1]", "elem_offset=4", "layout=T.TileLayout(T.S[(5, 37):(1, 5)])"):
        parameters = (
            f"A: T.Buffer(({ROWS}, {COLUMNS}), 'float32', {layout}), "
            f"B: T.Buffer(({ROWS},), 'float32')"
        )
        text = rows("    B[i] = A[i, 0]", parameters)
        refusal = recognise(text, target="metal", noalias=True)
        assert isinstance(refusal, Refusal), layout
        assert refusal.rule == "kernel_abi"


def test_scalar_arguments_stay_arguments() -> None:
    parameters = f"A: T.Buffer(({ROWS}, {COLUMNS}), 'float32'), B: T.Buffer(({ROWS},), 'float32')"
    body = f"""
    acc: T.float32 = 0.0
    for j in T.serial({COLUMNS}):
        acc += T.if_then_else(j < n, A[i, j] * scale, T.float32(0))
    B[i] = acc
"""
    text = rows(body, f"{parameters}, n: T.int32, scale: T.float32")
    made = recognise(text, target="llvm", noalias=True)
    assert isinstance(made, Recognised)
    given = np.random.default_rng(5).standard_normal((ROWS, COLUMNS)).astype(np.float32)
    result = np.zeros(ROWS, np.float32)
    made.export().compile()(given, result, 20, 1.5)
    wanted = 1.5 * given[:, :20].astype(np.float64).sum(1)
    np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-5)


def test_what_two_iterations_share_is_not_stored_once() -> None:
    text = rows("    for j in T.serial(3):\n        B[i] = B[i] + T.float32(1)")
    refusal = recognise(text, target="metal", noalias=True)
    assert isinstance(refusal, Refusal)
    assert refusal.rule == "global_effects"


def test_two_launches_are_recognised_in_order() -> None:
    text = script(
        f"""    for i in T.serial({ROWS}):
        acc: T.float32 = 0.0
        for j in T.serial({COLUMNS}):
            acc += A[i, j]
        B[i] = acc
    for k in T.serial({ROWS}):
        B[k] = B[k] * T.float32(2)
"""
    )
    made = _accepted(text)
    assert made.programs == (ROWS, ROWS)
    given = _arguments(made)
    run(made.kernel, results := {key: array.copy() for key, array in given.items()})
    np.testing.assert_allclose(results["B"], 2 * given["A"].astype(np.float64).sum(1), rtol=1e-5)


@pytest.mark.parametrize("target", ["llvm", "metal", "cuda"])
def test_what_is_recognised_is_planned_and_emitted_again(target: str) -> None:
    made = recognise(
        SPELLINGS["a row with several readers"].text,
        target=target,  # type: ignore[arg-type]
        noalias=True,
        capability=True,
    )
    assert isinstance(made, Recognised)
    (launch,) = made.compile().launches
    words = {"metal": ("simd_max", "simd_sum"), "cuda": ("__shfl",), "llvm": ("x float>",)}
    for word in words[target]:
        assert word in launch.artifact.text


def test_what_is_recognised_is_exported_as_scheduled_tirx() -> None:
    """From a serial function of TVM to a scheduled one, which TVM compiles and runs."""
    for name in (
        *("a row with several readers", "a guarded gather", "mean and variance"),
        *("stages of all rows", "one element for all rows", "a sum of float16 in float32"),
    ):
        spelling = ACCEPTED[name]
        made = recognise(spelling.text, target="llvm", noalias=True)
        assert isinstance(made, Recognised)
        given = _arguments(made)
        results = {key: array.copy() for key, array in given.items()}
        made.export().compile()(*results.values())
        _agree(results, spelling, given)


def test_the_exported_text_for_metal_has_the_collectives() -> None:
    made = _accepted(SPELLINGS["a row with several readers"].text)
    artifact = made.export({"threads": 64}).artifact()
    assert artifact.format == "msl"
    assert artifact.block == (64, 1, 1)
    for word in ("simd_max", "simd_sum", "threadgroup_barrier"):
        assert word in artifact.source


def test_a_node_that_is_not_listed_is_named() -> None:
    variable = nodes.Variable(0, "i", "int32")
    zero, one = nodes.Number(0, "int32"), nodes.Number(1, "int32")
    for step, name in (
        (nodes.Alien("a statement Break"), "Break"),
        (nodes.Bind(nodes.Variable(1, "x", "int32"), nodes.Foreign("a call of x")), "a call of x"),
    ):
        loop = nodes.Loop(variable, zero, nodes.Number(5, "int32"), one, "serial", (step,))
        refusal = recognised(nodes.Function("f", (), (loop,)), target="metal", noalias=True)
        assert isinstance(refusal, Refusal)
        assert name in refusal.missing


def test_names_that_stand_for_themselves_twice_do_not_explode() -> None:
    """x1 = x0 + x0, x2 = x1 + x1, …: as a tree it has as many leaves as there are atoms."""
    lines = ["    x0: T.let[T.int32] = i"]
    lines += [f"    x{k + 1}: T.let[T.int32] = x{k} + x{k}" for k in range(90)]
    refusal = recognise(
        rows("\n".join([*lines, "    B[i] = A[x90, 0]"])), target="metal", noalias=True
    )
    assert isinstance(refusal, Refusal)
    assert "many nodes" in refusal.missing
