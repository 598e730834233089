"""The reduction laws a kernel may name, and how an author writes one.

In: nothing, or a class.  Out: names of laws, and `UserLaw` objects.  Decides which laws there are
besides those that are element-wise functions too (`certile.language.math`), and which parts a law
of the author's has.  Leaves what laws compute to `certile.ir.laws`, and what the author's methods
mean to `certile.frontend.user_laws`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType

from certile.diagnostics import KernelError
from certile.records import record
from certile.source import Loc

Method = Callable[..., object]

_CLAIMS = ("invariants", "spec", "closed", "step")
# How many states or elements each method takes; `lift` takes as many as the law has operands.
_TAKES = {"identity": 0, "lift": None, "merge": 2, "finalize": 1}


@record
class LawName:
    """A reduction law by name, for `ct.reduce`; `count` is how many values one of several keeps."""

    name: str
    count: int | None = None

    def __repr__(self) -> str:
        return f"ct.{self.name}" + (f"({self.count})" if self.count is not None else "")


@record(eq=False)
class UserLaw:
    """A law that an author wrote, made by `ct.law`.

    `state` has a dtype for each component, in order: one of the language, `"acc"` (the one that the
    reduction accumulates in) or `"index"`.  `invariants`, `spec`, `closed` and `step` are None
    where the class has none.
    """

    name: str
    state: Mapping[str, object]
    identity: Method
    lift: Method
    merge: Method
    finalize: Method
    invariants: Method | None
    spec: Method | None
    closed: Method | None
    step: Method | None
    commutative: bool
    loc: Loc

    @property
    def methods(self) -> tuple[Method, ...]:
        """The methods that decide what the law computes and what is claimed of it."""
        found = (self.identity, self.lift, self.merge, self.finalize)
        claimed = (self.invariants, self.spec, self.closed, self.step)
        return (*found, *(method for method in claimed if method is not None))

    def __repr__(self) -> str:
        return f"<law {self.name}>"


def law(written: type) -> UserLaw:
    """Make a reduction law of a class, for `ct.reduce` and `ct.scan`.

    The class has `state`, a dict of component names and dtypes, and static methods: `identity()`
    gives the state of no elements, `lift(x)` that of one (`lift(x, y)` of one of each of two
    tiles; a keyword-only `index` is the element's place), `merge(a, b)` that of the elements of `a`
    followed by those of `b`, and `finalize(s)` what the reduction gives.  A state is read by
    component, `a.total`, and returned as a value (of one component), a tuple in order, or a dict.
    `commutative = False` says that the order of elements matters.  `invariants(s)` gives conditions
    that every state fulfils.

    A law is proved where it says what it means, and tried on generated lists where it does not.
    `spec(xs)` gives what the reduction gives of the list `xs`, in terms of `ct.list`; `closed(xs)`
    gives components of the state in the same terms, for those whose merge is not a sum, product,
    extremum, `|` or `&` of the two sides.  A law that keeps order has `step(state, x)` instead: the
    state after one more element.

    Raises `KernelError` K040 for a class that lacks a part.
    """
    loc = Loc.of_user()
    state = _state(written, loc)
    parts = {name: _method(written, name, loc) for name in _TAKES}
    extras = {name: _extra(written, name, loc) for name in _CLAIMS}
    commutative = getattr(written, "commutative", True)
    if not isinstance(commutative, bool):
        message = f"commutative of law {written.__name__} is {commutative!r}, not True or False"
        raise KernelError("K040", message, loc=loc)
    return UserLaw(
        name=written.__name__,
        state=state,
        identity=parts["identity"],
        lift=parts["lift"],
        merge=parts["merge"],
        finalize=parts["finalize"],
        invariants=extras["invariants"],
        spec=extras["spec"],
        closed=extras["closed"],
        step=extras["step"],
        commutative=commutative,
        loc=loc,
    )


def _state(written: type, loc: Loc) -> Mapping[str, object]:
    """The components of a law's state, which nobody can change any more."""
    state = getattr(written, "state", None)
    if not isinstance(state, Mapping) or not _is_state(state):
        message = f"law {written.__name__} has no state"
        hint = 'write state = {"total": "acc"}: a dtype for each component by name'
        raise KernelError("K040", message, loc=loc, hint=hint)
    return MappingProxyType(dict(state))


def _is_state(state: Mapping[object, object]) -> bool:
    """Whether there are components, each by a name that can be read from a state."""
    wrong = [
        name
        for name in state
        if not (isinstance(name, str) and name.isidentifier() and not name.startswith("_"))
    ]
    return bool(state) and not wrong


def _method(written: type, name: str, loc: Loc) -> Method:
    """A method that every law has, checked to take what it is given."""
    method, takes = _extra(written, name, loc), _TAKES[name]
    if method is None:
        hint = f"add a static method {name}"
        raise KernelError("K040", f"law {written.__name__} has no {name}", loc=loc, hint=hint)
    kinds = [each.kind for each in inspect.signature(method).parameters.values()]
    plain = [kind for kind in kinds if kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    free = inspect.Parameter.VAR_POSITIONAL in kinds or inspect.Parameter.VAR_KEYWORD in kinds
    if free or len(plain) != takes if takes is not None else free or not plain:
        wanted = "at least one tile, one by one" if takes is None else f"{takes} argument(s)"
        message = f"{name} of law {written.__name__} takes {wanted}"
        hint = "make it a static method, without self"
        raise KernelError("K040", message, loc=loc, hint=hint)
    known = {"index"} if name == "lift" else set()
    for each in inspect.signature(method).parameters.values():
        if each.kind is inspect.Parameter.KEYWORD_ONLY and each.name not in known:
            message = f"{name} of law {written.__name__} takes a keyword {each.name}"
            raise KernelError("K040", message, loc=loc, hint="only lift has one, which is index")
    return method


def _extra(written: type, name: str, loc: Loc) -> Method | None:
    method = getattr(written, name, None)
    if method is not None and not callable(method):
        raise KernelError("K040", f"{name} of law {written.__name__} is no function", loc=loc)
    return method


def top_values(k: int) -> LawName:
    """Return the law of the `k` greatest elements, 1 to 16, for `ct.reduce` and `ct.scan`.

    It gives a tuple of `k` tiles, the greatest first, equal elements as often as they occur; for
    one it is `ct.maximum` and gives a tile.  A NaN is greater than every number.  Where there are
    fewer elements the rest are -inf, the least number of an integer dtype.
    """
    return LawName("top_values", k)


def bottom_values(k: int) -> LawName:
    """Return the law of the `k` least elements, 1 to 16, for `ct.reduce` and `ct.scan`.

    It gives a tuple of `k` tiles, the least first; for one it is `ct.minimum` and gives a tile.  A
    NaN is less than every number, as it is for `ct.minimum`.  Where there are fewer elements the
    rest are inf, the greatest number of an integer dtype.
    """
    return LawName("bottom_values", k)


absmax = LawName("absmax")
affine = LawName("affine")
all = LawName("all")  # noqa: A001 - NumPy's name
any = LawName("any")  # noqa: A001 - NumPy's name
argmax = LawName("argmax")
argmin = LawName("argmin")
logsumexp = LawName("logsumexp")
mean_var = LawName("mean_var")
softmax_sum = LawName("softmax_sum")
sum_var = LawName("sum_var")
