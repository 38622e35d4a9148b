"""Derivatives of determinants: of singular matrices, too."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad, pushforward
from weft_testing import check_grad

MODES = pytest.mark.parametrize("mode", ["py", "numba", "jax"])
X, T = wt.matrix("X"), wt.matrix("T")
MATRICES: list[Any] = [
    [[1.0, 2.0], [2.0, 4.0]],
    [[0.0]],
    np.zeros((0, 0)),
    np.ones((3, 3)),
    np.ones((4, 4)),
    np.zeros((3, 3)),
    [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]],
    np.eye(5, k=1),  # of rank 4, with nothing on its diagonal
    np.diag([3.0, 0.0, 2.0, 0.0]),
    [[2.0, 1.0, 0.0], [0.5, 3.0, -1.0], [1.0, 0.25, 1.5]],
    [[0.0, 1.0], [1.0, 0.0]],
]


def minor(x: Any, rows: tuple[int, ...], columns: tuple[int, ...]) -> Fraction:
    """The determinant without these rows and columns, by the definition."""
    n = len(x)
    left = [[Fraction(float(x[i][j])) for j in range(n) if j not in columns] for i in range(n)]
    left = [row for i, row in enumerate(left) if i not in rows]
    total = Fraction(0)
    for order in permutations(range(len(left))):
        term = Fraction((-1) ** sum(a > b for a, b in combinations(order, 2)))
        for i, j in enumerate(order):
            term *= left[i][j]
        total += term
    return total


def cofactors(x: Any) -> Any:
    n = len(x)
    found = [[(-1) ** (i + j) * minor(x, (i,), (j,)) for j in range(n)] for i in range(n)]
    return np.array(found, float).reshape(n, n)


def change(x: Any, t: Any) -> Any:
    """How the cofactors change with x, by those of the minors."""
    n = len(x)
    found = np.zeros((n, n))
    for i, j in np.ndindex(n, n):
        smaller = np.delete(np.delete(x, i, 0), j, 1)
        moved = np.delete(np.delete(t, i, 0), j, 1)
        found[i, j] = (-1) ** (i + j) * (cofactors(smaller) * moved).sum()
    return found


@pytest.mark.cases(1)
@MODES
def test_first_and_second_derivatives_everywhere(mode: str) -> None:
    slope = grad(wt.det(X), X)
    second = [pushforward(slope, X, T), grad((slope * T).sum(), X)]
    ahead = [pushforward(wt.det(X), X, T), pushforward(pushforward(wt.det(X), X, T), X, T)]
    f = function([X, T], [slope, *second, *ahead], mode=mode)
    for matrix in MATRICES:
        x = np.array(matrix)
        t = np.random.default_rng(1).normal(size=x.shape)
        found = f(x, t)
        first, next_one = cofactors(x), change(x, t)
        expected = [first, next_one, next_one, (first * t).sum(), (next_one * t).sum()]
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-13, err_msg=str(matrix))


@pytest.mark.cases(1)
@MODES
def test_stacks_of_singular_and_other_matrices(mode: str) -> None:
    stack, weights = wt.tensor4("stack"), wt.matrix("weights")
    slope = grad((wt.det(stack) * weights).sum(), stack)
    values = np.stack([np.array(m, float) for m in MATRICES if np.shape(m) == (3, 3)])[None]
    w = np.arange(1.0, 1.0 + values.shape[1])[None]
    found = function([stack, weights], slope, mode=mode)(values, w)
    for k, x in enumerate(values[0]):
        np.testing.assert_allclose(found[0, k], w[0, k] * cofactors(x), rtol=1e-12, atol=1e-12)
    nothing = function([stack, weights], slope, mode=mode)(np.zeros((2, 0, 3, 3)), np.zeros((2, 0)))
    assert nothing.shape == (2, 0, 3, 3)


@MODES
@pytest.mark.parametrize("dtype", ["float32", "complex64", "complex128"])
def test_other_dtypes(dtype: str, mode: str) -> None:
    x = wt.matrix("x", dtype=dtype)
    value = np.array([[1, 2], [2, 4]], dtype) * (1 + 2j if dtype.startswith("complex") else 1)
    cost = wt.det(x) if dtype == "float32" else wt.det(x).real
    slope = function([x], grad(cost, x), mode=mode)(value)
    wanted = np.array([[4, -2], [-2, 1]], dtype) * (1 - 2j if dtype.startswith("complex") else 1)
    assert slope.dtype == dtype
    np.testing.assert_allclose(slope, wanted, atol=1e-12 if dtype == "complex128" else 1e-5)


@pytest.mark.cases(1)
@MODES
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of NumPy
def test_matrices_that_are_not_finite(mode: str) -> None:
    slope = grad(wt.det(X), X)
    second = pushforward(slope, X, wt.ones_like(X))
    f = function([X], [slope, second], mode=mode)
    for bad in (np.nan, np.inf):
        first, then = f(np.array([[bad, 1.0], [1.0, 0.0]]))
        assert not np.isfinite(first).all()
        assert np.isnan(then).all()
    first, _ = f(np.diag([1e-200, 1e-200, 1.0]))
    np.testing.assert_allclose(np.diag(first), [1e-200, 1e-200, 0.0])
    first, _ = f(np.diag([1e200, 1e200, 1e-100]))
    np.testing.assert_allclose(np.diag(first)[:2], [1e100, 1e100])


@MODES
def test_a_third_derivative_needs_an_inverse(mode: str) -> None:
    third = pushforward(pushforward(grad(wt.det(X), X), X, T), X, T)
    f = function([X, T], third, mode=mode)
    regular, step = np.array(MATRICES[9]), np.eye(3)
    np.testing.assert_allclose(f(regular, step), 2 * np.eye(3), atol=1e-12)
    with pytest.raises(np.linalg.LinAlgError):
        f(np.ones((3, 3)), step)


@pytest.mark.cases(0)
def test_derivatives_against_differences() -> None:
    x = np.array(MATRICES[9])
    for point in (x, np.array(MATRICES[6]), x + 1j * x.T, np.ones((3, 3)) * (1 + 1j)):
        check_grad(wt.det, [point])
        check_grad(wt.Cofactors(), [point])
    t = x[::-1]
    for shift in (0.0, 1j):
        check_grad(
            lambda x, t: pushforward(wt.Cofactors()(x), x, t), [x + shift * t, t + shift * x]
        )
