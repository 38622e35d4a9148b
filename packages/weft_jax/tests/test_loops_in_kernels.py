"""Loops of short steps, which are one kernel on CPUs: the same results, and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad
from weft_jax.compile.small_kernels import loop_in_kernel

X, N = wt.vector("x"), wt.scalar("n", "int64")
TABLE = wt.matrix("table")


def many(y: Any) -> Any:
    """More steps than XLA puts into one kernel by itself."""
    for k in range(30):
        y = wt.tanh(y + 0.1 * k) * 1.01
    return y


def of_sums(i: Any, x: Any) -> Any:
    return many(x - x.sum()) + 0.1 * x.max() + wt.argmax(x)


def of_others(i: Any, x: Any) -> Any:
    """What is multiplied by zero, and what is not read at all."""
    return many(x) + 0 * X + wt.zeros_like(TABLE[0, 0])


def of_loops(i: Any, x: Any) -> Any:
    return wt.fori_loop(0, i % 3, lambda k, y: many(y) * k, x)


def of_choices(i: Any, x: Any) -> Any:
    return wt.ifelse(x.sum() > i, many(x), wt.cos(x))


def of_rows(i: Any, x: Any) -> Any:
    return many(x) * TABLE[i % TABLE.shape[0], : x.shape[0]]


def of_other_dtypes(i: Any, x: Any) -> Any:
    low = many(x.astype("float32")).astype("int8") & 3
    return many(x) + wt.where(low > 0, low * i, ~(x > 0))


STEPS: list[Callable[[Any, Any], Any]] = [
    *(of_sums, of_others, of_loops, of_choices, of_rows, of_other_dtypes)
]


def compared(outputs: Any, values: Any) -> Any:
    """The function by JAX, whose results are those of Python."""
    ours, pythons = (function([X, TABLE, N], outputs, mode=mode) for mode in ("jax", "py"))
    for n in (0, 5):
        found, expected = ours(*values, n), pythons(*values, n)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)
            assert a.dtype == b.dtype
    return ours


def is_kernel(f: Any, *values: Any) -> bool:
    return "xla_cpu_small_call" in f.lower_text("stablehlo", *values)


@pytest.mark.parametrize("step", STEPS)
def test_results_are_those_of_python(step: Any) -> None:
    rng = np.random.default_rng(0)
    last = wt.fori_loop(0, N, step, X)
    values = rng.normal(size=3), rng.normal(size=(2, 3))
    f = compared([last, last.sum()], values)
    assert is_kernel(f, *values, 5)
    if step is of_others:
        assert f([], values[1], 5)[0].shape == (0,)


@pytest.mark.cases("300")
@pytest.mark.parametrize("size", [1, 33, 300])
def test_sums_of_many_sizes(size: int) -> None:
    x = np.random.default_rng(1).normal(size=size)
    loop = wt.fori_loop(0, N, lambda i, s: s + many((x * s).sum()), 0.5 * X.sum())
    compared([loop], ([1.0], [[2.0]]))


@pytest.mark.cases(0)
def test_sequences_traces_and_derivatives() -> None:
    def step(s: Any, row: Any) -> Any:
        return many(s * row.sum()), s * 2

    last, rows = wt.loop.scan(step, X[0], TABLE)
    values = np.array([0.3]), np.random.default_rng(2).normal(size=(4, 3))
    slopes = grad((rows**2).sum() + last.sum(), [X, TABLE])
    f = compared([rows, last, *slopes], values)
    assert is_kernel(f, *values, 5)


def test_a_step_may_raise() -> None:
    f = function([X, N], wt.fori_loop(0, N, lambda i, s: many(s) + X[i], X.sum()), mode="jax")
    assert is_kernel(f, np.ones(3), 3)
    f(np.ones(3), 3)
    with pytest.raises(IndexError, match="out of bounds") as raised:
        f(np.ones(3), 9)
    assert any("step 3" in note for note in raised.value.__notes__)


@pytest.mark.cases(0)
def test_large_steps_and_states_are_as_ever() -> None:
    x = np.ones(2**17)
    for state, values in ((X, x[:100]), (X.sum(), x)):
        loop = wt.fori_loop(0, N, lambda i, s: many(s) + X[i], state)
        assert not is_kernel(function([X, N], loop, mode="jax"), values, 3)


@pytest.mark.cases(0)
def test_loops_in_loops_are_one_kernel_where_their_steps_are_shorter() -> None:
    def row(before: Any, number: Any) -> Any:
        scores = wt.cos(X * number)
        ahead = wt.concatenate([wt.zeros(1), before[:-1]])

        def cell(left: Any, pair: Any) -> Any:
            best = wt.maximum(pair[0] + pair[1], left - 0.5)
            return best, best

        _, now = wt.loop.scan(cell, 0.0, (ahead, scores))
        return now, now.max()

    given = np.array([1.0, 2.0, 1.0, 3.0])
    tops = wt.loop.scan(row, wt.zeros(X.shape[0]), X)[1]
    slopes = grad(tops.sum(), X)
    f: Any = function([X], slopes, mode="jax")
    assert "xla_cpu_small_call" in f.lower_text("stablehlo", given)
    np.testing.assert_allclose(f(given), function([X], slopes, mode="py")(given))


def test_the_loop_itself_is_no_call_of_its_own() -> None:
    """XLA sees through the calls of its steps: the attributes of the kernel end before it."""

    def loop(x: Any) -> Any:
        return jax.lax.fori_loop(0, 9, lambda i, x: sum(jnp.sin(x + k) for k in range(40)), x)

    text = jax.jit(lambda x: loop_in_kernel(loop, x)).lower(jnp.ones(3)).as_text()
    (line,) = [line for line in text.splitlines() if "stablehlo.while" in line]
    assert 'inlineable = "true"' in line
    assert 'xla_cpu_small_call = "false"' in line
