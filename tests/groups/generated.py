"""Random programs of a group: tiles over two axes, reductions, loops, memories, other elements."""

from dataclasses import dataclass, field
from random import Random

from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import f32, i64
from certile.ir.types import Axis
from tests.groups.programs import pairs_of

EXTENTS = (2, 3, 5, 8, 17, 33, 40)
LAWS = (laws.ADD, laws.ADD, laws.MAXIMUM, laws.MINIMUM, laws.LOGSUMEXP, laws.MEAN_VAR, laws.ARGMAX)
POLICIES = ("unordered_tree",) * 5 + ("ordered_tree", "fold_left")


@dataclass
class Writer:
    """Writes one program; `tiles` are the values that later steps may use."""

    random: Random
    b: Builder = field(default_factory=lambda: Builder("generated"))
    tiles: list = field(default_factory=list)

    def pick(self, *axes: Axis):
        """A value, one over exactly these axes if any are given."""
        found = [t for t in self.tiles if not axes or set(t.axes) == set(axes)]
        if found:
            return self.random.choice(found)
        return self.b.broadcast(self.b.const(self.random.uniform(-1, 1), f32), *axes)

    def keep(self, tile):
        """Remember a value, scaled down so that no chain of steps overflows."""
        self.tiles.append(self.b.map("mul", self.b.cast(tile, f32), 0.5))

    # Steps.

    def element_wise(self):
        b, a, c = self.b, self.pick(), self.pick()
        fn = self.random.choice(("add", "sub", "maximum", "exp"))
        self.keep(b.map("exp", b.map("neg", b.map("abs", a))) if fn == "exp" else b.map(fn, a, c))

    def reduction(self):
        tile = self.pick()
        if not tile.axes:
            return
        over = self.random.sample(tile.axes, self.random.randint(1, len(tile.axes)))
        made = self.b.reduce(
            tile, over, self.random.choice(LAWS), policy=self.random.choice(POLICIES)
        )
        self.keep(self.random.choice(self.b.results(made)) if made.law.results[1:] else made)

    def turned(self):
        i, j = self.axes
        old, new = self.random.sample((i, j), 2)
        tile = self.pick(old)
        if i.static == j.static and set(tile.axes) == {old}:
            self.keep(self.b.relabel(tile, old, new))

    def chosen(self):
        """Elements at other places along an axis, some outside."""
        b, axis = self.b, self.random.choice(self.axes)
        tile = self.pick()
        if axis in tile.axes:
            index = b.map("sub", b.index(axis), b.const(self.random.randint(-2, 3), i64))
            self.keep(b.gather(tile, index, axis, 0.25))

    def memory(self):
        """A tile by way of a memory that another store changes afterwards."""
        b, (i, j) = self.b, self.axes
        kept = b.memory(f"kept{len(self.tiles)}", f32, [i, j], "group")
        b.store(kept, (i, j), b.broadcast(self.pick(i, j), i, j))
        found = b.load(kept, i, j)
        b.store(kept, (i, j), b.map("add", found, 1.0))
        self.keep(found)
        self.keep(b.load(kept, i, j))

    def loop(self):
        b, outside = self.b, list(self.tiles)
        carried = [self.pick(*self.random.choice([self.axes, self.axes[:1], self.axes[1:]]))]
        carried += [self.pick(*carried[0].axes)] if self.random.random() < 0.4 else []
        carried += [b.const(0.5, f32)] if self.random.random() < 0.5 else []
        axis = b.axis("t", self.random.choice((1, 2, 3, 5)))
        with b.serial(axis, step=self.random.choice((1, 1, 2)), carry=carried) as loop:
            self.tiles = [*outside, *loop.carried]
            self.keep(b.map("add", loop.carried[0], b.cast(b.index(axis), f32)))
            for _ in range(self.random.randint(1, 4)):
                self.random.choice((self.reduction, self.element_wise, self.turned, self.chosen))()
            loop.yields(*(self.next_of(held) for held in loop.carried))
        self.tiles = outside
        for result in loop.results:
            self.keep(result)

    def next_of(self, held):
        """What a carried value becomes: of its own axes, and no larger than it was."""
        new = self.pick(*held.axes)
        if set(new.axes) != set(held.axes):
            new = held
        return self.b.map("mul", self.b.map("add", held, self.b.broadcast(new, *held.axes)), 0.5)

    def program(self):
        b, random = self.b, self.random
        rows, columns = random.choice(EXTENTS), random.choice(EXTENTS)
        columns = rows if random.random() < 0.4 else columns
        x, z = b.view("x", f32, 3), b.view("z", f32, 3)
        n, i, j = b.axis("n", dim(x, 0)), b.axis("i", rows), b.axis("j", columns)
        self.axes = (i, j)
        with b.parallel(n, scope="group"):
            self.tiles = [b.load(x, n, i, j)]
            if random.random() < 0.5:
                self.tiles.append(b.load(z, n, i, j))
            steps = (
                *(self.reduction, self.reduction, self.element_wise, self.element_wise),
                *(self.turned, self.chosen, self.memory, self.loop, self.loop),
            )
            for _ in range(random.randint(4, 8)):
                random.choice(steps)()
            shown = random.sample(self.tiles, min(3, len(self.tiles)))
            for number, tile in enumerate(shown):
                view = b.view(f"y{number}", f32, 1 + len(tile.axes))
                b.store(view, (n, *tile.axes), tile)
            b.store(z, (n, i, j), b.broadcast(self.pick(i, j), i, j))
        shapes = {f"y{k}": (3, *(a.static for a in t.axes)) for k, t in enumerate(shown)}
        return b.build(), {**shapes, "x": (3, rows, columns), "z": (3, rows, columns)}


def generated(seed):
    """The case of a seed."""
    kernel, shapes = Writer(Random(seed)).program()
    return pairs_of(kernel, shapes, seed)
