"""Calling a jitted function: arguments by kind, one trace a signature, then launches.

In: a Python function in NumPy's terms, then arrays and numbers.  Out: arrays of the first array's
framework.  Decides what an argument is: arrays are symbolic, Python floats are numbers that may
change from call to call, everything else is a constant of the trace.  Leaves what is computed
together to `certile.jitting.schedule`, and running it to `certile.ops.launch`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Hashable, Sequence
from contextlib import nullcontext
from typing import Any, Final, Literal, NamedTuple, get_args, overload

import numpy as np

from certile.diagnostics import ArgumentError, CertileError, KernelError, with_article
from certile.frontend.captures import Captures
from certile.frontend.signature import method_hint
from certile.frontend.spec import MathMode, typed_key
from certile.frontend.trace import unwrapped
from certile.ir.array_types import numpy_dtype
from certile.ir.dtypes import BY_NAME, DType
from certile.jitting import explain, functions
from certile.jitting.arrays import SymbolicArray
from certile.jitting.graph import Node, Number, Source, double, reachable
from certile.jitting.schedule import Schedule, Scheduler
from certile.jitting.trace import Cell, Trace, current, fault, tracing
from certile.language import active
from certile.ops import gradients
from certile.ops.launch import BoundCall, describe_scratch
from certile.records import record
from certile.runtime import arrays, dlpack
from certile.runtime import target as targets
from certile.runtime.arrays import ArrayInfo, probe_into, probe_made
from certile.settings import Target, call_state
from certile.source import Loc

__all__ = ["JitFunction", "jit"]

Array = Any

# Signatures that a function remembers; a program that meets more of them starts afresh.
_MOST_CALLS: Final = 1024

_TAKES: Final = "pass an array or a constant (docs/jit.md); what a global holds may be anything"

# What is told apart by its value, and may steer Python's control flow.
_CONSTANTS = (bool, int, complex, str, bytes, tuple, frozenset, type(None), type, np.dtype, DType)
# So are the dtypes of PyTorch and MLX, which are imported for nobody.
_DTYPE_CLASSES: Final = frozenset(("dtype", "Dtype"))


@record
class Traced:
    """What a function does for one signature.

    `results` are nodes, or the number of an argument that is returned as it is; `single` says
    whether they stand in no tuple, None that nothing is returned.  `writes` are arguments with
    their values at the end; `apart` pairs of arguments that must not share memory.  `numbers` are
    the Python floats by argument and dtype.
    """

    results: tuple[Node | int, ...]
    single: bool | None
    writes: tuple[tuple[int, Node], ...]
    apart: frozenset[tuple[int, int]]
    numbers: tuple[tuple[int, str], ...]
    captures: tuple[Captures, ...]

    def hold(self) -> bool:
        """Whether the function would read the same around itself again."""
        return all(each.hold() for each in self.captures)

    @property
    def computed(self) -> tuple[Node, ...]:
        """The results that are no arguments."""
        return tuple(each for each in self.results if isinstance(each, Node))


class _Slot(NamedTuple):
    """One argument: the number of an array or of a float, or a constant's value."""

    kind: Literal["array", "float", "constant"]
    value: Any


class _Arguments(NamedTuple):
    """The arguments of one call; `kinds` decide, with the arrays' signatures, what is computed."""

    arrays: list[Array]
    floats: list[float]
    slots: list[_Slot]
    named: dict[str, _Slot]
    kinds: list[Hashable]

    def infos(self) -> list[ArrayInfo]:
        """Return what is known of the arrays."""
        return list(map(arrays.describe, self.arrays))


class _Ready(NamedTuple):
    """A traced function bound to the layouts of one call."""

    run: Callable[[list[int]], None]
    make: tuple[Callable[[], Array], ...]
    scalars: tuple[bool, ...]
    recorded: bool


class _Known(NamedTuple):
    """What is remembered of a signature; `bound` by whether written arguments share memory."""

    traced: Traced
    bound: dict[bool, _Ready]


class JitFunction:
    """A function on arrays in NumPy's terms, compiled for the arguments that it is called with.

    Arrays are of NumPy, PyTorch or MLX, or objects with `__dlpack__`; results are of the first
    one's framework.  Errors in the function are `KernelError`s with its line.
    """

    def __init__(
        self, function: Callable[..., Any], math: MathMode | None, on: Target | None
    ) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.name: str = getattr(function, "__name__", type(function).__name__)
        self.math = math
        self.target = on
        self._code = unwrapped(function).__code__
        self._signature = inspect.signature(function)
        parameters = self._signature.parameters.values()
        plain = all(each.kind is each.POSITIONAL_OR_KEYWORD for each in parameters)
        # A call with so many positional arguments and nothing else needs no binding.
        self._count = len(parameters) if plain else -1
        self._traces: dict[Hashable, Traced] = {}
        self._calls: dict[Hashable, _Known] = {}

    def __reduce__(self) -> str:
        """Pickle as functions are, by name; so a deep copy is the function itself."""
        return unwrapped(self.function).__qualname__

    @property
    def traces(self) -> int:
        """How many signatures the function was run for, and is remembered for."""
        return len(self._traces)

    def __call__(self, *args: object, **keywords: object) -> Any:  # noqa: ANN401 - an array, or a tuple
        """Compute the results; inside another jitted function, as a part of it."""
        trace = current()
        if trace is not None:
            trace.captures.append(Captures(unwrapped(self.function)))
            return self.function(*args, **keywords)
        if active.current() is not None:
            message = f"jitted function {self.name} is called inside a kernel"
            raise KernelError("K031", message, loc=Loc.of_user())
        with nullcontext() if self.target is None else targets.target(self.target):
            return self._run(self._arguments(args, keywords))

    def explain(self, *args: object, **keywords: object) -> str:
        """Return what the launches of a call compute, as text; nothing is run or written."""
        given = self._arguments(args, keywords)
        traced = self._traced(given, self._described(given))
        outputs = [describe_scratch(node.shape, node.dtype.name) for node in traced.computed]
        inputs = (*given.arrays, *_numbers(traced, given))
        infos = [*map(arrays.describe, inputs), *outputs]
        shared = self._shared(traced, given)
        launches = self._schedule(traced, infos, len(inputs), shared).launches
        return explain.text(self.name, launches)

    def __repr__(self) -> str:
        return f"<jitted function {self.name}>"

    # ---- one call

    def _arguments(self, args: tuple[object, ...], keywords: dict[str, object]) -> _Arguments:
        given = _Arguments([], [], [], {}, [])
        if not keywords and len(args) == self._count:
            given.slots.extend(_slot(value, given) for value in args)
            return given
        try:
            bound = self._signature.bind(*args, **keywords)
        except TypeError as error:
            shown = f"{self.name}{self._signature}"
            hint = method_hint(self._signature.parameters)
            raise ArgumentError("A001", f"{error}; the function is {shown}", hint=hint) from None
        bound.apply_defaults()
        given.slots.extend(_slot(value, given) for value in bound.args)
        given.named.update({name: _slot(value, given) for name, value in bound.kwargs.items()})
        if bound.kwargs:
            given.kinds.append(tuple(bound.kwargs))
        return given

    def _run(self, given: _Arguments) -> Any:  # noqa: ANN401 - an array, or a tuple
        key: list[Hashable] = [targets.chosen.name, call_state(), tuple(given.kinds)]
        addresses: list[int] = []
        try:
            probe_into(given.arrays, key, addresses)
        except CertileError:
            self._refuse(given)
            raise
        whole = tuple(key)
        known = self._calls.get(whole)
        if known is None or not known.traced.hold():
            known = self._remember(whole, given)
        traced = known.traced
        shared = len(given.arrays) > 1 and bool(traced.writes) and self._shared(traced, given)
        ready = known.bound.get(shared)
        if ready is None:
            ready = known.bound[shared] = self._bind(traced, given, shared)
        outputs = tuple(make() for make in ready.make)
        # Held by a name: an address keeps no memory of NumPy's alive.
        numbers = _numbers(traced, given)
        probe_made((*numbers, *outputs), [], addresses)
        ready.run(addresses)
        if ready.recorded:
            outputs = gradients.recorded(self.name, outputs, tuple(given.arrays))
        return _returned(traced, ready, given, outputs)

    def _described(self, given: _Arguments) -> list[ArrayInfo]:
        """Return what is known of the arrays; what cannot be taken is named."""
        try:
            return given.infos()
        except CertileError:
            self._refuse(given)
            raise

    def _refuse(self, given: _Arguments) -> None:
        """Raise for the first array that cannot be read, with the name of its parameter."""
        names = [
            each.name
            for each in self._signature.parameters.values()
            if each.kind not in (each.KEYWORD_ONLY, each.VAR_KEYWORD)
        ]
        # All that come last may be of one parameter, `*rest`.
        placed = [(names[min(at, len(names) - 1)], slot) for at, slot in enumerate(given.slots)]
        for name, slot in (*placed, *given.named.items()):
            if slot.kind != "array":
                continue
            value = given.arrays[slot.value]
            try:
                arrays.describe_argument(value, name)
            except ArgumentError as error:
                if error.code != "A201" or dlpack.lends(value):
                    raise
                shown = with_article(type(value).__name__)
                message = f"argument {name} is {shown}, neither an array nor a constant"
                raise ArgumentError("A201", message, hint=_TAKES) from None

    def _remember(self, key: Hashable, given: _Arguments) -> _Known:
        if len(self._calls) >= _MOST_CALLS:
            self._calls.clear()
        infos = self._described(given)
        made = self._calls[key] = _Known(self._traced(given, infos), {})
        return made

    def _shared(self, traced: Traced, given: _Arguments) -> bool:
        """Whether an argument that is written shares memory with another one.

        Raises `ArgumentError` A005 where that would be seen, because NumPy's views would show in
        one what was written to the other.
        """
        infos = given.infos()
        found = False
        for written, _ in traced.writes:
            for other, info in enumerate(infos):
                if other == written or arrays.overlap(infos[written], info) == "none":
                    continue
                if {(written, other), (other, written)} & traced.apart:
                    raise ArgumentError(
                        "A005",
                        f"{self.name} writes to an argument that shares memory with one used later",
                        hint="pass a copy of one of them",
                    )
                found = True
        return found

    def _bind(self, traced: Traced, given: _Arguments, shared: bool) -> _Ready:
        """Bind what the function does to the layouts of this call."""
        infos = given.infos()
        for at, _ in traced.writes:
            arrays.check_output(infos[at], f"an argument of {self.name}")
        framework, device = (infos[0].framework, infos[0].device) if infos else ("numpy", "cpu")
        make = tuple(
            arrays.maker(framework, node.shape, node.dtype.name, device) for node in traced.computed
        )
        outputs = [made() for made in make]
        # Once more, now that the results have memory: what an exporter lent to be described may
        # have been given back, and have become a result's.
        infos = given.infos()
        numbers = _numbers(traced, given)
        everything = [*infos, *(arrays.describe(array) for array in (*numbers, *outputs))]
        count = len(infos) + len(numbers)
        schedule = self._schedule(traced, everything, count, shared)
        scratch = [
            describe_scratch(each.shape, each.dtype, everything[0]) for each in schedule.scratch
        ]
        filled = (0,) * len(outputs)
        bound = BoundCall(self.name, everything, count, schedule.launches, filled, scratch)
        scalars = tuple(framework == "numpy" and not node.shape for node in traced.computed)
        recorded = any(info.requires_grad for info in infos)
        return _Ready(bound.run, make, scalars, recorded)

    def _schedule(
        self, traced: Traced, infos: Sequence[ArrayInfo], count: int, shared: bool
    ) -> Schedule:
        """Return the launches; the first `count` arrays are the call's, numbers last."""
        first = count - len(traced.numbers)
        numbers = {number: first + at for at, number in enumerate(traced.numbers)}
        results = [(node, count + at) for at, node in enumerate(traced.computed)]
        writes = [(node, at) for at, node in traced.writes]
        return Scheduler(infos, numbers, self.math).run(results, writes, shared=shared)

    # ---- tracing

    def _traced(self, given: _Arguments, infos: Sequence[ArrayInfo]) -> Traced:
        layout = tuple((info.dtype, info.shape, info.framework) for info in infos)
        key = (tuple(given.kinds), layout)
        known = self._traces.get(key)
        if known is None or not known.hold():
            if len(self._traces) >= _MOST_CALLS:
                self._traces.clear()
            known = self._traces[key] = self._trace(given, infos)
        return known

    def _trace(self, given: _Arguments, infos: Sequence[ArrayInfo]) -> Traced:
        """Run the function once on symbolic arrays."""
        trace = Trace(self._code, infos[0].framework if infos else "numpy", functions)
        cells = [
            Cell(trace, Source(shape=i.shape, dtype=BY_NAME[i.dtype], position=at), at)
            for at, i in enumerate(infos)
        ]
        # Before the run: a function that changes what it reads is run again at the next call.
        captures = Captures(unwrapped(self.function))
        with tracing(trace):
            args = [_symbolic(slot, trace, cells) for slot in given.slots]
            named = {name: _symbolic(slot, trace, cells) for name, slot in given.named.items()}
            results, single = _results(self.name, self.function(*args, **named), trace)
        writes = tuple(
            (cell.parameter, cell.value) for cell in trace.written if cell.parameter is not None
        )
        roots = [node for node in results if isinstance(node, Node)]
        made = reachable([*roots, *(node for _, node in writes)])
        numbers = {(n.argument, n.dtype.name) for n in made if isinstance(n, Number)}
        return Traced(
            results=results,
            single=single,
            writes=writes,
            apart=frozenset(trace.apart),
            numbers=tuple(sorted(numbers)),
            captures=(captures, *trace.captures),
        )


@overload
def jit(function: Callable[..., Any], /) -> JitFunction:
    """Make a jitted function of a Python function, with the default options."""


@overload
def jit(
    *, math: MathMode | None = None, target: Target | None = None
) -> Callable[[Callable[..., Any]], JitFunction]:
    """Return a decorator that makes jitted functions with these options."""


def jit(
    function: Callable[..., Any] | None = None,
    /,
    *,
    math: MathMode | None = None,
    target: Target | None = None,
) -> JitFunction | Callable[[Callable[..., Any]], JitFunction]:
    """Compile a function of arrays in NumPy's terms; used as `@jit` or `@jit(math="fast")`.

    `math` is "precise" (the default, or CERTILE_MATH), "fast" or "portable"; `target` names where
    calls run, as `ct.target` does.  The function takes arrays, Python floats, which may change from
    call to call, and constants (int, bool, str, None, tuples of such, dtypes), for whose values it
    is compiled.  It returns an array or a tuple of arrays, or None if it writes to arguments.

    Raises `ArgumentError` A009 for other options.  A call raises `KernelError` at the function's
    line for what cannot be computed (K050 to K053 and those of the language), `ArgumentError` for
    arguments that do not fit.
    """
    if math not in (None, "precise", "fast", "portable"):
        raise ArgumentError("A009", f"math={math!r}", hint='use "precise", "fast" or "portable"')
    if target is not None and target not in get_args(Target):
        hint = f"use one of {', '.join(get_args(Target))}"
        raise ArgumentError("A009", f"{target!r} is no target", hint=hint)
    if function is not None:
        return JitFunction(function, math, target)
    return lambda decorated: JitFunction(decorated, math, target)


def _slot(value: Any, given: _Arguments) -> _Slot:  # noqa: ANN401 - any argument
    """Sort an argument by its kind, and note what of it decides the trace."""
    if type(value) is float:
        given.kinds.append("float")
        given.floats.append(value)
        return _Slot("float", len(given.floats) - 1)
    if _is_constant(value):
        given.kinds.append(typed_key(value))
        return _Slot("constant", value)
    # What is no array is refused by name where arrays are read.
    given.kinds.append("array")
    given.arrays.append(np.asarray(value) if isinstance(value, np.generic) else value)
    return _Slot("array", len(given.arrays) - 1)


def _is_constant(value: object) -> bool:
    if isinstance(value, tuple | frozenset):
        return all(_is_constant(each) or type(each) is float for each in value)
    if isinstance(value, _CONSTANTS):
        return not isinstance(value, np.generic)
    return type(value).__name__ in _DTYPE_CLASSES


def _symbolic(slot: _Slot, trace: Trace, cells: Sequence[Cell]) -> object:
    if slot.kind == "array":
        return SymbolicArray(cells[slot.value])
    if slot.kind == "float":
        return SymbolicArray(Cell(trace, double(slot.value)), weak=True)
    return slot.value


def _results(
    name: str, returned: object, trace: Trace
) -> tuple[tuple[Node | int, ...], bool | None]:
    """Return the results, and whether they stand in no tuple; None for no results."""
    if returned is None:
        if not trace.written:
            hint = "return an array, or write to an argument"
            raise fault("K051", f"{name} returns nothing and writes nothing", hint=hint)
        return (), None
    single = not isinstance(returned, tuple)
    found: list[Node | int] = []
    for each in returned if isinstance(returned, tuple) else (returned,):
        if not isinstance(each, SymbolicArray):
            hint = "return an array or a tuple of arrays"
            raise fault("K051", f"{name} returns {with_article(type(each).__name__)}", hint=hint)
        whole = each.parameter if each.shape else None
        found.append(each.node() if whole is None else whole)
    if single is False and not found:
        raise fault("K051", f"{name} returns an empty tuple", hint="return at least one array")
    return tuple(found), single


def _numbers(traced: Traced, given: _Arguments) -> list[Array]:
    """Return the floats of a call as arrays, each rounded once to the dtype that it takes."""
    with np.errstate(over="ignore"):
        return [
            np.array(given.floats[argument], numpy_dtype(dtype))
            for argument, dtype in traced.numbers
        ]


def _returned(traced: Traced, ready: _Ready, given: _Arguments, outputs: Sequence[Array]) -> Any:  # noqa: ANN401 - an array, or a tuple
    if traced.single is None:
        return None
    made = iter(
        # NumPy gives scalars where a result has no axes.
        array[()] if scalar else array
        for array, scalar in zip(outputs, ready.scalars, strict=True)
    )
    results = tuple(
        given.arrays[each] if isinstance(each, int) else next(made) for each in traced.results
    )
    return results[0] if traced.single else results
