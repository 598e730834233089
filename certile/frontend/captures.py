"""What a kernel's function reads from around itself: globals, closures, defaults, helpers.

In: a Python function.  Out: a `Captures` that can tell whether a trace made earlier would come out
the same.  Decides by a conservative walk of the code, through helpers, modules, classes and small
containers.  Leaves the meaning to the trace: where the walk cannot see what is read, it says that
the trace has to be made again, which is slow but right.
"""

from __future__ import annotations

import builtins
import dis
import functools
from collections.abc import Callable, Hashable, Iterator
from itertools import chain
from operator import is_
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from certile.frontend.dtype_names import dtype_of
from certile.frontend.spec import typed_key
from certile.language.laws import UserLaw

# Contents of larger containers are not compared; a kernel that reads one is traced each time.
_LARGEST_SNAPSHOT = 256

# What these packages define does not change under a kernel.
_STEADY = ("certile", "numpy", "ml_dtypes", "math", "torch", "mlx", "builtins", "operator")

_SIMPLE = (bool, int, float, complex, str, bytes, type(None), type(...))
_MISSING = object()


class Captures:
    """Guards on what a function read; `hold` says whether all still hold."""

    def __init__(self, function: FunctionType) -> None:
        self.volatile = False
        self._names: list[tuple[Callable[[str, object], object], str, object]] = []
        self._cells: list[tuple[CellType, object]] = []
        self._functions: list[tuple[FunctionType, CodeType, object, object]] = []
        # A container, what it held one by one, and a key under which equal contents are equal.
        self._snapshots: list[tuple[Any, tuple[object, ...], Hashable]] = []
        self._seen: set[int] = set()
        self._keep: list[object] = []
        # Helpers that are still to be read; they may be nested deeper than Python calls.
        self._pending = [function]
        while self._pending:
            self._function(self._pending.pop())
        del self._seen, self._pending

    def hold(self) -> bool:
        """Whether the function would read the same again."""
        # Plain loops over what is usually one entry: this runs at every call.
        for get, name, value in self._names:
            now = get(name, _MISSING)
            if now is not value and not _same(now, value):
                return False
        for function, code, defaults, keywords in self._functions:
            if function.__code__ is not code or function.__kwdefaults__ is not keywords:
                return False
            now = function.__defaults__
            if now is not defaults and not _same(now, defaults):
                return False
        return not (self._cells or self._snapshots or self.volatile) or self._rest_holds()

    def _rest_holds(self) -> bool:
        if self.volatile:
            return False
        for cell, value in self._cells:
            now = _contents(cell)
            if now is not value and not _same(now, value):
                return False
        for held, items, key in self._snapshots:
            # The very same items, in most calls, cost less to see than a key to make.
            now_held = tuple(_items(held))
            same = len(now_held) == len(items) and all(map(is_, now_held, items))
            if not same and _snapshot(held) != key:
                return False
        return True

    def _function(self, function: FunctionType) -> None:
        if not self._first(function):
            return
        self._functions.append(
            (function, function.__code__, function.__defaults__, function.__kwdefaults__)
        )
        reads = _Reads(function.__code__)
        for name in sorted(reads.globals):
            value = function.__globals__.get(name, _MISSING)
            self._names.append((function.__globals__.get, name, value))
            self._follow(value, reads.attributes)
        for cell in function.__closure__ or ():
            value = _contents(cell)
            self._cells.append((cell, value))
            self._follow(value, reads.attributes)
        defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        for value in defaults:
            self._follow(value, reads.attributes)

    def _follow(self, value: object, attributes: frozenset[str]) -> None:
        """Guard what the function may reach through `value`."""
        if isinstance(value, UserLaw):
            for method in value.methods:
                self._follow(method, attributes)
            return
        if value is _MISSING or isinstance(value, _SIMPLE) or _steady(value):
            return
        match value:
            case FunctionType():
                self._pending.append(value)
            case MethodType():
                self._function_of(value.__func__, attributes)
                self._follow(value.__self__, attributes)
            case functools.partial():
                for part in (value.func, *value.args, *value.keywords.values()):
                    self._follow(part, attributes)
            case property():
                self._follow(value.fget, attributes)
            case staticmethod() | classmethod():
                self._follow(value.__func__, attributes)
            case list() | dict() | set() | tuple() | frozenset():
                self._container(value, attributes)
            case _:
                self._object(value, attributes)

    def _function_of(self, value: object, attributes: frozenset[str]) -> None:
        if isinstance(value, FunctionType):
            self._pending.append(value)
        else:
            self._follow(value, attributes)

    def _container(self, value: Any, attributes: frozenset[str]) -> None:  # noqa: ANN401 - any captured object
        if not self._first(value):
            return
        key = _snapshot(value)
        if key is None:
            self.volatile = True
            return
        if not isinstance(value, tuple | frozenset):
            self._snapshots.append((value, tuple(_items(value)), key))
        for item in _items(value):
            self._follow(item, attributes)

    def _object(self, value: object, attributes: frozenset[str]) -> None:
        """Guard the attributes, of a module, a class or an instance, that the code may name."""
        if not self._first(value):
            return
        namespace = getattr(value, "__dict__", None)
        if namespace is None or hasattr(type(value), "__getattr__"):
            self.volatile = True
            return
        if not isinstance(value, ModuleType | type):
            self._follow(type(value), attributes)
            if hasattr(value, "__getitem__") or hasattr(value, "__call__"):  # noqa: B004 - any captured object
                self.volatile = True
        for name in sorted(attributes):
            held = namespace.get(name, _MISSING)
            self._names.append((namespace.get, name, held))
            self._follow(held, attributes)

    def _first(self, value: object) -> bool:
        """Whether the walk meets `value` for the first time; it is kept, so that its id stays."""
        if id(value) in self._seen:
            return False
        self._seen.add(id(value))
        self._keep.append(value)
        return True


class _Reads:
    """The names a code object, with those inside it, reads as globals and as attributes."""

    def __init__(self, code: CodeType) -> None:
        loads = [
            (instruction.opname, str(instruction.argval))
            for part in _with_inner(code)
            for instruction in dis.get_instructions(part)
        ]
        self.globals = {name for op, name in loads if op in ("LOAD_GLOBAL", "LOAD_NAME")}
        self.attributes = frozenset(
            name for op, name in loads if op in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM")
        )


def _with_inner(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _with_inner(constant)


def _steady(value: object) -> bool:
    """Whether nothing that a kernel reads through `value` can change."""
    if isinstance(value, BuiltinFunctionType | np.generic | np.ufunc) or dtype_of(value):
        return True
    if isinstance(value, ModuleType):
        return value.__name__.partition(".")[0] in _STEADY
    if isinstance(value, type | FunctionType):
        # Code that ran in a namespace without a name: functions have no module, and classes say
        # that they are Python's own.
        module = value.__module__ or ""
        if module == "builtins":
            return getattr(builtins, value.__name__, None) is value
        return module.partition(".")[0] in _STEADY
    return type(value).__module__.partition(".")[0] == "certile"


def _same(now: object, before: object) -> bool:
    """Whether two values read alike: identical, or equal immutable ones of one type."""
    if now is before:
        return True
    if type(now) is not type(before) or not isinstance(now, (*_SIMPLE, tuple)):
        return False
    try:
        return typed_key(now) == typed_key(before)
    except TypeError:
        return False


def _contents(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return _MISSING


def _items(value: Any) -> Iterator[object]:  # noqa: ANN401 - any captured object
    return chain(value, value.values()) if isinstance(value, dict) else iter(value)


def _snapshot(value: Any) -> Hashable:  # noqa: ANN401 - any captured object
    """Return a key of a container's contents; None when it is too large."""
    if len(value) > _LARGEST_SNAPSHOT:
        return None
    if isinstance(value, dict):
        return (dict, tuple((_item_key(k), _item_key(v)) for k, v in value.items()))
    if isinstance(value, set | frozenset):
        return (type(value), frozenset(_item_key(item) for item in value))
    return (type(value), tuple(_item_key(item) for item in value))


def _item_key(item: object) -> Hashable:
    # What is followed by itself is compared by identity here.
    return typed_key(item) if isinstance(item, _SIMPLE) else id(item)
