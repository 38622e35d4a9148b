"""Logarithms of error functions, and their derivatives, where the functions underflow."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad, pushforward
from weft_testing import check_grad

MODES = pytest.mark.parametrize("mode", ["py", "numba", "jax"])
DTYPES = pytest.mark.parametrize("dtype", ["float64", "float32"])
Form = Callable[[Any], Any]
PRECISION = 400
"""Decimal digits of the reference, in which erf and erfc of these numbers are not 1 and 0."""

ERFC: dict[str, Form] = {
    "log(erfc(x))": lambda x: wt.log(wt.erfc(x)),
    "log(1 - erf(x))": lambda x: wt.log(1 - wt.erf(x)),
    "log1p(-erf(x))": lambda x: wt.log1p(-wt.erf(x)),
    "log(3 erfc(x) / 3)": lambda x: wt.log(3 * wt.erfc(x)) - np.log(3),
    "log2(erfc(x))": lambda x: wt.log2(wt.erfc(x)) * np.log(2),
    "log10(1 - erf(x))": lambda x: wt.log10(1 - wt.erf(x)) * np.log(10),
    "-log(1 / erfc(x))": lambda x: -wt.log(1 / wt.erfc(x)),
    "logerfc(x)": wt.logerfc,
}
"""Ways to write log(erfc(x))."""
NDTR: dict[str, Form] = {
    "log(0.5 erfc(-x / sqrt(2)))": lambda x: wt.log(0.5 * wt.erfc(-x / wt.sqrt(2.0))),
    "log(erfc(-x / sqrt(2)) / 2)": lambda x: wt.log(wt.erfc(-x / np.sqrt(2)) / 2),
    "log(0.5 (1 + erf(x / sqrt(2))))": lambda x: wt.log(0.5 * (1 + wt.erf(x / 2**0.5))),
    "log(0.5 + 0.5 erf(x / sqrt(2)))": lambda x: wt.log(0.5 + 0.5 * wt.erf(x * 0.5**0.5)),
    "log(0.5 - 0.5 erf(-x / sqrt(2)))": lambda x: wt.log(0.5 - 0.5 * wt.erf(-x / 2**0.5)),
    "log1p(-erfc(x / sqrt(2)) / 2)": lambda x: wt.log1p(-wt.erfc(x / 2**0.5) / 2),
    "log(1 - 0.5 erfc(x / sqrt(2)))": lambda x: wt.log(1 - 0.5 * wt.erfc(x / 2**0.5)),
    "log_ndtr(x)": wt.log_ndtr,
}
"""Ways to write the logarithm of the normal distribution function."""
AT = [-40.0, -30.0, -12.5, -7.0, -1.0, -0.3, 0.2, 1.0, 3.0]


@cache
def exact_ndtr(x: float) -> tuple[float, float]:
    """The logarithm of the normal distribution function, and its slope."""
    with mpmath.workdps(PRECISION):
        z = mpmath.mpf(x)
        below = mpmath.erfc(-z / mpmath.sqrt(2)) / 2
        density = mpmath.exp(-z * z / 2) / mpmath.sqrt(2 * mpmath.pi)
        return float(mpmath.log(below)), float(density / below)


@cache
def exact_erfc(x: float) -> tuple[float, float]:
    with mpmath.workdps(PRECISION):
        z = mpmath.mpf(x)
        slope = -2 * mpmath.exp(-z * z) / mpmath.sqrt(mpmath.pi)
        return float(mpmath.log(mpmath.erfc(z))), float(slope / mpmath.erfc(z))


@MODES
@DTYPES
@pytest.mark.parametrize(
    ("forms", "exact", "sign"),
    [(ERFC, exact_erfc, -1), (NDTR, exact_ndtr, 1)],
    ids=["erfc", "ndtr"],
)
def test_tails_have_values_and_derivatives(
    forms: dict[str, Form], exact: Any, sign: int, dtype: str, mode: str
) -> None:
    x, t = wt.vector("x", dtype=dtype), wt.vector("t", dtype=dtype)
    outputs = []
    for form in forms.values():
        y = form(x)
        outputs += [y, grad(y.sum(), x), pushforward(y, x, t)]
    points = np.array([sign * v for v in AT], dtype)
    found = iter(function([x, t], outputs, mode=mode)(points, np.full_like(points, 2)))
    values, slopes = np.transpose([exact(float(v)) for v in points])
    rtol = 1e-13 if dtype == "float64" else 2e-5
    for name in forms:
        np.testing.assert_allclose(next(found), values, rtol, rtol / 10, err_msg=name)
        np.testing.assert_allclose(next(found), slopes, rtol, err_msg=name)
        np.testing.assert_allclose(next(found), 2 * slopes, rtol, err_msg=name)


@MODES
def test_second_derivatives_of_tails(mode: str) -> None:
    x = wt.vector("x")
    costs = [wt.log(0.5 * wt.erfc(-x / 2**0.5)).sum(), wt.log_ndtr(x).sum()]
    outputs = [pushforward(grad(cost, x), x, wt.ones_like(x)) for cost in costs]
    points = np.array(AT)
    with np.errstate(over="ignore"):
        found = function([x], outputs, mode=mode)(points)
    slopes = np.array([exact_ndtr(v)[1] for v in AT])
    for second in found:
        np.testing.assert_allclose(second, -slopes * (points + slopes), rtol=1e-8)


@MODES
def test_inverse_mills_ratios(mode: str) -> None:
    """The density over the distribution function, however the square in it is written."""
    x, mu, sigma = wt.vector("x"), wt.scalar("mu"), wt.scalar("sigma")
    z = (x - mu) / sigma
    below = 0.5 * wt.erfc(-z / 2**0.5)
    powers = [wt.exp(-0.5 * z**2), wt.exp(-z * z / 2), wt.exp(-((x - mu) ** 2) / (2 * sigma**2))]
    outputs = [power / (2 * np.pi) ** 0.5 / below for power in powers]
    found = function([x, mu, sigma], outputs, mode=mode)(3 * np.array(AT) + 1, 1.0, 3.0)
    for ratio in found:
        np.testing.assert_allclose(ratio, [exact_ndtr(v)[1] for v in AT], rtol=1e-12)


@MODES
def test_far_out(mode: str) -> None:
    x = wt.vector("x")
    slope = grad(wt.logerfc(x).sum(), x)
    outputs = [wt.erfcx(x), slope, pushforward(slope, x, wt.ones_like(x)), wt.log_ndtr(-x)]
    points = np.array([50.0, 51.0, 1e3, 1e6, 1e9])
    scaled, slopes, second, tail = function([x], outputs, mode=mode)(points)
    np.testing.assert_allclose(scaled * points, np.pi**-0.5, rtol=2.1e-4)
    np.testing.assert_allclose(slopes, -2 * points, rtol=2.1e-4)
    np.testing.assert_allclose(second, np.full(5, -2.0), rtol=1e-3)
    np.testing.assert_allclose(second[2:], np.full(3, -2.0), rtol=1e-5)
    np.testing.assert_allclose(tail, -0.5 * points**2, rtol=1e-2)


def test_slopes_of_the_scaled_function() -> None:
    check_grad(wt.erfcx, [np.array([-2.0, -0.5, 0.0, 0.7, 5.0, 60.0])])
    check_grad(lambda x: grad(wt.logerfc(x).sum(), x), [np.array([-2.0, 0.3, 7.0, 49.0, 51.0])])


@MODES
def test_cauchy_distribution_far_out(mode: str) -> None:
    """JAX made less than nothing of 0.5 + arctan(x) / pi, of which there is no logarithm."""
    x = wt.vector("x")
    below, above = (wt.log(0.5 + s * wt.arctan(x) / np.pi) for s in (1, -1))
    f = function([x], [below, above, grad(below.sum(), x)], mode=mode)
    at = np.array([-1e150, -5e15, -2.0, -0.0, 0.7])
    found = f(at)
    with mpmath.workdps(PRECISION):
        shares = [mpmath.acot(-mpmath.mpf(v)) / mpmath.pi if v else mpmath.mpf("0.5") for v in at]
        shares = [s if s > 0 else s + 1 for s in shares]
        exact = [float(mpmath.log(s)) for s in shares]
        others = [float(mpmath.log(1 - s)) for s in shares]
        slopes = [
            float(1 / (1 + mpmath.mpf(v) ** 2) / mpmath.pi / s)
            for v, s in zip(at, shares, strict=True)
        ]
    np.testing.assert_allclose(found[0], exact, rtol=1e-14)
    np.testing.assert_allclose(found[1], others, rtol=1e-14, atol=1e-16)
    np.testing.assert_allclose(found[2], slopes, rtol=1e-14)
    with np.errstate(all="ignore"):
        ends = f(np.array([-np.inf, np.inf]))[:2]
    np.testing.assert_array_equal(ends, [[-np.inf, 0.0], [0.0, -np.inf]])
