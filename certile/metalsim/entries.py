"""The entry points that a launch calls, one a kernel, as C++.

In: the kernels of a `Unit`.  Out: C++ that binds a launch's buffers and positions to a kernel's
parameters, and the signature that lies beside it.  Decides names of symbols.  Leaves the kernels
themselves to `certile.metalsim.rewrite`.
"""

import json

from certile.metalsim.signature import signature_of
from certile.metalsim.syntax import BUILTINS, POSITIONS, Kernel, Parameter, Unit, base_scalar

__all__ = ["entry_points"]

_EXPORTED = 'extern "C" __attribute__((visibility("default")'
_QUIET = 'disable_sanitizer_instrumentation, no_sanitize("undefined"), nodebug'


def entry_points(unit: Unit) -> str:
    """Return the entry points of all kernels and the text of the unit's signature."""
    text = json.dumps(signature_of(unit).text())
    return (
        "".join(map(_entry, unit.kernels)) + f"{_EXPORTED})) const char msl_signature[] = {text};\n"
    )


def _entry(kernel: Kernel) -> str:
    arguments = ", ".join(_argument(p) for p in kernel.parameters)
    sizes = "".join(f"sizeof({_type(p)}), " for p in kernel.buffers)
    return (
        f"{_EXPORTED}, {_QUIET})) void "
        f"msl_entry_{kernel.name}(void* const* buffers, const msl_thread* view) "
        f"{{ msl_user::{kernel.name}({arguments}); }}\n"
        f"{_EXPORTED})) const msl_u32 msl_sizes_{kernel.name}[] = {{ {sizes}0 }};\n"
    )


def _type(parameter: Parameter) -> str:
    return parameter.type if base_scalar(parameter.type) else f"msl_user::{parameter.type}"


def _argument(parameter: Parameter) -> str:
    kind = _type(parameter)
    if parameter.kind == "buffer":
        pointer = f"static_cast<{kind}*>(buffers[{parameter.index}])"
        return f"*{pointer}" if parameter.indirection == "&" else pointer
    if parameter.kind == "threadgroup":
        granule = f"msl_granule<{kind}>()"
        call = f'msl_dynamic({parameter.index}, {granule}, "{parameter.name}")'
        return f"reinterpret_cast<{kind}*>({call})"
    return _builtin(parameter)


def _builtin(parameter: Parameter) -> str:
    if parameter.attribute in BUILTINS:
        member = BUILTINS[parameter.attribute]
        value = member if member.isdigit() else f"view->{member}"
        return f"static_cast<{parameter.type}>({value})"
    member = POSITIONS[parameter.attribute]
    scalar = base_scalar(parameter.type) or parameter.type
    width = int(parameter.type[-1]) if parameter.type != scalar else 1
    parts = ", ".join(f"static_cast<{scalar}>(view->{member}[{i}])" for i in range(width))
    return f"{parameter.type}({parts})"
