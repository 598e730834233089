"""The records that Python and the runtime exchange; they mirror shim/abi.h.

In: nothing.  Out: ctypes structures and the sentences of findings.  Decides wording only.
"""

import ctypes
from collections.abc import Callable

from certile.metalsim.findings import Category, Finding

__all__ = ["MAX_DYNAMIC", "Buffer", "Launch", "Outcome", "RawFinding", "to_finding"]

MAX_DYNAMIC = 8
_MAX_BUFFERS = 31
_MAX_FINDINGS = 256

CHECK_BOUNDS, CHECK_RACES, PLAIN_LOOP = 1, 2, 4


class Buffer(ctypes.Structure):
    """A bound buffer: `msl_buffer`."""

    _fields_ = (
        ("host", ctypes.c_void_p),
        ("bytes", ctypes.c_uint64),
        ("offset", ctypes.c_uint64),
        ("granule", ctypes.c_uint32),
        ("writable", ctypes.c_uint32),
        ("alias", ctypes.c_uint32),
        ("bound", ctypes.c_uint32),
    )


class Launch(ctypes.Structure):
    """A launch: `msl_launch`."""

    _fields_ = (
        ("entry", ctypes.c_void_p),
        ("stacks", ctypes.c_void_p),
        ("groups", ctypes.c_uint32 * 3),
        ("threads", ctypes.c_uint32 * 3),
        ("flags", ctypes.c_uint32),
        ("padding", ctypes.c_uint32),
        ("seed", ctypes.c_uint64),
        ("dynamic_bytes", ctypes.c_uint64 * MAX_DYNAMIC),
        ("buffers", Buffer * _MAX_BUFFERS),
    )


class RawFinding(ctypes.Structure):
    """A finding with code addresses: `msl_finding`."""

    _fields_ = (
        ("kind", ctypes.c_uint32),
        ("detail", ctypes.c_uint32),
        ("line", ctypes.c_uint32),
        ("other_line", ctypes.c_uint32),
        ("place", ctypes.c_uint64),
        ("other_place", ctypes.c_uint64),
        ("thread", ctypes.c_uint32),
        ("other_thread", ctypes.c_uint32),
        ("group", ctypes.c_uint32),
        ("other_group", ctypes.c_uint32),
        ("lanes", ctypes.c_uint32),
        ("missing", ctypes.c_uint32),
        ("count", ctypes.c_uint32),
        ("size", ctypes.c_uint32),
        ("offset", ctypes.c_int64),
        ("name", ctypes.c_char * 48),
    )


class Outcome(ctypes.Structure):
    """What a run leaves: `msl_outcome`."""

    _fields_ = (
        ("simd_ops", ctypes.c_uint64),
        ("barriers", ctypes.c_uint64),
        ("simd_barriers", ctypes.c_uint64),
        ("threadgroup_bytes", ctypes.c_uint64),
        ("stopped", ctypes.c_uint32),
        ("dropped", ctypes.c_uint32),
        ("finding_count", ctypes.c_uint32),
        ("padding", ctypes.c_uint32),
        ("findings", RawFinding * _MAX_FINDINGS),
    )


_CATEGORIES: dict[int, Category] = {
    1: "races",
    2: "uninitialised",
    3: "out_of_bounds",
    4: "divergence",
    5: "undefined",
}

# By detail; filled with the fields of the raw finding.
_SENTENCES = {
    1: "{name}: two threads store to one scalar with no barrier between",
    2: "{name}: a store follows another thread's load with no barrier between",
    3: "{name}: a load follows another thread's store with no barrier between",
    4: "{name}: load",
    5: "{name}: store",
    6: "access far outside every buffer; the run stopped",
    7: "index {offset} outside a declared array",
    8: "{name}: pointer of a wider type at byte {offset} is not aligned to it",
    9: "{name}: store to a read-only buffer",
    10: "{name}: with it {offset} bytes of threadgroup memory; the run stopped",
    11: "{name} with lanes {lanes:#010x}; lanes {missing:#010x} take no part",
    12: "{name} with lanes {lanes:#010x} meets another collective; missing {missing:#010x}",
    13: "{name}: {missing} threads never arrive",
    14: "{name} meets another barrier",
    15: "{name}: lanes {lanes:#010x} read a lane that takes no part",
    16: "{name}: an operand that must be uniform differs between the lanes",
    17: "shift by {offset}, outside the type's width",
    18: "integer division by zero or overflow; the run stopped",
    19: "a float outside the integer's range is converted",
    20: "a function ends without a value; the run stopped",
    21: "invalid memory access; the run stopped",
}
_UNINITIALISED = "{name}: load of threadgroup memory that was never stored to"
_RACE_DETAILS = (1, 2, 3)


def to_finding(raw: RawFinding, line_of: Callable[[int], int]) -> Finding:
    """Return the finding with lines instead of code addresses."""
    category = _CATEGORIES[raw.kind]
    sentence = _UNINITIALISED if category == "uninitialised" else _SENTENCES[raw.detail]
    values = {name: getattr(raw, name) for name in ("offset", "lanes", "missing")}
    message = sentence.format(name=raw.name.decode(), **values)
    race = raw.detail in _RACE_DETAILS and category == "races"
    if race and raw.other_group != raw.group:
        message = message.replace("no barrier between", "the threads in two threadgroups")
    elif category == "out_of_bounds" and raw.detail in (4, 5):
        message += f" of {raw.size} bytes outside it"
    return Finding(
        category=category,
        line=raw.line or line_of(raw.place),
        message=message,
        threads=(raw.thread, raw.other_thread) if race else (raw.thread,),
        group=raw.group,
        other_line=raw.other_line or line_of(raw.other_place),
        other_group=raw.other_group if race else raw.group,
        lanes=raw.lanes,
        missing=raw.missing,
        count=raw.count,
    )
