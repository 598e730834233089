"""Time calls on an NVIDIA GPU by device events, in turns.

In: calls by name, how many rounds, how many launches a graph holds.  Out: microseconds, one number
a call and round.  Decides the order, which is reversed every other round, so that no call always
follows the same one.  What the times are compared with is up to `gpu_rows` and `gpu_cohort`.
"""

from collections.abc import Callable, Mapping

import torch

Call = Callable[[], object]


def measure(calls: Mapping[str, Call], rounds: int, launches: int = 1) -> dict[str, list[float]]:
    """Microseconds of each call, one a round, the order reversed every other round.

    Of several launches in a graph a time is that of one.  A round begins with a call that counts
    for nothing: the device is idle then, and would wait for the host between events.
    """
    if launches > 1:
        calls = {name: _graph(call, launches) for name, call in calls.items()}
    times: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    for number in range(rounds):
        order = list(calls) if number % 2 == 0 else list(calls)[::-1]
        events = []
        calls[order[0]]()
        for name in order:
            begin, end = _event(), _event()
            begin.record()
            calls[name]()
            end.record()
            events.append((name, begin, end))
        torch.cuda.synchronize()
        for name, begin, end in events:
            times[name].append(1000 * begin.elapsed_time(end) / launches)
    return times


def _graph(call: Call, launches: int) -> Call:
    """Many launches as one graph, so that the device does not wait for the host between them."""
    stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]  # of torch
    with torch.cuda.stream(stream):
        call()
    torch.cuda.synchronize()
    made = torch.cuda.CUDAGraph()
    with torch.cuda.graph(made):
        for _ in range(launches):
            call()
    return made.replay


def _event() -> torch.cuda.Event:
    return torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]  # of torch
