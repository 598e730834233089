"""What certile knows by name: its operations and its codes.

In: `certile.ops` and `certile.codes`.  Out: plain data, and text for people.  Decides their form.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Iterator
from typing import TypedDict

from certile import ops
from certile.cli.operations.forms import Case, made_up, ours
from certile.codegen import TARGETS
from certile.codes import CATALOGUE, lookup
from certile.diagnostics import ArgumentError, CertileError
from certile.ir.array_types import numpy_dtype
from certile.ir.dtypes import ALL, STORAGE
from certile.ops.kernels import SELECTED
from certile.runtime.target import target
from certile.targets import DEFAULTS

Entry = dict[str, str]


class Operation(TypedDict):
    """An operation: how it is called, what it gives, and the element types it takes, by target."""

    name: str
    signature: str
    gives: str
    dtypes: list[str]
    targets: dict[str, list[str]]


def listing() -> list[Operation]:
    """Return every operation."""
    found: list[Operation] = []
    for name in ops.__all__:
        operation = getattr(ops, name)
        parameters = inspect.signature(operation).parameters.values()
        bare = [each.replace(annotation=inspect.Parameter.empty) for each in parameters]
        prose = " ".join((inspect.getdoc(operation) or "").partition("\n\n")[0].split())
        sentence = re.split(r"(?<=\.)\s", prose, maxsplit=1)[0]
        taken = _taken(name)
        found.append(
            {
                "name": name,
                "signature": str(inspect.Signature(bare)),
                "gives": sentence,
                "dtypes": taken,
                "targets": {each: _on(each, taken) for each in TARGETS},
            }
        )
    return found


def _taken(name: str) -> list[str]:
    """Return the element types that an operation takes, by asking it: a call that runs nothing."""
    operation, plain = ours(name), made_up(Case(name, (2, SELECTED)))
    found = []
    for dtype in (*ALL, *STORAGE):
        storage = numpy_dtype(dtype.name)
        given = [each.astype(storage) if each.dtype.kind == "f" else each for each in plain]
        try:
            with target("null"):
                operation(*given)
        except CertileError:
            continue
        found.append(dtype.name)
    return found


def _on(target_name: str, taken: list[str]) -> list[str]:
    """Return those of some element types that a target has."""
    known = {dtype.name for dtype in DEFAULTS[target_name].dtypes}
    return [name for name in taken if name in known]


def listing_text(found: list[Operation]) -> str:
    """Return the operations as text, one paragraph each."""
    return "\n".join(line for each in found for line in _operation_lines(each))


def _operation_lines(each: Operation) -> Iterator[str]:
    yield f"{each['name']}{each['signature']}"
    yield f"    {each['gives']}"
    yield f"    takes {' '.join(each['dtypes'])}"
    shown = []
    for name, served in each["targets"].items():
        left_out = [dtype for dtype in each["dtypes"] if dtype not in served]
        shown.append(f"{name} (not {', '.join(left_out)})" if left_out else name)
    yield f"    on {', '.join(shown)}"


def looks_like_code(text: str) -> bool:
    """Whether the text has the form of a code such as K012, in letters of either case."""
    return re.fullmatch(r"[A-Za-z][0-9]{3}", text, re.ASCII) is not None


def code_entry(code: str) -> Entry:
    """Return the catalogue's entry of a code, in letters of either case.

    Raises `ArgumentError` A308 for a code that is not catalogued.
    """
    known = lookup(code.upper())
    if known is None:
        near = difflib.get_close_matches(code.upper(), CATALOGUE, n=3)
        hint = f"codes like it: {', '.join(near)}" if near else "a code is in [ ] after error"
        raise ArgumentError("A308", f"{code.upper()} is no code of the catalogue", hint=hint)
    return {
        "code": known.code,
        "title": known.title,
        "text": known.paragraph,
        "example": known.example,
        "fix": known.fix,
    }


def code_text(entry: Entry) -> str:
    """Return the entry of a code as text."""
    parts = [f"{entry['code']}: {entry['title']}", entry["text"]]
    if entry["example"]:
        parts.append("Example:\n" + "\n".join(f"    {s}" for s in entry["example"].splitlines()))
    if entry["fix"]:
        parts.append(f"What to do: {entry['fix']}")
    return "\n\n".join(part for part in parts if part)
