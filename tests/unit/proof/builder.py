"""Short ways to write terms and one-goal proofs."""

from certile.proof.check import kinds
from certile.proof.check.context import Context
from certile.proof.check.rules import STEPS, Goal, Replay, Step
from certile.proof.check.terms import Refused, Table

# What is known of the order of two terms, from nothing to a < b.
UNKNOWN, AT_MOST, BELOW = range(3)
DOMAIN = {"x": kinds.ANY, "f": kinds.FINITE, "e.x": kinds.ANY, "e.f": kinds.FINITE}


class Build:
    """A table with a method for each operation: `b.add(b.sym("x"), b.num(1))`."""

    def __init__(self, fuel=10**6):
        self.table = Table(fuel)
        self.context = Context(self.table, DOMAIN)

    def __getattr__(self, op):
        def make(*args, value=None):
            return self.table.make(op, *args, value=value)

        return make

    def num(self, value):
        """A constant."""
        return self.table.num(value)

    def elem(self, name="x"):
        """The element."""
        return self.table.make("elem", value=name)

    def sym(self, name):
        """A symbol; those without a domain may be anything."""
        return self.table.make("sym", value=name)

    def over(self, op, body, name="xs"):
        """An aggregate."""
        return self.table.make(op, body, value=name)

    def replay(self, left, right, context=None):
        """A proof with one goal."""
        return Replay(Goal(context or self.context, left, right))


def in_order(context, a, b, rank):
    """What is known once a < b, or once both are numbers and not b < a."""
    make, number = context.table.make, kinds.ANY & ~kinds.NAN
    if rank == BELOW:
        return context.with_kind(make("less", a, b), kinds.POS)
    context = context.with_kind(a, number).with_kind(b, number)
    return context.with_kind(make("less", b, a), kinds.ZERO)


def order(context, a, b):
    """`BELOW` if a < b is known, `AT_MOST` if a <= b or a is b, else `UNKNOWN`."""
    make, number = context.table.make, kinds.ANY & ~kinds.NAN
    if context.kind(make("less", a, b)) == kinds.POS:
        return BELOW
    numbers = kinds.within(context.kind(a) | context.kind(b), number)
    known = numbers and context.kind(make("less", b, a)) == kinds.ZERO
    return AT_MOST if known or context.kind(make("same", a, b)) == kinds.POS else UNKNOWN


def identical(context, a, b):
    """What is known once a is b."""
    return context.with_kind(context.table.make("same", a, b), kinds.POS)


def attained(context, extreme, over):
    """The mask of a sum as an attained extreme narrows it, or None where none is attained."""
    try:
        (goal,) = STEPS["attain"][1](Goal(context, extreme, over), step("attain", extreme))
    except Refused:
        return None
    return goal.context.kind(over)


def step(name, *terms, masks=()):
    """A step."""
    return Step(name, terms, tuple(masks))
