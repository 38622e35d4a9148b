"""Log-densities with gradients, rewritten and compiled: all backends agree, and are right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft.tensor as wt

Model = tuple[list[Any], Any, list[Any], list[Any]]
"""Inputs, cost, what to differentiate by, and values."""

rng = np.random.default_rng(3)


def logistic_regression() -> Model:
    """Written naively: rewriting has to make it stable."""
    X = wt.dmatrix("X", shape=("n", "p"))
    y = wt.dvector("y", shape=("n",))
    b = wt.dvector("b", shape=("p",))
    p = wt.sigmoid(X @ b)
    cost = wt.sum(y * wt.log(p) + (1 - y) * wt.log(1 - p)) - 0.5 * wt.sum(b**2)
    values = [rng.normal(size=(50, 3)), rng.integers(0, 2, 50).astype(float), rng.normal(size=3)]
    return [X, y, b], cost, [b], values


def varying_intercepts() -> Model:
    """Groups by index arrays, on log scales."""
    group = wt.lvector("group", shape=("n",))
    y = wt.dvector("y", shape=("n",))
    a = wt.dvector("a", shape=("g",))
    mu, log_tau, log_sigma = wt.dscalars("mu log_tau log_sigma")

    def normal(x: Any, mean: Any, log_scale: Any) -> Any:
        z = (x - mean) * wt.exp(-log_scale)
        return wt.sum(-0.5 * z**2 - log_scale)

    cost = normal(a, mu, log_tau) + normal(y, a[group], log_sigma) - mu**2
    values = [rng.integers(0, 5, 40), rng.normal(size=40), rng.normal(size=5), 0.3, -0.2, 0.1]
    return [group, y, a, mu, log_tau, log_sigma], cost, [a, mu, log_tau, log_sigma], values


def gaussian_process() -> Model:
    """Marginal likelihood by a Cholesky factor."""
    x = wt.dvector("x", shape=("n",))
    y = wt.dvector("y", shape=("n",))
    log_scale, log_noise = wt.dscalars("log_scale log_noise")
    distance = (x[:, None] - x[None, :]) * wt.exp(-log_scale)
    noise = wt.exp(2 * log_noise) * wt.eye(x.shape[0])
    factor = wt.cholesky(wt.exp(-0.5 * distance**2) + noise)
    z = wt.solve_triangular(factor, y, lower=True)
    places = wt.arange(x.shape[0])
    cost = -0.5 * wt.sum(z**2) - wt.sum(wt.log(factor[places, places]))
    return (
        [x, y, log_scale, log_noise],
        cost,
        [log_scale, log_noise],
        [
            np.sort(rng.normal(size=12)),
            rng.normal(size=12),
            -0.1,
            -0.7,
        ],
    )


def robust_regression() -> Model:
    """Updates, branches, concatenation and lengths that depend on an input's value."""
    x = wt.dvector("x")
    k = wt.lscalar("k")
    w = wt.dvector("w")
    first = wt.concatenate([x[:k] * w[0], x[k:] * w[1]])
    bent = wt.where(wt.abs(first) < 1, first**2, 2 * wt.abs(first) - 1)
    raised = bent[wt.arange(k)].set(wt.log1p(bent[:k]))
    cost = wt.ifelse(k > 2, wt.sum(raised), wt.mean(bent)) + wt.prod(w)
    return [x, k, w], cost, [x, w], [rng.normal(size=9), 4, np.array([0.7, -1.3])]


MODELS: list[Callable[[], Model]] = [
    logistic_regression,
    varying_intercepts,
    gaussian_process,
    robust_regression,
]


@pytest.mark.cases(1)
@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_backends_agree_on_value_and_gradient(model: Callable[[], Model], few: Any) -> None:
    inputs, cost, wrt, values = model()
    outputs = [cost, *wt.grad(cost, wrt)]
    expected = wt.function(inputs, outputs, mode=wt.Mode("py", books=[]))(*values)
    for mode in few(("py", "numba", "jax"), 2):
        for found, wanted in zip(
            wt.function(inputs, outputs, mode=mode)(*values), expected, strict=True
        ):
            assert found.dtype == wanted.dtype
            np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12, err_msg=mode)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_gradients_agree_with_finite_differences(model: Callable[[], Model]) -> None:
    inputs, cost, wrt, values = model()
    value = wt.function(inputs, cost, mode="py")
    gradients = wt.function(inputs, wt.grad(cost, wrt), mode="py")(*values)
    for v, gradient in zip(wrt, gradients, strict=True):
        position = next(k for k, i in enumerate(inputs) if i is v)
        direction = np.random.default_rng(1).normal(size=np.shape(values[position]))
        ends = []
        for step in (1e-6, -1e-6):
            moved = list(values)
            moved[position] = values[position] + step * direction
            ends.append(value(*moved))
        difference = (ends[0] - ends[1]) / 2e-6
        np.testing.assert_allclose(np.sum(gradient * direction), difference, rtol=1e-6, atol=1e-7)


def test_a_fit_that_would_overflow_without_rewriting() -> None:
    inputs, cost, wrt, _ = logistic_regression()
    f = wt.function(inputs, [cost, *wt.grad(cost, wrt)], mode="py")
    steep = [np.array([[1.0], [-1.0]]), np.array([1.0, 0.0]), np.array([1000.0])]
    value, gradient = f(*steep)
    assert value == -0.5e6
    assert gradient == pytest.approx(-1000.0)
