"""The whole language on a GPU, against the reference interpreter on the same values.

Scans, sorts, selections, kept axes, reshapes, memories with layouts, several launches, narrow
types: kernels that the subgroup family takes and kernels that the reference map serves.
"""

import numpy as np
import pytest

import certile as ct
from certile.ir.layouts import BitLinear

pytestmark = pytest.mark.gpu

SWIZZLE = BitLinear((8, 8), ((8 + 1, 16 + 2, 32 + 4), (1, 2, 4)), 64)


def on_both(torch, kernel, inputs, outputs):
    """The outputs of a kernel on the GPU and of the interpreter, as NumPy arrays."""
    moved = [torch.from_numpy(array).cuda() for array in inputs]
    made = [torch.full(o.shape, 77, dtype=torch.from_numpy(o).dtype).cuda() for o in outputs]
    with ct.target("cuda"):
        kernel(*moved, *made)
    meant = [o.copy() for o in outputs]
    with ct.target("reference"):
        kernel(*inputs, *meant)
    return [m.cpu().numpy() for m in made], meant


def numbers(shape, dtype=np.float32, seed=0):
    """Small integers, so that every order of a sum gives the same bits."""
    return np.random.default_rng(seed).integers(-40, 40, shape).astype(dtype)


@ct.tile_kernel
def scans(x: ct.View, sums: ct.View, tops: ct.View, places: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        sums[r, cols] = ct.scan(v, cols, ct.add)
        tops[r, cols] = ct.scan(v, cols, ct.maximum, inclusive=False, reverse=True)
        places[r, cols] = ct.cast(ct.scan(v, cols, ct.argmax), ct.i64)


@pytest.mark.parametrize("columns", [1, 31, 32, 33, 100, 1000])
def test_scans(torch, columns):
    x = numbers((37, columns))
    outputs = [np.zeros_like(x), np.zeros_like(x), np.zeros(x.shape, np.int64)]
    made, meant = on_both(torch, scans, [x], outputs)
    for a, b in zip(made, meant, strict=True):
        np.testing.assert_array_equal(a, b)


@ct.tile_kernel
def ordered(x: ct.View, values: ct.View, places: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        made, at = ct.sort(x[r, cols], cols, descending=True, indices=True)
        values[r, cols] = made
        places[r, cols] = at


@ct.tile_kernel
def best(x: ct.View, values: ct.View, places: ct.View, k: ct.constexpr):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    top = ct.axis("top", k)
    for r in ct.parallel(rows):
        values[r, top], places[r, top] = ct.topk(x[r, cols], top, cols)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int64, np.uint8])
@pytest.mark.parametrize("columns", [1, 33, 256, 1000])
def test_sorts(torch, columns, dtype):
    x = numbers((19, columns), dtype, seed=1)
    made, meant = on_both(torch, ordered, [x], [np.zeros_like(x), np.zeros(x.shape, np.int64)])
    for a, b in zip(made, meant, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("k", [1, 5, 33, 64])
@pytest.mark.parametrize("columns", [64, 1000, 20000])
def test_selections(torch, columns, k):
    x = numbers((11, columns), seed=2)
    x[3, columns // 2] = np.nan

    def kernel(x, values, places):
        best(x, values, places, k)

    outputs = [np.zeros((11, k), np.float32), np.zeros((11, k), np.int64)]
    made, meant = on_both(torch, kernel, [x], outputs)
    for a, b in zip(made, meant, strict=True):
        np.testing.assert_array_equal(a, b)


@ct.tile_kernel
def kept_axes(x: ct.View, y: ct.View, centred: ct.View):
    rows = ct.axis("rows", x.shape[0])
    a, b = ct.axis("a", x.shape[1]), ct.axis("b", x.shape[2])
    for r in ct.parallel(rows):
        v = x[r, a, b]
        total = ct.reduce(v, b, ct.add)
        y[r, a] = total
        centred[r, a, b] = v - total


@pytest.mark.parametrize("shape", [(9, 4, 33), (5, 33, 4), (3, 1, 64), (7, 16, 1)])
def test_reductions_that_keep_an_axis(torch, shape):
    x = numbers(shape, seed=3)
    outputs = [np.zeros(shape[:2], np.float32), np.zeros_like(x)]
    made, meant = on_both(torch, kept_axes, [x], outputs)
    for a, b in zip(made, meant, strict=True):
        np.testing.assert_array_equal(a, b)


@ct.tile_kernel
def through_memory(x: ct.View, y: ct.View, sums: ct.View):
    blocks = ct.axis("blocks", x.shape[0])
    a, b, half = ct.axis("a", 8), ct.axis("b", 8), ct.axis("half", 4)
    flat, pairs = ct.axis("flat", 64), ct.axis("pairs", 16)
    for block in ct.parallel(blocks):
        kept = ct.memory((a, b), ct.f32, "worker", layout=SWIZZLE)
        kept[a, b] = x[block, a, b]
        for k in ct.serial(b):
            y[block, k, a] = kept[a, k]
        line = ct.reshape(x[block, a, b], flat)
        sums[block, pairs] = ct.reduce(ct.reshape(line, (pairs, half)), half, ct.add)


def test_memories_layouts_and_reshapes(torch):
    x = numbers((70, 8, 8), seed=4)
    outputs = [np.zeros_like(x), np.zeros((70, 16), np.float32)]
    (y, sums), _ = on_both(torch, through_memory, [x], outputs)
    np.testing.assert_array_equal(y, x.transpose(0, 2, 1))
    np.testing.assert_array_equal(sums, x.reshape(70, 16, 4).sum(2))


@ct.tile_kernel
def in_two_launches(x: ct.View, part: ct.View, total: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    one = ct.axis("one", 1)
    for r in ct.parallel(rows):
        part[r] = ct.reduce(x[r, cols], cols, ct.add)
    for _ in ct.parallel(one):
        total[0] = ct.reduce(part[rows], rows, ct.add)


def test_a_launch_reads_what_the_one_before_wrote(torch):
    x = numbers((513, 65), seed=5)
    outputs = [np.zeros(513, np.float32), np.zeros(1, np.float32)]
    (part, total), _ = on_both(torch, in_two_launches, [x], outputs)
    np.testing.assert_array_equal(part, x.sum(1))
    assert total[0] == x.sum()


@ct.tile_kernel
def narrow(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols] * 2


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2"])
def test_eight_bit_floats(torch, name):
    dtype = getattr(torch, name)
    x = torch.arange(256, dtype=torch.uint8, device="cuda").view(dtype).view(2, 128)
    wide = torch.empty(2, 128, device="cuda")
    narrowed = torch.empty(2, 128, dtype=dtype, device="cuda")
    with ct.target("cuda"):
        narrow(x, wide)
        narrow(wide, narrowed)
    meant = x.float() * 2
    torch.testing.assert_close(wide, meant, rtol=0, atol=0, equal_nan=True)
    again = (meant * 2).to(dtype).float()
    if name == "float8_e4m3fn":
        # The type has no infinity: what rounds beyond 448 is NaN here, while PyTorch saturates.
        again = torch.where((meant * 2).abs() > 464, torch.nan, again)
    torch.testing.assert_close(narrowed.float(), again, rtol=0, atol=0, equal_nan=True)


def test_a_bool_is_true_whatever_its_byte(torch):
    x = torch.arange(256, dtype=torch.uint8, device="cuda").view(torch.bool).view(4, 64)
    y = torch.full((4, 64), 9, dtype=torch.int32, device="cuda")

    @ct.tile_kernel
    def counted(x: ct.View, y: ct.View):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r, cols] = ct.where(x[r, cols], 1, 0)

    with ct.target("cuda"):
        counted(x, y)
    assert y.flatten().tolist() == [0] + [1] * 255
