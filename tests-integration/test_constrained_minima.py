"""Minima under constraints on all backends: against SciPy's, derivatives, batches, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.optimize

import weft.tensor as wt

MODES = ["py", "numba", "jax"]
OURS: Any = wt.optimize
THEIRS: Any = scipy.optimize
A, b = wt.vector("A"), wt.scalar("b")


def equal(fun: Any, **more: Any) -> dict[str, Any]:
    return {"type": "eq", "fun": fun, **more}


def above(fun: Any, **more: Any) -> dict[str, Any]:
    return {"type": "ineq", "fun": fun, **more}


# W. Hock and K. Schittkowski, Test Examples for Nonlinear Programming Codes (1981), by number.
PROBLEMS: dict[str, Any] = {
    "27": (
        lambda x: 0.01 * (x[0] - 1) ** 2 + (x[1] - x[0] ** 2) ** 2,
        [2.0, 2.0, 2.0],
        [equal(lambda x: x[0] + x[2] ** 2 + 1)],
        None,
        ([-1.0, 1.0, 0.0], 0.04),
    ),
    "35": (
        lambda x: (
            9
            - x @ np.array([8.0, 6.0, 4.0])
            + 2 * x[0] ** 2
            + 2 * x[1] ** 2
            + x[2] ** 2
            + 2 * x[0] * (x[1] + x[2])
        ),
        [0.5, 0.5, 0.5],
        above(lambda x: 3 - x[0] - x[1] - 2 * x[2]),
        [(0, None)] * 3,
        ([4 / 3, 7 / 9, 4 / 9], 1 / 9),
    ),
    "43": (
        lambda x: x @ x + x[2] ** 2 - x @ np.array([5.0, 5.0, 21.0, -7.0]),
        [0.0, 0.0, 0.0, 0.0],
        [
            above(lambda x: 8 - x @ x - x @ np.array([1.0, -1.0, 1.0, -1.0])),
            above(lambda x: 10 - x @ x - x[1] ** 2 - x[3] ** 2 + x[0] + x[3]),
            above(lambda x: 5 - x[:3] @ x[:3] - x[0] ** 2 - 2 * x[0] + x[1] + x[3]),
        ],
        None,
        ([0.0, 1.0, 2.0, -1.0], -44.0),
    ),
    "71": (
        lambda x: x[0] * x[3] * x[:3].sum() + x[2],
        [1.0, 5.0, 5.0, 1.0],
        [above(lambda x: x.prod() - 25), equal(lambda x, n: x @ x - n, args=(40.0,))],
        [(1, 5)] * 4,
        ([1.0, 4.7429994, 3.8211503, 1.3794082], 17.0140173),
    ),
}


@pytest.mark.cases("numba-27", "jax-43", "py-35", "py-71")
@pytest.mark.parametrize("number", PROBLEMS)
@pytest.mark.parametrize("mode", MODES)
def test_minima_that_are_known(mode: str, number: str) -> None:
    fun, x0, constraints, bounds, (x, least) = PROBLEMS[number]
    found = OURS.minimize(fun, x0, bounds=bounds, constraints=constraints)
    f = wt.function([], list(found), mode=mode)
    at, value, jac, nit, nfev, status, success = f()
    np.testing.assert_allclose(at, x, atol=1e-5)
    np.testing.assert_allclose(value, least, rtol=1e-6)
    np.testing.assert_allclose(jac, THEIRS.approx_fprime(at, fun, 1e-7), atol=1e-4)
    assert (status, success) == (0, True)
    assert 0 < nit < nfev < 100


def nearest(a: Any, b: Any) -> Any:
    """The point near `a` within a ball and above bounds, on a plane; close to an axis."""
    return OURS.minimize(
        lambda x: ((x - a) ** 2).sum() + (x[0] * x[1]) ** 2,
        wt.zeros((3,)),
        constraints=[above(lambda x: b - x @ x), equal(lambda x: x[0] - x[2] - 0.1 * b)],
        bounds=[(0, None)] * 3,
        tol=1e-11,
    )


@pytest.mark.parametrize("mode", MODES)
def test_derivatives_are_those_of_active_constraints(mode: str) -> None:
    x = nearest(A, b).x
    slopes = [wt.jacobian(x, A, mode=m) for m in ("reverse", "forward")]
    f = wt.function([A, b], [x, *slopes, wt.jacobian(x, b)], mode=mode)
    at, h = np.array([1.0, -2.0, 3.0]), 1e-4
    x, reverse, forward, by_b = f(at, 1.5)
    assert x[1] == 0  # at its bound
    np.testing.assert_allclose(x @ x, 1.5, rtol=1e-8)
    changes = [(f(at + e, 1.5)[0] - f(at - e, 1.5)[0]) / (2 * h) for e in h * np.eye(3)]
    np.testing.assert_allclose(reverse, np.stack(changes, 1), atol=1e-7)
    np.testing.assert_allclose(forward, reverse, atol=1e-12)
    np.testing.assert_allclose(by_b, (f(at, 1.5 + h)[0] - f(at, 1.5 - h)[0]) / (2 * h), atol=1e-7)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", MODES)
def test_a_batch_is_each_alone(mode: str) -> None:
    rows = np.array([[1.0, -2.0, 3.0], [0.1, 0.2, 0.3], [5.0, 5.0, 5.0]])
    places = wt.matrix("places")
    batch = wt.vmap(lambda a: nearest(a, wt.as_tensor(1.5)).x)(places)
    one = wt.function([A], nearest(A, 1.5).x, mode="py")
    got = wt.function([places], batch, mode=mode)(rows)
    np.testing.assert_allclose(got, [one(row) for row in rows], atol=1e-8)


def test_constraints_as_scipy_writes_them() -> None:
    def far(x: Any) -> Any:
        return ((x - 3) ** 2).sum()

    rows = np.array([[1.0, 1, 1, 1], [1, -1, 0, 0], [0, 0, 1, 2]])
    plane = THEIRS.LinearConstraint(rows, [-np.inf, 0.5, 1.0], [2.0, 0.5, np.inf])
    found = OURS.minimize(far, np.zeros(4), method="SLSQP", constraints=plane)
    np.testing.assert_allclose(found.x.eval(), [0.75, 0.25, 0.5, 0.5], atol=1e-6)
    shell = THEIRS.NonlinearConstraint(lambda x: x @ x, 1, 4)
    found = OURS.minimize(far, np.zeros((3,)), method="trust-constr", constraints=[shell])
    np.testing.assert_allclose(found.x.eval(), np.full(3, 2 / 3**0.5), atol=1e-6)
    square = OURS.minimize(far, np.zeros((2, 2)), constraints=equal(lambda x: x.sum(0) - 1))
    np.testing.assert_allclose(square.x.eval(), np.full((2, 2), 0.5), atol=1e-7)


@pytest.mark.parametrize(
    ("height", "width", "dtype", "off"),
    [(1e4, 1e-3, "float64", 1e-8), (1e-4, 1e3, "float64", 1e-4), (10, 1, "float32", 2e-3)],
)
def test_steep_and_flat_functions(height: float, width: float, dtype: str, off: float) -> None:
    goal, less = np.array([1, 2], dtype), above(lambda x: width * (1 - x.sum()))
    found = OURS.minimize(
        lambda x: height * ((x - goal) ** 2).sum(), np.zeros(2, dtype), constraints=less
    )
    assert found.x.dtype == dtype
    np.testing.assert_allclose(found.x.eval(), [0.0, 1.0], atol=off)


def test_what_cannot_hold_is_said() -> None:
    both = [equal(lambda x: x.sum() - 1), equal(lambda x: x.sum() - 2)]
    found = OURS.minimize(lambda x: x @ x, [1.0, 1.0], constraints=both)
    status, success = wt.function([], [found.status, found.success], mode="py")()
    assert (status, success) == (4, False)
    found = OURS.minimize(lambda x: x @ x, [1.0, 1.0], constraints=both[0], maxiter=1)
    assert found.status.eval() == 1
    found = OURS.minimize(lambda x: wt.log(-(x @ x)), [1.0, 1.0], constraints=both[0])
    with np.errstate(invalid="ignore"):
        assert found.status.eval() == 3


@pytest.mark.parametrize(
    ("constraints", "text"),
    [
        ([{}], "a constraint is a dict with 'type'"),
        ({"type": "le", "fun": sum}, "a constraint is a dict with 'type'"),
        (THEIRS.NonlinearConstraint(lambda x: x[0], 2, 1), "lb 2.0 is above its ub 1.0"),
    ],
)
def test_other_constraints_are_errors(constraints: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        OURS.minimize(lambda x: x @ x, [1.0, 1.0], constraints=constraints)
