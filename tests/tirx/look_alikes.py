"""TIRx functions that look like reductions and are none, or that are not shown to be."""

from dataclasses import dataclass

from tests.tirx.spellings import COLUMNS, LABELS, LOW, ROWS, SQUARE, rows, script


@dataclass(frozen=True)
class LookAlike:
    """A function that is not recognised: the rule, and words of what was not shown."""

    text: str
    rule: str
    says: str


def _sum_of(update: str, start: str = "T.float32(0)", extra: str = "", loop: str = "") -> str:
    return rows(f"""
    acc = T.alloc_buffer((1,), 'float32', scope='local')
    other = T.alloc_buffer((1,), 'float32', scope='local')
    other[0] = T.float32(0)
    acc[0] = {start}
    for j in {loop or f"T.serial({COLUMNS})"}:
        {update}{extra}
    B[i] = acc[0]
""")


_UPDATE = "acc[0] = acc[0] + A[i, j]"

LOOK_ALIKES: dict[str, LookAlike] = {
    "a wrong start": LookAlike(
        _sum_of(_UPDATE, "T.float32(1)"), "canonical_state", "starts as 1.0"
    ),
    "a negative zero": LookAlike(
        _sum_of(_UPDATE, "T.float32(-0.0)"), "canonical_state", "starts as -0.0"
    ),
    "a second update": LookAlike(
        _sum_of(_UPDATE, extra=f"\n        {_UPDATE}"), "canonical_state", "stores it twice"
    ),
    "an observed carry": LookAlike(
        rows(
            f"""
    acc: T.float32 = 0.0
    for j in T.serial({COLUMNS}):
        acc += A[i, j]
        B[i, j] = acc
""",
            SQUARE,
        ),
        "canonical_state",
        "another statement of the loop reads it",
    ),
    "a carry in its own contribution": LookAlike(
        _sum_of("acc[0] = acc[0] + A[i, j] * acc[0]"), "canonical_state", "in its contribution"
    ),
    "a bound that varies with the row": LookAlike(
        _sum_of(_UPDATE, loop="T.serial(i + 1)"), "control", "its extent varies with i"
    ),
    "another buffer": LookAlike(
        _sum_of("acc[0] = other[0] + A[i, j]"), "canonical_state", "value of its last iteration"
    ),
    "an inner cast": LookAlike(
        _sum_of("acc[0] = T.Cast('float32', T.Cast('float16', acc[0])) + A[i, j]"),
        "reduction_type",
        "a conversion to float32 stands between",
    ),
    "an inner store": LookAlike(
        rows(
            f"""
    acc: T.float32 = 0.0
    for j in T.serial({COLUMNS}):
        acc += A[i, j]
        B[i, j] = A[i, j]
""",
            SQUARE,
        ),
        "global_effects",
        "stores to B",
    ),
    "a conditional update": LookAlike(
        _sum_of(f"if A[i, j] > T.float32(0):\n            {_UPDATE}"), "control", "conditional"
    ),
    "a difference": LookAlike(
        _sum_of("acc[0] = acc[0] - A[i, j]"), "canonical_state", "another form"
    ),
    "a step of two": LookAlike(
        _sum_of(_UPDATE, loop=f"T.serial(0, {COLUMNS}, step=2)"), "control", "its step is 2"
    ),
    "a vectorized loop": LookAlike(
        _sum_of(_UPDATE, loop=f"T.vectorized({COLUMNS})"), "control", "vectorized"
    ),
    "a NaN that forgets": LookAlike(
        _sum_of("acc[0] = T.Select(acc[0] > A[i, j], acc[0], A[i, j])", LOW),
        "canonical_state",
        "NaN",
    ),
    "an opaque call": LookAlike(
        _sum_of("acc[0] = acc[0] + T.call_extern('float32', 'mystery', A[i, j])"),
        "contribution",
        "call_extern",
    ),
    "an unknown annotation": LookAlike(
        _sum_of(_UPDATE, loop=f"T.serial({COLUMNS}, annotations={{'my.pass': 1}})"),
        "control",
        "my.pass",
    ),
    "a statement that evaluates": LookAlike(
        _sum_of(_UPDATE, extra="\n        T.evaluate(T.call_extern('int32', 'mystery'))"),
        "dynamic_control",
        "Evaluate",
    ),
    "a while loop": LookAlike(
        rows("""
    acc: T.float32 = 0.0
    while acc < T.float32(3):
        acc += A[i, 0]
    B[i] = acc
"""),
        "dynamic_control",
        "While",
    ),
    "an unguarded gather": LookAlike(
        rows("    B[i] = A[i, L[i]]", LABELS), "guarded_views", "bounds an index"
    ),
    "a gather whose guard is not lazy": LookAlike(
        rows(
            "    B[i] = T.Select(T.And(T.int64(0) <= L[i], "
            f"L[i] < T.int64({COLUMNS})), A[i, L[i]], T.float32(0))",
            LABELS,
        ),
        "guarded_views",
        "bounds an index",
    ),
    "a row read at another element": LookAlike(
        rows(
            f"""
    for j in T.serial({COLUMNS - 1}):
        B[i, j + 1] = B[i, j] + A[i, j]
""",
            SQUARE,
        ),
        "global_effects",
        "what another may store",
    ),
    "rows that meet": LookAlike(
        rows(
            f"""
    for j in T.serial({COLUMNS}):
        B[i + j] = A[i, j]
""",
            f"A: T.Buffer(({ROWS}, {COLUMNS}), 'float32'), "
            f"B: T.Buffer(({ROWS + COLUMNS},), 'float32')",
        ),
        "global_effects",
        "may store the same place",
    ),
    "an index that an iteration changes": LookAlike(
        rows(
            f"""
    c: T.int32 = 0
    for j in T.serial({COLUMNS - 5}):
        c = 0
        B[i, j + c] = A[i, j]
        c = 5
        A[i, j] = B[i, j + c]
""",
            SQUARE,
        ),
        "global_effects",
        "its index reads what the loop stores",
    ),
    "a square row read across": LookAlike(
        rows(
            """
    e = T.alloc_buffer((6, 6), 'float32', scope='local')
    for j, k in T.grid(6, 6):
        e[j, k] = A[i, j * 6 + k]
    for j, k in T.grid(6, 6):
        B[i, j * 6 + k] = e[k, j]
""",
            SQUARE,
        ),
        "private_storage",
        "runs over another of its dimensions",
    ),
    "an index outside": LookAlike(
        _sum_of("acc[0] = acc[0] + A[i, j + 1]"), "guarded_views", "bounds an index"
    ),
    "a sum of integers": LookAlike(
        rows(
            f"""
    acc: T.int32 = 0
    for j in T.serial({COLUMNS}):
        acc += A[i, j]
    B[i] = acc
""",
            f"A: T.Buffer(({ROWS}, {COLUMNS}), 'int32'), B: T.Buffer(({ROWS},), 'int32')",
        ),
        "reduction_type",
        "acc is int32",
    ),
    "shared memory": LookAlike(
        rows(f"""
    acc = T.alloc_buffer((1,), 'float32', scope='shared')
    acc[0] = T.float32(0)
    for j in T.serial({COLUMNS}):
        {_UPDATE}
    B[i] = acc[0]
"""),
        "manual_resources",
        "shared",
    ),
    "a parallel loop inside": LookAlike(
        rows(
            f"""
    B[i, 0] = A[i, 0]
    for j in T.parallel({COLUMNS}):
        B[i, j] = A[i, j]
""",
            SQUARE,
        ),
        "execution_nesting",
        "is parallel",
    ),
    "an update of what is overwritten": LookAlike(
        rows(f"""
    acc: T.float32 = 0.0
    for j in T.serial({COLUMNS}):
        one: T.float32 = A[i, j]
        moved: T.let = acc + one
        one = A[i, j] * T.float32(3)
        acc = moved
    B[i] = acc
"""),
        "canonical_state",
        "one is stored before the update",
    ),
    "an update of a row that is overwritten": LookAlike(
        rows(f"""
    acc: T.float32 = 0.0
    for j in T.serial({COLUMNS}):
        row = T.alloc_buffer((4,), 'float32', scope='local')
        for k in T.serial(4):
            row[k] = A[i, j]
        moved: T.let = acc + row[2]
        for k in T.serial(4):
            row[k] = T.float32(0)
        acc = moved
    B[i] = acc
"""),
        "canonical_state",
        "row is stored before the update",
    ),
    "carries that are exchanged": LookAlike(
        rows(f"""
    a: T.float32 = 0.0
    b: T.float32 = 0.0
    for j in T.serial({COLUMNS}):
        c: T.float32 = a + A[i, j]
        a = b + A[i, j]
        b = c
    B[i] = a
"""),
        "canonical_state",
        "another statement of the loop reads it",
    ),
    "a carry a lane": LookAlike(
        rows(f"""
    acc = T.alloc_buffer((4,), 'float32', scope='local')
    for k in T.serial(4):
        acc[k] = T.float32(0)
    for j in T.serial({COLUMNS // 4}):
        for k in T.serial(4):
            acc[k] += A[i, j * 4 + k]
    B[i] = acc[0] + acc[1] + acc[2] + acc[3]
"""),
        "global_effects",
        "it carries an element of acc",
    ),
    "rows on threads": LookAlike(
        script(f"""    with T.launch_thread('blockIdx.x', {ROWS}) as i:
        acc: T.float32 = 0.0
        for j in T.serial({COLUMNS}):
            acc += A[i, j]
        B[i] = acc
"""),
        "target_binding",
        "thread_extent",
    ),
}
