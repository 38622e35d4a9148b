"""Splines through signals: against SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.signal
from against_scipy import Row, assert_as_on_python, assert_as_scipy, assert_slopes, of

import weft.tensor as wt

OURS: Any = wt.signal
THEIRS: Any = scipy.signal
RANDOM = np.random.default_rng(9)
X = RANDOM.normal(size=13)
PLACES = np.array([-14.3, -0.2, 0.0, 0.4, 1.5, 3.0, 7.75, 11.9, 12.0, 12.6, 26.1, 41.0])
CALLS = ("cspline1d", "qspline1d")


def values(name: str, **how: Any) -> Callable[..., Any]:
    return lambda m, x, t: getattr(m, f"{name}_eval")(getattr(m, name)(x, **how), t)


ROWS = {
    **{name: Row(of(name), [[X], [X[:2]], [X.astype("float32")]]) for name in CALLS},
    **{f"{name}_eval": Row(values(name), [[X, PLACES], [X[:3], PLACES[::-1] / 3]])
       for name in CALLS},
    "cspline1d_eval of a grid": Row(
        lambda m, c, t: m.cspline1d_eval(c, t, dx=0.5, x0=-1.0), [[X, PLACES]]),
    **{f"gauss_spline, {n}": Row(of("gauss_spline", n), [[PLACES / 5], [X[:1].astype("float32")]])
       for n in (0, 3)},
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    for arrays in ROWS[name].arrays:
        assert_as_scipy(OURS, THEIRS, ROWS[name].call, arrays, 1e-11)


@pytest.mark.cases("jax")
@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_backends(mode: str) -> None:
    def everything(m: Any, x: Any, t: Any) -> Any:
        return [values(name)(m, x, t) for name in CALLS] + [m.cspline1d(x, 0.5)]

    assert_as_on_python(OURS, Row(everything, [[X, PLACES]]), mode)


@pytest.mark.parametrize("name", CALLS)
def test_derivatives(name: str) -> None:
    assert_slopes(OURS, Row(values(name), [[X[:5], np.array([-0.3, 0.7, 2.2, 5.1])]]))


def test_a_spline_goes_through_its_signal() -> None:
    x = RANDOM.normal(size=40)
    for name in CALLS:
        np.testing.assert_allclose(values(name)(OURS, x, np.arange(40.0)).eval(), x, atol=1e-12)


@pytest.mark.parametrize("lamb", [0.00695, 0.01, 1 / 24, 0.3, 5.0])
def test_smooth_splines(lamb: float) -> None:
    """By a transform of the signal and its mirror: SciPy's are not what they should be."""
    x = RANDOM.normal(size=80)
    w = 2 * np.pi * np.fft.fftfreq(160)
    factors = 1 / ((2 + np.cos(w)) / 3 + lamb * (2 - 2 * np.cos(w)) ** 2)
    expected = np.fft.ifft(np.fft.fft(np.r_[x, x[::-1]]) * factors).real[:80]
    np.testing.assert_allclose(OURS.cspline1d(x, lamb).eval(), expected, atol=1e-12)


ERRORS: dict[str, Callable[[], Any]] = {
    "cspline1d takes a vector": lambda: OURS.cspline1d(np.eye(2)),
    "lamb is 0, or a number": lambda: OURS.cspline1d(X, 0.001),
    "smooth quadratic splines": lambda: OURS.qspline1d(X, 1.0),
    "qspline1d_eval takes a vector": lambda: OURS.qspline1d_eval(1.0, X),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message]()
