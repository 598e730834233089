"""The state that prints a Machine IR kernel as C-like text, one scalar a thread.

In: a verified `MachineKernel`, a target's expressions.  Out: the lines of the kernel's body.
Decides spelling only: a varying or uniform value is a constant of the thread, a `For` is a loop
over variables.  Leaves plans, masks, storage and order as Machine IR has them; how an operation
prints is in `certile.codegen.threads.entries`, what a target calls things in its own folder.

Memory of a subgroup is ordered as its operations stand.  Its threads are not, so between a load and
a store of one writable array stands a subgroup barrier.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager

from certile.codegen.indices import index_only
from certile.codegen.packs import Pack, packs
from certile.codegen.threads.functions import ThreadExpressions
from certile.codegen.threads.order import Memory, MemoryOrder
from certile.codegen.threads.registers import arrays_in_registers
from certile.codegen.writer import Names, Writer
from certile.ir.dtypes import DType, i32
from certile.ir.machine import (
    Address,
    Block,
    Buffer,
    Load,
    MachineKernel,
    Operation,
    PrivateArray,
    SharedArray,
    SharedStore,
    Special,
    Store,
    Value,
    operations,
)
from certile.ir.machine.fold import Facts, facts_of

__all__ = ["Memory", "ThreadEmitter"]


class ThreadEmitter(ABC):
    """What the emit functions share: names, expressions, lines and the order of memory."""

    def __init__(self, kernel: MachineKernel, expressions: ThreadExpressions) -> None:
        self.kernel = kernel
        self.expressions = expressions
        self.spelling = expressions.spelling
        self.writer = Writer()
        self.names: dict[Value, str] = {}
        # Of values that were rounded from f32, the f32.
        self.unrounded: dict[Value, str] = {}
        self.facts: Facts = facts_of(kernel.body, kernel.lanes, kernel.subgroups)
        self.indices = index_only(kernel.body)
        self.packs: dict[Operation, Pack] = {}
        self.loaded_packs: dict[Pack, str] = {}
        unique = Names()
        self.entry = unique.make(kernel.name)
        self.places: dict[Buffer | SharedArray | PrivateArray, str] = {
            **{buffer: unique.make(f"p_{buffer.name}") for buffer in kernel.buffers},
            **{array: unique.make(f"shared_{array.name}") for array in kernel.shared},
            **{array: unique.make(f"own_{array.name}") for array in kernel.arrays},
        }
        self.scalars = {scalar: unique.make(f"n_{scalar.name}") for scalar in kernel.scalars}
        self._order = MemoryOrder(kernel, self.order)
        self.exchanged = self._order.exchanged
        self.registers = arrays_in_registers(kernel, self.facts)

    @abstractmethod
    def order(self, memory: Memory) -> None:
        """Write a barrier of the subgroup that orders `memory`, and note what it ordered."""

    @abstractmethod
    def exchange(self, value: str, dtype: DType, mask: str) -> str:
        """The value of the lane whose number is the own one xor `mask`."""

    @abstractmethod
    def pack_limit(self, dtype: DType) -> int:
        """The most elements of a type that one access takes."""

    @abstractmethod
    def pack_type(self, pack: Pack) -> str:
        """The type of a pack in registers."""

    @abstractmethod
    def read_pack(self, pack: Pack, mask: str | None) -> str:
        """A pack read at its pointer; unread where the mask does not hold."""

    @abstractmethod
    def pack_item(self, name: str, index: int) -> str:
        """An element of a pack in registers."""

    def pack_value(self, name: str, index: int, dtype: DType) -> str:
        """The carried value of an element of a pack in registers."""
        return self.expressions.load(self.pack_item(name, index), dtype)

    @abstractmethod
    def write_pack(self, pack: Pack, values: Sequence[str]) -> str:
        """The statement, without its end, that stores carried values at a pack's pointer."""

    @abstractmethod
    def operation(self, operation: Operation) -> None:
        """Print one operation."""

    # Lines.

    def block(self, block: Block) -> None:
        """Print the operations of a block."""
        self.packs.update(packs(block, self.facts, self.pack_limit))
        for operation in block.operations:
            self.operation(operation)

    def fresh(self, value: Value) -> str:
        """Name a value that the caller declares."""
        self.names[value] = f"v{len(self.names)}"
        return self.names[value]

    def define(self, value: Value, expression: str) -> None:
        """A constant of the thread."""
        kind = self.spelling.carried(value.dtype)
        self.writer.line(f"const {kind} {self.fresh(value)} = {expression};")

    def inline(self, value: Value, text: str) -> None:
        """Spell a value where it is used; `text` binds like an identifier."""
        self.names[value] = text

    def of(self, value: Value) -> str:
        """The text of a value that is in scope."""
        return self.names[value]

    def guarded(self, mask: Value | None, fill: Value | None, text: str) -> str:
        """A read that happens only where the mask holds."""
        if mask is None or fill is None:
            return text
        return f"{self.of(mask)} ? {text} : {self.of(fill)}"

    def write(self, target: str, value: str, mask: Value | None, *, once: bool) -> None:
        """A store under its mask; `once` is by lane 0 alone."""
        conditions = (["lane == 0"] if once else []) + ([self.of(mask)] if mask is not None else [])
        condition = f"if ({' && '.join(conditions)}) " if conditions else ""
        self.writer.line(f"{condition}{target} = {value};")

    def butterfly(self, result: Value, fn: str, value: str) -> None:
        """Lane l meets lane l xor 16, 8, 4, 2, 1; every lane ends with the same bits."""
        dtype, name = result.dtype, self.fresh(result)
        kind = self.spelling.carried(dtype)
        self.writer.line(f"{kind} {name} = {value};")
        self.writer.line("#pragma unroll")
        with self.writer.block("for (int distance = 16; distance > 0; distance >>= 1)"):
            self.writer.line(f"const {kind} other = {self.exchange(name, dtype, 'distance')};")
            combined = self.expressions.compute(fn, dtype, [name, "other"])
            self.writer.line(f"{name} = {combined};")

    # Addresses.

    def element(self, buffer: Buffer, address: Address) -> str:
        """The element of a buffer that an address names."""
        return f"{self.places[buffer]}[{self._index(address, self.of(address.base))}]"

    def pack_pointer(self, pack: Pack) -> str:
        """A pointer to the first element of a pack."""
        access, base = pack.accesses[0], self.of(pack.core)
        if pack.constant:
            base = f"{base} + {self.spelling.literal(pack.constant, pack.core.dtype)}"
        index = self._index(access.address, base)
        # Short parts meet before they become as long as a pointer.
        index = f"({index})" if access.address.dtype == i32 else index
        return f"{self.places[access.buffer]} + {index}"

    def _index(self, address: Address, base: str) -> str:
        literal, parts = self.spelling.literal, [base]
        if address.lane_stride is not None:
            stride = address.lane_stride
            if isinstance(stride, Value):
                parts.append(f"lane * {self.of(stride)}")
            else:
                parts.append("lane" if stride == 1 else f"lane * {literal(stride, address.dtype)}")
        if address.offset is not None:
            parts.append(self.of(address.offset))
        zero = literal(0, address.dtype)
        return " + ".join(part for part in parts if part != zero) or "0"

    def positions(self) -> dict[str, DType]:
        """The types of those of lane, subgroup and group that the body uses, by name."""
        body = tuple(operations(self.kernel.body))
        named = {"lane": i32} if any(map(_names_lane, body)) else {}
        return named | {o.kind: o.result.dtype for o in body if isinstance(o, Special)}

    # The order of memory.

    def before_load(self, memory: Memory) -> None:
        """Order a load behind the stores of other lanes."""
        self._order.before_load(memory)

    def before_store(self, memory: Memory) -> None:
        """Order a store behind the loads of other lanes."""
        self._order.before_store(memory)

    def ordered(self, memories: Iterable[Memory] | None = None) -> None:
        """Note that a barrier has ordered `memories`, or all."""
        self._order.ordered(memories)

    def unordered(self, *blocks: Block) -> AbstractContextManager[None]:
        """Around a region, whose barriers order nothing for those who pass it by."""
        return self._order.unordered(*blocks)

    def again(self, block: Block) -> None:
        """At the start of a loop's body: an earlier round may have touched its memory."""
        self._order.again(block)


def _names_lane(operation: Operation) -> bool:
    """Whether the text of an operation names the lane: a strided address, a store by lane 0."""
    match operation:
        case Load(address=address):
            return address.lane_stride is not None
        case Store(address=address):
            return address.lane_stride is not None or not address.varying
        case SharedStore(index=index):
            return not index.varying
        case _:
            return False
