"""What a command looks at: an operation's bare form, or a kernel in somebody's file.

In: `softmax` or `FILE.py:kernel`, shapes, a dtype.  Out: specialised Tile IR with the shapes of its
views and the programs of its launches.  Decides how a kernel is found and how its shapes are given.
Leaves planning to `certile.pipeline`.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Mapping
from dataclasses import replace
from math import prod
from pathlib import Path
from types import ModuleType

from certile.cli.options import FormFlags, parse_shape
from certile.cli.output import SUBJECT
from certile.diagnostics import ArgumentError, CertileError
from certile.frontend.spec import Shaped
from certile.frontend.state import Specialised
from certile.ir.dtypes import BY_NAME, DType, f32
from certile.ir.host import ViewFacts, row_major_facts
from certile.ir.tile import Kernel
from certile.ir.walk import extent_of, parallel_regions
from certile.ops.kernels import bare
from certile.records import record
from certile.runtime.kernel import TileKernel
from certile.targets.sheet import Sheet

Shapes = Mapping[str, tuple[int, ...]]

_DECORATORS = {"kernel": "@ct.tile_kernel", "law": "@ct.law"}


@record(slots=False)
class Subject:
    """A kernel to look at; `source` is its Python text, where there is one.

    `function` is the kernel as it is called, and `arguments` are those of the call, with a `Shaped`
    in place of each array.  The text begins at line `first_line` of `file`.  `specialised` are the
    extents that the kernel's code took as numbers, so that the kernel holds for these shapes alone.
    `by_rows` says that a program touches one row of every array but weights and biases.
    """

    name: str
    kernel: Kernel
    shapes: Shapes
    programs: tuple[int, ...]
    shape: tuple[int, ...]
    function: TileKernel
    arguments: Mapping[str, object]
    source: str = ""
    file: str = ""
    first_line: int = 0
    specialised: tuple[Specialised, ...] = ()
    by_rows: bool = False

    def facts(self, sheet: Sheet) -> dict[str, ViewFacts]:
        """Return what is known of each view when its array is C-ordered and aligned to 64 bytes."""
        facts = facts_of(self.kernel, self.shapes)
        if sheet.kind != "cpu":
            return facts
        size = {v.name: prod(self.shapes[v.name]) * v.dtype.size for v in self.kernel.views}
        return {
            name: replace(known, large=size[name] > sheet.large_bytes)
            for name, known in facts.items()
        }


def facts_of(kernel: Kernel, shapes: Shapes) -> dict[str, ViewFacts]:
    """Return what is known of views whose arrays have these shapes and lie as `Subject` says."""
    return {v.name: row_major_facts(shapes[v.name], v.dtype.size) for v in kernel.views}


def find(what: str, shape: str, form: FormFlags) -> Subject:
    """Return the subject that `what` names; raises `ArgumentError` for what cannot be found."""
    of_file = file_and_name(what)
    if of_file is not None:
        return _from_file(*of_file, shape, form)
    extents = parse_shape(shape)
    flags = {"weight": form.weight, "bias": form.bias, "residual": form.residual}
    found = bare(what, extents, form.dtype, **flags)
    return Subject(
        what,
        found.kernel,
        found.shapes,
        found.programs,
        extents,
        found.function,
        found.arguments,
        *_source(found.function),
        by_rows=True,
    )


def file_and_name(what: str) -> tuple[Path, str] | None:
    """Read `FILE.py:name`, or `FILE.py` with the name left out; None for what is no file."""
    if what.endswith(".py"):
        return Path(what), ""
    path, _, name = what.rpartition(":")
    return (Path(path), name) if path.endswith(".py") else None


def _from_file(path: Path, name: str, shape: str, form: FormFlags) -> Subject:
    kernel = _load(path, name)
    arguments = stand_ins(kernel, shape, form.dtype)
    shapes = {n: value.shape for n, value in arguments.items() if isinstance(value, Shaped)}
    made, specialised = kernel.traced(arguments)
    programs = tuple(
        prod(extent_of(axis, shapes) for axis in region.over) for region in parallel_regions(made)
    )
    first = next(iter(shapes.values()), ())
    called = {**_defaults(kernel), **arguments}
    source = _source(kernel)
    return Subject(name, made, shapes, programs, first, kernel, called, *source, specialised)


def _defaults(kernel: TileKernel) -> dict[str, object]:
    """The default of each parameter that has one."""
    parameters = kernel.signature.python.parameters.values()
    return {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}


def _source(kernel: TileKernel) -> tuple[str, str, int]:
    """Return the Python text of a kernel, its file, and the line where it begins."""
    code = kernel.function.__code__
    return inspect.getsource(kernel.function), code.co_filename, code.co_firstlineno


def stand_ins(
    kernel: TileKernel, shape: str, dtype: str, *, by_rank: bool = False
) -> dict[str, object]:
    """Return an argument for each parameter that has no default: a shaped one, or the number 1.

    With `by_rank` a view that `shape` does not tell has extents of 1 where its annotation gives a
    rank.  Raises ArgumentError A309 for a view whose shape nothing tells, and for a compile-time
    value without a default.
    """
    known = told(kernel, shape)
    own_dtypes, common = _dtypes(dtype)
    made: dict[str, object] = {}
    for parameter in kernel.signature.parameters:
        name = parameter.name
        if parameter.kind in ("view", "any") and (name in known or not parameter.optional):
            extents = known.get(name)
            if extents is None and by_rank and parameter.view.rank is not None:
                extents = (1,) * parameter.view.rank
            if extents is None:
                raise _untold(kernel, name, known, by_rank=by_rank)
            taken = parameter.view.dtypes
            fits = not taken or common in taken
            default = common if fits else BY_NAME[str(taken[0])]
            made[name] = Shaped(own_dtypes.get(name, default), extents)
        elif parameter.kind in ("scalar", "number") and not _has_default(kernel, name):
            whole = parameter.number == "int" or not (parameter.dtype or f32).is_float
            made[name] = True if parameter.number == "bool" else 1 if whole else 1.0
        elif parameter.kind == "constant" and not _has_default(kernel, name):
            message = f"the compile-time value {name} has no default, and commands give none"
            hint = f"give {name} a default in the kernel, or call kernel.prepare in Python"
            raise ArgumentError("A309", message, hint=hint)
    return made


def told(kernel: TileKernel, shape: str) -> dict[str, tuple[int, ...]]:
    """Return the extents that `shape` gives to views: by name, or those for all of their rank.

    A view that may be left out has only what is given by its name.
    """
    named, everywhere = _shapes(shape) if shape else ({}, None)
    known: dict[str, tuple[int, ...]] = {}
    for parameter in kernel.signature.parameters:
        if parameter.kind not in ("view", "any"):
            continue
        fits = everywhere is not None and parameter.view.rank in (None, len(everywhere))
        if parameter.name in named:
            known[parameter.name] = named[parameter.name]
        elif everywhere is not None and fits and not parameter.optional:
            known[parameter.name] = everywhere
    return known


def _untold(kernel: TileKernel, missing: str, known: Shapes, *, by_rank: bool) -> ArgumentError:
    """Return the error A309 for a view whose shape nothing tells; its hint names all that do."""
    shapes: list[str] = []
    for parameter in kernel.signature.parameters:
        name, rank = parameter.name, parameter.view.rank
        if name in known:
            shapes.append(f"{name}={'x'.join(map(str, known[name]))}")
            continue
        needed = parameter.kind in ("view", "any") and not parameter.optional
        if needed and (rank is None or not by_rank):
            shapes.append(f"{name}={_some_shape(2 if rank is None else rank)}")
    hint = f"pass extents by name, as in --shape {','.join(shapes)}"
    if by_rank:
        hint += "; a rank, as in ct.View[..., 2], serves too"
    return ArgumentError("A309", f"the shape of {missing} is not given", hint=hint)


def _some_shape(rank: int) -> str:
    """An example of a shape, such as 3x4096."""
    return "3" if rank == 1 else "x".join(["2"] * (rank - 2) + ["3", "4096"])


def _has_default(kernel: TileKernel, name: str) -> bool:
    empty = inspect.Parameter.empty
    return kernel.signature.python.parameters[name].default is not empty


def _shapes(text: str) -> tuple[dict[str, tuple[int, ...]], tuple[int, ...] | None]:
    """Read `x=3x4096,y=3` or `3x4096`: shapes by name, and the one for all others."""
    named: dict[str, tuple[int, ...]] = {}
    everywhere = None
    for part in text.split(","):
        name, equals, extents = part.rpartition("=")
        if equals:
            named[name.strip()] = parse_shape(extents.strip())
        else:
            everywhere = parse_shape(extents.strip())
    return named, everywhere


def _dtypes(text: str) -> tuple[dict[str, DType], DType]:
    """Read `bf16`, `labels=i64` or both: dtypes by name, and the one for all others."""
    named: dict[str, DType] = {}
    everywhere = f32
    for part in text.split(","):
        name, equals, dtype = part.rpartition("=")
        found = BY_NAME.get(dtype.strip())
        if found is None:
            hint = f"use one of {', '.join(BY_NAME)}"
            raise ArgumentError("A305", f"--dtype names no element type: {part}", hint=hint)
        if equals:
            named[name.strip()] = found
        else:
            everywhere = found
    return named, everywhere


def _load(path: Path, name: str) -> TileKernel:
    module = imported(path)
    kernel = getattr(module, name, None)
    if not isinstance(kernel, TileKernel):
        raise not_in(module, path, name, {"kernel": TileKernel})
    return kernel


def not_in(module: ModuleType, path: Path, name: str, kinds: Mapping[str, type]) -> ArgumentError:
    """Return the error A309 for a name of nothing of these kinds, with the names that there are."""
    wanted = " or ".join(kinds)
    message = f"{path} has no {wanted} called {name}" if name else f"no {wanted} of {path} is named"
    held = [key for key, at in vars(module).items() if isinstance(at, tuple(kinds.values()))]
    asked = f"write {path}:NAME"
    if held:
        return ArgumentError("A309", message, hint=f"{asked}, NAME one of {', '.join(held)}")
    decorators = " or ".join(_DECORATORS[kind] for kind in kinds)
    return ArgumentError(
        "A309", message, hint=f"{asked}; nothing of the file is under {decorators}"
    )


def imported(path: Path) -> ModuleType:
    """Run a file as a module; raises `ArgumentError` A309 for one that is not there or fails."""
    if not path.exists():
        raise ArgumentError("A309", f"there is no file {path}")
    if not path.is_file():
        # To open a pipe waits for a writer; and the text is read again, to show lines of it.
        hint = "write the text to a file, and name that"
        raise ArgumentError("A309", f"{path} is no regular file", hint=hint)
    spec = importlib.util.spec_from_file_location(f"{SUBJECT}{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ArgumentError("A309", f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses and pickling look a module up by its name while it is being executed.
    sys.modules[spec.name] = module
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except CertileError:
        raise
    except Exception as error:  # whatever the file of a user raises is the user's to mend
        message = f"{path} cannot be imported: {type(error).__name__}: {error}"
        raise ArgumentError("A309", message) from error
    finally:
        sys.path.remove(str(path.parent))
    return module
