"""Small matrices of stacks, several at once: results, exchanges of rows, what is irregular."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, function, grad
from weft_testing import compare_numba_and_py

RNG = np.random.default_rng(5)
MODE = Mode("numba", books=[])


def stack(dtype: str, *shape: int) -> Any:
    """Matrices that need exchanges of rows: the first pivots are 1e-9."""
    x = RNG.normal(size=shape).astype(dtype)
    x[..., 0, 0] = 1e-9
    return x


def positive(x: Any) -> Any:
    return x @ x.swapaxes(-1, -2) + np.eye(x.shape[-1], dtype=x.dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_results_are_numpys(dtype: str) -> None:
    A, B = wt.tensor("A", dtype, [None] * 4), wt.tensor("B", dtype, [None] * 3)
    outputs = [wt.solve(A, B), wt.inv(A), wt.det(A), *wt.slogdet(A)]
    f = function([A, B], [*outputs, wt.solve_triangular(A, B, lower=False)], mode=MODE)
    g = function([A, B], [wt.cholesky(A), wt.solve_triangular(A, B, lower=True)], mode=MODE)
    rtol = 2e-3 if dtype == "float32" else 1e-9
    for n in (1, 2, 3, 4, 5):
        for count in [(0, 2), (1, 1), (3, 1), (1, 4), (3, 3)]:
            a, b = stack(dtype, *count, n, n), RNG.normal(size=(count[1], n, 1)).astype(dtype)
            a[..., range(n), range(n)] += n == 1
            for x in (a, a[..., ::-1, ::-1][::-1], a.swapaxes(-1, -2)):
                upper = x + 3 * np.eye(n, dtype=dtype)
                results = f(x, b)[:-1]
                expected = [np.linalg.solve(x, b), np.linalg.inv(x), np.linalg.det(x)]
                for one, other in zip(results, [*expected, *np.linalg.slogdet(x)], strict=True):
                    assert one.dtype == dtype
                    assert one.shape == other.shape
                    np.testing.assert_allclose(one, other, rtol, rtol)
                triangular = f(upper, b)[-1]
                np.testing.assert_allclose(
                    triangular, np.linalg.solve(np.triu(upper), b), rtol, rtol
                )
                factor, solved = g(positive(upper), b)
                np.testing.assert_allclose(factor, np.linalg.cholesky(positive(upper)), rtol, rtol)
                lower = np.linalg.solve(np.tril(positive(upper)), b)
                np.testing.assert_allclose(solved, lower, rtol, rtol)


@pytest.mark.cases(2)
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_one_that_is_not_regular_is_as_before(n: int) -> None:
    A, B = wt.tensor("A", "float64", [None, n, n]), wt.tensor("B", "float64", [None, n, 1])
    usual = positive(stack("float64", 11, n, n))
    ones = np.ones((11, n, 1))
    determinants = function([A], [wt.det(A), *wt.slogdet(A)], mode=MODE)
    regular = determinants(usual)
    for factor in (0.0, np.nan, np.inf, 1e-250, 1e250):
        x = usual.copy()
        x[6] = np.diag(np.full(n, factor))
        for all_, own, alone in zip(determinants(x), regular, determinants(x[6:7]), strict=True):
            np.testing.assert_array_equal(np.delete(all_, 6), np.delete(own, 6))
            np.testing.assert_array_equal(all_[6], alone[0])
        with np.errstate(all="ignore"):
            det = np.linalg.det(x[6])
        np.testing.assert_allclose(determinants(x)[0][6], det, rtol=1e-12)
    failing = usual.copy()
    failing[6] = 0.0
    for of in (wt.inv(A), wt.solve(A, B), wt.solve_triangular(A, B), wt.cholesky(A)):
        f = function([A, B], of, mode=MODE)
        f(usual, ones)
        with pytest.raises(np.linalg.LinAlgError):
            f(failing, ones)
    f = function([A, B], wt.solve(A, B), mode=MODE)
    spoilt = ones.copy()
    spoilt[6] = np.nan
    assert np.isnan(f(usual, spoilt)).all(axis=(1, 2)).tolist() == [k == 6 for k in range(11)]


def test_determinants_keep_their_digits_where_a_product_of_pivots_is_tiny() -> None:
    A = wt.dtensor3("A")
    f = function([A], [wt.det(A), wt.slogdet(A)[1]], mode=MODE)
    x = np.stack([np.diag([1e-160, 1.3e-160, 1e200])] * 5)
    det, log = f(x)
    np.testing.assert_allclose(det, 1.3e-120, rtol=1e-11)
    np.testing.assert_allclose(log, np.log(1.3e-120), rtol=1e-14)
    np.testing.assert_allclose(function([A], wt.det(A), mode=MODE)(x[:1]), 1.3e-120, rtol=1e-11)


def test_slopes() -> None:
    A, B = wt.dtensor3("A"), wt.dtensor3("B")
    energy = (B * wt.solve(A, B)).sum() + wt.slogdet(A)[1].sum() + wt.det(A).sum()
    wanted = [energy, *grad(energy + wt.cholesky(A).sum(), [A, B])]
    for n in (1, 3, 4):
        x = positive(RNG.normal(size=(6, n, n)))
        compare_numba_and_py([A, B], wanted, [x, RNG.normal(size=(6, n, 1))])
