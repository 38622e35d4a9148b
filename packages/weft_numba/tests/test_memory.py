"""Memory of functions compiled with Numba: nothing leaks, scalars take none, nobody shares."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from numba.core.runtime.nrt import rtsys

import weft_tensor as wt
from weft_graph import function
from weft_numba import numba_funcify

x, y = wt.vector("x"), wt.vector("y")
X = wt.matrix("X")
k = wt.vector("k", dtype="int64")


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
    "user's": ([x, y], [Third()(wt.exp(x) * y), x - y], [np.ones(3), np.ones(3)], IndexError),
}  # fmt: skip


@pytest.mark.parametrize("case", FAILING)
def test_what_fails_gives_back_the_memory_it_holds(case: str) -> None:
    inputs, outputs, values, kind = FAILING[case]
    f = function(inputs, outputs, mode="numba")

    def call() -> None:
        with pytest.raises(kind):
            f(*values)

    call()
    assert held(call, 1000) == 0


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
