"""Curves through points of a plane, and splines through values: SciPy's, with derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.interpolate

import weft.tensor as wt
from weft_testing import check_grad

OURS: Any = wt.interpolate
THEIRS: Any = scipy.interpolate
TURNS: Final = np.array([0.0, 0.4, 1.1, 2.0, 2.2, 3.0, 3.9])
X, Y = np.cos(TURNS), np.sin(TURNS) + 0.3 * TURNS
AT: Final = np.linspace(0.0, 1.0, 5)


def curves(m: Any, x: Any, y: Any) -> list[Any]:
    found: list[Any] = []
    for options in ({}, {"k": 2}, {"k": 1}, {"u": TURNS}):
        tck, u = m.splprep([x, y], s=0, **options)
        found += [u, tck[0], *tck[1], *m.splev(AT, tck), *m.splev(AT, tck, der=1)]
        found += [*m.splint(0.0, 0.5, tck)] if not options else []
    for degree in (1, 3):
        curve, u = m.make_splprep([x, y], s=0, k=degree)
        found += [u, curve(AT), curve(AT, 1)]
        found += [m.make_splrep(TURNS, y, s=0, k=degree)(AT)]
    return found


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_as_scipys(mode: str) -> None:
    x, y = wt.vector("x", shape=7), wt.vector("y", shape=7)
    found = wt.function([x, y], curves(OURS, x, y), mode=mode)(X, Y)
    for value, reference in zip(found, curves(THEIRS, X, Y), strict=True):
        np.testing.assert_allclose(value, reference, 1e-9, 1e-9)


def test_three_axes_in_one_matrix_and_inner_knots() -> None:
    points = np.stack([X, Y, TURNS])
    ours, theirs = (m.make_splprep(points, s=0)[0](AT) for m in (OURS, THEIRS))
    np.testing.assert_allclose(ours.eval(), theirs, 1e-9)
    one, other = (m.splrep(TURNS, Y, t=[1.5, 2.1]) for m in (OURS, THEIRS))
    values = OURS.make_splrep(TURNS, Y, t=[1.5, 2.1])(AT).eval()
    np.testing.assert_allclose(values, THEIRS.splev(AT, other), 1e-9)
    np.testing.assert_allclose(OURS.splev(AT, one).eval(), values, 1e-9)


@pytest.mark.cases(0)
def test_slopes() -> None:
    def way(x: Any, y: Any) -> Any:
        (first, second), (curve, _) = (
            OURS.splev(AT, OURS.splprep([x, y], s=0)[0]),
            (OURS.make_splprep([x, y], k=2)),
        )
        return first + second**2 + curve(0.3).sum()

    check_grad(way, [X, Y])


ERRORS: Final[dict[str, Callable[[], Any]]] = {
    "a vector for each axis": lambda: OURS.splprep(X, s=0),
    "how many axes x has": lambda: OURS.splprep(wt.matrix("x"), s=0),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message]()
