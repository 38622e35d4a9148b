"""Gauss' function of large parameters, and its slopes: against mpmath, on three backends."""

from __future__ import annotations

from typing import Any, Final

import mpmath as mp
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad

PLACES: Final = [
    (2.5e-5, -4.0, 739.25, -2.0), (3.0, 11.0, 646.5, 0.639), (0.5, 0.05, 222.36, 0.83),
    (0.506, 0.049, 985.1, 0.806), (-2.68, 10.0, 812.8, -277.7), (-5.0, 0.28, -40.6, -365.6),
    (2.0, -6.0, -26.5, -248.0), (3.02, -0.086, -350.34, -186.8), (2.4, -492.2, 0.0026, 0.2445),
    (-889.9, -0.394, 1.0, 0.0743), (-449.4, -1.784, 1.0, 0.8456), (582.7, 4.0, 0.3715, -42.9),
    (0.1, 0.1, -350.3, 0.5), (-0.004, -846.8, 0.722, 0.5548), (5.02, -54.6, 28.9, 0.936),
    (14.0, 14.5, 30.0, 0.9999), (0.2, 53.7, 6.5, -44.5), (-20.0, 5.0, 3.0, 0.5),
    (-18.1, -13.7, 17.255, -0.74), (-0.83, -61.46, -24.96, 0.7635),
    (-17.55, -13.25, -36.02, 0.9949), (-1.55, -60.4, -23.1, 0.84),
]  # fmt: skip


def _exact(a: Any, b: Any, c: Any, z: Any) -> Any:
    """The sum to its last terms: mpmath ends before terms grow again, next to a pole of c."""
    if not (c < -100 and 0 < z < 1):
        return mp.hyp2f1(a, b, c, z)
    total = term = mp.mpf(1)
    for k in range(6000):
        term *= (a + k) * (b + k) / ((c + k) * (k + 1)) * mp.mpf(z)
        total += term
    return total


@pytest.mark.cases(2)
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_large_parameters(mode: str, few: Any) -> None:
    places = few(PLACES, 8)
    inputs = [wt.vector(name) for name in "abcz"]
    result: Any = function(inputs, wt.special.hyp2f1(*inputs), mode=mode)(*np.array(places).T)
    with mp.workdps(40):
        wanted = [float(_exact(*map(mp.mpf, place))) for place in places]
    np.testing.assert_allclose(result, wanted, rtol=2e-11)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_polynomials_of_large_degrees_that_are_not_whole(mode: str) -> None:
    """For the last two the recurrence from the degree's fraction would divide by 0."""
    places = [
        (95.85, -0.16, -0.89, -0.875), (98.9, 3.5, 4.5, 0.4), (5.7, -25.96, -37.3, -0.53),
        (20.5, -0.3, -6.2, 0.3), (8.5, -1.25, -3.25, 0.1), (9.0, -1.5, -3.5, -0.4),
    ]  # fmt: skip
    inputs = [wt.vector(name) for name in ("n", "alpha", "beta", "x")]
    result: Any = function(inputs, wt.special.eval_jacobi(*inputs), mode=mode)(*np.array(places).T)
    with mp.workdps(80):
        wanted = [float(mp.jacobi(*map(mp.mpf, place))) for place in places]
    np.testing.assert_allclose(result, wanted, rtol=1e-9)
    value = wt.special.eval_legendre(95.85, -0.875).eval()
    np.testing.assert_allclose(value, -0.0367154618906, rtol=1e-9)


@pytest.mark.cases(0)  # mpmath takes seconds
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_slopes_of_large_parameters(mode: str) -> None:
    """Also where the function is 1, and a polynomial."""
    places = [p for p in PLACES if p[2] > 0 and p[0] != -20]
    places += [(0.0, 0.75, 13.1, 0.72), (0.0, -0.5, -0.1, -8.6), (-4.0, 0.7, 1.5, -3.0)]
    inputs = [wt.vector(name) for name in "abcz"]
    slopes = grad(wt.special.hyp2f1(*inputs).sum(), inputs)
    found: Any = function(inputs, slopes, mode=mode)(*np.array(places).T)
    for k, result in enumerate(found):
        orders = tuple(int(i == k) for i in range(4))
        with mp.workdps(40):
            wanted = [float(mp.diff(_exact, tuple(map(mp.mpf, p)), orders)) for p in places]
        np.testing.assert_allclose(result, wanted, rtol=1e-9)


FAR: Final = [
    (-0.5, 1.5, 1.0, -1e250), (0.3, 1.5, 1.0, -6.6e200), (1.2, -0.3, 1.0, -8.3e200),
    (-1.49, 1.5, 3.3, -5e120), (2.5, 0.7, 0.6, -3e17), (0.5, 0.5, 1.0, -2e25),
    (2.5, 1.5, 2.0, -7e60), (1.0, 2.0, 5.2, -4e18), (3.7, 4.1, 5.2, -1e60),
]  # fmt: skip


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_far_below_zero_the_last_way_is_one_step(mode: str, few: Any) -> None:
    places = few(FAR, 3)
    inputs = [wt.vector(name) for name in "abcz"]
    y = wt.special.hyp2f1(*inputs)
    value, *slopes = function(inputs, [y, *grad(y.sum(), inputs[:3])], mode=mode)(
        *np.array(places).T
    )
    with mp.workdps(60):
        wanted = np.array([float(mp.hyp2f1(*map(mp.mpf, place))) for place in places])
        np.testing.assert_allclose(value, wanted, rtol=1e-11)
        for k, slope in enumerate(slopes):
            orders = tuple(int(i == k) for i in range(4))
            exact = [float(mp.diff(mp.hyp2f1, tuple(map(mp.mpf, p)), orders)) for p in places]
            np.testing.assert_allclose(slope, exact, rtol=1e-11, atol=1e-11 * abs(wanted).min())


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_terms_that_cancel(mode: str, few: Any) -> None:
    """Polynomials of Chebyshev and Jacobi, of degrees that need not be whole, and beyond 1."""
    places = [
        (-20.0, 20.0, 0.5, 0.5), (-20.0, 20.0, 0.5, 1.0), (-30.0, 31.0, 1.0, 0.95),
        (-50.0, 52.0, 1.5, 1.5), (-100.0, 103.0, 2.5, 0.3), (501.62, -7.0, 1.026, 0.5),
        (501.62, -7.0, 1.026, 0.98709), (8.6814, -2.0, -19.239, 0.96788),
        (-30.5, 31.5, 1.0, 0.7), (10.0, -900.0, 10.5, 0.99), (482.0, -968.5, 16.9, 0.4835),
        (976.14, -371.292, 13.05, 0.60586), (0.24113, -287.791, 1.1283, 0.35832),
        (-13.697, -860.0, 5.6292, 0.77487),
    ]  # fmt: skip
    places = few(places, 3)
    inputs = [wt.vector(name) for name in "abcz"]
    result: Any = function(inputs, wt.special.hyp2f1(*inputs), mode=mode)(*np.array(places).T)
    with mp.workdps(400):
        wanted = [float(mp.hyp2f1(*map(mp.mpf, place), zeroprec=9000)) for place in places]
    np.testing.assert_allclose(result, wanted, rtol=1e-10)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_where_nothing_is_left_of_terms_there_is_no_number(mode: str) -> None:
    """It was -1e237."""
    inputs = [wt.vector(name) for name in "abcz"]
    f = function(inputs, wt.special.hyp2f1(*inputs), mode=mode)
    results = f(*np.array([(-17.067, -990.0, -12.576, 0.84078), (-1.0, 3.0, 6.0, 2.0)]).T)
    np.testing.assert_equal(results, [np.nan, 0.0])
