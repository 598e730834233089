"""The rules of Machine IR, checked.

In: a `MachineKernel`.  Out: a `Diagnostic` for each rule that an operation breaks.  Decides scope,
types, uniformity, where barriers may stand, and constant indices.  Leaves what depends on run-time
values (bounds, races, initialisation) to the interpreter in `certile.reference`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, singledispatchmethod
from typing import TYPE_CHECKING

from certile.diagnostics import Diagnostic, InternalError, with_article
from certile.ir.dtypes import DType, bool_, i32, i64
from certile.ir.functions import FLOAT_TESTS, FUNCTIONS
from certile.ir.machine import (
    Address,
    ArrayLoad,
    ArrayStore,
    Ask,
    Barrier,
    Block,
    Buffer,
    Collective,
    Compute,
    Constant,
    Convert,
    For,
    If,
    Load,
    MachineKernel,
    MType,
    Operation,
    Parameter,
    ReadLane,
    Reinterpret,
    SharedLoad,
    SharedStore,
    Shuffle,
    ShuffleUp,
    Special,
    Store,
    Value,
)
from certile.ir.machine.fold import bounds
from certile.ir.machine.uniform import subgroup_dependent

if TYPE_CHECKING:
    from certile.ir.machine.printer import Printer as _Printer

__all__ = ["check_machine", "verify_machine"]

Complaint = tuple[str, str]

_SPECIAL_TYPES = {"lane": MType(i32, True), "subgroup": MType(i32), "group": MType(i64)}
_SHORT_GROUP = MType(i32)

# Functions of the rules `same` and `integer` that bool operands have no meaning for.
_NUMBERS_ONLY = frozenset({"neg", "abs", "sign", "floor", "ceil", "round", "trunc"}) | {
    *("add", "sub", "mul", "floordiv", "mod", "shl", "shr", "popcount", "ctz")
}


def verify_machine(kernel: MachineKernel) -> Iterator[Diagnostic]:
    """Every broken rule, in the order of the text; nothing for a kernel that keeps them all."""
    for code, message in _kernel_rules(kernel):
        yield Diagnostic(code, message, notes=(f"in kernel {kernel.name}",))
    yield from _Verifier(kernel).block(kernel.body, set(), barriers=True)


def check_machine(kernel: MachineKernel) -> MachineKernel:
    """Return the kernel.

    Raises:
        InternalError: with the first broken rule as its diagnostic.
    """
    for diagnostic in verify_machine(kernel):
        raise InternalError(diagnostic)
    return kernel


def _kernel_rules(kernel: MachineKernel) -> Iterator[Complaint]:
    lanes = kernel.lanes
    if lanes < 1 or lanes & (lanes - 1):
        yield "M009", f"{lanes} lanes are no power of two"
    if kernel.subgroups < 1 or kernel.programs_per_group < 1:
        yield "M009", "a group has at least one subgroup and one program"
    names = [item.name for item in kernel.buffers] + [item.name for item in kernel.scalars]
    names += [item.name for item in kernel.arrays] + [item.name for item in kernel.shared]
    if len(set(names)) != len(names):
        yield "M009", f"two of {', '.join(sorted(names))} have one name"
    if any(array.slots < 1 for array in kernel.arrays) or any(a.count < 1 for a in kernel.shared):
        yield "M009", "an array has no element"


def _same(expected: MType, actual: MType, what: str) -> Iterator[Complaint]:
    if expected.dtype != actual.dtype:
        yield "M002", f"{what} is {actual.dtype}, not {expected.dtype}"
    if expected.varying != actual.varying:
        yield "M003", f"{what} is {actual}, not {expected}"


def _uniform(value: Value, what: str) -> Iterator[Complaint]:
    if value.varying:
        yield "M003", f"{what} varies between lanes"


def _any_varies(*values: Value | None) -> bool:
    return any(value is not None and value.varying for value in values)


class _Verifier:
    """Walks one kernel; rules of an operation are found by its class."""

    def __init__(self, kernel: MachineKernel) -> None:
        self.kernel = kernel
        self.differing = subgroup_dependent(kernel.body)
        self.constants: dict[Value, bool | int | float] = {}
        self.defined: set[Value] = set()

    @cached_property
    def printer(self) -> _Printer:
        """What names values in complaints; few kernels have any, and printing one takes time.

        Numbering everything first makes a complaint speak of the values of the printed kernel.
        """
        from certile.ir.machine.printer import Printer

        made = Printer()
        list(made.block(self.kernel.body, ""))
        return made

    def block(self, block: Block, outer: set[Value], *, barriers: bool) -> Iterator[Diagnostic]:
        scope = set(outer)
        for operation in block.operations:
            complaints = [*self._scope(operation, scope), *self.rules(operation)]
            if isinstance(operation, Barrier) and not barriers:
                complaints.append(("M004", "a barrier under control that differs by subgroup"))
            for code, message in complaints:
                yield Diagnostic(code, message, notes=(self._line(operation),))
            yield from self._inside(operation, scope, barriers=barriers)
            yield from self._define(operation, scope)

    def _inside(
        self, operation: Operation, scope: set[Value], *, barriers: bool
    ) -> Iterator[Diagnostic]:
        if isinstance(operation, For):
            together = not self.differing.intersection(
                (operation.start, operation.stop, operation.step)
            )
            parameters = {operation.index, *operation.params}
            yield from self.block(
                operation.body, scope | parameters, barriers=barriers and together
            )
            last = scope | parameters | self._results(operation.body)
            for value in operation.yields:
                if value not in last:
                    yield self._complain("M001", "a loop carries on a value of no scope", operation)
        elif isinstance(operation, If):
            together = operation.condition not in self.differing
            for inner in operation.blocks():
                yield from self.block(inner, scope, barriers=barriers and together)

    @staticmethod
    def _results(block: Block) -> set[Value]:
        return {value for operation in block.operations for value in operation.results_()}

    def _define(self, operation: Operation, scope: set[Value]) -> Iterator[Diagnostic]:
        results = list(operation.results_())
        inner = [operation.index, *operation.params] if isinstance(operation, For) else []
        for value in (*results, *inner):
            if value in self.defined:
                yield self._complain("M001", "a value is defined twice", operation)
            self.defined.add(value)
        scope.update(results)
        if isinstance(operation, Constant):
            self.constants[operation.result] = operation.value

    def _scope(self, operation: Operation, scope: set[Value]) -> Iterator[Complaint]:
        for value in operation.reads():
            if value not in scope:
                yield "M001", f"{self.printer.name(value)} is read where it is not defined"

    def _line(self, operation: Operation) -> str:
        return next(iter(self.printer.operation(operation, "")), type(operation).__name__)

    def _complain(self, code: str, message: str, operation: Operation) -> Diagnostic:
        return Diagnostic(code, message, notes=(self._line(operation),))

    # Rules by operation.

    @singledispatchmethod
    def rules(self, operation: Operation) -> Iterator[Complaint]:
        """What is wrong with an operation by itself; its operands are in scope or reported."""
        yield "M002", f"{type(operation).__name__} is no operation of Machine IR"

    @rules.register
    def _(self, operation: Constant) -> Iterator[Complaint]:
        yield from _uniform(operation.result, "a constant")
        dtype, value = operation.result.dtype, operation.value
        if dtype.is_float:
            fits = isinstance(value, float)
        elif isinstance(value, float) or isinstance(value, bool) != (dtype.kind == "bool"):
            fits = False
        else:
            low, high = bounds(dtype)
            fits = low <= value <= high
        if not fits:
            yield "M002", f"{value!r} is no {dtype}"

    @rules.register
    def _(self, operation: Parameter) -> Iterator[Complaint]:
        yield from _same(MType(operation.parameter.dtype), operation.result.type, "a parameter")
        if operation.parameter not in self.kernel.scalars:
            yield "M008", f"{operation.parameter.name} is no scalar of the kernel"

    @rules.register
    def _(self, operation: Special) -> Iterator[Complaint]:
        if operation.kind == "group" and operation.result.type == _SHORT_GROUP:
            return
        yield from _same(_SPECIAL_TYPES[operation.kind], operation.result.type, operation.kind)

    @rules.register
    def _(self, operation: Compute) -> Iterator[Complaint]:
        function = FUNCTIONS.get(operation.fn)
        if function is None or function.arity != len(operation.args):
            yield "M002", f"{operation.fn} of {len(operation.args)} operands is no function"
            return
        types = tuple(value.dtype for value in operation.args)
        data = types[1:] if function.rule == "select" else types
        if len(set(data)) != 1 or (function.rule == "select" and types[0] != bool_):
            yield "M002", f"operands of {operation.fn} are {', '.join(map(str, types))}"
            return
        if not self._domain(operation.fn, function.rule, operation.args[-1]):
            yield "M002", f"{operation.fn} is not defined for {data[0]}"
        expected = MType(function.result(types), _any_varies(*operation.args))
        yield from _same(expected, operation.result.type, operation.fn)
        if operation.exact and not all(value.dtype.is_integer for value in operation.args):
            yield "M002", f"an exact {operation.fn} of {data[0]}"

    @staticmethod
    def _domain(fn: str, rule: str, operand: Value) -> bool:
        dtype = operand.dtype
        if rule == "float" or fn in FLOAT_TESTS:
            return dtype.is_float
        if rule == "integer" and dtype.is_float:
            return False
        return dtype.kind != "bool" or fn not in _NUMBERS_ONLY

    @rules.register
    def _(self, operation: Convert) -> Iterator[Complaint]:
        expected = MType(operation.result.dtype, operation.value.varying)
        yield from _same(expected, operation.result.type, "a conversion")
        both = (operation.value.dtype, operation.result.dtype)
        if operation.exact and not all(dtype.is_integer for dtype in both):
            yield "M002", f"an exact conversion of {both[0]} to {both[1]}"

    @rules.register
    def _(self, operation: Reinterpret) -> Iterator[Complaint]:
        source, result = operation.value.type, operation.result.type
        if source.dtype.bits != result.dtype.bits or bool_ in (source.dtype, result.dtype):
            yield "M002", f"{source.dtype} and {result.dtype} do not have the same bits"
        yield from _same(MType(result.dtype, source.varying), result, "a reinterpretation")

    @rules.register
    def _(self, operation: Load) -> Iterator[Complaint]:
        yield from self._buffer(operation.buffer)
        yield from self._address(operation.address)
        yield from self._mask(operation.mask, operation.fill, operation.result)
        varying = operation.address.varying or _any_varies(operation.mask, operation.fill)
        yield from _same(MType(operation.buffer.dtype, varying), operation.result.type, "a load")

    @rules.register
    def _(self, operation: Ask) -> Iterator[Complaint]:
        yield from self._buffer(operation.buffer)
        yield from _same(MType(i64), operation.place.type, "the place of a later read")

    @rules.register
    def _(self, operation: Store) -> Iterator[Complaint]:
        yield from self._buffer(operation.buffer)
        if not operation.buffer.written:
            yield "M008", f"{operation.buffer.name} is stored to and declared as read"
        yield from self._address(operation.address)
        yield from self._mask(operation.mask, None, None)
        yield from self._stored(operation, operation.buffer.dtype, operation.address.varying)

    def _stored(
        self, operation: Store | SharedStore, dtype: DType, varying: bool
    ) -> Iterator[Complaint]:
        """A store to elements of `dtype`; `varying` says whether each lane has its own place."""
        if operation.value.dtype != dtype:
            yield "M002", f"{with_article(operation.value.dtype)} is stored to {dtype}"
        if not varying and _any_varies(operation.value, operation.mask):
            yield "M003", "lanes store different values to one element"

    def _buffer(self, buffer: Buffer) -> Iterator[Complaint]:
        if buffer not in self.kernel.buffers:
            yield "M008", f"{buffer.name} is no buffer of the kernel"

    def _address(self, address: Address) -> Iterator[Complaint]:
        types = {value.dtype for value in address.values()}
        if len(types) != 1 or not types <= {i32, i64}:
            yield "M002", "the parts of an address are all i64, or all i32"
        constant = address.lane_stride
        if isinstance(constant, int) and address.dtype.is_integer:
            low, high = bounds(address.dtype)
            if not low <= constant * (self.kernel.lanes - 1) <= high:
                yield "M002", f"a lane stride of {constant} leaves {address.dtype}"
        yield from _uniform(address.base, "the base of an address")
        if isinstance(address.lane_stride, Value):
            yield from _uniform(address.lane_stride, "the lane stride of an address")
        if address.offset is not None and not address.offset.varying:
            yield "M003", "a uniform offset belongs to the base of its address"

    def _mask(
        self, mask: Value | None, fill: Value | None, result: Value | None
    ) -> Iterator[Complaint]:
        if mask is not None and mask.dtype != bool_:
            yield "M002", f"a mask is {mask.dtype}"
        if result is None:
            return
        if mask is not None and fill is None:
            yield "M005", "a masked read without a fill"
        if fill is not None and fill.dtype != result.dtype:
            yield "M002", f"a fill of {fill.dtype} for {result.dtype}"

    @rules.register
    def _(self, operation: ArrayLoad) -> Iterator[Complaint]:
        yield from self._slot(operation)
        yield from _same(MType(operation.array.dtype, True), operation.result.type, "a slot")

    @rules.register
    def _(self, operation: ArrayStore) -> Iterator[Complaint]:
        yield from self._slot(operation)
        if operation.value.dtype != operation.array.dtype:
            yield (
                "M002",
                f"{with_article(operation.value.dtype)} is stored to {operation.array.dtype}",
            )

    def _slot(self, operation: ArrayLoad | ArrayStore) -> Iterator[Complaint]:
        if operation.array not in self.kernel.arrays:
            yield "M008", f"{operation.array.name} is no private array of the kernel"
        yield from _uniform(operation.slot, "a slot")
        yield from self._index(operation.slot, operation.array.slots)

    def _index(self, index: Value, count: int) -> Iterator[Complaint]:
        if not index.dtype.is_integer:
            yield "M002", f"an index is {index.dtype}"
        known = self.constants.get(index)
        if known is not None and not 0 <= known < count:
            yield "M007", f"index {known} of {count} elements"

    @rules.register
    def _(self, operation: SharedLoad) -> Iterator[Complaint]:
        yield from self._shared(operation)
        yield from self._mask(operation.mask, operation.fill, operation.result)
        varying = _any_varies(operation.index, operation.mask, operation.fill)
        yield from _same(MType(operation.array.dtype, varying), operation.result.type, "a read")

    @rules.register
    def _(self, operation: SharedStore) -> Iterator[Complaint]:
        yield from self._shared(operation)
        yield from self._mask(operation.mask, None, None)
        yield from self._stored(operation, operation.array.dtype, operation.index.varying)

    def _shared(self, operation: SharedLoad | SharedStore) -> Iterator[Complaint]:
        if operation.array not in self.kernel.shared:
            yield "M008", f"{operation.array.name} is no shared array of the kernel"
        if operation.mask is None:
            yield from self._index(operation.index, operation.array.count)

    @rules.register
    def _(self, operation: Collective) -> Iterator[Complaint]:
        logical = operation.fn in ("any", "all")
        if logical != (operation.value.dtype.kind == "bool"):
            yield "M002", f"{operation.fn} over lanes of {operation.value.dtype}"
        yield from _same(MType(operation.value.dtype), operation.result.type, "a collective")

    @rules.register
    def _(self, operation: Shuffle) -> Iterator[Complaint]:
        if not 0 <= operation.mask < self.kernel.lanes:
            yield "M006", f"lane xor {operation.mask} of {self.kernel.lanes} lanes"
        yield from _same(operation.value.type, operation.result.type, "a shuffle")

    @rules.register
    def _(self, operation: ShuffleUp) -> Iterator[Complaint]:
        if not 0 < operation.distance < self.kernel.lanes:
            yield "M006", f"a shift by {operation.distance} of {self.kernel.lanes} lanes"
        yield from _same(operation.value.type, operation.result.type, "a shift")

    @rules.register
    def _(self, operation: ReadLane) -> Iterator[Complaint]:
        if not 0 <= operation.lane < self.kernel.lanes:
            yield "M006", f"lane {operation.lane} of {self.kernel.lanes} lanes"
        yield from _same(MType(operation.value.dtype), operation.result.type, "a lane's value")

    @rules.register
    def _(self, operation: Barrier) -> Iterator[Complaint]:
        # Where it may stand is a question of the blocks round it.
        yield from ()

    @rules.register
    def _(self, operation: For) -> Iterator[Complaint]:
        limits = (operation.start, operation.stop, operation.step, operation.index)
        if len({value.dtype for value in limits}) != 1 or not operation.index.dtype.is_integer:
            yield "M002", "the bounds and the index of a loop are integers of one type"
        for value in limits:
            yield from _uniform(value, "a loop's bound or index")
        step = self.constants.get(operation.step)
        if step is not None and step <= 0:
            yield "M002", f"a loop steps by {step}"
        yield from self._carried(operation)

    @staticmethod
    def _carried(loop: For) -> Iterator[Complaint]:
        parts = (loop.inits, loop.params, loop.yields, loop.results)
        if len({len(part) for part in parts}) != 1:
            yield "M002", "a loop's carried values differ in number"
            return
        for init, param, onward, result in zip(*parts, strict=True):
            if len({value.dtype for value in (init, param, onward, result)}) != 1:
                yield "M002", "a carried value changes its type"
            if _any_varies(init, onward) and not param.varying:
                yield "M003", "a carried value becomes varying"
            if param.varying != result.varying:
                yield "M003", "a carried value and its result differ in uniformity"

    @rules.register
    def _(self, operation: If) -> Iterator[Complaint]:
        yield from _uniform(operation.condition, "the condition of an If")
        if operation.condition.dtype != bool_:
            yield "M002", f"a condition is {operation.condition.dtype}"
