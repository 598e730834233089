"""A fair race between an operation of certile and the frameworks' own.

In: an operation, a shape, a dtype and opponents.  Out: figures for each contestant.  Decides how is
measured: every output is checked in full against float64 first; buffers rotate through more memory
than the caches hold; the contestants take turns, in reversed order every other round; and a copy of
the same run is the yardstick for bandwidth.  Leaves printing to the commands.

A contestant is named by its framework and form: `out=` fills a given output, the usual form makes
a new one.
"""

from __future__ import annotations

import importlib
import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from certile import ops
from certile.cli.oracles import ORACLES, tolerance
from certile.diagnostics import ArgumentError
from certile.ops.kernels import COMMAND_FORMS
from certile.ops.native import native
from certile.runtime.arrays import numpy_dtype

Array = Any

# Buffers of a case together take at least this much, several times the usual last cache.
_ROTATED_BYTES = 96 << 20
_MOST_SETS = 8
# A measurement runs the call until it took this long, or once.
_LEAST_SECONDS = 4e-4
# PyTorch's workers keep spinning for some milliseconds after a call; others wait for them.
_PAUSE_SECONDS = 0.012
_SIZES = {"f32": 4, "f16": 2, "bf16": 2}


@dataclass(frozen=True, slots=True)
class Case:
    """What is measured: an operation, the shape of its first input, a dtype."""

    op: str
    shape: tuple[int, ...]
    dtype: str = "f32"


@dataclass
class Contestant:
    """One way to compute the case; `run` takes the number of a buffer set and gives results."""

    name: str
    run: Callable[[int], Any]
    seconds: list[float] = field(default_factory=list)
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """What a contestant reached; `bytes` are read and written at least."""

    case: Case
    contestant: str
    median: float
    least: float
    spread: float
    bytes: int
    ratio_to_copy: float | None
    wrong: str = ""

    def to_json(self) -> dict[str, object]:
        """Return the row of `certile bench --json`."""
        return {
            "op": self.case.op,
            "shape": "x".join(map(str, self.case.shape)),
            "dtype": self.case.dtype,
            "contestant": self.contestant,
            "median_s": self.median,
            "min_s": self.least,
            "spread": self.spread,
            "bytes": self.bytes,
            "ratio_to_copy": self.ratio_to_copy,
            **({"wrong": self.wrong} if self.wrong else {}),
        }


# How many inputs of the first one's shape an operation has, and how many vectors along its columns.
_INPUTS = {
    "rms_norm": (1, 1),
    "layer_norm": (1, 2),
    "residual_layer_norm": (2, 2),
    "residual_rms_norm": (2, 1),
}
_PER_ROW = (
    "sum",
    "mean",
    "max",
    "min",
    "argmax",
    "argmin",
    "min_max",
    "logsumexp",
    "cross_entropy",
)
_POSITIONS = ("argmax", "argmin")
KNOWN = (*ORACLES, "residual_layer_norm", "residual_rms_norm")


def ours(op: str) -> Callable[..., Any]:
    """Return certile's operation under the name of a case."""
    if op == "residual_layer_norm":
        return lambda x, r, w, b, **more: ops.layer_norm(x, w, b, residual=r, **more)
    if op == "residual_rms_norm":
        return lambda x, r, w, **more: ops.rms_norm(x, w, residual=r, **more)
    if op == "gelu_tanh":
        return partial(ops.gelu, approximate="tanh")
    if op == "cross_entropy":
        return partial(ops.cross_entropy, reduction="none")
    if op in _PER_ROW:
        return partial(getattr(ops, op), axis=-1)
    found: Callable[..., Any] = getattr(ops, op)
    return found


def expected(
    op: str, inputs: Sequence[np.ndarray[Any, Any]], dtype: str = "f32"
) -> tuple[np.ndarray[Any, Any], ...]:
    """Return the results in float64; a residual sum is rounded to `dtype` before it is used."""
    wide = [each.astype(np.float64) if each.dtype.kind == "f" else each for each in inputs]
    if not op.startswith("residual_"):
        return ORACLES[op](*wide)
    x, residual, *vectors = wide
    storage = numpy_dtype(dtype)
    h = (x + residual).astype(np.float32).astype(storage).astype(np.float64)
    return (*ORACLES[op.removeprefix("residual_")](h, *vectors), h)


class Race:
    """The buffers and contestants of one case."""

    def __init__(self, case: Case, against: Sequence[str]) -> None:
        if case.op not in KNOWN:
            message = f"{case.op} is no operation that can be measured"
            listed = ", ".join(name for name in KNOWN if name not in COMMAND_FORMS)
            forms = ", ".join(name for name in KNOWN if name in COMMAND_FORMS)
            hint = f"use {listed}; or {forms}, forms of these that only commands take"
            raise ArgumentError("A308", message, hint=hint)
        if case.dtype not in _SIZES:
            raise ArgumentError("A305", f"bench measures f32, f16 and bf16, not {case.dtype}")
        if len(case.shape) < 2 or not math.prod(case.shape):
            message = f"bench measures rows of elements, not shape {case.shape}"
            raise ArgumentError("A305", message, hint="use two or more extents, all above 0")
        self.case = case
        self._torch = _torch_or_none()
        if self._torch is None and case.dtype == "bf16":
            raise ArgumentError("A305", "bench needs PyTorch for bf16")
        plain = _made_up(case)
        self.bytes = _traffic(case)
        count = max(2, min(_MOST_SETS, math.ceil(_ROTATED_BYTES / self.bytes)))
        self.inputs = [tuple(map(self._native_array, plain)) for _ in range(count)]
        self.outputs = [self._empty() for _ in range(count)]
        self.contestants = list(self._contestants(against))
        self._check()

    @property
    def first_inputs(self) -> tuple[np.ndarray[Any, Any], ...]:
        """The first buffer set as NumPy arrays; narrow floats as f32."""
        return tuple(map(_as_numpy, self.inputs[0]))

    def _native_array(self, plain: np.ndarray[Any, Any]) -> Array:
        """Return a copy as a tensor, or as a NumPy array where there is no PyTorch."""
        if self._torch is None:
            narrow = np.float16 if self.case.dtype == "f16" else np.float32
            return plain.astype(narrow) if plain.dtype.kind == "f" else plain.copy()
        tensor = self._torch.from_numpy(plain.copy())
        return (
            tensor.to(_torch_dtype(self._torch, self.case.dtype))
            if tensor.is_floating_point()
            else tensor
        )

    def _empty(self) -> tuple[Array, ...]:
        """Return outputs full of NaN, or of -1 for positions: a skipped element is noticed."""
        case = self.case
        shape = case.shape[:-1] if case.op in _PER_ROW else case.shape
        count = 2 if case.op == "min_max" or case.op.startswith("residual_") else 1
        if case.op in _POSITIONS:
            poison: np.ndarray[Any, Any] = np.full(shape, -1, np.int64)
        else:
            poison = np.full(shape, np.nan, np.float32)
        return tuple(self._native_array(poison) for _ in range(count))

    def _contestants(self, against: Sequence[str]) -> list[Contestant]:
        ins, outs = self.inputs, self.outputs
        op = ours(self.case.op)

        def given(at: int) -> Any:  # noqa: ANN401 - arrays of any framework
            out = outs[at] if len(outs[at]) > 1 else outs[at][0]
            return op(*ins[at], out=out)

        found = [
            Contestant("certile out=", given),
            Contestant("certile", lambda at: op(*ins[at])),
        ]
        for framework in against:
            found += self._opponent(framework)
        return found

    def _opponent(self, framework: str) -> list[Contestant]:
        if framework not in ("numpy", "torch"):
            message = f"there is no opponent {framework}"
            raise ArgumentError("A305", message, hint="use numpy, torch or both")
        if framework == "torch" and self._torch is None:
            return []
        if framework == "numpy" and self.case.dtype == "bf16":
            return []
        theirs = native(self.case.op, framework)
        if theirs is None:
            return []
        ins, outs = self.inputs, self.outputs
        if framework == "numpy":
            ins = [tuple(map(_shared_numpy, each)) for each in ins]
            outs = [tuple(map(_shared_numpy, each)) for each in outs]
        usual, with_out = theirs.usual, theirs.given
        found = [Contestant(framework, lambda at: usual(*ins[at]))]
        if with_out is not None:
            fill = with_out

            def given(at: int) -> Any:  # noqa: ANN401 - arrays of any framework
                fill(*ins[at], out=outs[at][0])
                return outs[at][0]

            found.insert(0, Contestant(f"{framework} out=", given))
        return found

    def _check(self) -> None:
        """Compare every output element of every contestant with float64; note who is wrong."""
        inputs = self.first_inputs
        wanted = expected(self.case.op, inputs, self.case.dtype)
        base = self.case.op.removeprefix("residual_")
        for contestant in self.contestants:
            self.outputs[0] = self._poisoned(0)
            results = contestant.run(0)
            results = results if isinstance(results, tuple) else (results,)
            for result, exact in zip(results, wanted, strict=True):
                found = _as_numpy(result).astype(np.float64)
                allowed = tolerance(
                    base, inputs[0].astype(np.float64), exact, "f32", self.case.dtype
                )
                off = np.abs(found - exact)
                if not bool((off <= allowed).all()):
                    contestant.wrong = f"off by {off.max():.3g}"

    def _poisoned(self, at: int) -> tuple[Array, ...]:
        for output, fresh in zip(self.outputs[at], self._empty(), strict=True):
            output[...] = fresh
        return self.outputs[at]

    def run(self, seconds: float) -> list[Figure]:
        """Race for about `seconds` and return each contestant's figures."""
        racers = list(self.contestants)
        copy = self._copier()
        if copy is not None:
            racers.append(copy)
        repeats = {id(racer): self._repeats(racer) for racer in racers}
        started, round_number = time.perf_counter(), 0
        while round_number < 3 or time.perf_counter() - started < seconds:
            for racer in racers if round_number % 2 else reversed(racers):
                self._measure(racer, round_number, repeats[id(racer)])
            round_number += 1
        speed = None
        if copy is not None:
            speed = 2 * self._copy_bytes() / statistics.median(copy.seconds)
        return [self._figure(racer, speed) for racer in self.contestants]

    def _repeats(self, racer: Contestant) -> int:
        racer.run(0)
        started = time.perf_counter()
        racer.run(1)
        once = time.perf_counter() - started
        return max(1, int(_LEAST_SECONDS / max(once, 1e-7)))

    def _measure(self, racer: Contestant, round_number: int, repeats: int) -> None:
        count = len(self.inputs)
        time.sleep(_PAUSE_SECONDS if self._torch is not None else 0.0)
        run, first = racer.run, round_number * repeats
        # After the pause threads are asleep; waking them is no part of the work.
        run(first % count)
        started = time.perf_counter()
        for step in range(repeats):
            run((first + step) % count)
        racer.seconds.append((time.perf_counter() - started) / repeats)

    def _copy_bytes(self) -> int:
        return math.prod(self.case.shape) * _SIZES[self.case.dtype]

    def _copier(self) -> Contestant | None:
        """Return a copy of the first input, which says what memory allows in this very run."""
        if self._torch is None:
            return None
        targets = [self._torch.empty_like(each[0]) for each in self.inputs]
        return Contestant("copy", lambda at: targets[at].copy_(self.inputs[at][0]))

    def _figure(self, racer: Contestant, copy_speed: float | None) -> Figure:
        ordered = sorted(racer.seconds)
        median = statistics.median(ordered)
        quarter = len(ordered) // 4
        spread = (ordered[-1 - quarter] - ordered[quarter]) / median
        ratio = None if copy_speed is None else self.bytes / median / copy_speed
        return Figure(
            self.case, racer.name, median, ordered[0], spread, self.bytes, ratio, racer.wrong
        )


def _torch_or_none() -> Any:  # noqa: ANN401 - a module, or None
    try:
        return importlib.import_module("torch")
    except ImportError:
        return None


def _torch_dtype(torch: Any, name: str) -> Any:  # noqa: ANN401 - arrays of any framework
    return {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[name]


def _made_up(case: Case) -> list[np.ndarray[Any, Any]]:
    """Return random inputs as f32, and labels as i64."""
    random = np.random.default_rng(7)
    rows, vectors = _INPUTS.get(case.op, (1, 0))
    made: list[np.ndarray[Any, Any]] = [
        random.standard_normal(case.shape, dtype=np.float32) for _ in range(rows)
    ]
    made += [random.standard_normal(case.shape[-1:], dtype=np.float32) for _ in range(vectors)]
    if case.op == "cross_entropy":
        made.append(random.integers(0, case.shape[-1], case.shape[:-1], dtype=np.int64))
    return made


def _traffic(case: Case) -> int:
    """Return the bytes that have to be read and written at least."""
    size, elements = _SIZES[case.dtype], math.prod(case.shape)
    rows = elements // max(case.shape[-1], 1)
    inputs, vectors = _INPUTS.get(case.op, (1, 0))
    read = (inputs * elements + vectors * case.shape[-1]) * size
    if case.op == "cross_entropy":
        read += 8 * rows
    if case.op in _PER_ROW:
        width = 8 if case.op in _POSITIONS else size
        return read + rows * width * (2 if case.op == "min_max" else 1)
    return read + elements * size * (2 if case.op.startswith("residual_") else 1)


def _as_numpy(array: Array) -> np.ndarray[Any, Any]:
    """Return the elements as NumPy can hold them, narrow floats as f32."""
    if isinstance(array, np.ndarray):
        return array.astype(np.float32) if array.dtype == np.float16 else array
    wide = array.float() if array.is_floating_point() else array
    found: np.ndarray[Any, Any] = wide.numpy()
    return found


def _shared_numpy(array: Array) -> Array:
    return array if isinstance(array, np.ndarray) else array.numpy()
