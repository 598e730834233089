"""Index arithmetic in one normal form, and short names for it.

In: operands of a builder's `compute`.  Out: values.  Decides the normal form: what is the same
modulo the width becomes one value, so that equal addresses, neighbours and masks are recognised.
Leaves everything else, the folding of constants included, to the builder.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from certile.ir.machine import Value
from certile.ir.machine.fold import Facts, bounds, wrap

__all__ = ["IndexArithmetic", "Operand"]

Operand = Value | bool | int | float


class IndexArithmetic(ABC):
    """What a builder knows of integers, and what it makes of arithmetic on them."""

    def __init__(self) -> None:
        self.facts = Facts()

    @abstractmethod
    def compute(self, fn: str, *args: Operand) -> Value:
        """`fn(*args)` of the function table."""

    def normal(self, fn: str, a: Value, b: Value) -> Value | None:
        """The normal form of integer arithmetic, exact modulo the width; None where it is one.

        Constants stand outermost in sums, so what differs by a constant is seen to; comparisons
        with a constant are `lt` or `ge`, at the multiple that decides them.
        """
        number = self.facts.integer(b)
        match fn:
            case "sub" if number is not None:
                return self.compute("add", a, wrap(-number, a.dtype))
            case "add":
                return self._normal_sum(a, b, number)
            case "mul" if number is not None:
                return self._normal_product(a, number)
            case "le" | "gt" if number is not None and number < bounds(a.dtype)[1]:
                return self.compute("lt" if fn == "le" else "ge", a, number + 1)
            case "lt" | "ge":
                return self._normal_comparison(fn, a, b, number)
            case _:
                return None

    def _normal_sum(self, a: Value, b: Value, number: int | None) -> Value | None:
        """(x + c) + b -> (x + b) + c, and the same on the right."""
        inner, constant = self.facts.sum_of(a)
        if constant and number is not None:
            return self.compute("add", inner, wrap(constant + number, a.dtype))
        if constant:
            return self.compute("add", self.compute("add", inner, b), constant)
        inner, constant = self.facts.sum_of(b)
        if not constant or number is not None:
            return None
        return self.compute("add", self.compute("add", a, inner), constant)

    def _normal_product(self, a: Value, number: int) -> Value | None:
        """(x * c) * d -> x * (c * d); (x + c) * d -> x * d + c * d."""
        inner = self.facts.definitions.get(a)
        constant = None if inner is None or len(inner.args) != 2 else inner.args[1]
        factor = None if constant is None else self.facts.integer(constant)
        if inner is None or factor is None or inner.fn not in ("add", "mul"):
            return None
        total = wrap(factor * number, a.dtype)
        if inner.fn == "mul":
            return self.compute("mul", inner.args[0], total)
        return self.compute("add", self.compute("mul", inner.args[0], number), total)

    def _normal_comparison(self, fn: str, a: Value, b: Value, number: int | None) -> Value | None:
        """x + k < n, where x is a multiple of m, is decided by the next multiple of m above n - k.

        A whole pack of consecutive elements so has one mask.  Not where x + k may wrap.
        """
        facts = self.facts
        inner, constant = facts.sum_of(a)
        multiple = facts.multiple(inner)
        if number is None:
            inside = 0 < constant < min(multiple, facts.multiple(b))
            return self.compute(fn, inner, b) if inside else None
        low, high = bounds(a.dtype)
        limit = -((constant - number) // multiple) * multiple
        moved = (facts.range(inner)[0] + constant, facts.range(inner)[1] + constant, limit)
        if (limit, constant) == (number, 0) or not all(low <= end <= high for end in moved):
            return None
        return self.compute(fn, inner, limit)

    def add(self, a: Operand, b: Operand) -> Value:
        """a + b."""
        return self.compute("add", a, b)

    def sub(self, a: Operand, b: Operand) -> Value:
        """a - b."""
        return self.compute("sub", a, b)

    def mul(self, a: Operand, b: Operand) -> Value:
        """a * b."""
        return self.compute("mul", a, b)

    def floordiv(self, a: Operand, b: Operand) -> Value:
        """The floor of a / b; 0 for a divisor of 0."""
        return self.compute("floordiv", a, b)

    def mod(self, a: Operand, b: Operand) -> Value:
        """a - b * floor(a / b); 0 for a divisor of 0."""
        return self.compute("mod", a, b)

    def lt(self, a: Operand, b: Operand) -> Value:
        """a < b."""
        return self.compute("lt", a, b)

    def ge(self, a: Operand, b: Operand) -> Value:
        """a >= b."""
        return self.compute("ge", a, b)

    def eq(self, a: Operand, b: Operand) -> Value:
        """a == b."""
        return self.compute("eq", a, b)

    def minimum(self, a: Operand, b: Operand) -> Value:
        """The lesser of a and b."""
        return self.compute("minimum", a, b)

    def and_(self, *conditions: Value | None) -> Value | None:
        """All of the conditions; None counts as true, and None alone is returned as None."""
        result: Value | None = None
        for condition in conditions:
            if condition is not None and self.facts.constant(condition) is not True:
                result = condition if result is None else self.compute("bit_and", result, condition)
        return result

    def or_(self, a: Value, b: Value) -> Value:
        """Either of two conditions."""
        return self.compute("bit_or", a, b)

    def not_(self, a: Value) -> Value:
        """The opposite of a condition."""
        return self.compute("bit_xor", a, True)

    def select(self, condition: Value, a: Operand, b: Operand) -> Value:
        """`a` where the condition holds, else `b`."""
        return self.compute("where", condition, a, b)

    def select_all(
        self, condition: Value, a: Sequence[Value], b: Sequence[Value]
    ) -> tuple[Value, ...]:
        """`a` where the condition holds, else `b`, component by component."""
        return tuple(self.select(condition, x, y) for x, y in zip(a, b, strict=True))
