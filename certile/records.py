"""Frozen records: what `@dataclass(frozen=True, slots=True)` gives, made in a quarter of the time.

In: a class whose annotations are its fields, as `dataclasses` reads them.  Out: a dataclass whose
instances cannot change.  Decides how its methods come to be: `dataclasses` compiles the text of six
for each class, and the compiler has so many small records that this was half of a first call.  Here
the text of one is compiled, `__init__`, when it is first asked for: half of the records that are
imported have no instance.  The others are closures over the names of the fields.
Leaves to `dataclasses` what a field is, slots, `fields`, `replace` and `asdict`.

A record and a frozen dataclass cannot inherit from each other.
"""

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, TypeVar, dataclass_transform, overload

__all__ = ["record"]

_T = TypeVar("_T")

# Stands for an argument that was not given, where a function makes the default.
_ABSENT = object()


@overload
def record(cls: type[_T], /) -> type[_T]:
    """Make a class a record."""


@overload
def record(
    *, slots: bool = True, eq: bool = True, repr: bool = True, kw_only: bool = False
) -> Callable[[type[_T]], type[_T]]:
    """Return what makes a class a record."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(
    cls: type[_T] | None = None,
    /,
    *,
    slots: bool = True,
    eq: bool = True,
    repr: bool = True,  # noqa: A002 - the name that `dataclass` gives it
    kw_only: bool = False,
) -> type[_T] | Callable[[type[_T]], type[_T]]:
    """Make a class a frozen dataclass; options mean what they mean to `dataclasses.dataclass`.

    Without `slots` instances have a dictionary, which `functools.cached_property` needs.  As there,
    a method that the class itself writes stays, and `eq` brings a hash.
    """

    def make(written: type[_T]) -> type[_T]:
        made = dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(written)
        known = fields(made)  # type: ignore[arg-type]
        methods: dict[str, object] = {
            "__init__": _Initialiser(made, known),
            "__setattr__": _refuse_setting,
            "__delattr__": _refuse_deleting,
        }
        if repr:
            methods["__repr__"] = _shown
        if eq:
            methods |= _compared(known)
        if slots:
            # Without these, `copy` and `pickle` would assign to the slots.
            methods |= {"__getstate__": _state, "__setstate__": _restore}
        own = vars(made)
        for name, method in methods.items():
            # A class that writes its own equality has None for a hash.
            if own.get(name) is None:
                setattr(made, name, method)
        return made

    return make if cls is None else make(cls)


class _Initialiser:
    """Stands for the `__init__` of a record until somebody asks for it."""

    def __init__(self, made: type[object], known: tuple[Field[Any], ...]) -> None:
        self._made = made
        self._known = known

    def __get__(self, instance: object, owner: type[object]) -> Callable[..., None]:
        """Put the function in its own place, and return what the function would."""
        function = _initialiser(self._made, self._known)
        self._made.__init__ = function  # type: ignore[method-assign]
        bound: Callable[..., None] = function.__get__(instance, owner)
        return bound


def _initialiser(made: type[object], known: tuple[Field[Any], ...]) -> Callable[..., None]:
    """Compile `__init__`: it sets every field, then lets `__post_init__` judge."""
    given: dict[str, Any] = {"_set": object.__setattr__, "_ABSENT": _ABSENT}
    positional, named = ["self"], list[str]()
    lines: list[str] = []
    for each in known:
        name, parameter, value = each.name, each.name, each.name
        if each.default is not MISSING:
            given[f"_default_{name}"] = each.default
            parameter = f"{name}=_default_{name}"
        elif each.default_factory is not MISSING:
            given[f"_make_{name}"] = each.default_factory
            parameter = f"{name}=_ABSENT"
            value = f"_make_{name}() if {name} is _ABSENT else {name}"
        (named if each.kw_only else positional).append(parameter)
        lines.append(f' _set(self, "{name}", {value})\n')
    if hasattr(made, "__post_init__"):
        lines.append(" self.__post_init__()\n")
    parameters = ", ".join([*positional, "*", *named] if named else positional)
    body = "".join(lines) or " pass\n"
    exec(f"def __init__({parameters}):\n{body}", given)  # noqa: S102 - names of fields alone
    function: Callable[..., None] = given["__init__"]
    function.__qualname__ = f"{made.__qualname__}.__init__"
    function.__annotations__ = {each.name: each.type for each in known} | {"return": None}
    return function


def _compared(known: tuple[Field[Any], ...]) -> dict[str, object]:
    """Equality of instances of one class, and a hash that agrees with it."""
    compared = _getter([each.name for each in known if each.compare])
    kinds = [(each.name, each.compare if each.hash is None else each.hash) for each in known]
    hashed = _getter([name for name, counts in kinds if counts])

    def equal(self: object, other: object) -> object:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return compared(self) == compared(other)

    def digest(self: object) -> int:
        return hash(hashed(self))

    return {"__eq__": equal, "__hash__": digest}


def _getter(names: list[str]) -> Callable[[object], tuple[object, ...]]:
    """Return what reads these attributes as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


@recursive_repr()
def _shown(self: Any) -> str:  # noqa: ANN401 - any record
    values = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(values)})"


def _refuse_setting(self: object, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deleting(self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[object]:  # noqa: ANN401 - any record
    return [getattr(self, each.name) for each in fields(self)]


def _restore(self: Any, state: list[object]) -> None:  # noqa: ANN401 - any record
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
