"""Tile programs in Python, compiled for Metal, CUDA and CPUs, and proved before rewritten.

    import certile as ct

    @ct.tile_kernel
    def softmax(x: ct.View, y: ct.View):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            v = x[r, cols]
            e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
            y[r, cols] = e / ct.reduce(e, cols, ct.add)

This module holds the public names and nothing else.  The language is imported with it; the
compiler and the runtime are imported when one of their names is first used.
"""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from certile.diagnostics import (
    ArgumentError,
    CertileError,
    InternalError,
    KernelError,
    UnsupportedError,
)
from certile.ir.dtypes import (
    bf16,
    bool_,
    f8e4m3,
    f8e5m2,
    f16,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
)
from certile.language import lists as list  # noqa: A004 - the language has its own
from certile.language.annotations import InOut, View, constexpr
from certile.language.control import (
    at,
    axis,
    broadcast_to,
    carry,
    coord,
    full,
    gather,
    iota,
    memory,
    parallel,
    reduce,
    relabel,
    reshape,
    scan,
    serial,
    shape,
    sort,
    topk,
    zeros,
)
from certile.language.laws import (
    absmax,
    affine,
    all,  # noqa: A004 - NumPy's name
    any,  # noqa: A004 - NumPy's name
    argmax,
    argmin,
    bottom_values,
    law,
    logsumexp,
    mean_var,
    softmax_sum,
    sum_var,
    top_values,
)
from certile.language.math import (
    abs,  # noqa: A004 - the language has the names that NumPy has
    add,
    bit_and,
    bit_not,
    bit_or,
    bit_xor,
    bitcast,
    cast,
    cdiv,
    ceil,
    clamp,
    cos,
    erf,
    erfc,
    exp,
    exp2,
    expm1,
    floor,
    fma,
    fmax,
    fmin,
    fmod,
    isfinite,
    isinf,
    isnan,
    log,
    log1p,
    log2,
    logaddexp,
    maximum,
    minimum,
    mul,
    neg,
    pack,
    popcount,
    pow,  # noqa: A004 - NumPy's name
    recip,
    round,  # noqa: A004 - NumPy's name
    rsqrt,
    shl,
    shr,
    sigmoid,
    sign,
    sin,
    sqrt,
    tan,
    tanh,
    trunc,
    unpack,
    where,
)
from certile.language.values import Axis, Carry, Extent, Tile

if TYPE_CHECKING:
    from collections.abc import Callable

    from certile import ops, tirx
    from certile.ir.layouts import Layout
    from certile.plan.cost.policy import CandidateFacts, CostPolicy, Score
    from certile.runtime.kernel import Prepared, TileKernel, tile_kernel
    from certile.runtime.op import like, op
    from certile.runtime.target import target

    # Not imported by their types: `jitting` stands above `ops`, whose kernels import this module.
    jit: Callable[..., Any]
    JitFunction: Any

__all__ = [
    "ArgumentError",
    "Axis",
    "CandidateFacts",
    "Carry",
    "CertileError",
    "CostPolicy",
    "Extent",
    "InOut",
    "InternalError",
    "JitFunction",
    "KernelError",
    "Layout",
    "Prepared",
    "Score",
    "Tile",
    "TileKernel",
    "UnsupportedError",
    "View",
    "abs",
    "absmax",
    "add",
    "affine",
    "all",
    "any",
    "argmax",
    "argmin",
    "at",
    "axis",
    "bf16",
    "bit_and",
    "bit_not",
    "bit_or",
    "bit_xor",
    "bitcast",
    "bool_",
    "bottom_values",
    "broadcast_to",
    "carry",
    "cast",
    "cdiv",
    "ceil",
    "clamp",
    "constexpr",
    "coord",
    "cos",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "f8e4m3",
    "f8e5m2",
    "f16",
    "f32",
    "f64",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "full",
    "gather",
    "i8",
    "i16",
    "i32",
    "i64",
    "iota",
    "isfinite",
    "isinf",
    "isnan",
    "jit",
    "law",
    "layouts",
    "like",
    "list",
    "log",
    "log1p",
    "log2",
    "logaddexp",
    "logsumexp",
    "maximum",
    "mean_var",
    "memory",
    "minimum",
    "mul",
    "neg",
    "op",
    "ops",
    "pack",
    "parallel",
    "popcount",
    "pow",
    "recip",
    "reduce",
    "relabel",
    "reshape",
    "round",
    "rsqrt",
    "scan",
    "serial",
    "shape",
    "shl",
    "shr",
    "sigmoid",
    "sign",
    "sin",
    "softmax_sum",
    "sort",
    "sqrt",
    "sum_var",
    "tan",
    "tanh",
    "target",
    "tile_kernel",
    "tirx",
    "top_values",
    "topk",
    "trunc",
    "u8",
    "u16",
    "u32",
    "u64",
    "unpack",
    "where",
    "zeros",
]

__version__ = "0.1.0"

_LATER = {
    "CandidateFacts": "certile.plan.cost.policy",
    "CostPolicy": "certile.plan.cost.policy",
    "JitFunction": "certile.jitting.call",
    "Layout": "certile.ir.layouts",
    "Prepared": "certile.runtime.kernel",
    "Score": "certile.plan.cost.policy",
    "TileKernel": "certile.runtime.kernel",
    "tile_kernel": "certile.runtime.kernel",
    "jit": "certile.jitting.call",
    "like": "certile.runtime.op",
    "op": "certile.runtime.op",
    "target": "certile.runtime.target",
}


def __dir__() -> Sequence[str]:
    """Return the public names: what is used inside this module is no part of the language."""
    return [*__all__, "__doc__", "__version__"]


def _instead(name: str) -> str:
    """What does the work of something that another package has by this name, if it is known."""
    if name.startswith("_") or find_spec(f"certile.{name}") is not None:
        return ""  # Python asks for a module before it imports it.
    habits: dict[str, str] = import_module("certile.language.habits").INSTEAD
    if name in habits:
        return f"; in a kernel use {habits[name]}"
    known = name in import_module("certile.ops").__all__
    return f"; certile.ops.{name} is an operation on arrays" if known else ""


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any exported name
    """Import the module that has a name on the name's first use."""
    if name in ("ops", "tirx"):
        return import_module(f"certile.{name}")
    if name == "layouts":
        return import_module("certile.ir.layouts")
    if name not in _LATER:
        raise AttributeError(f"module 'certile' has no attribute {name!r}{_instead(name)}")
    value = getattr(import_module(_LATER[name]), name)
    globals()[name] = value
    return value
