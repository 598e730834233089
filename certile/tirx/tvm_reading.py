"""The reading part of what names TVM: a function of TVM's tirx as records of the recogniser.

In: a PrimFunc, a module that holds one, or TVMScript text.  Out: a `nodes.Function`.  Decides
nothing: a node class or an operation that is not on a list here becomes a `Foreign` or an `Alien`
with its name, a buffer with strides carries that as its problem, and every annotation and attribute
is handed on.  Blocks of TVM's schedules are read as what they execute: their variables are bound,
and an initialiser is a test of the first iteration.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from certile.diagnostics import ArgumentError
from certile.tirx.recognition import nodes
from certile.tirx.recognition.nodes import Expr, Stmt
from certile.tirx.tvm import api

_BINARY = {
    "Add": "add",
    "Sub": "sub",
    "Mul": "mul",
    "Div": "div",
    "FloorDiv": "floordiv",
    "FloorMod": "mod",
    "Max": "maximum",
    "Min": "minimum",
    "EQ": "eq",
    "NE": "ne",
    "LT": "lt",
    "LE": "le",
    "GT": "gt",
    "GE": "ge",
    "And": "and",
    "Or": "or",
}
_CALLS = {
    "tirx.exp": "exp",
    "tirx.exp2": "exp2",
    "tirx.log": "log",
    "prim.log2": "log2",
    "tirx.log1p": "log1p",
    "tirx.sqrt": "sqrt",
    "tirx.rsqrt": "rsqrt",
    "tirx.tanh": "tanh",
    "tirx.sigmoid": "sigmoid",
    "tirx.erf": "erf",
    "tirx.sin": "sin",
    "tirx.cos": "cos",
    "tirx.fabs": "abs",
    "tirx.floor": "floor",
    "prim.ceil": "ceil",
    "tirx.nearbyint": "round",
    "tirx.pow": "pow",
}
_LAZY = ("tirx.if_then_else", "prim.if_then_else")
_KINDS: tuple[nodes.LoopKind, ...] = ("serial", "parallel", "vectorized", "unrolled", "thread")
# A loop variable of a block that a reduction ranges over, in TVM's numbering.
_REDUCED = 2
# Annotations of blocks that say where they come from, nothing of what they compute.
_NOTES = ("axis",)
# An expression is a tree here; a node that many share would be as many as its readers.
_MOST_NODES = 2048
_MOST_DEPTH = 96
# Statements inside statements.
_MOST_NESTED = 64

Node = Any


def read(func: object) -> nodes.Function:
    """A function of TVM as records; raises `ArgumentError` A320 for anything else."""
    tirx = api().tirx
    found = _parsed(func) if isinstance(func, str) else func
    if isinstance(found, api().root.IRModule):
        held = [value for _, value in found.functions_items()]
        found = held[0] if len(held) == 1 else None
    if not isinstance(found, tirx.PrimFunc):
        hint = "pass a PrimFunc, a module that holds one, or its script"
        raise ArgumentError("A320", f"{type(func).__name__} is no TIRx function", hint=hint)
    return _Reader().function(found)


def _parsed(text: str) -> object:
    from tvm.script.parser import parse
    from tvm.script.parser import tirx as dialect

    try:
        return parse(text, extra_vars={"T": dialect})
    except Exception as error:  # the parser evaluates the text, which may raise anything
        said = str(error).strip().splitlines() or [type(error).__name__]
        hint = "pass what script() of a function prints, whole, with all names of it but T"
        raise ArgumentError("A320", f"the text is no TVMScript: {said[0]}", hint=hint) from error


def _class(node: Node) -> str:
    return type(node).__name__


class _Reader:
    """Reads one function; equal nodes are read once."""

    def __init__(self) -> None:
        self._variables: dict[int, nodes.Variable] = {}
        self._buffers: dict[int, nodes.Buffer] = {}
        self._read: dict[int, tuple[Expr, int, int]] = {}
        self._kept: list[Node] = []
        self._nested = 0

    def function(self, func: Node) -> nodes.Function:
        """The whole function."""
        keys = () if func.attrs is None else tuple(str(key) for key in dict(func.attrs))
        name = str(func.attrs["global_symbol"]) if "global_symbol" in keys else "main"
        parameters = tuple(map(self._parameter, func.params))
        return nodes.Function(name, parameters, self._body(func.body), keys)

    def _parameter(self, node: Node) -> nodes.Buffer | nodes.Variable:
        if _is_buffer(node):
            return self._buffer(node)
        return self._variable(node)

    def _variable(self, node: Node) -> nodes.Variable:
        key = self._key(node)
        if key not in self._variables:
            made = nodes.Variable(len(self._variables), str(node.name), _dtype(node))
            self._variables[key] = made
        return self._variables[key]

    def _buffer(self, node: Node) -> nodes.Buffer:
        key = self._key(node)
        if key not in self._buffers:
            shape = tuple(map(_static, node.shape))
            known = tuple(length for length in shape if length is not None)
            constant = len(known) == len(shape)
            self._buffers[key] = nodes.Buffer(
                len(self._buffers),
                str(node.name),
                str(node.dtype),
                known if constant else (),
                str(node.scope()),
                _problem(node, known if constant else None),
                () if constant else self._several(node.shape),
            )
        return self._buffers[key]

    def _key(self, node: Node) -> int:
        """The identity of a node; the node is held, so that no other takes its place in memory."""
        self._kept.append(node)
        return int(node.__chandle__())

    # Statements.

    def _body(self, node: Node) -> tuple[Stmt, ...]:
        if self._nested > _MOST_NESTED:
            return (nodes.Alien(f"a statement inside {_MOST_NESTED} others"),)
        self._nested += 1
        made = self._listed(node)
        self._nested -= 1
        return made

    def _listed(self, node: Node) -> tuple[Stmt, ...]:
        match _class(node):
            case "SeqStmt":
                return tuple(step for inner in node.seq for step in self._body(inner))
            case "SBlockRealize":
                return self._block(node)
            case "Evaluate" if _static(node.value) is not None:
                # A number that nobody reads: how TVM writes no statement at all.
                return ()
            case _:
                return (self._statement(node),)

    def _statement(self, node: Node) -> Stmt:
        match _class(node):
            case "For":
                return self._loop(node)
            case "AllocBuffer" if not dict(node.annotations or {}):
                return nodes.Allocate(self._buffer(node.buffer))
            case "BufferStore" if _is_buffer(node.buffer):
                indices = self._several(node.indices)
                return nodes.Assign(self._buffer(node.buffer), indices, self._value(node.value))
            case "Bind" if not _is_buffer(node.var):
                return nodes.Bind(self._variable(node.var), self._value(node.value))
            case "IfThenElse":
                no = () if node.else_case is None else self._body(node.else_case)
                return nodes.Branch(self._value(node.condition), self._body(node.then_case), no)
            case "AttrStmt":
                value = node.value
                text = str(getattr(value, "value", value))
                return nodes.Attribute(str(node.attr_key), text, self._body(node.body))
            case name:
                return nodes.Alien(f"a statement {name}")

    def _loop(self, node: Node) -> nodes.Loop:
        annotations = dict(node.annotations or {})
        marks = tuple((str(key), str(getattr(v, "value", v))) for key, v in annotations.items())
        dtype = _dtype(node.loop_var)
        step = nodes.Number(1, dtype) if node.step is None else self._value(node.step)
        return nodes.Loop(
            self._variable(node.loop_var),
            self._value(node.min),
            self._value(node.extent),
            step,
            _KINDS[int(node.kind)],
            self._body(node.body),
            marks,
        )

    def _block(self, node: Node) -> tuple[Stmt, ...]:
        """A block as it executes: allocations, bound variables, initialiser, body."""
        block = node.block
        made: list[Stmt] = [nodes.Allocate(self._buffer(buffer)) for buffer in block.alloc_buffers]
        if len(block.match_buffers):
            made.append(nodes.Alien("a block that matches buffers"))
        marks = [str(key) for key in (block.annotations or {}) if str(key) not in _NOTES]
        made += [nodes.Alien(f"a block with the annotation {key}") for key in marks]
        first: list[Expr] = []
        for variable, value in zip(block.iter_vars, node.iter_values, strict=True):
            bound = nodes.Bind(self._variable(variable.var), self._value(value))
            made.append(bound)
            if int(variable.iter_type) == _REDUCED:
                low = self._value(variable.dom.min)
                reads = nodes.Read(bound.variable)
                first.append(nodes.Apply("eq", (reads, low), "bool"))
        inner = self._body(block.body)
        if block.init is not None:
            inner = (*self._initialiser(first, self._body(block.init)), *inner)
        predicate = self._value(node.predicate)
        if predicate != nodes.Number(True, "bool"):
            inner = (nodes.Branch(predicate, inner, ()),)
        return (*made, *inner)

    def _initialiser(self, first: list[Expr], body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        if not first:
            return body
        condition = first[0]
        for other in first[1:]:
            condition = nodes.Apply("and", (condition, other), "bool")
        return (nodes.Branch(condition, body, ()),)

    # Expressions.

    def _several(self, exprs: Node) -> tuple[Expr, ...]:
        return tuple(map(self._value, exprs))

    def _value(self, node: Node) -> Expr:
        return self._measured(node, 0)[0]

    def _measured(self, node: Node, depth: int) -> tuple[Expr, int, int]:
        """An expression with the size and the height of its tree."""
        key = self._key(node)
        if key not in self._read:
            if depth > _MOST_DEPTH:
                return nodes.Foreign("an expression of great depth"), 1, 1
            self._read[key] = self._made(node, depth + 1)
        return self._read[key]

    def _made(self, node: Node, depth: int) -> tuple[Expr, int, int]:
        operands = _operands(node)
        read = [self._measured(operand, depth) for operand in operands]
        size = 1 + sum(part[1] for part in read)
        height = 1 + max((part[2] for part in read), default=0)
        if size > _MOST_NODES or height > _MOST_DEPTH:
            return nodes.Foreign(f"an expression of more than {_MOST_NODES} nodes"), 1, 1
        return self._expr(node, tuple(part[0] for part in read)), size, height

    def _expr(self, node: Node, args: tuple[Expr, ...]) -> Expr:
        dtype = _dtype(node)
        match _class(node):
            case "Var" if not _is_buffer(node):
                return nodes.Read(self._variable(node))
            case "IntImm":
                value = int(node.value)
                return nodes.Number(bool(value) if dtype == "bool" else value, dtype)
            case "FloatImm":
                return nodes.Number(float(node.value), dtype)
            case "TensorLoad" if _is_buffer(node.source):
                return nodes.Element(self._buffer(node.source), args)
            case name if name in _BINARY:
                return nodes.Apply(_BINARY[name], args, dtype)
            case "Not":
                return nodes.Apply("not", args, dtype)
            case "Cast":
                return nodes.Convert(args[0], dtype)
            case "Select":
                return nodes.Choice(args[0], args[1], args[2], False, dtype)
            case "Call":
                return _call(node, args, dtype)
            case name:
                return nodes.Foreign(f"an expression {name}", dtype)


def _call(node: Node, args: tuple[Expr, ...], dtype: str) -> Expr:
    name = str(getattr(node.op, "name", _class(node.op)))
    if name in _LAZY and len(args) == 3:
        return nodes.Choice(args[0], args[1], args[2], True, dtype)
    if name in _CALLS:
        return nodes.Apply(_CALLS[name], args, dtype)
    return nodes.Foreign(f"a call of {name}", dtype)


_FIELDS: dict[str, Callable[[Node], tuple[Node, ...]]] = {
    **{name: lambda node: (node.a, node.b) for name in _BINARY},
    "Not": lambda node: (node.a,),
    "Cast": lambda node: (node.value,),
    "Select": lambda node: (node.condition, node.true_value, node.false_value),
    "TensorLoad": lambda node: tuple(node.indices),
}


def _operands(node: Node) -> tuple[Node, ...]:
    """The operands of a node that is read; those of an operation off the list are not looked at."""
    if _class(node) == "Call":
        name = str(getattr(node.op, "name", ""))
        return tuple(node.args) if name in _CALLS or name in _LAZY else ()
    fields = _FIELDS.get(_class(node))
    return () if fields is None else fields(node)


def _dtype(node: Node) -> str:
    return str(getattr(node.ty, "dtype", node.ty))


def _is_buffer(node: Node) -> bool:
    return _class(node) == "Var" and _class(node.ty) == "BufferType"


def _static(length: Node) -> int | None:
    if isinstance(length, int):
        return length
    return int(length.value) if _class(length) == "IntImm" else None


def _is_zero(node: Node) -> bool:
    return node is None or _static(node) == 0


def _problem(node: Node, shape: tuple[int, ...] | None) -> str | None:
    """Why the elements of a buffer are not one row-major array, or None; a shape may be unknown."""
    strides = [_static(stride) for stride in node.strides]
    compact = [prod(shape[dim + 1 :]) for dim in range(len(shape))] if shape is not None else []
    if strides and strides != compact:
        return "has strides of its own"
    if not _is_zero(node.elem_offset):
        return "starts at an offset"
    if len(node.allocated_addr):
        return "has an address of its own"
    if node.layout is not None:
        plain = api().tirx.decl_buffer(node.shape, str(node.dtype), scope=str(node.scope())).layout
        if not api().ffi.structural_equal(plain, node.layout):
            return "has a layout of its own"
    return None
