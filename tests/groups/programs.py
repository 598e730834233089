"""Programs that a group runs: reductions of a tile among element steps, loops and memories."""

import numpy as np

from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import bf16, bool_, f16, f32, i32, i64, u8
from certile.ir.layouts import Digit, MixedRadix
from certile.reference.generate import random_array
from tests.differential.harness import Case

ROWS = 3


def grid(b, dtype=f32, name="x"):
    """A view of one matrix a program, the axes of the programs and of the matrix."""
    x = b.view(name, dtype, 3)
    return x, b.axis("n", dim(x, 0)), b.axis("i", dim(x, 1)), b.axis("j", dim(x, 2))


def normalised_rows(law=laws.ADD, policy="unordered_tree"):
    """Softmax of the rows of a matrix, with the sums as a second result."""
    b = Builder("normalised_rows")
    x, n, i, j = grid(b)
    y, s = b.view("y", f32, 3), b.view("s", f32, 2)
    with b.parallel(n, scope="group"):
        v = b.load(x, n, i, j)
        e = b.map("exp", b.map("sub", v, b.reduce(v, j, laws.MAXIMUM, policy=policy)))
        total = b.reduce(e, j, law, policy=policy)
        b.store(y, (n, i, j), b.map("div", e, total))
        b.store(s, (n, i), total)
    return b.build()


def centred_columns():
    """A column less its mean: the reduced axis is not the last one."""
    b = Builder("centred_columns")
    x, n, i, j = grid(b)
    y = b.view("y", f32, 3)
    with b.parallel(n, scope="group"):
        v = b.load(x, n, i, j)
        mean = b.map("div", b.reduce(v, i, laws.ADD), b.cast(b.extent(i.extent), f32))
        b.store(y, (n, i, j), b.map("sub", v, mean))
    return b.build()


def whole_matrix(policy="unordered_tree"):
    """Results without an axis, one resting on the other, and both axes reduced at once."""
    b = Builder("whole_matrix")
    x, n, i, j = grid(b)
    s, y = b.view("s", f32, 2), b.view("y", f32, 3)
    with b.parallel(n, scope="group"):
        v = b.load(x, n, i, j)
        top = b.reduce(v, (i, j), laws.MAXIMUM, policy=policy)
        off = b.reduce(b.map("sub", v, top), (i, j), laws.ADD, policy=policy)
        b.store(s, (n, 0), top)
        b.store(s, (n, 1), off)
        b.store(y, (n, i, j), b.map("sub", v, b.map("mul", off, 0.125)))
    return b.build()


def several_laws(dtype=f32):
    """States of one and of several components over one domain, and indices as results."""
    b = Builder("several_laws")
    x, n, i, j = grid(b, dtype)
    top, place = b.view("top", f32, 2), b.view("place", i64, 2)
    mean, spread = b.view("mean", f32, 2), b.view("spread", f32, 2)
    with b.parallel(n, scope="group"):
        v = b.load(x, n, i, j)
        moments = b.results(b.reduce(b.cast(v, f32), j, laws.MEAN_VAR))
        b.store(top, (n, i), b.reduce(b.cast(v, f32), j, laws.LOGSUMEXP))
        b.store(place, (n, i), b.reduce(v, j, laws.ARGMAX))
        b.store(mean, (n, i), moments[0])
        b.store(spread, (n, i), moments[1])
    return b.build()


def conditions():
    """Whether any, and whether all elements of a row are positive: kept as words."""
    b = Builder("conditions")
    x, n, i, j = grid(b)
    y = b.view("y", bool_, 3)
    with b.parallel(n, scope="group"):
        positive = b.map("gt", b.load(x, n, i, j), 0.0)
        some = b.map("gt", b.reduce(b.cast(positive, i32), j, laws.ADD), 0)
        with b.serial(b.axis("t", 3), carry=[some]) as loop:
            (held,) = loop.carried
            turned = b.map("bit_xor", b.relabel(held, i, j), positive)
            loop.yields(b.map("gt", b.reduce(b.cast(turned, i32), j, laws.ADD), 2))
        b.store(y, (n, i, j), b.map("bit_and", loop.results[0], positive))
    return b.build()


def iterated(rounds=4):
    """v = A v / |A v|: a carried tile that every thread reads whole, and a carried scalar."""
    b = Builder("iterated")
    x, n, i, j = grid(b)
    y, s = b.view("y", f32, 2), b.view("s", f32, 1)
    with b.parallel(n, scope="group"):
        first = b.map("add", b.cast(b.index(i), f32), 1.0)
        with b.serial(b.axis("t", rounds), carry=[first, b.const(0.0, f32)]) as loop:
            held, largest = loop.carried
            product = b.map("mul", b.load(x, n, i, j), b.relabel(held, i, j))
            made = b.reduce(product, j, laws.ADD)
            length = b.map("sqrt", b.reduce(b.map("mul", made, made), i, laws.ADD))
            scaled = b.map("div", made, b.map("add", length, 1.0))
            loop.yields(scaled, b.map("maximum", largest, length))
        b.store(y, (n, i), loop.results[0])
        b.store(s, n, loop.results[1])
    return b.build()


def in_blocks(step=1):
    """A maximum and a sum carried a row, a block of columns at a time: online softmax."""
    b = Builder("in_blocks")
    x, n, i, j = grid(b)
    y, part = b.view("y", f32, 3), b.axis("part", 8)
    with b.parallel(n, scope="group"):
        starts = [b.broadcast(b.const(at, f32), i) for at in (-1e30, 0.0)]
        blocks = b.axis("blocks", 40)
        with b.serial(blocks, step=8 * step, carry=starts) as loop:
            top, total = loop.carried
            at = b.map("add", b.index(blocks), b.index(part))
            v = b.load(x, n, i, at)
            higher = b.map("maximum", top, b.reduce(v, part, laws.MAXIMUM))
            decayed = b.map("mul", total, b.map("exp", b.map("sub", top, higher)))
            more = b.reduce(b.map("exp", b.map("sub", v, higher)), part, laws.ADD)
            loop.yields(higher, b.map("add", decayed, more))
        top, total = loop.results
        e = b.map("exp", b.map("sub", b.load(x, n, i, j), top))
        b.store(y, (n, i, j), b.map("div", e, total))
    return b.build()


def halved(rounds=3):
    """A tile that a loop changes element by element, and a reduction that no round changes."""
    b = Builder("halved")
    x, n, i, j = grid(b)
    y = b.view("y", f32, 3)
    with b.parallel(n, scope="group"):
        v = b.load(x, n, i, j)
        with b.serial(b.axis("t", rounds), carry=[v]) as loop:
            (held,) = loop.carried
            loop.yields(b.map("add", b.map("mul", held, 0.5), b.reduce(v, j, laws.MAXIMUM)))
        b.store(y, (n, i, j), loop.results[0])
    return b.build()


def exchanged(rounds=3):
    """Two carried tiles that change places, one that stays, and a sum of what was carried."""
    b = Builder("exchanged")
    x, n, i, j = grid(b)
    y, z, s = b.view("y", f32, 3), b.view("z", f32, 3), b.view("s", f32, 1)
    with b.parallel(n, scope="group"):
        v = b.load(x, n, i, j)
        starts = [v, b.map("mul", v, 2.0), b.map("neg", v), b.const(0.5, f32)]
        with b.serial(b.axis("t", rounds), carry=starts) as loop:
            one, other, same, total = loop.carried
            changed = b.map("add", b.map("mul", other, 0.5), same)
            loop.yields(changed, one, same, b.map("add", total, b.reduce(one, (i, j), laws.ADD)))
        b.store(y, (n, i, j), loop.results[0])
        b.store(z, (n, i, j), b.map("sub", loop.results[1], loop.results[2]))
        b.store(s, n, loop.results[3])
    return b.build()


def swapped(rounds=3):
    """Carried tiles that are exchanged and nothing else."""
    b = Builder("swapped")
    x, n, i, j = grid(b)
    y = b.view("y", f32, 3)
    with b.parallel(n, scope="group"):
        v = b.load(x, n, i, j)
        with b.serial(b.axis("t", rounds), carry=[v, b.map("exp", v)]) as loop:
            one, other = loop.carried
            loop.yields(other, one)
        b.store(y, (n, i, j), b.map("mul", loop.results[0], 0.25))
    return b.build()


def nested():
    """A loop in a loop, each with a carried tile; the inner one starts anew each round."""
    b = Builder("nested")
    x, n, i, j = grid(b)
    y = b.view("y", f32, 2)
    with b.parallel(n, scope="group"):
        v = b.load(x, n, i, j)
        with b.serial(b.axis("t", 3), carry=[b.reduce(v, j, laws.ADD)]) as outer:
            (sums,) = outer.carried
            with b.serial(b.axis("u", 2), carry=[sums]) as inner:
                (held,) = inner.carried
                spread = b.map("mul", b.map("sub", v, b.relabel(held, i, j)), 0.25)
                inner.yields(b.reduce(spread, j, laws.ADD))
            outer.yields(b.map("mul", b.map("add", inner.results[0], sums), 0.125))
        b.store(y, (n, i), outer.results[0])
    return b.build()


def transposed_in_place():
    """Each element takes the place of another: all are read before any is written."""
    b = Builder("transposed_in_place")
    y, n, i, j = grid(b, name="y")
    with b.parallel(n, scope="group"):
        v = b.load(y, n, j, i)
        b.store(y, (n, i, j), b.map("add", v, b.reduce(v, j, laws.MINIMUM)))
    return b.build()


def through_memory(layout=None):
    """A placed memory that is written by elements and read at others."""
    b = Builder("through_memory")
    x, n, _, _ = grid(b)
    y, a, c = b.view("y", f32, 3), b.axis("a", 8), b.axis("c", 8)
    kept = b.memory("kept", f32, [a, c], "group", layout)
    with b.parallel(n, scope="group"):
        b.store(kept, (a, c), b.load(x, n, a, c))
        turned = b.load(kept, c, a)
        b.store(kept, (a, c), b.map("add", turned, b.reduce(turned, c, laws.ADD)))
        b.store(y, (n, a, c), b.load(kept, a, c))
    return b.build()


def moving_memory(place, masked=False):
    """Each round reads and writes a memory at places of its own; so threads change elements.

    `place` is where element i goes, by the round: "ahead", "around" or at the place that a
    carried number says ("told").
    """
    b = Builder("moving_memory")
    x, n, _, j = grid(b)
    y, t, room = b.view("y", f32, 2), b.axis("t", 4), b.axis("room", 44)
    kept = b.memory("kept", f32, [room], "group")
    with b.parallel(n, scope="group"):
        b.store(kept, room, b.broadcast(b.const(1.0, f32), room))
        with b.serial(t, carry=[b.const(3, i64)]) as loop:
            (told,) = loop.carried
            first = told if place == "told" else b.index(t)
            at = b.map("add", b.index(j), first)
            at = b.map("mod", b.map("mul", at, 3), 44) if place == "around" else at
            v = b.load(x, n, 0, j)
            mask = b.map("gt", v, 0.0) if masked else None
            b.store(kept, at, b.map("add", b.map("mul", b.load(kept, at), 0.5), v), mask=mask)
            loop.yields(b.map("sub", told, 1))
        b.store(y, (n, room), b.load(kept, room))
    return b.build()


def halves_of_memory():
    """Two threads read one element, which one of them alone writes: no place tells the thread."""
    b = Builder("halves_of_memory")
    x, n, _, _ = grid(b)
    y, j = b.view("y", f32, 2), b.axis("j", 40)
    kept = b.memory("kept", f32, [j], "group")
    with b.parallel(n, scope="group"):
        b.store(kept, j, b.load(x, n, 0, j))
        half = b.map("mod", b.index(j), 20)
        later = b.map("ge", b.index(j), 20)
        b.store(kept, half, b.map("add", b.load(kept, half), 1.0), mask=later)
        b.store(y, (n, j), b.load(kept, j))
    return b.build()


def chosen_elements():
    """Results of a reduction read at places that data names; one outside gives the fill."""
    b = Builder("chosen_elements")
    x, n, i, j = grid(b)
    places, y = b.view("places", i32, 2), b.view("y", f32, 2)
    with b.parallel(n, scope="group"):
        sums = b.reduce(b.load(x, n, i, j), j, laws.ADD)
        b.store(y, (n, i), b.gather(sums, b.load(places, n, i), i, -1.0))
    return b.build()


def typed(dtype):
    """The sum and the least element of a row, in the types that reductions have."""
    b = Builder(f"typed_{dtype}")
    x, n, i, j = grid(b, dtype)
    with b.parallel(n, scope="group"):
        v = b.load(x, n, i, j)
        sums, least = b.reduce(v, j, laws.ADD), b.reduce(v, j, laws.MINIMUM)
        s, y = b.view("s", sums.dtype, 2), b.view("y", dtype, 3)
        b.store(s, (n, i), sums)
        b.store(y, (n, i, j), b.map("sub", v, least))
    return b.build()


def pairs_of(kernel, shapes, seed=0, **ranges):
    """A case of a kernel with random arrays of shapes by name; integers lie within ranges."""
    rng = np.random.default_rng(seed)
    arguments = {
        view.name: random_array(rng, view.dtype, shapes[view.name], ranges.get(view.name, (-9, 9)))
        for view in kernel.views
    }
    return Case(kernel, arguments)


def shapes_of(kernel, shape):
    """Shapes for views of a matrix a program, of one value a row of it, or of one value."""
    return {view.name: shape[: view.rank] for view in kernel.views}


def corpus():
    """Name → case: every situation that a group's program may be in."""
    square, wide, tall, high = (ROWS, 8, 8), (ROWS, 5, 40), (ROWS, 40, 3), (2, 44, 40)
    # Rows of nine places, of which the last holds nothing.
    padded = MixedRadix((8, 8), ((Digit(8, 9),), (Digit(8, 1),)), 71)
    made = {
        "rows": (normalised_rows(), wide, {}),
        "rows_ragged": (normalised_rows(), (2, 7, 33), {}),
        "rows_of_one": (normalised_rows(), (2, 6, 1), {}),
        "one_row": (normalised_rows(), (2, 1, 70), {}),
        "columns": (centred_columns(), wide, {}),
        "columns_many": (centred_columns(), tall, {}),
        "matrix": (whole_matrix(), (ROWS, 5, 7), {}),
        "laws": (several_laws(), wide, {}),
        "laws_f16": (several_laws(f16), (2, 3, 35), {}),
        "conditions": (conditions(), square, {}),
        "iterated": (iterated(), square, {}),
        "blocks": (in_blocks(), wide, {}),
        "blocks_apart": (in_blocks(2), wide, {}),
        "halved": (halved(), wide, {}),
        "exchanged": (exchanged(), wide, {}),
        "swapped": (swapped(), wide, {}),
        "nested": (nested(), square, {}),
        "transposed": (transposed_in_place(), square, {}),
        "memory": (through_memory(), square, {}),
        "memory_padded": (through_memory(padded), square, {}),
        "ahead": (moving_memory("ahead"), high, {}),
        "around": (moving_memory("around"), high, {}),
        "told": (moving_memory("told"), high, {}),
        "masked_ahead": (moving_memory("ahead", masked=True), high, {}),
        "halves": (halves_of_memory(), (ROWS, 40, 40), {}),
        "chosen": (chosen_elements(), wide, {"places": (-2, 6)}),
        "many": (normalised_rows(), (1, 130, 9), {}),
        "ordered": (normalised_rows(policy="ordered_tree"), wide, {}),
        "reproducible": (whole_matrix("reproducible"), (2, 3, 40), {}),
        "folded": (whole_matrix("fold_left"), (2, 3, 11), {}),
    }
    made |= {f"typed_{d}": (typed(d), (2, 5, 37), {}) for d in (bf16, i32, i64, u8)}
    return {
        name: pairs_of(kernel, shapes_of(kernel, shape), **ranges)
        for name, (kernel, shape, ranges) in made.items()
    }
