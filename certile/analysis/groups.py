"""A launch that asks for a group, as steps: which there are, and why there may be none.

In: a specialised kernel and a launch with `scope="group"`.  Out: its `GroupProgram`, without
fences, or the refusal of the first requirement that is not shown.  Decides what is kept in group
memory: the results of reductions, the tiles that loops carry, snapshots of views that the program
also writes, placed memories, and the tiles that `group_tiles` names.  Everything else is computed
again where it is read.  Reductions of one domain that do not read each other share a step; what
does not change in a loop is made before it.  Leaves fences to `group_fences`, and threads and
resources to the planner.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from certile.analysis import admission
from certile.analysis.distinct import global_effects
from certile.analysis.effects import trips
from certile.analysis.group_tiles import shared_tiles
from certile.analysis.region import Check, Region, refuse
from certile.analysis.splitting import start_refusal, type_refusal
from certile.diagnostics import InternalError, Refusal
from certile.ir.groups import GroupProgram, GroupStep, Key, Place, Staged, place_of
from certile.ir.layouts import row_major
from certile.ir.node import Node, reach
from certile.ir.tile import (
    ELEMENT_WISE,
    Carried,
    Effect,
    Fallback,
    Kernel,
    Load,
    LoopIndex,
    Memory,
    Parallel,
    Reduce,
    Result,
    Scan,
    Serial,
    Sort,
    Store,
    Tile,
    effects,
    roots,
)
from certile.ir.types import Axis

# Nodes that read their operands at their own element.
_AT_ONE_ELEMENT = (*ELEMENT_WISE, Load)
# What a group's steps cannot make, and the rule of the map that makes it elsewhere.
_OTHER_MAPS: tuple[tuple[type[Node], str, str], ...] = (
    (Scan, "scanned_row", "a scan passes results from element to element"),
    (Sort, "element_order", "a sort exchanges elements"),
    (Fallback, "recomputation", "a value may be computed again"),
)


def group_program(
    kernel: Kernel, parallel: Parallel, target_kind: str, least: int | None = None
) -> GroupProgram | Refusal:
    """The steps of a launch, or why a group cannot run it.

    Tiles that steps share are kept where an element takes `least` operations or more (None: no
    tile is, unless it has to be).
    """
    region = Region(kernel, parallel, target_kind)
    for check in _CHECKS:
        refusal = check(region)
        if refusal is not None:
            return refusal
    return _Steps(region, least).program()


def collective_refusal(reduction: Reduce, target_kind: str) -> Refusal | None:
    """Why lanes of a subgroup may not make a result of a reduction together, or None.

    They combine in an order the target chooses, by its own collective where it has one and by
    shuffles where the state has several components; so the law has an identity, from which the
    program starts, it commutes, and the policy leaves the order open.
    """
    refusal = type_refusal(reduction, target_kind) or start_refusal(reduction)
    if refusal is not None or reduction.policy == "unordered_tree":
        return refusal
    claim = f"{reduction.law.name} may be a collective"
    missing = f"its policy is {reduction.policy}"
    return refuse("reduction_type", claim, missing, loc=reduction.loc)


def made_together(reduction: Reduce, target_kind: str) -> bool:
    """Whether a subgroup may make a result of a reduction, in any order or in the reproducible one.

    The reproducible tree is the same whoever builds it, and one thread would keep too much of it.
    """
    if reduction.policy != "reproducible":
        return collective_refusal(reduction, target_kind) is None
    refusal = type_refusal(reduction, target_kind)
    return refusal is None and start_refusal(reduction) is None


def _steps_only(region: Region) -> Refusal | None:
    """Every value is element-wise or a reduction."""
    for kind, rule, what in _OTHER_MAPS:
        for node in region.nodes(kind):
            claim = "the steps of a group are element-wise or reductions"
            return refuse(rule, claim, what, loc=node.loc)
    return None


def _scopes(region: Region) -> Refusal | None:
    """What is inside leaves its scope open, or asks for the group, or a result for a subgroup."""
    inside: tuple[Serial | Reduce, ...] = (*region.loops, *region.nodes(Reduce))
    for inner in inside:
        if isinstance(inner, Reduce) and inner.scope == "subgroup":
            if not made_together(inner, region.target_kind):
                claim, missing = "a subgroup may make a result", "a single thread has to make it"
                return refuse("target_binding", claim, missing, loc=inner.loc)
        elif inner.scope not in ("auto", "group"):
            claim = "what a group runs is bound to nothing else"
            missing = f'scope="{inner.scope}" is asked for'
            return refuse("target_binding", claim, missing, loc=inner.loc)
    return None


_CHECKS: tuple[Check, ...] = (
    admission.dynamic_control,
    _steps_only,
    admission.kernel_abi,
    admission.execution_nesting,
    admission.control,
    _scopes,
    global_effects,
)


@dataclass
class _Steps:
    """Makes the steps of one program.

    `made` are the reductions and shared tiles that are known where the walk stands, `kept` the
    loads whose snapshot is taken where they stand in program order.
    """

    region: Region
    least: int | None
    places: dict[Key, Place] = field(default_factory=dict)
    made: frozenset[Tile] = frozenset()

    def __post_init__(self) -> None:
        stored = {e.buffer for e in self.region.effects if isinstance(e, Store)}
        live = set(self.region.values.nodes)
        self.kept = frozenset(
            e
            for e in self.region.effects
            if isinstance(e, Load)
            and e in live
            and (e.buffer in stored or isinstance(e.buffer, Memory))
        )
        self.shared: frozenset[Tile] = frozenset()
        if self.least is not None:
            self.shared = shared_tiles(self.region, self.least, self.kept)

    def program(self) -> GroupProgram:
        parallel = self.region.parallel
        for access in self.region.accesses_of(Memory):
            memory = access.buffer
            assert isinstance(memory, Memory)
            layout = memory.layout or row_major([axis.static for axis in memory.axes])
            self.places[memory] = Place(memory, (memory.dtype,), layout.cosize)
        steps = tuple(self._body(parallel.body))
        return GroupProgram(self.region.kernel, parallel, steps, tuple(self.places.values()))

    # What is kept.

    def _keep(self, key: Key, tile: Tile) -> None:
        elements = prod(axis.static for axis in tile.axes)
        self.places[key] = Place(key, (tile.dtype,), elements)

    def _below(self, node: Node) -> Iterable[Node]:
        """What a node is computed from where it is read: nothing, where it is kept."""
        if isinstance(node, Carried) or node in self.kept or node in self.made:
            return ()
        if isinstance(node, Result) and isinstance(node.of, Serial):
            return ()
        return node.operands()

    # Effects, in program order.

    def _body(self, body: Sequence[Effect], after: Sequence[Node] = ()) -> Iterator[GroupStep]:
        """The steps of a body; `after` are values that are computed at its end.

        A reduction is made as soon as it can be, so that those of one domain meet in one step and
        one fence serves them all.
        """
        waiting = True
        for position, effect in enumerate(body):
            if waiting:
                yield from self._prepared(self._ready(body[position:], after))
            waiting = effect in self.kept or isinstance(effect, Serial)
            match effect:
                case Load():
                    if effect in self.kept:
                        yield from self._snapshot(effect)
                case Store():
                    yield from self._prepared(effect.operands())
                    yield GroupStep("store", effect.axes, effect=effect)
                case Serial():
                    yield from self._serial(effect)
                case _:
                    raise InternalError("M020", f"{effect.mnemonic} in a group", loc=effect.loc)

    def _snapshot(self, load: Load) -> Iterator[GroupStep]:
        yield from self._prepared(load.operands())
        if not load.axes:
            yield GroupStep("evaluate", values=(load,), effect=load)
            return
        self._keep(load, load)
        yield GroupStep("assign", load.axes, (load,), (load,), effect=load)

    # Reductions and shared tiles.

    def _is_made(self, node: Node) -> bool:
        """Whether a node gets a step of its own before what reads it."""
        return isinstance(node, Reduce) or node in self.shared

    def _prepared(self, read: Iterable[Node]) -> Iterator[GroupStep]:
        """The steps of all that values rest on and that is not known yet, level by level."""
        missing = [n for n in reach(read, self._below) if isinstance(n, Tile) and self._is_made(n)]
        missing = [node for node in missing if node not in self.made]
        level: dict[Node, int] = {}
        reductions: dict[tuple[int, object, bool], list[Reduce]] = {}
        tiles: dict[int, list[tuple[Key, Tile]]] = {}
        for node in missing:
            below = reach(node.operands(), lambda at: () if at in level else self._below(at))
            level[node] = 1 + max((level[each] for each in below if each in level), default=0)
            if not isinstance(node, Reduce):
                tiles.setdefault(level[node], []).append((node, node))
                continue
            shared = made_together(node, self.region.target_kind)
            whose = node if node.policy == "reproducible" else (node.spanned, node.over)
            reductions.setdefault((level[node], whose, shared), []).append(node)
        for number in sorted({*level.values()}):
            for (_, _, shared), alike in (at for at in reductions.items() if at[0][0] == number):
                yield self._reduction(tuple(alike), shared)
            for _, tile in tiles.get(number, ()):
                self._keep(tile, tile)
            yield from _assigned(tiles.get(number, ()))
        self.made |= frozenset(missing)

    def _reduction(self, alike: tuple[Reduce, ...], shared: bool) -> GroupStep:
        """The step of reductions of one domain."""
        first = alike[0]
        for node in alike:
            dtypes = tuple(each.dtype for each in node.result_types())
            self.places[node] = Place(node, dtypes, prod(axis.static for axis in node.spanned))
        return GroupStep("reduce", first.spanned, alike, inner=first.over, collective=shared)

    # Loops.

    def _serial(self, loop: Serial) -> Iterator[GroupStep]:
        yield from self._prepared(loop.inits)
        tiles = [k for k, param in enumerate(loop.params) if param.axes]
        scalars = [k for k, param in enumerate(loop.params) if not param.axes]
        for k in tiles:
            self._keep(loop.params[k], loop.params[k])
        yield from _assigned([(loop.params[k], loop.inits[k]) for k in tiles])
        known = self.made
        body = tuple(self._rounds(loop, tiles, scalars))
        self.made = known
        inits = tuple(loop.inits[k] for k in scalars)
        yield GroupStep("serial", values=inits, effect=loop, body=body if trips(loop) else ())

    def _rounds(
        self, loop: Serial, tiles: Sequence[int], scalars: Sequence[int]
    ) -> Iterator[GroupStep]:
        yield from self._body(loop.body, loop.yields)
        yield from self._prepared(loop.yields)
        if scalars:
            yield GroupStep("evaluate", values=tuple(loop.yields[k] for k in scalars))
        pairs: list[tuple[Key, Tile]] = [(loop.params[k], loop.yields[k]) for k in tiles]
        if self._in_place(pairs):
            yield from _assigned(pairs)
            return
        for key, _ in pairs:
            assert isinstance(key, Carried)
            self._keep(Staged(key), key)
        yield from _assigned([(Staged(k), value) for k, value in pairs if isinstance(k, Carried)])
        for step in _assigned(pairs):
            yield GroupStep("advance", step.axes, targets=step.targets)

    def _in_place(self, pairs: Sequence[tuple[Key, Tile]]) -> bool:
        """Whether carried tiles may be overwritten element by element as the next are computed.

        That is so when one step computes all of them, and reads no element of them but its own.
        """
        params = {key for key, _ in pairs}
        domains = {value.axes for _, value in pairs}
        if len(domains) != 1:
            return not pairs
        (domain,) = domains
        read = kept_reads([value for _, value in pairs], domain, self.places)
        return all(own for key, own in read if key in params)

    def _ready(self, body: Sequence[Effect], after: Sequence[Node]) -> list[Tile]:
        """What is made and read from here on, and rests on nothing which is still to happen.

        Inside a loop that follows they are the ones that every round would make alike.
        """
        coming = tuple(effects(tuple(body)))
        loops = [effect for effect in coming if isinstance(effect, Serial)]
        axes = {each.axis for each in loops}
        changing = {param for each in loops for param in each.params} | (self.kept & set(coming))

        def waits(node: Node) -> bool:
            if isinstance(node, LoopIndex):
                return node.axis in axes
            return node in changing or (isinstance(node, Result) and node.of in loops)

        read = [root for effect in coming if not isinstance(effect, Load) for root in roots(effect)]
        waiting: set[Node] = set()
        ready: list[Tile] = []
        for node in reach([*read, *after], self._below):
            if waits(node) or any(below in waiting for below in self._below(node)):
                waiting.add(node)
            elif isinstance(node, Tile) and self._is_made(node):
                ready.append(node)
        return ready


def _assigned(pairs: Sequence[tuple[Key, Tile]]) -> Iterator[GroupStep]:
    """One step for all tiles of one domain."""
    by_axes: dict[tuple[Axis, ...], list[tuple[Key, Tile]]] = {}
    for key, value in pairs:
        by_axes.setdefault(value.axes, []).append((key, value))
    for axes, alike in by_axes.items():
        targets, values = zip(*alike, strict=True)
        yield GroupStep("assign", axes, values, targets)


def kept_reads(
    values: Iterable[Node], domain: tuple[Axis, ...] | None, kept: Container[Key]
) -> Iterator[tuple[Key, bool]]:
    """What is `kept` and read where values are computed, and whether at the own element only.

    `domain` are the axes that a step spreads over threads or subgroups, None where it has none.
    """
    seen: set[tuple[Node, bool]] = set()
    stack = [(value, domain is not None) for value in values]
    while stack:
        node, own = stack.pop()
        if (node, own) in seen:
            continue
        seen.add((node, own))
        found = place_of(node)
        if found is not None and found[0] in kept and isinstance(node, Tile):
            yield found[0], own and node.axes == domain
            continue
        if isinstance(node, Reduce | Result | Carried):
            continue
        stays = own and isinstance(node, _AT_ONE_ELEMENT)
        stack.extend((below, stays) for below in node.operands())
