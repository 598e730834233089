"""Random chains: how many become one fold, that those mean what they meant, why the others do not.

The chains are `grammar.chains()`, whose grammar was written without the search.
"""

import json
import re
from collections import Counter

import pytest

from certile.proof.check.regions import check_rewrite
from tests.rewrites import forms, grammar, rows

LENGTH = 77
LEAST_FUSED = 30
# The hundred, those first that take little time: any of them may be the least number.
CHAINS = sorted(
    grammar.chains(), key=lambda chain: ("s" in chain.inputs, len(chain.folds), chain.number)
)
# A scale of either sign; the search knows neither.
SCALES = (0.75, -1.5)


@pytest.fixture(scope="module", params=["enough", pytest.param("all", marks=pytest.mark.full)])
def found(request, tmp_path_factory):
    """Chains with their rewritings or refusals; nothing is remembered from elsewhere."""
    made, fused = [], 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CERTILE_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        for chain in CHAINS:
            if fused == LEAST_FUSED and request.param == "enough":
                break
            made.append((chain, forms.pair(chain.kernel(), chain.shapes(rows.COUNT, LENGTH))))
            fused += made[-1][1].rewrite is not None
    return made


def fused(found):
    return [(chain, pair) for chain, pair in found if pair.rewrite]


def table(found):
    """What became of the chains: how many were fused, and why folds of the others were not."""
    refused = Counter(
        refusal.obligation for _, pair in found if not pair.rewrite for refusal in pair.refusals
    )
    return {"chains": len(found), "fused": len(fused(found)), **refused}


def test_enough_chains_are_fused(found):
    assert len(found) <= 100
    assert len(fused(found)) >= LEAST_FUSED, table(found)


def test_the_certificate_of_each_is_accepted(found):
    for chain, pair in fused(found):
        text = json.dumps(pair.rewrite.certificate)
        assert check_rewrite(pair.before, pair.after, text) is None, str(chain)


def test_each_that_is_refused_says_what_failed(found):
    assert len(found) > len(fused(found))
    for chain, pair in found:
        assert pair.rewrite or pair.refusals, str(chain)
        for refusal in pair.refusals:
            assert refusal.kind == "rewrite"
            assert refusal.obligation, str(chain)
            assert refusal.claim
            assert refusal.missing
            assert not re.search(r"object at|None|Traceback|\n\n", refusal.text), refusal.text


def each_way(chain, pair, run, kinds=rows.KINDS, seed=0):
    """Judge what one way to run the rewritten kernel gives, for each scale the chain may have."""
    for scale in SCALES if "s" in chain.inputs else SCALES[:1]:
        given = rows.arguments(chain, LENGTH, kinds, seed, scale)
        outputs = run(pair.after, given)
        if outputs is not None:
            verdict = forms.judge(outputs, pair.before, given, str(chain))
            assert verdict.unchecked < verdict.elements


def test_the_interpreter_gives_the_same(found):
    for chain, pair in fused(found):
        each_way(chain, pair, forms.by_interpreter, rows.MODERATE)


def test_compiled_code_gives_the_same(found):
    for chain, pair in fused(found):
        each_way(chain, pair, forms.on_cpu, seed=1)


def test_a_mapping_gives_the_same(found):
    for place, (chain, pair) in enumerate(fused(found)):
        way = forms.WAYS[place % len(forms.WAYS)]
        each_way(chain, pair, lambda kernel, at, way=way: forms.on_machine(kernel, at, way), seed=2)


@pytest.mark.parametrize("length", [0, 1, 2])
def test_rows_of_few_elements(length):
    again = 0
    for chain in CHAINS[:30:3]:
        pair = forms.pair(chain.kernel(), chain.shapes(rows.COUNT, length))
        if pair.rewrite is None:
            continue
        again += 1
        for run, kinds in ((forms.by_interpreter, rows.MODERATE), (forms.on_cpu, rows.KINDS)):
            given = rows.arguments(chain, length, kinds)
            forms.judge(run(pair.after, given), pair.before, given, str(chain))
    assert again or length == 0


@pytest.mark.full
@pytest.mark.parametrize("way", forms.WAYS, ids=str)
def test_every_mapping_gives_the_same(found, way):
    for chain, pair in fused(found):
        each_way(chain, pair, lambda kernel, at: forms.on_machine(kernel, at, way), seed=3)
