"""`certile bench OP`: one kernel under its plans, beside functions that do the same.

In: a subject, a place, how many plans, the functions.  Out: rows of figures, each with the plan it
is of.  Decides that every output element is judged by the reference first, and that bytes are those
which the reference touches.  Leaves memory and clocks to `certile.cli.bench.places`, plans to
`certile.cli.bench.plans` and functions to `certile.cli.bench.rivals`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from certile.cli.bench.places import Host, Place
from certile.cli.bench.plans import Asked
from certile.cli.bench.rivals import Rival
from certile.cli.bench.turns import Contestant, Figure
from certile.cli.operations.forms import Case
from certile.cli.running.data import Arguments, random_arguments
from certile.cli.subject import Subject
from certile.diagnostics import ArgumentError
from certile.records import record
from certile.reference.agrees import expected_outputs, judged
from certile.reference.bounding import Freedom
from certile.reference.traffic import least_traffic
from certile.runtime.target import target

__all__ = ["Row", "place_of", "race"]

_OURS = "certile"
# Arrays of float64 that the reference holds for an element while it works.
_REFERENCE_BYTES = 64


@record
class Row:
    """A contestant's figure, where it was measured, and of one of ours the plan."""

    figure: Figure
    plan: str = ""
    target: str = "cpu"

    @property
    def of_copy(self) -> float:
        """Its bandwidth over that of the faster copy in the same run, ours or PyTorch's."""
        own, theirs = self.figure.own_copy_speed, self.figure.copy_speed
        return self.figure.speed / (own if theirs is None else max(own, theirs))

    def to_json(self) -> dict[str, object]:
        """Return the row of `certile bench OP --json`."""
        return {
            **self.figure.to_json(),
            "target": self.target,
            "gb_s": self.figure.speed / 1e9,
            "of_copy": self.of_copy,
            "to_first": self.figure.to_first,
            "plan": self.plan or None,
        }


def place_of(name: str) -> Place:
    """Return the place that a target computes in; raises UnsupportedError U303 without a device."""
    if name == "cpu":
        return Host()
    # A CPU's races need neither PyTorch nor graphs.
    from certile.cli.bench.on_device import Device

    return Device()


def race(
    subject: Subject, dtype: str, plans: int, rivals: Sequence[Rival], place: Place, seconds: float
) -> list[Row]:
    """Judge every contestant, then measure all for about `seconds`.

    Raises ArgumentError A305 for a kernel that touches no memory, what a call of the kernel raises,
    and A309 for a function that raises or takes no arrays of the place.
    """
    for rival in rivals:
        place.require(rival)
    views = subject.kernel.views
    size = sum(prod(subject.shapes[view.name]) * view.dtype.size for view in views)
    if not size:
        raise ArgumentError("A305", f"{subject.name} has no elements here, so nothing is measured")
    elements = sum(prod(subject.shapes[view.name]) for view in views)
    count = place.buffer_sets(size, _REFERENCE_BYTES * elements, subject.name)
    with target(place.target):
        return _Race(subject, place, count).run(dtype, plans, rivals, seconds)


class _Race:
    """Buffer sets with the same values, and what each output has to be."""

    def __init__(self, subject: Subject, place: Place, count: int) -> None:
        self._subject, self._place = subject, place
        self._values = random_arguments(subject, seed=0)
        self._sets = [self._fresh() for _ in range(count)]
        self._expected = expected_outputs(subject.kernel, self._values, None, Freedom())
        self._bytes = least_traffic(subject.kernel, self._values)

    def _fresh(self) -> Arguments:
        """Return the arguments in memory of their own."""
        return self._place.fresh(self._values)

    def run(self, dtype: str, plans: int, rivals: Sequence[Rival], seconds: float) -> list[Row]:
        """Return a row for each plan and each rival, in this order."""
        subject = self._subject
        # A function that fails is told before plans are compiled.
        others = list(map(self._theirs, rivals))
        asked = self._place.best_plans(subject, self._call(self._sets[0]), plans)
        ours = [self._ours(number, each) for number, each in enumerate(asked, 1)]
        contestants = [*ours, *others]
        case = Case(subject.name, subject.shape, dtype)
        turns = self._place.turns(self._sets)
        figures = turns.race(contestants, case, self._bytes, seconds)
        described = [*map(str, asked), *("" for _ in rivals)]
        where = self._place.target
        return [Row(figure, plan, where) for figure, plan in zip(figures, described, strict=True)]

    def _call(self, arguments: Arguments) -> Arguments:
        return {**self._subject.arguments, **arguments}

    def _ours(self, number: int, asked: Asked) -> Contestant:
        """Return the kernel under one plan, judged."""
        kernel = self._subject.function

        def prepared(arguments: Arguments) -> Callable[[], object]:
            return kernel.prepare(**self._call(arguments), plan=asked.options)

        trial = self._fresh()
        prepared(trial)()
        runs = [prepared(each) for each in self._sets]
        name = _OURS if number == 1 else f"{_OURS} plan {number}"
        results = self._place.results(trial, self._values)
        return Contestant(name, lambda at: runs[at](), wrong=self._complaint(results))

    def _theirs(self, rival: Rival) -> Contestant:
        """Return a function, judged."""
        found = rival.results(self._subject, rival.call(self._subject, self._fresh())())
        wrong = found if isinstance(found, str) else self._complaint(found)
        runs = [rival.call(self._subject, each) for each in self._sets]
        return Contestant(rival.name, lambda at: runs[at](), wrong=wrong)

    def _complaint(self, results: Mapping[str, Any]) -> str:
        """Return the element that is farthest from what it may be; "" where there is none."""
        worst = judged(results, self._subject.kernel, self._expected).worst
        return "" if worst is None else str(worst)
