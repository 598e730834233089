"""A kernel's parameters, and what an argument is under them.

In: a Python function's signature; the values of a call, arrays already described as a dtype and a
rank.  Out: an `ArgumentSpec` for each parameter.  Decides which arguments fit: what the annotation
says, and for a plain parameter what the value is.  Leaves describing arrays to `certile.runtime`.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from certile.diagnostics import ArgumentError, KernelError, shown_number, with_article
from certile.frontend.dtype_names import NAMES, dtype_of
from certile.frontend.spec import ArgumentSpec, ConstantSpec, ScalarSpec, ViewSpec
from certile.frontend.trace import unwrapped
from certile.ir.dtypes import DType, bool_, f32, f64, highest, lowest, of_scalar
from certile.language.annotations import Constexpr, InOut, View, ViewAnnotation
from certile.records import record
from certile.source import Loc

Described = tuple[DType, int]

_ANY_VIEW = ViewAnnotation()
# From the narrowest to the widest.
_NumberKind: TypeAlias = Literal["bool", "int", "float"]
_KINDS: tuple[_NumberKind, ...] = get_args(_NumberKind)
_PYTHON_NUMBERS: dict[object, _NumberKind] = {
    bool: "bool",
    int: "int",
    float: "float",
}


@record
class Parameter:
    """One parameter: what it takes.

    `any` is decided by the argument; `number` is a plain Python number, `scalar` one of `dtype`.
    `optional` parameters take None, which is then a compile-time value.
    """

    name: str
    kind: Literal["any", "view", "scalar", "number", "constant"]
    view: ViewAnnotation = _ANY_VIEW
    dtype: DType | None = None
    number: _NumberKind | None = None
    optional: bool = False


class KernelSignature:
    """The parameters of a kernel's function."""

    def __init__(self, function: Callable[..., object]) -> None:
        self.python = _without_annotations(function)
        annotations = _annotations(function)
        loc = Loc.of_code(unwrapped(function).__code__)
        self.parameters = tuple(
            _parameter(each, annotations.get(each.name), loc)
            for each in self.python.parameters.values()
        )
        self.names = tuple(parameter.name for parameter in self.parameters)
        kinds = {each.kind for each in self.python.parameters.values()}
        # A call with so many positional arguments and nothing else needs no binding.
        self.positional_count = -1 if inspect.Parameter.KEYWORD_ONLY in kinds else len(self.names)
        self._plain = kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD}
        defaults = [each.default for each in self.python.parameters.values()]
        self._endings = {
            count: tuple(defaults[count:])
            for count in range(len(defaults))
            if self._plain and inspect.Parameter.empty not in defaults[count:]
        }

    def bind(
        self, name: str, args: tuple[object, ...], keywords: dict[str, object]
    ) -> tuple[object, ...]:
        """Return one value a parameter, in order; raises `ArgumentError` A001 as Python would."""
        if not keywords and len(args) == self.positional_count:
            return args
        # These two at a tenth of the cost of `inspect`, which is left to say what is wrong.
        if not keywords and len(args) in self._endings:
            return args + self._endings[len(args)]
        if keywords and self._plain and self.names[len(args) :] == tuple(keywords):
            return (*args, *keywords.values())
        try:
            bound = self.python.bind(*args, **keywords)
        except TypeError as error:
            shown = f"{name}{self.python}"
            hint = method_hint(self.names)
            raise ArgumentError("A001", f"{error}; the kernel is {shown}", hint=hint) from None
        bound.apply_defaults()
        return tuple(bound.arguments[each] for each in self.names)

    def specs(
        self, values: Sequence[object], described: Sequence[Described | None]
    ) -> tuple[tuple[str, ArgumentSpec], ...]:
        """Return the spec of each argument; `described` holds dtype and rank of the arrays.

        Raises `ArgumentError` A002, A003, A004, A007 or A008 for the first that does not fit.
        """
        # A Python float is as exact as the views it meets.
        widest = f64 if any(each and each[0] == f64 for each in described) else f32
        return tuple(
            (parameter.name, argument_spec(parameter, value, each, widest))
            for parameter, value, each in zip(self.parameters, values, described, strict=True)
        )


def method_hint(parameters: Iterable[str]) -> str | None:
    """Return what helps where a call misses an argument, if the function stands in a class."""
    if next(iter(parameters), "") != "self":
        return None
    return "it is no method: put @staticmethod above, and pass what it reads of self"


def argument_spec(
    parameter: Parameter, value: object, described: Described | None, widest: DType = f32
) -> ArgumentSpec:
    """Return what `value` is for `parameter`."""
    if parameter.kind == "constant" or (value is None and parameter.optional):
        return _constant(parameter, value)
    if described is not None:
        return _view(parameter, *described)
    if isinstance(value, bool | int | float | np.generic):
        return _scalar(parameter, value, widest)
    raise _wrong_type(parameter, value)


def _view(parameter: Parameter, dtype: DType, rank: int) -> ViewSpec:
    if parameter.kind in ("scalar", "number"):
        wanted = parameter.dtype or parameter.number
        raise ArgumentError("A002", f"argument {parameter.name} is an array; it takes one {wanted}")
    declared = parameter.view
    if declared.dtypes and dtype not in declared.dtypes:
        allowed = " or ".join(map(str, declared.dtypes))
        raise ArgumentError("A003", f"argument {parameter.name} is {dtype}; it takes {allowed}")
    if declared.rank is not None and rank != declared.rank:
        message = f"argument {parameter.name} has rank {rank}; it takes rank {declared.rank}"
        raise ArgumentError("A004", message)
    return ViewSpec(dtype, rank)


def _scalar(
    parameter: Parameter, value: bool | int | float | np.generic, widest: DType
) -> ScalarSpec:
    if parameter.kind == "view":
        raise _wrong_type(parameter, value)
    if parameter.dtype is not None:
        _require_fit(parameter, value, parameter.dtype)
        return ScalarSpec(parameter.dtype)
    kind: _NumberKind
    if isinstance(value, np.generic):
        dtype = dtype_of(value.dtype)
        if dtype is None or dtype.is_storage:
            raise _wrong_type(parameter, value)
        kind = "float" if dtype.is_float else "bool" if dtype == bool_ else "int"
        _require_kind(parameter, value, kind)
        return ScalarSpec(dtype)
    kind = _PYTHON_NUMBERS[
        bool if isinstance(value, bool) else int if isinstance(value, int) else float
    ]
    _require_kind(parameter, value, kind)
    wanted = parameter.number or kind
    if wanted == "float":
        _require_fit(parameter, value, widest)
        return ScalarSpec(widest, "float")
    if wanted == "bool":
        return ScalarSpec(bool_, "bool")
    _require_fit(parameter, value, of_scalar(int(value)))
    return ScalarSpec(of_scalar(int(value)), "int")


def _require_kind(
    parameter: Parameter, value: bool | int | float | np.generic, kind: _NumberKind
) -> None:
    """Refuse a number of a wider kind than the parameter's own, whatever its value is."""
    wanted = parameter.number or kind
    if _KINDS.index(kind) > _KINDS.index(wanted):
        shown = repr(value) if isinstance(value, np.generic) else shown_number(value)
        message = f"argument {parameter.name} is {shown}; it takes {with_article(wanted)}"
        raise ArgumentError("A007", message)


def _require_fit(
    parameter: Parameter, value: bool | int | float | np.generic, dtype: DType
) -> None:
    number = value.item() if isinstance(value, np.generic) else value
    if dtype.is_float:
        # Floats beyond the dtype are infinite; an integer that no float holds is a mistake.
        if isinstance(number, int) and not _has_float(number):
            raise _unfit(parameter, number, dtype)
        return
    whole = not isinstance(number, float) and lowest(dtype) <= number <= highest(dtype)
    if not whole or (dtype == bool_ and not isinstance(number, bool)):
        raise _unfit(parameter, value, dtype)


def _has_float(number: int) -> bool:
    try:
        float(number)
    except OverflowError:
        return False
    return True


def _unfit(parameter: Parameter, value: object, dtype: DType) -> ArgumentError:
    message = f"argument {parameter.name} is {shown_number(value)}, which does not fit {dtype}"
    return ArgumentError("A007", message)


def _constant(parameter: Parameter, value: object) -> ConstantSpec:
    try:
        return ConstantSpec(value)
    except TypeError as error:
        shown = with_article(type(value).__name__)
        message = f"argument {parameter.name} is a compile-time value, and {shown} has no hash"
        raise ArgumentError("A008", message) from error


def _wrong_type(parameter: Parameter, value: object) -> ArgumentError:
    takes = {
        "view": "an array",
        "scalar": f"{with_article(parameter.dtype)} number",
        "number": f"a Python {parameter.number}",
    }.get(parameter.kind, "an array or a number")
    shown = with_article(type(value).__name__)
    message = f"argument {parameter.name} is {shown}; it takes {takes}"
    hint = "pass np.asarray(…) of it" if "array" in takes and _holds_elements(value) else None
    return ArgumentError("A002", message, hint=hint)


def _holds_elements(value: object) -> bool:
    """Whether NumPy could make an array of a value that is none: lists, buffers, data frames."""
    if isinstance(value, list | tuple) or hasattr(value, "__array__"):
        return True
    try:
        memoryview(value)  # type: ignore[arg-type]  # whether this works is the question
    except TypeError:
        return False
    return True


def _without_annotations(function: Callable[..., object]) -> inspect.Signature:
    """Return the signature as Python binds it; the annotations are read apart."""
    signature = inspect.signature(unwrapped(function))
    plain = [each.replace(annotation=each.empty) for each in signature.parameters.values()]
    return inspect.Signature(plain)


def _annotations(function: Callable[..., object]) -> dict[str, Any]:
    """Return the annotations as objects, also where the module keeps them as text."""
    inner = unwrapped(function)
    around = {
        name: cell.cell_contents
        for name, cell in zip(inner.__code__.co_freevars, inner.__closure__ or (), strict=True)
        if cell != types.CellType()
    }
    try:
        return inspect.get_annotations(inner, eval_str=True, locals=around)
    except (NameError, AttributeError, SyntaxError) as error:
        message = f"an annotation of {inner.__name__} cannot be read: {error}"
        hint = "name it by a module-level import, such as ct.View"
        loc = Loc.of_code(inner.__code__)
        raise KernelError("K026", message, loc=loc, hint=hint) from error


def _parameter(python: inspect.Parameter, annotation: object, loc: Loc) -> Parameter:
    if python.kind in (python.VAR_POSITIONAL, python.VAR_KEYWORD):
        message = f"a kernel has a fixed list of parameters, not {python}"
        raise KernelError("K026", message, loc=loc)
    optional = python.default is None
    members = get_args(annotation) if isinstance(annotation, types.UnionType) else ()
    if type(None) in members:
        optional = True
        annotation = next(member for member in members if member is not type(None))
    return _annotated(python.name, annotation, optional, loc)


def _annotated(name: str, annotation: object, optional: bool, loc: Loc) -> Parameter:
    if annotation is None or annotation in (object, Any):
        return Parameter(name, "any", optional=optional)
    if isinstance(annotation, Constexpr):
        return Parameter(name, "constant")
    if isinstance(annotation, ViewAnnotation):
        dtypes = [dtype_of(each) for each in annotation.dtypes]
        known = tuple(each for each in dtypes if each is not None)
        if len(known) != len(dtypes):
            wrong = next(each for each in annotation.dtypes if dtype_of(each) is None)
            message = f"{wrong!r}, which parameter {name} names, is not a dtype"
            raise KernelError("K026", message, loc=loc, hint=f"use one of {NAMES}")
        view = ViewAnnotation(known, annotation.rank, annotation.inout)
        return Parameter(name, "view", view, optional=optional or annotation.optional)
    if annotation is View or annotation is InOut:
        view = ViewAnnotation(inout=annotation is InOut)
        return Parameter(name, "view", view, optional=optional)
    if isinstance(annotation, type) and annotation in _PYTHON_NUMBERS:
        return Parameter(name, "number", number=_PYTHON_NUMBERS[annotation], optional=optional)
    dtype = dtype_of(annotation)
    if dtype is not None and dtype.is_storage:
        message = f"parameter {name} is a number of {dtype}, which is a format of memory"
        raise KernelError("K026", message, loc=loc, hint="take the number as ct.f32")
    if dtype is not None:
        return Parameter(name, "scalar", dtype=dtype, optional=optional)
    message = f"parameter {name} is annotated with {annotation!r}"
    hint = "use ct.View, ct.InOut, a dtype such as ct.f32, int, float, bool or ct.constexpr"
    raise KernelError("K026", message, loc=loc, hint=hint)
