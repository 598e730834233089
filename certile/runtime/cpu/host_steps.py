"""Readings and sums of the host beside a launch, in machine code.

In: a `Record`, which says what integers have to be, what to launch, and what to add up.  Out: one
foreign call that does it all.  Decides nothing.  Leaves the code to `host_steps_ir`, records to
`certile.runtime.inspected`, and what a wrong integer means to the operation.

A record names words that hold addresses, not the addresses, so that one that was made for a layout
serves every call whose words are filled.
"""

import ctypes
import functools
from collections.abc import Callable
from typing import Final

from certile.records import record
from certile.runtime.cache import default_cache
from certile.runtime.cpu import engine
from certile.runtime.cpu.host_steps_ir import FIELDS, TYPES, module_text

__all__ = ["MEET", "NO_MEMORY", "TYPES", "WRONG", "HostSteps", "Record", "host_steps"]

# What `HostSteps.run` returns in place of a number of integers.
WRONG: Final = -1
NO_MEMORY: Final = -2
MEET: Final = -3


class Record(ctypes.Structure):
    """What one call of the machine code reads; all is 0 that does not apply.

    `integers_slot` is the address of a word that holds the address of `count` integers, `stride`
    elements apart.  Each is from 0 to below `bound`, or `ignored`.  `block` is the address of what
    the function at `launch` runs: a table, for that of `launch_apart`.  `losses_slot` and
    `weights_slot` name `rows` f32, or f64 where `wide`; their sum, or with `mean` its quotient by
    the sum of the weights or by the number of integers that are not `ignored`, is written to
    `total`, and where `out_slot` says, in `out_bytes`: f32 for 4, f64 for 8, nothing for 0.
    """

    _fields_ = (
        *((name, ctypes.c_int64) for name in FIELDS[:-1]),
        (FIELDS[-1], ctypes.c_double),
    )


@record
class HostSteps:
    """The functions, of which each takes the address of a `Record`.

    `run` reads integers, launches and adds up: it returns how many are not to ignore, or `WRONG`,
    `NO_MEMORY` or `MEET`.  `add_up` takes that number, and does the last step alone.
    """

    run: Callable[[int], int]
    add_up: Callable[[int, int], None]


_RUN: Final = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
_ADD_UP: Final = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)


@functools.cache
def host_steps(integers: str) -> HostSteps:
    """Return the functions for integers of a dtype; the first call loads, or compiles, their code.

    `TYPES` has the dtypes.
    """
    # The effort of the least compile time: the code is as good at any.
    loaded = engine.load_or_compile(module_text(integers), default_cache(), level=1)
    loaded.keep()
    return HostSteps(_RUN(loaded.address("run")), _ADD_UP(loaded.address("add_up")))
