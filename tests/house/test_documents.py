"""What the documents tell people to type exists."""

import re

import numpy
import pytest

from tests.house.sources import ROOT, name

_DOCUMENTS = [
    *(ROOT / page for page in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
_FENCE = re.compile(r"^```(?:sh|console|bash)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)")


def _commands():
    """Give (document, words) of every command line in a shell block."""
    for document in _DOCUMENTS:
        for block in _FENCE.findall(document.read_text(encoding="utf-8")):
            for line in block.splitlines():
                words = line.partition("#")[0].removeprefix("$ ").split()
                if words:
                    yield name(document), words


def test_make_targets_exist():
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    wanted = {
        (place, word)
        for place, words in _commands()
        if words[0] == "make"
        for word in words[1:]
        if "=" not in word and not word.startswith(('"', "'")) and re.fullmatch(r"[a-z-]+", word)
    }
    assert wanted
    assert not {(place, word) for place, word in wanted if word not in targets}


def test_every_target_is_listed_by_help():
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"^([a-z-]+):(.*)$", makefile, re.MULTILINE)
    assert not [target for target, rest in targets if "## " not in rest]


def test_command_lines_exist():
    from typer.main import get_command

    from certile.cli.main import app

    known = set(getattr(get_command(app), "commands", {}))
    wanted = {(place, w[1]) for place, w in _commands() if w[0] == "certile" and len(w) > 1}
    assert wanted
    assert not {(p, command) for p, command in wanted if command not in known and command[0] != "-"}


def test_files_that_commands_run_exist():
    run = [
        (place, word)
        for place, words in _commands()
        if words[0].endswith("python") or words[0] == "certile"
        for word in words[1:]
        if re.fullmatch(r"[\w/]+\.py", word.partition(":")[0]) and "/" in word
    ]
    assert not [(p, word) for p, word in run if not (ROOT / word.partition(":")[0]).exists()]


@pytest.mark.parametrize("document", _DOCUMENTS, ids=name)
def test_links_lead_somewhere(document):
    targets = _LINK.findall(document.read_text(encoding="utf-8"))
    assert not [link for link in targets if not (document.parent / link).exists()]


def test_the_kernel_of_the_readme_gives_a_softmax():
    import certile

    if not hasattr(certile, "tile_kernel"):
        pytest.skip("this tree has no frontend")
    block = _PYTHON.findall((ROOT / "README.md").read_text(encoding="utf-8"))[0]
    namespace = {}
    exec(compile(block, "README.md", "exec"), namespace)
    x, y = (namespace[name].astype("f8") for name in "xy")
    powers = numpy.exp(x - x.max(axis=1, keepdims=True))
    # Each result is below 1 and carries a few roundings of f32.
    numpy.testing.assert_allclose(y, powers / powers.sum(axis=1, keepdims=True), rtol=2e-6)


def test_the_index_lists_every_page():
    listed = set(_LINK.findall((ROOT / "docs/index.md").read_text(encoding="utf-8")))
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages - {"index.md"} - listed == set()
