"""Rewrite MSL of the subset to C++, with the line numbers kept.

In: a `Unit` without refusals and a mode.  Out: C++ for our headers.  In `check` mode address spaces
stay, as attributes, and nothing can run; in `run` mode they are erased, threadgroup arrays become
references into the arena and every kernel gets an entry point.  Decides which forms a body may
hold; what it does not understand is refused with its place.  Types and overloads are left to clang.
"""

from collections.abc import Sequence
from typing import Literal

from certile.metalsim.entries import entry_points
from certile.metalsim.findings import Diagnostic, Refused
from certile.metalsim.rules import MAX_THREADGROUP_BYTES
from certile.metalsim.signature import constant_places
from certile.metalsim.syntax import (
    SPACES,
    Constant,
    Function,
    Kernel,
    Struct,
    Unit,
    base_scalar,
    matching,
    refuse,
)
from certile.metalsim.tokens import Token
from certile.metalsim.writer import Writer
from certile.records import record

__all__ = ["SOURCE_NAME", "Mode", "Rewritten", "rewrite"]

Mode = Literal["check", "run"]
SOURCE_NAME = "kernel.metal"

# C++ that MSL lacks, or that the subset leaves out because no rule here understands it.
_OUTSIDE = frozenset({
    "alignas", "alignof", "and", "asm", "auto", "bitand", "bitor", "catch", "char16_t",
    "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept",
    "consteval", "constinit", "const_cast", "decltype", "delete", "dynamic_cast", "enum",
    "explicit", "export", "extern", "friend", "goto", "mutable", "namespace", "new", "noexcept",
    "not", "operator", "or", "private", "protected", "public", "register", "requires", "restrict",
    "signed", "static", "static_assert", "struct", "switch", "template", "this", "thread_local",
    "throw", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual",
    "volatile", "wchar_t", "xor", "kernel", "vertex", "fragment", "coherent",
})  # fmt: skip
_COMPONENTS = frozenset({"x", "y", "z", "w"})
_METHODS = frozenset({"any", "all"})
# Suffixes of floating literals, longest first, and what they become.
_FLOATS = {"bf": "bfloat({}f)", "h": "half({}f)", "f": "{}f", "": "{}f"}
_UNARY = frozenset({"&", "*", "-", "+", "!", "~", "++", "--"})


@record
class Rewritten:
    """C++ of one mode; `writer` maps its columns back."""

    text: str
    writer: Writer


def rewrite(unit: Unit, mode: Mode) -> tuple[Rewritten, list[Diagnostic]]:
    """Return the C++ of `unit` in `mode`, and what its bodies hold that is outside the subset."""
    writer = Writer()
    refusals: list[Diagnostic] = []
    for item in unit.items:
        try:
            _ItemRewriter(unit, mode, writer).item(item)
        except Refused as refused:
            refusals.append(refused.diagnostic)
    text = f'{_header(mode)}#line 1 "{SOURCE_NAME}"\n{writer.text()}' + "}\n"
    if mode == "run":
        text += entry_points(unit)
    return Rewritten(text, writer), refusals


def _header(mode: Mode) -> str:
    types = "types_check.h" if mode == "check" else "types_run.h"
    includes = f'#include "{types}"\n#include "functions.h"\n'
    return includes + "namespace msl_user { using namespace metal;\n"


class _ItemRewriter:
    """Rewrites one top-level item; holds where it is in the token sequence."""

    def __init__(self, unit: Unit, mode: Mode, writer: Writer) -> None:
        self._unit = unit
        self._check = mode == "check"
        self._writer = writer
        self._fields = {name for s in unit.structs for name in s.fields}
        self._structs = {s.name for s in unit.structs}
        self._arrays: list[str] = []
        self._in_kernel = False

    def item(self, item: Struct | Constant | Function | Kernel) -> None:
        match item:
            case Struct():
                for token in item.tokens:
                    self._put(token.text, token)
            case Constant():
                self._constant(item)
            case Function():
                self._function(item)
            case Kernel():
                self._kernel(item)

    def _put(self, piece: str, token: Token) -> None:
        self._writer.put(piece, token.line, token.column)

    def _constant(self, constant: Constant) -> None:
        first = constant.tokens[0]
        if constant.index is not None:
            place = constant_places(self._unit)[constant.index]
            kind, name = constant.type, constant.name
            target = f"*reinterpret_cast<const {kind}*>(msl_constants + {place})"
            text = f"extern constant {kind} {name};"
            self._put(text if self._check else f"static const {kind}& {name} = {target};", first)
            return
        self._put("static" if self._check else "static const", first)
        rest = [t for t in constant.tokens if t.text not in ("static", "const")]
        if not self._check:
            rest = [t for t in rest if t.text != "constant"]
        self._run(tuple(rest))

    def _function(self, function: Function) -> None:
        head, body = function.head, function.body
        for token in body:
            if token.text == function.name:
                raise refuse(token, "MSL has no recursion")
        open_at = next(i for i, t in enumerate(head) if t.text == "(")
        words = [t for t in head[:open_at] if t.text not in ("static", "inline")]
        self._put("static" if self._check else "static inline", head[0])
        self._run((*words, *head[open_at:]))
        self._run(body)

    def _kernel(self, kernel: Kernel) -> None:
        self._in_kernel = True
        word = "void" if self._check else "static __attribute__((noinline)) void"
        self._put(f"{word} {kernel.name} (", kernel.token)
        for number, parameter in enumerate(kernel.parameters):
            comma = "," if number + 1 < len(kernel.parameters) else ""
            space = parameter.space if self._check else ""
            const = "const" if parameter.const and parameter.space != "constant" else ""
            if parameter.space == "constant" and not self._check:
                const = "const"
            words = (space, const, parameter.type, parameter.indirection, parameter.name)
            self._put(" ".join(w for w in words if w) + comma, parameter.token)
        self._put(")", kernel.body[0])
        self._run(kernel.body)

    def _run(self, tokens: Sequence[Token]) -> None:
        self._range(tokens, 0, len(tokens))

    def _range(self, tokens: Sequence[Token], at: int, end: int) -> None:
        while at < end:
            at = self._step(tokens, at)

    def _step(self, tokens: Sequence[Token], at: int) -> int:
        """Rewrite the form that begins at `at`; return where it ends."""
        token = tokens[at]
        match token.kind:
            case "directive":
                return self._pragma(token, at)
            case "number":
                self._put(_number(token), token)
                return at + 1
            case "punct":
                return self._punctuation(tokens, at)
            case "name":
                return self._word(tokens, at)

    def _pragma(self, token: Token, at: int) -> int:
        words = token.text.replace("(", " ").split()
        if words[:2] == ["#pragma", "unroll"] or words[:4] == [
            "#pragma",
            "clang",
            "loop",
            "unroll",
        ]:
            self._put(token.text, token)
        elif words[:3] != ["#pragma", "METAL", "fp"]:
            raise refuse(token, f"the directive {token.text!r} is outside the subset")
        return at + 1

    def _punctuation(self, tokens: Sequence[Token], at: int) -> int:
        token = tokens[at]
        if token.text == "[":
            self._bracket(tokens, at)
        if token.text == "(" and (close := self._pointer_cast(tokens, at)):
            self._put("msl_cast <", token)
            self._range(tokens, at + 1, close)
            self._put(">", tokens[close])
            return self._operand(tokens, close + 1)
        if token.text == "(" and _is_vector_cast(tokens, at):
            kind = tokens[at + 1]
            if _is_list(tokens, at + 3):
                raise refuse(kind, f"components are given as {kind.text}(…), not behind a cast")
            self._put(f"msl_make_{kind.text}" if self._check else kind.text, token)
            return self._operand(tokens, at + 3)
        if token.text in (".", "->") and at + 1 < len(tokens):
            self._member(tokens[at + 1])
        self._put(token.text, token)
        return at + 1

    def _operand(self, tokens: Sequence[Token], at: int) -> int:
        """Rewrite the one operand of a cast as a call's argument; return where it ends."""
        end = _operand_end(tokens, at)
        self._put("((", tokens[at])
        self._range(tokens, at, end)
        self._put("))", tokens[end - 1])
        return end

    def _bracket(self, tokens: Sequence[Token], at: int) -> None:
        before = tokens[at - 1] if at else tokens[at]
        if tokens[at + 1].text == "[" and tokens[at + 1].glued:
            raise refuse(tokens[at], "no attribute is known here", "X002")
        if before.text == "return" or (before.kind == "punct" and before.text not in (")", "]")):
            raise refuse(tokens[at], "MSL has no lambda")

    def _member(self, name: Token) -> None:
        if name.text not in _COMPONENTS | _METHODS | self._fields:
            text = f"{name.text!r} is no field, and of a vector only .x .y .z .w are in the subset"
            raise refuse(name, text)

    def _pointer_cast(self, tokens: Sequence[Token], at: int) -> int:
        """Return the index of the `)` when a C-style cast to a pointer begins here, else 0."""
        i, has_type = at + 1, False
        while tokens[i].kind == "name":
            text = tokens[i].text
            has_type |= bool(base_scalar(text)) or text in self._structs
            if text not in SPACES | {"const"} and not has_type:
                return 0
            i += 1
        if not has_type or tokens[i].text != "*":
            return 0
        close = i + 1
        if tokens[close].text == "const":
            close += 1
        return close if tokens[close].text == ")" else 0

    def _word(self, tokens: Sequence[Token], at: int) -> int:
        token = tokens[at]
        text = token.text
        if text == "double":
            raise refuse(token, "MSL has no double", "X006")
        if text in _OUTSIDE or text.startswith(("__", "msl_")):
            raise refuse(token, f"{text!r} is outside the subset")
        if text == "long" and tokens[at + 1].text in ("long", "double"):
            raise refuse(token, f"'long {tokens[at + 1].text}' is no type of MSL")
        if text == "threadgroup" and (array := self._declaration(tokens, at)):
            return array
        if text in SPACES:
            self._space(token)
        elif text == "reinterpret_cast":
            self._put("msl_cast", token)
        elif self._check and _is_vector(text) and tokens[at + 1].text == "(":
            self._put(f"msl_make_{text}", token)
        else:
            self._put(text, token)
        return at + 1

    def _space(self, token: Token) -> None:
        if self._check:
            self._put(token.text, token)
        elif token.text == "constant":
            self._put("const", token)

    def _declaration(self, tokens: Sequence[Token], at: int) -> int:
        """Rewrite a threadgroup variable; return 0 if a pointer or reference is declared."""
        kind = tokens[at + 1]
        if kind.text == "const" or tokens[at + 2].text in ("*", "&", "const"):
            return 0
        name, i = tokens[at + 2], at + 3
        if not (base_scalar(kind.text) or kind.text in self._structs) or name.kind != "name":
            raise refuse(tokens[at], "this threadgroup declaration is outside the subset")
        if not self._in_kernel or _depth(tokens, at) != 1 or tokens[at - 1].text not in "{};":
            raise refuse(tokens[at], "threadgroup memory is declared at the top of a kernel")
        dims: list[str] = []
        while tokens[i].text == "[":
            close = matching(tokens, i)
            self._range_allowed(tokens[i + 1 : close])
            dims.append("[" + " ".join(t.text for t in tokens[i + 1 : close]) + "]")
            i = close + 1
        if tokens[i].text != ";":
            raise refuse(tokens[i], "a threadgroup variable has no initial value and stands alone")
        self._put(self._array(kind.text, name.text, "".join(dims)), tokens[at])
        return i + 1

    def _range_allowed(self, dims: Sequence[Token]) -> None:
        for token in dims:
            if token.kind == "directive" or token.text in _OUTSIDE or token.text in "{}[];=":
                raise refuse(token, "an array length is a constant expression")

    def _array(self, kind: str, name: str, dims: str) -> str:
        before = self._arrays[-1] if self._arrays else ""
        self._arrays.append(name)
        packed = f"msl_pack({f'msl_packed_{before}' if before else '0'}, alignof({kind}))"
        text = f"constexpr unsigned long msl_packed_{name} = {packed} + sizeof({kind}{dims}); "
        if self._check:
            limit = f"X008 more than {MAX_THREADGROUP_BYTES} bytes of threadgroup memory"
            test = f'static_assert(msl_packed_{name} <= {MAX_THREADGROUP_BYTES}, "{limit}"); '
            return f"{text}{test}static threadgroup {kind} {name}{dims};"
        start = f"msl_end_{before}" if before else "0"
        at, end = f"msl_at_{name}", f"msl_end_{name}"
        return (
            f"{text}constexpr unsigned long {at} = msl_place({start}, alignof({kind})), "
            f"{end} = {at} + sizeof({kind}{dims}); "
            f"msl_declare({len(self._arrays) - 1}, {at}, {end} - {at}, msl_packed_{name}, "
            f'msl_granule<{kind}>(), "{name}"); '
            f"{kind} (&{name}){dims} = *reinterpret_cast<{kind} (*){dims}>(msl_arena + {at});"
        )


def _is_vector(name: str) -> bool:
    scalar = base_scalar(name)
    return scalar is not None and scalar != name


def _is_vector_cast(tokens: Sequence[Token], at: int) -> bool:
    """Whether `(TYPE4)` with an operand begins here, and not a call's only argument."""
    if not _is_vector(tokens[at + 1].text) or tokens[at + 2].text != ")":
        return False
    return at == 0 or tokens[at - 1].kind == "punct" or tokens[at - 1].text == "return"


def _is_list(tokens: Sequence[Token], at: int) -> bool:
    """Whether a parenthesis with a comma of its own begins here."""
    if tokens[at].text != "(":
        return False
    inside = tokens[at + 1 : matching(tokens, at)]
    return any(t.text == "," and not _depth(inside, i) for i, t in enumerate(inside))


def _depth(tokens: Sequence[Token], at: int) -> int:
    opened = sum(t.text in ("{", "(") for t in tokens[:at])
    return opened - sum(t.text in ("}", ")") for t in tokens[:at])


def _operand_end(tokens: Sequence[Token], at: int) -> int:
    """Return the end of the cast expression that begins at `at`."""
    while tokens[at].text in _UNARY:
        at += 1
    if tokens[at].text == "(":
        at = matching(tokens, at) + 1
    elif tokens[at].kind in ("name", "number"):
        at += 1
    else:
        raise refuse(tokens[at], "a cast needs a simple operand here")
    while at < len(tokens):
        if tokens[at].text in ("(", "["):
            at = matching(tokens, at) + 1
        elif tokens[at].text in (".", "->", "::"):
            at += 2
        else:
            break
    return at


def _number(token: Token) -> str:
    """Give a literal the type it has in MSL: a plain one with a point is a float."""
    text = token.text.lower()
    hexadecimal = text.startswith("0x")
    floating = "p" in text if hexadecimal else "." in text or "e" in text or text[-1] in "fh"
    if not floating:
        digits = text.rstrip("ul")
        known = text[len(digits) :] in ("", "u", "l", "ul", "lu")
        if not known or not _is_integer(digits):
            raise refuse(token, f"the literal {token.text!r} is outside the subset")
        return token.text
    suffix = next(end for end in _FLOATS if text.endswith(end))
    digits = text[: len(text) - len(suffix)]
    try:
        float.fromhex(digits) if hexadecimal else float(digits)
    except ValueError:
        raise refuse(token, f"the literal {token.text!r} is outside the subset") from None
    return _FLOATS[suffix].format(digits)


def _is_integer(digits: str) -> bool:
    try:
        int(digits, 16 if digits.startswith("0x") else 8 if digits.startswith("0") else 10)
    except ValueError:
        return False
    return True
