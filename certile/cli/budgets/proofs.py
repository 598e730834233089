"""What proofs cost: checking every certificate, deriving the package's chains, many columns.

In: nothing.  Out: figures by name, in milliseconds and as a ratio.  Decides what is counted: every
certificate of a law, and every rewritten kernel of `certile.ops` read and checked as a kept program
is when it is loaded.  The processes that measure are fresh, so nothing is remembered.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from certile.ir.laws import BUILTIN, softmax_sums
from certile.ir.meanings import ACTIONS, MEANINGS, meaning_of
from certile.ir.tile import Kernel
from certile.ir.walk import parallel_regions
from certile.ops.kernels import BARE_OPS, bare
from certile.proof.check import check
from certile.proof.check.regions import check_rewrite
from certile.proof.registry import certificate_text, shipped
from certile.search.derivations import digest
from certile.search.fusion import Chain, Fused, derive
from certile.search.laws import Unproved
from certile.search.regions import Rewrite, derived

# The number of columns is in no proof.
_SHAPE = (4, 4096)
_TIMES = 3


def figures() -> dict[str, float]:
    """Measure; each figure is the least of a few runs."""
    laws = [_least(partial(_law, name)) for name in MEANINGS | ACTIONS]
    kernels = [bare(op, _SHAPE).kernel for op in BARE_OPS]
    # The first derivation of a chain in a process reads it from the package.
    found = [
        (kernel, derived(kernel, region).rewrite)
        for kernel in kernels
        for region in parallel_regions(kernel)
    ]
    rewrites = [(kernel, rewrite) for kernel, rewrite in found if rewrite is not None]
    checks = [_least(partial(_rewritten, kernel, rewrite)) for kernel, rewrite in rewrites]
    return {
        "check all": 1e3 * (sum(laws) + sum(checks)),
        "check one": 1e3 * max(checks),
        "build": 1e3 * _building(),
        "columns": _least(partial(_columns, 16)) / _least(partial(_columns, 1)),
    }


def _law(name: str) -> None:
    law = BUILTIN[name]
    _accepted(check(shipped(name), law, (MEANINGS | ACTIONS)[name]))


def _rewritten(before: Kernel, rewrite: Rewrite) -> None:
    _accepted(check_rewrite(before, rewrite.kernel, rewrite.certificate))


def _columns(count: int) -> None:
    law = softmax_sums(count)
    meaning = meaning_of(law)
    assert meaning is not None
    _accepted(check(certificate_text(law), law, meaning))


def _accepted(answer: str | None) -> None:
    if answer is not None:
        raise RuntimeError(answer)


def _building() -> float:
    """Return the seconds that deriving every chain of the package's kernels takes."""
    spent = 0.0
    made: dict[str, Fused | Unproved] = {}

    def once(chain: Chain) -> Fused | Unproved:
        nonlocal spent
        name = digest(chain)
        if name not in made:
            started = time.perf_counter()
            made[name] = derive(chain)
            spent += time.perf_counter() - started
        return made[name]

    for op in BARE_OPS:
        kernel = bare(op, _SHAPE).kernel
        for region in parallel_regions(kernel):
            derived(kernel, region, once)
    return spent


def _least(work: Callable[[], None]) -> float:
    """Return the least seconds of a few runs; noise only adds."""
    times = []
    for _ in range(_TIMES):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)
