"""The trusted base: how much of it there is to read, and that its rules are published."""

import re

from certile.proof.check.rules import AXIOMS, STEPS
from tests.house.sources import PACKAGE, ROOT

_PAGE = (ROOT / "docs" / "proofs.md").read_text(encoding="utf-8")
_PARTS = {
    "read programs": (
        *("limits", "divisors", "divided", "sizes", "exponents", "shown"),
        *("regions", "region_terms"),
    ),
    "make obligations": ("elaborate", "finite", "reader"),
}
_LINES_OF_A_FILE = 200
# What the page says may be this much more than there is, so that it is not stale.
_SLACK = 25


def _sizes():
    files = sorted((PACKAGE / "proof" / "check").glob("*.py"))
    return {
        path.stem: sum(bool(line.strip()) for line in path.read_text(encoding="utf-8").splitlines())
        for path in files
    }


def test_the_checker_is_as_large_as_the_page_says():
    sizes, words = _sizes(), " ".join(_PAGE.split())
    assert max(sizes.values()) <= _LINES_OF_A_FILE
    said = re.search(
        r"([\d,]+) lines that are not blank[^.]*?([\d,]+) of them (read programs)"
        r"[^.]*?([\d,]+) (make obligations)[^.]*?([\d,]+) are the logic",
        words,
    )
    assert said is not None
    whole, programs, _, laws, _, rest = said.groups()
    parts = [sum(sizes[stem] for stem in stems) for stems in _PARTS.values()]
    total = sum(sizes.values())
    counted = (total, *parts, total - sum(parts))
    for number, count in zip((whole, programs, laws, rest), counted, strict=True):
        limit = int(number.replace(",", ""))
        assert limit - _SLACK <= count <= limit


def test_the_page_lists_every_rule_and_no_other():
    table = _PAGE.partition("## The rules")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    listed = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(listed) == sorted(STEPS)


def _heads(pattern):
    if not isinstance(pattern, tuple):
        return set()
    return {pattern[0]}.union(*map(_heads, pattern[1:]))


def test_no_axiom_speaks_of_exponentials_and_of_sums_or_extrema():
    for axiom in AXIOMS.values():
        heads = _heads(axiom.left) | _heads(axiom.right)
        assert "exp" not in heads or not heads & {"sum", "prod", "top", "bottom", "max", "min"}
