"""What is differentiated is stable in loops and maps, forwards as well as backwards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad, pushforward

V, R = wt.vector("V"), wt.scalar("R")
VALUES = np.array([1.0, -2.0, 1000.0])


def softly(v: Any) -> Any:
    """log(2 cosh(v)), as it is written in books."""
    return wt.log(wt.exp(v) + wt.exp(-v))


def in_steps() -> Any:
    last, _ = wt.loop.scan(lambda s, v: (s + softly(R * v), s), 0.0, V)
    return last


COSTS = {
    "elementwise": lambda: softly(R * V).sum(),
    "map": lambda: wt.map(lambda v: softly(R * v), V).sum(),
    "loop": in_steps,
}


@pytest.mark.parametrize("cost", COSTS.values(), ids=COSTS.keys())
def test_derivatives_are_those_of_what_is_meant(cost: Any) -> None:
    value = cost()
    one = wt.constant(1.0)
    outputs = [*grad(value, [R, V]), pushforward(value, R, one)]
    by_r, by_v, forwards = function([R, V], outputs, mode="py")(1.0, VALUES)
    np.testing.assert_allclose(by_v, np.tanh(VALUES), rtol=1e-14)
    np.testing.assert_allclose([by_r, forwards], VALUES @ np.tanh(VALUES), rtol=1e-14)


def test_values_and_slopes_share_what_they_factor() -> None:
    """Squares are written as such before anything else, for both."""
    s, D = wt.scalar("s"), wt.matrix("D", shape=(5, 5))
    for scaled in (wt.exp(s) ** 2 * wt.exp(-D), wt.exp(-(wt.sqrt(D + s * s) ** 2))):
        factor = wt.linalg.cholesky(scaled + wt.eye(5))
        density = -wt.log(wt.diagonal(factor)).sum()
        graph = function([s, D], [density, grad(density, s)], mode="py").graph
        assert sum(isinstance(v.op, wt.Cholesky) for v in graph.nodes) == 1


def test_rules_do_not_look_through_what_derivatives_are_taken_by() -> None:
    y = wt.exp(V)
    value = (wt.log(y) + wt.log1p(y)).sum()
    constant = wt.log(y).sum() + V.sum()
    slopes = [
        *grad(value, [y, V]),
        pushforward(value, y, wt.ones_like(y)),
        grad(constant, V, consider_constant=[y]),
    ]
    by_y, by_v, forwards, one = function([V], slopes, mode="py")(VALUES[:2])
    e = np.exp(VALUES[:2])
    np.testing.assert_allclose(by_y, 1 / e + 1 / (1 + e), rtol=1e-14)
    np.testing.assert_allclose(by_v, 1 + e / (1 + e), rtol=1e-14)
    np.testing.assert_allclose(forwards, by_y.sum(), rtol=1e-14)
    np.testing.assert_allclose(one, 1)


def test_values_and_slopes_share_what_large_constants_go_into() -> None:
    """A constant that is folded before derivatives are taken is the one folded afterwards."""
    x, weights = wt.vector("x"), np.linspace(0, 1, 300)
    waves = wt.exp(-x * weights[:, None])
    for cost in ((waves**2 / (1 + waves)).sum(), wt.cos(waves).sum()):
        graph = function([x], [cost, grad(cost, x)], mode="py").graph
        assert sum(str(v.op) == "exp" for v in graph.nodes) == 1
