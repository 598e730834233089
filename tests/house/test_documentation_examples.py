"""The Python in the documentation runs, and the language page leaves out no public name.

The blocks of a page run in order and share their names, as a reader would type them.
"""

import linecache
import re

import pytest

import certile as ct
from tests.house.sources import ROOT

PAGES = ("README.md", "docs/language.md")


def python_blocks(text):
    """Give (number of the first line, code) of each block of Python."""
    for found in re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield text.count("\n", 0, found.start(1)) + 1, found.group(1)


@pytest.mark.parametrize("page", PAGES)
def test_the_python_of_a_page_runs(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    names = {"__name__": "page"}
    blocks = list(python_blocks(text))
    assert blocks
    for line, block in blocks:
        # Line numbers and carets then point into the page.
        code = "\n" * (line - 1) + block
        file = f"<{page}:{line}>"
        linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
        exec(compile(code, file, "exec"), names)


def test_the_language_page_names_everything_public():
    text = (ROOT / "docs/language.md").read_text(encoding="utf-8")
    code = re.findall(r"^```.*?^```|`[^`\n]+`", text, re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"\w+", " ".join(code)))
    # Types that a user meets as results but does not write.
    met_only = {"Tile", "Axis", "Carry", "Prepared", "TileKernel", "ops"}
    assert set(ct.__all__) - met_only - named == set()
