"""Calling an operation: from the caller's arrays to launches, by one look-up.

In: the arrays and options of a call.  Out: results in the caller's framework.  Decides what is
remembered (everything that follows from signatures and options), when outputs are allocated, and
that an output may be the very array of an input but may not overlap one otherwise.  Leaves to each
operation which results and launches a call has, and preparing and running a launch to
`certile.runtime`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from certile.diagnostics import ArgumentError, CertileError, UnsupportedError
from certile.ops import checks, gradients
from certile.ops.launch import BoundCall, Launch, describe_scratch
from certile.records import record
from certile.runtime import alike, arrays
from certile.runtime.arrays import ArrayInfo, probe_into, probe_made
from certile.runtime.arrays import address as locate
from certile.runtime.inspected import Inspection
from certile.runtime.target import chosen
from certile.settings import call_state

Array = Any
Number = bool | int | float

# Signatures that an operation remembers; a program that meets more of them starts afresh.
_MOST_CALLS: Final = 4096
# Alignments of its arrays that a call remembers, and calls alike in all that a signature says.
_MOST_PLACES: Final = 4096
_MOST_ALIKE: Final = 4
# Of so many calls that nothing knew, one is tried to be known.
_TRIED: Final = 64

# Makes results of inputs and outputs; the flag says that the caller brought the outputs.
_Finish = Callable[[tuple[Array, ...], tuple[Array, ...], bool], Any]
_Makers = tuple[Callable[[], Array], ...]
# What runs a call, given the addresses of its arrays.
_Known = tuple[Callable[[list[int]], None], _Finish | None]
# All that a call depends on but its arrays: options, the thread's target, the settings.
_Now = tuple[tuple[Any, ...], str | None, tuple[object, ...]]


class _Memory(NamedTuple):
    """A call, for the next: what it depended on, and what is known of others like it.

    `again` knows the arrays that the caller gives, without alignment; what to run is found by the
    place of all arrays (`_place`).  Without `makers` the outputs are given.
    """

    before: _Now | None
    again: alike.Again
    makers: _Makers
    known: dict[int, _Known]


# Of a call whose arrays nothing knows again.
_NOTHING: Final = _Memory(None, alike.never, (), {})


class _Signature:
    """What is known of calls by the whole signature of the arrays that the caller gives.

    `known` finds what to run by the signatures of the outputs that are made.
    """

    __slots__ = ("_memories", "_missed", "known", "makers")

    def __init__(self, makers: _Makers) -> None:
        self.makers = makers
        self.known: dict[Hashable, _Known] = {}
        self._memories: tuple[_Memory, ...] = ()
        self._missed = 0

    def memory(self, now: _Now, arrays: tuple[Array, ...]) -> _Memory | None:
        """Return the memory that knows these arrays again, a new one if that may be worth it.

        One signature has several where an output is an input in some calls only.
        """
        missed = self._missed = self._missed + 1
        # Where calls take turns, or nothing knows the arrays, to try costs more than it saves.
        if missed % _TRIED and missed > _MOST_ALIKE:
            return None
        for memory in self._memories:
            if memory.again(arrays) is not None:
                return memory
        again = alike.of(arrays)
        if again is alike.never:
            return None
        memory = _Memory(now, again, self.makers, {})
        self._memories = (memory, *self._memories[: _MOST_ALIKE - 1])
        return memory


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
        self._signatures: dict[Hashable, _Signature] = {}
        self._calls: dict[Hashable, _Known] = {}
        # The last signature without outputs, and with: comparing keys is cheaper than hashing one.
        self._last: list[tuple[list[Hashable], _Signature | None]] = [([], None), ([], None)]
        # The last call without outputs, and the last with: few questions tell that one is like it.
        self._made = self._given = _NOTHING

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
            known, now = None, (options, chosen.name, call_state())
            if out is None:
                outputs: tuple[Array, ...] = ()
                before, again, makers, others = self._made
                addresses = again(inputs) if now == before else None
                if addresses is not None:
                    outputs = tuple([make() for make in makers])
                    addresses += map(locate, outputs)
            else:
                outputs = out if type(out) is tuple else (out,)
                before, again, _, others = self._given
                addresses = again(inputs + outputs) if now == before else None
            # A storage of PyTorch that was given back lies at 0.
            if addresses is not None and all(addresses):
                known = others.get(_place(addresses))
            if addresses is None or known is None:
                like = None if addresses is None else others
                known, outputs, addresses = self._look_up(now, inputs, outputs, out, like)
            # Of the usual two, a comparison tells it.
            if len(outputs) > 1 and (len(outputs) > 2 or addresses[-1] == addresses[-2]):
                self._require_different(outputs, addresses[len(inputs) :])
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

    def _look_up(
        self,
        now: _Now,
        inputs: tuple[Array, ...],
        outputs: tuple[Array, ...],
        out: Array | tuple[Array, ...] | None,
        like: dict[int, _Known] | None,
    ) -> tuple[_Known, tuple[Array, ...], list[int]]:
        """Return what is known of a call by its signatures, its outputs and its addresses.

        It is remembered for calls like this one: in `like` if the last call that was known is such
        a one, else once a signature is repeated, as to know arrays again costs more than to ask.
        """
        given = out is not None
        arrays = inputs + outputs if given else inputs
        key: list[Hashable] = [given, *now]
        addresses: list[int] = []
        probe_into(arrays, key, addresses)
        before, signature = self._last[given]
        repeated = key == before
        if signature is None or not repeated:
            whole = tuple(key)
            signature = self._signatures.get(whole) or self._sign(whole, inputs)
            self._last[given] = key, signature
        rest: tuple[Hashable, ...] = ()
        if not given:
            made: list[Hashable] = []
            outputs = outputs or tuple([make() for make in signature.makers])
            probe_made(outputs, made, addresses)
            rest = tuple(made)
        known = signature.known.get(rest)
        if known is None:
            known = self._prepare((*key[1:], *rest), inputs, outputs, now[0])
            signature.known[rest] = known
        if like is None:
            memory = signature.memory(now, arrays) if repeated else None
            if given:
                self._given = memory or _NOTHING
            else:
                self._made = memory or _NOTHING
            like = memory and memory.known
        if like is not None:
            if len(like) >= _MOST_PLACES:
                like.clear()
            like[_place(addresses)] = known
        return known, outputs, addresses

    def _require_different(self, outputs: tuple[Array, ...], addresses: list[int]) -> None:
        """Refuse outputs that are one: two results cannot both stand there.

        A kernel may store twice to one view, and takes them.
        """
        if len(set(addresses)) == len(addresses):
            return
        # Those without elements may lie anywhere, tensors all at 0.
        filled = [at for x, at in zip(outputs, addresses, strict=True) if arrays.describe(x).size]
        if len(set(filled)) < len(filled):
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

    def _sign(self, key: tuple[Any, ...], inputs: tuple[Array, ...]) -> _Signature:
        """Remember a key: whether outputs are given, all of `_Now`, the signatures of arrays."""
        given, options = key[:2]
        makers: _Makers = ()
        if not given:
            # Uninitialised outputs, in the framework of the first input.
            infos = tuple(arrays.describe(array) for array in inputs)
            results = self._recipe(*options).results(infos)
            makers = tuple(_maker(infos[0], each) for each in results)
        if len(self._signatures) >= _MOST_CALLS:
            self._signatures.clear()
        signature = self._signatures[key] = _Signature(makers)
        return signature

    def _prepare(
        self,
        key: Hashable,
        inputs: tuple[Array, ...],
        outputs: tuple[Array, ...],
        options: tuple[Any, ...],
    ) -> _Known:
        """Return what runs a call and what makes results of its outputs, checked the first time."""
        known = self._calls.get(key)
        if known is None:
            bound = self._bind((*inputs, *outputs), len(inputs), options)
            infos = [arrays.describe(array) for array in (*inputs, *outputs)]
            if len(self._calls) >= _MOST_CALLS:
                self._calls.clear()
                self._signatures.clear()
            finish = self._finish(infos, len(inputs), bound.unfilled)
            known = self._calls[key] = (bound.run, finish)
        return known

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


def _place(addresses: list[int]) -> int:
    """Return the places of arrays in their lines, six bits each."""
    place = 0
    for address in addresses:
        place = place << 6 | address & 63
    return place


def _maker(first: ArrayInfo, result: Result) -> Callable[[], Array]:
    """Return what makes an uninitialised array of the first framework for a result."""
    return arrays.maker(first.framework, result.shape, result.dtype, first.device, result.order)


def _as_they_are(inputs: tuple[Array, ...], outputs: tuple[Array, ...], given: bool) -> Any:  # noqa: ANN401 - a tuple
    return outputs


def _as_scalar(inputs: tuple[Array, ...], outputs: tuple[Array, ...], given: bool) -> Any:  # noqa: ANN401 - an array or a number
    # NumPy's own reductions give scalars, not arrays of rank 0.
    return outputs[0] if given else outputs[0][()]


def _as_array(value: Array) -> Array:
    return np.asarray(value) if isinstance(value, np.generic) else value
