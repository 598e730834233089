"""Functions with names in their shapes, and functions that TVM's tensor expressions make."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tvm import te, topi

from certile.diagnostics import ArgumentError, Refusal
from certile.tirx.recognition.nodes import Apply, Convert, Number
from certile.tirx.recognition.recognised import Recognised, recognise
from certile.tirx.recognition.shapes import folded
from certile.tirx.tvm_reading import read
from tests.tirx.machine_runs import run_compiled
from tests.tirx.records import execute
from tests.tirx.spellings import COLUMNS, ROWS, SPELLINGS

SYMBOLIC = """@T.prim_func
def f(a: T.handle, b: T.handle, c: T.handle):
    n, m = T.int32(), T.int32()
    A = T.match_buffer(a, (n, m * 2), 'float32')
    B = T.match_buffer(b, (n,), 'float32')
    C = T.match_buffer(c, (m,), 'float32')
    for i in T.serial(n):
        B[i] = T.float32(0)
        for j in T.serial(m * 2 - 1):
            B[i] += A[i, j + 1] * C[j // 2]
"""


def _read(text: object, shapes: dict[str, Any], **declared: bool) -> Recognised:
    made = recognise(text, target="llvm", noalias=True, shapes=shapes, **declared)
    assert isinstance(made, Recognised), made
    return made


@pytest.mark.parametrize(("n", "m"), [(5, 18), (1, 1), (33, 70)])
def test_a_function_is_read_at_the_shapes_that_are_given(n: int, m: int) -> None:
    made = _read(SYMBOLIC, {"A": (n, 2 * m), "C": (m,)})
    assert made.shapes == {"A": (n, 2 * m), "B": (n,), "C": (m,)}
    rng = np.random.default_rng(3)
    a, c = rng.standard_normal((n, 2 * m)).astype("f"), rng.standard_normal(m).astype("f")
    b = np.empty(n, np.float32)
    made.export().compile()(a, b, c)
    weights = np.repeat(c.astype(np.float64), 2)[: 2 * m - 1]
    np.testing.assert_allclose(b, a[:, 1:].astype(np.float64) @ weights, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("shapes", [{}, {"A": (5, 8)}, {"C": (4,)}])
def test_names_that_no_shape_says_are_a_refusal_that_says_how(shapes: dict[str, Any]) -> None:
    refusal = recognise(SYMBOLIC, target="llvm", noalias=True, shapes=shapes)
    assert isinstance(refusal, Refusal)
    assert refusal.rule == "kernel_abi"
    assert "shapes={" in refusal.missing
    assert ("m" if "A" in shapes else "n") in refusal.missing.split()


@pytest.mark.parametrize(
    ("shapes", "says"),
    [
        ({"A": (5, 9), "C": (4,)}, "A of f has the shape (5, 8), not (5, 9)"),
        ({"A": (5, 8), "B": (6,)}, "n is 5 and, by B, 6"),
        ({"A": (5,)}, "A has 2 dimensions, not 1"),
        ({"Z": (3,)}, "f has no buffer Z"),
        ({"C": (0,)}, "(0,) is no shape of C"),
        ({"C": (2.0,)}, "(2.0,) is no shape of C"),
        ({"C": "4"}, "'4' is no shape of C"),
        ({"C": (1 << 31,)}, "is no shape of C"),
    ],
)
def test_shapes_that_the_function_does_not_allow(shapes: dict[str, Any], says: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        recognise(SYMBOLIC, target="llvm", noalias=True, shapes=shapes)
    assert caught.value.code == "A320"
    assert says in str(caught.value)


def test_shapes_of_a_constant_function_are_checked() -> None:
    text = SPELLINGS["a local variable"].text
    shape = (ROWS, COLUMNS)
    assert _read(text, {"A": shape, "B": [ROWS]}).shapes == {"A": shape, "B": (ROWS,)}
    with pytest.raises(ArgumentError, match="A of f has the shape"):
        _read(text, {"A": (ROWS, COLUMNS + 1)})


def test_a_name_that_is_an_argument_too_is_refused() -> None:
    text = """@T.prim_func
def f(n: T.int32, A: T.Buffer((n, 8), 'float32'), B: T.Buffer((n,), 'float32')):
    for i in range(n):
        B[i] = A[i, 0]
"""
    refusal = recognise(text, target="llvm", noalias=True, shapes={"A": (5, 8)})
    assert isinstance(refusal, Refusal)
    assert "n is an argument" in refusal.missing


def test_an_extent_that_becomes_too_small_is_refused() -> None:
    refusal = recognise(
        SYMBOLIC.replace("m * 2 - 1", "m * 2 - 4"),
        target="llvm",
        noalias=True,
        shapes={"A": (5, 2), "C": (1,)},
    )
    assert isinstance(refusal, Refusal)
    assert refusal.missing == "its extent is -2"


def test_arithmetic_is_done_where_its_type_holds_the_result() -> None:
    def number(value: int, dtype: str = "int32") -> Number:
        return Number(value, dtype)

    most = 2**31 - 1
    for fn, a, b, result in (
        ("floordiv", -7, 2, -4),
        ("mod", -7, 2, 1),
        ("maximum", 3, 4, 4),
        ("add", most - 1, 1, most),
        ("sub", -most, 1, -most - 1),
    ):
        assert folded(Apply(fn, (number(a), number(b)), "int32")) == number(result)
    assert folded(Apply("le", (number(3), number(3)), "bool")) == Number(True, "bool")
    assert folded(Convert(number(3), "int64")) == number(3, "int64")
    for kept in (
        Apply("add", (number(most), number(1)), "int32"),
        Apply("mul", (number(1 << 16), number(1 << 15)), "int32"),
        Apply("mod", (number(1), number(0)), "int32"),
        Convert(number(1 << 40, "int64"), "int32"),
        Convert(number(3), "float32"),
        Apply("add", (Number(1.0, "float32"), Number(2.0, "float32")), "float32"),
    ):
        assert folded(kept) == kept


# Tensor expressions: every stage for all rows, in blocks, accumulating in its output.

Wide = Callable[[dict[str, np.ndarray]], np.ndarray]


def _softmax(arrays: dict[str, np.ndarray]) -> np.ndarray:
    e = np.exp(arrays["A"] - arrays["A"].max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def _log_softmax(arrays: dict[str, np.ndarray]) -> np.ndarray:
    return np.log(_softmax(arrays))


def _middle(arrays: dict[str, np.ndarray]) -> np.ndarray:
    e = np.exp(arrays["A"] - arrays["A"].max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def _layer_norm(arrays: dict[str, np.ndarray]) -> np.ndarray:
    centered = arrays["A"] - arrays["A"].mean(-1, keepdims=True)
    scale = 1 / np.sqrt((centered**2).mean(-1, keepdims=True) + 1e-5)
    return centered * scale * arrays["W"] + arrays["V"]


def _rms_norm(arrays: dict[str, np.ndarray]) -> np.ndarray:
    return arrays["A"] / np.sqrt((arrays["A"] ** 2).mean(-1, keepdims=True) + 1e-5) * arrays["W"]


def _placed(name: str, *shape: object) -> Any:
    return te.placeholder(shape, name=name, dtype="float32")


def _expressions() -> dict[str, tuple[list[Any], Wide, int]]:
    """Each function's tensors, its float64 result, and how many reductions it has."""
    a, w, v = _placed("A", 6, 40), _placed("W", 40), _placed("V", 40)
    n = te.var("n")
    return {
        "sum": ([a, topi.sum(a, 1)], lambda x: x["A"].sum(1), 1),
        "sum of columns": ([a, topi.sum(a, 0)], lambda x: x["A"].sum(0), 1),
        "greatest": ([a, topi.max(a, 1)], lambda x: x["A"].max(1), 1),
        "softmax": ([a, topi.nn.softmax(a, -1)], _softmax, 2),
        "log softmax": ([a, topi.nn.log_softmax(a, -1)], _log_softmax, 2),
        "rms norm": ([a, w, topi.nn.rms_norm(a, w, [1], 1e-5)], _rms_norm, 1),
        "layer norm": ([a, w, v, topi.nn.layer_norm(a, w, v, [1], 1e-5)], _layer_norm, 2),
        "product": (
            [a, (b := _placed("W", 5, 40)), topi.nn.dense(a, b)],
            lambda x: x["A"] @ x["W"].T,
            1,
        ),
        "softmax of a middle dimension": (
            [(c := _placed("A", 3, 7, 5, 2)), topi.nn.softmax(c, 1)],
            _middle,
            2,
        ),
        "softmax of any rows": ([(d := _placed("A", n, 40)), topi.nn.softmax(d, -1)], _softmax, 2),
    }


@pytest.mark.parametrize("name", _expressions())
def test_tensor_expressions_are_recognised(name: str) -> None:
    tensors, wanted, reductions = _expressions()[name]
    shapes = {"A": (6, 40)} if name == "softmax of any rows" else {}
    made = recognise(
        te.create_prim_func(tensors), target="metal", noalias=True, capability=True, shapes=shapes
    )
    assert isinstance(made, Recognised), made
    assert len(made.reductions) == reductions
    assert min(made.programs) > 1
    rng = np.random.default_rng(9)
    given = {k: rng.standard_normal(shape).astype("f") for k, shape in made.shapes.items()}
    run_compiled(made, given)
    inputs = {key: array.astype(np.float64) for key, array in given.items()}
    output = list(given)[-1]
    np.testing.assert_allclose(given[output], wanted(inputs), rtol=2e-5, atol=2e-5)


def test_a_buffer_without_a_dimension_is_one_element() -> None:
    a = _placed("A", 6, 40)
    made = _read(te.create_prim_func([a, topi.sum(a)]), {})
    assert [(each.kind, each.loops) for each in made.reductions] == [("add", ("k0", "k1"))]
    assert made.shapes == {"A": (6, 40), "A_red": (1,)}
    given, total = np.arange(240, dtype=np.float32).reshape(6, 40), np.empty(1, np.float32)
    made.export().compile()(given, total)
    assert total[0] == 239 * 240 / 2


@pytest.mark.parametrize(
    ("middle", "extent", "programs"),
    [
        ("", 8, 3),
        ("    W[3] = T.float32(7)\n", 8, 1),
        ("    c[3] = T.float32(7)\n", 8, None),
        ("", 7, None),
    ],
)
def test_only_a_whole_copy_that_stays_is_another_name(
    middle: str, extent: int, programs: int | None
) -> None:
    text = f"""@T.prim_func
def f(A: T.Buffer((3, 8), 'float32'), W: T.Buffer((8,), 'float32'), B: T.Buffer((3,), 'float32')):
    c = T.alloc_buffer((8,), 'float32')
    for j in T.serial({extent}):
        c[j] = W[j]
{middle}    for i in T.serial(3):
        B[i] = T.float32(0)
        for j in T.serial(8):
            B[i] += A[i, j] * c[j]
"""
    made = recognise(text, target="metal", noalias=True, capability=True)
    if programs is None:
        assert isinstance(made, Refusal)
        return
    assert isinstance(made, Recognised)
    assert made.programs == (programs,)
    rng = np.random.default_rng(2)
    given = {k: rng.standard_normal(shape).astype("f") for k, shape in made.shapes.items()}
    wanted = {key: array.copy() for key, array in given.items()}
    execute(read(text), wanted.values())
    run_compiled(made, given)
    for key, array in wanted.items():
        np.testing.assert_allclose(given[key], array, rtol=2e-5, atol=2e-5)
