"""Write the parts of the documentation that follow from the code.

In: the catalogue of codes, the settings, the operations and the command line.  Out: pages of
`docs/`, and the tables of the README between its marker comments.  Decides their form.  Leaves
the words to the catalogue, the settings and the docstrings, so that a page cannot say something
else than the program.

`--check` writes nothing and fails when a page is not what would be written.
"""

import argparse
import importlib
import importlib.util
import inspect
import re
import sys
import typing
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from certile.codes import CATALOGUE, LETTERS, Code  # noqa: E402 - the path comes first
from certile.ir.functions import FUNCTIONS  # noqa: E402 - the path comes first
from certile.lower.math import BOUNDS, EXPANSIONS, FORMATS  # noqa: E402 - the path comes first
from certile.settings import VARIABLES  # noqa: E402 - the path comes first
from certile.targets.cuda import CUDA_SM90  # noqa: E402 - the path comes first
from certile.targets.metal import METAL  # noqa: E402 - the path comes first

HEADER = (
    "<!-- Written by scripts/gen_docs.py; change the source it names and run `make docs`. -->\n"
)

ERRORS_INTRODUCTION = (
    "Every error carries a code. A code keeps its meaning for good; the catalogue is "
    "`certile/codes/`, and `certile explain K012` prints an entry of it. V and M are faults of "
    "certile itself, which no example gives.\n"
)
SETTINGS_INTRODUCTION = (
    "Settings are environment variables. A compile takes a snapshot of them when it starts. A "
    "value that does not fit raises [S001](errors.md#s001); a `CERTILE_` name that no setting has "
    "warns at the first compile and suggests the nearest one.\n"
)
OPS_INTRODUCTION = (
    "`certile.ops` holds ready-made operations, each written in the tile language like a user's "
    "own kernel. An operation returns the dtype, the shape and the conventions of the framework "
    "whose array it is given.\n"
)
MATH_INTRODUCTION = (
    "The functions below are written once, in additions, products, fused multiply-adds and bit "
    "operations, and expanded into every kernel whose target has no function that is as exact. "
    'Under `math="portable"` they are expanded on every target, so that all give the same bits; '
    'under `math="precise"` a target may use its own, within the bound that every kernel may rely '
    "on, which stands in the last column but one.\n\n"
    "The domain of each is every number of the format, subnormal ones, infinities and NaN among "
    "them. An operand that is NaN gives NaN unless the table says otherwise. Distances are in "
    "units of the last place of the true value; where that is subnormal, of the least subnormal "
    "number. f16 and bf16 operands are widened to f32 and the result is rounded once more. A "
    "target that flushes subnormal numbers (Metal may) gives zeros in their place.\n"
)
MATH_MEASURED = (
    "How they were measured: the functions of one f32 argument over all 2³² inputs, against the C "
    "library's f64 function; those of f64 over 2²⁴ inputs of every sign and exponent, half of them "
    "where the result is no limit, and those of two arguments over 2²⁴ pairs, against its 64-bit "
    "long double (`tests/full/test_math_full.py`). `make test` measures 2²⁰ inputs of f32, and 2¹⁴ "
    "of f64 against arbitrary precision. `fmod` is exact. `logaddexp` is composed of `exp` and "
    "`log1p`; it cancels where its result is near 0, so its units are those of the larger of the "
    "result and log 2.\n"
)
OPS_EXAMPLE = "`examples/operations.py` calls each and compares it with PyTorch or NumPy.\n"
CLI_INTRODUCTION = (
    "`certile COMMAND --help` shows the same text. With `--json` a command prints one JSON "
    "document to standard output and nothing else there, also when it refuses.\n\n"
    "| exit code | meaning |\n|---|---|\n| 0 | good |\n| 1 | a check failed |\n"
    "| 2 | wrong usage |\n| 3 | declined or refused |\n| 4 | unsupported here |\n"
    "| 70 | internal fault |\n| 130 | interrupted, as by Ctrl-C |\n\n"
    "`certile --version` shows the version.\n"
)


def main() -> int:
    """Write the pages, or compare them; return 1 when a compared page differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check = parser.parse_args().check
    stale = []
    for path, text in pages():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path.relative_to(ROOT).as_posix())
        if not check:
            path.write_text(text, encoding="utf-8")
    if stale:
        print("not current:" if check else "written:", ", ".join(stale))
    return 1 if check and stale else 0


def pages() -> Iterator[tuple[Path, str]]:
    """Give every generated file with the text it should have."""
    docs = ROOT / "docs"
    yield docs / "errors.md", errors_page()
    yield docs / "settings.md", settings_page()
    yield docs / "ops.md", ops_page()
    yield docs / "cli.md", cli_page()
    yield docs / "math.md", math_page()
    readme = ROOT / "README.md"
    yield readme, filled(readme.read_text(encoding="utf-8"))


def errors_page() -> str:
    """Build the page of codes, one section a letter."""
    parts = [HEADER, "# Codes\n", ERRORS_INTRODUCTION]
    for letter, title in LETTERS.items():
        entries = [entry for code, entry in CATALOGUE.items() if code.startswith(letter)]
        if entries:
            parts.append(f"## {letter}: {title}\n")
            parts.extend(error_section(entry) for entry in entries)
    return "\n".join(parts)


def error_section(entry: Code) -> str:
    """Build one code's section."""
    lines = [f"### {entry.code}\n", f"**{entry.title}.** {entry.paragraph}\n"]
    if entry.example:
        lines.append(f"```text\n{entry.example.strip()}\n```\n")
    lines.append(f"What to do: {entry.fix}.\n")
    return "\n".join(lines)


def settings_page() -> str:
    """Build the table of settings."""
    rows = [(f"`{v.name}`", v.kind, v.shown_default, v.sentence) for v in VARIABLES]
    changing = ", ".join(f"`{v.name}`" for v in VARIABLES if v.changes_code)
    return "\n".join(
        [
            HEADER,
            "# Settings\n",
            SETTINGS_INTRODUCTION,
            table(("variable", "takes", "default", "meaning"), rows),
            f"Part of every cache key, because they can change generated code: {changing}.\n",
        ]
    )


def ops_page() -> str:
    """Build the page of operations: signature and docstring of each, and the example of all."""
    parts = [HEADER, "# Operations\n", OPS_INTRODUCTION]
    for name, operation in operations():
        prose = (inspect.getdoc(operation) or "").strip()
        parts.append(f"## {name}\n\n```text\n{name}{signature(operation)}\n```\n\n{prose}\n")
    example = (ROOT / "examples/operations.py").read_text(encoding="utf-8")
    parts.append(f"## By example\n\n{OPS_EXAMPLE}\n```python\n{example}```\n")
    return "\n".join(parts)


def operations() -> list[tuple[str, Callable[..., object]]]:
    """List the public operations by name; none when the layer is absent."""
    if importlib.util.find_spec("certile.ops") is None:
        return []
    ops = importlib.import_module("certile.ops")
    found = [(name, getattr(ops, name)) for name in sorted(ops.__all__)]
    return [(name, operation) for name, operation in found if callable(operation)]


def signature(operation: Callable[..., object]) -> str:
    """Return the parameters as they are written, less annotations, which repeat themselves."""
    parameters = inspect.signature(operation).parameters.values()
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in parameters]
    return str(inspect.Signature(bare))


def math_page() -> str:
    """Build the table of vector math: what each function gives, and how far it may be off."""
    head = ("function", "result", *(f"{form}, ulp" for form in FORMATS), "promised", "own function")
    rows = [
        (
            f"`{name}`",
            meaning(name),
            *(f"{BOUNDS[name, form]:g}" for form in FORMATS),
            f"{FUNCTIONS[name].ulp:g}",
            ", ".join(owners(name)) or "none",
        )
        for name in (*EXPANSIONS, "logaddexp")
    ]
    return "\n".join(
        [HEADER, "# Vector math\n", MATH_INTRODUCTION, table(head, rows), MATH_MEASURED]
    )


def meaning(name: str) -> str:
    """Return the first sentence of an expansion, less its verb."""
    if name not in EXPANSIONS:
        return "log(e\\*\\*x + e\\*\\*y); an infinite or NaN maximum is the result"
    sentence = first_sentence(inspect.getdoc(EXPANSIONS[name])).removeprefix("Return ")
    return sentence.rstrip(".").replace("*", "\\*")


def owners(name: str) -> list[str]:
    """List the targets whose own function a precise kernel calls."""
    sheets = {"CUDA": CUDA_SM90, "Metal": METAL}
    return [target for target, sheet in sheets.items() if name in (sheet.native_functions or ())]


def cli_page() -> str:
    """Build the page of commands: what each does, its arguments and options."""
    parts = [HEADER, "# Command line\n", CLI_INTRODUCTION]
    for name, summary, options in commands():
        parts.append(f"## certile {name}\n\n{summary}\n")
        if options:
            parts.append(table(("option", "meaning"), options))
    return "\n".join(parts)


def commands() -> list[tuple[str, str, list[tuple[str, str]]]]:
    """List (name, help, options) of each command; none when the layer is absent."""
    if importlib.util.find_spec("certile.cli") is None:
        return []
    app = importlib.import_module("certile.cli.main").app
    group = importlib.import_module("typer.main").get_command(app)
    found = []
    for name, command in sorted(group.commands.items()):
        options = [
            (f"`{', '.join(o.opts) if o.opts[0].startswith('-') else o.name.upper()}`", help_of(o))
            for o in command.params
            if o.name != "help"
        ]
        found.append((name, inspect.cleandoc(command.help or ""), options))
    return found


def help_of(option: object) -> str:
    """Return an option's help on one line, with what it may be and what it is by default."""
    text = " ".join(str(getattr(option, "help", None) or "").split())
    taken = getattr(getattr(option, "type_descriptor", None), "annotation", None)
    if choices := typing.get_args(taken):
        text += f" One of {', '.join(f'`{choice}`' for choice in choices)}."
    default = getattr(option, "default", None)
    if default not in (None, False, ""):
        text += f" Default: `{default}`."
    elif getattr(option, "required", False):
        text += " Required."
    return text


def filled(readme: str) -> str:
    """Put the tables of operations and commands between the README's markers."""
    listed = [(f"`{name}`", first_sentence(inspect.getdoc(op))) for name, op in operations()]
    offered = [(f"`certile {name}`", first_sentence(summary)) for name, summary, _ in commands()]
    readme = between(readme, "ops", table(("operation", "gives"), listed))
    return between(readme, "commands", table(("command", "does"), offered))


def first_sentence(text: str | None) -> str:
    """Return the first sentence of a docstring, on one line."""
    paragraph = " ".join((text or "").strip().partition("\n\n")[0].split())
    return re.split(r"(?<=\.)\s", paragraph, maxsplit=1)[0]


def between(text: str, marker: str, content: str) -> str:
    """Replace what stands between `<!-- marker -->` and `<!-- /marker -->`."""
    start, end = f"<!-- {marker} -->\n", f"<!-- /{marker} -->"
    before, _, rest = text.partition(start)
    _, _, after = rest.partition(end)
    return f"{before}{start}{content}{end}{after}"


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Build a table; a bar in a cell is escaped, or it would end the cell."""
    lines = [head, ("---",) * len(head), *rows]
    shown = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]
    return "\n".join(shown) + "\n"


if __name__ == "__main__":
    sys.exit(main())
