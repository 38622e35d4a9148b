"""Polynomials between knots by Bernstein's: against SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.interpolate
from against_scipy import Row, assert_as_on_python, assert_as_scipy, assert_slopes

import weft.tensor as wt

OURS: Any = wt.interpolate
THEIRS: Any = scipy.interpolate
RANDOM = np.random.default_rng(4)
KNOTS = np.array([-1.0, 0.5, 1.0, 3.0])
PLACES = np.array([-2.0, -1.0, -0.3, 0.5, 0.9, 2.2, 3.0, 4.5, np.nan])
C, WIDE = RANDOM.normal(size=(4, 3)), RANDOM.normal(size=(3, 3, 2))
Y = RANDOM.normal(size=(4, 2))
UNEQUAL = [[1.0, 2.0], [0.0], [2.0, -1.0, 0.5], [3.0, 1.0]]
HOWS = (None, False, "periodic")


def made(m: Any, c: Any, x: Any, **how: Any) -> Any:
    if m is OURS:
        axis = how.get("axis", 0)
        shape = [4 if k == axis and c.ndim == 2 else None for k in range(c.ndim)]
        c = wt.specify_shape(c, [3 if c.ndim == 3 and k == axis else n
                                 for k, n in enumerate(shape)])  # fmt: skip
    return m.BPoly(c, x, **how)


def curve(**how: Any) -> Callable[..., Any]:
    def call(m: Any, c: Any, x: Any, t: Any) -> Any:
        f = made(m, c, x, **how)
        slopes = [f(t, nu) for nu in range(4 if c.ndim == 2 else 3)] + [f.derivative(2)(t)]
        return [f(t), *slopes, f.antiderivative()(t), f.antiderivative(2)(t)]

    return call


def integrals(m: Any, c: Any, x: Any) -> Any:
    return [made(m, c, x, extrapolate=how).integrate(-0.7, 2.5) for how in HOWS]


def powers(m: Any, c: Any, x: Any, t: Any) -> Any:
    c = wt.specify_shape(c, (4, None)) if m is OURS else c
    f = m.BPoly.from_power_basis(m.PPoly(c, x))
    return [f.c, f(t)]


def ends(orders: Any = None) -> Callable[..., Any]:
    def call(m: Any, x: Any, y: Any, t: Any) -> Any:
        if m is OURS:
            y = wt.specify_shape(y, (4, 2))
        f = m.BPoly.from_derivatives(x, y, orders)
        return [f.c, f(t)]

    return call


def unequal(orders: Any = None) -> Callable[..., Any]:
    def call(m: Any, x: Any, t: Any) -> Any:
        f = m.BPoly.from_derivatives(x, UNEQUAL, orders)
        return [f.c, f(t)]

    return call


ROWS = {
    **{f"values, {how}": Row(curve(extrapolate=how), [[C, KNOTS, PLACES]]) for how in HOWS},
    "values in rows": Row(curve(), [[WIDE, KNOTS, PLACES]]),
    "another axis": Row(curve(axis=1), [[np.moveaxis(WIDE, 2, 0), KNOTS, PLACES]]),
    "integrals": Row(integrals, [[C, KNOTS]]),
    "of powers": Row(powers, [[C, KNOTS, PLACES]]),
    "of derivatives": Row(ends(), [[KNOTS, Y, PLACES]]),
    **{f"of derivatives, {n}": Row(ends(n), [[KNOTS, Y, PLACES]]) for n in (1, 2, [3, 1, 2])},
    "of unequal derivatives": Row(unequal(), [[KNOTS, PLACES]]),
    "of unequal derivatives, by orders": Row(unequal([1, 3, 3]), [[KNOTS, PLACES]]),
}


@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    for arrays in ROWS[name].arrays:
        assert_as_scipy(OURS, THEIRS, ROWS[name].call, arrays, 1e-10)


@pytest.mark.cases("jax")
@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_backends(mode: str) -> None:
    def everything(m: Any, c: Any, x: Any, t: Any, y: Any) -> Any:
        f = made(m, c, x)
        return [f(t), f(t, 1), f.integrate(0.1, 2.0), *ends()(m, x, y, t)]

    assert_as_on_python(OURS, Row(everything, [[C, KNOTS, PLACES[:-1], Y]]), mode)


@pytest.mark.parametrize("name", ["of powers", "of derivatives"])
def test_derivatives(name: str) -> None:
    first, second, _ = ROWS[name].arrays[0]
    assert_slopes(OURS, Row(ROWS[name].call, [[first, second, np.array([-0.3, 0.7, 2.0])]]))


ERRORS: dict[str, Callable[[], Any]] = {
    "4 rows for the knots": lambda: OURS.BPoly.from_derivatives(KNOTS[:3], Y),
    "3 orders, 1 or more": lambda: OURS.BPoly.from_derivatives(KNOTS, Y, [1, 2]),
    "orders, 1 or more, not 0": lambda: OURS.BPoly.from_derivatives(KNOTS, Y, 0),
    "and the order 5": lambda: OURS.BPoly.from_derivatives(KNOTS, Y, 5),
    r"write reshape\(-1, 1\)": lambda: OURS.BPoly.from_derivatives(KNOTS, Y[:, 0]),
    "known numbers of points": lambda: OURS.BPoly.from_derivatives(KNOTS, wt.matrix("y")),
    "BPoly: c must have two": lambda: OURS.BPoly(C[0], KNOTS),
    "BPoly: x must be in increasing order": lambda: OURS.BPoly(C, KNOTS[::-1])(0.0).eval(),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message]()


def test_other_curves_are_refused() -> None:
    with pytest.raises(TypeError, match="from_power_basis takes a PPoly"):
        OURS.BPoly.from_power_basis(OURS.BPoly(C, KNOTS))


def test_derivatives_beyond_the_degree_are_0() -> None:
    assert not OURS.BPoly(C, KNOTS)(PLACES[:-1], 4).eval().any()
