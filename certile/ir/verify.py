"""What every Tile IR kernel must satisfy between two stages.

In: a kernel.  Out: a list of diagnostics, empty when it is well formed.  Decides scope (a load is
read after it and inside its region, a loop's coordinate and carried values inside the loop), that
buffers and lengths belong to the kernel, and that policies fit laws.  Leaves the types of single
nodes to `Node.verify`, and whether an index stays inside its view to `analysis.bounds`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from certile.diagnostics import Diagnostic
from certile.ir.node import Node
from certile.ir.tile import (
    FOLD_POLICIES,
    ORDERED_POLICIES,
    Carried,
    Const,
    Effect,
    ExtentValue,
    Fallback,
    Kernel,
    Load,
    LoopIndex,
    Memory,
    Parallel,
    Reduce,
    Result,
    ScalarArg,
    Scan,
    Serial,
    Sort,
    Store,
)
from certile.ir.types import Axis, Dim
from certile.ir.walk import axes_of, values


def verify(kernel: Kernel) -> list[Diagnostic]:
    """Everything wrong with a kernel, in program order."""
    found = list(_signature(kernel))
    found += _Scopes(kernel).diagnostics()
    for at in values(kernel):
        found += at.verify()
        found += _node(kernel, at)
    return found


def _signature(kernel: Kernel) -> Iterator[Diagnostic]:
    """Names are unique: they are how a launch finds its arguments."""
    names = Counter(param.name for param in kernel.params)
    names.update(f"memory {memory.uid}" for memory in kernel.memories)
    for name, count in names.items():
        if count > 1:
            yield Diagnostic("V009", f"{kernel.name} declares {name} {count} times")


def _node(kernel: Kernel, at: Node) -> Iterator[Diagnostic]:
    """The rules that need the kernel, or more than one node."""
    yield from _names(kernel, at)
    match at:
        case Const():
            yield from _constant(at)
        case Result():
            yield from _result(at)
        case Reduce():
            yield from _reduction(at)
        case Scan():
            yield from _scan(at)
        case _:
            pass


def _names(kernel: Kernel, at: Node) -> Iterator[Diagnostic]:
    """Buffers, scalars and lengths are those of the kernel."""
    if isinstance(at, Load | Store):
        known = kernel.memories if isinstance(at.buffer, Memory) else kernel.views
        if at.buffer not in known:
            yield Diagnostic("V009", f"{at.buffer.name} is not declared", at.loc)
    if isinstance(at, ScalarArg) and (at.name, at.dtype) not in {
        (param.name, param.dtype) for param in kernel.params
    }:
        yield Diagnostic("V009", f"{at.name} is not a scalar parameter", at.loc)
    extents = [axis.extent for axis in axes_of(at)]
    if isinstance(at, ExtentValue):
        extents.append(at.extent)
    ranks = {view.name: view.rank for view in kernel.views}
    for extent in extents:
        if isinstance(extent, Dim) and not 0 <= extent.dim < ranks.get(extent.view, 0):
            yield Diagnostic("V009", f"{extent} is a length of no parameter", at.loc)
        if isinstance(extent, int) and extent < 0:
            yield Diagnostic("V009", f"an extent is {extent}", at.loc)


def _constant(at: Const) -> Iterator[Diagnostic]:
    """A constant is a Python value of its dtype's kind, and an integer fits."""
    kind = {"bool": bool, "int": int, "uint": int, "float": float}[at.dtype.kind]
    if type(at.value) is not kind:
        yield Diagnostic("V012", f"{at.value!r} as a constant of {at.dtype}", at.loc)
    elif at.dtype.is_integer:
        low = -(1 << (at.dtype.bits - 1)) if at.dtype.kind == "int" else 0
        if not low <= at.value < low + (1 << at.dtype.bits):
            yield Diagnostic("V012", f"{at.value} does not fit {at.dtype}", at.loc)
    if at.axes:
        yield Diagnostic("V001", f"a constant spans {at.type}", at.loc)


def _result(at: Result) -> Iterator[Diagnostic]:
    match at.of:
        case Reduce() | Scan() | Sort() | Fallback():
            types = at.of.result_types()
        case Serial():
            types = tuple(param.type for param in at.of.params)
        case _:
            types = ()
    if not 0 <= at.index < len(types):
        yield Diagnostic("V011", f"result {at.index} of a node with {len(types)}", at.loc)
    elif types[at.index] != at.type:
        yield Diagnostic("V001", f"result {types[at.index]} declared {at.type}", at.loc)


def _accumulated(at: Reduce | Scan) -> Iterator[Diagnostic]:
    for arg in at.args:
        if arg.dtype != at.accumulate:
            yield Diagnostic(
                "V014", f"{at.law.name} of {arg.dtype} accumulates in {at.accumulate}", at.loc
            )


def _reduction(at: Reduce) -> Iterator[Diagnostic]:
    yield from _accumulated(at)
    if len(at.given) != len(at.law.parameters):
        yield Diagnostic("V002", f"{at.law.name} with {len(at.given)} parameters", at.loc)
    for shared in at.given:
        if shared.axes:
            yield Diagnostic("V004", "a parameter of a law spans axes", at.loc)
        if shared.dtype != at.accumulate:
            fault = f"a parameter of {at.law.name} is {shared.dtype}, not {at.accumulate}"
            yield Diagnostic("V014", fault, at.loc)
    # An index component is i32 for short reductions; its start value is given as i64.
    wanted = at.law.state_dtypes(at.accumulate, 2**31)
    for start, dtype in zip(at.init, wanted, strict=False):
        if start.type.axes and not set(start.axes) <= set(at.spanned):
            yield Diagnostic("V004", "a start value spans a reduced axis", at.loc)
        if start.dtype != dtype and not (start.dtype.is_integer and dtype.is_integer):
            yield Diagnostic("V014", f"a start value is {start.dtype}, not {dtype}", at.loc)
    if at.law.identity is None and (not at.init or at.policy not in FOLD_POLICIES):
        yield Diagnostic(
            "V015", f"{at.law.name} has no identity: it folds from a start value", at.loc
        )
    if not at.law.commutative and at.policy not in ORDERED_POLICIES:
        yield Diagnostic("V015", f"{at.policy} permutes {at.law.name}, which is ordered", at.loc)


def _scan(at: Scan) -> Iterator[Diagnostic]:
    yield from _accumulated(at)
    if at.law.identity is None:
        yield Diagnostic("V015", f"{at.law.name} has no identity to scan from", at.loc)
    if at.law.parameters:
        yield Diagnostic("V002", f"a scan gives {at.law.name} no parameters", at.loc)


class _Scopes:
    """One walk in program order that knows what may be read at each place."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._listed: set[Effect] = set()
        self._found: list[Diagnostic] = []

    def diagnostics(self) -> list[Diagnostic]:
        """Check every body."""
        for step in self._kernel.body:
            if not isinstance(step, Parallel):
                self._found.append(
                    Diagnostic("V008", f"{step.mnemonic} outside every parallel region", step.loc)
                )
        self._body(self._kernel.body, (), frozenset())
        return self._found

    def _body(
        self, body: tuple[Effect, ...], loops: tuple[Axis, ...], outer: frozenset[Node]
    ) -> set[Node]:
        """Check one body; returns what may be read at its end."""
        seen = set(outer)
        for step in body:
            if step in self._listed:
                self._found.append(Diagnostic("V010", f"{step.mnemonic} is listed twice", step.loc))
            self._listed.add(step)
            for operand in step.operands():
                self._value(operand, loops, seen, step)
            self._tile_axes(step, loops)
            match step:
                case Parallel():
                    self._region(step.over, loops, step)
                    self._body(step.body, (*loops, *step.over), frozenset(seen))
                case Serial():
                    self._region((step.axis,), loops, step)
                    inside = frozenset(seen | set(step.params))
                    end = self._body(step.body, (*loops, step.axis), inside)
                    for after in step.yields:
                        self._value(after, (*loops, step.axis), end, step)
                case _:
                    pass
            seen.add(step)
        return seen

    def _region(self, over: tuple[Axis, ...], loops: tuple[Axis, ...], step: Effect) -> None:
        if len(set(over) | set(loops)) != len(over) + len(loops):
            self._found.append(
                Diagnostic(
                    "V013", f"{step.mnemonic} repeats an axis of an enclosing loop", step.loc
                )
            )

    def _tile_axes(self, at: Node, loops: tuple[Axis, ...]) -> None:
        if isinstance(at, LoopIndex | Parallel | Serial):
            return
        for axis in axes_of(at):
            if axis in loops:
                self._found.append(
                    Diagnostic("V013", f"{axis} is both a loop's axis and a tile's", at.loc)
                )

    def _value(self, root: Node, loops: tuple[Axis, ...], seen: set[Node], reader: Effect) -> None:
        """Check everything `root` reads that this scope has not met; `seen` grows."""
        stack = [root]
        while stack:
            at = stack.pop()
            if at in seen:
                continue
            if isinstance(at, Load | Carried | Serial):
                self._found.append(
                    Diagnostic(
                        "V006",
                        f"{at.mnemonic} is read where it has no value, by {reader.mnemonic}",
                        reader.loc,
                    )
                )
            elif isinstance(at, LoopIndex) and at.axis not in loops:
                self._found.append(
                    Diagnostic("V007", f"the coordinate {at.axis} outside its loop", reader.loc)
                )
            seen.add(at)
            self._tile_axes(at, loops)
            stack.extend(at.operands())
