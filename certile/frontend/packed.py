"""Integers of 1, 2 or 4 bits that share a byte, as storage keeps them.

In: tiles of bytes, or of the small integers.  Out: the other.  Decides the order: position 0 is the
lowest bits.  Builds nothing but shifts and bit operations, so every target has them already.
"""

from __future__ import annotations

from certile.frontend.elementwise import as_node, bitcast, cast, elementwise, lift
from certile.frontend.handles import TileHandle, whole_number
from certile.frontend.state import State
from certile.ir.dtypes import i8, u8

_BITS = (1, 2, 4)


def unpack(
    state: State, tile: object, position: object, *, bits: int = 4, signed: bool = True
) -> TileHandle:
    """Take one integer out of each byte; raises `KernelError` K016 for a position that none has."""
    bits = _bits_of(state, bits)
    count = 8 // bits
    node = as_node(state, lift(state, tile))
    if node.dtype not in (i8, u8):
        message = f"ct.unpack takes bytes, u8 or i8, not {node.dtype}"
        raise state.fault("K011", message, hint="bytes hold 8 / bits integers each")
    known = whole_number(position)
    if known is not None and not 0 <= known < count:
        message = f"a byte holds {count} integers of {bits} bits; there is no position {position}"
        raise state.fault("K016", message)
    kind = i8 if signed else u8
    places = as_node(state, lift(state, position if known is None else known))
    if not places.dtype.is_integer:
        raise state.fault("K011", f"a position is an integer, not {places.dtype}")
    # One beyond either end is outside too: a shift by 8 or by less than 0 leaves 0.
    least = -1 if places.dtype.is_signed else 0
    inside = elementwise(state, "maximum", state.tile(places), least)
    held = cast(state, elementwise(state, "minimum", inside, count), i8)
    above = elementwise(state, "sub", 8 - bits, elementwise(state, "mul", held, bits))
    left = elementwise(state, "shl", bitcast(state, state.tile(node), i8), above)
    return elementwise(state, "shr", bitcast(state, left, kind), 8 - bits)


def pack(state: State, *parts: object, bits: int = 4) -> TileHandle:
    """Put integers together, the first in the lowest bits; what does not fit is cut off.

    Raises `KernelError` K011 for other than integers, or without one tile a position.
    """
    bits = _bits_of(state, bits)
    if len(parts) != 8 // bits:
        message = f"a byte holds {8 // bits} integers of {bits} bits, not {len(parts)}"
        raise state.fault("K011", message, hint="give one tile a position")
    packed: TileHandle | None = None
    for position, part in enumerate(parts):
        node = as_node(state, lift(state, part))
        if not node.dtype.is_integer:
            raise state.fault("K011", f"ct.pack takes integers, not {node.dtype}")
        low = elementwise(state, "bit_and", cast(state, state.tile(node), u8), (1 << bits) - 1)
        moved = elementwise(state, "shl", low, position * bits)
        packed = moved if packed is None else elementwise(state, "bit_or", packed, moved)
    assert packed is not None
    return packed


def _bits_of(state: State, bits: object) -> int:
    known = whole_number(bits)
    if known is None or known not in _BITS:
        shown = ", ".join(map(str, _BITS))
        raise state.fault("K022", f"{bits!r} bits do not divide a byte evenly: use {shown}")
    return known
