"""Reads the text that `certile.ir.printer` writes.

In: text.  Out: a kernel with fresh axes, equal to the one printed up to the identity of axes and
locations.  Decides nothing: a field's form says its type, and a mnemonic says the node class.
Raises `KernelError` V020 with the line that is wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Literal, TypeVar, cast

from certile.diagnostics import Diagnostic, KernelError
from certile.ir.dtypes import BY_NAME, DType
from certile.ir.laws import BUILTIN, Component, Law, state_type
from certile.ir.layouts import Layout
from certile.ir.layouts import from_json as layout_from_json
from certile.ir.node import REGISTRY, Node
from certile.ir.terms import Apply, Lit, Term, Var
from certile.ir.tile import (
    Carried,
    Effect,
    Kernel,
    Memory,
    Parallel,
    Scalar,
    Scope,
    Serial,
    Tile,
    View,
)
from certile.ir.types import Axis, Dim, Extent, TileType

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<string>"(?:\\.|[^"\\])*")
    | (?P<number>-?(?:inf\b|nan\b|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?))
    | (?P<name>[A-Za-z_][A-Za-z_0-9.]*)
    | (?P<sign>[%!:@&#()\[\],=.])
    )""",
    re.VERBOSE,
)
_HEAD = re.compile(r'kernel ("(?:\\.|[^"\\])*") math=(\w+) rewrites=(\w+)')
_SHAPE = ".shape"
_T = TypeVar("_T")


def parse_kernel(text: str) -> Kernel:
    """Return the kernel that a text shows; raises `KernelError` V020 for any other text."""
    return _Parser(text).kernel()


class _Parser:
    """A cursor over lines, with what the lines so far have declared."""

    def __init__(self, text: str) -> None:
        numbered = enumerate(text.splitlines(), 1)
        self._lines = [(number, line.strip()) for number, line in numbered if line.strip()]
        self._at = 0
        self._nodes: dict[str, Node] = {}
        self._axes: dict[str, Axis] = {}
        self._laws: dict[str, Law] = dict(BUILTIN)
        self._params: list[View | Scalar] = []
        self._memories: dict[str, Memory] = {}

    def kernel(self) -> Kernel:
        """Parse a whole text."""
        head = _HEAD.fullmatch(self._next())
        if head is None:
            raise self.error('expected: kernel "name" math=… rewrites=…')
        body = self._body(closing=None)
        return Kernel(
            json.loads(head[1]),
            tuple(self._params),
            tuple(self._memories.values()),
            body,
            cast(Literal["precise", "fast", "portable"], head[2]),
            cast(Literal["proved", "off"], head[3]),
        )

    def error(self, message: str) -> KernelError:
        """The error for the line that was read last."""
        number, line = self._lines[self._at - 1] if self._lines else (0, "")
        return KernelError(Diagnostic("V020", f"line {number}: {message}", notes=(line,)))

    def _next(self) -> str:
        if self._at >= len(self._lines):
            raise self.error("the text ends too early")
        self._at += 1
        return self._lines[self._at - 1][1]

    def _body(self, closing: str | None) -> tuple[Effect, ...]:
        """Read effects up to a line that starts with `closing`, or to the end of the text."""
        found: list[Effect] = []
        while self._at < len(self._lines) or closing is not None:
            line = self._next()
            if closing is not None and line.startswith(closing):
                return tuple(found)
            if not self._declaration(line):
                made = self._node(line)
                if isinstance(made, Effect):
                    found.append(made)
        return tuple(found)

    def _declaration(self, line: str) -> bool:
        """Read a line that declares a parameter, an axis, a memory or a law."""
        word, _, rest = line.partition(" ")
        if word == "law":
            label, _, data = rest.partition(" = ")
            self._laws[label.removeprefix("@")] = self._law(data)
            return True
        if word not in ("view", "scalar", "axis", "memory"):
            return False
        fields = _Fields(self, rest)
        if word == "axis":
            name, number = fields.label()
            fields.expect("=")
            self._axes[number] = Axis.fresh(name, fields.extent())
        elif word == "memory":
            name, number = fields.label()
            dtype, axes = fields.dtype(), cast(tuple[Axis, ...], fields.value())
            resource, layout = cast(Scope, fields.word()), fields.layout()
            self._memories[number] = Memory(int(number), name, dtype, axes, resource, layout)
        else:
            name, dtype = fields.word(), fields.dtype()
            made = View(name, dtype, fields.number()) if word == "view" else Scalar(name, dtype)
            self._params.append(made)
        fields.end()
        return True

    def _node(self, line: str) -> Node:
        label = ""
        if line.startswith("%"):
            label, _, line = line.partition(" = ")
        opens = line.endswith("{")
        mnemonic, _, rest = line.removesuffix("{").strip().partition(" ")
        if mnemonic not in REGISTRY:
            raise self.error(f"{mnemonic} is no node")
        fields = _Fields(self, rest).named()
        made = self._make(REGISTRY[mnemonic], fields, opens)
        if label:
            self._nodes[label.removeprefix("%")] = made
        return made

    def _make(self, kind: type[Node], fields: dict[str, object], opens: bool) -> Node:
        if kind is Carried:
            fields["uid"] = len(self._nodes) + 1
        elif kind is Serial:
            fields.update(self._loop())
        elif kind is Parallel:
            fields["body"] = self._body("}")
        if opens != (kind in (Serial, Parallel)):
            raise self.error("a region opens, or is missing")
        wanted = set(kind.compared())
        if wanted - set(kind.unwritten_fields()) != set(fields) - set(kind.unwritten_fields()):
            raise self.error(f"fields {sorted(wanted)}, found {sorted(fields)}")
        return kind(**fields)

    def _loop(self) -> dict[str, object]:
        """Read the carried values, the body and the yields of a serial loop."""
        params: list[Carried] = []
        while self._at < len(self._lines) and " = tile.carried " in self._lines[self._at][1]:
            made = self._node(self._next())
            assert isinstance(made, Carried)
            params.append(made)
        body = self._body("yield ")
        line = self._lines[self._at - 1][1]
        yields = cast(tuple[Tile, ...], _Fields(self, line.removeprefix("yield ")).value())
        if self._next() != "}":
            raise self.error("expected } after yield")
        return {"params": tuple(params), "body": body, "yields": yields}

    def _law(self, text: str) -> Law:
        try:
            return law_from_json(text)
        except (ValueError, TypeError, KeyError) as fault:
            raise self.error(f"not a law: {fault}") from fault

    # What the fields of a line may name.

    def node(self, number: str) -> Node:
        """The value with a number."""
        return self._known(self._nodes, number, "value %")

    def axis(self, number: str) -> Axis:
        """The axis with a number."""
        return self._known(self._axes, number, "axis #")

    def law(self, label: str) -> Law:
        """The law with a label."""
        return self._known(self._laws, label, "law @")

    def memory(self, number: str) -> Memory:
        """The memory with a number."""
        return self._known(self._memories, number, "memory #")

    def view(self, name: str) -> View:
        """The view parameter with a name."""
        views = {param.name: param for param in self._params if isinstance(param, View)}
        return self._known(views, name, "view &")

    def _known(self, table: Mapping[str, _T], key: str, what: str) -> _T:
        if key not in table:
            raise self.error(f"{what}{key} is not declared")
        return table[key]


class _Fields:
    """A cursor over the tokens of one line."""

    def __init__(self, parser: _Parser, text: str) -> None:
        self._parser = parser
        self._tokens: list[tuple[str, str]] = []
        at = 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            if match is None or match.lastgroup is None:
                raise parser.error(f"cannot read {text[at:]!r}")
            self._tokens.append((match.lastgroup, match[match.lastgroup]))
            at = match.end()

    def named(self) -> dict[str, object]:
        """Read `name=value` to the end of the line."""
        found: dict[str, object] = {}
        while self._tokens:
            name = self.word()
            self.expect("=")
            found[name] = self.value()
        return found

    def end(self) -> None:
        """The line holds nothing more."""
        if self._tokens:
            raise self._parser.error(f"unexpected {self._tokens[0][1]!r}")

    def _take(self) -> tuple[str, str]:
        if not self._tokens:
            raise self._parser.error("the line ends too early")
        return self._tokens.pop(0)

    def _next_is(self, sign: str) -> bool:
        return bool(self._tokens) and self._tokens[0] == ("sign", sign)

    def expect(self, sign: str) -> None:
        """Take one sign."""
        kind, text = self._take()
        if (kind, text) != ("sign", sign):
            raise self._parser.error(f"expected {sign!r}, found {text!r}")

    def word(self) -> str:
        """Take a name, plain or quoted."""
        kind, text = self._take()
        if kind == "string":
            return str(json.loads(text))
        if kind != "name":
            raise self._parser.error(f"expected a name, found {text!r}")
        return text

    def layout(self) -> Layout | None:
        """Take the layout of a memory, if the line goes on."""
        if not self._tokens:
            return None
        try:
            return layout_from_json(json.loads(self.word()))
        except (ValueError, TypeError) as error:
            raise self._parser.error(f"no layout: {error}") from error

    def number(self) -> int:
        """Take an integer."""
        kind, text = self._take()
        if kind != "number" or not text.lstrip("-").isdigit():
            raise self._parser.error(f"expected an integer, found {text!r}")
        return int(text)

    def label(self) -> tuple[str, str]:
        """Take `name#number`."""
        name = self.word()
        self.expect("#")
        return name, str(self.number())

    def extent(self) -> Extent:
        """Take an integer or `view.shape[n]`."""
        if self._tokens and self._tokens[0][0] == "number":
            return self.number()
        view = self.word()
        if self._next_is("."):
            # A quoted name ends before the dot; a plain one is read with it.
            self.expect(".")
            self.word()
        else:
            view = view.removesuffix(_SHAPE)
        self.expect("[")
        number = self.number()
        self.expect("]")
        return Dim(view, number)

    def value(self) -> object:
        """Take one field value; its first token says what it is."""
        kind, text = self._take()
        match kind, text:
            case "number", _:
                return int(text) if text.lstrip("-").isdigit() else float(text)
            case "sign", "(":
                return self._tuple()
            case "sign", "%":
                return self._parser.node(str(self.number()))
            case "sign", "!":
                return self._type()
            case "sign", ":":
                return self.dtype()
            case "sign", "@":
                return self._parser.law(self._take()[1])
            case "sign", "&":
                return self._buffer()
            case "name", "_" | "true" | "false":
                return {"_": None, "true": True, "false": False}[text]
            case _:
                return self._named_value(kind, text)

    def _named_value(self, kind: str, text: str) -> object:
        """An axis, a length, or a plain string."""
        if self._next_is("#"):
            self.expect("#")
            return self._parser.axis(str(self.number()))
        if self._next_is("[") or self._next_is("."):
            self._tokens.insert(0, (kind, text))
            return self.extent()
        if kind != "string":
            raise self._parser.error(f"unexpected {text!r}")
        return json.loads(text)

    def _tuple(self) -> tuple[object, ...]:
        found: list[object] = []
        while not self._next_is(")"):
            if found:
                self.expect(",")
            found.append(self.value())
        self.expect(")")
        return tuple(found)

    def dtype(self) -> DType:
        """Take the name of a dtype."""
        name = self.word()
        if name not in BY_NAME:
            raise self._parser.error(f"{name} is no dtype")
        return BY_NAME[name]

    def _type(self) -> TileType:
        dtype = self.dtype()
        axes: list[Axis] = []
        if self._next_is("["):
            self.expect("[")
            while not self._next_is("]"):
                if axes:
                    self.expect(",")
                axes.append(self._parser.axis(self.label()[1]))
            self.expect("]")
        return TileType(dtype, tuple(axes))

    def _buffer(self) -> View | Memory:
        name = self.word()
        if self._next_is("#"):
            self.expect("#")
            return self._parser.memory(str(self.number()))
        return self._parser.view(name)


def law_from_json(text: str) -> Law:
    """The law that `printer.law_to_json` wrote; raises `ValueError`, `TypeError` or `KeyError`."""
    data = json.loads(text)
    data["state"] = tuple(Component(name, state_type(at)) for name, at in data["state"])
    for name in ("lift", "merge", "finalize"):
        data[name] = tuple(map(term_from_json, data[name]))
    for name in ("identity", "closed"):
        if data[name] is not None:
            data[name] = tuple(map(term_from_json, data[name]))
    data["results"] = tuple(map(state_type, data["results"]))
    data["parameters"] = tuple(data.get("parameters", ()))
    return Law(**data)


def term_from_json(data: object) -> Term:
    """A term from the nested lists that `terms.to_json` makes; raises `ValueError`."""
    match data:
        case str():
            return Var(data)
        case {"lit": value, "dtype": str(dtype)}:
            return Lit(value, dtype)
        case {"lit": value}:
            return Lit(value)
        case [str(fn), *args]:
            return Apply(fn, tuple(map(term_from_json, args)))
        case _:
            raise ValueError(f"not a term: {data!r}")
