"""What the emitters of TIRx share: values with names, loops, branches, arrays of a worker.

In: a verified `MachineKernel` whose extents, strides and number of programs are known.  Out: the
statements of a function.  Decides that a value is held in a cell, a local array of one element: of
a binding passes of TVM and its LLVM generator make an expression of all that it was computed from,
which grows without bound where values are used twice.  Leaves plans, masks, storage and order as
Machine IR has them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeVar

from certile.codegen.indices import index_only
from certile.codegen.table import Table
from certile.codegen.threads.spelling import NARROW
from certile.ir.dtypes import DType, bool_, i8, i32
from certile.ir.machine import (
    ArrayLoad,
    ArrayStore,
    Ask,
    Block,
    Buffer,
    Compute,
    Constant,
    Convert,
    For,
    If,
    MachineKernel,
    Operation,
    Parameter,
    PrivateArray,
    Reinterpret,
    ScalarParameter,
    Value,
)
from certile.ir.machine.fold import facts_of
from certile.tirx import tvm
from certile.tirx.conversions import Conversions, stored_type
from certile.tirx.externs import TirxTarget
from certile.tirx.functions import Functions
from certile.tirx.numbers import Numbers, carried
from certile.tirx.tvm import Place, Term
from certile.tirx.tvm_program import Program

__all__ = ["Arguments", "Emitter", "shared_table"]

E = TypeVar("E", bound="Emitter")


class Arguments:
    """What a function takes: a place for each buffer, and a term for each scalar parameter.

    `scalars` holds what a call fixes, extents and strides among it, as numbers; the others are run
    time arguments.  Metal packs such into a structure unless they are arrays of one element.
    """

    def __init__(
        self,
        kernel: MachineKernel,
        target: TirxTarget,
        counts: Mapping[Buffer, int],
        scalars: Mapping[ScalarParameter, bool | int | float],
    ) -> None:
        self.places: dict[Buffer, Place] = {}
        for buffer in kernel.buffers:
            kind = stored_type(buffer.dtype, target)
            # Vector code of LLVM would take an alignment at its word, and NumPy promises none.
            aligned = kind.size if target == "llvm" else max(kind.size, buffer.base_alignment)
            self.places[buffer] = tvm.argument(
                f"p_{buffer.name}", kind, max(1, counts[buffer]), aligned
            )
        self.known = scalars
        self.open: dict[ScalarParameter, Place | Term] = {}
        for scalar in kernel.scalars:
            if scalar not in scalars:
                kind = stored_type(scalar.dtype, target)
                name = f"n_{scalar.name}"
                in_memory = target == "metal"
                self.open[scalar] = (
                    tvm.argument(name, kind, 1, kind.size)
                    if in_memory
                    else tvm.variable(name, kind)
                )

    def parameters(self) -> list[Place | Term]:
        """All of them: buffers in the order of the kernel, then scalars."""
        return [*self.places.values(), *self.open.values()]


class Emitter(ABC):
    """The state of one function."""

    # Lanes of a varying value.
    lanes = 1
    # Where a worker's own memory lies.
    storage: tvm.Storage = "local"

    def __init__(self, kernel: MachineKernel, target: TirxTarget, arguments: Arguments) -> None:
        self.kernel = kernel
        self.target: TirxTarget = target
        self.arguments = arguments
        self.program = Program()
        self.facts = facts_of(kernel.body, kernel.lanes, kernel.subgroups)
        self.indices = index_only(kernel.body)
        self.numbers = Numbers(target, self.keep)
        self.conversions = Conversions(self.numbers)
        self.functions = Functions(self.numbers, self.conversions, fast=kernel.may_approximate)
        self.values: dict[Value, Term] = {}
        self.arrays: dict[PrivateArray, Place] = {}

    @abstractmethod
    def operation(self, operation: Operation) -> None:
        """Write one operation."""

    def block(self, block: Block) -> None:
        """Write the operations of a block."""
        for operation in block.operations:
            self.operation(operation)

    # Values.

    def keep(self, term: Term) -> Term:
        """Compute a term here, and give what names the result."""
        if term.named:
            return term
        cell = self.cell(term.dtype, term.lanes)
        self.write_cell(cell, term)
        return self.read_cell(cell, term.dtype, "fixed")

    def cell(self, dtype: DType, lanes: int) -> Place:
        """Memory for one value; truth values of lanes lie there as bytes."""
        held = i8 if dtype == bool_ else dtype
        return self.program.allocate(held, 1, self.storage, lanes=lanes, stem="c")

    def write_cell(self, cell: Place, term: Term) -> None:
        """Put a value into its cell."""
        held = self.conversions.as_integer(term, i8) if term.dtype == bool_ else term
        self.program.store(cell, held, self.first)

    def read_cell(self, cell: Place, dtype: DType, named: Literal["fixed", "moving"]) -> Term:
        """What a cell holds, as a term that reads it wherever it is used."""
        held = tvm.load(cell, self.first)
        if dtype == bool_:
            held = tvm.compare("ne", held, self.numbers.like(0, held))
        return replace(held, named=named)

    @property
    def first(self) -> Term:
        """The index of the only element."""
        return tvm.constant(0, i32)

    def define(self, value: Value, term: Term) -> None:
        """Compute a value of the kernel here."""
        self.values[value] = self.keep(term)

    def of(self, value: Value) -> Term:
        """A value in scope, as it is."""
        return self.values[value]

    def at(self, value: Value, *, varying: bool) -> Term:
        """A value in every lane where `varying`, else as it is."""
        term = self.values[value]
        return tvm.spread(term, self.lanes) if varying else term

    def width(self, value: Value) -> int:
        """The lanes of a value's term."""
        return self.lanes if value.varying else 1

    def zero(self, dtype: DType, lanes: int) -> Term:
        """Nothing, as memory holds it."""
        return self.numbers.number(0, stored_type(dtype, self.target), lanes)

    def together(self, parts: Sequence[Term]) -> Term:
        """The conjunction of conditions."""
        made = parts[0]
        for part in parts[1:]:
            made = tvm.logic("and", made, part)
        return made


def shared_table(target: str, kind: type[E]) -> Table[E]:
    """The table of what every target writes alike."""
    table: Table[E] = Table(target)
    table.on(Constant)(_constant)
    table.on(Parameter)(_parameter)
    table.on(Compute)(_compute)
    table.on(Convert)(_convert)
    table.on(Reinterpret)(_reinterpret)
    table.on(ArrayLoad)(_array_load)
    table.on(ArrayStore)(_array_store)
    table.on(Ask)(lambda *_: None)
    table.on(For)(_for)
    table.on(If)(_if)
    return table


def _constant(emitter: Emitter, operation: Constant) -> None:
    dtype = operation.result.dtype
    emitter.values[operation.result] = emitter.numbers.number(operation.value, carried(dtype))


def _parameter(emitter: Emitter, operation: Parameter) -> None:
    scalar, arguments = operation.parameter, emitter.arguments
    if scalar in arguments.known:
        dtype = carried(scalar.dtype)
        emitter.values[operation.result] = emitter.numbers.number(arguments.known[scalar], dtype)
        return
    given = arguments.open[scalar]
    raw = tvm.load(given, emitter.first) if isinstance(given, Place) else given
    if scalar.dtype.name in NARROW:
        raw = emitter.keep(raw)
    emitter.define(operation.result, emitter.conversions.loaded(raw, scalar.dtype))


def _compute(emitter: Emitter, operation: Compute) -> None:
    varying = operation.result.varying
    args = [emitter.at(value, varying=varying) for value in operation.args]
    dtype = operation.args[-1].dtype
    if operation.fn in ("floordiv", "mod") and _natural(emitter, operation):
        made = emitter.functions.quotient(operation.fn, *args)
    else:
        plain = operation.exact or (operation.result in emitter.indices and dtype.bits >= 32)
        made = emitter.functions.compute(operation.fn, dtype, args, plain=plain)
    emitter.define(operation.result, made)


def _natural(emitter: Emitter, operation: Compute) -> bool:
    """Whether the operands of a division are known to be natural numbers."""
    a, b = operation.args
    if a.dtype.is_float:
        return False
    return emitter.facts.range(a)[0] >= 0 and emitter.facts.range(b)[0] > 0


def _convert(emitter: Emitter, operation: Convert) -> None:
    source, target = operation.value.dtype, operation.result.dtype
    made = emitter.conversions.convert(emitter.of(operation.value), source, target)
    emitter.define(operation.result, made)


def _reinterpret(emitter: Emitter, operation: Reinterpret) -> None:
    source, target = operation.value.dtype, operation.result.dtype
    made = emitter.conversions.reinterpreted(emitter.of(operation.value), source, target)
    emitter.define(operation.result, made)


def _array_load(emitter: Emitter, operation: ArrayLoad) -> None:
    raw = tvm.load(emitter.arrays[operation.array], emitter.of(operation.slot))
    if operation.array.dtype == bool_:
        raw = tvm.compare("ne", raw, emitter.numbers.like(0, raw))
    emitter.define(operation.result, raw)


def _array_store(emitter: Emitter, operation: ArrayStore) -> None:
    value = emitter.at(operation.value, varying=True)
    if operation.array.dtype == bool_:
        value = emitter.conversions.as_integer(value, i8)
    place = emitter.arrays[operation.array]
    emitter.program.store(place, value, emitter.of(operation.slot))


def _for(emitter: Emitter, operation: For) -> None:
    cells = []
    for init, param in zip(operation.inits, operation.params, strict=True):
        cell = emitter.cell(carried(param.dtype), emitter.width(param))
        emitter.write_cell(cell, emitter.at(init, varying=param.varying))
        cells.append(cell)
    start, step = emitter.of(operation.start), emitter.facts.integer(operation.step)
    zero = emitter.numbers.like(0, start)
    with emitter.program.loop(zero, _rounds(emitter, operation)) as round_:
        moved = round_
        if step != 1:
            moved = tvm.binary("mul", round_, emitter.of(operation.step))
        emitter.values[operation.index] = emitter.keep(tvm.binary("add", start, moved))
        for param, cell in zip(operation.params, cells, strict=True):
            emitter.values[param] = emitter.read_cell(cell, carried(param.dtype), "moving")
        emitter.block(operation.body)
        onward = [_onward(emitter, value) for value in operation.yields]
        for cell, param, term in zip(cells, operation.params, onward, strict=True):
            emitter.write_cell(cell, tvm.spread(term, emitter.width(param)))
    for result, cell in zip(operation.results, cells, strict=True):
        emitter.values[result] = emitter.read_cell(cell, carried(result.dtype), "fixed")


def _rounds(emitter: Emitter, loop: For) -> Term:
    """How often a loop runs; below 1 is never."""
    known = [emitter.facts.integer(value) for value in (loop.start, loop.stop, loop.step)]
    start, stop, step = known
    if start is not None and stop is not None and step is not None:
        return emitter.numbers.number(max(0, -((start - stop) // step)), loop.index.dtype)
    length = tvm.binary("sub", emitter.of(loop.stop), emitter.of(loop.start))
    if step == 1:
        return emitter.keep(length)
    by = emitter.of(loop.step)
    longer = tvm.binary("add", length, tvm.binary("sub", by, emitter.numbers.like(1, by)))
    return emitter.keep(tvm.binary("div", longer, by))


def _onward(emitter: Emitter, value: Value) -> Term:
    """A value that a loop carries on, read before any cell is written."""
    term = emitter.of(value)
    return emitter.keep(replace(term, named="")) if term.named == "moving" else term


def _if(emitter: Emitter, operation: If) -> None:
    condition = emitter.keep(emitter.of(operation.condition))
    with emitter.program.branch(condition):
        emitter.block(operation.then)
    if operation.otherwise.operations:
        with emitter.program.branch(tvm.negated(condition)):
            emitter.block(operation.otherwise)
