"""The writing part of what names TVM: terms of its tirx.

In: what the emitter says, with types.  Out: nodes of TVM.  Decides nothing about a program; checks
what TVM itself does not: operands of one type, an index for every dimension, externs of a closed
list, and that no value is cast without a `cast`; what breaks one of these rules is `InternalError`
M030.  A `Term` is a node with the type we know it has.  Leaves statements and functions to
`certile.tirx.tvm_program`.

The package is imported when the first term is made, and `UnsupportedError` U320 says how to get it.
"""

from __future__ import annotations

import functools
import math
import struct
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from certile.diagnostics import InternalError, UnsupportedError
from certile.ir.array_types import FULL_NAMES
from certile.ir.dtypes import DType, bool_, u64
from certile.ir.machine.fold import wrap
from certile.records import record
from certile.tirx.externs import EXTERNS, INTRINSICS, TirxTarget

__all__ = [
    "VERSION",
    "Place",
    "Storage",
    "Term",
    "api",
    "argument",
    "binary",
    "bits",
    "call",
    "cast",
    "compare",
    "constant",
    "fault",
    "float_of",
    "intrinsic",
    "known_integer",
    "lanes_of",
    "lazily",
    "load",
    "logic",
    "masked_load",
    "negated",
    "prints_exactly",
    "ramp",
    "require_alike",
    "require_element",
    "select",
    "shuffled",
    "spread",
    "tensor",
    "type_name",
    "variable",
]

# The version whose names stand in this file.
VERSION = "0.27.0.post1"

# Node classes of TVM for arithmetic; `div` and `mod` truncate.
_NODES = {"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "mod": "Mod"}
_BITS = {
    "bit_and": "BitwiseAnd",
    "bit_or": "BitwiseOr",
    "bit_xor": "BitwiseXor",
    "shl": "LShift",
    "shr": "RShift",
}
_COMPARISONS = {"eq": "EQ", "ne": "NE", "lt": "LT", "le": "LE", "gt": "GT", "ge": "GE"}

# CUDA's functions from the bits of a number to the number.
_OF_BITS = ("__int_as_float", "__longlong_as_double")

# Where an array of a function lies.
Storage = Literal["local", "shared", "global"]


@record
class _Tvm:
    """The modules of the package."""

    root: Any
    tirx: Any
    ffi: Any


@functools.cache
def api() -> _Tvm:
    """Import TVM once; raises `UnsupportedError` U320 where it is not installed, or another is."""
    try:
        import tvm
        import tvm_ffi
        from tvm import tirx
    except ImportError as error:
        raise UnsupportedError("U320", f"TVM is not available: {error}") from error
    if tvm.__version__ != VERSION:
        message = f"TVM is installed as {tvm.__version__}, and its names differ from {VERSION}"
        raise UnsupportedError("U320", message)
    return _Tvm(tvm, tirx, tvm_ffi)


def fault(message: str) -> InternalError:
    """What the emitter got wrong; TVM would build it, or crash."""
    return InternalError("M030", message)


# Terms.


@record
class Term:
    """A node with its type: elements of `dtype` as TVM holds them, `lanes` of them (1: a scalar).

    `dtype` is what TVM's node has, so bf16 occurs nowhere: its bits are u16.  `named` says that the
    node only reads what was computed before: for good, or ("moving") until a loop carries on.
    """

    node: Any
    dtype: DType
    lanes: int = 1
    named: Literal["", "fixed", "moving"] = ""


@record
class Place:
    """An array of a function or an argument: flat, of `count` elements, each of `lanes` lanes."""

    node: Any
    dtype: DType
    count: int
    lanes: int = 1


def type_name(dtype: DType, lanes: int = 1) -> str:
    """TVM's name of a type."""
    # Sums that may not wrap are made in integers wider than those of arrays.
    name = FULL_NAMES.get(dtype.name, f"int{dtype.bits}")
    return name if lanes == 1 else f"{name}x{lanes}"


def constant(value: bool | int | float, dtype: DType, lanes: int = 1) -> Term:
    """A constant in every lane, written so that a C compiler reads it back."""
    tirx, name = api().tirx, type_name(dtype)
    if dtype.is_float:
        made = tirx.FloatImm(name, float(value))
    elif dtype == u64:
        # Metal has no literal of the suffix that TVM gives these.
        high, low = (tirx.Cast(name, tirx.IntImm("int64", part)) for part in divmod(value, 2**32))
        upper = tirx.LShift(high, tirx.Cast(name, tirx.IntImm("int64", 32)))
        made = low if value < 2**32 else tirx.BitwiseOr(upper, low)
    elif dtype.kind == "int" and dtype.bits >= 32 and value == -(1 << (dtype.bits - 1)):
        # The least value has no literal of its own sign in C.
        made = tirx.Sub(tirx.IntImm(name, int(value) + 1), tirx.IntImm(name, 1))
    else:
        made = tirx.IntImm(name, int(value))
    return spread(Term(made, dtype, named="fixed"), lanes)


def known_integer(value: Term) -> int | None:
    """The integer that a term is in every lane, where that is written out."""
    tirx, node = api().tirx, value.node
    while isinstance(node, tirx.Broadcast | tirx.Cast):
        node = node.value
    return int(node.value) if isinstance(node, tirx.IntImm) else None


def prints_exactly(value: float, dtype: DType) -> bool:
    """Whether the seven digits that a printer of TVM writes say this value."""
    if not math.isfinite(value):
        return False
    return float_of(f"{value:e}", dtype) == value


def float_of(text: str, dtype: DType) -> float:
    """A decimal number as a value of a dtype."""
    letter = {16: "e", 32: "f", 64: "d"}[dtype.bits]
    try:
        made: float = struct.unpack(letter, struct.pack(letter, float(text)))[0]
    except OverflowError:
        return math.copysign(math.inf, float(text))
    return made


def variable(name: str, dtype: DType, lanes: int = 1) -> Term:
    """A variable, to be defined by `Program.bind`, a loop or a parameter."""
    return Term(api().tirx.Var(name, type_name(dtype, lanes)), dtype, lanes, "fixed")


def spread(value: Term, lanes: int) -> Term:
    """A scalar in every lane."""
    if value.lanes == lanes:
        return value
    if value.lanes != 1:
        raise fault(f"{value.lanes} lanes where {lanes} are wanted")
    return Term(api().tirx.Broadcast(value.node, lanes), value.dtype, lanes, value.named)


def ramp(base: Term, stride: int, lanes: int) -> Term:
    """base, base + stride, …: one a lane."""
    tirx = api().tirx
    step = tirx.IntImm(type_name(base.dtype), stride)
    return Term(tirx.Ramp(base.node, step, lanes), base.dtype, lanes)


def require_alike(what: str, a: Term, b: Term) -> None:
    """Raise M030 where two operands are not of one type and one number of lanes."""
    if a.dtype != b.dtype or a.lanes != b.lanes:
        message = f"{what} of {a.dtype} in {a.lanes} lanes and {b.dtype} in {b.lanes}"
        raise fault(message)


def binary(name: str, a: Term, b: Term) -> Term:
    """One of add, sub, mul, div, mod (both truncate), bit_and, bit_or, bit_xor, shl, shr."""
    require_alike(name, a, b)
    if name in _BITS and (a.dtype.is_float or a.dtype == bool_):
        raise fault(f"{name} of {a.dtype}")
    node = _NODES.get(name) or _BITS[name]
    return Term(getattr(api().tirx, node)(a.node, b.node), a.dtype, a.lanes)


def compare(name: str, a: Term, b: Term) -> Term:
    """One of eq, ne, lt, le, gt, ge; a NaN compares as IEEE 754 says."""
    require_alike(name, a, b)
    if name == "ne" and a.dtype.is_float:
        # For LLVM TVM takes the comparison that is false of a NaN.
        return negated(compare("eq", a, b))
    return Term(getattr(api().tirx, _COMPARISONS[name])(a.node, b.node), bool_, a.lanes)


def logic(name: Literal["and", "or"], a: Term, b: Term) -> Term:
    """Conjunction or disjunction; both sides are defined everywhere."""
    require_alike(name, a, b)
    if a.dtype != bool_:
        raise fault(f"{name} of {a.dtype}")
    node = {"and": "And", "or": "Or"}[name]
    return Term(getattr(api().tirx, node)(a.node, b.node), bool_, a.lanes)


def negated(a: Term) -> Term:
    """The other truth value."""
    if a.dtype != bool_:
        raise fault(f"not of {a.dtype}")
    return Term(api().tirx.Not(a.node), bool_, a.lanes)


def select(condition: Term, a: Term, b: Term) -> Term:
    """`a` where the condition holds, else `b`; both are computed."""
    require_alike("select", a, b)
    if condition.dtype != bool_ or condition.lanes != a.lanes:
        raise fault(f"select by {condition.dtype} in {condition.lanes} lanes")
    return Term(api().tirx.Select(condition.node, a.node, b.node), a.dtype, a.lanes)


def lazily(condition: Term, a: Term, b: Term) -> Term:
    """`a` where a scalar condition holds, else `b`; the other is not computed."""
    require_alike("a choice", a, b)
    if condition.dtype != bool_ or condition.lanes != 1:
        raise fault(f"a choice by {condition.dtype} in {condition.lanes} lanes")
    return Term(api().tirx.if_then_else(condition.node, a.node, b.node), a.dtype, a.lanes)


def cast(value: Term, dtype: DType) -> Term:
    """Conversion as C does it; the caller has made sure that the value fits an integer."""
    if value.dtype == dtype:
        return value
    known = known_integer(value) if value.dtype.is_integer and dtype.is_integer else None
    if known is not None:
        # A pass that folds this itself stops at a negative number.
        return constant(wrap(known, dtype), dtype, value.lanes)
    name = type_name(dtype, value.lanes)
    return Term(api().tirx.Cast(name, value.node), dtype, value.lanes)


def bits(value: Term, dtype: DType) -> Term:
    """The same bits as another type of the same width."""
    if value.dtype == dtype:
        return value
    if value.dtype.bits != dtype.bits:
        raise fault(f"the bits of {value.dtype} are no {dtype}")
    held = _literal_bits(value)
    if held is not None and dtype.is_integer:
        # CUDA's text reads other bits through a pointer, and a number has no address.
        return constant(wrap(held, dtype), dtype, value.lanes)
    name = type_name(dtype, value.lanes)
    return Term(api().tirx.reinterpret(name, value.node), dtype, value.lanes)


def _literal_bits(value: Term) -> int | None:
    """The bits of a number that is written out in every lane."""
    tirx, node = api().tirx, value.node
    node = node.value if isinstance(node, tirx.Broadcast) else node
    args: Sequence[Any] = getattr(node, "args", ())
    if len(args) == 2 and getattr(args[0], "value", None) in _OF_BITS:
        return known_integer(replace(value, node=args[1]))
    if not isinstance(node, tirx.FloatImm):
        return None if value.dtype.is_float else known_integer(value)
    code = {16: "<e", 32: "<f", 64: "<d"}[value.dtype.bits]
    return int.from_bytes(struct.pack(code, node.value), "little")


def lanes_of(value: Term, lanes: Sequence[int]) -> Term:
    """Some lanes of a vector, in this order; a single one is a scalar."""
    return shuffled([value], lanes)


def shuffled(parts: Sequence[Term], lanes: Sequence[int]) -> Term:
    """Lanes of the concatenation of `parts`, all of one dtype."""
    if len({part.dtype for part in parts}) != 1:
        raise fault("lanes of several types")
    tirx = api().tirx
    places = [tirx.IntImm("int32", lane) for lane in lanes]
    made = tirx.Shuffle([part.node for part in parts], places)
    return Term(made, parts[0].dtype, len(lanes))


def call(target: TirxTarget, name: str, dtype: DType, args: Sequence[Term], lanes: int = 1) -> Term:
    """A function of the target's library; raises M030 for one that is not on its list.

    What lanes do together has an effect, so that TVM neither moves nor joins it.
    """
    known = EXTERNS[target].get(name)
    if known is None or known.arity != len(args):
        raise fault(f"{name} of {len(args)} operands is no function of {target}")
    tirx = api().tirx
    make = tirx.call_extern if known.together else tirx.call_pure_extern
    made = make(type_name(dtype, lanes), name, *(arg.node for arg in args))
    return Term(made, dtype, lanes)


def intrinsic(name: str, *args: Term) -> Term:
    """An LLVM intrinsic of operands and result of one type; M030 for one that is not listed."""
    if INTRINSICS.get(name) != len(args):
        raise fault(f"{name} of {len(args)} operands is no intrinsic")
    first = args[0]
    for other in args[1:]:
        require_alike(name, first, other)
    made = api().tirx.call_llvm_pure_intrin(
        type_name(first.dtype, first.lanes), name, *(arg.node for arg in args)
    )
    return Term(made, first.dtype, first.lanes)


# Memory.


def argument(name: str, dtype: DType, count: int, alignment: int) -> Place:
    """A flat array that the caller passes; what TVM is told of its alignment it never checks."""
    tirx = api().tirx
    node = tirx.decl_buffer((count,), type_name(dtype), name=name, data_alignment=alignment)
    return Place(node, dtype, count)


def require_element(place: Place, indices: Sequence[Term]) -> None:
    """Raise M030 for what is no index of one element of a place, or of one a lane."""
    if len(indices) != 1:
        raise fault(f"{len(indices)} indices of a flat array")
    (index,) = indices
    if not index.dtype.is_integer or index.dtype.bits < 32:
        raise fault(f"an index is {index.dtype}")
    if index.lanes != 1 and place.lanes != 1:
        raise fault("several elements of several lanes")
    known = getattr(index.node, "value", None)
    if isinstance(known, int) and not 0 <= known < place.count:
        raise fault(f"element {known} of {place.count}")


def load(place: Place, *indices: Term) -> Term:
    """An element, or one a lane for a ramp of indices."""
    require_element(place, indices)
    (index,) = indices
    made = api().tirx.BufferLoad(place.node, [index.node])
    return Term(made, place.dtype, max(place.lanes, index.lanes))


def masked_load(place: Place, base: Term, mask: Term, lanes: int) -> Term:
    """Consecutive elements where the mask holds; the others are not read and mean nothing."""
    require_element(place, [base])
    if mask.dtype != bool_ or mask.lanes != lanes:
        raise fault(f"a mask is {mask.dtype} in {mask.lanes} lanes")
    index = ramp(base, 1, lanes)
    name = type_name(place.dtype, lanes)
    made = api().tirx.op.masked_load(name, place.node, index.node, mask.node)
    return Term(made, place.dtype, lanes)


def tensor(array: Any) -> Any:  # noqa: ANN401 - an array of NumPy, a tensor of TVM
    """An array as TVM takes it; nothing is copied, and no alignment is asked for."""
    return api().ffi.from_dlpack(array)
