"""Fits of differential equations: values and derivatives as SciPy's fits have them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize

import weft.tensor as wt
from weft_graph import grad

TIMES = np.array([0.0, 1.0, 2.0, 4.0])
DATA = np.array([0.1, 0.26, 0.48, 0.95])


def rate(u: Any, t: Any, growth: Any, most: Any) -> Any:
    return growth * u * (1 - u / most)


def fitted(data: Any, start: float) -> Any:
    def residuals(p: Any) -> Any:
        way = scipy.integrate.odeint(rate, start, TIMES, tuple(p), rtol=1e-11, atol=1e-11)
        return way[:, 0] - data

    return scipy.optimize.least_squares(
        residuals, [1.0, 1.0], "3-point", xtol=1e-14, ftol=1e-14, gtol=1e-14
    ).x


def difference(data: Any, start: float) -> Any:
    """How the growth changes with the data and the start along a line."""
    h = 1e-4
    ahead, behind = (fitted(DATA + s * data, 0.1 + s * start)[0] for s in (h, -h))
    return (ahead - behind) / (2 * h)


@pytest.mark.cases("py")  # loops within loops and derivatives of both have tests on each backend
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_parameters_of_an_equation_that_are_fitted_follow_the_data(mode: str, few: Any) -> None:
    """Not SciPy's differences of the solver are taken, but derivatives of its steps."""
    data, start = wt.vector("data", shape=(4,)), wt.scalar("start")
    fit = wt.optimize.least_squares(
        lambda p: (
            wt.integrate.odeint(rate, start, TIMES, (p[0], p[1]), rtol=1e-8, atol=1e-8) - data
        ),
        [1.0, 1.0],
    )
    by = [data, start] if mode == "py" else [data]  # elsewhere the other takes long to compile
    f = wt.function([data, start], [fit.x, *grad(fit.x[0], by)], mode=mode)
    x, *slopes = f(DATA, 0.1)
    np.testing.assert_allclose(x, fitted(DATA, 0.1), rtol=1e-6)
    for way in few([*np.eye(4), np.array([0.7, -0.4, 0.2, 0.5])], 1):
        np.testing.assert_allclose(slopes[0] @ way, difference(way, 0.0), rtol=1e-4, atol=1e-5)
    for slope in slopes[1:]:
        np.testing.assert_allclose(slope, difference(0.0, 1.0), rtol=1e-4)
