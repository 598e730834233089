"""What is exported: a kernel of Tile IR for fixed shapes, however the caller names it.

In: a kernel, an operation made of one, or an operation's name; shapes, dtypes and numbers.  Out: a
`Subject`.  Decides what each needs to say.  What a caller passes is known by what it offers, so
this layer imports neither the runtime nor the operations: a kernel has `tile_ir` and a signature, a
`ct.op` has a `kernel`, and a name is looked up in the module of the operations' bare forms.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib import import_module
from math import prod
from typing import Any

from certile.diagnostics import ArgumentError
from certile.frontend.dtype_names import NAMES, dtype_of
from certile.frontend.spec import Shaped
from certile.ir.dtypes import DType, f32
from certile.ir.host import ViewFacts, row_major_facts
from certile.ir.tile import Kernel
from certile.ir.walk import extent_of, parallel_regions
from certile.records import record

__all__ = ["Shapes", "Subject", "subject_of"]

Shape = tuple[int, ...]
Shapes = Mapping[str, Shape]
Number = bool | int | float

# Where the bare forms of the operations are, by name: this layer stands below them.
_OPERATIONS = "certile.ops.kernels"


@record(slots=False)
class Subject:
    """A specialised kernel, the shapes of its views, its launches' programs, fixed numbers."""

    kernel: Kernel
    shapes: Shapes
    programs: tuple[int, ...]

    def facts(self) -> dict[str, ViewFacts]:
        """What is known of each view: it is in C order and aligned to 64 bytes."""
        return {
            v.name: row_major_facts(self.shapes[v.name], v.dtype.size) for v in self.kernel.views
        }

    def strides(self, view: str) -> Shape:
        """The strides of a view, in elements."""
        shape = self.shapes[view]
        return tuple(prod(shape[dim + 1 :]) for dim in range(len(shape)))


def subject_of(
    what: object,
    shapes: Shapes | Shape,
    dtypes: Mapping[str, object] | object,
    scalars: Mapping[str, Number] | None,
) -> Subject:
    """Resolve what a caller wants exported; raises `ArgumentError` A320 for what is not clear.

    `shapes` and `dtypes` are by view, or one for all; of an operation by name, its input's.
    """
    if isinstance(what, str):
        return _operation(what, shapes, dtypes)
    if all(hasattr(what, name) for name in ("kernel", "shapes", "programs")):
        bare: Any = what
        return Subject(bare.kernel, bare.shapes, bare.programs)
    kernel: Any = getattr(what, "kernel", what)
    if not hasattr(kernel, "tile_ir") or not hasattr(kernel, "signature"):
        message = f"{what!r} is no kernel"
        hint = "pass a @ct.tile_kernel, a ct.op, or the name of an operation such as sum"
        raise ArgumentError("A320", message, hint=hint)
    arguments = _arguments(kernel, shapes, dtypes, scalars or {})
    known = {n: value.shape for n, value in arguments.items() if isinstance(value, Shaped)}
    made = kernel.tile_ir(arguments)
    programs = tuple(
        prod(extent_of(axis, known) for axis in region.over) for region in parallel_regions(made)
    )
    return Subject(made, known, programs)


def _operation(name: str, shape: Shapes | Shape, dtype: Mapping[str, object] | object) -> Subject:
    """The bare form of an operation."""
    if not isinstance(shape, tuple) or isinstance(dtype, Mapping):
        message = f"{name} is exported for one shape and one element type"
        raise ArgumentError("A320", message, hint='pass for example "sum", (3, 4096)')
    found = import_module(_OPERATIONS).bare(name, _extents(shape), _dtype(dtype).name)
    return Subject(found.kernel, found.shapes, found.programs)


def _arguments(
    kernel: Any,  # noqa: ANN401 - what the runtime calls a tile kernel
    shapes: Shapes | Shape,
    dtypes: Mapping[str, object] | object,
    scalars: Mapping[str, Number],
) -> dict[str, object]:
    """An argument for each parameter: a shape for a view, a number for a scalar."""
    made: dict[str, object] = {}
    python = inspect.signature(kernel.function).parameters
    for parameter in kernel.signature.parameters:
        name = parameter.name
        if name in scalars:
            made[name] = scalars[name]
        elif parameter.kind in ("view", "any"):
            shape = shapes.get(name) if isinstance(shapes, Mapping) else shapes
            if shape is not None:
                named = dtypes.get(name) if isinstance(dtypes, Mapping) else dtypes
                taken = parameter.view.dtypes
                made[name] = Shaped(_fitting(named, taken), _extents(shape))
        if name not in made and python[name].default is inspect.Parameter.empty:
            where = "shapes" if parameter.kind in ("view", "any") else "scalars"
            message = f"nothing is said of the parameter {name} of {kernel.name}"
            raise ArgumentError("A320", message, hint=f"give it in {where}")
    return made


def _fitting(named: object, taken: Any) -> DType:  # noqa: ANN401 - dtypes of an annotation
    """The dtype that is asked for, or the first of those that the parameter takes."""
    if named is not None:
        return _dtype(named)
    listed = sorted(taken or (), key=str)
    return f32 if not listed or f32 in listed else _dtype(str(listed[0]))


def _dtype(named: object) -> DType:
    found = f32 if named is None else dtype_of(named)
    if found is None:
        raise ArgumentError("A320", f"{named!r} is not a dtype", hint=f"use one of {NAMES}")
    return found


def _extents(shape: object) -> Shape:
    plain = isinstance(shape, tuple) and all(type(e) is int and 0 <= e < 2**31 for e in shape)
    if not isinstance(shape, tuple) or not plain:
        raise ArgumentError("A320", f"{shape!r} is no shape", hint="pass extents, as in (3, 4096)")
    return shape
