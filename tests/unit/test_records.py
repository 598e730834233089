"""Records beside the frozen dataclasses that they stand for."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import pytest

from certile.records import record


def _twins(make: Callable[[Callable[..., Any]], type]) -> tuple[type, type]:
    return make(record), make(dataclass(frozen=True, slots=True))


def _point(decorate: Callable[..., Any]) -> type:
    class Point:
        """A point."""

        kinds: ClassVar[int] = 3
        x: int
        y: float = 0.5
        seen: list[int] = field(default_factory=list, hash=False)
        note: str = field(default="", compare=False, repr=False)

        def moved(self) -> object:
            return replace(self, x=self.x + 1)

    return decorate(Point)


@record
class Pair:
    """Stands at the top of the module, where `pickle` finds it."""

    first: object
    second: object = None


@record
class Triple(Pair):
    third: int = 3


ARGUMENTS = [
    ((1,), {}),
    ((1, 2.0), {"note": "a"}),
    ((), {"x": 1, "y": 0.5, "seen": []}),
    ((1, 0.5, [7]), {}),
]


@pytest.mark.parametrize(("args", "keywords"), ARGUMENTS)
def test_records_show_and_order_their_fields_as_dataclasses_do(args, keywords):
    ours, theirs = (kind(*args, **keywords) for kind in _twins(_point))
    assert repr(ours) == repr(theirs)
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert [f.name for f in fields(ours)] == [f.name for f in fields(theirs)]
    assert ours.__match_args__ == theirs.__match_args__
    assert repr(ours.moved()) == repr(theirs.moved())


def test_equality_and_hash_count_the_same_fields_as_in_dataclasses():
    made = [[kind(*a, **k) for a, k in ARGUMENTS] for kind in _twins(_point)]
    same = [[[a == b for a in one] for b in one] for one in made]
    assert same[0] == same[1]
    hashes = [[[hash(a) == hash(b) for a in one] for b in one] for one in made]
    assert hashes[0] == hashes[1]
    ours, theirs = made
    assert list(map(hash, ours)) == list(map(hash, theirs))


def test_records_of_different_classes_are_different():
    assert Pair(1, 2) != Triple(1, 2)
    assert Triple(1, 2) == Triple(1, 2, 3)
    assert Pair(1) != (1, None)


@pytest.mark.parametrize("names", [[], ["a"], ["a", "b"]])
def test_records_of_any_number_of_fields_hash_like_dataclasses(names):
    def make(decorate):
        return decorate(
            type("Few", (), {"__doc__": "", "__annotations__": dict.fromkeys(names, "int")})
        )

    ours, theirs = _twins(make)
    values = range(len(names))
    assert hash(ours(*values)) == hash(theirs(*values))
    assert ours(*values) == ours(*values)
    nan = float("nan")
    assert (ours(*[nan] * len(names)) == ours(*[nan] * len(names))) == (
        theirs(*[nan] * len(names)) == theirs(*[nan] * len(names))
    )


def test_a_record_cannot_change():
    pair = Pair(1, 2)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'first'"):
        pair.first = 3
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'first'"):
        del pair.first
    with pytest.raises(FrozenInstanceError):
        pair.other = 3
    assert not hasattr(pair, "__dict__")


def test_wrong_arguments_name_the_class():
    with pytest.raises(TypeError, match=r"Pair.__init__\(\) missing 1 required"):
        Pair()
    with pytest.raises(TypeError, match="unexpected keyword argument 'thrid'"):
        Triple(1, thrid=3)
    assert list(inspect.signature(Triple).parameters) == ["first", "second", "third"]


def test_each_record_has_a_default_of_its_own():
    made = _point(record)
    assert made(1).seen is not made(1).seen


@pytest.mark.parametrize("value", [Pair(1, [2]), Triple("a", Pair(3))])
def test_copies_are_equal(value):
    for made in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert made == value
        assert made is not value


def test_a_record_that_holds_itself_can_be_shown():
    held: list[object] = []
    pair = Pair(held)
    held.append(pair)
    assert repr(pair) == "Pair(first=[...], second=None)"


def test_options_mean_what_they_mean_to_dataclasses():
    @record(slots=False, eq=False, kw_only=True, repr=False)
    class Open:
        a: int
        b: int

        def __post_init__(self) -> None:
            if self.a > self.b:
                raise ValueError("in order")

        @cached_property
        def total(self) -> int:
            return self.a + self.b

    made = Open(b=2, a=1)
    assert made.total == 3
    assert made != Open(a=1, b=2)
    assert repr(made).startswith("<")
    with pytest.raises(ValueError, match="in order"):
        Open(a=2, b=1)
    with pytest.raises(TypeError):
        Open(1, 2)
    with pytest.raises(FrozenInstanceError):
        made.a = 2


def test_methods_that_a_class_writes_stay():
    @record
    class Loose:
        a: int

        def __eq__(self, other: object) -> bool:
            return True

        def __repr__(self) -> str:
            return "loose"

    assert Loose(1) == Loose(2)
    assert repr(Loose(1)) == "loose"
    assert hash(Loose(1)) == hash((1,))
