"""Linear functions that are least under linear conditions, against SciPy's."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
import scipy.optimize

import weft.tensor as wt
from weft_testing import check_grad

RNG: Final = np.random.default_rng(8)
LINPROG: Any = wt.optimize.linprog
THEIRS: Any = scipy.optimize.linprog


def drawn(k: int) -> tuple[Any, ...]:
    """With and without each kind of condition and bound; whole numbers, equal rows, no answer."""
    n, m, q = k % 6 + 1, k % 5, k % 3
    c, A, b = RNG.normal(size=n), RNG.normal(size=(m, n)), RNG.normal(size=m) + 1
    Q = RNG.normal(size=(q, n))
    e = Q @ abs(RNG.normal(size=n))
    if k > 20:
        c, A, b, Q, e = (np.round(2 * v) for v in (c, A, b, Q, e))
    if k % 7 == 0 and q > 1:
        Q[1], e[1] = Q[0], e[0]
    mixed = [((None, None), (-1, 2), (None, 3))[j % 3] for j in range(n)]
    bounds = ((0, None), mixed, (-2, 5), (None, None), [(1, 1)] * n)[k % 5]
    return c, A, b, Q, e, bounds


PROGRAMS: Final = [drawn(k) for k in range(40)]
DEGENERATE: Final = (
    np.array([-0.75, 150.0, -0.02, 6.0]),
    np.array([[0.25, -60.0, -0.04, 9.0], [0.5, -90.0, -0.02, 3.0], [0.0, 0.0, 1.0, 0.0]]),
    np.array([0.0, 0.0, 1.0]), np.zeros((0, 4)), np.zeros(0), (0, None),
)  # fmt: skip
"""On which steps to the steepest edge go round in a circle (E. M. L. Beale, 1955)."""


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_values_are_those_of_scipy(mode: str, few: Any) -> None:
    rows = [*few(PROGRAMS, 4), DEGENERATE] if mode == "py" else [*few(PROGRAMS[4:8], 2), DEGENERATE]
    for c, A, b, Q, e, bounds in rows:
        inputs = [wt.tensor(shape=(None,) * v.ndim) for v in (c, A, b, Q, e)]
        cost = wt.specify_shape(inputs[0], c.shape) if isinstance(bounds, list) else inputs[0]
        made = LINPROG(cost, *inputs[1:], bounds)
        found = type(made)(*wt.function(inputs, list(made), mode=mode)(c, A, b, Q, e))
        wanted = THEIRS(c, A, b, Q, e, bounds)
        statuses = (2, 3) if wanted.status == 4 else (wanted.status,)
        assert found.status in statuses
        assert found.success == wanted.success
        if not wanted.success:
            assert np.isnan(found.x).all()
            continue
        np.testing.assert_allclose(found.fun, wanted.fun, 1e-8, 1e-8)
        np.testing.assert_allclose(found.con, 0, 0, 1e-8)
        assert (found.slack > -1e-8).all()


def test_derivatives_are_those_of_the_corner() -> None:
    c, A, b = np.array([-1.0, 4.0, 0.5]), np.array([[-3.0, 1.0, 1.0], [1.0, 2.0, -0.3]]), np.ones(2)
    Q, e = np.array([[0.5, 0.3, 2.0]]), np.array([1.0])

    def corner(c: Any, A: Any, b: Any, Q: Any, e: Any, low: Any) -> list[Any]:
        found = LINPROG(wt.specify_shape(c, (3,)), A, b, Q, e, [(None, 9), (low, 5), (0, None)])
        return [found.x, found.fun]

    check_grad(corner, [c, A, b, Q, e, np.array(-0.4)])


def test_programs_side_by_side() -> None:
    """As `vmap` makes them, which end after different numbers of steps."""
    costs = np.array([[-1.0, 1.0], [1.0, -2.0], [1.0, 1.0], [-3.0, -1.0]])
    A, b = np.array([[1.0, 2.0], [3.0, 1.0]]), np.array([4.0, 6.0])
    inputs = wt.matrix("costs")
    values = wt.vmap(lambda c: LINPROG(c, A, b).fun)(inputs)
    wanted = [THEIRS(c, A, b).fun for c in costs]
    np.testing.assert_allclose(values.eval({inputs: costs}), wanted, 1e-9, 1e-12)


def test_bounds_as_an_object_and_without_conditions() -> None:
    bounds = scipy.optimize.Bounds([-1.0, 2.0], [3.0, np.inf])
    np.testing.assert_allclose(LINPROG([-1.0, 1.0], bounds=bounds).x.eval(), [3.0, 2.0])
    assert LINPROG([-1.0, 1.0]).status.eval() == 3
    assert LINPROG([1.0], [[1.0]], [1.0], maxiter=0).status.eval() == 1


def test_what_is_not_taken_is_an_error() -> None:
    with pytest.raises(ValueError, match="c is a vector"):
        LINPROG(np.eye(2))
    with pytest.raises(ValueError, match="A_ub and b_ub come together"):
        LINPROG([1.0], [[1.0]])
    with pytest.raises(ValueError, match="A_eq is a matrix"):
        LINPROG([1.0], A_eq=[1.0], b_eq=[1.0])
    with pytest.raises(ValueError, match="bounds are pairs"):
        LINPROG([1.0, 2.0], bounds=[(0, 1), (0, 1, 2)])
    with pytest.raises(ValueError, match="there are 3 bounds for c"):
        LINPROG([1.0, 2.0], bounds=[(0, 1)] * 3)
