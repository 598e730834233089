"""A kernel as a function that returns its outputs.

In: a kernel, and for each output the input it is like.  Out: a callable `op(x, *, out=None,
dtype=None)`.  Decides when outputs are allocated, in the framework of the inputs, and their order.
Leaves everything else of a call to the kernel.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Mapping
from typing import Any

from certile.diagnostics import ArgumentError
from certile.frontend.dtype_names import NAMES, dtype_of
from certile.language.integers import integer_or_none
from certile.records import record
from certile.runtime import arrays
from certile.runtime.kernel import TileKernel

__all__ = ["Like", "Op", "like", "op"]

Size = int | tuple[str, int]

# What a result is allocated from: framework, shape, dtype, device.
_Made = tuple[Any, tuple[int, ...], str, str]


@record
class Like:
    """What an output is: an input's shape and dtype, each unless it says otherwise."""

    view: str
    shape: tuple[Size, ...] | None
    dtype: str | None


def like(view: str, *, shape: tuple[Size, ...] | None = None, dtype: object = None) -> Like:
    """Describe an output by the input `view`.

    `shape` entries are integers, or ("x", 0) for the extent of dimension 0 of input x.  Raises
    `ArgumentError` A011 for what is no dtype and for what is no shape.
    """
    named = None if dtype is None else dtype_of(dtype)
    if dtype is not None and named is None:
        raise ArgumentError("A011", f"{dtype!r} is not a dtype", hint=f"use one of {NAMES}")
    sizes = None if shape is None else _sizes(shape)
    return Like(view, sizes, None if named is None else named.name)


def _sizes(shape: object) -> tuple[Size, ...]:
    """The sizes with Python's integers for those of any kind; raises A011 for what is no shape."""
    sizes = [_size(each) for each in shape] if isinstance(shape, tuple | list) else [None]
    known = tuple(size for size in sizes if size is not None)
    if len(known) < len(sizes):
        hint = 'list numbers, or ("x", 0) for the extent of dimension 0 of x'
        raise ArgumentError("A011", f"{shape!r} is no shape of an output", hint=hint)
    return known


def _size(size: object) -> Size | None:
    match size:
        case (str(name), dim):
            number = integer_or_none(dim)
            return None if number is None else (name, number)
        case _:
            number = integer_or_none(size)
            return number if number is not None and 0 <= number < 2**63 else None


def op(kernel: TileKernel, *, outputs: Mapping[str, Like]) -> Op:
    """Return a function of the kernel's other parameters that returns `outputs`.

    Raises `ArgumentError` A011 for outputs that the kernel has no parameter for, or that are like
    a parameter that is no input.
    """
    return Op(kernel, outputs)


class Op:
    """A function made of a kernel: it allocates the outputs and returns them.

    Inputs are positional or by name, as the kernel lists them.  `out` is an array, or a tuple for
    several outputs; `dtype` replaces the dtype of the outputs that are allocated.
    """

    def __init__(self, kernel: TileKernel, outputs: Mapping[str, Like]) -> None:
        _require_kernel(kernel, outputs)
        functools.update_wrapper(self, kernel.function)
        self.kernel = kernel
        self._outputs = dict(outputs)
        names = kernel.signature.names
        self._inputs = tuple(name for name in names if name not in outputs)
        for name, described in outputs.items():
            read = {size[0] for size in described.shape or () if isinstance(size, tuple)}
            if name not in names or not {described.view, *read} <= set(self._inputs):
                message = (
                    f"output {name} like {described.view}: the kernel takes {', '.join(names)}"
                )
                raise ArgumentError("A011", message)
        self._results: dict[Hashable, tuple[_Made, ...]] = {}

    def __reduce__(self) -> tuple[type[Op], tuple[TileKernel, dict[str, Like]]]:
        """Pickle what it was made of; the kernel goes by name."""
        return Op, (self.kernel, self._outputs)

    def __call__(
        self,
        *args: Any,  # noqa: ANN401 - any array
        out: Any = None,  # noqa: ANN401 - any array
        dtype: object = None,
        **keywords: Any,  # noqa: ANN401 - any array
    ) -> Any:  # noqa: ANN401 - any array
        """Run the kernel and return its output, a tuple for several.

        Raises as the kernel does, and `ArgumentError` A001 or A011 for `out` and `dtype`.
        """
        given = dict(zip(self._inputs, args, strict=False))
        if len(args) > len(self._inputs) or given.keys() & keywords.keys():
            shown = ", ".join(self._inputs)
            raise ArgumentError("A001", f"the op {self.kernel.name} takes {shown}")
        given.update(keywords)
        results = self._allocated(given, dtype) if out is None else self._given(out)
        given.update(results)
        names = self.kernel.signature.names
        if len(given) == len(names) == self.kernel.signature.positional_count:
            self.kernel(*[given[name] for name in names])
        else:
            self.kernel(**given)
        made = tuple(results.values())
        return made[0] if len(made) == 1 else made

    def _given(self, out: Any) -> dict[str, Any]:  # noqa: ANN401 - any array
        listed = out if isinstance(out, tuple) else (out,)
        if len(listed) != len(self._outputs):
            message = f"the op has {len(self._outputs)} outputs, out= has {len(listed)}"
            raise ArgumentError("A011", message)
        return dict(zip(self._outputs, listed, strict=True))

    def _allocated(self, given: Mapping[str, Any], dtype: object) -> dict[str, Any]:
        sources = dict.fromkeys(described.view for described in self._outputs.values())
        missing = [name for name in sources if name not in given]
        if missing:
            raise ArgumentError("A001", f"missing a required argument: {missing[0]!r}")
        key = (dtype, *(arrays.signature(given[name]) for name in sorted(self._shapes_read())))
        results = self._results.get(key)
        if results is None:
            results = self._results[key] = self._describe(given, dtype)
        return {
            name: arrays.empty_like_framework(*result)
            for name, result in zip(self._outputs, results, strict=True)
        }

    def _shapes_read(self) -> set[str]:
        """Return the inputs whose layout decides what the outputs are."""
        read = {described.view for described in self._outputs.values()}
        for described in self._outputs.values():
            read.update(size[0] for size in described.shape or () if isinstance(size, tuple))
        return read

    def _describe(self, given: Mapping[str, Any], dtype: object) -> tuple[_Made, ...]:
        replaced = None if dtype is None else like("", dtype=dtype).dtype
        infos = {name: arrays.describe(given[name]) for name in self._shapes_read()}
        made = []
        for described in self._outputs.values():
            info = infos[described.view]
            shape = info.shape
            if described.shape is not None:
                shape = tuple(_extent(size, infos) for size in described.shape)
            dtype_name = replaced or described.dtype or info.dtype
            made.append((info.framework, shape, dtype_name, info.device))
        return tuple(made)


def _extent(size: Size, infos: Mapping[str, arrays.ArrayInfo]) -> int:
    """Return a dimension of an output; raises `ArgumentError` A011 for one that no input has."""
    if not isinstance(size, tuple):
        return size
    name, dim = size
    shape = infos[name].shape
    if not -len(shape) <= dim < len(shape):
        message = f"an output takes dimension {dim} of {name}, which has rank {len(shape)}"
        raise ArgumentError("A011", message)
    return shape[dim]


def _require_kernel(kernel: object, outputs: object) -> None:
    """Refuse what is no kernel, and outputs that `like` does not describe; A011."""
    if not isinstance(kernel, TileKernel):
        raise ArgumentError("A011", f"{kernel!r} is no kernel", hint="decorate a function first")
    if not isinstance(outputs, Mapping) or not outputs:
        raise ArgumentError("A011", f"{outputs!r} names no outputs", hint="map names to ct.like(…)")
    for name, described in outputs.items():
        if not isinstance(described, Like):
            message = f"output {name} is described by {described!r}"
            raise ArgumentError("A011", message, hint="describe it by ct.like")
