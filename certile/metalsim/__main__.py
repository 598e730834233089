"""The command `python -m certile.metalsim`: check files of MSL, or run a kernel of one.

In: arguments.  Out: text or JSON on stdout, and an exit code: 0 good, 1 something was found,
2 wrong usage, 4 unsupported here.  Decides nothing of its own.
"""

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from certile.diagnostics import ArgumentError, KernelError, UnsupportedError
from certile.metalsim.checker import check
from certile.metalsim.findings import Report
from certile.metalsim.library import Argument, Library

__all__ = ["main"]

_BUFFER_HELP = "INDEX=FILE.npy, INDEX=zeros:DTYPE:COUNT, or INDEX=NUMBER"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        return _check(options) if options.command == "check" else _run(options)
    except (ArgumentError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except KernelError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except UnsupportedError as error:
        sys.stderr.write(f"{error}\n")
        return 4


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m certile.metalsim", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    checking = commands.add_parser("check", help="report what is wrong with the texts")
    checking.add_argument("files", nargs="+")
    running = commands.add_parser("run", help="launch one kernel and report what was found")
    running.add_argument("file")
    for command in (checking, running):
        command.add_argument("--json", action="store_true", help="print JSON only")
    running.add_argument("--kernel", help="its name; may be left out if there is only one")
    running.add_argument("--buffer", action="append", default=[], help=_BUFFER_HELP)
    running.add_argument("--constant", action="append", default=[], help="INDEX=NUMBER")
    running.add_argument("--grid", required=True, help="threadgroups, for example 4,1,1")
    running.add_argument("--threads", required=True, help="of a threadgroup, for example 128,1,1")
    running.add_argument("--threadgroup-bytes", type=int, default=0)
    running.add_argument("--mode", choices=("fast", "checked", "bounds"), default="checked")
    running.add_argument("--seed", type=int, default=0)
    running.add_argument("--save", action="append", default=[], help="INDEX=FILE.npy")
    return parser


def _check(options: argparse.Namespace) -> int:
    found = [(file, each) for file in options.files for each in check(_text(file))]
    if options.json:
        records = [{"file": file, **dataclasses.asdict(each)} for file, each in found]
        _print(json.dumps(records))
        return 1 if found else 0
    for file, each in found:
        _print(f"{file}:{each}")
    if not found:
        _print("no finding; races and bounds show when it runs (`run`)")
    return 1 if found else 0


def _text(file: str) -> str:
    return Path(file).read_text(encoding="utf-8")


def _run(options: argparse.Namespace) -> int:
    library = Library(_text(options.file), options.mode)
    name = options.kernel or _only(library.names)
    buffers = {i: _buffer(value) for i, value in map(_pair, options.buffer)}
    report = library.kernel(name).run(
        buffers,
        _extent(options.grid),
        _extent(options.threads),
        constants={i: _number(value) for i, value in map(_pair, options.constant)},
        threadgroup_bytes=options.threadgroup_bytes,
        seed=options.seed,
    )
    for index, path in map(_pair, options.save):
        np.save(path, np.asarray(buffers[index]))
    _print(json.dumps(_as_json(report)) if options.json else str(report))
    return 0 if report.ok else 1


def _only(names: Sequence[str]) -> str:
    if len(names) != 1:
        raise ArgumentError("X020", f"--kernel must name one of {', '.join(names) or 'no kernels'}")
    return names[0]


def _pair(text: str) -> tuple[int, str]:
    index, _, value = text.partition("=")
    if not index.isdigit() or not value:
        raise ArgumentError("X020", f"{text!r} is not of the form INDEX=VALUE")
    return int(index), value


def _buffer(value: str) -> Argument:
    if value.startswith("zeros:"):
        _, dtype, count = value.split(":")
        zeros: npt.NDArray[np.generic] = np.zeros(int(count), np.dtype(dtype))
        return zeros
    if value.endswith(".npy"):
        loaded: npt.NDArray[np.generic] = np.load(value)
        return loaded
    return _number(value)


def _number(value: str) -> int | float:
    try:
        return int(value)
    except ValueError:
        pass
    try:
        return float(value)
    except ValueError:
        raise ArgumentError("X020", f"{value!r} is no number") from None


def _extent(text: str) -> tuple[int, ...]:
    numbers = [_number(part) for part in text.split(",")]
    return tuple(int(n) for n in numbers)


def _as_json(report: Report) -> dict[str, object]:
    return {"ok": report.ok, **dataclasses.asdict(report)}


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
