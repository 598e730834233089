"""Terms with one node changed, which wrong laws are made from, and terms computed by NumPy."""

import math

import numpy as np

from certile.ir.terms import Apply, Lit, Var, evaluate

FUNCTIONS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "abs": np.abs,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "rsqrt": lambda a: 1 / np.sqrt(a),
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "isfinite": np.isfinite,
    "isnan": np.isnan,
    "bit_and": np.logical_and,
    "bit_or": np.logical_or,
    "where": np.where,
}
NAMED = {
    "lowest": -math.inf,
    "highest": math.inf,
    "-inf": -math.inf,
    "inf": math.inf,
    "nan": math.nan,
}


def computed(term, variables, dtype, functions=FUNCTIONS):
    """The term's value, its literals of `dtype`, each operation rounded once."""
    with np.errstate(all="ignore"):
        return evaluate(
            term,
            variables,
            lambda lit, beside: dtype(NAMED.get(lit.value, lit.value)),
            lambda fn, args: functions[fn](*args),
        )


def places(term):
    """The path to every node of a term, its own first."""
    yield ()
    for k, arg in enumerate(term.args if isinstance(term, Apply) else ()):
        yield from ((k, *rest) for rest in places(arg))


def changed(choose, term, path, names, swaps, number):
    """The term with the node at a path changed.

    A literal becomes `number` of its value, a variable one of `names`, a function another of its
    group in `swaps`, or one of its own operands where it has no other.
    """
    if path:
        args = list(term.args)
        args[path[0]] = changed(choose, args[path[0]], path[1:], names, swaps, number)
        return Apply(term.fn, tuple(args))
    match term:
        case Lit(value):
            return Lit(number(choose, value))
        case Var():
            return Var(choose.choice(names))
        case Apply(fn, args):
            group = next((each for each in swaps if fn in each), (fn,))
            other = choose.choice(group)
            return Apply(other, args) if other != fn else choose.choice(args)
