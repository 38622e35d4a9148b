"""Polynomials through points with derivatives, and fractions through points, against SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.interpolate
from against_scipy import Row, assert_as_on_python, assert_as_scipy, assert_slopes

import weft.tensor as wt

OURS: Any = wt.interpolate
THEIRS: Any = scipy.interpolate
RNG: Final = np.random.default_rng(4)
X: Final = np.sort(RNG.normal(size=6))
TWICE: Final = np.array([-1.0, -1.0, -1.0, 0.3, 2.0, 2.0])
Y, TABLE = RNG.normal(size=6), RNG.normal(size=(2, 6, 3))
AT: Final = np.array([[X[1], 0.4, -0.9], [2.5, X[4], 0.0]])


def known(x: Any, n: int) -> Any:
    """Of a length that is known when the graph is built."""
    return x if isinstance(x, np.ndarray) else wt.specify_shape(x, (n,))


def krogh(what: str, *args: Any, axis: int = 0) -> Callable[..., Any]:
    def call(m: Any, x: Any, y: Any, at: Any) -> Any:
        return getattr(m.KroghInterpolator(known(x, 6), y, axis), what)(at, *args)

    return call


def rational(d: int, axis: int = 0) -> Callable[..., Any]:
    def call(m: Any, x: Any, y: Any, at: Any) -> Any:
        return m.FloaterHormannInterpolator(known(x, 6), y, d=d, axis=axis)(at)

    return call


def single(der: Any) -> Callable[..., Any]:
    return lambda m, x, y, at: m.krogh_interpolate(known(x, 6), y, at, der)


ROWS: Final = {
    "krogh": Row(krogh("__call__"), [[X, Y, AT]]),
    "krogh of a table": Row(krogh("__call__", axis=1), [[X, TABLE, AT]]),
    "krogh with derivatives": Row(krogh("__call__"), [[TWICE, Y, AT]], False),
    "derivative": Row(krogh("derivative", 2), [[X, Y, AT]]),
    "derivative with derivatives": Row(krogh("derivative", 1), [[TWICE, Y, AT]], False),
    "derivative beyond": Row(krogh("derivative", 8), [[X, Y, AT]]),
    "all derivatives": Row(krogh("derivatives"), [[TWICE, Y, AT[0]]], False),
    "krogh of complex values": Row(krogh("__call__"), [[X, Y + 1j * X, AT]], False),
    "krogh of float32": Row(krogh("__call__"), [[v.astype("float32") for v in (X, Y, AT)]], False),
    "krogh_interpolate": Row(single(0), [[X, Y, AT]]),
    "of some": Row(single([0, 2]), [[X, Y, AT[0]]]),
    **{f"fractions of {d}": Row(rational(d), [[X, Y, AT]]) for d in range(6)},
    "fractions of a table": Row(rational(3, 1), [[X, TABLE, AT[0]]]),
}


@pytest.mark.parametrize("name", ROWS)
def test_values_and_slopes(name: str) -> None:
    row = ROWS[name]
    assert_as_scipy(OURS, THEIRS, row.call, row.arrays[0], row.tolerance)
    if row.has_slopes:
        assert_slopes(OURS, row)


@pytest.mark.cases(2)
@pytest.mark.parametrize("mode", ["numba", "jax"])
@pytest.mark.parametrize("name", ["krogh of a table", "all derivatives", "fractions of a table"])
def test_backends(name: str, mode: str) -> None:
    assert_as_on_python(OURS, ROWS[name], mode)


@pytest.mark.cases(0)
def test_points_and_single_ones() -> None:
    """And all derivatives, which SciPy's function does not give."""
    every = OURS.krogh_interpolate(X, Y, 0.3, None).eval()
    np.testing.assert_allclose(every, THEIRS.KroghInterpolator(X, Y).derivatives(0.3), 1e-9)
    assert OURS.KroghInterpolator([1.0], [5.0])(3.0).eval() == 5.0
    assert OURS.KroghInterpolator([1.0], [5.0]).derivative(3.0).eval() == 0.0
    many = np.linspace(0.0, 1.0, 300)
    curve = OURS.FloaterHormannInterpolator(many, np.exp(many))
    np.testing.assert_allclose(curve(many + 1e-3).eval(), np.exp(many + 1e-3), 1e-9)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_equal_points_that_are_apart_are_an_error(mode: str) -> None:
    x = wt.vector("x", shape=(3,))
    f = wt.function([x], OURS.KroghInterpolator(x, [1.0, 2.0, 3.0])(0.5), mode=mode)
    with pytest.raises(ValueError, match="equal numbers must be in a row"):
        f([0.0, 1.0, 0.0])


def test_what_is_not_taken_is_an_error() -> None:
    with pytest.raises(ValueError, match="known number of points"):
        OURS.KroghInterpolator(wt.vector("x"), wt.vector("y"))
    with pytest.raises(ValueError, match="d is from 0 to 5, not 6"):
        OURS.FloaterHormannInterpolator(X, Y, d=6)
