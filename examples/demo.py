"""Real sentences through a real transformer whose row operations are certile kernels.

In: the weights of all-MiniLM-L6-v2 and a set of sentences.  Out, on the terminal: which sentences
are nearest, how far the embeddings are from the same encoder in NumPy float64, how long the model
takes with and without certile and what that gains, and each operation beside NumPy and PyTorch.
Exits 1 when an embedding is off by 1e-5 or more.

Run it with `make demo`.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import minilm
import numpy as np
import op_table
import row_ops
import sentences
import torch
from rich.console import Console
from rich.table import Table

LARGEST_DEVIATION = 1e-5
SECONDS_A_BATCH = 8.0

console = Console(width=None if sys.stdout.isatty() else 100, highlight=False)


def main() -> int:
    """Run every part; return the exit code."""
    torch.set_grad_enabled(False)
    model = minilm.load()
    encoders = {
        ops.name: minilm.Encoder(model, ops) for ops in (row_ops.CertileOps(), row_ops.TorchOps())
    }
    console.rule("Sentences through a transformer")
    batch = minilm.tokenize(model, sentences.SENTENCES)
    found = encoders["certile"](batch).numpy()
    show_pairs(found)
    good = check(found, minilm.reference(model, batch))
    console.rule("The whole model")
    long = minilm.tokenize(model, sentences.PARAGRAPHS)
    for name, tokens in (("sentences", batch), ("paragraphs", long)):
        show_gain(name, tokens, race(encoders, tokens))
    console.rule("Each operation")
    op_table.show(console, model_shapes(batch, long))
    return 0 if good else 1


def show_pairs(found: np.ndarray) -> None:
    """Print the nearest neighbour of each sentence of the first half."""
    likeness = found @ found.T
    np.fill_diagonal(likeness, -1.0)
    table = Table(box=None, padding=(0, 2, 0, 0))
    for title in ("sentence", "nearest", "cosine"):
        table.add_column(title, justify="right" if title == "cosine" else "left")
    right = 0
    for at, (first, second) in enumerate(sentences.PAIRS):
        nearest = int(likeness[at].argmax())
        right += sentences.SENTENCES[nearest] == second
        table.add_row(first, sentences.SENTENCES[nearest], f"{likeness[at, nearest]:.3f}")
    console.print(table)
    console.print(f"{right} of {len(sentences.PAIRS)} sentences found the one that means the same.")


def check(found: np.ndarray, expected: np.ndarray) -> bool:
    """Compare with float64 and say how far off the worst number is."""
    worst = float(np.abs(found - expected).max())
    good = worst < LARGEST_DEVIATION
    verdict = "[green]good[/]" if good else "[red]too far off[/]"
    console.print(
        f"Largest deviation of an embedding from NumPy float64: {worst:.2e} "
        f"(allowed {LARGEST_DEVIATION:.0e}): {verdict}"
    )
    return good


@dataclass(frozen=True)
class Times:
    """Median seconds of one encoder."""

    total: float
    matmul: float
    rows: float


def race(encoders: dict[str, minilm.Encoder], batch: minilm.Batch) -> dict[str, Times]:
    """Time the encoders in turn, the order reversed every other round."""
    kept: dict[str, list[tuple[float, float, float]]] = {name: [] for name in encoders}
    started, round_number = time.perf_counter(), 0
    while round_number < 4 or time.perf_counter() - started < SECONDS_A_BATCH:
        order = list(encoders.items())
        for name, encoder in order if round_number % 2 else reversed(order):
            encoder.clock.seconds.clear()
            total = timed(lambda encoder=encoder: encoder(batch))
            if round_number:  # the first round warms up
                seconds = encoder.clock.seconds
                kept[name].append((total, seconds["matmul"], seconds["rows"]))
        round_number += 1
    return {
        name: Times(*(statistics.median(column) for column in zip(*runs, strict=True)))
        for name, runs in kept.items()
    }


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that `work` takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def show_gain(name: str, batch: minilm.Batch, times: dict[str, Times]) -> None:
    """Print the times and, in a sentence, what they mean."""
    count, length = batch.tokens.shape
    table = Table(title=f"{count} {name} of up to {length} tokens", title_justify="left", box=None)
    for title in ("", "total", "matrix products", "row operations"):
        table.add_column(title, justify="left" if not title else "right")
    for contestant, t in times.items():
        table.add_row(contestant, *(f"{1e3 * s:.2f} ms" for s in (t.total, t.matmul, t.rows)))
    console.print(table)
    ours, theirs = times["certile"], times["torch"]
    share = theirs.rows / theirs.total
    ratio = theirs.total / ours.total
    console.print(
        f"Row operations are {share:.0%} of PyTorch's time here; certile's take "
        f"{theirs.rows / ours.rows:.2f}x less. End to end that is {in_words(ratio)}; matrix "
        "products, which certile leaves to PyTorch, are the rest.\n"
    )


def in_words(ratio: float) -> str:
    """Say a ratio of times plainly, a loss too."""
    if ratio >= 1.02:
        return f"[green]{ratio:.2f}x faster[/]"
    if ratio > 0.98:
        return "no difference that counts"
    return f"[red]{1 / ratio:.2f}x slower[/]"


def model_shapes(short: minilm.Batch, long: minilm.Batch) -> Sequence[op_table.Case]:
    """Return the operations at the shapes the model uses, and at 4096x4096."""
    cases = []
    for batch in (short, long):
        count, length = batch.tokens.shape
        rows = count * length
        cases += [
            op_table.Case("softmax", (count * 12 * length, length)),
            op_table.Case("residual_layer_norm", (rows, 384)),
            op_table.Case("gelu", (rows, 1536)),
        ]
    names = "softmax sum argmax rms_norm layer_norm residual_layer_norm cross_entropy gelu silu"
    return (*cases, *(op_table.Case(name, (4096, 4096)) for name in names.split()))


if __name__ == "__main__":
    sys.exit(main())
