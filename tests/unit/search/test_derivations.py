"""Derivations that are remembered: shipped, kept on disk, and never believed."""

import json

import pytest

from certile.ir.terms import Var, app
from certile.ir.walk import parallel_regions
from certile.ops.kernels import bare
from certile.search import derivations, fusion, kept
from certile.search.fusion import Chain, Fused, derive
from certile.search.laws import Unproved
from certile.search.regions import derived

WEIGHT = app("exp", app("sub", "x", "r"))
TOP = app("list.max", "x")
SUM = app("list.sum", app("exp", app("sub", "x", TOP)))
CHAIN = Chain("max", Var("x"), (WEIGHT,), nonempty=True, specification=(TOP, SUM))
STEEP = Chain("max", Var("x"), (app("exp", app("sub", app("mul", 2.0, "x"), "r")),))


@pytest.fixture
def fresh(cache_folder, monkeypatch):
    """A process that remembers nothing, and a package that ships nothing."""
    made = []

    def counted(chain):
        made.append(chain)
        return derive(chain)

    monkeypatch.setattr(derivations, "_made", {})
    monkeypatch.setattr(derivations, "_shipped", dict)
    monkeypatch.setattr(derivations, "derive", counted)
    return made


def _another_process(monkeypatch):
    monkeypatch.setattr(derivations, "_made", {})


@pytest.mark.parametrize(
    "op", ["softmax", "log_softmax", "logsumexp", "cross_entropy", "layer_norm"]
)
def test_chains_of_the_package_come_with_it(op, monkeypatch):
    def none(chain):
        raise AssertionError("derived")

    monkeypatch.setattr(derivations, "_made", {})
    monkeypatch.setattr(derivations, "derive", none)
    monkeypatch.setattr(kept, "find", lambda name: None)
    kernel = bare(op, (4, 96)).kernel
    assert derived(kernel, parallel_regions(kernel)[0]).rewrite is not None


def test_a_derivation_is_made_once(fresh, monkeypatch):
    first = derivations.remembered(CHAIN)
    assert isinstance(first, Fused)
    assert derivations.remembered(CHAIN) is first
    _another_process(monkeypatch)
    again = derivations.remembered(CHAIN)
    assert again.law == first.law
    assert again.meaning == first.meaning
    assert again.certificate == first.certificate
    assert fresh == [CHAIN]


def test_a_refusal_is_remembered_by_its_process(fresh):
    first = derivations.remembered(STEEP)
    assert isinstance(first, Unproved)
    assert derivations.remembered(STEEP) is first
    assert fresh == [STEEP]


def test_a_refusal_is_kept_with_its_words(fresh, monkeypatch):
    """Another process says the same of the chain, and does not search for it again."""
    first = derivations.remembered(STEEP)
    _another_process(monkeypatch)
    again = derivations.remembered(STEEP)
    assert isinstance(again, Unproved)
    assert (again.text(), again.notes()) == (first.text(), first.notes())
    assert fresh == [STEEP]


def test_a_refusal_of_another_search_is_none(fresh, monkeypatch):
    derivations.remembered(STEEP)
    monkeypatch.setattr(derivations, "_searcher", lambda: "another")
    _another_process(monkeypatch)
    derivations.remembered(STEEP)
    assert fresh == [STEEP, STEEP]


@pytest.mark.parametrize(
    "change", [{"goal": 3}, {"obligation": "none"}, {"formulas": [[]]}, {"x": ""}]
)
def test_what_is_no_refusal_is_derived_anew(fresh, monkeypatch, change):
    good = derivations._refusal_document(derivations.remembered(STEEP))
    for document, again in ((good, 1), ({**good, **change}, 2)):
        monkeypatch.setattr(kept, "find", lambda name, found=document: found)
        _another_process(monkeypatch)
        assert isinstance(derivations.remembered(STEEP), Unproved)
        assert len(fresh) == again


def _edited(text, **changes):
    return {**json.loads(text), **changes}


def test_what_does_not_check_is_derived_anew(fresh, monkeypatch):
    good = json.dumps(derivations.document(derivations.remembered(CHAIN)))
    law = json.loads(json.loads(good)["law"])
    wrong = [
        None,
        [],
        {},
        _edited(good, domain="natural"),
        _edited(good, domain="finite"),
        _edited(good, law="{"),
        _edited(good, law=json.dumps({**law, "lift": law["lift"][:1]})),
        _edited(good, law=json.dumps({**law, "closed": None})),
        _edited(good, certificate={}),
        _edited(good, certificate=json.loads(good)["certificate"] | {"obligations": []}),
    ]
    for place, document in enumerate(wrong):
        monkeypatch.setattr(kept, "find", lambda name, found=document: found)
        _another_process(monkeypatch)
        assert isinstance(derivations.remembered(CHAIN), Fused)
        assert len(fresh) == 2 + place
    monkeypatch.setattr(kept, "find", lambda name: json.loads(good))
    _another_process(monkeypatch)
    assert isinstance(derivations.remembered(CHAIN), Fused)
    assert len(fresh) == 1 + len(wrong)


def test_a_derivation_of_another_chain_is_none_of_this_one():
    other = derivations.document(derive(CHAIN))
    least = Chain(
        "min",
        Var("x"),
        (app("exp", app("sub", "r", "x")),),
        nonempty=True,
        specification=(app("list.min", "x"), SUM),
    )
    assert derivations.read(CHAIN, other) is not None
    assert derivations.read(least, other) is None


def test_chains_are_told_apart():
    double = app("mul", 2.0, "x")
    others = [
        CHAIN,
        fusion.Chain("min", Var("x"), (WEIGHT,), nonempty=True, specification=(TOP, SUM)),
        fusion.Chain("max", double, (WEIGHT,), nonempty=True, specification=(TOP, SUM)),
        fusion.Chain("max", Var("x"), (WEIGHT,), specification=(TOP, SUM)),
        fusion.Chain("max", Var("x"), (WEIGHT,), nonempty=True, specification=(SUM, TOP)),
        fusion.Chain("max", Var("x"), (WEIGHT, WEIGHT), nonempty=True),
    ]
    assert len({derivations.digest(each) for each in others}) == len(others)


def test_a_shape_is_in_no_chain():
    """The number of elements is read as a sum, so one derivation serves all lengths."""
    digests = []
    for length in (64, 100):
        given = []

        def recorded(chain, given=given):
            given.append(derivations.digest(chain))
            return derive(chain)

        kernel = bare("layer_norm", (4, length)).kernel
        derived(kernel, parallel_regions(kernel)[0], recorded)
        digests.append(given)
    assert digests[0] == digests[1]
