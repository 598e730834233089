"""The textual Tile IR: what is printed is read back, and fingerprints see content only."""

import dataclasses
import os
import subprocess
import sys

import pytest
from hypothesis import given

from certile.diagnostics import KernelError
from certile.ir import laws, layouts
from certile.ir.build import Builder, dim
from certile.ir.dtypes import f32, f64
from certile.ir.fingerprint import fingerprint
from certile.ir.laws import Law
from certile.ir.parser import parse_kernel
from certile.ir.printer import print_kernel
from certile.ir.terms import Lit, Var, app
from certile.ir.tile import Scan
from certile.ir.verify import verify
from certile.ir.walk import specialise, values
from certile.reference.generate import corpus
from tests import kernels
from tests.strategies import programs

READY = [
    kernels.sum_rows,
    kernels.softmax,
    kernels.layer_norm,
    kernels.residual_layer_norm,
    kernels.rms_norm,
    kernels.cross_entropy,
    kernels.min_max,
    kernels.mean_var,
    kernels.argmax,
    kernels.logsumexp,
    kernels.gelu,
    kernels.scale_in_place,
    kernels.serial_sum,
    kernels.serial_tile,
    kernels.serial_reduction,
    kernels.least_in_order,
]


def shapes_of(kernel):
    return {v.name: {1: (3,), 2: (3, 5), 3: (4, 3, 5)}[v.rank] for v in kernel.views}


@pytest.mark.parametrize("make", READY, ids=lambda make: make.__name__)
@pytest.mark.parametrize("specialised", [False, True])
def test_ready_kernels_round_trip(make, specialised):
    kernel = make()
    if specialised:
        kernel = specialise(kernel, shapes_of(kernel))
    text = print_kernel(kernel)
    parsed = parse_kernel(text)
    assert verify(parsed) == []
    assert print_kernel(parsed) == text
    assert fingerprint(parsed) == fingerprint(kernel)


@given(programs())
def test_generated_kernels_round_trip(program):
    text = print_kernel(program.kernel)
    parsed = parse_kernel(text)
    assert verify(parsed) == verify(program.kernel) == []
    assert print_kernel(parsed) == text
    assert fingerprint(parsed) == fingerprint(program.kernel)


def odd_names():
    b = Builder('a kernel, "quoted" %1 = x')
    x, y = b.view("x y", f32, 2), b.view("y.shape", f32, 1)
    rows, cols = b.axis("row #1", dim(x, 0)), b.axis("cols]", dim(x, 1))
    other = b.axis("other", dim(y, 0))
    scratch = b.memory("m[0]", f32, [cols], "group")
    eps = b.scalar("eps=1", f32)
    strange = Law(
        "strange law",
        (laws.Component("s"),),
        (Lit("nan"),),
        (app("mul", "x", 2.0),),
        (app("add", "a.s", "b.s"),),
        (Var("s"),),
    )
    with b.parallel(rows):
        b.store(scratch, cols, b.load(x, rows, cols))
        b.reduce(b.load(y, other), other, laws.ADD)
        total = b.reduce(b.load(scratch, cols), cols, strange, policy="reproducible")
        b.store(y, rows, b.map("add", total, eps))
    return b.build()


@pytest.mark.parametrize("reverse", [False, True])
def test_scans_round_trip(reverse):
    b = Builder("scans")
    x, y = b.view("x", f32, 2), b.view("y", f32, 2)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        made = b.scan(b.load(x, rows, cols), cols, laws.MEAN_VAR, inclusive=False, reverse=reverse)
        b.store(y, (rows, cols), b.results(made)[1])
    kernel = b.build()
    parsed = parse_kernel(print_kernel(kernel))
    assert verify(parsed) == []
    assert print_kernel(parsed) == print_kernel(kernel)
    (scan,) = (at for at in values(parsed) if isinstance(at, Scan))
    assert (scan.inclusive, scan.reverse) == (False, reverse)
    assert fingerprint(parsed) == fingerprint(kernel)


LAYOUTS = [
    layouts.MixedRadix((8,), ((layouts.Digit(2, 1), layouts.Digit(4, -8)),), 26),
    layouts.BitLinear((8,), ((3, 2, 4),), 8),
    layouts.Table((8,), (0, 2, 4, 6, None, 3, 5, 7), 8),
]


def with_memory(layout):
    b = Builder("placed")
    x = b.view("x", f32, 2)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", 8)
    kept = b.memory("kept", f32, [cols], "worker", layout)
    with b.parallel(rows):
        b.store(kept, cols, b.load(x, rows, cols))
        b.store(x, (rows, cols), b.load(kept, cols))
    return b.build()


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: type(layout).__name__)
def test_layouts_round_trip(layout):
    kernel = with_memory(layout)
    parsed = parse_kernel(print_kernel(kernel))
    assert parsed.memories[0].layout == layout
    assert print_kernel(parsed) == print_kernel(kernel)
    others = {fingerprint(with_memory(other)) for other in (None, *LAYOUTS)}
    assert len(others) == 4
    assert fingerprint(parsed) == fingerprint(kernel)


def test_a_memory_with_a_broken_layout_does_not_parse():
    text = print_kernel(with_memory(LAYOUTS[1]))
    with pytest.raises(KernelError, match="no layout"):
        parse_kernel(text.replace("bits", "bats"))


def test_any_name_survives():
    kernel = odd_names()
    assert verify(kernel) == []
    parsed = parse_kernel(print_kernel(kernel))
    assert print_kernel(parsed) == print_kernel(kernel)
    assert [p.name for p in parsed.params] == ["x y", "y.shape", "eps=1"]
    assert parsed.memories[0].axes[0].name == "cols]"


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan"), -0.0, 1e-45, 0.1])
def test_constants_keep_their_bits(value):
    b = Builder("constant")
    x = b.view("x", f64, 1)
    rows = b.axis("rows", dim(x, 0))
    with b.parallel(rows):
        b.store(x, rows, b.const(value, f64))
    (store,) = parse_kernel(print_kernel(b.build())).body[0].body
    assert repr(store.value.value) == repr(value)


def test_fingerprints_ignore_names_and_places():
    def kernel(kernel_name, view, axis):
        b = Builder(kernel_name)
        x = b.view(view, f32, 1)
        rows = b.axis(axis, dim(x, 0))
        with b.parallel(rows):
            b.store(x, rows, b.map("neg", b.load(x, rows)))
        return b.build()

    assert fingerprint(kernel("a", "x", "r")) == fingerprint(kernel("b", "z", "rows"))


def test_fingerprints_differ_with_content():
    prints = {fingerprint(make()) for make in READY}
    prints |= {fingerprint(kernels.softmax(math="portable"))}
    prints |= {fingerprint(kernels.softmax(policy="reproducible"))}
    prints |= {fingerprint(kernels.softmax(f64))}
    kernel = kernels.softmax()
    prints |= {fingerprint(dataclasses.replace(kernel, params=kernel.params[::-1]))}
    prints |= {fingerprint(specialise(kernel, {"x": (2, n), "y": (2, n)})) for n in (3, 4)}
    assert len(prints) == len(READY) + 6


def test_generated_fingerprints_are_distinct():
    programs_ = list(corpus(60))
    assert len({fingerprint(p.kernel) for p in programs_}) == len(programs_)


def test_text_and_fingerprint_are_the_same_in_every_process():
    program = (
        "from certile.ir.fingerprint import fingerprint\n"
        "from certile.reference.generate import corpus\n"
        "print(*(fingerprint(p.kernel) for p in corpus(8)))\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert outputs == {" ".join(fingerprint(p.kernel) for p in corpus(8)) + "\n"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("kernel ", "kernal "),
        ("tile.load", "tile.lode"),
        ("buffer=&x", "buffer=&z"),
        ("mask=_", "mask=%99"),
        ("!f32", "!f33"),
        ("fill=_", ""),
        ("index=0", "index=zero"),
        ("yield (", "yeild ("),
        ("}", ""),
        ("planes#2 =", "planes#2"),
        ("law=@add", "law=@sum"),
        ("step=1", "step=1 step2=3"),
        ("over=(cols#3)", "over=(cols#9)"),
        (" {", ""),
    ],
)
def test_other_texts_are_refused_with_their_line(old, new):
    text = print_kernel(kernels.serial_reduction())
    assert old in text
    with pytest.raises(KernelError) as caught:
        parse_kernel(text.replace(old, new))
    assert caught.value.code == "V020"
    assert "line" in str(caught.value)
