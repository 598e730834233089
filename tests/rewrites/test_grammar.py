"""The chains that the search is measured on are those that their grammar says, and stay so."""

import hashlib
import re
from collections import Counter

import numpy as np
import pytest

from certile.ir.fingerprint import fingerprint
from certile.ir.verify import verify
from certile.reference.agrees import agrees
from tests.rewrites import grammar, rows
from tests.terms import computed

CHAINS = grammar.chains()
# Whoever changes the grammar changes what the search is measured on, and has to say so here.
DIGEST = "b265e567cded9491"

_LAWS = {
    "max": lambda a: np.max(a, axis=1, initial=-np.inf),
    "sum": lambda a: np.sum(a, axis=1),
    "absmax": lambda a: np.max(np.abs(a), axis=1, initial=0.0),
}


def oracle(chain, given):
    """What the folds and the outputs are by their terms, each operation rounded once."""
    x = given["x"]
    known = {"x": x, "y": given.get("y", x), "n": np.float32(x.shape[1])}
    known["s"] = np.float32(given.get("s", 1.0))

    def value(text):
        return computed(grammar.parsed(text), known, np.float32)

    with np.errstate(all="ignore"):
        for k, fold in enumerate(chain.folds):
            tile = np.broadcast_to(value(fold.term), x.shape)
            known[f"r{k}"] = _LAWS[fold.law](tile)[:, None]
        outputs = {f"o{k}": value(text)[:, 0] for k, text in enumerate(chain.stored)}
        if chain.row:
            outputs["z"] = np.broadcast_to(value(chain.row), x.shape)
        return outputs


def test_the_chains_are_those_that_were_written_down():
    text = "\n".join(f"{chain} {chain.stored} {chain.row}" for chain in CHAINS)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == DIGEST


def test_the_chains_are_of_different_structures():
    assert len({chain.structure for chain in CHAINS}) == 100
    assert len({fingerprint(chain.kernel()) for chain in CHAINS}) == 100
    assert set(Counter(len(chain.folds) for chain in CHAINS)) == {2, 3, 4}


@pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: str(chain.number))
def test_each_later_fold_reads_an_earlier_one(chain):
    assert not verify(chain.kernel())
    assert not re.search(r"\br\d", chain.folds[0].term)
    for k, fold in enumerate(chain.folds[1:], start=1):
        read = {int(number) for number in re.findall(r"\br(\d)", fold.term)}
        assert read
        assert max(read) < k


def test_every_line_of_the_grammar_is_drawn():
    folds = [fold for chain in grammar.chains(400, seed=1) for fold in chain.folds]
    laws = Counter(fold.law for fold in folds)
    assert min(laws[law] for law in grammar.LAWS) > 50
    for part in ("(exp (exp", "(abs ", "(maximum ", " s)", "(exp (neg", "y)"):
        assert any(part in fold.term for fold in folds), part


@pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: str(chain.number))
def test_a_kernel_computes_what_its_terms_say(chain):
    given = rows.arguments(chain, 37, ("normal", "small", "positive", "same"))
    given["y"] = np.linspace(-1, 1, 4 * 37, dtype=np.float32).reshape(4, 37)
    names = {view.name for view in chain.kernel().views} | {"s"}
    given = {name: value for name, value in given.items() if name in names}
    found = agrees(oracle(chain, given), chain.kernel(), given)
    assert found, found.worst
    assert found.unchecked < found.elements
