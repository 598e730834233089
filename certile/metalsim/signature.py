"""What a launch has to know of a compiled text: its kernels' parameters and limits.

In: a `Unit`.  Out: a `Signature`, and its text, which lies in the library beside the code: a known
library is launched without its MSL being read again.  Decides what binding may ask about.  Leaves
the element sizes of structs, which only the compiler knows, to the library.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict

from certile.metalsim.syntax import Function, Kernel, Unit
from certile.metalsim.tokens import Token
from certile.records import record

__all__ = ["Entry", "FunctionConstant", "Signature", "Slot", "constant_places", "signature_of"]

# Room of one function constant in the block that the runtime keeps for them.
_CONSTANT_BYTES = 8


@record
class Slot:
    """A buffer parameter: `type` is that of an element, without address space."""

    name: str
    index: int
    type: str
    const: bool
    reference: bool


@record
class Entry:
    """A kernel; `dynamic` are the indices of `[[threadgroup(n)]]` parameters."""

    name: str
    buffers: tuple[Slot, ...]
    dynamic: tuple[int, ...]
    max_threads: int | None
    synchronises: bool


@record
class FunctionConstant:
    """A function constant and its place in the block of constants."""

    index: int
    type: str
    place: int


@record
class Signature:
    """The kernels of one text in order, and its function constants."""

    kernels: tuple[Entry, ...]
    constants: tuple[FunctionConstant, ...]

    def text(self) -> str:
        """Return what `read` reads."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @staticmethod
    def read(text: str | bytes) -> "Signature":
        """Return the signature whose text this is."""
        held = json.loads(text)
        kernels = (
            Entry(
                **{
                    **kernel,
                    "buffers": tuple(Slot(**slot) for slot in kernel["buffers"]),
                    "dynamic": tuple(kernel["dynamic"]),
                }
            )
            for kernel in held["kernels"]
        )
        constants = (FunctionConstant(**constant) for constant in held["constants"])
        return Signature(tuple(kernels), tuple(constants))


def signature_of(unit: Unit) -> Signature:
    """Return the signature of a unit without refusals."""
    reaching = frozenset(_synchronising(unit))
    kernels = tuple(_entry(kernel, kernel.name in reaching) for kernel in unit.kernels)
    places = constant_places(unit)
    constants = tuple(
        FunctionConstant(constant.index, constant.type, places[constant.index])
        for constant in unit.constants
        if constant.index is not None
    )
    return Signature(kernels, constants)


def constant_places(unit: Unit) -> dict[int, int]:
    """Return the place of each function constant by its index."""
    indices = [c.index for c in unit.constants if c.index is not None]
    return {index: _CONSTANT_BYTES * n for n, index in enumerate(indices)}


def _entry(kernel: Kernel, synchronises: bool) -> Entry:
    buffers = tuple(
        Slot(p.name, p.index, p.type, p.const, p.indirection == "&") for p in kernel.buffers
    )
    dynamic = tuple(p.index for p in kernel.parameters if p.kind == "threadgroup")
    return Entry(kernel.name, buffers, dynamic, kernel.max_threads, synchronises)


def _synchronising(unit: Unit) -> Iterator[str]:
    """Yield the functions from which a barrier or a collective can be reached."""
    reaching: set[str] = set()
    for item in unit.items:
        if isinstance(item, (Function, Kernel)) and any(_meets(t, reaching) for t in item.body):
            reaching.add(item.name)
            yield item.name


def _meets(token: Token, reaching: set[str]) -> bool:
    name = token.text
    return name.startswith("simd_") or name.endswith("_barrier") or name in reaching
