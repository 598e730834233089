"""Rewrites to be checked: what a kernel is rewritten to, or another rewrite made by hand."""

from dataclasses import replace

from certile.frontend.spec import Shaped
from certile.ir.dtypes import bool_, f32
from certile.ir.fingerprint import fingerprint
from certile.ir.laws import BUILTIN
from certile.ir.tile import Fallback, Map, Reduce, Result
from certile.ir.types import TileType
from certile.ir.walk import parallel_regions, substitute, values
from certile.proof.check.regions import SCHEMA, check_rewrite
from certile.search.regions import derived

SHAPES = {"x": (3, 8), "v": (3, 8), "y": (3, 8), "out": (3,)}
SCALAR = TileType(f32)


def traced(kernel, **options):
    given = {
        name: Shaped(f32, SHAPES[name]) if name in SHAPES else 0.5
        for name in kernel.signature.names
    }
    return kernel.tile_ir(given, **options)


def of_kind(kernel, kind):
    return [at for at in values(kernel) if isinstance(at, kind)]


class Case:
    """A kernel, what it is rewritten to, and what the certificate says of its law."""

    def __init__(self, kernel):
        self.before = traced(kernel)
        rewrite = derived(self.before, parallel_regions(self.before)[0]).rewrite
        self.after, self.laws = rewrite.kernel, rewrite.certificate["laws"]
        (self.fallback,) = of_kind(self.after, Fallback)
        self.fused = self.fallback.values[0].of
        self.chain = of_kind(self.before, Reduce)

    def answer(self, before=None, after=None, laws=None):
        """What the checker says where the digests are right."""
        before, after = before or self.before, after or self.after
        certificate = {
            "schema": SCHEMA,
            "before": fingerprint(before),
            "after": fingerprint(after),
            "laws": self.laws if laws is None else laws,
        }
        return check_rewrite(before, after, certificate)

    def both(self, old, new):
        """What it says where both programs have something else in a place."""
        return self.answer(*(substitute(each, {old: new}) for each in (self.before, self.after)))

    def other(self, old, new):
        """What it says where the rewritten program has something else in a place."""
        return self.answer(after=substitute(self.after, {old: new}))

    def with_law(self, **changes):
        """What it says of another law, whose claims are as they were."""
        return self.other(self.fused, self.fused.with_(law=replace(self.fused.law, **changes)))


def law_named(name):
    return BUILTIN[name]


def by_hand(before, fused, instead):
    """A kernel with a fallback that tries the results of `fused`."""
    results = tuple(Result(of=fused, index=k, type=fused.type) for k in range(len(instead)))
    finite = Result(of=fused, index=len(fused.law.results) - 1, type=TileType(bool_))
    when = Map(fn="bit_not", args=(finite,), type=TileType(bool_))
    made = Fallback(values=results, instead=instead, when=when, type=fused.type)
    by = {at: Result(of=made, index=k, type=at.type) for k, at in enumerate(instead)}
    return substitute(before, by, settled=tuple(by.values()))
