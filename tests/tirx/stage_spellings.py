"""TIRx functions that accumulate in elements of buffers, and that make each stage for all rows.

As in `spellings`, each has the float64 result of its function, written on its own.
"""

import numpy as np

from tests.tirx.look_alikes import LookAlike
from tests.tirx.spellings import (
    COLUMNS,
    LABELS,
    LOW,
    ROWS,
    SQUARE,
    Arrays,
    Spelling,
    row_maxima,
    row_shares,
    row_sums,
    rows,
    script,
    wide,
)

_INPUT = f"A: T.Buffer(({ROWS}, {COLUMNS}), 'float32')"
_OUTPUT = f"B: T.Buffer(({ROWS},), 'float32')"
_WHOLE = f"{_INPUT}, B: T.Buffer((1,), 'float32')"
_PAIR = f"{_INPUT}, {_OUTPUT}, C: T.Buffer(({ROWS},), 'float32')"
_HALVES = f"A: T.Buffer(({ROWS}, {COLUMNS}), 'float16'), B: T.Buffer(({ROWS},), 'float16')"
_PRODUCT = f"{_INPUT}, W: T.Buffer((7, {COLUMNS}), 'float32'), B: T.Buffer(({ROWS}, 7), 'float32')"
_CUBE = f"A: T.Buffer(({ROWS}, 7, 11), 'float32'), B: T.Buffer(({ROWS},), 'float32')"
_BLOCKS = "T.prim_func(s_tir=True)"


def _rounded_squares(arrays: Arrays) -> Arrays:
    squares = (arrays["A"] * arrays["A"]).astype(np.float64)
    return {"B": (squares.sum(1).astype(np.float16) / np.float16(4)).astype(np.float16)}


def _scaled(arrays: Arrays) -> Arrays:
    return {"B": wide(arrays).sum(1) / COLUMNS, "C": wide(arrays).max(1) * 2}


def _columns(arrays: Arrays) -> Arrays:
    return {"B": wide(arrays) @ wide(arrays, "W").T}


def _centered(arrays: Arrays) -> Arrays:
    return {"B": wide(arrays) - wide(arrays).mean(1, keepdims=True)}


def _chosen(arrays: Arrays) -> Arrays:
    places = np.clip(arrays["L"], 0, COLUMNS - 1)
    return {"B": wide(arrays).sum(1) + wide(arrays)[np.arange(ROWS), places]}


STAGES: dict[str, Spelling] = {
    "the output accumulates": Spelling(
        rows(f"""
    B[i] = T.float32(0)
    for j in T.serial({COLUMNS}):
        B[i] = B[i] + A[i, j]
"""),
        ("add",),
        row_sums,
    ),
    "the output of a nest": Spelling(
        rows(
            """
    B[i] = T.float32(0)
    for j, k in T.grid(7, 11):
        B[i] += A[i, j, k]
""",
            _CUBE,
        ),
        ("add",),
        lambda arrays: {"B": wide(arrays).sum((1, 2))},
    ),
    "one element for all rows": Spelling(
        script(
            f"""    B[0] = T.float32(0)
    for i, j in T.grid({ROWS}, {COLUMNS}):
        B[0] += A[i, j]
""",
            _WHOLE,
        ),
        ("add",),
        lambda arrays: {"B": wide(arrays).sum(keepdims=True)[0]},
    ),
    "two outputs of one loop": Spelling(
        rows(
            f"""
    B[i] = T.float32(0)
    C[i] = {LOW}
    for j in T.serial({COLUMNS}):
        B[i] += A[i, j]
        C[i] = T.max(C[i], A[i, j])
    B[i] = B[i] / T.float32({COLUMNS})
    C[i] = C[i] * T.float32(2)
""",
            _PAIR,
        ),
        ("add", "max"),
        _scaled,
    ),
    "an output that is read afterwards": Spelling(
        rows(
            f"""
    C[i] = T.float32(0)
    for j in T.serial({COLUMNS}):
        C[i] += A[i, j]
    C[i] = C[i] / T.float32({COLUMNS})
    for j in T.serial({COLUMNS}):
        B[i, j] = A[i, j] - C[i]
""",
            f"{SQUARE}, C: T.Buffer(({ROWS},), 'float32')",
        ),
        ("add",),
        _centered,
    ),
    "an output that starts again": Spelling(
        rows(
            f"""
    B[i] = {LOW}
    for j in T.serial({COLUMNS}):
        B[i] = T.max(B[i], A[i, j])
    C[i] = B[i] * T.float32(2)
    B[i] = T.float32(0)
    for j in T.serial({COLUMNS}):
        B[i] += A[i, j] / T.float32({COLUMNS})
""",
            _PAIR,
        ),
        ("max", "add"),
        _scaled,
    ),
    "an element of a local row": Spelling(
        rows(
            f"""
    r = T.alloc_buffer((7,), 'float32', scope='local')
    for k in T.serial(7):
        r[k] = T.float32(0)
        for j in T.serial({COLUMNS}):
            r[k] += A[i, j] * W[k, j]
    for k in T.serial(7):
        B[i, k] = r[k]
""",
            _PRODUCT,
        ),
        ("add",),
        _columns,
    ),
    "a block of three loops": Spelling(
        script(
            f"""    for i, k, j in T.grid({ROWS}, 7, {COLUMNS}):
        with T.sblock("product"):
            vi, vk, vj = T.axis.remap("SSR", [i, k, j])
            with T.init():
                B[vi, vk] = T.float32(0)
            B[vi, vk] = B[vi, vk] + A[vi, vj] * W[vk, vj]
""",
            _PRODUCT,
            _BLOCKS,
        ),
        ("add",),
        _columns,
    ),
    "outputs that start in a loop of their own": Spelling(
        script(f"""    for k in T.serial({ROWS}):
        B[k] = T.float32(0)
    for i in T.serial({ROWS}):
        for j in T.serial({COLUMNS}):
            B[i] += A[i, j]
"""),
        ("add",),
        row_sums,
    ),
    "stages of all rows": Spelling(
        script(
            f"""    most = T.sblock_alloc_buffer(({ROWS},))
    e = T.sblock_alloc_buffer(({ROWS}, {COLUMNS}))
    total = T.sblock_alloc_buffer(({ROWS},))
    for i, k in T.grid({ROWS}, {COLUMNS}):
        with T.sblock("most"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                most[vi] = T.min_value('float32')
            most[vi] = T.max(most[vi], A[vi, vk])
    for i, j in T.grid({ROWS}, {COLUMNS}):
        with T.sblock("e"):
            vi, vj = T.axis.remap("SS", [i, j])
            e[vi, vj] = T.exp(A[vi, vj] - most[vi])
    for i, k in T.grid({ROWS}, {COLUMNS}):
        with T.sblock("total"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                total[vi] = T.float32(0)
            total[vi] = total[vi] + e[vi, vk]
    for i, j in T.grid({ROWS}, {COLUMNS}):
        with T.sblock("shares"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.sblock_attr({{"axis": 1}})
            B[vi, vj] = e[vi, vj] / total[vi]
""",
            SQUARE,
            _BLOCKS,
        ),
        ("max", "add"),
        row_shares,
    ),
    "stages of rows with two coordinates": Spelling(
        script(
            """    most = T.alloc_buffer((3, 4), 'float32')
    for a, b in T.grid(3, 4):
        most[a, b] = T.float32(-1e30)
        for j in T.serial(9):
            most[a, b] = T.max(most[a, b], A[a, b, j])
    for a, b in T.grid(3, 4):
        B[a, b] = T.float32(0)
    for a, b in T.grid(3, 4):
        for j in T.serial(9):
            B[a, b] += T.exp(A[a, b, j] - most[a, b])
""",
            "A: T.Buffer((3, 4, 9), 'float32'), B: T.Buffer((3, 4), 'float32')",
        ),
        ("max", "add"),
        lambda arrays: {"B": np.exp(wide(arrays) - wide(arrays).max(2, keepdims=True)).sum(2)},
    ),
    "a stage that reads another row": Spelling(
        script(f"""    s = T.alloc_buffer(({ROWS},), 'float32')
    for i in T.serial({ROWS}):
        s[i] = T.float32(0)
        for j in T.serial({COLUMNS}):
            s[i] += A[i, j]
    for i in T.serial({ROWS}):
        B[i] = s[{ROWS - 1} - i]
"""),
        ("add",),
        lambda arrays: {"B": wide(arrays).sum(1)[::-1]},
    ),
    "a softmax of a middle dimension": Spelling(
        script(
            """    most = T.alloc_buffer((3, 4), 'float32')
    e = T.alloc_buffer((3, 9, 4), 'float32')
    total = T.alloc_buffer((3, 4), 'float32')
    for a, b in T.grid(3, 4):
        most[a, b] = T.min_value('float32')
        for j in T.serial(9):
            most[a, b] = T.max(most[a, b], A[a, j, b])
    for a, j, b in T.grid(3, 9, 4):
        e[a, j, b] = T.exp(A[a, j, b] - most[a, b])
    for a, b in T.grid(3, 4):
        total[a, b] = T.float32(0)
        for j in T.serial(9):
            total[a, b] += e[a, j, b]
    for a, j, b in T.grid(3, 9, 4):
        B[a, j, b] = e[a, j, b] / total[a, b]
""",
            "A: T.Buffer((3, 9, 4), 'float32'), B: T.Buffer((3, 9, 4), 'float32')",
        ),
        ("max", "add"),
        row_shares,
    ),
    "a maximum that starts as the first element": Spelling(
        rows(f"""
    B[i] = A[i, 0]
    for j in T.serial(1, {COLUMNS - 1}):
        B[i] = T.max(B[i], A[i, j])
"""),
        ("max",),
        row_maxima,
    ),
    "a maximum that starts as a number": Spelling(
        rows(f"""
    acc: T.float32 = 0.5
    for j in T.serial({COLUMNS}):
        acc = T.if_then_else(acc < A[i, j], A[i, j], acc)
    B[i] = acc
"""),
        ("max",),
        lambda arrays: {"B": np.maximum(wide(arrays).max(1), 0.5)},
    ),
    "a maximum in float16": Spelling(
        rows(
            f"""
    B[i] = T.min_value('float16')
    for j in T.serial({COLUMNS}):
        B[i] = T.max(B[i], A[i, j])
""",
            _HALVES,
        ),
        ("max",),
        row_maxima,
    ),
    "a sum of float16 in float32": Spelling(
        rows(
            f"""
    acc: T.float32 = 0.0
    for j in T.serial({COLUMNS}):
        acc += T.Cast('float32', A[i, j])
    B[i] = T.Cast('float16', acc)
""",
            _HALVES,
        ),
        ("add",),
        lambda arrays: {"B": wide(arrays).sum(1).astype(np.float16)},
    ),
    "products that are rounded to float16": Spelling(
        rows(
            f"""
    acc: T.float32 = 0.0
    for j in T.serial({COLUMNS}):
        acc += T.Cast('float32', A[i, j] * A[i, j])
    B[i] = T.Cast('float16', acc) / T.float16(4)
""",
            _HALVES,
        ),
        ("add",),
        _rounded_squares,
    ),
    "a sum and an element that is chosen": Spelling(
        rows(
            f"""
    B[i] = T.float32(0)
    for j in T.serial({COLUMNS}):
        B[i] += A[i, j]
    B[i] += A[i, T.min(T.max(L[i], T.int64(0)), T.int64({COLUMNS - 1}))]
""",
            LABELS,
        ),
        ("add",),
        _chosen,
    ),
}


def _output(body: str, parameters: str = SQUARE, start: str = "B[i, 0] = T.float32(0)") -> str:
    """A row whose output accumulates; the body stands in the loop over columns."""
    return rows(
        f"""
    {start}
    for j in T.serial({COLUMNS}):
        {body}
""",
        parameters,
    )


_UPDATE = "B[i, 0] = B[i, 0] + A[i, j]"
_CARRIED = "it carries an element of B"

STAGE_LOOK_ALIKES: dict[str, LookAlike] = {
    "an output that nothing starts": LookAlike(
        rows(f"""
    for j in T.serial({COLUMNS}):
        B[i] = B[i] + A[i, j]
"""),
        "global_effects",
        _CARRIED,
    ),
    "an output that starts at another element": LookAlike(
        _output(_UPDATE, start="B[i, 1] = T.float32(0)"), "global_effects", _CARRIED
    ),
    "an output that starts sometimes": LookAlike(
        _output(_UPDATE, start="if i < 3:\n        B[i, 0] = T.float32(0)"),
        "global_effects",
        _CARRIED,
    ),
    "an output that starts as another number": LookAlike(
        _output(_UPDATE, start="B[i, 0] = T.float32(2)"), "canonical_state", "starts as 2.0"
    ),
    "an output that starts as an element": LookAlike(
        _output(_UPDATE, start="B[i, 0] = A[i, 0]"), "canonical_state", "starts as no constant"
    ),
    "an output that is read between": LookAlike(
        _output(f"{_UPDATE}\n        A[i, j] = B[i, 0]"),
        "canonical_state",
        "another statement of the loop reads it",
    ),
    "an output that is stored twice": LookAlike(
        _output(f"{_UPDATE}\n        {_UPDATE}"), "canonical_state", "stores it twice"
    ),
    "an output that is updated sometimes": LookAlike(
        _output(f"if A[i, j] > T.float32(0):\n            {_UPDATE}"), "control", "conditional"
    ),
    "an output with another writer": LookAlike(
        _output(f"{_UPDATE}\n        B[i, j] = A[i, j]"), "global_effects", _CARRIED
    ),
    "an output with another reader": LookAlike(
        _output("B[i, 0] = B[i, 0] + A[i, j] * B[i, 1]"), "global_effects", _CARRIED
    ),
    "an output that another row reads": LookAlike(
        script(
            f"""    B[0] = T.float32(0)
    for i in T.serial(1, {ROWS - 1}):
        B[i] = T.float32(0)
        for j in T.serial({COLUMNS}):
            B[i] = B[i] + A[i, j] * B[i - 1]
"""
        ),
        "global_effects",
        "what another may store",
    ),
    "an output whose place is read from memory": LookAlike(
        rows(
            f"""
    B[T.min(T.max(L[i], T.int64(0)), T.int64({ROWS - 1}))] = T.float32(0)
    for j in T.serial({COLUMNS}):
        B[T.min(T.max(L[i], T.int64(0)), T.int64({ROWS - 1}))] += A[i, j]
""",
            LABELS,
        ),
        "global_effects",
        _CARRIED,
    ),
    "an output that all rows accumulate in": LookAlike(
        rows(
            f"""
    B[0] = T.float32(0)
    for j in T.serial({COLUMNS}):
        B[0] += A[i, j]
""",
            _WHOLE,
        ),
        "global_effects",
        "may store the same place",
    ),
    "an output in a parallel loop": LookAlike(
        _output(_UPDATE).replace(f"j in T.serial({COLUMNS})", f"j in T.parallel({COLUMNS})"),
        "execution_nesting",
        "is parallel",
    ),
    "a sum that is rounded in each step": LookAlike(
        rows(
            f"""
    B[i] = T.float16(0)
    for j in T.serial({COLUMNS}):
        B[i] = B[i] + A[i, j]
""",
            _HALVES,
        ),
        "reduction_type",
        "every step of the loop rounds to it",
    ),
    "a sum that is converted in each step": LookAlike(
        rows(
            f"""
    B[i] = T.float16(0)
    for j in T.serial({COLUMNS}):
        B[i] = T.Cast('float16', T.Cast('float32', B[i]) + T.Cast('float32', A[i, j]))
""",
            _HALVES,
        ),
        "reduction_type",
        "a conversion to float16 stands between",
    ),
    "a stage of fewer rows": LookAlike(
        script(f"""    for i in T.serial({ROWS - 1}):
        B[i] = T.float32(0)
    for i in T.serial({ROWS}):
        for j in T.serial({COLUMNS}):
            B[i] += A[i, j]
"""),
        "global_effects",
        _CARRIED,
    ),
    "a maximum that starts as a NaN it would keep": LookAlike(
        rows(f"""
    acc: T.float32 = T.float32(float('nan'))
    for j in T.serial({COLUMNS}):
        acc = T.Select(A[i, j] > acc, A[i, j], acc)
    B[i] = acc
"""),
        "canonical_state",
        "starts as nan",
    ),
    "a maximum that starts as what may be a NaN": LookAlike(
        rows(f"""
    acc: T.float32 = A[i, 0]
    for j in T.serial({COLUMNS}):
        acc = T.Select(A[i, j] > acc, A[i, j], acc)
    B[i] = acc
"""),
        "canonical_state",
        "starts as no constant",
    ),
}
