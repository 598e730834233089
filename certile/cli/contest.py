"""A fair race between an operation of certile and the frameworks' own.

In: an operation, a shape, a dtype and opponents.  Out: figures for each contestant.  Decides how is
measured: every output is checked in full against float64 first; buffers rotate through more memory
than the caches hold; the contestants take turns, in reversed order every other round; and two
copies of the same run, PyTorch's and our own kernel, are the yardsticks for bandwidth.  Leaves
printing to the commands.

A contestant is named by its framework and form: `out=` fills a given output, the usual form makes
a new one.  `certile mlx` is our operation on arrays of MLX, which it makes new.
"""

from __future__ import annotations

import importlib
import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from certile.cli.forms import (
    SIZES,
    Case,
    Output,
    expected,
    footprint,
    made_up,
    native_options,
    ours,
    outputs,
    traffic,
)
from certile.cli.memory import require_memory
from certile.cli.options import Backend
from certile.cli.oracles import tolerance
from certile.cli.own_copy import own_copy
from certile.diagnostics import ArgumentError, UnsupportedError
from certile.ir.array_types import FULL_NAMES, numpy_dtype
from certile.ops.native import native
from certile.records import record

__all__ = ["Case", "Contestant", "Figure", "Race", "missing"]

Array = Any

# Buffers of a case together take at least this much, several times the usual last cache.
_ROTATED_BYTES = 96 << 20
_MOST_SETS = 8
# A measurement runs the call until it took this long, or once.
_LEAST_SECONDS = 4e-4
# PyTorch's workers keep spinning for some milliseconds after a call; others wait for them.
_PAUSE_SECONDS = 0.012


@dataclass
class Contestant:
    """One way to compute the case; `run` takes the number of a buffer set and gives results."""

    name: str
    run: Callable[[int], Any]
    seconds: list[float] = field(default_factory=list)
    wrong: str = ""


@record
class Figure:
    """What a contestant reached; `bytes` are read and written at least.

    `to_first` is its time over that of the first contestant, the median over the rounds in which
    both ran one after the other: a slow moment of the machine falls on both.
    """

    case: Case
    contestant: str
    median: float
    least: float
    spread: float
    bytes: int
    ratio_to_copy: float | None
    wrong: str = ""
    own_copy_speed: float = math.nan
    to_first: float = math.nan

    @property
    def speed(self) -> float:
        """The bytes moved in a second, at the median."""
        return self.bytes / self.median

    @property
    def copy_speed(self) -> float | None:
        """The bytes that PyTorch's copy moved in a second of the same run."""
        return None if self.ratio_to_copy is None else self.speed / self.ratio_to_copy

    @property
    def ceiling(self) -> float:
        """This time over that of our own copy of the same bytes: no kernel can gain more on it."""
        return self.own_copy_speed / self.speed

    def to_json(self) -> dict[str, object]:
        """Return the row of `certile bench --json`."""
        return {
            "op": self.case.op,
            "shape": self.case.written_shape,
            "dtype": self.case.dtype,
            "contestant": self.contestant,
            "median_s": self.median,
            "min_s": self.least,
            "spread": self.spread,
            "bytes": self.bytes,
            "ratio_to_copy": self.ratio_to_copy,
            "ceiling": self.ceiling,
            **({"wrong": self.wrong} if self.wrong else {}),
        }


class Race:
    """The buffers and contestants of one case."""

    def __init__(self, case: Case, against: Sequence[str], *, backend: Backend = "native") -> None:
        case.check()
        self.case = case
        self._torch = _torch_or_none()
        if self._torch is None and case.dtype == "bf16":
            raise missing("bf16 arrays are made by PyTorch", "torch")
        require_memory(footprint(case), f"{case.op} of {case.written_shape}")
        plain = made_up(case)
        self.bytes = traffic(case, plain)
        count = max(2, min(_MOST_SETS, math.ceil(_ROTATED_BYTES / self.bytes)))
        self.inputs = [tuple(map(self._native_array, plain)) for _ in range(count)]
        self.outputs = [self._empty() for _ in range(count)]
        self.contestants = list(self._contestants(against))
        if backend == "tirx":
            self.contestants += self._through_tvm()
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
            tensor.to(getattr(self._torch, FULL_NAMES[self.case.dtype]))
            if tensor.is_floating_point()
            else tensor
        )

    def _empty(self) -> tuple[Array, ...]:
        """Return outputs full of NaN, or of -1 for integers: a skipped element is noticed."""
        return tuple(self._native_array(_poison(each)) for each in outputs(self.case))

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

    def _through_tvm(self) -> list[Contestant]:
        """Our plan of the case, compiled by TVM; none where it has no bare form of these arrays."""
        if self.case.dtype == "bf16":
            return []
        from certile.cli.through_tvm import contestant

        ins = [tuple(map(_shared_numpy, each)) for each in self.inputs]
        outs = [tuple(map(_shared_numpy, each)) for each in self.outputs]
        case = self.case
        compute = contestant(case.op, case.shape, case.dtype, ins[0], outs[0])
        if compute is None:
            return []

        def run(at: int) -> Any:  # noqa: ANN401 - arrays of any framework
            compute(ins[at], outs[at])
            return self.outputs[at]

        return [Contestant("certile-tirx", run)]

    def _opponent(self, framework: str) -> list[Contestant]:
        if framework not in ("numpy", "torch", "mlx"):
            message = f"there is no opponent {framework}"
            raise ArgumentError("A305", message, hint="use numpy, torch, mlx, or several")
        if framework == "numpy" and self.case.dtype == "bf16":
            return []
        try:
            theirs = native(self.case.op, framework)
        except ImportError as error:
            raise missing(f"--against {framework} needs a package", framework) from error
        if theirs is None:
            return []
        options = native_options(self.case.op)
        ins, outs = self.inputs, self.outputs
        if framework == "numpy":
            ins = [tuple(map(_shared_numpy, each)) for each in ins]
            outs = [tuple(map(_shared_numpy, each)) for each in outs]
        if framework == "mlx":
            ins = [tuple(_mlx_array(array) for array in each) for each in ins]
        usual, with_out = theirs.usual, theirs.given
        found = [Contestant(framework, lambda at: usual(*ins[at], *options))]
        if framework == "mlx":
            op = ours(self.case.op)
            found.append(Contestant("certile mlx", lambda at: op(*ins[at])))
        if with_out is not None:
            fill = with_out

            def given(at: int) -> Any:  # noqa: ANN401 - arrays of any framework
                fill(*ins[at], *options, out=outs[at][0])
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
            described = zip(results, wanted, outputs(self.case), strict=True)
            for result, exact, output in described:
                found = _as_numpy(result).astype(np.float64)
                allowed = tolerance(base, inputs[0].astype(np.float64), exact, output.dtype)
                off = np.abs(found - exact)
                if not bool((off <= allowed).all()):
                    contestant.wrong = f"off by {off.max():.3g}"

    def _poisoned(self, at: int) -> tuple[Array, ...]:
        for output, fresh in zip(self.outputs[at], self._empty(), strict=True):
            output[...] = fresh
        return self.outputs[at]

    def run(self, seconds: float) -> list[Figure]:
        """Race for about `seconds` and return each contestant's figures."""
        own, copy = self._copiers()
        racers = [*self.contestants, own, *([] if copy is None else [copy])]
        repeats = {id(racer): self._repeats(racer) for racer in racers}
        started, round_number = time.perf_counter(), 0
        while round_number < 3 or time.perf_counter() - started < seconds:
            for racer in racers if round_number % 2 else reversed(racers):
                self._measure(racer, round_number, repeats[id(racer)])
            round_number += 1
        own_speed = self._copy_speed(own)
        speed = None if copy is None else self._copy_speed(copy)
        return [self._figure(racer, speed, own_speed) for racer in self.contestants]

    def allocating_to_given(self, rounds: int) -> float:
        """Return our time with new outputs over that with given ones, in the same memory.

        Where outputs lie decides more than who made them: the same kernel took 1.6 times as long in
        one block as in another, for as long as a process had both.  So a call is given the very
        outputs that a call made, and the pool hands the next one their block.
        """
        op, ratios = ours(self.case.op), list[float]()

        def timed(inputs: tuple[Array, ...], **more: Array) -> tuple[Array, float]:
            started = time.perf_counter()
            result = op(*inputs, **more)
            return result, time.perf_counter() - started

        for number in range(rounds):
            inputs = self.inputs[number % len(self.inputs)]
            time.sleep(_PAUSE_SECONDS if self._torch is not None else 0.0)
            made, _ = timed(inputs)
            if number % 2:
                made, given = timed(inputs, out=made)
            # Its last array gone, the block is in the pool again.
            made = None
            made, fresh = timed(inputs)
            if not number % 2:
                made, given = timed(inputs, out=made)
            ratios.append(fresh / given)
        return statistics.median(ratios)

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
        # After the pause threads are asleep; waking them is no part of the work.  It is done with
        # other buffers, or a call that is measured once would find its own in the caches.
        run((first - 1) % count)
        started = time.perf_counter()
        for step in range(repeats):
            run((first + step) % count)
        racer.seconds.append((time.perf_counter() - started) / repeats)

    def _copy_speed(self, copy: Contestant) -> float:
        """Return the bytes that a copy read and wrote in a second."""
        size = math.prod(self.case.shape) * SIZES[self.case.dtype]
        return 2 * size / statistics.median(copy.seconds)

    def _copiers(self) -> tuple[Contestant, Contestant | None]:
        """Return copies of the first input, which say what memory allows in this very run.

        The first is our own kernel, the second PyTorch's, where there is PyTorch.
        """
        sources = [each[0] for each in self.inputs]
        if self._torch is None:
            targets = [np.empty_like(source) for source in sources]
        else:
            targets = [self._torch.empty_like(source) for source in sources]
        prepared = list(map(own_copy, sources, targets))
        own = Contestant("own copy", lambda at: prepared[at]())
        if self._torch is None:
            return own, None
        return own, Contestant("copy", lambda at: targets[at].copy_(sources[at]))

    def _figure(self, racer: Contestant, copy_speed: float | None, own_copy_speed: float) -> Figure:
        ordered = sorted(racer.seconds)
        median = statistics.median(ordered)
        quarter = len(ordered) // 4
        spread = (ordered[-1 - quarter] - ordered[quarter]) / median
        ratio = None if copy_speed is None else self.bytes / median / copy_speed
        return Figure(
            self.case,
            racer.name,
            median,
            ordered[0],
            spread,
            self.bytes,
            ratio,
            racer.wrong,
            own_copy_speed,
            self._to_first(racer),
        )

    def _to_first(self, racer: Contestant) -> float:
        """Return the time of a contestant over that of the first one in the same round."""
        rounds = zip(racer.seconds, self.contestants[0].seconds, strict=True)
        return statistics.median(own / first for own, first in rounds)


def missing(what: str, extra: str) -> UnsupportedError:
    """Return the refusal of what needs a package that is not installed."""
    return UnsupportedError("U504", what, hint=f"python -m pip install 'certile[{extra}]'")


def _torch_or_none() -> Any:  # noqa: ANN401 - a module, or None
    try:
        return importlib.import_module("torch")
    except ImportError:
        return None


def _poison(output: Output) -> np.ndarray[Any, Any]:
    if output.dtype in ("i8", "i64"):
        return np.full(output.shape, -1, numpy_dtype(output.dtype))
    return np.full(output.shape, np.nan, np.float32)


def _as_numpy(array: Array) -> np.ndarray[Any, Any]:
    """Return the elements as NumPy can hold them, narrow floats as f32."""
    if isinstance(array, np.ndarray):
        return array.astype(np.float32) if array.dtype == np.float16 else array
    if not hasattr(array, "detach"):
        mx: Any = importlib.import_module("mlx.core")
        return np.asarray(array.astype(mx.float32) if array.dtype == mx.bfloat16 else array)
    wide = array.float() if array.is_floating_point() else array
    found: np.ndarray[Any, Any] = wide.numpy()
    return found


def _shared_numpy(array: Array) -> Array:
    return array if isinstance(array, np.ndarray) else array.numpy()


def _mlx_array(array: Array) -> Array:
    """Return a copy as an array of MLX."""
    mx: Any = importlib.import_module("mlx.core")
    plain = _as_numpy(array)
    narrow = {"torch.bfloat16": mx.bfloat16, "torch.float16": mx.float16}
    made = mx.array(plain)
    made = made.astype(narrow[str(array.dtype)]) if str(array.dtype) in narrow else made
    mx.eval(made)
    return made
