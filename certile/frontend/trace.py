"""Running a kernel's function once, on stand-ins, to get its Tile IR.

In: a Python function and a `KernelSpec`.  Out: a `Traced`: the kernel, and the extents it took as
numbers.  Decides nothing about the machine.  Leaves to the caller when an earlier trace still
holds (`certile.frontend.captures`).  An exception in the function leaves nothing behind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

from certile.diagnostics import KernelError, with_article
from certile.frontend.bind import IMPLEMENTATIONS
from certile.frontend.handles import TileHandle, ViewHandle
from certile.frontend.loops import left_early
from certile.frontend.spec import ArgumentSpec, ConstantSpec, KernelSpec, ScalarSpec, ViewSpec
from certile.frontend.state import Specialised, State
from certile.ir.functions import FLOAT_TESTS
from certile.ir.tile import (
    ORDERED_POLICIES,
    Effect,
    ExtentValue,
    Kernel,
    Load,
    Map,
    Memory,
    Parallel,
    Reduce,
    Scalar,
    ScalarArg,
    Serial,
    Store,
    effects,
)
from certile.ir.tile import View as IrView
from certile.ir.types import Dim, TileType
from certile.ir.walk import axes_of, values
from certile.language import active
from certile.records import record
from certile.source import Loc

_ORDERED = (*ORDERED_POLICIES, "reproducible")


@record
class Traced:
    """A traced kernel and the extents its code took as numbers; it holds for equal ones only."""

    kernel: Kernel
    specialised: tuple[Specialised, ...]

    def holds_for(self, shapes: Mapping[str, Sequence[int]]) -> bool:
        """Whether the trace is right for arguments of these shapes."""
        return all(shapes[s.dim.view][s.dim.dim] == s.value for s in self.specialised)


class Recorder:
    """The active trace: it passes each call of the language on to its implementation."""

    def __init__(self, state: State) -> None:
        self.state = state

    def call(self, name: str, /, *args: object, **options: object) -> Any:  # noqa: ANN401 - what the function gives
        """Carry out the language function `name`."""
        return IMPLEMENTATIONS[name](self.state, *args, **options)


def trace(
    function: Callable[..., object],
    spec: KernelSpec,
    shapes: Mapping[str, Sequence[int]] | None = None,
) -> Traced:
    """Run `function` once on stand-ins of the kinds in `spec` and return its Tile IR.

    `shapes` are the shapes of the view arguments of this call; they are read only where the code
    makes an extent a number.  Raises `KernelError` for a kernel that is wrong; whatever else the
    function raises passes through.
    """
    code = unwrapped(function).__code__
    if active.current() is not None:
        message = f"kernel {code.co_name} is launched inside a kernel"
        raise KernelError("K031", message, loc=Loc.of_user())
    state = State(code, shapes)
    arguments = {name: _stand_in(state, name, each) for name, each in spec.arguments}
    try:
        with active.activate(Recorder(state)):
            positional = list(arguments)[: code.co_posonlyargcount]
            first = [arguments.pop(name) for name in positional]
            _check_end(state, function(*first, **arguments))
    finally:
        for region in state.regions:
            region.open = False
    kernel = Kernel(
        name=re.sub(r"[^A-Za-z0-9_]+", "_", code.co_name).strip("_") or "kernel",
        params=tuple(_params(spec)),
        memories=tuple(state.memories),
        body=tuple(state.top.body),
        math=spec.math,
        rewrites=spec.rewrites,
    )
    _check_origin(kernel)
    for launch in kernel.body:
        _check_memories((launch,), set())
    if spec.math == "fast":
        _check_fast(kernel)
    return Traced(kernel, tuple(state.specialised.values()))


def unwrapped(function: Callable[..., object]) -> FunctionType:
    """Return the Python function itself; raises `KernelError` K026 when there is none."""
    inner = getattr(function, "__wrapped__", function)
    if not isinstance(inner, FunctionType):
        message = f"{with_article(type(function).__name__)} is not a Python function"
        hint = "write it with def, and call other functions in its body"
        raise KernelError("K026", message, loc=Loc.of_user(), hint=hint)
    return inner


def _stand_in(state: State, name: str, spec: ArgumentSpec) -> object:
    match spec:
        case ViewSpec():
            return ViewHandle(IrView(name, spec.dtype, spec.rank))
        case ScalarSpec():
            node = ScalarArg(name=name, type=TileType(spec.dtype), loc=state.top.loc)
            return TileHandle(node, state.top, spec.weak)
        case ConstantSpec():
            return spec.value


def _params(spec: KernelSpec) -> list[IrView | Scalar]:
    params: list[IrView | Scalar] = []
    for name, each in spec.arguments:
        if isinstance(each, ViewSpec):
            params.append(IrView(name, each.dtype, each.rank))
        elif isinstance(each, ScalarSpec):
            params.append(Scalar(name, each.dtype))
    return params


def _check_end(state: State, returned: object) -> None:
    if state.region is not state.top:
        raise left_early(state, state.region)
    if returned is not None:
        shown = with_article(type(returned).__name__)
        message = f"the kernel returns {shown}; it gives results by storing"
        raise state.fault("K027", message, loc=state.top.loc)
    if not any(isinstance(step, Store) for step in effects(tuple(state.top.body))):
        raise state.fault("K034", "the kernel stores nothing", loc=state.top.loc)


def _check_origin(kernel: Kernel) -> None:
    """Refuse views, memories and lengths that are none of this kernel's: K032.

    Effects come first, as an index may be a node that was interned at a line of the other kernel.
    """
    own = {*kernel.params, *kernel.memories}
    known = {Dim(view.name, k) for view in kernel.views for k in range(view.rank)}
    for at in (*effects(kernel.body), *values(kernel)):
        kept: list[object] = []
        if isinstance(at, Load | Store) and at.buffer not in own:
            kept.append(at.buffer.name)
        lengths = [axis.extent for axis in axes_of(at)]
        if isinstance(at, ExtentValue):
            lengths.append(at.extent)
        kept += [length for length in lengths if isinstance(length, Dim) and length not in known]
        if kept:
            message = f"{kept[0]} was kept from an earlier run of a kernel"
            hint = "make views, axes and tiles from the arguments of this run"
            raise KernelError("K032", message, loc=at.loc, hint=hint)


def _check_memories(body: Sequence[Effect], filled: set[Memory]) -> None:
    """Refuse a memory that is read before its instance stores to it: it starts without values.

    `filled` are those stored to before `body`; those that `body` stores to are added.
    """
    for step in body:
        match step:
            case Load(buffer=Memory() as memory) if memory not in filled:
                message = "a memory is read that its instance has not stored to"
                hint = "store to it first"
                raise KernelError("K092", message, loc=step.loc, hint=hint)
            case Store(buffer=Memory() as memory):
                filled.add(memory)
            case Parallel():
                _check_memories(step.body, filled)
            case Serial():
                # What a later line fills holds a value from the second iteration on.
                stores = (inner for inner in effects(step.body) if isinstance(inner, Store))
                filled.update(s.buffer for s in stores if isinstance(s.buffer, Memory))
                _check_memories(step.body, filled)
            case _:
                pass


def _check_fast(kernel: Kernel) -> None:
    """Refuse fast math where it may change what the kernel tests or promises."""
    for at in values(kernel):
        tested = isinstance(at, Map) and at.fn in FLOAT_TESTS
        ordered = isinstance(at, Reduce) and at.policy in _ORDERED
        if tested or ordered:
            what = "tests for NaN or infinity" if tested else "reduces in a fixed order"
            raise KernelError("K035", f'a kernel with math="fast" {what}', loc=at.loc)
