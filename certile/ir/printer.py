"""Tile IR as text that the parser reads back.

In: a kernel.  Out: one text, the same for equal kernels in every process.  Decides numbering:
values and axes are numbered in order of first appearance, so nothing of the process shows.  Fields
are printed by their marks and types, never per node class.  Leaves reading to `certile.ir.parser`.

    kernel "sum" math=precise rewrites=proved
      view x f32 2
      axis rows#1 = x.shape[0]
      tile.parallel over=(rows#1) scope="auto" {
        %1 = tile.index axis=rows#1 type=!i64
        …
      }

A value is `%n`, an axis `name#n`, a buffer `&name` (a memory `&name#n`), a law `@name`, a type
`!f32[cols#2]`, a dtype `:f32`.  A line `law @1 = …` holds a law that is not built in.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator

from certile.ir.dtypes import DType
from certile.ir.laws import BUILTIN, Component, Law
from certile.ir.layouts import to_json as layout_to_json
from certile.ir.node import Node
from certile.ir.terms import Apply, Lit, Var, to_json
from certile.ir.tile import Carried, Effect, Kernel, Memory, Parallel, ScalarArg, Serial, View
from certile.ir.types import Axis, Dim, TileType
from certile.source import Loc

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_REGION_FIELDS = ("body", "params", "yields")


def print_kernel(kernel: Kernel) -> str:
    """The text of a kernel."""
    return Printer().kernel(kernel)


def located_lines(kernel: Kernel) -> list[tuple[str, tuple[Loc, ...]]]:
    """The lines of a kernel's text, each with the places where what it says was written."""
    printer = Printer()
    text = printer.kernel(kernel)
    return [(line, printer.places[k]) for k, line in enumerate(text.splitlines())]


class Printer:
    """Numbers values, axes, memories and laws as it meets them, and writes lines.

    With `anonymous` the names of the kernel, its parameters, axes and memories are replaced by
    their numbers: that is the text fingerprints are made of.
    """

    def __init__(self, *, anonymous: bool = False) -> None:
        self._anonymous = anonymous
        self._lines: list[str] = []
        self.places: list[tuple[Loc, ...]] = []
        self._names: dict[Node, str] = {}
        self._axes: dict[Axis, str] = {}
        self._memories: dict[int, str] = {}
        self._params: dict[str, str] = {}
        self._laws: dict[Law, str] = {}

    def kernel(self, kernel: Kernel) -> str:
        """Print the head, the parameters and the body."""
        name = "" if self._anonymous else kernel.name
        self._line(0, f"kernel {json.dumps(name)} math={kernel.math} rewrites={kernel.rewrites}")
        for number, param in enumerate(kernel.params):
            shown = f"p{number}" if self._anonymous else _quoted(param.name)
            self._params[param.name] = shown
            if isinstance(param, View):
                self._line(1, f"view {shown} {param.dtype} {param.rank}")
            else:
                self._line(1, f"scalar {shown} {param.dtype}")
        for memory in kernel.memories:
            self._memory(memory)
        self._body(kernel.body, 1)
        return "\n".join(self._lines) + "\n"

    def _line(self, depth: int, text: str, of: Node | None = None) -> None:
        self._lines.append("  " * depth + text)
        self.places.append(() if of is None else of.locations)

    def _body(self, body: tuple[Effect, ...], depth: int) -> None:
        for step in body:
            for below in step.operands():
                self._value(below, depth)
            if isinstance(step, Serial):
                self._serial(step, depth)
            elif isinstance(step, Parallel):
                self._region(step, depth)
                self._line(depth, f"{self._fields(step)} {{", step)
                self._body(step.body, depth + 1)
                self._line(depth, "}")
            else:
                self._region(step, depth)
                self._line(depth, f"{self._result(step)}{self._fields(step)}", step)

    def _serial(self, loop: Serial, depth: int) -> None:
        self._region(loop, depth)
        self._line(depth, f"{self._result(loop)}{self._fields(loop)} {{", loop)
        for param in loop.params:
            self._region(param, depth + 1)
            self._line(
                depth + 1, f"{self._result(param)}{param.mnemonic} type={self.text(param.type)}"
            )
        self._body(loop.body, depth + 1)
        for after in loop.yields:
            self._value(after, depth + 1)
        self._line(depth + 1, f"yield {self.text(loop.yields)}")
        self._line(depth, "}")

    def _value(self, root: Node, depth: int) -> None:
        """Print what `root` reads and has no number, operands first."""
        stack: list[tuple[Node, bool]] = [(root, False)]
        while stack:
            at, ready = stack.pop()
            if at in self._names:
                continue
            if ready:
                self._region(at, depth)
                fields = self._fields(at)
                self._line(depth, f"{self._result(at)}{fields}", at)
                continue
            stack.append((at, True))
            stack.extend((below, False) for below in reversed(list(at.operands())))

    def _result(self, at: Node) -> str:
        """`%n = ` for a node that others may read."""
        if isinstance(at, Effect) and not isinstance(at, Serial) and not hasattr(at, "type"):
            return ""
        self._names[at] = f"%{len(self._names) + 1}"
        return f"{self._names[at]} = "

    def _region(self, at: Node, depth: int) -> None:
        """Declare the axes and laws that a node is the first to name."""
        for name in at.compared():
            for value in _flat(getattr(at, name)):
                if isinstance(value, Axis):
                    self._declare(value, depth)
                elif isinstance(value, Law):
                    self._law(value, depth)

    def _declare(self, axis: Axis, depth: int) -> None:
        if axis in self._axes:
            return
        number = len(self._axes) + 1
        shown = f"a#{number}" if self._anonymous else f"{_quoted(axis.name)}#{number}"
        self._axes[axis] = shown
        self._line(depth, f"axis {shown} = {self.text(axis.extent)}")

    def _memory(self, memory: Memory) -> None:
        for axis in memory.axes:
            self._declare(axis, 1)
        number = len(self._memories) + 1
        shown = f"m#{number}" if self._anonymous else f"{_quoted(memory.name)}#{number}"
        self._memories[memory.uid] = shown
        parts = ["memory", shown, str(memory.dtype), self.text(memory.axes), memory.resource]
        if memory.layout is not None:
            parts.append(self.text(json.dumps(layout_to_json(memory.layout))))
        self._line(1, " ".join(parts))

    def _law(self, law: Law, depth: int) -> None:
        if law in self._laws:
            return
        known = BUILTIN.get(law.name) == law
        self._laws[law] = f"@{law.name}" if known else f"@{len(self._laws) + 1}"
        if not known:
            self._line(depth, f"law {self._laws[law]} = {law_to_json(law)}")

    def _fields(self, at: Node) -> str:
        """The mnemonic and every field but regions; a carried value's number is the printer's."""
        parts = [at.mnemonic]
        for name in at.compared():
            if name not in _REGION_FIELDS and not isinstance(at, Carried):
                value = getattr(at, name)
                if value == () and name in at.unwritten_fields():
                    continue
                if self._anonymous and isinstance(at, ScalarArg) and name == "name":
                    value = self._params.get(at.name, at.name)
                parts.append(f"{name}={self.text(value)}")
        return " ".join(parts)

    def text(self, value: object) -> str:
        """One field value."""
        match value:
            case None:
                return "_"
            case bool():
                return "true" if value else "false"
            case int() | float():
                return repr(value)
            case str():
                return json.dumps(value)
            case tuple():
                return f"({', '.join(map(self.text, value))})"
            case Node():
                return self._names[value]
            case _:
                return self._data(value)

    def _data(self, value: object) -> str:
        match value:
            case Axis():
                return self._axes[value]
            case TileType():
                axes = ", ".join(self._axes[axis] for axis in value.axes)
                return f"!{value.dtype}[{axes}]" if axes else f"!{value.dtype}"
            case DType():
                return f":{value}"
            case Dim():
                return f"{self._params[value.view]}.shape[{value.dim}]"
            case View():
                return f"&{self._params[value.name]}"
            case Memory():
                return f"&{self._memories[value.uid]}"
            case Law():
                return self._laws[value]
            case _:
                raise TypeError(f"a field of type {type(value).__name__} has no text")


def law_to_json(law: Law) -> str:
    """A law as one line of JSON, keys sorted."""

    def plain(value: object) -> object:
        if isinstance(value, tuple):
            return [plain(item) for item in value]
        if isinstance(value, Component):
            return [value.name, plain(value.type)]
        if isinstance(value, DType):
            return value.name
        if isinstance(value, Var | Lit | Apply):
            return to_json(value)
        return value

    fields = {f.name: plain(getattr(law, f.name)) for f in dataclasses.fields(law)}
    if not law.parameters:
        del fields["parameters"]
    return json.dumps(fields, sort_keys=True)


def _flat(value: object) -> Iterator[object]:
    if isinstance(value, tuple):
        for item in value:
            yield from _flat(item)
    elif isinstance(value, TileType):
        yield from value.axes
    else:
        yield value


def _quoted(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else json.dumps(name)
