"""Admission: which parallel regions the subgroup map may take, decided before any plan.

In: a specialised kernel and one of its top-level regions.  Out: None, or the refusal of the first
requirement that is not shown, under the name of that requirement.  Fails closed: what a check does
not recognise, it refuses, and the ordered reference map serves.  Which reductions may be split is
said in `splitting`, which stores meet in `distinct`.  Leaves views that are read late to `views`,
kept tiles to `sharing`, and the owner of every kept element to `ownership`.
"""

from __future__ import annotations

from collections.abc import Iterable

from certile.analysis.distinct import global_effects
from certile.analysis.layout import is_held, wide
from certile.analysis.region import Check, Region, refuse
from certile.analysis.splitting import canonical_state, reduction_type
from certile.analysis.views import unguarded, visit
from certile.diagnostics import Refusal
from certile.ir.node import Node, reach
from certile.ir.tile import (
    Bitcast,
    Broadcast,
    Carried,
    Cast,
    Const,
    ExtentValue,
    Fallback,
    Gather,
    Iota,
    Load,
    LoopIndex,
    Map,
    Memory,
    Parallel,
    Reduce,
    Relabel,
    Result,
    ScalarArg,
    Scan,
    Serial,
    Sort,
    Store,
    Tile,
    View,
    roots,
)
from certile.ir.types import Axis

TARGET_KINDS = ("metal", "cuda", "cpu", "null")
KNOWN_EFFECTS = (Load, Store, Parallel, Serial)
KNOWN_VALUES = (
    Bitcast,
    Broadcast,
    Carried,
    Cast,
    Const,
    ExtentValue,
    Fallback,
    Gather,
    Iota,
    Load,
    LoopIndex,
    Map,
    Reduce,
    Relabel,
    Result,
    ScalarArg,
    Scan,
    Serial,
    Sort,
)


def refusal_of(region: Region) -> Refusal | None:
    """The first requirement that the region is not shown to meet."""
    for check in CHECKS:
        found = check(region)
        if found is not None:
            return found
    return None


def dynamic_control(region: Region) -> Refusal | None:
    """Every effect and value is of a kind whose meaning the map knows."""
    for effect in region.effects:
        if not isinstance(effect, KNOWN_EFFECTS):
            return refuse(
                "dynamic_control",
                "control is counted loops and straight lines",
                f"{effect.mnemonic} is not known to the subgroup map",
                effect.loc,
            )
    for node in region.values.nodes:
        if not isinstance(node, KNOWN_VALUES):
            return refuse(
                "dynamic_control",
                "every value has a known evaluation",
                f"{node.mnemonic} is not known to the subgroup map",
                node.loc,
            )
    return None


def target_binding(region: Region) -> Refusal | None:
    """The target has subgroups, and the region is a top-level one that leaves them to the map."""
    rule, parallel = "target_binding", region.parallel
    if region.target_kind not in TARGET_KINDS:
        return refuse(rule, "the target has subgroups", f"{region.target_kind} is not known")
    if not any(effect is parallel for effect in region.kernel.body):
        return refuse(rule, "the region is a launch", "it is not at top level", parallel.loc)
    # On a CPU a group is a thread and a subgroup its vector, and a map of one program a lane reads
    # row programs too.
    known: tuple[str, ...] = ("auto", "subgroup")
    if region.target_kind == "cpu":
        known += ("group", "worker", "vector")
    if parallel.scope not in known:
        missing = f'it asks for scope="{parallel.scope}"'
        return refuse(rule, "the region may be bound to subgroups", missing, parallel.loc)
    inside: tuple[Serial | Reduce, ...] = (*region.loops, *region.nodes(Reduce))
    for inner in inside:
        if inner.scope not in known:
            missing = f'scope="{inner.scope}" is asked for'
            return refuse(rule, "what is inside may be bound to subgroups", missing, inner.loc)
    return None


def kernel_abi(region: Region) -> Refusal | None:
    """Arguments have distinct names and memory, and all memory touched is an argument's."""
    names = [parameter.name for parameter in region.kernel.params]
    if len(set(names)) != len(names):
        return refuse("kernel_abi", "arguments do not alias", "two arguments have one name")
    for access in region.accesses_of(View):
        if access.buffer not in region.kernel.views:
            return refuse(
                "kernel_abi",
                "all memory is an argument's",
                f"{access.buffer.name} is not an argument of this type",
                access.effect.loc,
            )
    return None


def execution_nesting(region: Region) -> Refusal | None:
    """No parallel region is nested in the program."""
    for effect in region.effects:
        if isinstance(effect, Parallel):
            return refuse(
                "execution_nesting",
                "a program has no parallel region inside",
                "one is nested",
                effect.loc,
            )
    return None


def control(region: Region) -> Refusal | None:
    """Loops and element domains have a static extent, and loops a positive step."""
    for loop in region.loops:
        if not isinstance(loop.axis.extent, int) or loop.step < 1:
            return refuse(
                "control",
                "a serial loop has a static extent and a positive step",
                f"extent {loop.axis.extent}, step {loop.step}",
                loop.loc,
            )
    placed: list[Tile | Store] = [
        *region.nodes(Tile),
        *(e for e in region.effects if isinstance(e, Store)),
    ]
    for node in placed:
        dynamic = _dynamic(node.axes)
        if dynamic is not None and not isinstance(node, Reduce):
            missing = f"{dynamic.name} is {dynamic.extent}, known only at launch"
            return refuse("control", "an element domain has a static extent", missing, node.loc)
    return None


def _dynamic(axes: tuple[Axis, ...]) -> Axis | None:
    return next((axis for axis in axes if not isinstance(axis.extent, int)), None)


def scanned_row(region: Region) -> Refusal | None:
    """A scan walks all elements of its tile, as one row, from values without a carried tile."""
    for scan in region.nodes(Scan):
        kept = [axis.name for axis in wide(scan.axes) if axis != scan.over]
        missing = None
        if kept:
            missing = f"it keeps {', '.join(kept)}"
        elif any(isinstance(node, Carried) and node.axes for node in reach([scan])):
            missing = "it reads a tile that a loop carries"
        if missing is not None:
            return refuse("scanned_row", "a scan has one row a program", missing, scan.loc)
    return None


def element_order(region: Region) -> Refusal | None:
    """A sort orders all elements of its tile, as one row."""
    for sort in region.nodes(Sort):
        kept = [axis.name for axis in wide(sort.spanned)]
        missing = None
        if kept:
            missing = f"it keeps {', '.join(kept)}"
        elif not isinstance(sort.over.extent, int) or sort.over.extent < 1:
            missing = "its extent is not a positive integer"
        if missing is not None:
            return refuse("element_order", "a sort has one order a program", missing, sort.loc)
    return None


def recomputation(region: Region) -> Refusal | None:
    """What is computed where a fallback's condition holds is made of reductions."""
    claim = "a row is computed again by reductions"
    for node in region.values.nodes:
        if isinstance(node, Scan | Sort) and node in region.values.apart:
            missing = f"a {node.mnemonic.removeprefix('tile.')} is computed again"
            return refuse("recomputation", claim, missing, node.loc)
    return None


def contribution(region: Region) -> Refusal | None:
    """What is reduced reads of a tile that a loop carries no element but its own."""
    for reduction in region.nodes(Reduce):
        if _displaced(reduction.args):
            return refuse(
                "contribution",
                "a contribution reads its own element of a carried tile",
                "it selects another one",
                reduction.loc,
            )
    return None


def private_storage(region: Region) -> Refusal | None:
    """What is stored or carried on reads of a tile that a loop carries only its own element."""
    for effect in region.effects:
        if isinstance(effect, Store | Serial) and _displaced(roots(effect)):
            return refuse(
                "private_storage",
                "every read of a carried tile is at the reader's own element",
                "another one is selected, which its owner alone holds",
                effect.loc,
            )
    return None


def _displaced(read: Iterable[Node]) -> bool:
    """Whether another element of a carried tile than one's own is read, reductions left out."""
    return any(
        moved != "no" and isinstance(node, Carried | Result) and is_held(node)
        for node, moved in visit(read, lambda node: isinstance(node, Reduce))
    )


def manual_resources(region: Region) -> Refusal | None:
    """Placed memory is private to the owner of each element."""
    for access in region.accesses_of(Memory):
        memory, effect = access.buffer, access.effect
        assert isinstance(memory, Memory)
        claim = f"{memory.name} is private to the owner of each element"
        if memory.resource not in ("auto", "worker"):
            return refuse(
                "manual_resources", claim, f"its resource is {memory.resource}", effect.loc
            )
        if memory.layout is not None:
            missing = "it has a layout, which places elements whoever owns them"
            return refuse("manual_resources", claim, missing, effect.loc)
        own = all(
            isinstance(index, Iota) and index.axis == axis
            for index, axis in zip(effect.indices, memory.axes, strict=True)
        )
        if not own or effect.axes != memory.axes:
            missing = "it is accessed at an index that is not the owner's"
            return refuse("manual_resources", claim, missing, effect.loc)
    return None


def guarded_views(region: Region) -> Refusal | None:
    """Every index into a view is affine, or guarded."""
    return unguarded(region.values.nodes)


CHECKS: tuple[Check, ...] = (
    dynamic_control,
    target_binding,
    kernel_abi,
    execution_nesting,
    control,
    reduction_type,
    canonical_state,
    scanned_row,
    element_order,
    recomputation,
    contribution,
    private_storage,
    manual_resources,
    guarded_views,
    global_effects,
)
