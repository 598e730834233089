"""Random row programs: kernels that are no operation anybody named, for tests of every stage.

In: a source of random choices.  Out: a kernel, shapes and arguments for it.  Decides a structure
(loads, element-wise chains, up to four reductions of several laws and policies, shared tiles, a
guarded gather, a serial loop, several outputs, one or two parallel axes, odd extents) and keeps
values in a range where results mean something.  Equal choices give equal programs in every process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

import numpy as np

from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import DType, bf16, bool_, f16, f32, f64, i8, i32, i64, u8
from certile.ir.laws import Component, Law
from certile.ir.node import Node
from certile.ir.terms import Lit, Var, app
from certile.ir.tile import Kernel, Map, Policy, Tile, View
from certile.ir.walk import uses, values
from certile.reference import machine_numeric as numeric
from certile.reference.machine_numeric import Array

EXTENTS = (1, 2, 3, 5, 7, 15, 17, 31, 33, 63, 65, 97, 129, 255, 257)
_POLICIES: tuple[Policy, ...] = (
    *("unordered_tree",) * 5,
    *("ordered_tree", "reproducible", "fold_left", "fold_right"),
)

# Laws as a user would write them: one that is not built in, one of two operands, one that is only
# a function to fold with.
_LARGEST_SIZE = Law(
    name="largest_size",
    state=(Component("s"),),
    identity=(Lit(0),),
    lift=(app("abs", "x"),),
    merge=(app("maximum", "a.s", "b.s"),),
    finalize=(Var("s"),),
)
_DOT = Law(
    name="dot",
    state=(Component("s"),),
    identity=(Lit(0),),
    lift=(app("mul", "x0", "x1"),),
    merge=(app("add", "a.s", "b.s"),),
    finalize=(Var("s"),),
    operands=2,
)
_MINUS = Law(
    name="minus",
    state=(Component("s"),),
    identity=None,
    lift=(Var("x"),),
    merge=(app("sub", "a.s", "b.s"),),
    finalize=(Var("s"),),
    commutative=False,
)


@dataclass(frozen=True, slots=True)
class Generated:
    """A program, the shapes to call it with, and the range of its integer inputs by name."""

    kernel: Kernel
    shapes: dict[str, tuple[int, ...]]
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict)

    def arguments(self, seed: int = 0) -> dict[str, Array | bool | int | float]:
        """Random arguments; outputs start with random contents too."""
        rng = np.random.default_rng(seed)
        found: dict[str, Array | bool | int | float] = {}
        for param in self.kernel.params:
            if isinstance(param, View):
                limits = self.ranges.get(param.name, (-50, 50))
                found[param.name] = random_array(rng, param.dtype, self.shapes[param.name], limits)
            else:
                found[param.name] = float(np.float32(rng.normal()))
        return found

    def features(self) -> dict[str, int]:
        """How many reductions, shared tiles, gathers, outputs and loops the program has."""
        counted = Counter(at.mnemonic for at in values(self.kernel))
        shared = [at for at, readers in uses(self.kernel).items() if _is_shared(at, readers)]
        return {
            "reductions": counted["tile.reduce"],
            "shared": len(shared),
            "gathers": counted["tile.gather"],
            "outputs": len(self.kernel.outputs),
            "loops": counted["tile.serial"],
        }


def _is_shared(at: Node, readers: tuple[Node, ...]) -> bool:
    return isinstance(at, Map) and bool(at.axes) and len(readers) > 1


def random_array(
    rng: np.random.Generator, dtype: DType, shape: tuple[int, ...], limits: tuple[int, int]
) -> Array:
    """Random elements of a dtype: normal floats, integers within limits."""
    storage = numeric.storage(dtype)
    if dtype.is_float:
        return np.asarray(rng.normal(0.0, 2.0, shape)).astype(storage)
    if dtype.kind == "bool":
        return rng.random(shape) < 0.5
    low = 0 if dtype.kind == "uint" else limits[0]
    return rng.integers(low, limits[1], shape, endpoint=True).astype(storage)


def generate(random: Random, *, reductions: int | None = None, rich: bool = False) -> Generated:
    """One program; `rich` asks for a shared tile, a gather or several outputs."""
    return _Writer(random).program(reductions or random.randint(1, 4), rich)


def corpus(count: int = 200, seed: int = 0) -> Iterator[Generated]:
    """A fixed list of programs: three in four with several reductions, two in three rich."""
    for number in range(count):
        yield generate(Random(f"{seed}/{number}"), reductions=1 + number % 4, rich=number % 3 != 0)


class _Writer:
    """Writes one program: a pool of row tiles and one of scalars, from which choices are drawn."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._b = Builder(f"generated_{random.getrandbits(16):04x}")
        self._wide: list[Tile] = []
        self._scalars: list[Tile] = []
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._ranges: dict[str, tuple[int, int]] = {}
        self._dtype = random.choice((f32, f32, f32, f16, bf16, f64, i32, i64, i8, u8))
        lead = [random.randint(1, 6) for _ in range(random.choice((1, 1, 2)))]
        self._extents = (*lead, random.choice(EXTENTS))
        self._x = self._view("x", self._dtype, self._extents)
        self._rows = tuple(self._b.axis(f"row{k}", dim(self._x, k)) for k in range(len(lead)))
        self._cols = self._b.axis("cols", dim(self._x, len(lead)))

    def program(self, reductions: int, rich: bool) -> Generated:
        """Write the program."""
        random, b = self._random, self._b
        wanted = random.choice(("shared", "gather", "outputs")) if rich else ""
        with b.parallel(*self._rows):
            self._loads()
            for _ in range(random.randint(0, 2)):
                self._step()
            for _ in range(reductions):
                self._reduction()
                self._step()
            if random.random() < 0.2:
                self._loop()
            if wanted == "shared":
                self._share()
            if wanted == "gather" or random.random() < 0.2:
                self._gather()
            self._stores(2 if wanted == "outputs" else random.choice((1, 1, 2)))
        return Generated(b.build(), self._shapes, self._ranges)

    def _view(self, name: str, dtype: DType, shape: tuple[int, ...]) -> View:
        self._shapes[name] = shape
        return self._b.view(name, dtype, len(shape))

    def _loads(self) -> None:
        b, random = self._b, self._random
        self._wide.append(b.load(self._x, *self._rows, self._cols))
        if random.random() < 0.5:
            weight = self._view("weight", random.choice((self._dtype, f32)), self._extents[-1:])
            self._wide.append(b.load(weight, self._cols))
        if random.random() < 0.3:
            residual = self._view("residual", self._dtype, self._extents)
            self._wide.append(b.load(residual, *self._rows, self._cols))
        if random.random() < 0.3:
            keep = self._view("keep", bool_, self._extents[-1:])
            kept = b.load(keep, self._cols)
            self._wide.append(b.map("where", kept, self._wide[0], 0))
        if random.random() < 0.3:
            bias = self._view("bias", f32, self._extents[:-1])
            self._scalars.append(b.load(bias, *self._rows))
        if random.random() < 0.2:
            self._scalars.append(b.scalar("factor", f32))

    def _step(self) -> None:
        """One element-wise operation on the last row, with another, a scalar or a number."""
        random = self._random
        left = self._wide[-1]
        right = random.choice([*self._wide, *self._scalars, self._b.const(2, left.dtype)])
        floats = left.dtype.is_float or right.dtype.is_float
        self._wide.append(self._float_step(left, right) if floats else self._int_step(left, right))

    def _float_step(self, left: Tile, right: Tile) -> Tile:
        b = self._b
        match self._random.randrange(10):
            case 0 | 1:
                return b.map(self._random.choice(("add", "sub")), left, right)
            case 2:
                return b.map("mul", left, b.map("tanh", right))
            case 3:
                return b.map(self._random.choice(("maximum", "minimum")), left, right)
            case 4:
                return b.map("exp", b.map("minimum", b.map("sub", left, right), 2.0))
            case 5:
                return b.map("div", left, b.map("add", b.map("abs", right), 1.0))
            case 6:
                return b.map("where", b.map("lt", left, right), left, b.map("neg", right))
            case 7:
                return b.map("sqrt", b.map("abs", left))
            case 8:
                return b.map("sigmoid", b.cast(left, f32))
            case _:
                return b.map("mul", left, 0.5)

    def _int_step(self, left: Tile, right: Tile) -> Tile:
        b = self._b
        match self._random.randrange(7):
            case 0 | 1:
                return b.map(self._random.choice(("add", "sub", "mul")), left, right)
            case 2:
                return b.map(self._random.choice(("maximum", "minimum")), left, right)
            case 3:
                return b.map(self._random.choice(("floordiv", "mod")), left, right)
            case 4:
                return b.map(self._random.choice(("bit_and", "bit_or", "bit_xor")), left, right)
            case 5:
                return b.map("where", b.map("ge", left, right), left, right)
            case _:
                return b.cast(left, f32)

    def _reduction(self) -> None:
        b, random = self._b, self._random
        tile = random.choice([*self._wide, self._wide[-1]])
        policy = random.choice(_POLICIES)
        choices = [laws.ADD, laws.ADD, laws.MAXIMUM, laws.MINIMUM, laws.ARGMAX, _LARGEST_SIZE, _DOT]
        if tile.dtype.is_float:
            choices += [laws.ADD, laws.MEAN_VAR, laws.LOGSUMEXP, laws.MUL]
        law = random.choice(choices)
        if policy in ("fold_left", "fold_right") and random.random() < 0.3:
            start = b.const(0, self._b.cast(tile, f32).dtype)
            found = b.reduce(b.cast(tile, f32), self._cols, _MINUS, policy=policy, init=[start])
        elif law == _DOT:
            found = b.reduce([tile, random.choice(self._wide)], self._cols, law, policy=policy)
        else:
            if law == laws.MUL:
                # Factors near 1, so that a product of many is a number and no infinity.
                tile = b.map("add", b.map("mul", b.map("tanh", tile), 0.0625), 1.0)
            found = b.reduce(tile, self._cols, law, policy=policy)
        results = b.results(found) if len(law.results) > 1 else (found,)
        made = [b.cast(r, f32) if r.dtype == i64 else r for r in results]
        self._scalars += made
        # The last row reads every result, so that no reduction is dead.
        for scalar in made:
            self._wide.append(self._joined(self._wide[-1], scalar))

    def _joined(self, tile: Tile, scalar: Tile) -> Tile:
        """A row that depends on a scalar."""
        b = self._b
        match self._random.randrange(5):
            case 0:
                return b.map("mul", tile, b.map("tanh", scalar))
            case 1:
                return b.map("div", tile, b.map("add", b.map("abs", scalar), 1.0))
            case 2:
                return b.map("maximum", tile, scalar)
            case _:
                return b.map("sub", tile, scalar)

    def _loop(self) -> None:
        """A serial loop over planes of a further input, carrying a scalar or a row."""
        b, random = self._b, self._random
        planes = random.randint(0, 4)
        shape = (planes, *self._extents)
        source = self._view("planes", f32, shape)
        axis = b.axis("plane", dim(source, 0))
        carried = self._wide[-1] if random.random() < 0.5 else b.const(1.0, f32)
        start = b.cast(carried, f32)
        wide = bool(start.axes)
        with b.serial(axis, carry=[start], step=random.choice((1, 1, 2))) as loop:
            plane = b.load(source, axis, *self._rows, self._cols)
            part = plane if wide else b.reduce(plane, self._cols, laws.ADD, policy="reproducible")
            loop.yields(b.map("sub", b.map("mul", loop.carried[0], 0.5), part))
        self._wide.append(
            loop.results[0] if wide else self._joined(self._wide[-1], loop.results[0])
        )

    def _gather(self) -> None:
        """An element of a row that another input chooses; outside the row there is a fill."""
        b = self._b
        labels = self._view("labels", i64, self._extents[:-1])
        self._ranges["labels"] = (-1, self._extents[-1])
        index = b.load(labels, *self._rows)
        tile = self._random.choice(self._wide)
        chosen = b.gather(tile, index, self._cols, fill=3)
        self._scalars.append(chosen)
        self._wide.append(self._joined(self._wide[-1], chosen))

    def _share(self) -> None:
        """A computed row that two later ones read."""
        b = self._b
        shared = b.map("add", self._random.choice(self._wide), 1)
        total = b.reduce(shared, self._cols, laws.ADD)
        self._wide.append(b.map("mul", shared, b.map("sub", shared, total)))

    def _stores(self, count: int) -> None:
        """The last row, into which what was written first flows, then the last scalars."""
        b, random = self._b, self._random
        tiles = [self._wide[-1], *self._scalars[:-3:-1]]
        for number, tile in enumerate(tiles[:count]):
            shape = self._extents if tile.axes else self._extents[:-1]
            where = (*self._rows, self._cols) if tile.axes else self._rows
            narrowed = tile.dtype.is_float and random.random() < 0.3
            y = self._view(f"y{number}", f32 if narrowed else tile.dtype, shape)
            b.store(y, where, tile)
