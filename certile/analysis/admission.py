"""Admission: which parallel regions the subgroup map may take, decided before any plan.

In: a specialised kernel and one of its top-level regions.  Out: None, or the refusal of the first
requirement that is not shown, under the name of that requirement.  Fails closed: what a check does
not recognise, it refuses, and the ordered reference map serves.  Leaves views that are read late to
`views`, kept tiles to `sharing`, and the owner of every kept element to `ownership`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from certile.analysis.affine import (
    Affine,
    affine,
    apart,
    instance_spans,
    moves_with_instance,
    spans,
    undetermined,
)
from certile.analysis.effects import Access, Values, accesses, serial_loops
from certile.analysis.layout import FOLDS, ORDERED_TREES, is_held, keeps, wide
from certile.analysis.views import same_domain, unguarded, visit
from certile.diagnostics import Refusal
from certile.ir import dtypes
from certile.ir.dtypes import DType
from certile.ir.laws import literal_value
from certile.ir.node import Node, reach
from certile.ir.terms import Lit
from certile.ir.tile import (
    Bitcast,
    Broadcast,
    Buffer,
    Carried,
    Cast,
    Const,
    Effect,
    ExtentValue,
    Fallback,
    Gather,
    Iota,
    Kernel,
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
    effects,
    roots,
)
from certile.ir.types import Axis
from certile.source import UNKNOWN_LOC, Loc

TARGET_KINDS = ("metal", "cuda", "cpu", "null")
# Metal has no double; every other target computes all of these.
ACCUMULATORS = (dtypes.f32, dtypes.f64, dtypes.i32, dtypes.i64, dtypes.u32, dtypes.u64)
# Stores to one view that no constant index tells apart; each pair of them is compared.
_MOST_RIVALS = 128
TREES = ("unordered_tree", *ORDERED_TREES)
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

Check = Callable[["Region"], Refusal | None]
Kind = TypeVar("Kind", bound=Node)


class Region:
    """A region under examination, with what several checks read."""

    def __init__(self, kernel: Kernel, parallel: Parallel, target_kind: str) -> None:
        self.kernel = kernel
        self.parallel = parallel
        self.target_kind = target_kind
        self.effects: tuple[Effect, ...] = tuple(effects(parallel.body))
        self.accesses = accesses(parallel)
        self.loops = serial_loops(parallel)
        self.values = Values(parallel)

    def nodes(self, kind: type[Kind]) -> Iterator[Kind]:
        """The live values of one kind, operands first."""
        return (node for node in self.values.nodes if isinstance(node, kind))

    def accesses_of(self, kind: type[View] | type[Memory]) -> Iterator[Access]:
        """The accesses of views, or of memories."""
        return (access for access in self.accesses if isinstance(access.buffer, kind))


def refusal_of(region: Region) -> Refusal | None:
    """The first requirement that the region is not shown to meet."""
    for check in CHECKS:
        found = check(region)
        if found is not None:
            return found
    return None


def _no(rule: str, claim: str, missing: str, loc: Loc = UNKNOWN_LOC) -> Refusal:
    return Refusal("admission", rule, claim, missing, loc=loc)


def dynamic_control(region: Region) -> Refusal | None:
    """Every effect and value is of a kind whose meaning the map knows."""
    for effect in region.effects:
        if not isinstance(effect, KNOWN_EFFECTS):
            return _no(
                "dynamic_control",
                "control is counted loops and straight lines",
                f"{effect.mnemonic} is not known to the subgroup map",
                effect.loc,
            )
    for node in region.values.nodes:
        if not isinstance(node, KNOWN_VALUES):
            return _no(
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
        return _no(rule, "the target has subgroups", f"{region.target_kind} is not known")
    if not any(effect is parallel for effect in region.kernel.body):
        return _no(rule, "the region is a launch", "it is not at top level", parallel.loc)
    # On a CPU a group is one worker, which every map gives a program.
    group = ("group",) if region.target_kind == "cpu" else ()
    if parallel.scope not in ("auto", "subgroup", *group):
        missing = f'it asks for scope="{parallel.scope}"'
        return _no(rule, "the region may be bound to subgroups", missing, parallel.loc)
    inside: tuple[Serial | Reduce, ...] = (*region.loops, *region.nodes(Reduce))
    for inner in inside:
        if inner.scope not in ("auto", *(group if parallel.scope == "group" else ())):
            missing = f'scope="{inner.scope}" is asked for'
            return _no(rule, "loops and reductions leave their scope open", missing, inner.loc)
    return None


def kernel_abi(region: Region) -> Refusal | None:
    """Arguments have distinct names and memory, and all memory touched is an argument's."""
    names = [parameter.name for parameter in region.kernel.params]
    if len(set(names)) != len(names):
        return _no("kernel_abi", "arguments do not alias", "two arguments have one name")
    for access in region.accesses_of(View):
        if access.buffer not in region.kernel.views:
            return _no(
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
            return _no(
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
            return _no(
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
            return _no("control", "an element domain has a static extent", missing, node.loc)
    return None


def _dynamic(axes: tuple[Axis, ...]) -> Axis | None:
    return next((axis for axis in axes if not isinstance(axis.extent, int)), None)


def reduction_type(region: Region) -> Refusal | None:
    """Reductions and scans have a law with an identity, a tree policy and a type of the target."""
    folded = (*region.nodes(Reduce), *(scan.total for scan in region.nodes(Scan)))
    # Beside results over an axis a lane may fold a result alone, in the order written.
    alone = any(map(keeps, region.nodes(Reduce)))
    refusals = (type_refusal(reduction, region.target_kind, alone=alone) for reduction in folded)
    return next((refusal for refusal in refusals if refusal is not None), None)


def type_refusal(reduction: Reduce, target_kind: str, *, alone: bool = False) -> Refusal | None:
    """Refuse a reduction that may not be split, or that the target has no arithmetic for.

    A fold need not be split where a lane may make it `alone`.
    """
    missing = None if alone and reduction.policy in FOLDS else _order_problem(reduction)
    missing = missing or _type_problem(reduction, target_kind)
    if missing is None:
        return None
    claim = f"{reduction.law.name} may be split over workers"
    return _no("reduction_type", claim, missing, reduction.loc)


def _order_problem(reduction: Reduce) -> str | None:
    law = reduction.law
    if reduction.policy not in TREES:
        return f"its policy is {reduction.policy}"
    if law.identity is None:
        return "it has no identity"
    if not law.commutative and reduction.policy != "ordered_tree":
        return f"its merge does not commute and its policy is {reduction.policy}"
    return None


def _type_problem(reduction: Reduce, target_kind: str) -> str | None:
    dtype = reduction.accumulate
    if dtype not in ACCUMULATORS or (dtype == dtypes.f64 and target_kind == "metal"):
        return f"{target_kind} does not accumulate {dtype}"
    if any(arg.dtype != dtype for arg in reduction.args):
        return "an operand is not of the accumulation type"
    if not all(isinstance(axis.extent, int) and axis.extent > 0 for axis in reduction.over):
        return "its extent is not a positive integer"
    return None


def canonical_state(region: Region) -> Refusal | None:
    """A reduction that workers share starts as the exact identity."""
    shared = (r for r in region.nodes(Reduce) if r.policy not in FOLDS)
    refusals = (start_refusal(reduction) for reduction in shared)
    return next((refusal for refusal in refusals if refusal is not None), None)


def start_refusal(reduction: Reduce) -> Refusal | None:
    """Refuse a start value other than the exact identity: each worker would merge it once more."""
    if not reduction.init or _starts_as_identity(reduction):
        return None
    return _no(
        "canonical_state",
        f"{reduction.law.name} starts as its exact identity",
        "its start value is another one, or not a constant",
        reduction.loc,
    )


def _starts_as_identity(reduction: Reduce) -> bool:
    law = reduction.law
    terms = law.identity or ()
    kinds = law.state_dtypes(reduction.accumulate, reduction.leaves)
    return len(terms) == len(reduction.init) and all(
        isinstance(start, Const)
        and isinstance(term, Lit)
        and _same_bits(start.value, literal_value(term.value, dtype), dtype)
        for start, term, dtype in zip(reduction.init, terms, kinds, strict=True)
    )


def _same_bits(a: bool | int | float, b: bool | int | float, dtype: DType) -> bool:
    if dtype.is_float:
        return struct.pack("<d", float(a)) == struct.pack("<d", float(b))
    return int(a) == int(b)


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
            return _no("scanned_row", "a scan has one row a program", missing, scan.loc)
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
            return _no("element_order", "a sort has one order a program", missing, sort.loc)
    return None


def recomputation(region: Region) -> Refusal | None:
    """What is computed where a fallback's condition holds is made of reductions."""
    claim = "a row is computed again by reductions"
    for node in region.values.nodes:
        if isinstance(node, Scan | Sort) and node in region.values.apart:
            missing = f"a {node.mnemonic.removeprefix('tile.')} is computed again"
            return _no("recomputation", claim, missing, node.loc)
    return None


def contribution(region: Region) -> Refusal | None:
    """What is reduced reads of a tile that a loop carries no element but its own."""
    for reduction in region.nodes(Reduce):
        if _displaced(reduction.args):
            return _no(
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
            return _no(
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
            return _no("manual_resources", claim, f"its resource is {memory.resource}", effect.loc)
        if memory.layout is not None:
            missing = "it has a layout, which places elements whoever owns them"
            return _no("manual_resources", claim, missing, effect.loc)
        own = all(
            isinstance(index, Iota) and index.axis == axis
            for index, axis in zip(effect.indices, memory.axes, strict=True)
        )
        if not own or effect.axes != memory.axes:
            missing = "it is accessed at an index that is not the owner's"
            return _no("manual_resources", claim, missing, effect.loc)
    return None


def guarded_views(region: Region) -> Refusal | None:
    """Every index into a view is affine, or guarded."""
    return unguarded(region.values.nodes)


def global_effects(region: Region) -> Refusal | None:
    """Stores write distinct elements: of one instance, and of different ones."""
    stores = [access for access in region.accesses_of(View) if isinstance(access.effect, Store)]
    loaded = {access.buffer for access in region.accesses if isinstance(access.effect, Load)}
    for access in stores:
        missing = _overlap(region, access)
        if access.loops and access.buffer in loaded:
            missing = "a loop stores it and the program also reads it"
        if missing is not None:
            return _clash(access, missing)
    for rivals in _rivals(stores):
        if len(rivals) > _MOST_RIVALS:
            missing = f"more than {_MOST_RIVALS} stores would have to be compared with each other"
            return _clash(rivals[-1], missing)
        for number, one in enumerate(rivals):
            for other in rivals[number + 1 :]:
                if not _apart_or_same(one, other):
                    return _clash(other, "another store may write the same element")
    return None


def _rivals(stores: Sequence[Access]) -> Iterator[list[Access]]:
    """Group the stores to one view that no constant index tells apart.

    An unrolled loop has thousands, each at a constant of its own: all pairs would take minutes.
    """
    by_view: dict[Buffer, list[Access]] = {}
    for access in stores:
        by_view.setdefault(access.buffer, []).append(access)
    for group in by_view.values():
        constants = [tuple(map(_constant, access.effect.indices)) for access in group]
        fixed = [d for d, column in enumerate(zip(*constants, strict=True)) if None not in column]
        apart_by: dict[tuple[int | None, ...], list[Access]] = {}
        for access, at in zip(group, constants, strict=True):
            apart_by.setdefault(tuple(at[d] for d in fixed), []).append(access)
        yield from apart_by.values()


def _constant(index: Tile) -> int | None:
    form = affine(index)
    return form.constant if form is not None and not form.terms else None


def _clash(access: Access, missing: str) -> Refusal:
    claim = f"stores to {access.buffer.name} write distinct elements"
    return _no("global_effects", claim, missing, access.effect.loc)


def _forms(access: Access) -> list[Affine | None]:
    return [affine(index) for index in access.effect.indices]


def _overlap(region: Region, access: Access) -> str | None:
    """How two points of a store's domain may meet, or None when they are shown not to."""
    forms, over = _forms(access), region.parallel.over
    own = spans(access.effect.axes, access.loops)
    if undetermined(forms, own) is not None:
        return "two elements or iterations of one instance may store the same place"
    # Where an instance chooses its place from data, distinct places are the program's own promise:
    # instances that meet there are an error of the kernel under every map.
    instances = undetermined(forms, {**own, **instance_spans(over)})
    if instances is not None and not moves_with_instance(forms, over):
        return "two instances may store the same place"
    return None


def _apart_or_same(one: Access, other: Access) -> bool:
    pairs = zip(one.effect.indices, other.effect.indices, strict=True)
    if all(a is b for a, b in pairs) and same_domain(one.effect.axes, other.effect.axes):
        return True
    return apart(
        _forms(one),
        spans(one.effect.axes, one.loops),
        _forms(other),
        spans(other.effect.axes, other.loops),
    )


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
