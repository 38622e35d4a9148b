"""Integrals of Bessel functions, against mpmath's hypergeometric series and integrals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import mpmath as mp
import numpy as np
import pytest
import scipy.special

import weft.tensor as wt
from weft_graph import function
from weft_testing import check_op

NAMES: Final = ("itj0y0", "it2j0y0", "iti0k0", "it2i0k0")
PLACES: Final = (1e-8, 0.3, 1.99, 2.01, 3.99, 4.01, 15.0, 100.0, 300.0)
ENDS: Final = {
    # at 0, -2, infinity, -infinity and NaN
    "itj0y0": ([0, -1.425770293, 1, -1, np.nan], [0, np.nan, 0, np.nan, np.nan]),
    "it2j0y0": ([0, 0.441919402, np.inf, np.inf, np.nan], [-np.inf, np.nan, 0, np.nan, np.nan]),
    "iti0k0": ([0, -2.775001905, np.inf, -np.inf, np.nan], [0, np.nan, np.pi / 2, np.nan, np.nan]),
    "it2i0k0": ([0, 0.567353752, np.inf, np.inf, np.nan], [np.inf, np.nan, 0, np.nan, np.nan]),
}


def of_first_kind(name: str, sign: int, x: Any) -> Any:
    square = sign * x * x / 4
    if "2" in name:
        return square / 2 * mp.hyper([1, 1], [2, 2, 2], square)
    return x * mp.hyper([0.5], [1, 1.5], square)


def of_second_kind(name: str, sign: int, x: Any) -> Any:
    """By the power series of Y or K, of which all but the result's digits cancel."""
    with mp.workdps(40 + int(x)):
        x = mp.mpf(x)
        size, square = mp.log(x / 2) + mp.euler, sign * x * x / 4
        total, harmonic, term = mp.mpf(0), mp.mpf(0), mp.mpf(1)
        for k in range(60 + int(2 * x)):
            power = 2 * k if "2" in name else 2 * k + 1
            if k:
                harmonic, term = harmonic + mp.mpf(1) / k, term * square / k / k
            if power:
                total += term / power * (size - mp.mpf(1) / power - harmonic)
        if "2" in name:
            whole = size * size / 2 + total
            return mp.pi / 6 - 2 / mp.pi * whole if sign < 0 else mp.pi**2 / 24 + whole
        return 2 / mp.pi * x * total if sign < 0 else -x * total


def exact(name: str, x: float) -> tuple[Any, Any]:
    sign = -1 if "j" in name else 1
    with mp.workdps(40):
        first = of_first_kind(name, sign, mp.mpf(x))
    return (-first if name == "it2j0y0" else first), of_second_kind(name, sign, x)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_values(mode: str) -> None:
    x = wt.vector("x")
    calls: list[Callable[..., Any]] = [getattr(wt.special, name) for name in NAMES]
    found: Any = function([x], [y for call in calls for y in call(x)], mode=mode)(np.array(PLACES))
    for k, name in enumerate(NAMES):
        wanted = [[float(v) for v in exact(name, place)] for place in PLACES]
        for values, right in zip(found[2 * k : 2 * k + 2], np.transpose(wanted), strict=True):
            amplitude = np.array(PLACES) ** -0.5 if "y" in name else 0.0
            share = np.abs(values - right) / np.maximum(np.abs(right), amplitude)
            assert np.max(share) < 1e-12, (name, share)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", NAMES)
def test_ends(name: str, mode: str) -> None:
    x = wt.vector("x")
    places = np.array([0.0, -2.0, np.inf, -np.inf, np.nan])
    found = function([x], getattr(wt.special, name)(x), mode=mode)(places)
    np.testing.assert_allclose(found, ENDS[name], rtol=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_op(name: str) -> None:
    call = getattr(wt.special, name)
    for place in (np.array([0.3, 2.5, 7.0]), np.zeros(0), np.float64(1.3)):
        check_op(call, place, backends=[], reference=getattr(scipy.special, name))
    narrow = call(np.array([0.3, 2.5, 7.0], "float32"))
    assert [v.dtype for v in narrow] == ["float32"] * 2
    wanted = getattr(scipy.special, name)([0.3, 2.5, 7.0])
    np.testing.assert_allclose([v.eval() for v in narrow], wanted, rtol=2e-6)
    with pytest.raises(TypeError, match="complex"):
        call(1j)


def test_slopes_next_to_0() -> None:
    x = wt.vector("x")
    slopes = [wt.grad(wt.special.__dict__[name](x)[0].sum(), x) for name in ("it2j0y0", "it2i0k0")]
    small, places = np.array([1e-9, 0.0, -1e-3]), function([x], slopes)
    for slope, sign in zip(places(small), (-1, 1), strict=True):
        np.testing.assert_allclose(slope, small / 4 * (1 + sign * small**2 / 16), rtol=1e-12)
