"""Build Machine IR: blocks in order, each pure computation once, index arithmetic folded.

In: calls, in program order.  Out: the `Block` that is the body of a `MachineKernel`.  Decides types
and uniformity of results, which computation is shared, and where a pure one stands: as far out of
loops as its operands allow, constants at the top.  Leaves to others what to compute, and the full
check (`certile.ir.machine.verify`); what it refuses itself is a fault of the caller.

An operand is a `Value`, or a Python number that takes the type of the operand beside it (i64 where
there is none).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from certile.diagnostics import InternalError
from certile.ir.dtypes import DType, bool_, i32, i64
from certile.ir.functions import FUNCTIONS
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
    MType,
    Operation,
    Parameter,
    PrivateArray,
    ReadLane,
    Reinterpret,
    ScalarParameter,
    SharedArray,
    SharedLoad,
    SharedStore,
    Shuffle,
    ShuffleUp,
    Special,
    Store,
    Value,
)
from certile.ir.machine.fold import (
    COMMUTATIVE,
    Known,
    Range,
    Scalar,
    bounds,
    power_of_two,
    wrap,
)
from certile.ir.machine.index import IndexArithmetic, Operand
from certile.ir.machine.prune import prune

__all__ = ["Builder", "Operand"]

Body = Callable[[Value, tuple[Value, ...]], Sequence[Operand]]

_CollectiveName = Literal["add", "mul", "maximum", "minimum", "any", "all"]

# The least number of bits at which every integer is still a float of the type.
_EXACT_INTEGERS = {"f16": 2**11, "bf16": 2**8, "f32": 2**24, "f64": 2**53}


def _fault(message: str) -> InternalError:
    return InternalError("M010", message)


@dataclass(slots=True)
class _Frame:
    """A block under construction; a `loop` frame lets pure operations out."""

    loop: bool
    operations: list[Operation] = field(default_factory=list)
    known: dict[object, Value] = field(default_factory=dict)


class Builder(IndexArithmetic):
    """Builds the body of one kernel.

    `lanes`, `subgroups` and, where it is known, the most `groups` bound what `lane()`,
    `subgroup()` and `group()` give, so masks that always hold disappear.
    """

    def __init__(self, lanes: int, subgroups: int = 1, groups: int = 2**63 - 1) -> None:
        self.lanes = lanes
        self.subgroups = subgroups
        self.groups = groups
        super().__init__()
        self._frames = [_Frame(loop=False)]
        self._home: dict[Value, _Frame] = {}

    # Leaves.

    def const(self, value: Scalar, dtype: DType) -> Value:
        """The uniform constant `value`; integers must fit the type."""
        if dtype.kind == "bool":
            value = bool(value)
        elif dtype.is_float:
            value = float(value)
        elif wrap(int(value), dtype) != value:
            raise _fault(f"{value!r} is not a value of {dtype}")
        key = ("constant", dtype, value.hex() if isinstance(value, float) else value)
        result = self._leaf(key, MType(dtype), lambda result: Constant(result, value))
        self.facts.constants[result] = value
        return result

    def true(self) -> Value:
        """The uniform constant true."""
        return self.const(True, bool_)

    def parameter(self, parameter: ScalarParameter, known: Range | None = None) -> Value:
        """The value of a run-time scalar; `known` bounds an integer one, both ends inclusive.

        Without it the parameter's own bounds hold, if it has any.
        """
        known = known or parameter.known
        result = self._leaf(
            ("parameter", parameter.name),
            MType(parameter.dtype),
            lambda result: Parameter(result, parameter),
        )
        if known is not None:
            self.facts.narrow(result, known)
        if parameter.dtype.is_integer:
            self.facts.multiples[result] = power_of_two(parameter.multiple)
        return result

    def lane(self) -> Value:
        """The lane number, varying i32 in [0, lanes)."""
        return self._special("lane", MType(i32, True), (0, self.lanes - 1))

    def subgroup(self) -> Value:
        """The subgroup's number in its group, uniform i32 in [0, subgroups)."""
        if self.subgroups == 1:
            return self.const(0, i32)
        return self._special("subgroup", MType(i32), (0, self.subgroups - 1))

    def group(self) -> Value:
        """The group's number in the launch, uniform i64 in [0, groups)."""
        return self._special("group", MType(i64), (0, self.groups - 1))

    def _special(
        self, kind: Literal["lane", "subgroup", "group"], mtype: MType, known: Range
    ) -> Value:
        result = self._leaf(("special", kind), mtype, lambda result: Special(result, kind))
        self.facts.narrow(result, known)
        return result

    # Pure operations.

    def compute(self, fn: str, *args: Operand) -> Value:
        """`fn(*args)` of `FUNCTIONS`; Python numbers take the type of the other operands."""
        function = FUNCTIONS.get(fn)
        if function is None or function.arity != len(args):
            raise _fault(f"{fn} with {len(args)} operands is no function of the table")
        values = self._promote(fn, args)
        dtype = function.result(tuple(value.dtype for value in values))
        if fn in COMMUTATIVE and self.facts.integer(values[0]) is not None:
            values = (values[1], values[0])
        folded = self.facts.fold(fn, values, dtype)
        if isinstance(folded, Known):
            return self.const(folded.value, dtype)
        if folded is None and values[0].dtype.is_integer and len(values) == 2:
            folded = self.normal(fn, values[0], values[1])
        if folded is not None:
            return folded
        mtype = MType(dtype, any(value.varying for value in values))
        known = sorted(values, key=lambda v: v.serial) if fn in COMMUTATIVE else values
        result = self._pure(("compute", fn, *known), mtype, values, Compute, fn, values)
        if result not in self.facts.definitions:
            self.facts.learn(Compute(result, fn, values))
        return result

    def _promote(self, fn: str, args: Sequence[Operand]) -> tuple[Value, ...]:
        """Give Python numbers a type, and check that the operands agree in theirs."""
        head = [self._typed(args[0], bool_)] if fn == "where" else []
        rest = args[len(head) :]
        dtype = next((arg.dtype for arg in rest if isinstance(arg, Value)), i64)
        values = [self._typed(arg, dtype) for arg in rest]
        if any(value.dtype != dtype for value in values) or any(v.dtype != bool_ for v in head):
            types = ", ".join(str(value.dtype) for value in (*head, *values))
            raise _fault(f"{fn} takes operands of one type, not {types}")
        return (*head, *values)

    def _typed(self, operand: Operand, dtype: DType) -> Value:
        return operand if isinstance(operand, Value) else self.const(operand, dtype)

    def convert(self, value: Value, dtype: DType) -> Value:
        """`value` as another type: saturating from float to integer, to nearest even."""
        if value.dtype == dtype:
            return value
        known = self.facts.constant(value)
        if known is not None and not value.dtype.is_float:
            if dtype.is_float and abs(int(known)) <= _EXACT_INTEGERS[dtype.name]:
                return self.const(float(known), dtype)
            if dtype.kind == "bool" or dtype.is_integer:
                exact = bool(known) if dtype.kind == "bool" else wrap(int(known), dtype)
                return self.const(exact, dtype)
        mtype = MType(dtype, value.varying)
        result = self._pure(("convert", dtype, value), mtype, (value,), Convert, value)
        if dtype.is_integer and not value.dtype.is_float:
            self.facts.convert(Convert(result, value))
        return result

    def reinterpret(self, value: Value, dtype: DType) -> Value:
        """The bits of `value` as another type of equal width."""
        if value.dtype == dtype:
            return value
        if value.dtype.bits != dtype.bits or bool_ in (value.dtype, dtype):
            raise _fault(f"{value.dtype} and {dtype} do not have the same bits")
        mtype = MType(dtype, value.varying)
        return self._pure(("reinterpret", dtype, value), mtype, (value,), Reinterpret, value)

    def collective(self, fn: _CollectiveName, value: Value) -> Value:
        """The lanes' values combined in any order: uniform, in all lanes."""
        return self._pure(
            ("collective", fn, value), MType(value.dtype), (value,), Collective, fn, value
        )

    def shuffle(self, value: Value, mask: int) -> Value:
        """Lane l receives the value of lane l xor `mask`."""
        if not value.varying:
            return value
        if not 0 <= mask < self.lanes:
            raise _fault(f"a shuffle by {mask} leaves {self.lanes} lanes")
        if mask == 0:
            return value
        return self._pure(("shuffle", mask, value), value.type, (value,), Shuffle, value, mask)

    def shuffle_up(self, value: Value, distance: int) -> Value:
        """Lane l receives the value of lane l - `distance`; lanes below it keep their own."""
        if not value.varying:
            return value
        if not 0 < distance < self.lanes:
            raise _fault(f"a shift by {distance} of {self.lanes} lanes")
        key = ("shuffle up", distance, value)
        return self._pure(key, value.type, (value,), ShuffleUp, value, distance)

    def read_lane(self, value: Value, lane: int) -> Value:
        """The value of one lane, uniform."""
        if not value.varying:
            return value
        if not 0 <= lane < self.lanes:
            raise _fault(f"lane {lane} of {self.lanes} lanes")
        return self._pure(
            ("lane of", lane, value), MType(value.dtype), (value,), ReadLane, value, lane
        )

    def first_lane(self, value: Value) -> Value:
        """The value of lane 0, uniform."""
        return self.read_lane(value, 0)

    # Memory.

    def address(
        self,
        base: Operand,
        lane_stride: int | Value | None = None,
        offset: Value | None = None,
    ) -> Address:
        """An address with its constants folded: a stride known to be 0 is none."""
        if isinstance(lane_stride, Value):
            known = self.facts.integer(lane_stride)
            lane_stride = lane_stride if known is None else known
        if lane_stride == 0:
            lane_stride = None
        if offset is not None and not offset.varying:
            base, offset = self.add(base, offset), None
        return Address(self._typed(base, i64), lane_stride, offset)

    def load(
        self,
        buffer: Buffer,
        address: Address,
        mask: Value | None = None,
        fill: Operand | None = None,
    ) -> Value:
        """Read a buffer; where `mask` is false the result is `fill`, and nothing is read."""
        mask, filled = self._guard(mask, fill, buffer.dtype)
        if mask is None and filled is not None:
            return filled
        parts = [part for part in (mask, filled) if part is not None]
        varying = address.varying or any(part.varying for part in parts)
        result = self._value(MType(buffer.dtype, varying))
        self.emit(Load(result, buffer, address, mask, filled))
        return result

    def ask(self, buffer: Buffer, place: Operand, *, near: bool = False) -> None:
        """Say that an element of a buffer is read soon; it need not exist (`Ask`)."""
        self.emit(Ask(buffer, self._typed(place, i64), near))

    def store(
        self,
        buffer: Buffer,
        address: Address,
        value: Value,
        mask: Value | None = None,
        *,
        streaming: bool = False,
    ) -> None:
        """Write a buffer where `mask` holds."""
        if mask is not None and self.facts.constant(mask) is False:
            return
        self.emit(Store(buffer, address, value, self.and_(mask), streaming))

    def array_load(self, array: PrivateArray, slot: Operand) -> Value:
        """Each lane's own value of a slot; varying."""
        result = self._value(MType(array.dtype, True))
        self.emit(ArrayLoad(result, array, self._typed(slot, i64)))
        return result

    def array_store(self, array: PrivateArray, slot: Operand, value: Value) -> None:
        """Write each lane's own slot."""
        self.emit(ArrayStore(array, self._typed(slot, i64), value))

    def shared_load(
        self,
        array: SharedArray,
        index: Operand,
        mask: Value | None = None,
        fill: Operand | None = None,
    ) -> Value:
        """Read group memory; where `mask` is false the result is `fill`."""
        mask, filled = self._guard(mask, fill, array.dtype)
        if mask is None and filled is not None:
            return filled
        place = self._typed(index, i64)
        parts = [place, *(part for part in (mask, filled) if part is not None)]
        result = self._value(MType(array.dtype, any(part.varying for part in parts)))
        self.emit(SharedLoad(result, array, place, mask, filled))
        return result

    def shared_store(
        self, array: SharedArray, index: Operand, value: Value, mask: Value | None = None
    ) -> None:
        """Write group memory where `mask` holds."""
        if mask is not None and self.facts.constant(mask) is False:
            return
        self.emit(SharedStore(array, self._typed(index, i64), value, self.and_(mask)))

    def barrier(self) -> None:
        """Wait for every subgroup of the group."""
        self.emit(Barrier())

    def _guard(
        self, mask: Value | None, fill: Operand | None, dtype: DType
    ) -> tuple[Value | None, Value | None]:
        """The mask and fill a load needs: none where it holds, only the fill where it cannot."""
        known = True if mask is None else self.facts.constant(mask)
        if known is True:
            return None, None
        if fill is None:
            raise _fault("a masked load needs a fill")
        filled = self._typed(fill, dtype)
        return (None if known is False else mask), filled

    # Control.

    def for_(
        self,
        start: Operand,
        stop: Operand,
        step: Operand,
        inits: Sequence[Operand],
        body: Body,
        varying: Sequence[bool] | bool | None = None,
    ) -> tuple[Value, ...]:
        """Run `body(index, params) -> yields` and return the carried values after the loop.

        `varying` says which carried values differ between lanes (one answer, or one each); without
        it each follows its initial value.  A loop of no round gives `inits`; a loop of one round is
        no loop.
        """
        first, last, stride = self._promote("for", (start, stop, step))
        values = tuple(self._typed(init, i64) for init in inits)
        rounds = self._rounds(first, last, stride)
        if rounds == 0:
            return values
        if rounds == 1:
            return tuple(self._like(y, v) for y, v in zip(body(first, values), values, strict=True))
        types = tuple(
            MType(value.dtype, value.varying or vary)
            for value, vary in zip(values, self._each(varying, len(values)), strict=True)
        )
        frame = self._open(loop=True)
        index = self._loop_index(first, last, stride)
        params = tuple(self._value(mtype) for mtype in types)
        yields = tuple(
            self._like(result, param)
            for result, param in zip(body(index, params), params, strict=True)
        )
        block = self._close(frame)
        for param, result in zip(params, yields, strict=True):
            if result.varying and not param.varying:
                raise _fault("a carried value becomes varying; say so in `varying`")
        results = tuple(self._value(mtype) for mtype in types)
        self.emit(For(index, first, last, stride, values, params, block, yields, results))
        return results

    def _loop_index(self, first: Value, last: Value, stride: Value) -> Value:
        """The index of a loop, with its range and the powers of two that divide it."""
        index = self._value(MType(first.dtype))
        self.facts.narrow(index, (self.facts.range(first)[0], self.facts.range(last)[1] - 1))
        self.facts.multiples[index] = min(map(self.facts.multiple, (first, stride)))
        return index

    def _like(self, operand: Operand, other: Value) -> Value:
        value = self._typed(operand, other.dtype)
        if value.dtype != other.dtype:
            raise _fault(f"a carried {other.dtype} becomes {value.dtype}")
        return value

    @staticmethod
    def _each(varying: Sequence[bool] | bool | None, count: int) -> Sequence[bool]:
        if varying is None or isinstance(varying, bool):
            return [bool(varying)] * count
        return varying

    def _rounds(self, start: Value, stop: Value, step: Value) -> int | None:
        """How often a loop runs, where start, stop and step are constants."""
        numbers = [self.facts.integer(value) for value in (start, stop, step)]
        first, last, stride = numbers
        if first is None or last is None or stride is None:
            return None
        if stride <= 0:
            raise _fault(f"the step of a loop is {stride}")
        return max(0, -((first - last) // stride))

    def if_(
        self,
        condition: Value,
        then: Callable[[], None],
        otherwise: Callable[[], None] | None = None,
    ) -> None:
        """Build `then` under a uniform condition, `otherwise` under its opposite."""
        known = self.facts.constant(condition)
        if known is not None:
            branch = then if known else otherwise
            if branch is not None:
                branch()
            return
        if condition.varying:
            raise _fault("the condition of an If is uniform; use a mask or a select")
        blocks = [self._branch(branch) for branch in (then, otherwise)]
        if any(block.operations for block in blocks):
            self.emit(If(condition, blocks[0], blocks[1]))

    def _branch(self, body: Callable[[], None] | None) -> Block:
        if body is None:
            return Block(())
        frame = self._open(loop=False)
        body()
        return self._close(frame)

    # The result.

    def block(self) -> Block:
        """Everything built so far, without pure operations that nothing reads."""
        if len(self._frames) != 1:
            raise _fault("a loop or a branch is still open")
        return prune(Block(tuple(self._frames[0].operations)))

    def emit(self, operation: Operation) -> None:
        """Append an operation to the block under construction."""
        self._check_scope(operation.reads())
        frame = self._frames[-1]
        frame.operations.append(operation)
        for value in operation.results_():
            self._home[value] = frame

    def _check_scope(self, values: Iterable[Value]) -> None:
        for value in values:
            home = self._home.get(value)
            if not any(frame is home for frame in self._frames):
                raise _fault(f"value {value.serial} is read outside the block that defines it")

    def _open(self, *, loop: bool) -> _Frame:
        frame = _Frame(loop)
        self._frames.append(frame)
        return frame

    def _close(self, frame: _Frame) -> Block:
        if self._frames.pop() is not frame:
            raise _fault("blocks are closed out of order")
        return Block(tuple(frame.operations))

    def _value(self, mtype: MType) -> Value:
        value = Value(mtype)
        self._home[value] = self._frames[-1]
        return value

    def _lookup(self, key: object) -> Value | None:
        return next((f.known[key] for f in self._frames if key in f.known), None)

    def _leaf(self, key: object, mtype: MType, build: Callable[[Value], Operation]) -> Value:
        """A constant of the whole kernel: defined once, at the top."""
        root = self._frames[0]
        if (known := root.known.get(key)) is not None:
            return known
        result = Value(mtype)
        root.operations.append(build(result))
        root.known[key] = result
        self._home[result] = root
        return result

    def _pure(
        self,
        key: object,
        mtype: MType,
        operands: Sequence[Value],
        build: Callable[..., Operation],
        *parts: object,
    ) -> Value:
        """The value of a pure operation: one in scope, or the operation `build(result, *parts)`.

        It goes outwards as long as only loops are left behind: a branch may have been written to
        avoid the work.
        """
        if (known := self._lookup(key)) is not None:
            return known
        self._check_scope(operands)
        depth = len(self._frames) - 1
        homes = [self._home[value] for value in operands]
        while self._frames[depth].loop and all(home is not self._frames[depth] for home in homes):
            depth -= 1
        frame = self._frames[depth]
        result = Value(mtype)
        frame.operations.append(build(result, *parts))
        frame.known[key] = result
        self._home[result] = frame
        return result

    def bound(self, value: Value) -> Range:
        """What is known of an integer value: inclusive bounds, the type's own at worst."""
        return bounds(value.dtype) if value.dtype.is_float else self.facts.range(value)
