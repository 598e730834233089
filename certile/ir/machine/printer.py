"""Machine IR as text for people: dumps, `explain` and complaints of the verifier.

In: a `MachineKernel`, or a `Block` of one.  Out: one deterministic text; two kernels of one
structure print alike, whatever objects they are made of.  Decides the notation: constants,
parameters and the lane stand where they are used, other values are numbered in order of definition,
and `~` marks a type whose value differs between lanes.  Leaves parsing to nobody: the text is read,
never run.
"""

from collections.abc import Iterator
from functools import singledispatchmethod

from certile.ir.machine import (
    Address,
    ArrayLoad,
    ArrayStore,
    Ask,
    Barrier,
    Block,
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

__all__ = ["Printer", "print_kernel"]

_INFIX = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "floordiv": "//",
    "mod": "%",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "bit_and": "&",
    "bit_or": "|",
    "bit_xor": "^",
    "shl": "<<",
    "shr": ">>",
}


def print_kernel(kernel: MachineKernel) -> str:
    """The whole kernel: a header, what it names, and its operations, indented by block."""
    head = [
        f"kernel {kernel.name}",
        f"  lanes {kernel.lanes}, subgroups {kernel.subgroups}, "
        f"programs a group {kernel.programs_per_group}, math {kernel.math}"
        + (", exact order" if kernel.precise_math else ""),
    ]
    head += [
        f"  buffer {b.name}: {b.dtype}, {'written' if b.written else 'read'}, aligned {b.alignment}"
        + (f" at -{b.skew}" if b.skew else "")
        for b in kernel.buffers
    ]
    head += [
        f"  scalar {scalar.name}: {scalar.dtype}"
        + (f" in {scalar.known[0]} .. {scalar.known[1]}" if scalar.known else "")
        for scalar in kernel.scalars
    ]
    head += [f"  private {array.name}: {array.dtype}[{array.slots}]" for array in kernel.arrays]
    head += [f"  shared {array.name}: {array.dtype}[{array.count}]" for array in kernel.shared]
    return "\n".join([*head, "body", *Printer().block(kernel.body, "  "), ""])


def _type(mtype: MType) -> str:
    return f"{'~' if mtype.varying else ''}{mtype.dtype}"


class Printer:
    """Numbers values in order of first appearance and remembers which are spelled in place."""

    def __init__(self) -> None:
        self.names: dict[Value, str] = {}
        self.count = 0

    def name(self, value: Value) -> str:
        """The text of a value where it is used, and of its definition."""
        if value not in self.names:
            self.names[value] = f"%{self.count}"
            self.count += 1
        return self.names[value]

    def address(self, address: Address) -> str:
        """The text of an element index."""
        parts = [self.name(address.base)]
        stride = address.lane_stride
        if stride is not None:
            factor = stride if isinstance(stride, int) else self.name(stride)
            parts.append("lane" if factor == 1 else f"lane * {factor}")
        if address.offset is not None:
            parts.append(self.name(address.offset))
        return " + ".join(part for part in parts if part != "0") or "0"

    def guard(self, mask: Value | None, fill: Value | None = None) -> str:
        """The condition of an access, and what stands in where it fails."""
        if mask is None:
            return ""
        otherwise = "" if fill is None else f" else {self.name(fill)}"
        return f" if {self.name(mask)}{otherwise}"

    def block(self, block: Block, indent: str) -> Iterator[str]:
        """The lines of a block."""
        for operation in block.operations:
            yield from self.operation(operation, indent)

    def operation(self, operation: Operation, indent: str) -> Iterator[str]:
        """The lines of an operation; none for what is spelled where it is used."""
        if isinstance(operation, For):
            yield from self.loop(operation, indent)
        elif isinstance(operation, If):
            yield f"{indent}if {self.name(operation.condition)}:"
            yield from self.block(operation.then, indent + "  ")
            if operation.otherwise.operations:
                yield f"{indent}else:"
                yield from self.block(operation.otherwise, indent + "  ")
        else:
            text = self.right(operation)
            results = operation.results_()
            if text and results:
                yield f"{indent}{self.name(results[0])}: {_type(results[0].type)} = {text}"
            elif text:
                yield f"{indent}{text}"

    def loop(self, loop: For, indent: str) -> Iterator[str]:
        """The lines of a loop: bounds, carried values, body, what is carried on."""
        inits = [self.name(value) for value in loop.inits]
        bounds = f"{self.name(loop.start)} .. {self.name(loop.stop)} step {self.name(loop.step)}"
        index = self.name(loop.index)
        carried = ", ".join(
            f"{self.name(param)}: {_type(param.type)} = {init}"
            for param, init in zip(loop.params, inits, strict=True)
        )
        yield (
            f"{indent}for {index} in {bounds}" + (f" carrying {carried}" if carried else "") + ":"
        )
        yield from self.block(loop.body, indent + "  ")
        if loop.yields:
            yield f"{indent}  next {', '.join(self.name(value) for value in loop.yields)}"
            results = ", ".join(self.name(value) for value in loop.results)
            yield f"{indent}end {results}"

    @singledispatchmethod
    def right(self, operation: Operation) -> str:
        """The right-hand side; empty for what is spelled where it is used."""
        raise NotImplementedError(type(operation).__name__)

    @right.register
    def _(self, operation: Constant) -> str:
        value = operation.value
        text = str(value).lower() if isinstance(value, bool) else repr(value)
        self.names[operation.result] = text
        return ""

    @right.register
    def _(self, operation: Parameter) -> str:
        self.names[operation.result] = operation.parameter.name
        return ""

    @right.register
    def _(self, operation: Special) -> str:
        self.names[operation.result] = operation.kind
        return ""

    @right.register
    def _(self, operation: Compute) -> str:
        args = [self.name(value) for value in operation.args]
        if operation.fn in _INFIX:
            exact = " exactly" if operation.exact else ""
            return f"{args[0]} {_INFIX[operation.fn]} {args[1]}{exact}"
        if operation.fn == "where":
            return f"{args[1]} if {args[0]} else {args[2]}"
        return f"{operation.fn}({', '.join(args)})"

    @right.register
    def _(self, operation: Convert) -> str:
        return f"{operation.result.dtype}({self.name(operation.value)})"

    @right.register
    def _(self, operation: Reinterpret) -> str:
        return f"bits {self.name(operation.value)}"

    @right.register
    def _(self, operation: Load) -> str:
        guard = self.guard(operation.mask, operation.fill)
        return f"load {operation.buffer.name}[{self.address(operation.address)}]{guard}"

    @right.register
    def _(self, operation: Ask) -> str:
        when = "soon near" if operation.near else "soon"
        return f"{when} {operation.buffer.name}[{self.name(operation.place)}]"

    @right.register
    def _(self, operation: Store) -> str:
        place = f"{operation.buffer.name}[{self.address(operation.address)}]"
        how = "stream" if operation.streaming else "store"
        return f"{how} {place} = {self.name(operation.value)}{self.guard(operation.mask)}"

    @right.register
    def _(self, operation: ArrayLoad) -> str:
        return f"{operation.array.name}[{self.name(operation.slot)}]"

    @right.register
    def _(self, operation: ArrayStore) -> str:
        return f"{operation.array.name}[{self.name(operation.slot)}] = {self.name(operation.value)}"

    @right.register
    def _(self, operation: SharedLoad) -> str:
        guard = self.guard(operation.mask, operation.fill)
        return f"shared {operation.array.name}[{self.name(operation.index)}]{guard}"

    @right.register
    def _(self, operation: SharedStore) -> str:
        place = f"shared {operation.array.name}[{self.name(operation.index)}]"
        return f"{place} = {self.name(operation.value)}{self.guard(operation.mask)}"

    @right.register
    def _(self, operation: Collective) -> str:
        return f"{operation.fn} over lanes {self.name(operation.value)}"

    @right.register
    def _(self, operation: Shuffle) -> str:
        return f"lane xor {operation.mask} of {self.name(operation.value)}"

    @right.register
    def _(self, operation: ShuffleUp) -> str:
        return f"lane minus {operation.distance} of {self.name(operation.value)}"

    @right.register
    def _(self, operation: ReadLane) -> str:
        return f"lane {operation.lane} of {self.name(operation.value)}"

    @right.register
    def _(self, operation: Barrier) -> str:
        return "barrier"
