"""Linear algebra by machine code: layouts, sizes, dtypes, failures, and memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Literal

import numpy as np
import pytest
from numba import njit
from numba.core.runtime.nrt import rtsys
from scipy.linalg.lapack import dpotri

import weft_tensor as wt
from weft_graph import Mode, function, grad
from weft_numba import numba_funcify
from weft_testing import check_backend, check_batches, compare_numba_and_py, examples_of

RUNTIME: Any = import_module("numba.core.runtime._nrt_python")
RNG = np.random.default_rng(11)
MODE = Mode("numba", books=[])
DTYPES = ["float32", "float64", "complex64", "complex128"]


def matrix(dtype: str, *shape: int) -> Any:
    x = RNG.normal(size=shape)
    return (x + 1j * RNG.normal(size=shape) if "complex" in dtype else x).astype(dtype)


def positive(dtype: str, *shape: int) -> Any:
    x = matrix(dtype, *shape) / np.float32(max(1, shape[-1])) ** 0.5
    return x @ x.conj().swapaxes(-1, -2) + np.eye(shape[-1], dtype=dtype)


def layouts(x: Any) -> Iterator[Any]:
    yield x
    yield x.swapaxes(-1, -2).copy().swapaxes(-1, -2)
    yield np.repeat(x, 2, axis=-1)[..., ::2]
    yield x[..., ::-1, ::-1].copy()[..., ::-1, ::-1]


def close(actual: Any, expected: Any) -> None:
    """Equal but for rounding, in proportion to the largest number."""
    size = np.abs(expected).max(initial=1e-30)
    tolerance = 2e-4 if actual.dtype in ("float32", "complex64") else 1e-10
    np.testing.assert_allclose(actual / size, expected / size, rtol=0, atol=tolerance)


@pytest.mark.cases(2)
@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_of_one_matrix(dtype: str) -> None:
    X = wt.tensor("X", dtype, [None] * 3)
    wanted = [wt.cholesky(X), wt.inv(X), wt.det(X), *wt.slogdet(X)]
    f = function([X], wanted, mode=MODE)
    for shape in [(1, 1, 1), (3, 5, 5), (2, 40, 40), (0, 3, 3), (2, 0, 0)]:
        given = positive(dtype, *shape)
        expected = [np.linalg.cholesky(given), np.linalg.inv(given), np.linalg.det(given)]
        expected += np.linalg.slogdet(given)
        for x in layouts(given):
            before = x.copy()
            for a, b in zip(f(x), expected, strict=True):
                assert a.dtype == b.dtype
                close(a, b)
            np.testing.assert_array_equal(x, before)


@pytest.mark.cases(1)
@pytest.mark.parametrize("dtype", DTYPES)
def test_systems(dtype: str) -> None:
    A, B = wt.tensor("A", dtype, [None] * 3), wt.tensor("B", dtype, [None] * 3)
    wanted = [wt.solve(A, B)]
    wanted += [
        wt.solve_triangular(A, B, lower=lower, unit_diagonal=unit)
        for lower in (True, False)
        for unit in (True, False)
    ]
    f = function([A, B], wanted, mode=MODE)
    for stack, n, k in [(2, 1, 1), (2, 5, 1), (1, 9, 11), (2, 16, 48), (2, 17, 3), (2, 5, 0)]:
        a = matrix(dtype, stack, n, n) / n + 2 * np.eye(n, dtype=dtype)
        b = matrix(dtype, 2, n, k)
        ones = a * (1 - np.eye(n)) + np.eye(n)
        factors = [a, np.tril(ones), np.tril(a), np.triu(ones), np.triu(a)]
        for x in layouts(a):
            for y in layouts(b):
                for found, factor in zip(f(x, y), factors, strict=True):
                    assert found.dtype == dtype
                    close(factor.astype(dtype) @ found, np.broadcast_to(b, found.shape))


def test_rows_are_exchanged_where_they_must() -> None:
    A, B = wt.dmatrices("A B")
    f = function([A, B], wt.solve(A, B), mode=MODE)
    for n in (2, 7, 30):
        a = np.roll(np.eye(n), 1, axis=0) + 1e-3 * RNG.normal(size=(n, n))
        a[0, 0] = 0.0
        b = RNG.normal(size=(n, 4))
        close(f(a, b), np.linalg.solve(a, b))


@pytest.mark.cases(0)
@pytest.mark.parametrize("n", [3, 30])
def test_singular_matrices_in_a_stack(n: int) -> None:
    A, B = wt.dtensor3("A"), wt.dmatrix("B")
    a = np.stack([np.eye(n), np.eye(n), np.diag(np.arange(n) * 1.0)])
    b = np.ones((n, 2))
    solutions = wt.solve(A, B), wt.solve_triangular(A, B, lower=True)
    for result in solutions:
        f = function([A, B], result, mode=MODE)
        np.testing.assert_array_equal(f(a[:2], b), np.ones((2, n, 2)))
        with pytest.raises(np.linalg.LinAlgError, match="ingular") as caught:
            f(a, b)
        assert f"float64 array of shape (3, {n}, {n})" in caught.value.__notes__[0]
    for result in (wt.inv(A), wt.cholesky(A)):
        with pytest.raises(np.linalg.LinAlgError):
            function([A], result, mode=MODE)(a)
    det, sign, log = function([A], [wt.det(A), *wt.slogdet(A)], mode=MODE)(a)
    assert (det.tolist(), sign.tolist(), log.tolist()) == ([1, 1, 0], [1, 1, 0], [0, 0, -np.inf])


@pytest.mark.cases(3)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [0, 1, 5, 32, 33, 77, 130])
def test_inverses_by_halves_of_triangles(dtype: str, n: int) -> None:
    L = wt.tensor("L", dtype, [None] * 3)
    f = function([L], wt.cholesky_inverse(L), mode=MODE)
    factor = np.linalg.cholesky(positive(dtype, 2, n, n))
    expected = np.linalg.inv(factor @ factor.swapaxes(1, 2))
    above = np.triu(np.full((n, n), np.nan, dtype), 1)
    for x in layouts(factor + above):
        before = x.copy()
        close(f(x), expected)
        np.testing.assert_array_equal(x, before)
    for k in {0, n // 3, n - 1} if n else ():
        factor[1, k, k] = 0.0
        with pytest.raises(np.linalg.LinAlgError, match="singular"):
            f(factor)


def test_inverses_by_halves_are_as_exact_as_of_the_whole() -> None:
    """The points lie so close that the matrix is nearly singular."""
    points = np.sort(RNG.uniform(0.0, 10.0, size=150))
    factor = np.linalg.cholesky(
        np.exp(-0.5 * (points[:, None] - points) ** 2) + 1e-10 * np.eye(len(points))
    )
    exact = np.zeros(factor.shape, np.longdouble)
    for i, row in enumerate(factor.astype(np.longdouble)):
        exact[i] = (np.eye(len(points), dtype=np.longdouble)[i] - row[:i] @ exact[:i]) / row[i]
    expected = exact.T @ exact
    L = wt.dmatrix("L")
    found = function([L], wt.cholesky_inverse(L), mode=MODE)(factor)
    whole = np.tril(dpotri(factor, lower=1)[0])
    whole += np.tril(whole, -1).T
    largest = np.abs(expected).max()
    errors = [float(np.abs(x - expected).max() / largest) for x in (found, whole)]
    assert errors[0] < max(4 * errors[1], 1e-11)


def test_determinants_that_no_float_holds() -> None:
    X = wt.dmatrix("X")
    f = function([X], [wt.det(X), *wt.slogdet(X)], mode=MODE)
    det, sign, log = f(-1e10 * np.eye(41))
    assert (det, sign) == (-np.inf, -1)
    close(log, 41 * 10 * np.log(10))


def test_not_a_number_in_is_not_a_number_out() -> None:
    X = wt.dmatrix("X")
    x = np.eye(3)
    x[1, 1] = np.nan
    assert np.isnan(function([X], wt.inv(X), mode=MODE)(x)).any()
    found = function([X], wt.det(X), mode=MODE)(x)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(found, np.linalg.det(x))  # OpenBLAS on AArch64 gives 0


def test_shapes_that_do_not_fit() -> None:
    A, B = wt.dmatrices("A B")
    cases: list[tuple[Any, Any]] = [
        (wt.cholesky(A), (2, 3)),
        (wt.inv(A), (2, 3)),
        (wt.det(A), (3, 2)),
        (wt.solve(A, B), (2, 2)),
        (wt.solve_triangular(A, B), (2, 2)),
    ]
    for result, shape in cases:
        with pytest.raises(ValueError, match="while computing"):
            function([A, B], result, mode=MODE, on_unused_input="ignore")(
                np.ones(shape), np.ones((3, 1))
            )


def test_a_gaussian_process_and_its_gradient() -> None:
    y, scale = wt.dvector("y"), wt.dscalar("scale")
    squares = np.square(np.subtract.outer(np.arange(20.0), np.arange(20.0)))
    L = wt.cholesky(wt.exp(-squares * scale) + 0.1 * np.eye(20))
    value = wt.sum(wt.solve_triangular(L, y, lower=True) ** 2) + wt.det(L)
    compare_numba_and_py([y, scale], [value, *grad(value, [y, scale])], [np.ones(20), 0.3])


@pytest.mark.cases(0)
def test_importing_leaves_the_rest_of_scipy_alone() -> None:
    code = """
import sys
import weft_numba
assert "scipy.linalg" not in sys.modules
from scipy.linalg import cho_factor, cython_blas, cython_lapack, solve
assert cython_blas is sys.modules["scipy.linalg.cython_blas"]
assert solve([[2.0]], [4.0]) == [2.0]
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_machine_code_names_what_it_calls() -> None:
    product = numba_funcify(wt.Matmul(), node=wt.matmul(wt.dmatrix("a"), wt.dmatrix("b")))
    f = njit(lambda a, b: product(a, b))
    f(np.eye(2), np.eye(2))
    (text,) = f.inspect_llvm().values()
    assert "@weft_dgemm" in text
    assert "inttoptr" not in text


def test_all_memory_is_given_back() -> None:
    A, B = wt.dtensor3s("A B")
    outputs = [wt.solve(A, B), wt.inv(A), wt.det(A), wt.matmul(A, B)]
    f = function([A, B], outputs, mode=MODE)
    good = np.repeat(np.stack([np.eye(40)] * 3), 2, axis=-1)[..., ::2]  # all copies are made
    with pytest.raises(np.linalg.LinAlgError):
        f(0.0 * good, good)
    f(good, good)
    RUNTIME.memsys_enable_stats()
    try:
        before = rtsys.get_allocation_stats()
        for _ in range(3):
            f(good, good)
        after = rtsys.get_allocation_stats()
    finally:
        RUNTIME.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free > 0


def of_all_kinds(m: int, n: int) -> Any:
    """Full, of rank 1, zero, orthogonal, of small and large numbers, of both."""
    x = np.random.default_rng(m).normal(size=(m, n))
    graded = 10.0 ** -np.arange(n) * x
    return np.stack([x, x[:1] * x[:, :1], 0 * x, np.eye(m, n), 1e-200 * x, 1e200 * x, graded])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_rotations_of_small_matrices(dtype: str) -> None:
    x = wt.tensor3("x", dtype=dtype)
    reduced = wt.linalg.svd(x, full_matrices=False)
    f = function([x], [*reduced, *wt.linalg.svd(x)], mode="numba")
    g = function([x], [*wt.linalg.eigh(x), *wt.linalg.eigh(x, UPLO="U")], mode="numba")
    near = 3e-5 if dtype == "float32" else 1e-13
    with np.errstate(all="ignore"):
        for m, n in ((1, 1), (2, 2), (5, 5), (8, 8), (16, 16), (17, 17), (3, 7), (9, 4), (16, 1)):
            values = of_all_kinds(m, n).astype(dtype)
            values = values[np.isfinite(values).all((1, 2))]
            size = np.maximum(np.abs(values).max((1, 2), keepdims=True), np.finfo(dtype).tiny)
            u, s, v, *full = f(values)
            for left, sizes, right in ((u, s, v), full):
                k = sizes.shape[-1]
                parts = left[..., :k], right[..., :k, :]
                product = (parts[0] * (sizes[:, None, :] / size)) @ parts[1]
                np.testing.assert_allclose(product, values / size, atol=near)
                assert (np.diff(sizes) <= 0).all()
                for q in (left, right.mT):
                    ones = np.broadcast_to(np.eye(q.shape[-1]), q.mT.shape[:-1] + q.shape[-1:])
                    np.testing.assert_allclose(q.mT @ q, ones, atol=near)
            if m == n:
                symmetric = values / 2 + values.mT / 2
                found = g(symmetric)
                for w, q in (found[:2], found[2:]):
                    product = (q * (w[:, None, :] / size)) @ q.mT
                    np.testing.assert_allclose(product, symmetric / size, atol=near)
                    np.testing.assert_allclose(q.mT @ q, np.eye(m) + 0 * q, atol=near)
                    assert (np.diff(w) >= 0).all()


def test_singular_vectors_may_be_of_other_signs() -> None:
    ((op, values), *_) = examples_of(wt.SVD)
    check_backend([(op, values)], "numba")
    check_batches(op, values, mode="numba")


@pytest.mark.parametrize("half", ["L", "U"])
def test_eigenvectors_of_small_matrices_are_lapacks(half: Literal["L", "U"]) -> None:
    """With their signs and, where values are equal, their order; the other half isn't read."""
    x = wt.tensor3("x")
    f = function([x], [*wt.linalg.eigh(x, UPLO=half)], mode="numba")
    draw = np.random.default_rng(0)
    for n in (1, 2, 3, 5, 8, 16):
        own = draw.normal(size=(12, n, n))
        ties = draw.integers(0, 3, size=(12, n, 1)) * np.eye(n)
        chain = np.eye(n) - np.eye(n, k=1) / 2 - np.eye(n, k=-1) / 2
        for values in (own, 1e9 * own, own @ own.mT, own * (1 - np.eye(n)), ties, chain[None]):
            for found, right in zip(f(values), np.linalg.eigh(values, half), strict=True):
                np.testing.assert_allclose(found, right, rtol=1e-9, atol=1e-9 * np.ptp(right))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [2, 3])
def test_determinants_of_small_matrices(dtype: str, n: int) -> None:
    """By elimination without a loop, and where that gives no normal number by factors."""
    f = function([A := wt.tensor("A", dtype, (None, None, None))], wt.det(A), mode=MODE)
    x = matrix(dtype, 40, n, n)
    info = np.finfo(dtype)
    x[0], x[1, :, 0], x[2, 0, 0], x[3, 0, 0] = 0, 0, np.nan, np.inf
    x[4], x[5] = np.eye(n) * float(info.max) ** 0.4, np.eye(n) * float(info.tiny) ** 0.4
    x[6], x[7, 0, 0] = np.eye(n) * info.max, 0
    with np.errstate(all="ignore"):
        right = np.linalg.det(x)
    for given in layouts(x):
        np.testing.assert_allclose(
            f(given), right, rtol=1e3 * float(info.eps), atol=float(info.tiny)
        )


@pytest.mark.parametrize("n", [2, 3])
def test_slopes_of_determinants_of_small_matrices(n: int) -> None:
    """Also of singular matrices, and where products on the way are no normal numbers."""
    A = wt.tensor("A", shape=(None, None, None))
    slope = grad(wt.sum(wt.det(A)), A)
    x = matrix("float64", 40, n, n)
    x[0], x[1, :, 0], x[2, 0] = 0, 0, x[2, 1]
    x[3] *= 1e-200
    for changed in (1.0, 1e200, np.nan):
        x[4] *= changed
        found, right = (function([A], slope, mode=mode)(x) for mode in (MODE, "py"))
        np.testing.assert_allclose(found, right, rtol=1e-10, atol=1e-12)
