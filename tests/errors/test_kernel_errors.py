"""Every K code: the shortest kernel that raises it, and the place it points at.

In a case «…» marks what the caret must cover; the marks are taken out before the code is compiled.
"""

import re
import textwrap

import numpy as np
import pytest
import torch

import certile as ct
from certile.codes.kernel import KERNEL
from certile.diagnostics import KernelError
from certile.frontend.signature import KernelSignature
from certile.frontend.spec import KernelSpec
from certile.frontend.trace import trace

CASES = {
    "K002": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                v = x[r, cols]
                if «v > 0»:
                    y[r, cols] = v
        """,
    "K003": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                y[r, cols] = «int(x[r, 0])»
        """,
    "K004": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                total = 0.0
                for k in ct.serial(cols):
                    total = total + x[r, k]
                y[r, cols] = «total * 2.0»
        """,
    "K005": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                v = x[r, cols]
                y[r, cols] = v
            «ct.exp(v)»
        """,
    "K006": """
        def kernel(x, y, n):
            cols = ct.axis("cols", x.shape[1])
            v = «x[0, cols]»
        """,
    "K007": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in «ct.parallel(rows)»:
                y[r, cols] = x[r, cols]
                break
        """,
    "K008": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            total = ct.carry(0.0)
            for r in ct.parallel(rows):
                «total.value» = x[r, 0]
        """,
    "K009": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                total = ct.carry(0.0)
                for k in ct.serial(cols):
                    «total.value» = total.value + x[r, cols2(x)]
        """,
    "K010": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                y[r, cols] = «ct.exp(x)»
        """,
    "K011": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                y[r, cols] = «ct.where(x[r, cols], 1.0, 0.0)»
        """,
    "K012": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                y[r, cols] = «ct.cast(x[r, cols], ct.u8) + 300»
        """,
    "K013": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                y[r, 0] = «ct.reduce(x[r, cols], cols2(x), ct.add)»
        """,
    "K014": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                «y[r, 0]» = x[r, cols]
        """,
    "K015": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                y[r, cols] = «x[r]»
        """,
    "K016": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                y[r, cols] = «x[r, -1]»
        """,
    "K017": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                for q in «ct.serial(rows)»:
                    y[r, cols] = x[q, cols]
        """,
    "K018": """
        def kernel(x, y, n):
            rows, four = ct.axis("rows", x.shape[0]), ct.axis("four", 4)
            for r in ct.parallel(rows):
                y[r, four] = «ct.relabel(x[r, four], four, ct.axis("short", 3))»
        """,
    "K019": """
        def kernel(x, y, n):
            for r in «ct.parallel(x.shape[0])»:
                y[r, 0] = x[r, 0]
        """,
    "K020": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                y[r, 0] = «ct.reduce(x[r, cols], cols, lambda a, b: a - b)»
        """,
    "K021": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                v, w = x[r, cols], x[r, 0]
                fold = lambda a, b: a - b * w
                y[r, 0] = «ct.reduce(v, cols, fold, policy="fold_left", init=0)»
        """,
    "K022": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                y[r, 0] = «ct.reduce(x[r, cols], cols, ct.add, policy="fast")»
        """,
    "K023": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                y[r, cols] = «x.tile((r, cols), fill=1.0)».load()
        """,
    "K024": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                «n[r, cols]» = x[r, cols]
        """,
    "K025": """
        def kernel(x, y, n):
            rows = ct.axis("rows", «x.shape[0] * 2»)
        """,
    "K027": """
        «def kernel(x, y, n):»
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                y[r, cols] = x[r, cols]
            return y
        """,
    "K028": """
        def kernel(x, y, n):
            rows = «ct.axis("rows", -1)»
        """,
    "K029": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                v = x[r, cols]
                y[r, 0] = «ct.reduce((v, v), cols, ct.add)»
        """,
    "K030": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                y[r, cols] = «ct.cast(x[r, cols], "complex64")»
        """,
    "K034": """
        «def kernel(x, y, n):»
            pass
        """,
    "K036": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                y[r, 0] = «x[r, cols].sum»()
        """,
    "K033": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                kept = «ct.memory(cols, ct.f32, layout=ct.layouts.strided((8,), (0,)))»
                kept[cols] = x[r, cols]
        """,
    "K037": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            top = ct.axis("top", 65)
            for r in ct.parallel(rows):
                y[r, top], _ = «ct.topk(x[r, cols], top, cols)»
        """,
    "K038": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                c = ct.carry(0.0)
                for k in «ct.serial(cols, policy="unordered_tree")»:
                    c.value = c.value * 0.5 + x[r, k]
        """,
    "K041": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                law = law_of(lambda a, b: «(a.s, b.s)»)
                y[r, 0] = ct.reduce(x[r, cols], cols, law)
        """,
    "K043": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                law = law_of(lambda a, b: a.s + b.s, lambda xs: ct.list.max(xs))
                y[r, 0] = «ct.reduce(x[r, cols], cols, law)»
        """,
    "K042": """
        def kernel(x, y, n):
            rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
            for r in ct.parallel(rows):
                law = law_of(lambda a, b: (a.s + b.s) / 2.0)
                y[r, 0] = «ct.reduce(x[r, cols], cols, law)»
        """,
}


def cols2(x):
    return ct.axis("others", x.shape[1])


def law_of(merged, meant=None):
    @ct.law
    class Law:
        if meant is not None:
            spec = staticmethod(meant)
        state = {"s": "acc"}  # noqa: RUF012 - as authors write
        identity = staticmethod(lambda: 0.0)
        lift = staticmethod(lambda x: x)
        merge = staticmethod(merged)
        finalize = staticmethod(lambda s: s.s)

    return Law


def _compiled(marked):
    """Return the kernel's function and the marked line and columns, counted from 1."""
    marked = textwrap.dedent(marked).lstrip("\n")
    before, inside, _ = re.split("[«»]", marked)
    line = before.count("\n") + 1
    start = len(before) - (before.rfind("\n") + 1) + 1
    namespace = {"ct": ct, "cols2": cols2, "law_of": law_of, "__name__": "user_code"}
    exec(compile(re.sub("[«»]", "", marked), "<case>", "exec"), namespace)
    return namespace["kernel"], (line, start, start + len(inside))


def _trace(kernel, **options):
    signature = KernelSignature(kernel)
    described = [(ct.f32, 2), (ct.f32, 2), (ct.i32, 2)]
    specs = signature.specs([object()] * 3, described)
    return trace(kernel, KernelSpec(specs, **options))


@pytest.mark.parametrize("code", CASES)
def test_the_code_line_and_columns(code):
    kernel, place = _compiled(CASES[code])
    with pytest.raises(KernelError) as caught:
        _trace(kernel)
    assert caught.value.code == code
    loc = caught.value.loc
    if CASES[code].lstrip().startswith("«def"):
        assert loc.line == place[0]
    else:
        assert (loc.line, loc.column, loc.end_column) == place


def test_no_code_is_left_out():
    elsewhere = {"K001", "K026", "K031", "K032", "K035", "K040"}
    assert {entry.code for entry in KERNEL} == CASES.keys() | elsewhere


def test_outside_a_kernel():
    with pytest.raises(KernelError, match=r"K001.*ct\.exp") as caught:
        ct.exp(1.0)
    assert caught.value.loc.file == __file__


def test_a_signature_without_a_fixed_list():
    def kernel(*views):
        pass

    with pytest.raises(KernelError, match="K026") as caught:
        KernelSignature(kernel)
    assert caught.value.loc.line == kernel.__code__.co_firstlineno


def test_a_kernel_inside_a_kernel():
    def inner(x, y, n):
        rows = ct.axis("rows", x.shape[0])
        for r in ct.parallel(rows):
            y[r, 0] = x[r, 0]

    def outer(x, y, n):
        _trace(inner)

    with pytest.raises(KernelError, match="K031"):
        _trace(outer)


def test_a_tile_kept_from_an_earlier_trace():
    kept = []

    def kernel(x, y, n):
        rows = ct.axis("rows", x.shape[0])
        three = ct.full((), 3.0)
        kept.append(three)
        for r in ct.parallel(rows):
            y[r, 0] = kept[0] + x[r, 0]

    _trace(kernel)
    with pytest.raises(KernelError, match="K032"):
        _trace(kernel)


@pytest.mark.parametrize(
    ("what", "named"),
    [
        ("view", "a was kept"),
        ("axis", r"a\.shape\[1\] was kept"),
        ("extent", r"a\.shape\[1\] was kept"),
        ("number", r"a\.shape\[1\] was kept"),
        ("memory", "memory0 was kept"),
    ],
)
def test_what_is_kept_from_another_kernel(what, named):
    """It is none of this kernel's, also where both have a view of one name."""
    kept = {}

    def first(a: ct.View[ct.f64, 2], y: ct.View[ct.f32, 2]):
        rows, cols = ct.axis("rows", a.shape[0]), ct.axis("cols", a.shape[1])
        for r in ct.parallel(rows):
            memory = ct.memory((cols,), ct.f32)
            memory[cols] = ct.cast(a[r, cols], ct.f32)
            y[r, cols] = memory[cols]
        kept.update(view=a, axis=cols, extent=a.shape[1], number=a.shape[1], memory=memory)

    def second(x: ct.View[ct.f32, 2], y: ct.View[ct.f32, 2]):
        rows = ct.axis("rows", x.shape[0])
        cols = ct.axis("cols", kept[what] if what == "extent" else x.shape[1])
        for r in ct.parallel(rows):
            if what == "view":
                y[r, cols] = ct.cast(kept["view"][r, cols], ct.f32)
            elif what == "axis":
                y[r, kept["axis"]] = x[r, kept["axis"]]
            elif what == "number":
                y[r, cols] = x[r, cols] / kept["number"]
            elif what == "memory":
                y[r, cols] = kept["memory"][cols]
            else:
                y[r, cols] = x[r, cols]

    x, y = np.zeros((2, 3), np.float32), np.zeros((2, 3), np.float32)
    ct.tile_kernel(first)(x.astype(np.float64), y)
    with pytest.raises(KernelError, match=f"K032.*{named}") as caught:
        ct.tile_kernel(second)(x, y)
    assert "second" in str(caught.value)


def test_a_view_kept_from_another_kernel_with_one_of_its_name():
    kept = []

    def first(x, y, n):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            kept.append(x)
            y[r, 0] = x[r, 0]

    def second(x: ct.View[ct.f64, 2], y: ct.View[ct.f32, 2]):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r, 0] = kept[0][r, 0]

    _trace(first)
    with pytest.raises(KernelError, match="K032"):
        ct.tile_kernel(second)(np.zeros((2, 3)), np.zeros((2, 3), np.float32))


@pytest.mark.parametrize(
    ("body", "at"),
    [
        (lambda v, cols: ct.where(ct.isnan(v), 0.0, v), "isnan"),
        (lambda v, cols: ct.reduce(v, cols, ct.add, policy="fold_left"), "fold_left"),
    ],
)
def test_fast_math_is_refused(body, at):
    def kernel(x, y, n):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r, cols] = body(x[r, cols], cols)

    _trace(kernel, math="precise")
    with pytest.raises(KernelError, match="K035"):
        _trace(kernel, math="fast")


@pytest.mark.parametrize(
    ("body", "code", "hint"),
    [
        (lambda v, cols: np.exp(v), "K010", "use ct.exp"),
        (lambda v, cols: torch.exp(v), "K010", "use ct.exp"),
        (lambda v, cols: torch.nn.functional.gelu(v), "K010", "use the functions of the language"),
        (lambda v, cols: v.astype("f16"), "K036", "use ct.cast(tile, dtype)"),
        (lambda v, cols: v.exp(), "K036", "use ct.exp(tile)"),
        (lambda v, cols: [v for _ in cols], "K019", "loop over ct.parallel"),
        (lambda v, cols: v.argsort(), "K036", "use ct.sort(tile, axis, indices=True)"),
        (lambda v, cols: v - v[0], "K036", "use ct.at(tile, axis, position)"),
        (lambda v, cols: v[:, None], "K036", "use ct.at(tile, axis, position)"),
        (lambda v, cols: v.__setitem__(0, 1.0), "K036", "use ct.where(ct.iota(axis) == position"),
        (lambda v, cols: v @ v, "K036", "use ct.reduce(a * b, axis, ct.add)"),
        (lambda v, cols: np.eye(3, dtype=np.float32) @ v, "K010", "use the functions of the"),
    ],
)
def test_habits_of_other_libraries(body, code, hint):
    def kernel(x, y, n):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r, cols] = body(x[r, cols], cols)

    with pytest.raises(KernelError) as caught:
        _trace(kernel)
    assert caught.value.code == code
    assert f"hint: {hint}" in str(caught.value)


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        (lambda v, cols: ct.sort(v, ct.axis("other", 3)), "K013", "does not span axis other"),
        (lambda v, cols: ct.sort(v, 1), "K028", "1 is not an axis"),
        (lambda v, cols: ct.topk(v, 5, cols), "K028", "5 is not an axis"),
        (lambda v, cols: ct.topk(v, cols, cols), "K018", "spans axis cols already"),
        (lambda v, cols: ct.topk(v, ct.axis("t", 0), cols), "K037", "asks for 0 elements"),
        (lambda v, cols: ct.topk(v, ct.axis("t", cols.extent), cols), "K037", "Python integer"),
        (lambda v, cols: ct.topk(v, ct.axis("t", 60), cols), "K037", "axis cols has"),
    ],
)
def test_sorts_that_cannot_be(body, code, message):
    def kernel(x, y, n):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            body(x[r, cols], cols)

    with pytest.raises(KernelError, match=code) as caught:
        _trace(kernel)
    assert message in str(caught.value)


def test_the_rendered_error_shows_line_caret_and_hint():
    kernel = _kernel_with_a_chained_comparison()
    with pytest.raises(KernelError) as caught:
        _trace(kernel)
    text = str(caught.value)
    line = "            y[r, cols] = ct.where(0 < x[r, cols] < 1, 1.0, 0.0)"
    assert line in text
    carets = text.splitlines()[3]
    assert carets.index("^") - text.splitlines()[2].index("0 < x") == 0
    assert carets.count("^") == len("0 < x[r, cols] < 1")
    assert "hint: use ct.where" in text


def _kernel_with_a_chained_comparison():
    def kernel(x, y, n):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r, cols] = ct.where(0 < x[r, cols] < 1, 1.0, 0.0)

    return kernel
