"""Random chains of reductions over one axis: what the search for fused folds is measured on.

A chain is two to four reductions of one row, of which each later one reads results of earlier ones.
The tables below are a grammar with weights.  They hold what people write (weights of a softmax,
moments about a mean, values scaled by the greatest size, entropies, sums of two arrays) and, for a
quarter of the folds, what nobody should fuse (exponents times a result, bells, another array's
extreme, scales of unknown sign).  They were written before any chain was given to the search, and
stay as they are: a measure that follows what it measures says nothing.

Templates are terms as S-expressions.  What a capital or a letter below stands for is drawn once a
fold, so that both `d` of `(mul (exp d) d)` are one difference:

* `e` the key that the first reduction reduces, `x` and `y` the two arrays of a row;
* `r` what the fold is taken relative to: the anchor (the first result, or the mean made of it) or
  the last result; `q` an earlier sum that is not the first result;
* `d` a difference, from `DIFFERENCES`; `C` a number; `s` a scalar argument; `n` the row's length.

Two chains are of one structure when they differ in numbers alone.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property
from random import Random

from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import f32
from certile.ir.terms import Apply, Lit, Var

LAWS = {"max": laws.MAXIMUM, "sum": laws.ADD, "absmax": laws.ABSMAX}

LENGTHS = ((4, 2), (4, 3), (2, 4))

# What the first reduction makes of the key: a law, and the anchor that later ones read.
ANCHORS = (
    (6, ("max", "r0")),
    (4, ("sum", "(div r0 n)")),
    (3, ("absmax", "r0")),
    (1, ("sum", "r0")),
)
KEYS = (
    (8, "x"),
    (3, "(mul x C)"),
    (1, "(add x C)"),
    (1, "(mul x y)"),
    (1, "(add x y)"),
    (1, "(mul x x)"),
    (1, "(mul x s)"),
)
NUMBERS = ((4, 0.5), (3, 2.0), (3, 0.125), (2, 127.0), (1, 3.0), (1, -1.0), (1, 1e-5))
DIFFERENCES = (
    (10, "(sub e r)"),
    (3, "(mul (sub e r) C)"),
    (2, "(sub (mul e C) (mul r C))"),
    (1, "(sub e (mul r C))"),
    (1, "(mul (sub e r) s)"),
)

# What later folds are beside each anchor, as people write them.
IDIOMS = {
    ("max", "r0"): (
        (6, ("sum", "(exp d)")),
        (3, ("sum", "(mul (exp d) y)")),
        (2, ("sum", "(mul (exp d) e)")),
        (2, ("sum", "(mul (exp d) d)")),
        (2, ("sum", "(mul (div (exp d) q) y)")),
        (1, ("sum", "(mul (div (exp d) q) (sub y q))")),
        (1, ("sum", "(mul (exp d) (exp d))")),
        (1, ("sum", "(mul d d)")),
        (1, ("sum", "(add (exp d) y)")),
    ),
    ("sum", "(div r0 n)"): (
        (6, ("sum", "(mul d d)")),
        (3, ("sum", "(mul d y)")),
        (2, ("sum", "(mul (mul d d) d)")),
        (1, ("sum", "(mul (mul d d) (mul d d))")),
        (1, ("sum", "(mul (mul d d) y)")),
        (1, ("absmax", "d")),
        (1, ("max", "(mul d d)")),
        (1, ("sum", "(mul (div d q) (div d q))")),
    ),
    ("absmax", "r0"): (
        (4, ("sum", "(mul e (div C r))")),
        (4, ("sum", "(mul (div e r) (div e r))")),
        (2, ("sum", "(mul (mul e (div C r)) y)")),
        (1, ("sum", "(exp (sub (abs e) r))")),
        (1, ("max", "(div e r)")),
        (1, ("sum", "(div (mul e y) (mul r r))")),
    ),
    ("sum", "r0"): (
        (4, ("sum", "(mul (div e r) (div e r))")),
        (3, ("sum", "(mul (div e r) y)")),
        (2, ("max", "(div e r)")),
        (1, ("sum", "(mul d d)")),
    ),
}
HOSTILE_SHARE = 0.25
HOSTILE = (
    (3, ("sum", "(exp (mul e r))")),
    (3, ("sum", "(exp (neg (mul d d)))")),
    (2, ("sum", "(maximum e r)")),
    (2, ("max", "(mul e r)")),
    (2, ("sum", "(exp (sub y r))")),
    (2, ("sum", "(exp (sub (mul e 2.0) r))")),
    (2, ("sum", "(exp (mul s (sub e r)))")),
    (1, ("sum", "(exp (exp d))")),
    (1, ("absmax", "(mul d y)")),
    (1, ("sum", "(mul (exp (sub e r)) (exp y))")),
    (1, ("sum", "(abs d)")),
)
LAST_SHARE = 0.2

# What is stored of a result `f`, and the row that is stored beside the scalars, if any.
STORED = ((8, "f"), (2, "(log f)"), (1, "(add (log f) r0)"), (2, "(div f n)"), (1, "(sqrt f)"))
ROW_SHARE = 0.35
ROWS = ((4, "(div t f)"), (2, "(sub e r)"), (1, "(mul (sub e r) (rsqrt f))"))


def one(random, table):
    """One entry of a table of weights and entries."""
    return random.choices([entry for _, entry in table], [weight for weight, _ in table])[0]


def parsed(text):
    """The term that an S-expression says."""
    tokens = re.findall(r"[()]|[^\s()]+", text)

    def read():
        token = tokens.pop(0)
        if token != "(":
            return Var(token) if token[0].isalpha() else Lit(float(token))
        fn, args = tokens.pop(0), []
        while tokens[0] != ")":
            args.append(read())
        tokens.pop(0)
        return Apply(fn, tuple(args))

    return read()


def put_in(template, meanings):
    """A template with what its letters stand for."""
    return re.sub(r"[A-Za-z0-9_.-]+", lambda m: meanings.get(m.group(), m.group()), template)


@dataclass(frozen=True)
class Fold:
    """One reduction: the name of its law and the text of the term that it reduces."""

    law: str
    term: str


@dataclass(frozen=True)
class Chain:
    """Folds in order; `stored` are terms over their results, `row` one over the elements too."""

    number: int
    folds: tuple[Fold, ...]
    stored: tuple[str, ...]
    row: str | None = None
    kernels: dict = field(default_factory=dict, compare=False, repr=False)

    def __str__(self):
        folds = "; ".join(f"r{k} = {fold.law} {fold.term}" for k, fold in enumerate(self.folds))
        return f"{self.number}: {folds}"

    @property
    def structure(self):
        """The folds without their numbers."""
        texts = [f"{fold.law} {fold.term}" for fold in self.folds]
        return re.sub(r"(?<=[ (])-?\d[\w.+-]*", "c", "; ".join(texts))

    @cached_property
    def inputs(self):
        """The names of the arrays and the scalar that the chain reads."""
        texts = [fold.term for fold in self.folds] + ([self.row] if self.row else [])
        return set(re.findall(r"\b[xys]\b", " ".join(texts)))

    def kernel(self):
        """The chain as a kernel of one program a row."""
        if "made" not in self.kernels:
            self.kernels["made"] = written(self)
        return self.kernels["made"]

    def shapes(self, rows, length):
        """The shape of each view of the kernel."""
        return {
            view.name: (rows, length) if view.rank == 2 else (rows,) for view in self.kernel().views
        }


def draw(random, number):
    """One chain."""
    law, anchor = one(random, ANCHORS)
    key = put_in(one(random, KEYS), {"C": str(one(random, NUMBERS))})
    folds = [Fold(law, key)]
    length = one(random, LENGTHS)
    while len(folds) < length:
        fold = _later(random, folds, anchor)
        if fold not in folds:
            folds.append(fold)
    stored = [put_in(one(random, STORED), {"f": f"r{k}"}) for k in range(length)]
    row = None
    if random.random() < ROW_SHARE:
        last = {"t": folds[-1].term, "f": f"r{length - 1}", "e": key, "r": anchor}
        row = put_in(one(random, ROWS), last)
    return Chain(number, tuple(folds), tuple(stored), row)


def _later(random, folds, anchor):
    """A fold beside those before it."""
    first, last = folds[0], len(folds) - 1
    sums = [f"r{k}" for k, fold in enumerate(folds) if k and fold.law == "sum"]
    hostile = random.random() < HOSTILE_SHARE
    table = HOSTILE if hostile else IDIOMS[first.law, anchor]
    law, template = one(random, [row for row in table if sums or "q" not in row[1][1]])
    meanings = {
        "C": str(one(random, NUMBERS)),
        "q": random.choice(sums) if sums else "",
        "r": f"r{last}" if last and random.random() < LAST_SHARE else anchor,
        "e": first.term,
    }
    meanings["d"] = put_in(one(random, DIFFERENCES), meanings)
    return Fold(law, put_in(template, meanings))


def chains(count=100, seed=0):
    """That many chains of different structures, the same in every process."""
    made, seen = [], set()
    random = Random(f"chains/{seed}")
    while len(made) < count:
        chain = draw(random, len(made))
        if chain.structure not in seen:
            seen.add(chain.structure)
            made.append(chain)
    return made


class Writer:
    """Writes the terms of a chain into a builder; `known` says what its variables are."""

    def __init__(self, b, known):
        self._b = b
        self._known = {Var(name): tile for name, tile in known.items()}

    def folds(self, chain, cols):
        """Write the reductions over the columns; their results in order."""
        made = []
        self._known[Var("n")] = self._b.cast(self._b.extent(cols.extent), f32)
        for k, fold in enumerate(chain.folds):
            made.append(self._b.reduce(self.tile(fold.term), cols, LAWS[fold.law]))
            self._known[Var(f"r{k}")] = made[-1]
        return made

    def tile(self, text):
        """Write the term of this text."""
        return self._tile(parsed(text))

    def _tile(self, term):
        if isinstance(term, Lit):
            return term.value
        if term not in self._known:
            self._known[term] = self._b.map(term.fn, *map(self._tile, term.args))
        return self._known[term]


def written(chain):
    """The chain as a kernel: a program a row, a scalar output a fold, and perhaps a row."""
    b = Builder(f"chain{chain.number}")
    views = {name: b.view(name, f32, 2) for name in "xy" if name in chain.inputs | {"x"}}
    known = {"s": b.scalar("s")} if "s" in chain.inputs else {}
    outputs = [b.view(f"o{k}", f32, 1) for k in range(len(chain.folds))]
    row = b.view("z", f32, 2) if chain.row else None
    rows, cols = b.axis("rows", dim(views["x"], 0)), b.axis("cols", dim(views["x"], 1))
    with b.parallel(rows):
        known |= {name: b.load(view, rows, cols) for name, view in views.items()}
        writer = Writer(b, known)
        writer.folds(chain, cols)
        for view, text in zip(outputs, chain.stored, strict=True):
            b.store(view, rows, writer.tile(text))
        if row is not None:
            b.store(row, (rows, cols), writer.tile(chain.row))
    return b.build()
