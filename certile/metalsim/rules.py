"""Static rules on kernel signatures: what Apple's compiler or a device would reject.

In: a `Unit`.  Out: diagnostics.  Decides types of built-in attributes, buffer indices and limits.
Leaves bodies to the rewriter and to clang.  Limits are those of every Apple GPU family (Metal
feature set tables).
"""

from collections.abc import Iterator

from certile.metalsim.findings import Diagnostic
from certile.metalsim.syntax import BUILTINS, POSITIONS, Kernel, Parameter, Unit
from certile.metalsim.tokens import Token

__all__ = ["MAX_BUFFERS", "MAX_DYNAMIC_ARRAYS", "MAX_THREADGROUP_BYTES", "MAX_THREADS", "apply"]

MAX_BUFFERS = 31
MAX_THREADS = 1024
MAX_THREADGROUP_BYTES = 32768
MAX_DYNAMIC_ARRAYS = 8
# The room that the runtime has for their values.
MAX_FUNCTION_CONSTANTS = 512

_INDEX_TYPES = frozenset({"uint", "ushort"})
_POSITION_TYPES = frozenset(t + n for t in _INDEX_TYPES for n in ("", "2", "3"))


def apply(unit: Unit) -> Iterator[Diagnostic]:
    """Yield what is wrong with the kernels of `unit` before any body is looked at."""
    yield from _function_constants(unit)
    names = {function.name for function in unit.functions}
    for kernel in unit.kernels:
        if kernel.name in names:
            yield _at(kernel.token, "X012", f"the name {kernel.name!r} is taken")
        names.add(kernel.name)
        yield from _parameters(kernel)
        yield from _positions(kernel)
        yield from _thread_limit(kernel)


def _function_constants(unit: Unit) -> Iterator[Diagnostic]:
    taken: dict[int, str] = {}
    for constant in unit.constants:
        if constant.index is None:
            continue
        token = constant.tokens[0]
        if constant.index in taken:
            text = f"function constant {constant.index} is already {taken[constant.index]!r}"
            yield _at(token, "X004", text)
        taken[constant.index] = constant.name
        if len(taken) == MAX_FUNCTION_CONSTANTS + 1:
            text = f"more than {MAX_FUNCTION_CONSTANTS} function constants have no room here"
            yield _at(token, "X005", text)


def _parameters(kernel: Kernel) -> Iterator[Diagnostic]:
    taken: dict[tuple[str, int], str] = {}
    for parameter in kernel.parameters:
        if parameter.kind == "builtin":
            yield from _builtin_type(parameter)
            continue
        slot = (parameter.kind, parameter.index)
        if slot in taken:
            text = f"{parameter.kind} index {parameter.index} is already that of {taken[slot]!r}"
            yield _at(parameter.token, "X004", text)
        taken[slot] = parameter.name
        limit = MAX_BUFFERS if parameter.kind == "buffer" else MAX_DYNAMIC_ARRAYS
        if parameter.index >= limit:
            text = f"{parameter.kind} index {parameter.index} is outside 0..{limit - 1}"
            yield _at(parameter.token, "X005", text)


def _builtin_type(parameter: Parameter) -> Iterator[Diagnostic]:
    allowed = _INDEX_TYPES if parameter.attribute in BUILTINS else _POSITION_TYPES
    if parameter.type not in allowed:
        text = f"[[{parameter.attribute}]] cannot be {parameter.type}; it is one of "
        yield _at(parameter.token, "X003", text + ", ".join(sorted(allowed)))


def _positions(kernel: Kernel) -> Iterator[Diagnostic]:
    """Positions and extents of one kernel have one number of components."""
    first = None
    for parameter in kernel.parameters:
        if parameter.attribute not in POSITIONS:
            continue
        width = parameter.type[-1] if parameter.type[-1:].isdigit() else "1"
        first = first or width
        if width != first:
            text = f"{parameter.name!r} has {width} components, other positions have {first}"
            yield _at(parameter.token, "X003", text)


def _thread_limit(kernel: Kernel) -> Iterator[Diagnostic]:
    limit, token = kernel.max_threads, kernel.max_threads_token
    if limit is not None and token is not None and not 0 < limit <= MAX_THREADS:
        yield _at(token, "X009", f"{limit} threads in a threadgroup; a device has {MAX_THREADS}")


def _at(token: Token, code: str, message: str) -> Diagnostic:
    return Diagnostic(token.line, token.column, code, message)
