"""State that many threads change and read at once: every call takes its turn, none is lost."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Thread
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, function, get_value, set_value, wrap_py
from weft_numba import NumbaLinker

THREADS = 16
MODES = pytest.mark.parametrize(
    "mode",
    ["py", "numba", Mode(NumbaLinker(nogil=True)), "jax"],
    ids=["py", "numba", "nogil", "jax"],
)
SIZES = pytest.mark.parametrize(("size", "calls"), [((), 100), ((100_000,), 25)], ids=str)


@pytest.fixture(autouse=True)
def _switch_often() -> Iterator[None]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


def from_threads(work: Callable[[int], Any]) -> list[Any]:
    """What `work` gives in each of sixteen threads, which begin together."""
    together = Barrier(THREADS)

    def begin(k: int) -> Any:
        together.wait()
        return work(k)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


def values_from_threads(work: Callable[[int], Any], calls: int) -> list[float]:
    """What `work` gives when each of sixteen threads calls it so many times."""
    found = from_threads(lambda k: [float(work(k)) for _ in range(calls)])
    return [value for own in found for value in own]


@MODES
@SIZES
def test_no_update_is_lost(mode: Any, size: tuple[int, ...], calls: int) -> None:
    count = wt.shared(np.zeros(size))
    step = function([], count.sum(), updates={count: count + 1}, mode=mode)
    seen = values_from_threads(lambda _: step(), calls)
    assert np.all(get_value(count) == THREADS * calls)
    assert sorted(seen) == [k * float(np.prod(size)) for k in range(THREADS * calls)]


@pytest.mark.cases(2)
@MODES
def test_every_draw_is_another(mode: Any, few: Any) -> None:
    state = wt.shared(np.uint64(7))
    following, now = wt.random.split(state)
    draw = function([], wt.random.normal(now), updates={state: following}, mode=mode)
    count = len(few(range(100), 25))
    assert len(set(values_from_threads(lambda _: draw(), count))) == THREADS * count


@MODES
@SIZES
def test_two_functions_with_one_state(mode: Any, size: tuple[int, ...], calls: int) -> None:
    count = wt.shared(np.zeros(size))
    up = function([], [], updates={count: count + 1}, mode=mode)
    twice = function([], [], updates={count: count + 2}, mode=mode)
    from_threads(lambda k: [(up, twice)[k % 2]() for _ in range(calls)])
    assert np.all(get_value(count) == THREADS * calls * 1.5)


@MODES
def test_states_that_depend_on_each_other(mode: Any) -> None:
    """What a call reads is of one moment: each exchange keeps the total."""
    a, b = wt.shared(1000.0), wt.shared(0.0)
    give = function([], a + b, updates={a: a - 1, b: b + 1}, mode=mode)
    take = function([], b + a, updates={b: b - 1, a: a + 1}, mode=mode)
    copy = function([], [], updates={a: b}, mode=mode)
    swap = function([], [], updates={b: a}, mode=mode)
    assert set(values_from_threads(lambda k: (give, take)[k % 2](), 100)) == {1000.0}
    assert float(get_value(a)) == 1000.0
    set_value(b, 1.0)
    from_threads(lambda k: [(copy, swap)[k % 2]() for _ in range(50)])
    assert float(get_value(a)) == float(get_value(b))  # else they would have been exchanged


@MODES
@SIZES
def test_who_only_reads_meets_no_half_written_state(
    mode: Any, size: tuple[int, ...], calls: int
) -> None:
    state = wt.shared(np.zeros(size))
    step = function([], [], updates={state: state + 1}, mode=mode)
    look = function([], [state.max() - state.min(), state], mode=mode)

    def work(k: int) -> Any:
        if k % 4 == 0:
            return [step() for _ in range(calls)]
        if k % 4 == 1:
            return [np.ptp(get_value(state)) for _ in range(calls)]
        if k % 4 == 2:
            return [np.ptp(look()[1]) for _ in range(calls)]
        return [float(look()[0]) for _ in range(calls)]

    seen = from_threads(work)
    assert {float(v) for k, found in enumerate(seen) if k % 4 for v in found} == {0.0}
    assert np.all(get_value(state) == 4 * calls)


@MODES
def test_a_value_that_is_set_meanwhile_is_not_overwritten(mode: Any) -> None:
    """A call that began before ends before: what was set is there when the next one reads."""
    state, waits = wt.shared(0.0), []

    @wrap_py(itypes=[wt.dscalar], otypes=[wt.dscalar], infer_shape=lambda g, n, s: s)
    def slow(value: Any) -> Any:
        setter = Thread(target=set_value, args=(state, 100.0))
        setter.start()
        setter.join(0.05)
        waits.append(setter)
        return np.asarray(value + 1)

    f = function([], [], updates={state: slow(state)}, mode=mode)
    f()
    waits[0].join()
    assert float(get_value(state)) == 100.0


@MODES
def test_a_call_inside_a_call_of_one_thread(mode: Any) -> None:
    state = wt.shared(1.0)
    inner = function([], [], updates={state: state * 2}, mode=mode)

    @wrap_py(itypes=[wt.dscalar], otypes=[wt.dscalar], infer_shape=lambda g, n, s: s)
    def calls_again(value: Any) -> Any:
        inner()
        return np.asarray(value + 1)

    function([], [], updates={state: calls_again(state)}, mode=mode)()
    assert float(get_value(state)) == 2.0


@MODES
def test_a_call_that_fails_lets_the_others_go_on(mode: Any) -> None:
    state, x = wt.shared(0.0), wt.scalar("x")
    checked = wt.check_and_raise(state + x, x > 0, ValueError, "no")
    f = function([x], [], updates={state: checked}, mode=mode)

    def work(k: int) -> None:
        for _ in range(30):
            if k % 2:
                f(1.0)
            else:
                with pytest.raises(ValueError, match="no"):
                    f(-1.0)

    from_threads(work)
    assert float(get_value(state)) == THREADS / 2 * 30


def test_functions_with_much_state() -> None:
    states = [wt.shared(0.0) for _ in range(60)]
    f = function([], [], updates={s: s + 1 for s in states}, mode="py")
    g = function([], [], updates={s: s + 1 for s in reversed(states)}, mode="py")
    from_threads(lambda k: [(f, g)[k % 2]() for _ in range(20)])
    assert {float(get_value(s)) for s in states} == {THREADS * 20.0}


def test_state_pickles_with_its_function() -> None:
    state = wt.shared(1.0)
    f = function([], state, updates={state: state + 1}, mode="py")
    f()
    again = pickle.loads(pickle.dumps(f))
    assert [float(again()), float(again()), float(f())] == [2.0, 3.0, 2.0]
