"""Gradients of normal densities through Cholesky factors: closed forms, with the same values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, Mode, function, grad, graph_inputs, rewrite_graph
from weft_rewrites import books

RNG = np.random.default_rng(3)
DRAWN = RNG.normal(size=(6, 8))
COVARIANCE = DRAWN @ DRAWN.T + np.eye(6)
K = wt.matrix("K", shape=(6, 6))
y = wt.vector("y", shape=(6,))
Y = wt.matrix("Y", shape=(6, 2))
s = wt.scalar("s")
L = wt.cholesky(K)
VALUES: dict[Any, Any] = {
    K: COVARIANCE,
    y: RNG.normal(size=6),
    Y: RNG.normal(size=(6, 2)),
    s: np.array(1.7),
}


def half(b: Any) -> Any:
    return wt.square(wt.solve_triangular(L, b, lower=True)).sum()


def log_det(places: Any) -> Any:
    return wt.log(L[places, places]).sum()


ALL = wt.arange(6)
DENSITIES: dict[str, Any] = {
    "both": -0.5 * half(y) - log_det(ALL),
    "places that are constants": -0.5 * half(y) - log_det(np.arange(6)),
    "several vectors": -0.5 * half(Y) - 2 * log_det(ALL),
    "scaled": s * (half(y) / 3 - log_det(ALL)),
    "no determinant": half(y),
    "no vector": log_det(ALL),
    "two of each": half(y) + half(2 * y + 1) + 2 * log_det(ALL),
}
OTHERS: dict[str, Any] = {
    "places that repeat": log_det(np.array([0, 0, 1, 2, 3, 4])),
    "not all places": log_det(np.arange(5)),
    "not a square": (wt.solve_triangular(L, y, lower=True) ** 3).sum(),
    "a product with it": (L @ y).sum(),
    "one of two": half(y) + (L @ y).sum(),
}


def names(expression: Any) -> list[str]:
    graph = FunctionGraph(graph_inputs([expression]), [expression])
    return [str(v.op) for v in rewrite_graph(graph, books).order]


def value(expression: Any, mode: Any) -> Any:
    inputs = graph_inputs([expression])
    return function(inputs, expression, mode=mode)(*(VALUES[v] for v in inputs))


@pytest.mark.parametrize("name", [*DENSITIES, *OTHERS])
def test_gradients_stay_as_they_are(name: str) -> None:
    slope = grad({**DENSITIES, **OTHERS}[name], K)
    plain = value(slope, Mode("py", books=[]))
    np.testing.assert_allclose(value(slope, Mode("py", books=books)), plain, rtol=1e-11)


@pytest.mark.parametrize("name", DENSITIES)
def test_closed_forms_solve_for_vectors_alone(name: str) -> None:
    found = names(grad(DENSITIES[name], K))
    assert found.count("cholesky_inverse") == (name != "no determinant")
    vectors = {"no vector": 0, "two of each": 2}.get(name, 1)
    assert found.count("solve_triangular[upper]") == vectors


def test_lengths_need_not_be_known() -> None:
    places, data = wt.vector("places"), wt.vector("data")
    kernel = wt.exp(-wt.square(places[:, None] - places)) + wt.eye(places.shape[0])
    root = wt.cholesky(kernel)
    off = wt.solve_triangular(root, data, lower=True)
    by_hand = -0.5 * (off * off).sum() - wt.log(wt.diagonal(root)).sum()
    by_name = wt.stats.multivariate_normal.logpdf(data, 0 * data, cov=kernel)
    values = {places: RNG.normal(size=5), data: RNG.normal(size=5)}
    for density in (by_hand, by_name):
        slope = grad(density, places)
        assert names(slope).count("cholesky_inverse") == 1
        modes = Mode("py", books=books), Mode("py", books=[])
        found, plain = (function([*values], slope, mode=m)(*values.values()) for m in modes)
        np.testing.assert_allclose(found, plain, rtol=1e-9)


@pytest.mark.parametrize("name", ["both", "several vectors"])
def test_all_gradients_take_the_same_solution(name: str) -> None:
    mean = Y if name == "several vectors" else y
    slopes = grad(DENSITIES[name], [K, mean])
    found = rewrite_graph(FunctionGraph([K, mean], slopes), books).order
    assert [str(v.op) for v in found].count("solve_triangular[upper]") == 1


@pytest.mark.parametrize("name", OTHERS)
def test_other_gradients_are_solved_for_whole_matrices(name: str) -> None:
    assert "cholesky_inverse" not in names(grad(OTHERS[name], K))


def test_second_derivatives() -> None:
    slope = grad(grad(DENSITIES["scaled"], K)[1, 0], K)
    plain = value(slope, Mode("py", books=[]))
    np.testing.assert_allclose(value(slope, Mode("py", books=books)), plain, rtol=1e-10, atol=1e-12)
