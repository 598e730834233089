"""Terms with one node changed: what tests of provers and checkers make wrong laws from."""

from certile.ir.terms import Apply, Lit, Var


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
