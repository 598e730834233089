"""A fair race between an operation of certile and the frameworks' own.

In: an operation, a shape, a dtype and opponents.  Out: figures for each contestant.  Decides who
takes part, and that every output is checked in full against float64 first.  Leaves timing to
`certile.cli.bench.turns` and printing to the commands.

A contestant is named by its framework and form: `out=` fills a given output, the usual form makes
a new one.  `certile mlx` is our operation on arrays of MLX, which it makes new.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from certile.cli.bench.arrays import as_numpy, mlx_array, shared_numpy, torch_or_none
from certile.cli.bench.turns import Contestant, Figure, Turns, buffer_sets, pause
from certile.cli.memory import require_memory
from certile.cli.operations.forms import (
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
from certile.cli.operations.oracles import tolerance
from certile.cli.options import Backend
from certile.diagnostics import ArgumentError, UnsupportedError
from certile.ir.array_types import FULL_NAMES, numpy_dtype
from certile.ops.native import native

__all__ = ["Case", "Contestant", "Figure", "Race", "missing"]

Array = Any


class Race:
    """The buffers and contestants of one case."""

    def __init__(self, case: Case, against: Sequence[str], *, backend: Backend = "native") -> None:
        case.check()
        self.case = case
        self._torch = torch_or_none()
        if self._torch is None and case.dtype == "bf16":
            raise missing("bf16 arrays are made by PyTorch", "torch")
        require_memory(footprint(case), f"{case.op} of {case.written_shape}")
        plain = made_up(case)
        self.bytes = traffic(case, plain)
        count = buffer_sets(self.bytes)
        self.inputs = [tuple(map(self._native_array, plain)) for _ in range(count)]
        self.outputs = [self._empty() for _ in range(count)]
        self.contestants = list(self._contestants(against))
        if backend == "tirx":
            self.contestants += self._through_tvm()
        self._check()

    @property
    def first_inputs(self) -> tuple[np.ndarray[Any, Any], ...]:
        """The first buffer set as NumPy arrays; narrow floats as f32."""
        return tuple(map(as_numpy, self.inputs[0]))

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
        from certile.cli.running.through_tvm import contestant

        ins = [tuple(map(shared_numpy, each)) for each in self.inputs]
        outs = [tuple(map(shared_numpy, each)) for each in self.outputs]
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
            ins = [tuple(map(shared_numpy, each)) for each in ins]
            outs = [tuple(map(shared_numpy, each)) for each in outs]
        if framework == "mlx":
            ins = [tuple(mlx_array(array) for array in each) for each in ins]
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
                found = as_numpy(result).astype(np.float64)
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
        turns = Turns([each[0] for each in self.inputs], self._torch)
        return turns.race(self.contestants, self.case, self.bytes, seconds)

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
            pause(self._torch)
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


def missing(what: str, extra: str) -> UnsupportedError:
    """Return the refusal of what needs a package that is not installed."""
    return UnsupportedError("U504", what, hint=f"python -m pip install 'certile[{extra}]'")


def _poison(output: Output) -> np.ndarray[Any, Any]:
    if output.dtype in ("i8", "i64"):
        return np.full(output.shape, -1, numpy_dtype(output.dtype))
    return np.full(output.shape, np.nan, np.float32)
