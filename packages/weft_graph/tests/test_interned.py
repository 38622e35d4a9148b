from __future__ import annotations

import copy
import gc
import pickle
import sys
import threading
from typing import Any, ClassVar

import pytest

from weft_graph.core.interned import Entries, _values, added, living
from weft_graph.extend import Interned


class Point(Interned):
    across: int
    up: int = 0
    scale: ClassVar[float] = 1.0


class NamedPoint(Point):
    name: str = "here"


class Propped(Interned):
    __props__ = ("size",)

    def __init__(self, size: int = 3) -> None:
        self.size = size
        self.double = 2 * size


class Unique(Interned):
    def __init__(self, size: int) -> None:
        self.size = size


def test_equal_values_are_one_object() -> None:
    assert Point(1) is Point(1, 0) is Point(across=1, up=0)
    assert Point(1) != Point(2)
    assert Point(1, up=2) is not Point(2, up=1)


@pytest.mark.parametrize(
    ("first", "second"), [(1, 1.0), (1, True), (0.0, -0.0), ((1,), (1.0,)), ((0.0,), (-0.0,))]
)
def test_values_that_python_takes_for_equal_are_told_apart(first: Any, second: Any) -> None:
    assert first == second
    assert Point(first) is not Point(second)


def test_nan_is_one_value() -> None:
    assert Point(float("nan")) is Point(float("nan"))  # type: ignore[arg-type]  # any value does


def test_a_subclass_adds_parameters_to_those_inherited() -> None:
    point = NamedPoint(1, 2, "there")
    assert NamedPoint.__props__ == ("across", "up", "name")
    assert repr(point) == "NamedPoint(across=1, up=2, name='there')"
    assert NamedPoint(1) is not Point(1)


def test_parameters_may_be_listed_in_props() -> None:
    assert Propped() is Propped(3)
    assert Propped(4).double == 8


def test_an_own_init_without_parameters_makes_each_instance_unique() -> None:
    assert Unique(1) is not Unique(1)


def test_values_are_immutable() -> None:
    point = Point(1)
    with pytest.raises(AttributeError, match=r"immutable value; make another .* 'up' changed"):
        point.up = 5  # type: ignore[misc]  # what is tested
    with pytest.raises(AttributeError, match="immutable"):
        del point.up
    assert point.up == 0


def test_copies_are_the_value_itself() -> None:
    point = Point(1)
    assert copy.copy(point) is point
    assert copy.deepcopy([point])[0] is point


@pytest.mark.parametrize("value", [Point(7, 8), NamedPoint(1), Propped(5)])
def test_unpickling_gives_the_living_value(value: Interned) -> None:
    assert pickle.loads(pickle.dumps(value)) is value


def test_unpickling_makes_a_value_that_has_died() -> None:
    data = pickle.dumps(Propped(77))
    again = pickle.loads(data)
    assert (again.size, again.double) == (77, 154)
    assert again is Propped(77)
    with pytest.raises(AttributeError, match="immutable"):
        again.size = 1


def test_a_unique_value_keeps_its_identity_within_one_pickle() -> None:
    value = Unique(1)
    first, second = pickle.loads(pickle.dumps([value, value]))
    assert first is second
    assert first is not value


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((), {}, "missing parameter 'across'"),
        ((1, 2, 3), {}, r"takes 2 parameters .* got 3"),
        ((1,), {"across": 2}, "unexpected or repeated parameter 'across'"),
        ((1,), {"sideways": 2}, "unexpected or repeated parameter 'sideways'"),
        (([1],), {}, r"across=\[1\] is not. Use a tuple instead of a list"),
    ],
)
def test_wrong_parameters(args: Any, kwargs: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Point(*args, **kwargs)


def test_the_table_does_not_keep_values_alive() -> None:
    gc.freeze()  # what others left is not counted
    before = len(_values)
    points = [Point(1000 + i) for i in range(50)]
    assert len(_values) == before + 50
    del points
    assert len(_values) == before


def test_a_dead_entry_is_replaced() -> None:
    class Thing:
        pass

    table: Entries = {}
    first = Thing()
    added(table, "key", first)
    entry = table["key"]
    del first
    assert living(table, "key") is None
    assert not table
    table["key"] = entry  # as if the table had not been told yet
    second = Thing()
    assert added(table, "key", second) is second
    assert added(table, "key", Thing()) is second
    assert living(table, "key") is second
    replaced = table["key"]
    third = Thing()
    table["key"] = entry
    assert added(table, "key", third) is third
    del second  # which is not in the table any more: nothing is forgotten
    assert replaced() is None
    assert living(table, "key") is third


def test_threads_that_make_the_same_value_get_one() -> None:
    count, rounds = 8, 200
    made: list[list[Point]] = [[] for _ in range(count)]
    barrier = threading.Barrier(count)

    def work(mine: list[Point]) -> None:
        barrier.wait()
        mine.extend(Point(i, 99) for i in range(rounds))

    threads = [threading.Thread(target=work, args=(mine,)) for mine in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for same in zip(*made, strict=True):
        assert len(set(map(id, same))) == 1


def test_threads_that_drop_a_value_and_make_it_again_share_the_one_that_lives() -> None:
    count, rounds = 8, 1000
    table: Entries = {}
    different: list[int] = []

    def work() -> None:
        for i in range(rounds):
            one, other = added(table, i % 3, frozenset([i])), added(table, i % 3, frozenset([i]))
            if one is not other or living(table, i % 3) is not one:
                different.append(i)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not different
    assert not table
