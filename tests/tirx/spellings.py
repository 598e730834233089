"""TIRx functions as TVMScript: spellings of reductions.

Each spelling has the float64 result of its function, written on its own.  Shapes are small, since
the reference interpreter and TVM's serial code run them.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

ROWS, COLUMNS = 5, 37
Arrays = dict[str, np.ndarray]


def script(body: str, parameters: str = "", decorator: str = "T.prim_func") -> str:
    """A whole function around a body that is indented by one level."""
    rows = f"A: T.Buffer(({ROWS}, {COLUMNS}), 'float32'), B: T.Buffer(({ROWS},), 'float32')"
    return f"@{decorator}\ndef f({parameters or rows}):\n{body}"


def rows(body: str, parameters: str = "", decorator: str = "T.prim_func") -> str:
    """A function whose body stands under a loop over rows."""
    inner = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    return script(f"    for i in T.serial({ROWS}):\n{inner}", parameters, decorator)


@dataclass(frozen=True)
class Spelling:
    """A function, the kinds of its reductions in order, and what it has to leave in its outputs."""

    text: str
    kinds: tuple[str, ...]
    outputs: Callable[[Arrays], Arrays]


def wide(arrays: Arrays, name: str = "A") -> np.ndarray:
    return arrays[name].astype(np.float64)


def row_sums(arrays: Arrays) -> Arrays:
    return {"B": wide(arrays).sum(1)}


def row_maxima(arrays: Arrays) -> Arrays:
    return {"B": wide(arrays).max(1)}


def row_shares(arrays: Arrays) -> Arrays:
    shifted = np.exp(wide(arrays) - wide(arrays).max(1, keepdims=True))
    return {"B": shifted / shifted.sum(1, keepdims=True)}


def _both(arrays: Arrays) -> Arrays:
    return {"B": wide(arrays).max(1), "C": wide(arrays).min(1)}


def _layer_norm(arrays: Arrays) -> Arrays:
    x = wide(arrays)
    centered = x - x.mean(1, keepdims=True)
    variance = (centered**2).mean(1, keepdims=True)
    return {"B": centered / np.sqrt(variance + 1e-5) * wide(arrays, "W") + wide(arrays, "V")}


def _cross_entropy(arrays: Arrays) -> Arrays:
    x, labels = wide(arrays), arrays["L"]
    total = np.log(np.exp(x).sum(1))
    chosen = [x[i, n] if 0 <= n < COLUMNS else 0.0 for i, n in enumerate(labels)]
    return {"B": total - np.array(chosen)}


SQUARE = f"A: T.Buffer(({ROWS}, {COLUMNS}), 'float32'), B: T.Buffer(({ROWS}, {COLUMNS}), 'float32')"
_CUBE = f"A: T.Buffer(({ROWS}, 7, 11), 'float32'), B: T.Buffer(({ROWS},), 'float32')"
_PAIR = (
    f"A: T.Buffer(({ROWS}, {COLUMNS}), 'float32'), B: T.Buffer(({ROWS},), 'float32'), "
    f"C: T.Buffer(({ROWS},), 'float32')"
)
LABELS = (
    f"A: T.Buffer(({ROWS}, {COLUMNS}), 'float32'), L: T.Buffer(({ROWS},), 'int64'), "
    f"B: T.Buffer(({ROWS},), 'float32')"
)
_AFFINE = f"{SQUARE}, W: T.Buffer(({COLUMNS},), 'float32'), V: T.Buffer(({COLUMNS},), 'float32')"


def _mirrored(arrays: Arrays) -> Arrays:
    e = wide(arrays) - wide(arrays).max(1, keepdims=True)
    return {"B": e[:, ::-1] + e[:, :1] * e}


def _settled(arrays: Arrays) -> Arrays:
    x, given = wide(arrays), wide(arrays, "B")
    for _ in range(3):
        x = x - x.sum(1, keepdims=True) / (2 * COLUMNS)
    given[:, 0] = x[:, 1]
    return {"A": x, "B": given}


def _branched(arrays: Arrays) -> Arrays:
    x = wide(arrays)
    s = x.sum(1, keepdims=True)
    taken = (np.arange(COLUMNS) % 3 == 1) & (x > 0)
    return {"B": np.where(taken, 2 * x * s, x * s - s)}


LOW = "T.float32(float('-inf'))"
_HIGH = "T.float32(float('inf'))"

SPELLINGS: dict[str, Spelling] = {
    "initialised before the loop": Spelling(
        rows(f"""
    acc = T.alloc_buffer((1,), 'float32', scope='local')
    acc[0] = T.float32(0)
    for j in T.serial({COLUMNS}):
        acc[0] = acc[0] + A[i, j]
    B[i] = acc[0]
"""),
        ("add",),
        row_sums,
    ),
    "a local variable": Spelling(
        rows(f"""
    acc: T.float32 = 0.0
    for j in range({COLUMNS}):
        acc += A[i, j]
    B[i] = acc
"""),
        ("add",),
        row_sums,
    ),
    "initialised in the first iteration": Spelling(
        rows(f"""
    acc = T.alloc_buffer((1,), 'float32', scope='local')
    for j in T.serial({COLUMNS}):
        if j == 0:
            acc[0] = T.float32(0)
        acc[0] = acc[0] + A[i, j]
    B[i] = acc[0]
"""),
        ("add",),
        row_sums,
    ),
    "a block with an initialiser": Spelling(
        rows(
            f"""
    with T.sblock("row"):
        vi = T.axis.spatial({ROWS}, i)
        acc = T.sblock_alloc_buffer((1,), "float32", scope="local")
        for j in T.serial({COLUMNS}):
            with T.sblock("sum"):
                vj = T.axis.reduce({COLUMNS}, j)
                with T.init():
                    acc[0] = T.float32(0)
                acc[0] = acc[0] + A[vi, vj]
        B[vi] = acc[0]
""",
            decorator="T.prim_func(s_tir=True)",
        ),
        ("add",),
        row_sums,
    ),
    "operands the other way round": Spelling(
        rows(f"""
    acc: T.float32 = 0.0
    for j in T.serial({COLUMNS}):
        acc = A[i, j] + acc
    B[i] = acc
"""),
        ("add",),
        row_sums,
    ),
    "a maximum": Spelling(
        rows(f"""
    acc: T.float32 = {LOW}
    for j in T.serial({COLUMNS}):
        acc = T.max(acc, A[i, j])
    B[i] = acc
"""),
        ("max",),
        row_maxima,
    ),
    "a maximum by if_then_else": Spelling(
        rows(f"""
    acc: T.float32 = {LOW}
    for j in T.serial({COLUMNS}):
        acc = T.if_then_else(A[i, j] > acc, A[i, j], acc)
    B[i] = acc
"""),
        ("max",),
        row_maxima,
    ),
    "a maximum by Select": Spelling(
        rows(f"""
    acc: T.float32 = {LOW}
    for j in T.serial({COLUMNS}):
        acc = T.Select(acc <= A[i, j], A[i, j], acc)
    B[i] = acc
"""),
        ("max",),
        row_maxima,
    ),
    "nested unit loops": Spelling(
        rows(f"""
    for u in T.serial(1):
        acc: T.float32 = 0.0
        for j, v in T.grid({COLUMNS}, 1):
            acc += A[i + u, j + v]
        B[i + u] = acc
"""),
        ("add",),
        row_sums,
    ),
    "two loops": Spelling(
        rows(
            """
    acc: T.float32 = 0.0
    for j, k in T.grid(7, 11):
        acc += A[i, j, k]
    B[i] = acc
""",
            _CUBE,
        ),
        ("add",),
        lambda arrays: {"B": wide(arrays).sum((1, 2))},
    ),
    "a loop that starts elsewhere": Spelling(
        rows(f"""
    acc: T.float32 = 0.0
    for j in range(3, {COLUMNS}):
        if j == 3:
            acc = 0.0
        acc += A[i, j] + A[i, j - 3]
    B[i] = acc
"""),
        ("add",),
        lambda arrays: {"B": wide(arrays)[:, 3:].sum(1) + wide(arrays)[:, :-3].sum(1)},
    ),
    "a bound contribution": Spelling(
        rows(f"""
    acc: T.float32 = 0.0
    for j in T.serial({COLUMNS}):
        value: T.let[T.float32] = A[i, j] * A[i, j]
        acc += value * T.float32(0.5)
    B[i] = acc
"""),
        ("add",),
        lambda arrays: {"B": 0.5 * (wide(arrays) ** 2).sum(1)},
    ),
    "a bound update": Spelling(
        rows(f"""
    acc: T.float32 = 0.0
    for j in T.serial({COLUMNS}):
        after: T.let[T.float32] = acc + A[i, j]
        acc = after
    B[i] = acc
"""),
        ("add",),
        row_sums,
    ),
    "a contribution in a cell": Spelling(
        rows(f"""
    acc: T.float32 = 0.0
    for j in T.serial({COLUMNS}):
        cell = T.alloc_buffer((1,), 'float32', scope='local')
        cell[0] = T.exp(A[i, j])
        acc += cell[0]
    B[i] = T.log(acc)
"""),
        ("add",),
        lambda arrays: {"B": np.log(np.exp(wide(arrays)).sum(1))},
    ),
    "a row with several readers": Spelling(
        rows(
            f"""
    m: T.float32 = {LOW}
    s: T.float32 = 0.0
    e = T.alloc_buffer(({COLUMNS},), 'float32', scope='local')
    for j in T.serial({COLUMNS}):
        m = T.max(m, A[i, j])
    for j in T.serial({COLUMNS}):
        e[j] = T.exp(A[i, j] - m)
    for j in T.serial({COLUMNS}):
        s += e[j]
    for j in T.serial({COLUMNS}):
        B[i, j] = e[j] / s
""",
            SQUARE,
        ),
        ("max", "add"),
        row_shares,
    ),
    "an unrolled loop": Spelling(
        rows(f"""
    acc: T.float32 = 0.0
    for j in T.unroll({COLUMNS}):
        acc += A[i, j]
    B[i] = acc
"""),
        ("add",),
        row_sums,
    ),
    "two carries of one loop": Spelling(
        rows(
            f"""
    high: T.float32 = {LOW}
    low: T.float32 = {_HIGH}
    for j in T.serial({COLUMNS}):
        high = T.max(high, A[i, j])
        low = T.min(A[i, j], low)
    B[i] = high
    C[i] = low
""",
            _PAIR,
        ),
        ("max", "min"),
        _both,
    ),
    "a parallel loop over rows": Spelling(
        script(
            f"""    for i in T.parallel({ROWS}):
        acc: T.float32 = 0.0
        for j in T.serial({COLUMNS}, annotations={{"certile.reduction": "add"}}):
            acc += A[i, j]
        B[i] = acc
"""
        ),
        ("add",),
        row_sums,
    ),
    "a carry of the whole function": Spelling(
        script(
            f"""    acc = T.alloc_buffer((1,), 'float32', scope='local')
    for i in T.serial({ROWS}):
        acc[0] = T.float32(0)
        for j in T.serial({COLUMNS}):
            acc[0] = acc[0] + A[i, j]
        B[i] = acc[0]
"""
        ),
        ("add",),
        row_sums,
    ),
    "a flat index": Spelling(
        rows(
            f"""
    acc: T.float32 = 0.0
    for j in T.serial({COLUMNS}):
        acc += A[i * {COLUMNS} + j]
    for j in T.serial({COLUMNS}):
        B[i * {COLUMNS} + j] = A[i * {COLUMNS} + j] - acc
""",
            f"A: T.Buffer(({ROWS * COLUMNS},), 'float32'), "
            f"B: T.Buffer(({ROWS * COLUMNS},), 'float32')",
        ),
        ("add",),
        lambda arrays: {
            "B": (
                wide(arrays).reshape(ROWS, COLUMNS)
                - wide(arrays).reshape(ROWS, COLUMNS).sum(1, keepdims=True)
            ).ravel()
        },
    ),
    "a guarded contribution": Spelling(
        rows(f"""
    acc: T.float32 = 0.0
    for j in T.serial({COLUMNS + 3}):
        acc += T.if_then_else(j < {COLUMNS}, A[i, j], T.float32(0))
    B[i] = acc
"""),
        ("add",),
        row_sums,
    ),
    "a reduction of reductions": Spelling(
        rows(
            f"""
    most: T.float32 = {LOW}
    for j in T.serial(7):
        part: T.float32 = 0.0
        for k in T.serial(11):
            part += A[i, j, k]
        most = T.max(most, part)
    B[i] = most
""",
            _CUBE,
        ),
        ("add", "max"),
        lambda arrays: {"B": wide(arrays).sum(2).max(1)},
    ),
    "a guarded gather": Spelling(
        rows(
            f"""
    m: T.float32 = {LOW}
    s: T.float32 = 0.0
    for j in T.serial({COLUMNS}):
        m = T.max(A[i, j], m)
    for j in T.serial({COLUMNS}):
        s += T.exp(A[i, j] - m)
    B[i] = T.log(s) + m - T.if_then_else(
        T.And(T.int64(0) <= L[i], L[i] < T.int64({COLUMNS})), A[i, L[i]], T.float32(0))
""",
            LABELS,
        ),
        ("max", "add"),
        _cross_entropy,
    ),
    "mean and variance": Spelling(
        rows(
            f"""
    mean: T.float32 = 0.0
    square: T.float32 = 0.0
    c = T.alloc_buffer(({COLUMNS},), 'float32', scope='local')
    for j in T.serial({COLUMNS}):
        mean += A[i, j]
    for j in T.serial({COLUMNS}):
        c[j] = A[i, j] - mean / T.float32({COLUMNS})
    for j in T.serial({COLUMNS}):
        square += c[j] * c[j]
    for j in T.serial({COLUMNS}):
        B[i, j] = c[j] / T.sqrt(square / T.float32({COLUMNS}) + T.float32(1e-5)) * W[j] + V[j]
""",
            _AFFINE,
        ),
        ("add", "add"),
        _layer_norm,
    ),
    "a loop that repeats": Spelling(
        rows(
            """
    scale: T.let[T.float32] = A[i, 0, 0]
    for t in T.serial(7):
        acc: T.float32 = 0.0
        for k in T.serial(11):
            acc += A[i, t, k]
        B[i, t] = acc * scale
""",
            f"A: T.Buffer(({ROWS}, 7, 11), 'float32'), B: T.Buffer(({ROWS}, 7), 'float32')",
        ),
        ("add",),
        lambda arrays: {"B": wide(arrays).sum(2) * wide(arrays)[:, 0, :1]},
    ),
    "a stored row in place": Spelling(
        rows(
            f"""
    s: T.float32 = 0.0
    for j in T.serial({COLUMNS}):
        s += A[i, j]
    for j in T.serial({COLUMNS}):
        if j < {COLUMNS - 2}:
            A[i, j] = A[i, j] - s
""",
            f"A: T.Buffer(({ROWS}, {COLUMNS}), 'float32')",
        ),
        ("add",),
        lambda arrays: {
            "A": np.where(
                np.arange(COLUMNS) < COLUMNS - 2,
                wide(arrays) - wide(arrays).sum(1, keepdims=True),
                wide(arrays),
            )
        },
    ),
    "a row read at other elements": Spelling(
        rows(
            f"""
    m: T.float32 = {LOW}
    e = T.alloc_buffer(({COLUMNS},), 'float32', scope='local')
    for j in T.serial({COLUMNS}):
        m = T.max(m, A[i, j])
    for j in T.serial({COLUMNS}):
        e[j] = A[i, j] - m
    for j in T.serial({COLUMNS}):
        B[i, j] = e[{COLUMNS - 1} - j] + e[0] * e[j]
""",
            SQUARE,
        ),
        ("max",),
        _mirrored,
    ),
    "a loop that repeats in place": Spelling(
        rows(
            f"""
    for t in T.serial(3):
        s: T.float32 = 0.0
        for j in T.serial({COLUMNS}):
            s += A[i, j]
        for j in T.serial({COLUMNS}):
            A[i, j] = A[i, j] - s / T.float32({2 * COLUMNS})
    B[i, 0] = A[i, 1]
""",
            SQUARE,
        ),
        ("add",),
        _settled,
    ),
    "two branches and a cell of the program": Spelling(
        rows(
            f"""
    s: T.float32 = 0.0
    cell: T.float32 = 0.0
    for j in T.serial({COLUMNS}):
        s += A[i, j]
    for j in T.serial({COLUMNS}):
        cell = A[i, j] * s
        B[i, j] = cell
        if j % 3 == 1 and A[i, j] > T.float32(0):
            B[i, j] = B[i, j] + cell
        else:
            B[i, j] = cell - s
""",
            SQUARE,
        ),
        ("add",),
        _branched,
    ),
    "loops over batches, rows and a tile": Spelling(
        script(
            """    for b in T.serial(2):
        for i in T.serial(3):
            most: T.float32 = float('-inf')
            t = T.alloc_buffer((4, 5), 'float32', scope='local')
            for j in T.serial(4):
                for k in T.serial(5):
                    t[j, k] = A[b, i, j, k] * A[b, i, j, k]
            for k in T.serial(5):
                for j in T.serial(4):
                    most = T.max(t[j, k], most)
            for j, k in T.grid(4, 5):
                B[b, i, j * 5 + k] = t[j, k] / most
""",
            "A: T.Buffer((2, 3, 4, 5), 'float32'), B: T.Buffer((2, 3, 20), 'float32')",
        ),
        ("max",),
        lambda arrays: {
            "B": (wide(arrays) ** 2 / (wide(arrays) ** 2).max((2, 3), keepdims=True)).reshape(
                2, 3, 20
            )
        },
    ),
    "a row of integers, read from its end": Spelling(
        rows(
            f"""
    k = T.alloc_buffer(({COLUMNS},), 'int64', scope='local')
    for j in T.serial({COLUMNS}):
        k[j] = T.Cast('int64', j) * T.int64(2) + L[i]
    most: T.float32 = {LOW}
    for j in T.serial({COLUMNS}):
        most = T.max(most, A[i, j] + T.Cast('float32', k[{COLUMNS - 1} - j]))
    B[i] = most
""",
            LABELS,
        ),
        ("max",),
        lambda arrays: {
            "B": (
                wide(arrays) + 2 * np.arange(COLUMNS)[::-1] + wide(arrays, "L").reshape(-1, 1)
            ).max(1)
        },
    ),
    "functions that TVM keeps apart": Spelling(
        rows(f"""
    most: T.float32 = {LOW}
    for j in T.serial({COLUMNS}):
        most = T.max(most, T.ceil(A[i, j]) + T.log2(T.fabs(A[i, j]) + T.float32(1)))
    B[i] = most
"""),
        ("max",),
        lambda arrays: {"B": (np.ceil(wide(arrays)) + np.log2(abs(wide(arrays)) + 1)).max(1)},
    ),
    "a bound update of what is kept": Spelling(
        rows(f"""
    acc: T.float32 = 0.0
    for j in T.serial({COLUMNS}):
        one: T.float32 = A[i, j]
        held: T.let = one
        moved: T.let = acc + held
        one = T.float32(2)
        acc = moved
    B[i] = acc
"""),
        ("add",),
        row_sums,
    ),
}
