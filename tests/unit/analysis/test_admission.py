"""Every requirement of admission: one program that meets it, one that fails exactly it."""

import dataclasses

import pytest

from certile.analysis import admission
from certile.analysis.rows import analyse
from certile.diagnostics import Refusal
from certile.ir import laws
from certile.ir.dtypes import f32, f64, i32, i64
from certile.ir.laws import Component, Law
from certile.ir.node import node
from certile.ir.terms import Var
from certile.ir.tile import Effect, View
from certile.ir.types import Dim
from certile.ir.walk import parallel_regions
from certile.source import UNKNOWN_LOC, Loc
from tests.unit.analysis.programs import SUBTRACT, Row, analysed, refusal_of, rows_of


@node("tile.test_while", pure=False)
class While(Effect):
    """An effect that admission has never heard of."""

    loc: Loc = UNKNOWN_LOC


LAST = Law(
    name="last",
    state=(Component("s"),),
    identity=laws.ADD.identity,
    lift=(Var("x"),),
    merge=(Var("b.s"),),
    finalize=(Var("s"),),
    commutative=False,
)


def row_sum(law=laws.ADD, *, scope="auto", init=(), policy="unordered_tree", dtype=None):
    b = Row()
    with b.parallel(b.rows, scope=scope):
        made = b.reduce(b.row(), b.cols, law, init=init, policy=policy, accumulate=dtype)
        b.store(b.s, b.rows, made)
    return b.build()


def with_effect(effect):
    kernel = row_sum()
    (parallel,) = parallel_regions(kernel)
    changed = dataclasses.replace(parallel, body=(*parallel.body, effect))
    return dataclasses.replace(kernel, body=(changed,))


def renamed_views():
    kernel = row_sum()
    params = tuple(dataclasses.replace(p, name="x") for p in kernel.params)
    return dataclasses.replace(kernel, params=params)


def foreign_view():
    b = Row()
    with b.parallel(b.rows):
        b.store(b.s, b.rows, b.load(View("elsewhere", f32, 1), b.rows))
    return b.build()


def nested(inner):
    b = Row()
    with b.parallel(b.rows):
        if inner:
            with b.parallel(b.cols):
                b.store(b.y, (b.rows, b.cols), b.load(b.x, b.rows, b.cols))
        else:
            b.store(b.y, (b.rows, b.cols), b.row())
    return b.build()


def looped(extent):
    b = Row()
    planes = b.axis("planes", extent)
    with b.parallel(b.rows):
        with b.serial(planes, carry=[b.const(0, f32)]) as loop:
            total = b.reduce(b.row(), b.cols, laws.ADD)
            loop.yields(b.map("add", loop.carried[0], total))
        b.store(b.s, b.rows, loop.results[0])
    return b.build()


def kept_axis(extent, *, selected=False, policy="unordered_tree"):
    """z reduced over columns, a result a kept element; all stored, or one of them selected."""
    b = Row()
    kept = b.axis("kept", Dim("x", 0) if extent is None else extent)
    z = b.view("z", rank=3)
    out = b.view("out", rank=2)
    with b.parallel(b.rows):
        v = b.load(z, b.rows, kept, b.cols)
        found = b.reduce(v, b.cols, laws.ADD, policy=policy)
        if selected:
            b.store(b.s, b.rows, b.gather(found, b.const(1, i64), kept, 0.0))
        else:
            b.store(out, (b.rows, kept), found)
    return b.build()


def crossed(policy):
    """z reduced over columns and over the other axis: only one of them may lie across lanes."""
    b = Row()
    other = b.axis("other", 4)
    z, out = b.view("z", rank=3), b.view("out", rank=2)
    with b.parallel(b.rows):
        v = b.load(z, b.rows, other, b.cols)
        b.store(out, (b.rows, other), b.reduce(v, b.cols, laws.ADD, policy=policy))
        b.store(b.y, (b.rows, b.cols), b.reduce(v, other, laws.ADD, policy=policy))
    return b.build()


def carried_tile(*, selected=False, reduced=False):
    """A row that a loop carries: stored, and in each round summed, or one element of it taken."""
    b = Row()
    planes = b.axis("planes", 3)
    with b.parallel(b.rows):
        zero = b.broadcast(b.const(0, f32), b.cols)
        with b.serial(planes, carry=[zero, b.const(0, f32)]) as loop:
            row, total = loop.carried
            found = b.gather(row, b.index(b.cols), b.cols, 0.0) if selected else row
            part = b.reduce(found, b.cols, laws.ADD) if reduced else b.const(1, f32)
            more = b.row() if reduced or not selected else found
            loop.yields(b.map("add", row, more), b.map("add", total, part))
        b.store(b.y, (b.rows, b.cols), loop.results[0])
        b.store(b.s, b.rows, loop.results[1])
    return b.build()


def reread(*, same_element):
    """Store y, load it again, and reduce what was loaded."""
    b = Row()
    with b.parallel(b.rows):
        b.store(b.y, (b.rows, b.cols), b.map("add", b.row(), 1.0))
        backwards = b.map("sub", b.const(N_LAST, i64), b.index(b.cols))
        again = b.load(b.y, b.rows, b.cols if same_element else backwards)
        b.store(b.s, b.rows, b.reduce(again, b.cols, laws.ADD))
    return b.build()


N_LAST = 95


def derived_row(*, gathered):
    b = Row()
    labels = b.view("labels", i64, 1)
    with b.parallel(b.rows):
        doubled = b.map("mul", b.row(), 2.0)
        total = b.reduce(doubled, b.cols, laws.ADD)
        source = doubled if gathered else b.row()
        chosen = b.gather(source, b.load(labels, b.rows), b.cols, 0.0)
        top = b.reduce(doubled, b.cols, laws.MAXIMUM)
        b.store(b.s, b.rows, b.map("add", b.map("add", total, top), chosen))
    return b.build()


def indexed(*, guarded):
    b = Row()
    labels = b.view("labels", i64, 1)
    with b.parallel(b.rows):
        at = b.load(labels, b.rows)
        mask = b.map("lt", at, 8) if guarded else None
        v = b.load(b.x, at, b.cols, mask=mask, fill=0.0 if guarded else None)
        b.store(b.y, (b.rows, b.cols), v)
    return b.build()


def overtaken(*, same_element):
    """Load y's row, store it in place or shifted, and use the load only afterwards."""
    b = Row()
    with b.parallel(b.rows):
        v = b.row(b.y)
        at = b.cols if same_element else b.map("mod", b.map("add", b.index(b.cols), 1), N_LAST + 1)
        late = b.load(b.y, b.rows, at) if not same_element else v
        b.store(b.y, (b.rows, b.cols), b.map("add", b.row(), 1.0))
        b.store(b.s, b.rows, b.reduce(late, b.cols, laws.ADD))
    return b.build()


def memory(resource="auto", *, own=True):
    b = Row()
    kept = b.memory("kept", f32, (b.cols,), resource)
    with b.parallel(b.rows):
        b.store(kept, b.cols, b.map("exp", b.row()))
        at = b.cols if own else b.map("sub", b.const(N_LAST, i64), b.index(b.cols))
        b.store(b.y, (b.rows, b.cols), b.load(kept, at))
    return b.build()


def stored(place):
    """Store the row at places that `place(builder)` gives."""
    b = Row()
    with b.parallel(b.rows):
        b.store(b.y, place(b), b.row())
    return b.build()


def stored_twice(second):
    b = Row()
    with b.parallel(b.rows):
        b.store(b.s, b.rows, b.reduce(b.row(), b.cols, laws.ADD))
        b.store(b.s, second(b), b.reduce(b.row(), b.cols, laws.MAXIMUM))
    return b.build()


def stored_in_loop(*, distinct):
    b = Row()
    planes = b.axis("planes", 4)
    z = b.view("z", rank=3)
    with b.parallel(b.rows), b.serial(planes):
        place = planes if distinct else b.const(0, i64)
        b.store(z, (b.rows, place, b.cols), b.row())
    return b.build()


def half(b):
    return b.map("floordiv", b.index(b.cols), 2)


def widened(b):
    """rows * 96 + cols, one-to-one as a pair of digits."""
    return b.map("add", b.map("mul", b.index(b.rows), 96), b.index(b.cols))


def crowded(b):
    """rows * 95 + cols: the last element of a row meets the first of the next."""
    return b.map("add", b.map("mul", b.index(b.rows), 95), b.index(b.cols))


def flat_store(place):
    b = Row()
    out = b.view("out", rank=1)
    with b.parallel(b.rows):
        b.store(out, (place(b),), b.row())
    return b.build()


def scanned(*, kept=1, gathered=False, law=laws.ADD):
    """y[r, a, c] = scan(shift[a] + x[r, c]) along c, or an element of each row."""
    b = Row()
    lead, out, shift = b.axis("lead", kept), b.view("out", rank=3), b.view("shift", rank=1)
    with b.parallel(b.rows):
        tile = b.map("add", b.load(shift, lead), b.row())
        made = b.scan(tile, b.cols, law)
        if gathered:
            chosen = b.gather(made, b.const(3, i64), b.cols, fill=0)
            b.store(b.view("z", rank=2), (b.rows, lead), chosen)
        else:
            b.store(out, (b.rows, lead, b.cols), made)
    return b.build()


def sorted_tile(*, kept):
    """y[r, a, c] = the elements of shift[a] + x[r, c] in order along c."""
    b = Row()
    lead, out, shift = b.axis("lead", kept), b.view("out", rank=3), b.view("shift", rank=1)
    with b.parallel(b.rows):
        values, _ = b.sort(b.map("add", b.load(shift, lead), b.row()), b.cols)
        b.store(out, (b.rows, lead, b.cols), values)
    return b.build()


def computed_again(*, scanned):
    """The sum of a row, or where it is negative the last sum of a scan, or the greatest element."""
    b = Row()
    with b.parallel(b.rows):
        v = b.row()
        total, top = b.reduce(v, b.cols, laws.ADD), b.reduce(v, b.cols, laws.MAXIMUM)
        if scanned:
            top = b.reduce(b.scan(v, b.cols, laws.ADD), b.cols, laws.MAXIMUM)
        (chosen,) = b.fallback((total,), (top,), b.map("lt", total, 0.0))
        b.store(b.s, b.rows, chosen)
    return b.build()


# rule: (an admitted program, a program refused for exactly that rule)
PAIRS = {
    "target_binding": (row_sum(scope="subgroup"), row_sum(scope="worker")),
    "kernel_abi": (row_sum(), foreign_view()),
    "reduction_type": (row_sum(laws.MINIMUM), row_sum(SUBTRACT, policy="fold_left", init=[0.0])),
    "canonical_state": (row_sum(init=[0.0]), row_sum(init=[-0.0])),
    "scanned_row": (scanned(), scanned(kept=3)),
    "element_order": (sorted_tile(kept=1), sorted_tile(kept=3)),
    "recomputation": (computed_again(scanned=False), computed_again(scanned=True)),
    "contribution": (reread(same_element=True), reread(same_element=False)),
    "control": (looped(3), looped(Dim("x", 0))),
    "execution_nesting": (nested(inner=False), nested(inner=True)),
    "global_effects": (stored_in_loop(distinct=True), stored_in_loop(distinct=False)),
    "private_storage": (derived_row(gathered=False), derived_row(gathered=True)),
    "guarded_views": (indexed(guarded=True), indexed(guarded=False)),
    "manual_resources": (memory("worker"), memory("group")),
    "dynamic_control": (row_sum(), with_effect(While())),
}


@pytest.mark.parametrize("rule", PAIRS)
def test_a_requirement_admits_one_program_and_refuses_another(rule):
    admitted, refused = PAIRS[rule]
    rows_of(admitted)
    found = refusal_of(refused)
    assert (found.kind, found.rule) == ("admission", rule)
    assert rule in found.text


def test_every_check_has_a_pair():
    rules = {check.__name__ for check in admission.CHECKS}
    assert rules == set(PAIRS)


REFUSED = {
    "a fold": (row_sum(policy="fold_left"), "reduction_type"),
    "a fold from the right": (row_sum(policy="fold_right"), "reduction_type"),
    "a law that does not commute": (row_sum(LAST), "reduction_type"),
    "an unsupported accumulator": (row_sum(dtype=f64), "reduction_type"),
    "zero as the start of max": (row_sum(laws.MAXIMUM, init=[0.0]), "canonical_state"),
    "one as the start of a sum": (row_sum(init=[1.0]), "canonical_state"),
    "a scanned row that is gathered": (scanned(gathered=True), "private_storage"),
    "a scan without an identity": (scanned(law=SUBTRACT), "reduction_type"),
    "a selected result of a kept axis": (kept_axis(3, selected=True), "canonical_state"),
    "folds along both axes": (crossed("fold_left"), "reduction_type"),
    "a carried tile that is gathered": (carried_tile(selected=True), "private_storage"),
    "a carried tile that is gathered and reduced": (
        carried_tile(selected=True, reduced=True),
        "contribution",
    ),
    "arguments of one name": (renamed_views(), "kernel_abi"),
    "a memory read backwards": (memory(own=False), "manual_resources"),
    "two elements in one place": (stored(lambda b: (b.rows, half(b))), "global_effects"),
    "instances in one place": (stored(lambda b: (0, b.cols)), "global_effects"),
    "crowded rows": (flat_store(crowded), "global_effects"),
    "two stores of one element": (stored_twice(lambda b: b.const(0, i64)), "global_effects"),
    "a shifted in-place read": (overtaken(same_element=False), "guarded_views"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    kernel, rule = REFUSED[case]
    assert refusal_of(kernel).rule == rule


ADMITTED = {
    "an ordered tree of a law that does not commute": row_sum(LAST, policy="ordered_tree"),
    "the reproducible tree": row_sum(policy="reproducible"),
    "integers": row_sum(dtype=i32),
    "argmax": row_sum(laws.ARGMAX),
    "minus infinity as the start of max": row_sum(laws.MAXIMUM, init=[float("-inf")]),
    "a kept axis of extent one": kept_axis(1),
    "a kept axis": kept_axis(3),
    "a fold along one axis of two": kept_axis(3, policy="fold_left"),
    "reductions along both axes": crossed("ordered_tree"),
    "a carried tile": carried_tile(),
    "a carried tile that is reduced": carried_tile(reduced=True),
    "rows side by side": flat_store(widened),
    "a transposed place": stored(lambda b: (b.cols, b.rows)),
    "one place stored twice by its owner": stored_twice(lambda b: b.rows),
    "a memory of one's own": memory(),
}


@pytest.mark.parametrize("case", ADMITTED)
def test_admitted(case):
    rows_of(ADMITTED[case])


def test_the_target_decides_about_doubles_and_subgroups():
    doubles = row_sum(dtype=f64)
    assert not isinstance(analysed(doubles, target_kind="cuda"), Refusal)
    assert not isinstance(analysed(doubles, target_kind="cpu"), Refusal)
    assert refusal_of(row_sum(), target_kind="abacus").rule == "target_binding"


def test_an_assumed_access_is_the_authors_word():
    kernel = indexed(guarded=False)
    (parallel,) = parallel_regions(kernel)
    label, load, store = parallel.body
    vouched = load.with_(assume=True)
    body = (label, vouched, store.with_(value=vouched))
    kernel = dataclasses.replace(kernel, body=(dataclasses.replace(parallel, body=body),))
    rows_of(kernel)


def test_a_region_that_is_not_at_top_level_is_no_launch():
    kernel = nested(inner=True)
    inner = parallel_regions(kernel)[0].body[0]
    found = analyse(kernel, inner)
    assert isinstance(found, Refusal)
    assert found.rule == "target_binding"


def test_a_refusal_points_at_the_place():
    kernel = row_sum(policy="fold_left")
    (parallel,) = parallel_regions(kernel)
    store = parallel.body[-1]
    place = Loc("kernel.py", 7, 3)
    # Interning keeps the first location of a node: a law of its own makes it a node of its own.
    moved = store.value.with_(loc=place, law=dataclasses.replace(laws.ADD, name="add_there"))
    body = (*parallel.body[:-1], store.with_(value=moved))
    kernel = dataclasses.replace(kernel, body=(dataclasses.replace(parallel, body=body),))
    assert refusal_of(kernel).loc == place
