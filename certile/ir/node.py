"""What every Tile IR node is: a frozen value whose fields are marked operand or attribute.

Traversal, rebuilding, printing, parsing and fingerprints are derived from the marks, never written
per class.  Pure nodes are interned: two that say the same thing are one object, so `is` means
equal, and the object keeps every location it was written at.  Effects are listed in a body and
stay apart.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from typing import Any, Self, TypeVar, dataclass_transform

from certile.diagnostics import Diagnostic
from certile.records import record
from certile.source import UNKNOWN_LOC, Loc

_OPERAND = "certile.operand"
REGISTRY: dict[str, type[Node]] = {}
_interned: weakref.WeakValueDictionary[tuple[object, ...], Node] = weakref.WeakValueDictionary()
# A finalizer or a signal handler may make nodes while this thread makes one.
_intern_lock = threading.RLock()
if hasattr(os, "register_at_fork"):
    # No child begins its life with a lock that nobody will release.
    os.register_at_fork(
        before=_intern_lock.acquire,
        after_in_parent=_intern_lock.release,
        after_in_child=_intern_lock.release,
    )


def operand() -> Any:  # noqa: ANN401 - a field specifier takes the field's own type
    """Mark a field that holds a node, an optional node or a tuple of nodes this node reads."""
    return field(metadata={_OPERAND: True})


def operands_if_any(*, default: tuple[()]) -> Any:  # noqa: ANN401 - it takes the field's own type
    """Mark a field that holds a tuple of nodes this node reads, and is not written where empty."""
    return field(default=default, metadata={_OPERAND: True})


def _key(value: object) -> object:
    if isinstance(value, Node):
        return ("node", id(value))
    if isinstance(value, tuple):
        return tuple(_key(item) for item in value)
    if isinstance(value, float):
        return ("float", value.hex(), str(value))  # -0.0 and 0.0 are different constants
    return (type(value), value)


class _NodeMeta(type):
    """Interns pure nodes as they are made."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - any node class
        made = super().__call__(*args, **kwargs)
        if not made.pure:
            return made
        key = (cls, *(_key(getattr(made, name)) for name in made.compared()))
        with _intern_lock:
            known = _interned.setdefault(key, made)
        if known is not made:
            known.add_location(made.loc)
        return known


class Node(metaclass=_NodeMeta):
    """The base of all Tile IR nodes: a name, operands, attributes and where it was written."""

    mnemonic: str = ""
    pure: bool = True
    loc: Loc

    # `node` makes every class of nodes a record, which a type checker does not see here.

    @classmethod
    @functools.cache
    def compared(cls) -> tuple[str, ...]:
        """The fields that make two nodes different: all but the location."""
        return tuple(f.name for f in dataclasses.fields(cls) if f.name != "loc")  # type: ignore[arg-type]

    @classmethod
    @functools.cache
    def operand_fields(cls) -> tuple[str, ...]:
        return tuple(f.name for f in dataclasses.fields(cls) if f.metadata.get(_OPERAND))  # type: ignore[arg-type]

    @classmethod
    @functools.cache
    def unwritten_fields(cls) -> tuple[str, ...]:
        """The names of fields that a text leaves out where they are empty."""
        fields = dataclasses.fields(cls)  # type: ignore[arg-type]
        return tuple(f.name for f in fields if f.metadata.get(_OPERAND) and f.default == ())

    def operands(self) -> Iterator[Node]:
        """The nodes this node reads, in field order; regions are not operands."""
        for name in self.operand_fields():
            value = getattr(self, name)
            if isinstance(value, Node):
                yield value
            elif isinstance(value, tuple):
                yield from value

    def with_(self, **changes: Any) -> Self:  # noqa: ANN401 - any field
        """This node with some fields replaced."""
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]

    def map_operands(self, change: Callable[[Any], Any]) -> Self:
        """This node with `change` applied to each operand; itself when nothing changes."""
        changes: dict[str, Any] = {}
        for name in self.operand_fields():
            before = getattr(self, name)
            if before is None:
                continue
            after = tuple(map(change, before)) if isinstance(before, tuple) else change(before)
            if after is not before and after != before:
                changes[name] = after
        return self.with_(**changes) if changes else self

    def add_location(self, loc: Loc) -> None:
        """Remember another place where the same value was written."""
        if loc != UNKNOWN_LOC and loc not in self.locations:
            object.__setattr__(self, "_more_locs", (*self.locations, loc))

    @property
    def locations(self) -> tuple[Loc, ...]:
        return getattr(self, "_more_locs", (self.loc,))

    def __repr__(self) -> str:
        """A short name: the printer prints whole kernels."""
        return f"<{self.mnemonic} {getattr(self, 'type', '')} at {id(self):#x}>"

    def verify(self) -> Iterator[Diagnostic]:
        """What is wrong with this node, given that its operands are right."""
        return iter(())


_N = TypeVar("_N", bound="Node")


@dataclass_transform(
    kw_only_default=True,
    frozen_default=True,
    field_specifiers=(operand, operands_if_any, field),
)
def node(mnemonic: str, *, pure: bool = True) -> Callable[[type[_N]], type[_N]]:
    """Make a class a node of that printed name.  Identity is equality: pure nodes are interned."""

    def mark(cls: type[_N]) -> type[_N]:
        cls.mnemonic, cls.pure = mnemonic, pure
        made: type[_N] = record(slots=False, kw_only=True, eq=False, repr=False)(cls)
        REGISTRY[mnemonic] = made
        return made

    return mark


Below = Callable[["Node"], Iterable["Node"]]


def _operands(at: Node) -> Iterator[Node]:
    return at.operands()


def reach(roots: Iterable[Node], below: Below = _operands) -> Iterator[Node]:
    """Every node the roots read, themselves included, operands before users, each once.

    `below` says what a node reads.
    """
    done: set[Node] = set()
    for root in roots:
        yield from operands_first(root, done, below)


def operands_first(root: Node, done: set[Node], below: Below = _operands) -> Iterator[Node]:
    """What `root` reads and `done` lacks, operands first, ending with `root`; fills `done`."""
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        at, ready = stack.pop()
        if at in done:
            continue
        if ready:
            done.add(at)
            yield at
            continue
        stack.append((at, True))
        stack.extend((node, False) for node in reversed(list(below(at))) if node not in done)
