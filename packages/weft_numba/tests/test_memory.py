"""Memory of functions compiled with Numba: nothing leaks, scalars take none, nobody shares."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numba.core.runtime.nrt import rtsys

import weft_tensor as wt
from weft_graph import function, get_value, grad
from weft_numba import numba_funcify
from weft_numba.numba_layer import allocation
from weft_numba.runtime.finishers import how_to_finish

x, y = wt.vector("x"), wt.vector("y")
X = wt.matrix("X")
k = wt.vector("k", dtype="int64")
MANY = [x, y, *(wt.vector(f"v{n}") for n in range(18))]


class RefusedError(Exception):
    """A user's own."""


class Third(wt.TensorOp):
    """Its Numba function fails while it holds an array of its own."""

    def infer(self, *types: Any) -> Any:
        return wt.TensorType("float64", ())

    def impl(self, *values: Any) -> Any:
        return 2.0 * values[0][3]


@numba_funcify.register(Third)
def _(op: Third, **kwargs: Any) -> Any:
    def third(x: Any) -> Any:
        doubled = x + x
        if doubled.size < 4:
            raise IndexError("index is out of bounds")
        return doubled[3]

    return third


@pytest.fixture(autouse=True)
def counted() -> Iterator[None]:
    """Numba counts allocations only if it is told to."""
    runtime = import_module("numba.core.runtime._nrt_python")
    runtime.memsys_enable_stats()
    yield
    runtime.memsys_disable_stats()


def held(call: Callable[[], Any], times: int) -> int:
    """How many allocations outlive so many calls."""
    before = rtsys.get_allocation_stats()
    for _ in range(times):
        call()
    after = rtsys.get_allocation_stats()
    made = after.mi_alloc - before.mi_alloc
    freed = after.mi_free - before.mi_free
    return int(made - freed)


positive = (wt.exp(x) > 2).all()


def beyond(states: Any, i: Any) -> Any:
    """Two arrays, of which later steps compute something that fails after the first ones."""
    a, b = states
    c, d = wt.exp(a) * b, a - b
    return (c + x[i], wt.sort(d) + c), c.sum()


LOOP = wt.loop.scan(beyond, (x, x * 2.0), wt.arange(297, 302))

FAILING: dict[str, tuple[list[Any], list[Any], list[Any], type[Exception]]] = {
    "lengths": ([x, y], [wt.exp(x).sum() * wt.exp(y), x + y], [np.ones(3), np.ones(4)], ValueError),
    "product": ([X, x], [wt.exp(X) @ wt.exp(x)], [np.ones((3, 3)), np.ones(4)], ValueError),
    "gather": ([x, k], [wt.exp(x)[k], x * 2], [np.ones(3), np.array([5])], IndexError),
    "element": ([x], [x[5] + wt.exp(x)], [np.ones(3)], IndexError),
    "reshape": ([x], [wt.exp(x).reshape((2, 2)) * 2], [np.ones(3)], ValueError),
    "indefinite": ([X], [wt.cholesky(wt.exp(X)).sum()], [np.zeros((3, 3))], np.linalg.LinAlgError),
    "singular": ([X], [wt.inv(X * 2), X + 1], [np.zeros((3, 3))], np.linalg.LinAlgError),
    "stack": ([X], [wt.inv(wt.stack([X, X * 0]))], [np.eye(3)], np.linalg.LinAlgError),
    "check": ([x], [wt.check_and_raise(wt.exp(x), positive, RefusedError, "no") * 2],
              [-np.ones(3)], RefusedError),
    "branch": ([x, k], [wt.ifelse(wt.sum(x) > 0, wt.exp(wt.sort(x))[k], x[1:]), x * 2],
               [np.ones(3), np.array([5])], IndexError),
    "loop": ([x], [*LOOP[0], LOOP[1]], [np.ones(300)], IndexError),
    "number": ([x], [wt.squeeze(x, 0) + 1], [np.ones(3)], ValueError),
    "row": ([X, x], [wt.squeeze(X, 0) * x, wt.sum(x)], [np.ones((3, 3)), np.ones(3)], ValueError),
    "user's": ([x, y], [Third()(wt.exp(x) * y), x - y], [np.ones(3), np.ones(3)], IndexError),
    "many": (MANY, [x, *(wt.exp(v) * y for v in MANY)],
             [np.ones(3)] * 19 + [np.ones(2)], ValueError),
    "joined": (MANY, [wt.stack(MANY), x * 2], [np.ones(3)] * 19 + [np.ones(2)], ValueError),
}  # fmt: skip


@pytest.mark.cases(4)
@pytest.mark.parametrize("case", FAILING)
def test_what_fails_gives_back_the_memory_it_holds(case: str) -> None:
    inputs, outputs, values, kind = FAILING[case]
    f = function(inputs, outputs, mode="numba")

    def call() -> None:
        with pytest.raises(kind):
            f(*values)

    call()
    assert held(call, 1000) == 0


FAILS = """
import numpy as np
import weft_tensor as wt
from weft_graph import function

x = wt.vector("x")
f = function([x], wt.squeeze(x, 0) + 1, mode="numba")
failed = 0
for _ in range(100):
    try:
        f(np.ones(3))
    except ValueError:
        failed += 1
for k in range(8):
    function([x], wt.sum(x * k), mode="numba")([1.0])
print(failed)
"""


@pytest.mark.cases(0)
def test_what_fails_leaves_its_arguments_to_the_caller() -> None:
    """Freed twice, memory is spoilt for whoever gets it next, which ends the process."""
    done = subprocess.run(
        [sys.executable, "-c", FAILS], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "100\n", "")


@pytest.mark.cases(0)
def test_many_arrays_keep_nothing() -> None:
    gc.freeze()  # what others left need not be searched
    outputs = [wt.concatenate(MANY), *MANY, *(v * 2 for v in MANY), *(v[::-1] for v in MANY)]
    f = function(MANY, outputs, mode="numba")
    values = [np.full(3, float(n)) for n in range(20)]
    f(*values)
    assert held(partial(f, *values), 100) == 0
    references = [weakref.ref(value) for value in values]
    del values
    gc.collect()
    assert not any(reference() is not None for reference in references)


def test_branches_keep_nothing() -> None:
    chosen = wt.ifelse(wt.sum(x) > 0, wt.exp(wt.sort(x) + 1), x[1:])
    f = function([x], [wt.sum(chosen), chosen * 2], mode="numba")
    for values in (np.ones(5), -np.ones(5)):
        f(values)
        assert held(partial(f, values), 100) == 0


def test_a_print_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    f = function([x], [wt.print_value(wt.exp(x), "e"), x + 1], mode="numba")

    class Closed:
        def write(self, text: str) -> None:
            raise BrokenPipeError

    monkeypatch.setattr("sys.stdout", Closed())

    def call() -> None:
        with pytest.raises(BrokenPipeError):
            f(np.ones(3))

    call()
    assert held(call, 100) == 0


def test_values_of_a_failed_call_die_with_its_error() -> None:
    f = function([X], wt.cholesky(wt.exp(X)).sum(), mode="numba")
    values = np.zeros((3, 3))
    known = weakref.ref(values)
    gc.disable()
    try:
        with pytest.raises(np.linalg.LinAlgError):
            f(values)
        del values
        assert known() is None
    finally:
        gc.enable()


def test_scalars_take_no_memory() -> None:
    a, b = wt.scalar("a"), wt.scalar("b", dtype="int64")
    c = wt.scalar("c", dtype="complex128")
    outputs = [wt.sin(a) * b, wt.where(a > 0, a, b), c * a, wt.maximum(b, 3) // 2]
    f = function([a, b, c], outputs, mode="numba")
    values = np.array(2.0), np.array(3), np.array(1j)
    f(*values)
    before = rtsys.get_allocation_stats()
    f(*values)
    assert rtsys.get_allocation_stats() == before


def address(array: Any) -> int:
    found: int = array.__array_interface__["data"][0]
    return found


def test_memory_of_what_is_dead_is_used_again() -> None:
    f = function([x], wt.exp(x) + 1, mode="numba")
    values = np.ones(100_000)
    f(values)
    allocation.release()
    assert allocation.kept() == 0
    first = f(values)
    place = address(first)
    del first
    assert 800_000 <= allocation.kept() <= 800_100
    second = f(values)
    assert address(second) == place
    assert allocation.kept() == 0
    assert address(f(values[1:])) != place


def test_dead_intermediates_are_freed_before_the_end() -> None:
    h = X
    for _ in range(10):
        h = wt.tanh(h @ X)
    f = function([X], h, mode="numba")
    f(np.ones((200, 200)))
    allocation.release()
    result = f(np.ones((200, 200)))
    assert allocation.kept() <= 2 * (result.nbytes + 100)


@pytest.mark.cases(0)
def test_not_all_memory_is_kept() -> None:
    f = function([x], x + 1, mode="numba")
    allocation.release()
    arrays = [f(np.zeros(n)) for n in range(2_000_000, 2_000_020)]
    assert all(array[-1] == 1 for array in arrays)
    del arrays
    assert 0 < allocation.kept() <= allocation.LIMIT
    small = [f(np.zeros(n)) for n in range(10_000, 10_100)]
    del small
    assert 0 < allocation.kept() <= allocation.LIMIT
    allocation.release()
    huge = f(np.zeros(allocation.LIMIT // 8 + 1))
    del huge
    assert allocation.kept() == 0


def test_threads_do_not_get_the_same_memory() -> None:
    f = function([x], [x * 2, wt.exp(x).sum() + x], mode="numba")

    def work(seed: int) -> bool:
        values = np.full(9_000 + seed % 3, float(seed))
        for _ in range(100):
            twice, moved = f(values)
            if (twice != 2 * values).any() or (moved != moved[0]).any():
                return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(16)))


ALIASES: dict[str, list[Any]] = {
    "an input": [X, X, X.named("same")],
    "views of an input": [X, X.T, X[1:], X[:, 0], X.reshape((-1,)), X[None], X[::-1]],
    "views of a result": [r := wt.exp(X), r.T, r[1:], r[0], r.reshape((-1,)), r.T[1:], r],
    "a constant": [c := wt.constant(np.arange(9.0).reshape(3, 3)), c, c.T, c[1], X + c],
    "equal results": [X + 1, (X + 1).named("again"), (X + 1).T],
    "of matrices": [wt.inv(X), wt.inv(X).T, X @ X, (X @ X)[0], wt.diag(X), wt.triu(X)],
    "joined": [wt.concatenate([X, X]), wt.stack([X, X])[0], wt.broadcast_to(X, (2, 3, 3))],
    "updated": [X[0].set(1.0), X[:0].set(1.0), X],
    "filled": [wt.full_like(X, 0.1), z := wt.zeros(X.shape), z.T, z[0], grad(X.sum(), X)],
}


@pytest.mark.cases(3)
@pytest.mark.parametrize("case", ALIASES)
def test_results_share_memory_with_nothing(case: str) -> None:
    f = function([X], ALIASES[case], mode="numba")
    value = np.random.default_rng(0).normal(size=(3, 3)) + 3 * np.eye(3)
    constants = [v.op.value for v in f.graph.order if hasattr(v.op, "value")]
    for one, two in combinations([value, *constants, *f(value)], 2):
        assert not np.shares_memory(one, two)
    for result in f(value):
        assert result.flags.writeable


def test_what_numbers_fill_is_not_copied() -> None:
    filled = [wt.full_like(X, 0.1), wt.zeros(X.shape), grad(3 * X.sum(), X)]
    graph = function([X], filled, mode="numba").graph
    assert "copy" not in how_to_finish(graph)


def test_the_new_state_gets_the_memory_of_the_old_one() -> None:
    w = wt.shared(np.zeros(100_000), "w")
    step = function([x], w.sum(), updates={w: w - 0.1 * x}, mode="numba")
    values = np.ones(100_000)
    state: Any = w.op
    places = set()
    for _ in range(6):
        step(values)
        places.add(address(state.cell.value))
    assert len(places) <= 3  # the first was not made by the function
    assert get_value(w)[0] == pytest.approx(-0.6)


def test_a_failed_call_leaves_the_state_as_it_was() -> None:
    w = wt.shared(np.arange(20_000.0), "w")
    checked = wt.check_and_raise(w + x, (x > 0).all(), RefusedError, "not positive")
    step = function([x], None, updates={w: checked}, mode="numba")
    before = get_value(w)
    with pytest.raises(RefusedError):
        step(-np.ones(20_000))
    with pytest.raises(ValueError, match="while computing"):
        step(np.ones(3))
    assert (get_value(w) == before).all()
    step(np.ones(20_000))
    assert (get_value(w) == before + 1).all()
