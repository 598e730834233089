"""Calling an operation: from the caller's arrays to launches, by one look-up.

In: the arrays and options of a call.  Out: results in the caller's framework.  Decides what is
remembered (everything that follows from signatures and options), when outputs are allocated, and
that an output may be the very array of an input but may not overlap one otherwise.  Leaves to each
operation which results and launches a call has, and preparing and running a launch to
`certile.runtime`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, Final, Protocol

import numpy as np

from certile.diagnostics import ArgumentError, CertileError, UnsupportedError
from certile.ops import checks, gradients
from certile.ops.launch import BoundCall, Launch, describe_scratch
from certile.records import record
from certile.runtime import arrays
from certile.runtime.arrays import ArrayInfo, probe_into
from certile.runtime.inspected import Inspection
from certile.runtime.target import chosen
from certile.settings import call_state

Array = Any
Number = bool | int | float

# Signatures that an operation remembers; a program that meets more of them starts afresh.
_MOST_CALLS: Final = 4096

# Makes results of inputs and outputs; the flag says that the caller brought the outputs.
_Finish = Callable[[tuple[Array, ...], tuple[Array, ...], bool], Any]
_Makers = tuple[Callable[[], Array], ...]
_Known = tuple[Callable[[list[int]], None], _Finish | None]


@record
class Result:
    """One result: its shape and dtype, and its value where it has one without any launch.

    A result without elements needs no launch either, and no value.  `order` names its dimensions as
    they are to follow each other in memory, the outermost first; None means C order.
    """

    shape: tuple[int, ...]
    dtype: str
    value: Number | None = None
    order: tuple[int, ...] | None = None

    @property
    def fill(self) -> Number | None:
        """What to fill the result with instead of a launch; None where one has to make it."""
        return 0 if self.value is None and 0 in self.shape else self.value


class Recipe(Protocol):
    """What an operation says about a call whose inputs and options are known."""

    def results(self, inputs: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        """Check the inputs and return what the results are."""

    def scratch(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        """Return what memory the launches pass to each other; it follows the outputs."""
        return ()

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        """Return the launches for inputs, outputs and scratch; not asked if results have values."""

    def inspection(self, arrays: tuple[ArrayInfo, ...]) -> Inspection | None:
        """Return which integers among inputs and outputs the only launch takes on trust.

        Those that lie on a device are checked by the operation itself.
        """
        return None


class Operation:
    """One operation: it makes a recipe from its options and remembers what followed from it."""

    def __init__(self, name: str, recipe: Callable[..., Recipe]) -> None:
        self.name = name
        self._recipe = recipe
        self._allocators: dict[Hashable, _Makers] = {}
        self._calls: dict[Hashable, _Known] = {}
        # The last call, and the last without outputs: comparing keys is cheaper than hashing one.
        self._last: tuple[list[Hashable], _Known | None] = ([], None)
        self._made: tuple[list[Hashable], _Makers | None] = ([], None)

    def __call__(
        self,
        inputs: tuple[Array, ...],
        out: Array | tuple[Array, ...] | None,
        options: tuple[Any, ...],
    ) -> Any:  # noqa: ANN401 - an array, or a tuple
        """Compute the results of `inputs` under `options`, in `out` if it is given.

        One result is returned as it is, several as a tuple.  A scalar of NumPy counts as an array
        without dimensions.
        """
        # All in one function: each call of another is a tenth of a microsecond.
        try:
            key: list[Hashable] = [options, chosen.name, call_state()]
            addresses: list[int] = []
            if out is None:
                probe_into(inputs, key, addresses)
                outputs = self._allocate(key, inputs, options)
                probe_into(outputs, key, addresses, True)
            elif type(out) is tuple:
                outputs = out
                probe_into((*inputs, *out), key, addresses)
                # Of the usual two, a comparison tells it.
                if len(out) != 2 or addresses[-1] == addresses[-2]:
                    self._require_different(addresses[len(inputs) :])
            else:
                outputs = (out,)
                probe_into((*inputs, out), key, addresses)
            before, known = self._last
            if known is None or key != before:
                whole = tuple(key)
                known = self._calls.get(whole) or self._prepare(whole, inputs, outputs, options)
                self._last = (key, known)
            run, finish = known
            run(addresses)
            return outputs[0] if finish is None else finish(inputs, outputs, out is not None)
        except (ArgumentError, UnsupportedError) as error:
            refused = self._refused(error, inputs, out)
        except (TypeError, ValueError):  # of a hash, or of comparing with an array
            checks.require_plain(self.name, options)
            raise
        if refused is not None:
            raise refused
        return self(tuple(map(_as_array, inputs)), out, options)

    def _require_different(self, addresses: list[int]) -> None:
        """Refuse outputs that are one: two results cannot both stand there.

        A kernel may store twice to one view, and takes them.
        """
        if len(set(addresses)) < len(addresses):
            raise ArgumentError("A005", f"two outputs of {self.name} are the same array")

    def _refused(
        self, error: ArgumentError | UnsupportedError, inputs: tuple[Array, ...], out: Array
    ) -> CertileError | None:
        """Return the error of a call, with the array that is none; None for scalars of NumPy."""
        if isinstance(error, ArgumentError) and any(isinstance(x, np.generic) for x in inputs):
            return None
        outputs = () if out is None else out if isinstance(out, tuple) else (out,)
        if len(inputs) + len(outputs) == 1:
            return error
        places = [f"array {number}" for number in range(1, len(inputs) + 1)]
        places += ["out"] if len(outputs) == 1 else [f"out[{at}]" for at in range(len(outputs))]
        for place, array in zip(places, (*inputs, *outputs), strict=True):
            try:
                arrays.describe(array)
            except CertileError as own:
                if own.code == error.code:
                    return error.noted(f"{place} of {self.name}")
        return error

    def _allocate(
        self, key: list[Hashable], inputs: tuple[Array, ...], options: tuple[Any, ...]
    ) -> tuple[Array, ...]:
        """Return uninitialised outputs in the framework of the first input."""
        before, makers = self._made
        if makers is None or key != before:
            whole = tuple(key)
            makers = self._allocators.get(whole)
            if makers is None:
                infos = tuple(arrays.describe(array) for array in inputs)
                results = self._recipe(*options).results(infos)
                makers = tuple(_maker(infos[0], each) for each in results)
                self._allocators[whole] = makers
            # A copy: the caller's key grows.
            self._made = (list(key), makers)
        return tuple([make() for make in makers])

    def _prepare(
        self,
        key: Hashable,
        inputs: tuple[Array, ...],
        outputs: tuple[Array, ...],
        options: tuple[Any, ...],
    ) -> _Known:
        """Check the call and return what runs it and what makes results of its outputs."""
        bound = self._bind((*inputs, *outputs), len(inputs), options)
        infos = [arrays.describe(array) for array in (*inputs, *outputs)]
        if len(self._calls) >= _MOST_CALLS:
            self._calls.clear()
            self._allocators.clear()
        made = self._calls[key] = (bound.run, self._finish(infos, len(inputs), bound.unfilled))
        return made

    def _bind(
        self, everything: tuple[Array, ...], count: int, options: tuple[Any, ...]
    ) -> BoundCall:
        """Check all arrays and return what runs the launches."""
        recipe = self._recipe(*options)
        checks.require_flags(self.name, recipe)
        infos = tuple(arrays.describe(array) for array in everything)
        results = recipe.results(infos[:count])
        outputs = infos[count:]
        if len(outputs) != len(results):
            raise ArgumentError(
                "A306", f"{self.name} has {len(results)} results; out has {len(outputs)}"
            )
        for result, info in zip(results, outputs, strict=True):
            checks.require_output(self.name, info, result.shape, result.dtype)
            arrays.check_output(info, "out")
        values = tuple(result.fill for result in results)
        inspection = recipe.inspection(infos)
        if None not in values:
            return BoundCall(self.name, infos, count, (), values, inspection=inspection)
        scratch = [
            describe_scratch(each.shape, each.dtype, infos[0]) for each in recipe.scratch(infos)
        ]
        launches = recipe.launches((*infos, *scratch))
        return BoundCall(self.name, infos, count, launches, values, scratch, inspection)

    def _finish(
        self, infos: list[ArrayInfo], count: int, unfilled: tuple[Number | None, ...]
    ) -> _Finish | None:
        """Return what makes results of outputs; None where the one output is the result."""
        recorded = any(info.framework == "torch" and info.requires_grad for info in infos[:count])
        scalar = infos[count].framework == "numpy" and infos[count].shape == ()
        if not recorded and not unfilled and not scalar:
            return None if len(infos) == count + 1 else _as_they_are
        if not recorded and not unfilled and len(infos) == count + 1:
            return _as_scalar
        name = f"certile.ops.{self.name}"

        def finish(inputs: tuple[Array, ...], outputs: tuple[Array, ...], given: bool) -> Any:  # noqa: ANN401 - an array, or a tuple
            for output, value in zip(outputs, unfilled, strict=False):
                output.fill_(value)  # only tensors have a device of their own
            if recorded:
                outputs = gradients.recorded(name, outputs, inputs)
            if scalar and not given:
                outputs = tuple(array[()] for array in outputs)
            return outputs[0] if len(outputs) == 1 else outputs

        return finish


def _maker(first: ArrayInfo, result: Result) -> Callable[[], Array]:
    """Return what makes an uninitialised array of the first framework for a result."""
    described = (first.framework, result.shape, result.dtype, first.device)
    if result.order is None:
        return partial(arrays.empty_like_framework, *described)
    return partial(arrays.empty_in_order, *described, result.order)


def _as_they_are(inputs: tuple[Array, ...], outputs: tuple[Array, ...], given: bool) -> Any:  # noqa: ANN401 - a tuple
    return outputs


def _as_scalar(inputs: tuple[Array, ...], outputs: tuple[Array, ...], given: bool) -> Any:  # noqa: ANN401 - an array or a number
    # NumPy's own reductions give scalars, not arrays of rank 0.
    return outputs[0] if given else outputs[0][()]


def _as_array(value: Array) -> Array:
    return np.asarray(value) if isinstance(value, np.generic) else value
