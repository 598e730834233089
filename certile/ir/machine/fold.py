"""What is known of integer values while Machine IR is built: constants, ranges, alignments.

In: functions and operands, in the order they are built.  Out: the value or the constant that a
computation equals, where that is certain.  Decides what index arithmetic costs nothing: everything
here is exact, because a fold that is nearly right would move an address.  Leaves floating point
alone but for extremes with an infinity: no rounding is done at compile time.
"""

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, field

from certile.ir.dtypes import DType
from certile.ir.functions import COMPARISONS
from certile.ir.machine import (
    Block,
    Compute,
    Constant,
    Convert,
    For,
    Parameter,
    Special,
    Value,
)
from certile.records import record

__all__ = [
    "Facts",
    "Known",
    "Range",
    "Scalar",
    "bounds",
    "facts_of",
    "power_of_two",
    "within",
    "wrap",
]

Scalar = bool | int | float
Range = tuple[int, int]

COMMUTATIVE = frozenset(
    {"add", "mul", "maximum", "minimum", "eq", "ne", "bit_and", "bit_or", "bit_xor"}
)


@record
class Known:
    """A computation whose result is this constant."""

    value: Scalar


def bounds(dtype: DType) -> Range:
    """The least and the greatest value of an integer type or bool."""
    if dtype.kind == "bool":
        return 0, 1
    if dtype.kind == "uint":
        return 0, (1 << dtype.bits) - 1
    return -(1 << (dtype.bits - 1)), (1 << (dtype.bits - 1)) - 1


def wrap(value: int, dtype: DType) -> int | bool:
    """Reduce an exact integer to the type, as two's complement does."""
    if dtype.kind == "bool":
        return bool(value)
    value &= (1 << dtype.bits) - 1
    return value - (1 << dtype.bits) if dtype.kind == "int" and value >> (dtype.bits - 1) else value


def within(known: Range, dtype: DType) -> Range:
    """What is left of a range in a type that is known to hold the value."""
    low, high = bounds(dtype)
    return max(low, known[0]), min(high, known[1])


def power_of_two(value: int) -> int:
    """The greatest power of two that divides a constant; a large one for 0."""
    return value & -value if value else _MOST


def _shift_left(a: int, b: int) -> int:
    # Past the width everything is shifted out; the cap keeps the exact integer small.
    return 0 if b < 0 or b >= 64 else a << b


def _shift_right(a: int, b: int) -> int:
    return a >> min(b if b >= 0 else 64, 64)


_EXACT: dict[str, Callable[..., int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": lambda a, b: a // b if b else 0,
    "mod": lambda a, b: a % b if b else 0,
    "maximum": max,
    "minimum": min,
    "fmax": max,
    "fmin": min,
    "neg": operator.neg,
    "abs": abs,
    "bit_and": operator.and_,
    "bit_or": operator.or_,
    "bit_xor": operator.xor,
    "shl": _shift_left,
    "shr": _shift_right,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}


# Extremes of floats: beside which infinity the other operand is taken, and which one is taken.
_BEATEN = {"maximum": -math.inf, "minimum": math.inf}
_BEATS = {"fmax": math.inf, "fmin": -math.inf}


def _corners(fn: Callable[[int, int], int], a: Range, b: Range) -> Range:
    values = [fn(x, y) for x in a for y in b]
    return min(values), max(values)


def _floordiv_range(a: Range, b: Range) -> Range | None:
    return _corners(operator.floordiv, a, b) if b[0] > 0 else None


def _mod_range(a: Range, b: Range) -> Range | None:
    if b[0] <= 0:
        return None
    return (0, min(a[1], b[1] - 1)) if a[0] >= 0 else (0, b[1] - 1)


def _bit_and_range(a: Range, b: Range) -> Range | None:
    # A non-negative operand clears the sign and every bit above its own.
    highs = [r[1] for r in (a, b) if r[0] >= 0]
    return (0, min(highs)) if highs else None


_RANGES: dict[str, Callable[[Range, Range], Range | None]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "mul": lambda a, b: _corners(operator.mul, a, b),
    "maximum": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "minimum": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "floordiv": _floordiv_range,
    "mod": _mod_range,
    "bit_and": _bit_and_range,
}


# Powers of two only, so that wrapping changes nothing.
_MOST = 1 << 62
_MULTIPLES: dict[str, Callable[..., int]] = {
    "add": min,
    "sub": min,
    "maximum": min,
    "minimum": min,
    "where": lambda condition, a, b: min(a, b),
    "mul": lambda a, b: min(a * b, _MOST),
    "bit_and": max,
}


def _decided(fn: str, a: Range, b: Range) -> bool | None:
    """What a comparison gives for every pair of values of two ranges, if that is one answer."""
    match fn:
        case "lt" | "ge":
            sure = True if a[1] < b[0] else False if a[0] >= b[1] else None
            return sure if sure is None or fn == "lt" else not sure
        case "gt" | "le":
            return _decided("lt" if fn == "gt" else "ge", b, a)
        case _:
            if a[1] < b[0] or b[1] < a[0]:
                return fn == "ne"
            return (fn == "eq") if a == b and a[0] == a[1] else None


@dataclass(slots=True)
class Facts:
    """Constants, ranges, multiples and definitions of the values built so far."""

    constants: dict[Value, Scalar] = field(default_factory=dict)
    ranges: dict[Value, Range] = field(default_factory=dict)
    multiples: dict[Value, int] = field(default_factory=dict)
    definitions: dict[Value, Compute] = field(default_factory=dict)

    def constant(self, value: Value) -> Scalar | None:
        """The constant a value is, or None."""
        return self.constants.get(value)

    def range(self, value: Value) -> Range:
        """Bounds of an integer or bool value, both inclusive; the type's own where unknown."""
        known = self.constants.get(value)
        if known is not None:
            return int(known), int(known)
        return self.ranges.get(value) or bounds(value.dtype)

    def integer(self, value: Value) -> int | None:
        """The constant of an integer or bool value, or None."""
        known = self.constants.get(value)
        return None if known is None or value.dtype.is_float else int(known)

    def multiple(self, value: Value) -> int:
        """A power of two that divides an integer value, also after it has wrapped."""
        known = self.constants.get(value)
        return self.multiples.get(value, 1) if known is None else power_of_two(int(known))

    def sum_of(self, value: Value) -> tuple[Value, int]:
        """`value` as another value plus a constant; the constant is 0 where there is none."""
        definition = self.definitions.get(value)
        if definition is None or definition.fn != "add":
            return value, 0
        number = self.integer(definition.args[1])
        return (value, 0) if number is None else (definition.args[0], number)

    def learn(self, operation: Compute) -> None:
        """Record a definition, and the range and the multiple that follow from its operands."""
        result = operation.result
        self.definitions[result] = operation
        if result.dtype.is_float or any(value.dtype.is_float for value in operation.args):
            return
        rule = _MULTIPLES.get(operation.fn)
        if rule is not None:
            self.multiples[result] = rule(*(self.multiple(value) for value in operation.args))
        found = self._derive(operation)
        if found is not None and operation.exact:
            found = within(found, result.dtype)
        if found is not None:
            self.narrow(result, found)

    def narrow(self, value: Value, known: Range) -> None:
        """Record a range; one that leaves the type may have wrapped and says nothing."""
        low, high = bounds(value.dtype)
        if low <= known[0] and known[1] <= high:
            self.ranges[value] = known

    def meet(self, value: Value, known: Range) -> None:
        """Record a range that holds beside what is known."""
        low, high = self.range(value)
        self.narrow(value, (max(low, known[0]), min(high, known[1])))

    def convert(self, operation: Convert) -> None:
        """Record what a conversion of an integer to an integer keeps."""
        result, known = operation.result, self.range(operation.value)
        self.narrow(result, within(known, result.dtype) if operation.exact else known)
        self.multiples[result] = self.multiple(operation.value)

    def _derive(self, operation: Compute) -> Range | None:
        if operation.fn == "where":
            a, b = (self.range(value) for value in operation.args[1:])
            return min(a[0], b[0]), max(a[1], b[1])
        rule = _RANGES.get(operation.fn)
        if rule is None or len(operation.args) != 2:
            return None
        return rule(self.range(operation.args[0]), self.range(operation.args[1]))

    def fold(self, fn: str, args: tuple[Value, ...], result: DType) -> Value | Known | None:
        """The value or constant that `fn(*args)` is, or None when it has to be computed."""
        if fn == "where":
            return self._fold_where(args)
        if any(value.dtype.is_float for value in args):
            return self._fold_infinite(fn, args)
        if fn not in _EXACT:
            return None
        numbers = [self.integer(value) for value in args]
        if all(number is not None for number in numbers):
            return Known(wrap(_EXACT[fn](*numbers), result))
        if len(args) != 2:
            return None
        if fn in COMPARISONS:
            decided = _decided(fn, self.range(args[0]), self.range(args[1]))
            if args[0] is args[1]:
                decided = fn in ("eq", "le", "ge")
            return None if decided is None else Known(decided)
        return self._fold_by_constant(fn, args[0], args[1])

    def _fold_infinite(self, fn: str, args: tuple[Value, ...]) -> Value | None:
        """The extreme of a float and an infinity that it is for every value, NaN included."""
        for infinity, other in (args, args[::-1]) if len(args) == 2 else ():
            known = self.constants.get(infinity)
            if known is not None and known == _BEATEN.get(fn):
                return other
            if known is not None and known == _BEATS.get(fn):
                return infinity
        return None

    def _fold_where(self, args: tuple[Value, ...]) -> Value | None:
        condition, a, b = args
        if a is b:
            return a
        known = self.constants.get(condition)
        return None if known is None else (a if known else b)

    def _fold_by_constant(self, fn: str, a: Value, b: Value) -> Value | Known | None:
        """Identities of two operands, the constant on the right where there is one."""
        if a is b:
            if fn in ("sub", "bit_xor"):
                return Known(wrap(0, a.dtype))
            if fn in ("maximum", "minimum", "bit_and", "bit_or"):
                return a
        number = self.integer(b)
        match fn:
            case "add" | "sub" | "bit_or" | "bit_xor" | "shl" | "shr" if number == 0:
                return a
            case "mul" | "bit_and" if number == 0:
                return Known(wrap(0, a.dtype))
            case "mul" | "floordiv" if number == 1:
                return a
            case "bit_and" | "bit_or" if a.dtype.kind == "bool" and number == 1:
                return a if fn == "bit_and" else Known(True)
            case "floordiv" | "mod" | "maximum" | "minimum":
                return self._fold_by_range(fn, a, b)
            case _:
                return None

    def _fold_by_range(self, fn: str, a: Value, b: Value) -> Value | Known | None:
        (low, high), (other_low, other_high) = self.range(a), self.range(b)
        match fn:
            case "maximum" if low >= other_high or high <= other_low:
                return a if low >= other_high else b
            case "minimum" if high <= other_low or low >= other_high:
                return a if high <= other_low else b
            case "floordiv" if (
                other_low == other_high > 0 and low // other_low == high // other_low
            ):
                return Known(wrap(low // other_low, a.dtype))
            case "mod" if other_low == 1 == other_high:
                return Known(wrap(0, a.dtype))
            case "mod" if low >= 0 and high < other_low:
                return a
            case _:
                return None


def facts_of(block: Block, lanes: int, subgroups: int) -> Facts:
    """What is known of the integers of a finished block; every value is defined before its use."""
    facts = Facts()
    _gather(facts, block, {"lane": lanes - 1, "subgroup": subgroups - 1, "group": 2**63 - 1})
    return facts


def _gather(facts: Facts, block: Block, highest: dict[str, int]) -> None:
    for operation in block.operations:
        match operation:
            case Constant():
                facts.constants[operation.result] = operation.value
            case Special():
                most = min(highest[operation.kind], bounds(operation.result.dtype)[1])
                facts.narrow(operation.result, (0, most))
            case Compute():
                facts.learn(operation)
            case Convert() if not operation.value.dtype.is_float:
                if operation.result.dtype.is_integer:
                    facts.convert(operation)
            case Parameter():
                facts.multiples[operation.result] = power_of_two(operation.parameter.multiple)
                if operation.parameter.known is not None:
                    facts.narrow(operation.result, operation.parameter.known)
            case For():
                steps = (operation.start, operation.step)
                facts.multiples[operation.index] = min(facts.multiple(value) for value in steps)
                low, high = facts.range(operation.start)[0], facts.range(operation.stop)[1] - 1
                facts.narrow(operation.index, (low, high))
            case _:
                pass
        for inner in operation.blocks():
            _gather(facts, inner, highest)
