"""Activations and their derivatives against JAX's, at kinks and far out."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import weft.tensor as wt

NAMES = [
    "celu",
    "elu",
    "gelu",
    "hard_sigmoid",
    "hard_silu",
    "hard_tanh",
    "leaky_relu",
    "log_sigmoid",
    "mish",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "soft_sign",
    "softplus",
    "squareplus",
    "tanh",
]
MODES = ["py", "numba", "jax"]
DRAWN = np.random.default_rng(2).normal(size=40)
FAR = [-800.0, -40.0, -5.0, -1e-9, 1e-9, 2.5, 40.0, 800.0]
KINKS = [-3.0, -1.0, 0.0, 1.0, 3.0, 6.0]


def theirs(name: str, x: Any) -> tuple[Any, Any]:
    import jax

    with jax.enable_x64():
        f: Any = getattr(jax.nn, name)
        f = partial(f, approximate=False) if name == "gelu" else f
        both = jax.jit(lambda x: (f(x), jax.grad(lambda v: f(v).sum())(x)))
        value, slope = both(x)
        return np.asarray(value), np.asarray(slope)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", MODES)
def test_values_and_slopes_are_those_of_jax(mode: str, name: str) -> None:
    x = wt.vector("x")
    y = getattr(wt.nn, name)(x)
    f = wt.function([x], [y, wt.grad(y.sum(), x)], mode=mode)
    points = np.concatenate([DRAWN, FAR])
    if name == "squareplus":  # JAX's subtracts where x is negative
        points = points[points > -6]
    value, slope = theirs(name, points)
    actual = f(points)
    np.testing.assert_allclose(actual[0], value, rtol=1e-11, atol=1e-300)
    np.testing.assert_allclose(actual[1], slope, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(f(KINKS)[0], theirs(name, np.array(KINKS))[0], rtol=1e-14)
    assert getattr(wt.nn, name)(np.array([-1, 2], np.float32)).eval().dtype == "float32"


@pytest.mark.parametrize("mode", MODES)
def test_further_names_of_jax(mode: str) -> None:
    import jax

    assert wt.nn.swish is wt.nn.silu
    assert wt.nn.hard_swish is wt.nn.hard_silu
    x, points = wt.vector("x"), np.array([*DRAWN, *FAR[1:-1]])
    kinks, positive = (wt.nn.sparse_plus(x), wt.nn.sparse_sigmoid(x)), abs(x) + 1e-9
    smooth = wt.nn.log1mexp(positive)
    means = wt.nn.logmeanexp(x), wt.nn.logmeanexp(x, where=x > 0, keepdims=True)
    slopes = [wt.grad(y.sum(), x) for y in (kinks[0], smooth, means[0])]
    actual = wt.function([x], [*kinks, *means, wt.nn.identity(x), smooth, *slopes], mode=mode)(
        points
    )
    with jax.enable_x64():
        log_means = jax.nn.logmeanexp(points), jax.nn.logmeanexp(points, where=points > 0)[None]
        expected = [
            *(jax.nn.sparse_plus(points), jax.nn.sparse_sigmoid(points), *log_means, points),
            jax.nn.log1mexp(abs(points) + 1e-9),
            jax.nn.sparse_sigmoid(points),
            np.sign(points) / np.expm1(abs(points) + 1e-9),
            jax.nn.softmax(points),
        ]
    for one, other in zip(actual, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-300)


def test_a_root_far_below_zero_keeps_its_digits() -> None:
    x = wt.scalar("x")
    y = wt.nn.squareplus(x, 2.0)
    value, slope = wt.function([x], [y, wt.grad(y, x)], mode="py")(-1e12)
    np.testing.assert_allclose([value, slope], [0.5e-12, 0.5e-24], rtol=1e-15)


@pytest.mark.parametrize("mode", MODES)
def test_gated_halves(mode: str) -> None:
    x = wt.matrix("x")
    points = DRAWN[:24].reshape(4, 6)
    for axis in (0, 1, -1):
        y = wt.nn.glu(x, axis)
        actual = wt.function([x], [y, wt.grad(y.sum(), x)], mode=mode)(points)
        values, gates = np.split(points, 2, axis)
        np.testing.assert_allclose(actual[0], values / (1 + np.exp(-gates)), rtol=1e-14)
        assert actual[1].shape == (4, 6)
    with pytest.raises(ValueError, match="equal"):
        wt.nn.glu(np.ones(3))


def test_classes_are_along_the_last_axis(few: Any) -> None:
    import jax

    x, k, n = wt.matrix("x"), wt.lvector("k"), wt.lscalar("n")
    names = ["softmax", "log_softmax", "standardize"]
    rows = [getattr(wt.nn, name)(x) for name in names]
    hot = [wt.nn.one_hot(k, n), wt.nn.one_hot(k, 4, axis=0)]
    points, labels = DRAWN[:12].reshape(3, 4), np.array([2, 0, 7])
    for mode in few(MODES, 1):
        *values, by_row, by_column = wt.function([x, k, n], [*rows, *hot], mode=mode)(
            points, labels, 4
        )
        with jax.enable_x64():
            for name, value in zip(names, values, strict=True):
                np.testing.assert_allclose(value, getattr(jax.nn, name)(points), rtol=1e-12)
        np.testing.assert_array_equal(by_row, by_column.T)
        np.testing.assert_array_equal(by_row, jax.nn.one_hot(labels, 4))


@pytest.mark.parametrize("mode", MODES)
def test_means_and_variances_that_are_known(mode: str) -> None:
    import jax

    x, mean, points = wt.matrix("x"), wt.vector("mean"), DRAWN[:12].reshape(3, 4)
    kept = points > points.min()
    calls: list[Any] = [
        {"axis": 0, "mean": mean},
        {"axis": 0, "mean": mean, "algorithm": "stable", "where": kept},
        {"axis": 0, "variance": mean + 5, "where": kept, "epsilon": 0.1},
        {"axis": None, "where": kept},
    ]
    f = wt.function([x, mean], [wt.nn.standardize(x, **how) for how in calls], mode=mode)
    with jax.enable_x64():
        for value, how in zip(f(points, points[1]), calls, strict=True):
            known = {"mean": points[1], "variance": points[1] + 5}
            how = {name: known.get(name, given) for name, given in how.items()}
            np.testing.assert_allclose(value, jax.nn.standardize(points, **how), rtol=1e-12)
    with pytest.raises(ValueError, match="algorithm is 'fast' or 'stable'"):
        wt.nn.standardize(x, algorithm="slow")
