"""Everything that a person with a Mac has to run once, since certile has not run on Apple hardware.

    python -m pip install '.[metal]'
    python scripts/mac_first_run.py

In: the machine.  Out: a report on the screen, as `certile-mac-report.json` and `.txt`, to be sent
back; the exit status is 1 if a step failed.  Decides the steps: what `certile doctor` finds, the
device's own figures, every operation against the reference in every type, both ways of compiling,
precise math, batches, memory that is lent, kernels in which a race would show, arrays of MLX and
PyTorch, the memory that calls leave behind, times.  What fails stops nothing else.

`--fake` runs the same steps on a device that is a CPU, on any machine with clang.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import mmap
import platform
import resource
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import certile as ct
from certile import ops
from certile.cli.doctor import findings as doctor
from certile.cli.operations.forms import Case, made_up, ours
from certile.cli.options import FormFlags, PlanFlags, parse_shape
from certile.cli.running.run import run_op
from certile.diagnostics import CertileError, UnsupportedError
from certile.ops.kernels import BARE_OPS, bare
from certile.runtime.metal import context, fake, frameworks
from certile.runtime.metal.batching import batch
from certile.runtime.metal.protocol import Device
from certile.runtime.metal.toolchain import Offline

Array = np.ndarray[Any, Any]

# More than one row of a chunk, no power of two, and a row that several subgroups share.
SHAPES = ("5x70", "3x4099")
DTYPES = ("f32", "f16", "bf16", "i32")
TIMED = ("softmax", "rms_norm", "layer_norm", "sum")
REPEATS = 20
# An array that is copied, large beside what else a call allocates.
_KEPT_BYTES = 4 << 20
# A length of rows at which the planner has all numbers of subgroups to choose from.
RACED = (7, 4099)


@dataclass(frozen=True)
class Row:
    """One thing that was tried: `ok`, `failed`, `absent` (nothing to try it with), or a figure."""

    step: str
    name: str
    state: str
    found: str = ""


@dataclass(frozen=True)
class Setting:
    """What the steps work with."""

    ops: tuple[str, ...]
    dtypes: tuple[str, ...]
    shapes: tuple[str, ...]
    timed: tuple[int, int]
    repeats: int
    faked: bool


@ct.tile_kernel
def add_one(x: ct.View, y: ct.View) -> None:
    """Store x + 1."""
    items = ct.axis("items", x.shape[0])
    for i in ct.parallel(items):
        y[i] = x[i] + 1.0


@ct.tile_kernel
def row_softmax(x: ct.View, y: ct.View) -> None:
    """Store the softmax of each row."""
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
        y[r, cols] = e / ct.reduce(e, cols, ct.add)


@ct.tile_kernel(math="portable")
def portable(
    x: ct.View, a: ct.View, b: ct.View, c: ct.View, d: ct.View, e: ct.View, f: ct.View
) -> None:
    """Store functions whose bits are the same on every target, and a sum that may not contract."""
    items = ct.axis("items", x.shape[0])
    for i in ct.parallel(items):
        v = x[i]
        a[i] = ct.exp(v)
        b[i] = ct.log(v)
        c[i] = ct.tanh(v)
        d[i] = ct.sin(v)
        e[i] = ct.rsqrt(v)
        f[i] = v * v + v


def main(arguments: Sequence[str] | None = None) -> int:
    """Run every step, write the report, and say whether all is well."""
    options = _options(arguments)
    setting = Setting(
        tuple(options.ops or BARE_OPS),
        tuple(options.dtypes or DTYPES),
        SHAPES[:1] if options.fake else SHAPES,
        (16, 256) if options.fake else (4096, 4096),
        2 if options.fake else REPEATS,
        options.fake,
    )
    rows: list[Row] = []
    device = context.use(fake.FakeDevice()) if options.fake else contextlib.nullcontext()
    with device, ct.target("metal"):
        for step in STEPS:
            for row in _tried(step, setting):
                rows.append(row)
                print(_line(row), flush=True)
    failed = [row for row in rows if row.state == "failed"]
    _write(options.out, rows, faked=options.fake)
    print(f"\n{len(rows)} results, {len(failed)} failed; {options.out}.json is the report", end="")
    print(", of no Mac" if options.fake else ": please attach it to an issue of the project")
    return 1 if failed else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--fake", action="store_true", help="run on a CPU that plays the device")
    parser.add_argument("--ops", nargs="*", help="only these operations")
    parser.add_argument("--dtypes", nargs="*", help="only these element types")
    parser.add_argument("--out", default="certile-mac-report", help="the report, less its suffix")
    return parser.parse_args(arguments)


def _tried(step: Callable[[Setting], Iterator[Row]], setting: Setting) -> Iterator[Row]:
    name = step.__name__.strip("_")
    try:
        yield from step(setting)
    except UnsupportedError as error:
        yield Row(name, "the step", "failed", str(error))
    except Exception:  # noqa: BLE001 - the report is of use because every step is in it
        yield Row(name, "the step", "failed", traceback.format_exc())


def _guarded(step: str, name: str, made: Callable[[], Row]) -> Row:
    """Return a row, or one that says how it failed: the rows after it are of use as well."""
    try:
        return made()
    except CertileError as error:
        return Row(step, name, "failed", str(error))
    except Exception:  # noqa: BLE001 - as for a whole step
        return Row(step, name, "failed", traceback.format_exc())


def _line(row: Row) -> str:
    first, *rest = (row.found or "").splitlines() or [""]
    lines = [
        f"{row.state:<7} {row.step}: {row.name}  {first}",
        *(f"        {line}" for line in rest),
    ]
    return "\n".join(lines)


def _write(out: str, rows: Sequence[Row], *, faked: bool) -> None:
    document = {
        "schema": "certile.mac-report/1",
        "faked": faked,
        "python": platform.python_version(),
        "system": platform.platform(),
        "rows": [asdict(row) for row in rows],
    }
    Path(f"{out}.json").write_text(json.dumps(document, indent=2) + "\n")
    Path(f"{out}.txt").write_text("\n".join(map(_line, rows)) + "\n")


def _verdict(step: str, name: str, good: bool, found: str = "") -> Row:
    return Row(step, name, "ok" if good else "failed", found)


# The steps.


def _machine(setting: Setting) -> Iterator[Row]:
    """What `certile doctor` finds, and what the device says of itself."""
    found = doctor.report()
    yield _verdict("machine", "doctor", found["ok"], doctor.report_text(found))
    here = context.current()
    facts = asdict(here.device.facts)
    yield Row("machine", "device", "figure", json.dumps(facts))
    sheet = here.sheet
    queried = sorted(name for name, text in sheet.provenance.items() if text.startswith("queried"))
    yield Row("machine", "sheet", "figure", f"{sheet.name}: {', '.join(queried)} are the device's")
    compiler = "none" if here.offline is None else here.offline.version
    yield Row("machine", "offline compiler", "figure", compiler)


def _operations(setting: Setting) -> Iterator[Row]:
    """Every operation in every type, against the reference, special values and exact probes."""
    for op in setting.ops:
        for shape in setting.shapes:
            for dtype in setting.dtypes:
                name = f"{op} {shape} {dtype}"
                refused = _refused(op, shape, dtype)
                if refused is None:
                    made = partial(_operation, name, op, shape, dtype)
                    yield _guarded("operations", name, made)
                else:
                    yield Row("operations", name, "absent", refused)


def _refused(op: str, shape: str, dtype: str) -> str | None:
    """Why an operation has no form of this shape and type, on any target."""
    try:
        bare(op, parse_shape(shape), dtype)
    except (ct.ArgumentError, ct.KernelError) as error:
        return error.diagnostic.message
    return None


def _operation(name: str, op: str, shape: str, dtype: str) -> Row:
    found = run_op(op, shape, "metal", FormFlags(dtype=dtype), PlanFlags(), check=True)
    worst = "; ".join(str(each) for each in _listed(found["reports"]))
    shown = f"max {found['max_ulp']} ulp, probes {found['probes_equal']} {worst}"
    return _verdict("operations", name, bool(found["ok"]), shown)


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _compiling(setting: Setting) -> Iterator[Row]:
    """The offline compiler and the one at run time give the same bits."""
    here = context.current()
    offline = fake.offline() if setting.faked else here.offline
    if offline is None:
        yield Row("compiling", "offline", "absent", "Xcode's compiler `metal` is not installed")
        return
    for op in setting.ops:
        yield _guarded("compiling", op, partial(_compiled_twice, op, here.device, offline))


def _compiled_twice(op: str, device: Device, offline: Offline) -> Row:
    inputs = made_up(Case(op, (5, 70) if op != "group_norm" else (5, 8, 16)))
    made = []
    for compiler in (None, offline):
        with context.use(device, compiler):
            made.append(_results(ours(op)(*inputs)))
    equal = all(map(_same_bits, *made))
    return _verdict("compiling", op, equal, "offline and run time give the same bits")


def _results(made: Any) -> list[Array]:  # noqa: ANN401 - an array, or a tuple of them
    return [np.asarray(each) for each in (made if isinstance(made, tuple) else (made,))]


def _same_bits(one: Array, other: Array) -> bool:
    return one.tobytes() == other.tobytes()


def _precise_math(setting: Setting) -> Iterator[Row]:
    """Nothing is contracted or approximated: portable math gives the CPU's bits."""
    steps = np.linspace(0.001, 30, 4096)
    x = np.concatenate([steps, [1, 2, 0.5, np.inf, np.nan]]).astype(np.float32)
    made = {}
    for target in ("metal", "cpu"):
        outputs = [np.zeros_like(x) for _ in _FUNCTIONS]
        with ct.target(target):
            portable(x, *outputs)
        made[target] = outputs
    for name, here, there in zip(_FUNCTIONS, made["metal"], made["cpu"], strict=True):
        differ = int((_bits(here) != _bits(there)).sum())
        found = f"{differ} of {x.size} differ in a bit from the CPU"
        yield _verdict("precise math", name, differ == 0, found)


_FUNCTIONS = ("exp", "log", "tanh", "sin", "1/sqrt(x)", "x*x+x")


def _bits(x: Array) -> Array:
    """The bits of each number, with one for all NaN."""
    bits: Array = np.where(np.isnan(x), np.uint32(0x7FC00000), x.view(np.uint32))
    return bits


def _batches(setting: Setting) -> Iterator[Row]:
    """Calls in one command buffer see each other's results, and only those wait."""
    x = np.arange(1000, dtype=np.float32)
    chain = [x, *(np.zeros_like(x) for _ in range(20))]
    with batch() as calls:
        for before, after in itertools.pairwise(chain):
            calls.call(add_one, before, after)
    found = f"{calls.barriers} barriers, {calls.seconds * 1e6:.0f} us on the device"
    yield _verdict("batches", "20 calls in a chain", bool((chain[-1] == x + 20).all()), found)
    apart = [np.zeros_like(x) for _ in range(20)]
    with batch() as calls:
        for each in apart:
            calls.call(add_one, x, each)
    good = calls.barriers == 0 and all((each == x + 1).all() for each in apart)
    yield _verdict("batches", "20 calls apart", good, f"{calls.barriers} barriers")


def _lent_memory(setting: Setting) -> Iterator[Row]:
    """Memory that starts at a page is not copied; all kinds of arrays give the same."""
    count = 4 * mmap.PAGESIZE
    lent = [np.frombuffer(mmap.mmap(-1, 4 * count), np.float32)[:count] for _ in range(2)]
    lent[0][:] = np.arange(count)
    device = context.current().device
    wrapped = device.wrap(lent[0].ctypes.data, lent[0].nbytes)
    yield Row("lent memory", "pages", "figure", "lent" if wrapped is not None else "copied")
    add_one(*lent)
    yield _verdict("lent memory", "pages", bool((lent[1] == lent[0] + 1).all()))
    pair = np.zeros((2, 99), np.float32)
    add_one(pair[0], pair[1])
    yield _verdict("lent memory", "two rows of one array", bool((pair == [[0], [1]]).all()))


def _races(setting: Setting) -> Iterator[Row]:
    """Plans of several subgroups and programs a group give the same bits every time."""
    x = np.random.default_rng(3).standard_normal(RACED).astype(np.float32)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    exact = e / e.sum(1, keepdims=True)
    for threads, programs in ((32, 1), (64, 2), (128, 1), (256, 1), (512, 2), (1024, 1)):
        y = np.zeros_like(x)
        name = f"{threads} threads, {programs} programs a group"
        plan = {"threads": threads, "programs_per_group": programs}
        try:
            call = row_softmax.prepare(x, y, plan=plan)
        except (UnsupportedError, ct.KernelError) as error:
            yield Row("races", name, "absent", error.diagnostic.message)
            continue
        seen = set()
        for _ in range(setting.repeats):
            y[:] = -1
            call()
            seen.add(y.tobytes())
        near = bool(np.allclose(y, exact, rtol=1e-5, atol=1e-7))
        found = f"{len(seen)} different results in {setting.repeats} runs"
        yield _verdict("races", name, near and len(seen) == 1, found)


def _frameworks(setting: Setting) -> Iterator[Row]:
    """Arrays of MLX and tensors of PyTorch, which their frameworks launch."""
    x = np.random.default_rng(4).standard_normal((63, 1001)).astype(np.float32)
    wide = x.astype(np.float64)
    e = np.exp(wide - wide.max(1, keepdims=True))
    # The second sees an array in pieces, which MLX cannot store to.
    exact = {"softmax": e / e.sum(1, keepdims=True), "silu": wide / (1 + np.exp(-wide))}
    for name, make in _ARRAYS.items():
        array = make(x)
        if array is None:
            yield Row("frameworks", name, "absent", f"{name} is not installed, or has no GPU here")
            continue
        for op, expected in exact.items():
            found = getattr(ops, op)(array)
            made = np.asarray(found.cpu() if name == "torch" else found)
            near = bool(np.allclose(made, expected, rtol=1e-5, atol=1e-6))
            yield _verdict("frameworks", f"{name} {op}", near)


def _mlx_array(x: Array) -> Any:  # noqa: ANN401 - an array of a package that may be absent
    try:
        import mlx.core as mx
    except ImportError:
        return None
    return mx.array(x) if frameworks.mlx_drives_metal() else None


def _torch_tensor(x: Array) -> Any:  # noqa: ANN401 - a tensor of a package that may be absent
    try:
        import torch
    except ImportError:
        return None
    return torch.from_numpy(x).to("mps") if frameworks.torch_drives_metal() else None


_ARRAYS: dict[str, Callable[[Array], Any]] = {"mlx": _mlx_array, "torch": _torch_tensor}


def _memory(setting: Setting) -> Iterator[Row]:
    """Calls give back the buffers that they were copied into."""
    x = np.zeros(_KEPT_BYTES // 4 + 1, np.float32)[1:]
    y = np.zeros_like(x)
    add_one(x, y)
    before = _most_resident()
    for _ in range(setting.repeats):
        add_one(x, y)
    grown = _most_resident() - before
    # A bridge that keeps buffers keeps two a call.
    least = 2 * _KEPT_BYTES * setting.repeats
    found = f"grew by {grown >> 20} MiB; {least >> 20} MiB would have been kept"
    yield _verdict("memory", f"{setting.repeats} calls", grown < least // 2, found)


def _most_resident() -> int:
    """The most memory that this process has had so far, in bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10


def _times(setting: Setting) -> Iterator[Row]:
    """Milliseconds a call, the least of some; on a stand-in they mean nothing."""
    case_shape = setting.timed
    for op in TIMED:
        inputs = made_up(Case(op, case_shape))
        times = {"numpy arrays": _least(lambda: ours(op)(*inputs), setting.repeats)}  # noqa: B023
        for name, make in _ARRAYS.items():
            arrays = [make(each) for each in inputs]
            if arrays[0] is not None:
                call = _finished(name, lambda: ours(op)(*arrays))  # noqa: B023
                times[name] = _least(call, setting.repeats)
        shown = ", ".join(f"{name} {1e3 * seconds:.3f} ms" for name, seconds in times.items())
        yield Row("times", f"{op} {case_shape[0]}x{case_shape[1]}", "figure", shown)


def _finished(name: str, call: Callable[[], Any]) -> Callable[[], object]:
    """Return a call that waits for its result."""
    if name == "mlx":
        return lambda: sys.modules["mlx.core"].eval(call())
    return lambda: (call(), sys.modules["torch"].mps.synchronize())


def _least(call: Callable[[], object], repeats: int) -> float:
    call()
    least = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        least = min(least, time.perf_counter() - start)
    return least


STEPS = (
    *(_machine, _operations, _compiling, _precise_math, _batches, _lent_memory),
    *(_races, _frameworks, _memory, _times),
)


if __name__ == "__main__":
    raise SystemExit(main())
