"""What certile knows by name: its operations and its codes.

In: `certile.ops` and `certile.codes`.  Out: plain data, and text for people.  Decides their form.
"""

from __future__ import annotations

import difflib
import inspect
import re

from certile import ops
from certile.codes import CATALOGUE, lookup
from certile.diagnostics import ArgumentError

Entry = dict[str, str]


def listing() -> list[Entry]:
    """Return name, signature and first sentence of each operation."""
    found = []
    for name in ops.__all__:
        operation = getattr(ops, name)
        parameters = inspect.signature(operation).parameters.values()
        bare = [each.replace(annotation=inspect.Parameter.empty) for each in parameters]
        prose = " ".join((inspect.getdoc(operation) or "").partition("\n\n")[0].split())
        sentence = re.split(r"(?<=\.)\s", prose, maxsplit=1)[0]
        found.append({"name": name, "signature": str(inspect.Signature(bare)), "gives": sentence})
    return found


def listing_text(found: list[Entry]) -> str:
    """Return the operations as text, one paragraph each."""
    return "\n".join(f"{each['name']}{each['signature']}\n    {each['gives']}" for each in found)


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
