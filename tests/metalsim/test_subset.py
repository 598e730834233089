"""What Metal's emitter can print lies inside the documented subset, and passes the check."""

import re
from itertools import pairwise, product
from pathlib import Path

import pytest

import certile.metalsim
from certile.codegen.metal import emit, functions
from certile.codegen.metal.prelude import HELPERS
from certile.codegen.metal.types import SPELLING
from certile.metalsim import check, joined
from certile.metalsim.syntax import base_scalar
from certile.metalsim.tokens import tokenise
from certile.ops.kernels import BARE_OPS
from certile.targets.metal import METAL
from tests.metalsim.test_emitted_faults import FAULTS
from tests.sweeps.forms import Form

SUBSET = Path(certile.metalsim.__file__).parent / "SUBSET.md"
_CALLS = re.compile(r"\b([a-z]\w*)\(")
# What C++ itself writes before a parenthesis.
_LANGUAGE = {"if", "for", "while", "return", "pragma", "void"}


def documented():
    """Return the words of the page's code spans, with {a,b} written out."""
    found = set()
    for span in re.findall(r"`([^`]+)`", SUBSET.read_text(encoding="utf-8")):
        for word in re.findall(r"[\w{},]+", span):
            parts = re.split(r"\{([^}]*)\}", word)
            choices = [p.split(",") if i % 2 else [p] for i, p in enumerate(parts)]
            found |= {"".join(choice) for choice in product(*choices)}
    return {word for each in found for word in each.split(",")}


def printable():
    """Return the functions of MSL that the tables of the emitter name."""
    tables = [functions._EXACT.values(), functions._LIBRARY, emit._VOTES.values()]
    names = {name for table in tables for name in table}
    names |= {name for text in HELPERS.values() for name in _CALLS.findall(text)}
    source = Path(emit.__file__).read_text(encoding="utf-8")
    source += Path(functions.__file__).read_text(encoding="utf-8")
    names |= set(re.findall(r"\b(simd_\w+|simdgroup_barrier|threadgroup_barrier)\b", source))
    names |= {f"simd_{end}" for end in ("max", "min")}
    return {name for name in names if name not in HELPERS and not name.endswith("_")}


def called(text):
    """Return the functions that a text calls and does not define."""
    tokens = tokenise(text)
    pairs = list(pairwise(tokens))
    names = {a.text for a, b in pairs if a.kind == "name" and b.text == "("}
    before = {b.text for a, b in pairs if a.kind == "name" and b.kind == "name"}
    return {n for n in names - before if not base_scalar(n)} - _LANGUAGE


def attributes(text):
    return set(re.findall(r"\[\[(\w+)", text))


@pytest.fixture(scope="module")
def corpus():
    """Every operation at its default plan in f32, and some in bf16."""
    forms = [Form(op, 257, "f32") for op in BARE_OPS if op != "minmax"]
    forms += [Form(op, 1025, "bf16") for op in ("softmax", "layer_norm", "argmax", "cumsum")]
    return [each.artifact.text for form in forms for each in form.compiled(METAL)]


def test_every_function_that_can_be_printed_is_documented():
    names = printable()
    assert {"simd_sum", "simd_shuffle_xor", "ldexp", "threadgroup_barrier", "fmod"} <= names
    types = {kind + n for kind in SPELLING.stored.values() for n in ("", "2", "4")}
    assert names - types - _LANGUAGE <= documented()


def test_every_word_of_emitted_text_is_documented(corpus):
    known = documented()
    for text in [*corpus, *(where.compiled.artifact.text for where in FAULTS)]:
        helpers = set(re.findall(r"static inline \w+ (\w+)", text))
        assert called(text) - helpers <= known, text
        assert attributes(text) <= known, text


def test_emitted_text_passes_the_check(corpus):
    assert check(joined(corpus)) == []
