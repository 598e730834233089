"""What a call refuses, whichever way it is called, and that nothing was written by then."""

import array

import ml_dtypes
import numpy as np
import pytest
import torch

import certile as ct
from certile.diagnostics import CertileError
from certile.runtime.array_info import ArrayInfo
from certile.runtime.target import resolve

SHAPE = (4, 6)


@ct.tile_kernel
def doubled(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols] * 2.0


op = ct.op(doubled, outputs={"y": ct.like("x")})


def whole():
    return np.arange(24, dtype=np.float32).reshape(SHAPE)


def read_only():
    made = whole()
    made.flags.writeable = False
    return made


class Marked(torch.Tensor):
    pass


class Frame:
    """As data frames are: no array, and NumPy makes one of it."""

    def __array__(self, dtype=None, copy=None):
        return whole()


# As an input or an output alike: (what, code).
NEVER = {
    "masked": (lambda: np.ma.masked_array(whole(), mask=whole() > 3), "U201"),
    "record": (lambda: np.rec.array(whole()), "U201"),
    "matrix": (lambda: np.matrix(whole()), "U201"),
    "other byte order": (lambda: whole().astype(">f4"), "A202"),
    "complex": (lambda: whole().astype(complex), "A202"),
    "objects": (lambda: whole().astype(object), "A202"),
    "dates": (lambda: whole().astype("M8[s]"), "A202"),
    "4 bits": (lambda: whole().astype(ml_dtypes.int4), "A202"),
    "other 8-bit floats": (lambda: whole().astype(ml_dtypes.float8_e4m3fnuz), "A202"),
    "a field": (lambda: np.zeros(SHAPE, [("a", "u1"), ("b", "f4")])["b"], "A203"),
    "sparse": (lambda: torch.from_numpy(whole()).to_sparse(), "U201"),
    "meta": (lambda: torch.zeros(SHAPE, device="meta"), "U201"),
    "marked": (lambda: torch.zeros(SHAPE).as_subclass(Marked), "U201"),
    "negated": (lambda: torch.zeros(SHAPE, dtype=torch.complex64).conj().imag, "U201"),
    "quantised": (
        lambda: torch.quantize_per_tensor(torch.zeros(SHAPE), 0.1, 0, torch.qint8),
        "U201",
    ),
    "nested list": (lambda: whole().tolist(), "A002"),
    "tuple": (lambda: tuple(map(tuple, whole())), "A002"),
    "buffer": (lambda: memoryview(whole()), "A002"),
    "array.array": (lambda: array.array("f", [1.0, 2.0]), "A002"),
    "bytes": (lambda: bytes(96), "A002"),
    "data frame": (Frame, "A002"),
    "number": (lambda: 1.0, "A002"),
    "NumPy number": (lambda: np.float32(1), "A002"),
    "text": (lambda: "x", "A002"),
}


@pytest.mark.filterwarnings("ignore:.*quantize:UserWarning", "ignore:.*quantiz:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("what", NEVER)
def test_what_is_never_taken(what):
    make, code = NEVER[what]
    bad, x, y = make(), whole(), np.full(SHAPE, 7, np.float32)
    good_first = torch.from_numpy(x) if isinstance(bad, torch.Tensor) else x
    doubled(good_first, np.empty(SHAPE, np.float32))
    for call in (
        lambda: doubled(bad, y),
        lambda: doubled(x, bad),
        lambda: doubled.prepare(bad, y),
        lambda: doubled.prepare(x, bad),
        lambda: op(bad, out=y),
        lambda: op(x, out=(bad,)),
    ):
        with pytest.raises(CertileError) as caught:
            call()
        assert caught.value.code == code
    assert (y == 7).all()
    assert np.array_equal(x, whole())


@pytest.mark.parametrize("what", ["nested list", "tuple", "buffer", "array.array", "data frame"])
def test_what_numpy_makes_arrays_of_is_told_so(what):
    with pytest.raises(CertileError, match=r"np\.asarray"):
        doubled(NEVER[what][0](), whole())


OUTPUTS = {
    "read-only": read_only,
    "broadcast": lambda: np.broadcast_to(np.zeros(6, np.float32), SHAPE).view(),
    "expanded": lambda: torch.zeros(6).expand(SHAPE),
    "windows": lambda: np.lib.stride_tricks.as_strided(np.zeros(12, np.float32), SHAPE, (4, 4)),
    "leaf": lambda: torch.zeros(SHAPE, requires_grad=True),
    "of a leaf": lambda: torch.zeros(SHAPE, requires_grad=True) * 1,
}


@pytest.mark.parametrize("what", OUTPUTS)
def test_what_is_read_but_not_stored_to(what):
    array_, x = OUTPUTS[what](), whole()
    # Its signature is known by the time that it is refused as an output.
    doubled(array_, np.empty(SHAPE, np.float32))
    for call in (
        lambda: doubled(x, array_),
        lambda: doubled.prepare(x, array_),
        lambda: op(x, out=array_),
        lambda: doubled(array_, array_),
    ):
        with pytest.raises(CertileError) as caught:
            call()
        assert caught.value.code == "A204"
    plain, before = (
        each.detach().numpy() if isinstance(each, torch.Tensor) else each
        for each in (array_, OUTPUTS[what]())
    )
    np.testing.assert_array_equal(plain, before)


def test_rank_dtype_and_count():
    x, y = whole(), np.zeros(SHAPE, np.float32)

    @ct.tile_kernel
    def declared(x: ct.View[ct.f32, 2], y: ct.View[ct.f32 | ct.bf16, 2]):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r, cols] = x[r, cols]

    for bad, code in (
        (x.astype(np.float64), "A003"),
        (x[0], "A004"),
        (x[None], "A004"),
        (x[0, 0, ...], "A004"),
    ):
        for call in (lambda bad=bad: declared(bad, y), lambda bad=bad: declared(x, bad)):
            with pytest.raises(CertileError) as caught:
                call()
            assert caught.value.code == code
    assert not y.any()


@pytest.mark.parametrize(
    ("devices", "code", "named"),
    [
        (["xla:1", "xla:1"], "A009", "xla:1"),
        (["cpu", "cuda:0"], "A006", "cpu and cuda:0"),
        (["cuda:0", "cuda:1"], "A006", "cuda:0 and cuda:1"),
    ],
)
def test_other_devices_are_named(devices, code, named):
    with pytest.raises(CertileError, match=named) as caught:
        resolve([ArrayInfo(0, "f32", (1,), (1,), 4, False, "torch", device) for device in devices])
    assert caught.value.code == code


def test_arrays_without_dimensions():
    @ct.tile_kernel
    def filled(x: ct.View, y: ct.View):
        for i in ct.parallel(ct.axis("rows", y.shape[0])):
            y[i] = x[()] * 2.0

    y = np.zeros(3, np.float32)
    for x in (np.array(3.0, np.float32), torch.tensor(3.0)):
        filled(x, y)
        assert y.tolist() == [6, 6, 6]
        y[:] = 0


@pytest.mark.parametrize("shape", [(0, 6), (4, 0), (0, 0)])
def test_arrays_without_elements(shape):
    for make in (np.zeros, torch.zeros):
        y = op(make(shape, dtype=np.float32 if make is np.zeros else torch.float32))
        assert tuple(y.shape) == shape


def test_a_launch_grid_is_refused_by_name():
    with pytest.raises(ct.ArgumentError, match=r"A001.*doubled takes no launch grid"):
        doubled[(4,)](whole(), whole())
