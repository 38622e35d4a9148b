"""Logarithms of integrals by those of functions, as SciPy's, on all backends, with derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.integrate

import weft.tensor as wt

OURS: Any = wt.integrate
THEIRS: Any = scipy.integrate
INF = float("inf")

LOGS: dict[str, tuple[Callable[[Any, Any], Any], Any, Any, dict[str, Any]]] = {
    "everywhere": (lambda m, x: -(x**2), -INF, INF, {}),
    "tiny": (lambda m, x: -(x**2) / 2 - 5000, 0.0, [1.0, INF, 0.0], {}),
    "huge": (lambda m, x: 3000 + m.log(x), 0.0, 2.0, {}),
    "infinite at an end": (lambda m, x: -m.log(x) / 2, 0.0, [1.0, 4.0], {}),
    "rough": (lambda m, x: m.sin(x) * 5, 0.0, [1.0, 4.0], {"rtol": float(np.log(1e-3))}),
    "small": (lambda m, x: m.sin(x) * 5, 0.0, 4.0, {"atol": -2.0, "rtol": -800.0}),
    "negative": (lambda m, x: m.log(m.sin(x) + 0j), 0.0, [1.0, 6.0, -1.0], {}),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", LOGS)
@pytest.mark.cases(6)
def test_as_scipys(name: str, mode: str) -> None:
    f, a, b, more = LOGS[name]
    given = OURS.tanhsinh(lambda x: f(wt, x), a, b, log=True, **more)
    ours = dict(zip(given._fields, wt.function([], [*given], mode=mode)(), strict=True))
    theirs = THEIRS.tanhsinh(lambda x: f(np, x), a, b, log=True, **more)
    np.testing.assert_allclose(
        np.exp(1j * ours["integral"].imag), np.exp(1j * theirs.integral.imag)
    )
    np.testing.assert_allclose(ours["integral"].real, theirs.integral.real, 1e-12, 1e-12)
    np.testing.assert_array_equal(ours["success"], theirs.success)
    missed = abs(np.expm1(ours["integral"] - np.where(theirs.success, theirs.integral, 0)))
    allowed = np.exp(np.maximum(ours["error"] - ours["integral"].real, -30))
    assert (missed[ours["integral"].real > -INF] <= allowed[ours["integral"].real > -INF]).all()


@pytest.mark.cases(1)
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_slopes(mode: str) -> None:
    rates = wt.vector("rates")
    area = OURS.tanhsinh(lambda x, r: -r * x**2 - 3000, 0.0, INF, args=rates, log=True).integral
    ahead = wt.pushforward(area, [rates], [wt.ones_like(rates)])
    r = np.array([0.7, 1.5])
    found = wt.function([rates], [area, wt.grad(area.sum(), rates), ahead], mode=mode)(r)
    expected = [np.log(np.pi / r) / 2 - np.log(2) - 3000, -0.5 / r, -0.5 / r]
    for value, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(value, wanted, 1e-9)


def test_what_is_between_the_places_is_seen_or_no_success() -> None:
    top = np.float64(0.3)
    for rate in (1e4, 1e7, 1e9):
        given = OURS.tanhsinh(lambda x, r=rate: -r * (x - top) ** 2, -1.0, 1.0, log=True)
        area, success, status = wt.function([], [given.integral, given.success, given.status])()
        if success:
            np.testing.assert_allclose(area, np.log(np.pi / rate) / 2, 1e-9)
        else:
            assert status in (-2, -3)
        assert success == (rate < 1e6)


@pytest.mark.parametrize("power", [0.9, 0.99])
def test_steep_ends(power: float) -> None:
    given = OURS.tanhsinh(lambda x: -power * wt.log(x), 0.0, 1.0, log=True)
    wanted = THEIRS.tanhsinh(lambda x: -power * np.log(x), 0.0, 1.0, log=True).integral
    np.testing.assert_allclose(given.integral.eval(), wanted, 1e-3)
