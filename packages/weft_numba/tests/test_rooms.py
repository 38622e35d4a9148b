"""Values of a loop's body are computed in memory that is there before: none is read too late."""

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad

N = 3
Step = Callable[..., Any]


def matrices() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(6, N, N)) / 2, rng.normal(size=(N, N))


def swapped(state: Any, x: Any) -> Any:
    a, b = state
    return (b, wt.tanh(a @ x)), a


def delayed(state: Any, x: Any) -> Any:
    now, before, long_before = state
    return (wt.tanh(now @ x + long_before), now, before), before


def turned(state: Any, x: Any) -> Any:
    (a,) = state
    return (wt.exp(-(a @ x)).T,), (a @ x).sum()


def shared(state: Any, x: Any) -> Any:
    a, b = state
    new = wt.tanh(a @ x + b.T)
    return (new, new.T), new


def element(state: Any, x: Any) -> Any:
    a, last = state
    return (wt.tanh(a @ last), x), last + a


def chosen(state: Any, x: Any) -> Any:
    (a,) = state
    return (wt.ifelse(x[0, 0] > 0, a, wt.tanh(a @ x)),), a


def factored(state: Any, x: Any) -> Any:
    (a,) = state
    spread = a @ a.T + wt.eye(N)
    return (wt.linalg.solve(spread, x),), wt.linalg.cholesky(spread)


def nested(state: Any, x: Any) -> Any:
    (a,) = state
    inner, rows = wt.loop.scan(lambda s, row: (wt.tanh(s @ x + row), s), a[0], x)
    return (a + inner * rows.sum(),), rows


PROGRAMS: dict[str, tuple[int, Step]] = {
    "swapped": (2, swapped),
    "delayed": (3, delayed),
    "turned": (1, turned),
    "shared": (2, shared),
    "element": (2, element),
    "chosen": (1, chosen),
    "factored": (1, factored),
    "nested": (1, nested),
}


@pytest.mark.cases(2)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_loop_computes_what_python_does(name: str, reverse: bool) -> None:
    count, step = PROGRAMS[name]
    xs, first = wt.dtensor3("xs"), wt.dmatrix("first")
    states, seen = wt.loop.scan(step, (first,) * count, xs, reverse=reverse)
    total = sum([s.sum() for s in states], seen.sum())
    results = [*states, seen, *grad(total, [xs, first])]
    for outputs in (results, states):
        expected = function([xs, first], outputs, mode="py")(*matrices())
        computed = function([xs, first], outputs, mode="numba")(*matrices())
        for a, b in zip(expected, computed, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-12)


@pytest.mark.parametrize("width", [1, 16, 128, 129, 200])
def test_values_that_do_not_fit_their_room_get_memory(width: int) -> None:
    xs, first, weights = wt.dmatrix("xs"), wt.dvector("first"), wt.dmatrix("weights")
    last, seen = wt.loop.scan(lambda s, x: (wt.tanh(weights @ s + x), (s * x)[::2]), first, xs)
    rng = np.random.default_rng(0)
    data = [rng.normal(size=shape) for shape in ((5, width), (width,), (width, width))]
    data[2] /= width
    given = [xs, first, weights]
    outputs = [last, seen, grad(last.sum() + seen.sum(), weights)]
    expected = function(given, outputs, mode="py")(*data)
    for a, b in zip(expected, function(given, outputs, mode="numba")(*data), strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-10)


@pytest.mark.cases(0)
def test_no_step_asks_for_memory() -> None:
    program = """
import numpy as np
import weft.tensor as wt
from numba.core.runtime import rtsys

xs, first, weights = wt.dmatrix("xs"), wt.dvector("first"), wt.dmatrix("weights")
last, seen = wt.loop.scan(lambda s, x: (wt.tanh(weights @ s + x), s @ x), first, xs)
f = wt.function([xs, first, weights], [last, seen, wt.grad(seen.sum(), weights)], mode="numba")

def asked(steps):
    before = rtsys.get_allocation_stats().mi_alloc
    f(np.ones((steps, 4)), np.ones(4), np.ones((4, 4)))
    return rtsys.get_allocation_stats().mi_alloc - before

asked(3)
print(asked(1000) - asked(10))
"""
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "NUMBA_NRT_STATS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout.strip() == "0", ran.stderr
