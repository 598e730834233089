"""Lists of elements in the methods `spec` and `closed` of an author's law, as terms.

In: functions of one element, run on symbols.  Out: tiles that stand for terms such as
`(list.sum (mul x x))`, in the language of `certile.ir.meanings`.  Decides how filters and
conditions become terms, and that a list's function sees its own element only.  Leaves to the
checker what the terms mean.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NoReturn

from certile.frontend.elementwise import as_node, lift
from certile.frontend.fold import TermWriter
from certile.frontend.handles import TileHandle, whole_number
from certile.frontend.state import State
from certile.ir.dtypes import DType, bool_, i64
from certile.ir.terms import Apply, Lit, Term, Var, app
from certile.ir.tile import Tile as IrTile
from certile.language.lists import Elements, Fold, Function
from certile.records import record

_UNITS: Final[Mapping[str, Lit]] = {
    "sum": Lit(0.0),
    "prod": Lit(1.0),
    "max": Lit("-inf"),
    "min": Lit("inf"),
}


@dataclass(slots=True)
class Lists:
    """What the lists of one method share: its writer, the fields of an element, how deep it is."""

    state: State
    writer: TermWriter
    fields: Mapping[str, DType]
    fault: Callable[[str], Exception]
    depth: int = 0

    def elements(self) -> ElementsHandle:
        """Return the list that the method is given."""
        return ElementsHandle(self)

    def field_values(self) -> dict[str, TileHandle]:
        """Return the fields of one element of a list at this depth."""
        return {
            name: self.state.tile(self.writer.variable(Var(self._own(name)), dtype))
            for name, dtype in self.fields.items()
        }

    def closed(self, body: Term) -> Term:
        """Return a term of one element with the names of its fields.

        Raises the fault where it speaks of the element of a list around it.
        """
        own = {self._own(name): Var(name) for name in self.fields}
        return self._renamed(body, own)

    def _renamed(self, term: Term, own: Mapping[str, Var]) -> Term:
        if isinstance(term, Var):
            if term.name in own:
                return own[term.name]
            raise self.fault("speaks of the element of one list inside another")
        if not isinstance(term, Apply) or term.fn.startswith("list."):
            return term
        made = replace(term, args=tuple(self._renamed(arg, own) for arg in term.args))
        if term in self.writer.widening:
            self.writer.widening.add(made)
        return made

    def _own(self, name: str) -> str:
        return f"{name}@{self.depth}"


@record(eq=False)
class ElementsHandle(Elements):
    """A list: the functions that its elements have gone through, in order."""

    lists: Lists
    steps: tuple[tuple[bool, Function], ...] = field(default=())

    def __iter__(self) -> NoReturn:
        """Refuse Python's own functions of lists: how many elements there are is not known."""
        raise self.lists.fault("goes through a list, as `sum` does; ct.list.sum and others fold it")

    def map(self, function: Function) -> ElementsHandle:
        """Return the values of a function of each element."""
        return replace(self, steps=(*self.steps, (True, function)))

    def filter(self, function: Function) -> ElementsHandle:
        """Return the elements that fulfil a condition."""
        return replace(self, steps=(*self.steps, (False, function)))

    def fold(self, name: Fold) -> TileHandle:
        """Return the tile that stands for what `name` gives of all elements."""
        value, keep, dtype = self._element(name)
        match name:
            case "len":
                return self._made("sum", Lit(1.0), keep, i64)
            case "argmax" | "argmin":
                extreme = self._folded(name[3:], value, keep)
                return self._made("min", *self._place(extreme, value, keep), i64)
            case "all" | "any":
                if dtype != bool_:
                    raise self.lists.fault(f"takes {name} of a list that holds no conditions")
                outer, inner = ("minimum", "min") if name == "all" else ("maximum", "max")
                truth = app("where", value, Lit(1.0), Lit(0.0))
                folded = self._folded(inner, truth, keep)
                return self._tile(app(outer, Lit(float(name == "all")), folded), bool_)
            case _:
                kept = self.lists.writer.accumulate if dtype == bool_ else dtype
                counted = app("where", value, Lit(1.0), Lit(0.0)) if dtype == bool_ else value
                return self._made(name, counted, keep, kept)

    def top(self, k: int) -> tuple[tuple[TileHandle, ...], tuple[TileHandle, ...]]:
        """Return tiles for the `k` greatest elements and their places."""
        count = whole_number(k)
        if count is None or count < 0:
            raise self.lists.fault(f"takes the {k!r} greatest elements of a list")
        value, keep, dtype = self._element("top")
        values, places = [], []
        for _ in range(count):
            best = self._folded("max", value, keep)
            at = self._folded("min", *self._place(best, value, keep))
            values.append(self._tile(best, dtype))
            places.append(self._tile(at, i64))
            # No two elements have one place, so this leaves out the one that was found.
            found = app("bit_and", app("is", value, best), app("is", Var("i"), at))
            rest = app("bit_not", found)
            keep = rest if keep is None else app("bit_and", keep, rest)
        return tuple(values), tuple(places)

    def _element(self, name: str) -> tuple[Term, Term | None, DType]:
        """The value of one element, the condition on which it is there, and its dtype."""
        lists = self.lists
        if name in ("argmax", "argmin", "top") and "i" not in lists.fields:
            raise lists.fault(f"uses ct.list.{name}, for which lift has to take an index")
        lists.depth += 1
        try:
            node, conditions = self._run()
            body = Lit(1.0) if node is None else lists.closed(lists.writer.term(node))
            kept = [lists.closed(lists.writer.term(each)) for each in conditions]
        finally:
            lists.depth -= 1
        if node is None and name != "len":
            raise lists.fault(f"takes {name} of elements of several values; map them to one first")
        keep = kept[0] if kept else None
        for each in kept[1:]:
            keep = app("bit_and", keep, each) if keep is not None else each
        return body, keep, i64 if node is None else node.dtype

    def _run(self) -> tuple[IrTile | None, list[IrTile]]:
        """Run the functions on one element; no value where it still has several fields."""
        lists, fields = self.lists, self.lists.field_values()
        index = fields.pop("i", None)
        given, conditions = tuple(fields.values()), list[IrTile]()
        for is_map, function in self.steps:
            named = {} if index is None or not _takes_index(function) else {"index": index}
            made = as_node(lists.state, lift(lists.state, function(*given, **named)))
            lists.writer.require_pure()
            if is_map:
                given = (lists.state.tile(made),)
            elif made.dtype == bool_:
                conditions.append(made)
            else:
                raise lists.fault("filters by what is no condition")
        return given[0].node if len(given) == 1 else None, conditions

    def _place(self, extreme: Term, value: Term, keep: Term | None) -> tuple[Term, Term]:
        """The place of an element, and the condition that it is the extreme one."""
        found = app("is", value, extreme)
        return Var("i"), found if keep is None else app("bit_and", keep, found)

    def _folded(self, name: str, value: Term, keep: Term | None) -> Term:
        unit = _UNITS[name]
        return app(f"list.{name}", value if keep is None else app("where", keep, value, unit))

    def _made(self, name: str, value: Term, keep: Term | None, dtype: DType) -> TileHandle:
        return self._tile(self._folded(name, value, keep), dtype)

    def _tile(self, term: Term, dtype: DType) -> TileHandle:
        return self.lists.state.tile(self.lists.writer.variable(term, dtype))


def _takes_index(function: Function) -> bool:
    parameters = inspect.signature(function).parameters.values()
    return any(each.name == "index" and each.kind is each.KEYWORD_ONLY for each in parameters)
