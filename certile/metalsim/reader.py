"""Read MSL text of the subset into its top-level items.

In: text.  Out: a `Unit`.  Decides what the subset is at the top level; every other form is refused
with its place, never guessed.  Leaves bodies to `certile.metalsim.rewrite` and limits to
`certile.metalsim.rules`.
"""

from dataclasses import dataclass

from certile.metalsim.findings import Diagnostic, Refused
from certile.metalsim.syntax import (
    BUILTINS,
    POSITIONS,
    SCALARS,
    SPACES,
    Constant,
    Function,
    Kernel,
    Parameter,
    ParameterKind,
    Struct,
    Unit,
    base_scalar,
    matching,
    refuse,
)
from certile.metalsim.tokens import Token, tokenise

__all__ = ["parse"]


def parse(text: str) -> Unit:
    """Read `text`; what is outside the subset stands in `Unit.refusals`."""
    try:
        tokens = tokenise(text)
    except Refused as refused:
        return Unit(refusals=[refused.diagnostic])
    unit = Unit(tokens)
    _Reader(unit).read()
    return unit


@dataclass(slots=True)
class _Attribute:
    """One `[[name]]` or `[[name(argument)]]`."""

    name: str
    argument: int | None
    token: Token


class _Reader:
    """Walks the top level; after a refusal it goes on at the next item."""

    def __init__(self, unit: Unit) -> None:
        self._tokens = unit.tokens
        self._unit = unit
        self._at = 0

    def read(self) -> None:
        included = False
        while self._at < len(self._tokens):
            start, token = self._at, self._tokens[self._at]
            try:
                if token.kind == "directive":
                    included |= self._directive(token)
                else:
                    self._item(token)
            except Refused as refused:
                self._unit.refusals.append(refused.diagnostic)
                self._skip_item(start)
        if not included:
            self._unit.refusals.append(
                Diagnostic(1, 1, "X001", "the text does not include <metal_stdlib>")
            )

    def _directive(self, token: Token) -> bool:
        self._at += 1
        words = token.text.split()
        if "".join(words) == "#include<metal_stdlib>":
            return True
        if words[:2] in (["#pragma", "METAL"], ["#pragma", "clang"]) and words[2:3] == ["fp"]:
            return False
        raise refuse(token, f"the directive {token.text!r} is outside the subset")

    def _item(self, token: Token) -> None:
        if token.text == "using":
            self._using()
        elif token.text == ";":
            self._at += 1
        elif token.text == "struct":
            self._unit.items.append(self._struct())
        elif token.text == "union":
            # Declared and never used, as generators do: no variable can have this type here.
            self._struct()
        elif token.text == "kernel" or self._is_attribute(self._at):
            self._unit.items.append(self._kernel())
        elif self._is_constant():
            self._unit.items.append(self._constant())
        else:
            self._unit.items.append(self._function())

    def _skip_item(self, start: int) -> None:
        """Move past the item that began at `start`: its body or its semicolon."""
        self._at = max(self._at, start + 1)
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if token.text == "{":
                try:
                    self._at = matching(self._tokens, self._at) + 1
                except Refused:
                    self._at = len(self._tokens)
                return
            self._at += 1
            if token.text == ";" or token.kind == "directive":
                return

    def _using(self) -> None:
        words = [t.text for t in self._tokens[self._at : self._at + 4]]
        if words != ["using", "namespace", "metal", ";"]:
            raise refuse(self._tokens[self._at], "only `using namespace metal;` is in the subset")
        self._at += 4

    def _peek(self) -> Token:
        if self._at >= len(self._tokens):
            raise refuse(self._tokens[-1], "the text ends too early")
        return self._tokens[self._at]

    def _take(self, expected: str | None = None) -> Token:
        token = self._peek()
        if expected is not None and token.text != expected:
            raise refuse(token, f"expected {expected!r}, found {token.text!r}")
        self._at += 1
        return token

    def _take_name(self, what: str) -> Token:
        token = self._take()
        if token.kind != "name":
            raise refuse(token, f"expected {what}, found {token.text!r}")
        return token

    def _take_type(self) -> Token:
        """Take a scalar or vector type, or a struct declared above."""
        token = self._take_name("a type")
        known = base_scalar(token.text) or any(s.name == token.text for s in self._unit.structs)
        if token.text == "double":
            raise refuse(token, "MSL has no double", "X006")
        if not known:
            raise refuse(token, f"the type {token.text!r} is outside the subset")
        return token

    def _is_attribute(self, at: int) -> bool:
        pair = self._tokens[at : at + 2]
        return [t.text for t in pair] == ["[", "["] and pair[1].glued

    def _attribute(self) -> _Attribute:
        opening = self._at
        self._at += 2
        name = self._take_name("an attribute")
        argument = None
        if self._peek().text == "(":
            self._take("(")
            number = self._take()
            if not number.text.isdigit():
                raise refuse(number, "the argument of an attribute must be a decimal number")
            argument = int(number.text)
            self._take(")")
        self._take("]")
        self._take("]")
        return _Attribute(name.text, argument, self._tokens[opening])

    def _struct(self) -> Struct:
        start = self._at
        what = self._take().text
        name = self._take_name(f"the {what}'s name")
        self._take("{")
        fields = []
        while self._peek().text != "}":
            self._take_type()
            fields.append(self._take_name("a field").text)
            while self._peek().text == "[":
                self._at = matching(self._tokens, self._at) + 1
            self._take(";")
        self._take("}")
        self._take(";")
        return Struct(name.text, tuple(fields), self._tokens[start : self._at])

    def _is_constant(self) -> bool:
        """Whether the item is a program-scope variable: no parenthesis before `=`, `[` or `;`."""
        for i in range(self._at, len(self._tokens)):
            if self._tokens[i].text in ("=", ";", "["):
                return True
            if self._tokens[i].text in ("(", "{"):
                return False
        return False

    def _constant(self) -> Constant:
        start = self._at
        words = set()
        while self._peek().text in ("constant", "constexpr", "const", "static"):
            words.add(self._take().text)
        if "constant" not in words:
            raise refuse(self._peek(), "a program-scope variable must be `constant`")
        kind = self._take_type()
        name = self._take_name("the constant's name")
        index = None
        if self._is_attribute(self._at):
            attribute = self._attribute()
            if attribute.name != "function_constant" or attribute.argument is None:
                raise refuse(attribute.token, f"unknown attribute {attribute.name!r}", "X002")
            index = attribute.argument
            if words != {"constant"} or kind.text not in SCALARS or self._peek().text != ";":
                raise refuse(name, "a function constant is a `constant` scalar without a value")
        while self._peek().text != ";":
            if self._peek().text in ("[", "{", "("):
                self._at = matching(self._tokens, self._at)
            elif self._peek().text == ",":
                raise refuse(self._peek(), "one constant a declaration")
            self._at += 1
        self._take(";")
        return Constant(name.text, kind.text, index, self._tokens[start : self._at])

    def _function(self) -> Function:
        start = self._at
        while self._peek().text != "(":
            token = self._take()
            if token.kind != "name" and token.text not in ("*", "&"):
                raise refuse(token, f"{token.text!r} does not begin anything in the subset")
        name = self._tokens[self._at - 1]
        if self._at - start < 2 or name.kind != "name":
            raise refuse(name, "expected a function with its return type")
        close = matching(self._tokens, self._at)
        head = self._tokens[start : close + 1]
        self._at = close + 1
        if self._peek().text != "{":
            raise refuse(self._peek(), "a function needs its body where it is declared")
        return Function(name.text, head, self._body())

    def _body(self) -> tuple[Token, ...]:
        start = self._at
        self._at = matching(self._tokens, start) + 1
        return self._tokens[start : self._at]

    def _kernel(self) -> Kernel:
        first = self._peek()
        limits = [*self._limits()]
        token = self._take("kernel")
        limits += self._limits()
        self._take("void")
        name = self._take_name("the kernel's name")
        self._take("(")
        parameters = []
        while self._peek().text != ")":
            parameters.append(self._parameter())
            if self._peek().text != ")":
                self._take(",")
        self._take(")")
        if self._peek().text != "{":
            raise refuse(self._peek(), "expected the kernel's body")
        limit = limits[0] if limits else None
        return Kernel(
            name.text,
            first,
            token,
            tuple(parameters),
            self._body(),
            limit.argument if limit else None,
            limit.token if limit else None,
        )

    def _limits(self) -> list[_Attribute]:
        found = []
        while self._is_attribute(self._at):
            attribute = self._attribute()
            known = attribute.name == "max_total_threads_per_threadgroup"
            if not known or attribute.argument is None:
                raise refuse(attribute.token, f"unknown attribute {attribute.name!r}", "X002")
            found.append(attribute)
        return found

    def _parameter(self) -> Parameter:
        spaces, const = [], False
        while self._peek().text in SPACES | {"const"}:
            token = self._take()
            const |= token.text in ("const", "constant")
            if token.text != "const":
                spaces.append(token)
        kind = self._take_type()
        if self._peek().text == "const":
            self._take()
            const = True
        indirection = self._take().text if self._peek().text in ("*", "&") else ""
        name = self._take_name("the parameter's name")
        if not self._is_attribute(self._at):
            raise refuse(name, f"parameter {name.text!r} needs an explicit attribute", "X002")
        attribute = self._attribute()
        if len(spaces) > 1 or (spaces and not indirection) or (indirection and not spaces):
            raise refuse(name, "a pointer or reference parameter has exactly one address space")
        space = spaces[0].text if spaces else ""
        role = _role(attribute, space, indirection)
        index = attribute.argument if attribute.argument is not None else -1
        return Parameter(
            name.text, role, kind.text, space, const, indirection, index, attribute.name, name
        )


def _role(attribute: _Attribute, space: str, indirection: str) -> ParameterKind:
    name, has_argument = attribute.name, attribute.argument is not None
    if name == "buffer" and has_argument:
        if space not in ("device", "constant"):
            raise refuse(attribute.token, "a buffer is in device or constant memory", "X002")
        return "buffer"
    if name == "threadgroup" and has_argument:
        if space != "threadgroup" or indirection != "*":
            raise refuse(attribute.token, "[[threadgroup(n)]] is for threadgroup pointers", "X002")
        return "threadgroup"
    if (name in POSITIONS or name in BUILTINS) and not has_argument:
        if indirection:
            raise refuse(attribute.token, f"[[{name}]] is a value, not a pointer", "X003")
        return "builtin"
    raise refuse(attribute.token, f"unknown attribute {name!r}", "X002")
