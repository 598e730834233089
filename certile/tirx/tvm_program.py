"""Statements and functions of TVM's tirx, from terms.

In: terms and places.  Out: functions of TVM, on a GPU bound to the threads of their launch.
Decides where arrays are allocated: at the start of the function, or of an iteration of a parallel
loop.  Checks, as `certile.tirx.tvm` does, what TVM itself does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from certile.ir.dtypes import DType, bool_, i32
from certile.records import record
from certile.tirx.externs import CUDA_STORE
from certile.tirx.tvm import (
    Place,
    Storage,
    Term,
    api,
    fault,
    ramp,
    require_alike,
    require_element,
    type_name,
    variable,
)

__all__ = ["Launched", "Program", "Scope", "function", "positions", "script"]

# What a group synchronises.
Scope = Literal["shared", "warp"]


class Program:
    """The statements of a function, in blocks that nest."""

    def __init__(self) -> None:
        self._blocks: list[list[Any]] = [[]]
        # What is allocated, a list for the function and one for each parallel loop that is open.
        self._allocated: list[list[Any]] = [[]]
        self._count = 0

    def _name(self, stem: str) -> str:
        self._count += 1
        return f"{stem}{self._count}"

    def _add(self, statement: Any) -> None:  # noqa: ANN401 - a node of TVM
        self._blocks[-1].append(statement)

    def bind(self, value: Term, stem: str = "v") -> Term:
        """Give a value a name, once and for all."""
        named = variable(self._name(stem), value.dtype, value.lanes)
        self._add(api().tirx.Bind(named.node, value.node))
        return named

    def allocate(
        self, dtype: DType, count: int, storage: Storage = "local", lanes: int = 1, stem: str = "a"
    ) -> Place:
        """An array that lives as long as the function, or an iteration of a parallel loop."""
        tirx = api().tirx
        node = tirx.decl_buffer(
            (count,), type_name(dtype, lanes), name=self._name(stem), scope=storage
        )
        self._allocated[-1].append(tirx.AllocBuffer(node))
        return Place(node, dtype, count, lanes)

    def store(self, place: Place, value: Term, *indices: Term) -> None:
        """Write an element, or one a lane for a ramp of indices."""
        _require_stored(place, value, indices)
        self._add(api().tirx.BufferStore(place.node, value.node, [indices[0].node]))

    def store_at_once(self, place: Place, value: Term, index: Term) -> None:
        """Write elements at a ramp of indices by one instruction of CUDA, to memory of the device.

        The address has to be a multiple of what is written.
        """
        _require_stored(place, value, [index])
        tirx = api().tirx
        where = tirx.address_of(tirx.BufferLoad(place.node, [index.node]))
        self._add(tirx.Evaluate(tirx.call_extern("void", CUDA_STORE, where, value.node)))

    def masked_store(self, place: Place, value: Term, base: Term, mask: Term) -> None:
        """Write consecutive elements where the mask holds, and touch no other."""
        require_element(place, [base])
        require_alike("a masked store", value, Term(None, place.dtype, mask.lanes))
        if mask.dtype != bool_:
            raise fault(f"a mask is {mask.dtype}")
        tirx = api().tirx
        index = ramp(base, 1, mask.lanes)
        made = tirx.op.masked_store(place.node, value.node, index.node, mask.node)
        self._add(tirx.Evaluate(made))

    def synchronise(self, scope: Scope) -> None:
        """All threads of the group, or of the subgroup, arrive."""
        tirx = api().tirx
        self._add(tirx.Evaluate(tirx.op.tvm_storage_sync(scope)))

    @contextmanager
    def _block(self, made: Callable[[list[Any]], Any]) -> Iterator[None]:
        self._blocks.append([])
        yield
        self._add(made(self._blocks.pop()))

    @contextmanager
    def loop(self, start: Term, extent: Term, *, parallel: bool = False) -> Iterator[Term]:
        """What the body writes, for an index from `start`, `extent` times (none below 1)."""
        require_alike("a loop", start, extent)
        tirx = api().tirx
        index = variable(self._name("i"), start.dtype)
        kind = tirx.ForKind.PARALLEL if parallel else tirx.ForKind.SERIAL
        if parallel:
            self._allocated.append([])

        def made(statements: list[Any]) -> Any:  # noqa: ANN401 - a statement of TVM
            # Threads of a parallel loop share nothing.
            own = self._allocated.pop() if parallel else []
            body = _sequence([*own, *statements])
            return tirx.For(index.node, start.node, extent.node, kind, body)

        with self._block(made):
            yield index

    @contextmanager
    def branch(self, condition: Term) -> Iterator[None]:
        """What the body writes, where a scalar condition holds."""
        if condition.dtype != bool_ or condition.lanes != 1:
            raise fault(f"a branch by {condition.dtype} in {condition.lanes} lanes")
        tirx = api().tirx
        with self._block(
            lambda statements: tirx.IfThenElse(condition.node, _sequence(statements), None)
        ):
            yield

    def body(self) -> Any:  # noqa: ANN401 - a statement of TVM
        """All of it as one statement; arrays come first."""
        if len(self._blocks) != 1:
            raise fault("a block that is still open")
        return _sequence([*self._allocated[0], *self._blocks[0]])


def _require_stored(place: Place, value: Term, indices: Sequence[Term]) -> None:
    require_element(place, indices)
    if value.dtype != place.dtype or value.lanes != max(place.lanes, indices[0].lanes):
        raise fault(f"{value.dtype} in {value.lanes} lanes is stored to {place.dtype}")


def _sequence(statements: list[Any]) -> Any:  # noqa: ANN401 - a statement of TVM
    tirx = api().tirx
    if not statements:
        return tirx.Evaluate(tirx.IntImm("int32", 0))
    return statements[0] if len(statements) == 1 else tirx.SeqStmt(statements)


@record
class Launched:
    """The threads of a function on a GPU: groups, and threads a group, with their positions."""

    groups: int
    threads: int
    group: Term
    thread: Term


def positions(groups: int, threads: int) -> Launched:
    """The positions of a launch, which are bound to threads by `function`."""
    return Launched(groups, threads, variable("blockIdx.x", i32), variable("threadIdx.x", i32))


def function(
    name: str,
    parameters: Sequence[Place | Term],
    program: Program,
    launched: Launched | None,
    *,
    noalias: bool,
) -> Any:  # noqa: ANN401 - a function of TVM
    """A `PrimFunc`; on a GPU its body is bound to the threads of the launch."""
    tirx = api().tirx
    body = program.body()
    if launched is not None:
        body = _bound(launched.thread, launched.threads, body)
        body = _bound(launched.group, launched.groups, body)
    made = tirx.PrimFunc([parameter.node for parameter in parameters], body)
    made = made.with_attr("global_symbol", name)
    return made.with_attr("tirx.noalias", True) if noalias else made


def _bound(position: Term, count: int, body: Any) -> Any:  # noqa: ANN401 - a statement of TVM
    tirx, root = api().tirx, api().root
    name = position.node.name
    axis = tirx.IterVar(root.ir.Range(0, count), position.node, tirx.IterVar.ThreadIndex, name)
    return tirx.AttrStmt(axis, "thread_extent", tirx.IntImm("int32", count), body)


def script(func: Any) -> str:  # noqa: ANN401 - a function of TVM
    """The function as TVMScript."""
    return str(func.script())
