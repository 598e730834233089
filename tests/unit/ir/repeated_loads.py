"""Kernels that read a row where they need it, as one would write them first."""

import certile as ct


@ct.tile_kernel
def shifted(x: ct.View, y: ct.View):
    """The sum of exp(x - max x), x read for each reduction."""
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        top = ct.reduce(x[r, cols], cols, ct.maximum)
        y[r] = ct.reduce(ct.exp(x[r, cols] - top), cols, ct.add)


@ct.tile_kernel
def with_maximum(x: ct.View, top: ct.View, y: ct.View):
    """The same, and the maximum stored before x is read again."""
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        m = ct.reduce(x[r, cols], cols, ct.maximum)
        top[r] = m
        y[r] = ct.reduce(ct.exp(x[r, cols] - m), cols, ct.add)


@ct.tile_kernel
def halved(x: ct.InOut, y: ct.View):
    """The sum of exp(x - max x) where x is halved between the two."""
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        top = ct.reduce(x[r, cols], cols, ct.maximum)
        x[r, cols] = x[r, cols] * 0.5
        y[r] = ct.reduce(ct.exp(x[r, cols] - top), cols, ct.add)


@ct.tile_kernel
def copied(x: ct.View, z: ct.View, y: ct.View):
    """As `shifted`, with 2x stored to z between: in a call z may be the array x."""
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        top = ct.reduce(x[r, cols], cols, ct.maximum)
        z[r, cols] = x[r, cols] * 2.0
        y[r] = ct.reduce(ct.exp(x[r, cols] - top), cols, ct.add)


@ct.tile_kernel
def of_another(x: ct.View, z: ct.View, y: ct.View):
    """The sum of exp(z - max x): nothing is read twice."""
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        top = ct.reduce(x[r, cols], cols, ct.maximum)
        y[r] = ct.reduce(ct.exp(z[r, cols] - top), cols, ct.add)
