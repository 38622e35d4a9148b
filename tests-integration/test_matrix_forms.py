"""Symmetric factors, balanced matrices and functions by eigenvalues, where these are degenerate."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
import scipy.linalg

import weft.tensor as wt

RNG: Final = np.random.default_rng(5)


def degenerate(k: int) -> np.ndarray:
    """Whole numbers, often 0, of up to 6 rows; without a diagonal, of zeros, of ones."""
    n = k % 7
    x = np.round(RNG.normal(size=(n, n)) * (RNG.random((n, n)) < 0.7), 0 if k % 2 else 3)
    if k % 3 == 0:
        x = x * (1 - np.eye(n))
    return np.full((n, n), float(k == 12)) if k > 10 and k < 13 else x


MATRICES: Final = [degenerate(k) for k in range(28)]


@pytest.mark.cases("numba", "py")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_ldl_of_degenerate_matrices(mode: str, few: Any) -> None:
    """Pivots of one and two rows, in SciPy's order, from both halves, real and complex."""
    for dtype in few(["float64", "complex128"], 1):
        x = wt.matrix("x", dtype=dtype)
        options = few([(True, True), (False, True), (True, False), (False, False)], 2)
        f = wt.function([x], [list(wt.linalg.ldl(x, *o)) for o in options], mode=mode)
        for value in few(MATRICES, 28 if mode == "py" else 4):
            given = (value * (1 + (2j if dtype[0] == "c" else 0))).astype(dtype)
            for (lower, hermitian), found in zip(options, f(given), strict=True):
                factor, d, order = found
                half = np.tril(given, -1) if lower else np.triu(given, 1)
                diagonal = given.diagonal().real if hermitian else given.diagonal()
                whole = half + (half.conj() if hermitian else half).T + np.diag(diagonal)
                back = factor.conj().T if hermitian else factor.T
                np.testing.assert_allclose(factor @ d @ back, whole, 1e-9, 1e-9)
                assert not np.triu(factor[order], 1).any() or not lower
                if dtype == "float64":  # where complex elements are equal, rounding decides
                    wanted = scipy.linalg.ldl(given, lower, hermitian)
                    for result, expected in zip(found, wanted, strict=True):
                        np.testing.assert_allclose(result, expected, 1e-9, 1e-9)


@pytest.mark.parametrize("hermitian", [True, False])
@pytest.mark.parametrize("lower", [True, False])
def test_ldl_has_second_derivatives(lower: bool, hermitian: bool) -> None:
    """Of complex matrices with pivots of two rows, as differences."""
    n, z = 4, wt.matrix("z", dtype="complex128")
    draws = np.random.default_rng(3).normal(size=(2, 4, n, n))
    a, t, s, w = draws[0] + 1j * draws[1]
    a[np.diag_indices(n)] *= 0.1
    parts = [v * w + v * v for v in wt.linalg.ldl(z, lower, hermitian)[:2]]
    loss = sum((v.real**2 + v.imag**2).sum() for v in parts)
    along = (wt.grad(loss, z) * t.conj()).real.sum()
    f = wt.function([z], [loss, along, wt.grad(along, z)], mode="py")
    step = 1e-6
    for k, way, slope in ((0, t, f(a)[1]), (1, s, (f(a)[2].conj() * s).real.sum())):
        change = f(a + step * way)[k] - f(a - step * way)[k]
        np.testing.assert_allclose(slope, change / (2 * step), 1e-6)


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_balance_of_sparse_matrices(mode: str, few: Any) -> None:
    """Rows and columns with one eigenvalue, in LAPACK's order; scales that are far apart."""
    x = wt.matrix("x")
    ways = few([{}, {"permute": False}, {"scale": False}], 2)
    made = [wt.linalg.matrix_balance(x, separate=True, **way) for way in ways]
    f = wt.function([x], [[b, *rest] for b, rest in made], mode=mode)
    for k, value in enumerate(few(MATRICES, 28 if mode == "py" else 4)):
        given = value * 2.0 ** ((np.arange(len(value)) - 2) * (k % 5))
        for way, found in zip(ways, f(given), strict=True):
            if not len(given):
                continue
            b, rest = scipy.linalg.matrix_balance(given, separate=True, **way)
            for result, expected in zip(found, (b, *rest), strict=True):
                np.testing.assert_array_equal(result, expected)


def test_derivatives_of_balanced_matrices_keep_the_scales() -> None:
    x = wt.matrix("x")
    value = np.array([[1.0, 256.0], [1.0, 1.0]])
    slope = wt.grad(wt.linalg.matrix_balance(x)[0].sum(), x)
    np.testing.assert_array_equal(slope.eval({x: value}), [[1.0, 1 / 16], [16.0, 1.0]])


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_functions_of_matrices_without_eigenvectors_are_nan(mode: str) -> None:
    """And of others they are right, also where eigenvalues are equal."""
    x = wt.matrix("x")
    f = wt.function([x], wt.linalg.funm(x, lambda v: wt.exp(v)), mode=mode)
    assert np.isnan(f([[1.0, 1.0], [0.0, 1.0]])).all()
    assert np.isnan(f([[1.0, 1.0], [0.0, 1.0 + 1e-13]])).all()
    for value in (np.eye(3), np.zeros((2, 2)), np.diag([1.0, 1.0, 2.0]), np.ones((3, 3))):
        np.testing.assert_allclose(f(value), scipy.linalg.expm(value), 1e-12, 1e-12)
    assert f(np.zeros((0, 0))).shape == (0, 0)
    root = wt.function([x], wt.linalg.funm(x, wt.sqrt), mode=mode)
    assert np.isnan(root(-np.eye(2))).all()


def test_what_is_not_taken_is_an_error() -> None:
    for function in (wt.linalg.ldl, wt.linalg.matrix_balance):
        with pytest.raises(np.linalg.LinAlgError, match="square"):
            function(np.ones((2, 3)))
    with pytest.raises(np.linalg.LinAlgError, match="square"):
        wt.linalg.funm(np.ones((2, 3)), wt.exp)
    with pytest.raises(ValueError, match="funm: func makes"):
        wt.linalg.funm(np.eye(2), lambda v: v.sum())


CHOSEN: Any = {
    "lhp": lambda v: v.real < 0,
    "rhp": lambda v: v.real >= 0,
    "iuc": lambda v: abs(v) <= 1,
    "ouc": lambda v: abs(v) > 1,
    "a function": lambda v: v.imag > 0,
}


@pytest.mark.cases("lhp-py", "a function-numba", "iuc-jax")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", CHOSEN)
def test_schurs_form_in_order(name: str, mode: str) -> None:
    sort = CHOSEN[name] if name == "a function" else name
    m = wt.matrix("m")
    f = wt.function([m], [*wt.linalg.schur(m, output="complex", sort=sort)], mode=mode)
    for n in (0, 1, 2, 7):
        a = np.random.default_rng(n).normal(size=(n, n))
        t, z, count = f(a)
        np.testing.assert_allclose(z @ t @ z.conj().T, a, atol=1e-13)
        np.testing.assert_allclose(z @ z.conj().T, np.eye(n), atol=1e-13)
        np.testing.assert_array_equal(np.tril(t, -1), 0)
        chosen = CHOSEN[name](np.diag(t))
        np.testing.assert_array_equal(chosen, np.arange(n) < count)
        if n:
            theirs: Any = scipy.linalg.schur
            assert count == theirs(a, "complex", sort=sort)[2]


def test_orders_of_schurs_form_that_are_refused() -> None:
    schur: Any = wt.linalg.schur
    m, t = wt.matrix("m"), wt.tensor3("t")
    for given, output in ((m, "real"), (t, "complex")):
        with pytest.raises(ValueError, match="sort is for one matrix and output='complex'"):
            schur(given, output, sort="lhp")
    with pytest.raises(ValueError, match="sort is 'lhp', 'rhp', 'iuc', 'ouc', or a function"):
        schur(m, "complex", sort="left")
