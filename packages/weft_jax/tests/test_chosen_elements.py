"""What one side of a choice alone needs is computed for the elements that take it."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special

import weft_tensor as wt
from weft_graph import FunctionGraph, function
from weft_jax import as_jax
from weft_jax.lowering.chosen_elements import of_vectors, where_needed
from weft_jax.runtime.runtime_checks import noting

MANY = 3000


@pytest.mark.parametrize("size", [0, 1, 5, MANY])
def test_both_sides_in_parts(size: int) -> None:
    x = wt.vector("x")
    places = np.arange(1.0, 9.0)
    by_sum = wt.exp(-wt.expand_dims(abs(x), -1) * places).sum(axis=-1)
    count, _ = wt.while_loop(lambda s: (s[0] < x).any(), lambda s: (s[0] + 1, s[1]), (0 * x, x))
    graph = FunctionGraph([x], [wt.where(x < 0, by_sum, wt.where(x < 1, 2 * x, count))])
    values = np.random.default_rng(1).uniform(-2, 3, size)
    with jax.enable_x64(True), noting():
        result = np.asarray(jax.jit(of_vectors(graph))(values))
    low, middle = values < 0, (values >= 0) & (values < 1)
    sums = np.exp(-abs(values)[:, None] * places).sum(axis=-1)
    np.testing.assert_allclose(result[low], sums[low], rtol=1e-13)
    np.testing.assert_array_equal(result[middle], 2 * values[middle])
    assert (result[~low & ~middle] >= values[~low & ~middle]).all()


def test_what_no_element_needs_is_not_computed(few: Any) -> None:
    computed: list[int] = []
    wait: Any = jax.effects_barrier

    def side(x: Any) -> Any:
        jax.debug.callback(lambda: computed.append(1))
        return 2 * x

    for size in few((8, MANY), 1):
        x = jnp.arange(float(size))
        where_needed(side, x < 0, [x], x.dtype)
        wait()
        assert not computed
        result = where_needed(side, x.reshape(2, -1) > 3, [x.reshape(2, -1)], x.dtype)
        np.testing.assert_array_equal(result.reshape(-1)[4:], 2 * x[4:])
        wait()
        assert computed.pop()
        computed.clear()


def test_arrays_of_many_elements(few: Any) -> None:
    rng = np.random.default_rng(2)
    v, x = rng.uniform(-5, 60, (2, MANY)), rng.uniform(0.1, 60, (2, MANY))
    order, place = wt.matrix("order"), wt.matrix("place")
    shape, share = abs(order) + 0.1, place / 61
    back = partial(scipy.special.gammaincc, abs(v) + 0.1)
    cases: list[Any] = [
        (wt.special.kv(order, place), np.asarray, scipy.special.kv(v, x), 1e-12),
        (wt.special.gammainccinv(shape, share), back, x / 61, 1e-11),
    ]
    for result, seen, expected, rtol in few(cases, 1):
        found = seen(function([order, place], result, mode="jax")(v, x))
        np.testing.assert_allclose(found, expected, rtol=rtol)


@pytest.mark.cases(0)
def test_jax_differentiates_by_the_rows(few: Any) -> None:
    x = wt.vector("x")
    f = as_jax(function([x], wt.special.expn(2.0, x).sum(), mode="py"))
    with jax.enable_x64(True):
        for size in few((5, MANY), 1):
            at = np.linspace(0.5, 3.0, size)
            slope = jax.grad(lambda t: f(t))(jnp.asarray(at))
            np.testing.assert_allclose(slope, -scipy.special.exp1(at), rtol=1e-12)
