"""The catalogue: every code a diagnostic can carry, with its explanation.

In: the literal entries of the modules beside this one.  Out: `CATALOGUE` and `lookup`.  Decides
that a code is unique and stands with its letter.  Leaves raising to the stages, and the printed
page to the documentation generator, which reads this catalogue.

Letters: K the kernel, A arguments and launches, U unsupported, P planning and admission,
V the verifier, M machine IR, S settings, X Metal text.  A code is never used again for something
else.
"""

from certile.codes.arguments import ARGUMENTS
from certile.codes.entry import Code
from certile.codes.execution import EXECUTION
from certile.codes.jitted import JITTED
from certile.codes.kernel import KERNEL
from certile.codes.machine import MACHINE
from certile.codes.metal_text import METAL_TEXT
from certile.codes.operations import OPERATIONS
from certile.codes.planning import PLANNING
from certile.codes.recognition import RECOGNITION
from certile.codes.settings_codes import SETTINGS
from certile.codes.unsupported import UNSUPPORTED
from certile.codes.verifier import VERIFIER

__all__ = ["CATALOGUE", "LETTERS", "Code", "lookup"]

LETTERS: dict[str, str] = {
    "K": "The kernel is wrong",
    "A": "An argument or a launch is wrong",
    "U": "Unsupported here",
    "P": "Planning and admission",
    "V": "The verifier found a fault of this package",
    "M": "Machine IR is at fault",
    "S": "Settings",
    "X": "Metal text, checked or run on a CPU",
}

_SECTIONS = {
    "K": (*KERNEL, *JITTED, *EXECUTION, *RECOGNITION),
    "A": (*ARGUMENTS, *OPERATIONS["A"]),
    "U": (*UNSUPPORTED, *OPERATIONS["U"]),
    "P": PLANNING,
    "V": (*VERIFIER, *OPERATIONS["V"]),
    "M": MACHINE,
    "S": SETTINGS,
    "X": METAL_TEXT,
}


def _collect() -> dict[str, Code]:
    """Join the sections; a code twice, or under another letter, is a fault of the catalogue."""
    catalogue: dict[str, Code] = {}
    for letter, entries in _SECTIONS.items():
        for entry in entries:
            if not entry.code.startswith(letter) or entry.code in catalogue:
                raise ValueError(f"code {entry.code} is listed twice or under a wrong letter")
            catalogue[entry.code] = entry
    return dict(sorted(catalogue.items()))


CATALOGUE: dict[str, Code] = _collect()


def lookup(code: str) -> Code | None:
    """Return the entry of a code, or None for one that is not catalogued."""
    return CATALOGUE.get(code)
