"""What MSL text of the subset consists of at its top level, and the names that it may use.

In: nothing; `certile.metalsim.reader` makes a `Unit` of a text.  Out: structs, program-scope
constants, helper functions and kernels with their parameters bound.  Decides which scalars, address
spaces and built-in attributes there are.  Leaves bodies, as tokens, to `certile.metalsim.rewrite`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from certile.metalsim.findings import Diagnostic, Refused
from certile.metalsim.tokens import Token
from certile.records import record

__all__ = [
    "BUILTINS",
    "POSITIONS",
    "SCALARS",
    "SPACES",
    "Constant",
    "Function",
    "Item",
    "Kernel",
    "Parameter",
    "ParameterKind",
    "Struct",
    "Unit",
    "base_scalar",
    "matching",
    "refuse",
]

# Name to size in bytes.
SCALARS: dict[str, int] = {
    "bool": 1, "char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8,
    "ulong": 8, "half": 2, "bfloat": 2, "float": 4, "size_t": 8, "int8_t": 1, "uint8_t": 1,
    "int16_t": 2, "uint16_t": 2, "int32_t": 4, "uint32_t": 4, "int64_t": 8, "uint64_t": 8,
}  # fmt: skip
SPACES = frozenset({"device", "constant", "threadgroup", "thread"})

# Attributes of positions and extents: scalars or vectors; and of plain indices: scalars.
POSITIONS: dict[str, str] = {
    "thread_position_in_grid": "position_in_grid",
    "thread_position_in_threadgroup": "position_in_group",
    "threadgroup_position_in_grid": "group",
    "threads_per_threadgroup": "threads",
    "threadgroups_per_grid": "groups",
    "threads_per_grid": "grid",
}
BUILTINS: dict[str, str] = {
    "thread_index_in_threadgroup": "index",
    "thread_index_in_simdgroup": "lane",
    "simdgroup_index_in_threadgroup": "simdgroup",
    "simdgroups_per_threadgroup": "simdgroups",
    "threads_per_simdgroup": "32",
    "thread_execution_width": "32",
}

ParameterKind = Literal["buffer", "threadgroup", "builtin"]


@record
class Parameter:
    """A kernel parameter: its type without address space, and what it is bound to."""

    name: str
    kind: ParameterKind
    type: str
    space: str
    const: bool
    indirection: str
    index: int
    attribute: str
    token: Token


@record
class Struct:
    """A plain struct: `fields` are names, `tokens` run from `struct` to the semicolon."""

    name: str
    fields: tuple[str, ...]
    tokens: tuple[Token, ...]


@record
class Constant:
    """A program-scope constant; one with an `index` is a function constant."""

    name: str
    type: str
    index: int | None
    tokens: tuple[Token, ...]


@record
class Function:
    """A helper function: head tokens up to and with the parameter list, and the body's tokens."""

    name: str
    head: tuple[Token, ...]
    body: tuple[Token, ...]


@record
class Kernel:
    """A kernel from its `first` token; `body` runs from its opening to its closing brace."""

    name: str
    first: Token
    token: Token
    parameters: tuple[Parameter, ...]
    body: tuple[Token, ...]
    max_threads: int | None
    max_threads_token: Token | None

    @property
    def buffers(self) -> tuple[Parameter, ...]:
        """The parameters that are buffers."""
        return tuple(p for p in self.parameters if p.kind == "buffer")


Item = Struct | Constant | Function | Kernel


@dataclass(slots=True)
class Unit:
    """The tokens of a text, its items in order, and what was refused while reading it."""

    tokens: tuple[Token, ...] = ()
    items: list[Item] = field(default_factory=list)
    refusals: list[Diagnostic] = field(default_factory=list)

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels in order."""
        return tuple(i for i in self.items if isinstance(i, Kernel))

    @property
    def functions(self) -> tuple[Function, ...]:
        """The helper functions in order."""
        return tuple(i for i in self.items if isinstance(i, Function))

    @property
    def structs(self) -> tuple[Struct, ...]:
        """The structs in order."""
        return tuple(i for i in self.items if isinstance(i, Struct))

    @property
    def constants(self) -> tuple[Constant, ...]:
        """The program-scope constants in order."""
        return tuple(i for i in self.items if isinstance(i, Constant))


def base_scalar(name: str) -> str | None:
    """Return the scalar of a scalar or vector type name, None for any other type."""
    if name in SCALARS:
        return name
    if name[-1:] in ("2", "3", "4") and name[:-1] in SCALARS and name[:-1] != "bool":
        return name[:-1] if not name.endswith("_t") else None
    return None


def refuse(token: Token, message: str, code: str = "X001") -> Refused:
    """Return the refusal of a form at `token`."""
    return Refused(token.line, token.column, code, message)


def matching(tokens: Sequence[Token], opening: int) -> int:
    """Return the index of the bracket that closes the one at `opening`; raises `Refused`."""
    pairs = {"(": ")", "[": "]", "{": "}"}
    stack: list[str] = []
    for i in range(opening, len(tokens)):
        text = tokens[i].text
        if text in pairs:
            stack.append(pairs[text])
        elif text in (")", "]", "}"):
            if not stack or stack.pop() != text:
                break
            if not stack:
                return i
    raise refuse(tokens[opening], f"{tokens[opening].text!r} is not closed")
