"""Linear algebra on matrices and stacks of them: NumPy's and SciPy's values, and derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

from weft_graph import Mode, UndefinedGradientError, function, grad
from weft_tensor import (
    DTYPES,
    cholesky,
    det,
    inv,
    linalg,
    lscalar,
    matmul,
    matrix,
    slogdet,
    solve,
    solve_triangular,
    sum,
    tensor,
    tril,
    triu,
    vector,
)
from weft_testing import check_grad

PY = Mode("py", books=[])
RNG = np.random.default_rng(3)
SQUARE = RNG.normal(size=(3, 3)) + 3 * np.eye(3)
COMPLEX = SQUARE + 1j * RNG.normal(size=(3, 3))
STACK = RNG.normal(size=(2, 3, 3)) + 3 * np.eye(3)


def positive(x: Any) -> Any:
    """A positive definite matrix made of `x`, as a variable."""
    adjoint = x.conj().mT if x.is_complex else x.mT
    return matmul(x, adjoint) + np.eye(3)


def run(result: Any, *pairs: tuple[Any, Any]) -> Any:
    return function([v for v, _ in pairs], result, mode=PY)(*[a for _, a in pairs])


@pytest.mark.parametrize("array", [SQUARE, COMPLEX, STACK, np.eye(3, dtype="float32"), STACK[:0]])
def test_values_are_numpys(array: Any) -> None:
    x = tensor("x", array.dtype, [None] * array.ndim)
    spd = array @ np.swapaxes(array.conj(), -1, -2) + np.eye(3, dtype=array.dtype)
    cases: list[tuple[Any, Any, Any]] = [
        (cholesky, np.linalg.cholesky, spd),
        (lambda v: cholesky(v, lower=False), lambda v: np.linalg.cholesky(v, upper=True), spd),
        (inv, np.linalg.inv, array),
        (det, np.linalg.det, array),
    ]
    for ours, reference, given_array in cases:
        actual = run(ours(x), (x, given_array))
        expected = np.asarray(reference(given_array))
        assert actual.dtype == expected.dtype
        np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("array", [SQUARE, COMPLEX, STACK], ids=["real", "complex", "stack"])
def test_derivatives(array: Any) -> None:
    check_grad(inv, [array])
    check_grad(det, [array])
    check_grad(lambda x: slogdet(x)[1], [array])
    check_grad(lambda x: solve(x, x[..., :2] * 2 + 1), [array])
    check_grad(lambda x: cholesky(positive(x)), [array])
    check_grad(lambda x: cholesky(positive(x), lower=False), [array])


def test_the_sign_of_a_determinant_has_a_derivative_where_it_is_complex() -> None:
    check_grad(lambda x: slogdet(x)[0], [COMPLEX])
    x = matrix("x")
    assert grad(sum(slogdet(x)[0] * x[0, 0]), x).eval({x: SQUARE}).tolist() == [
        [np.sign(np.linalg.det(SQUARE)), 0.0, 0.0],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0],
    ]


@pytest.mark.parametrize("a", [SQUARE, COMPLEX, STACK, np.eye(3, dtype="float32"), STACK[:0]])
def test_solve(a: Any) -> None:
    columns = (SQUARE[:, :2] + 1).astype(a.dtype)
    x = tensor("x", a.dtype, [None] * a.ndim)
    for b in (columns, columns[:, 0]):
        y = tensor("y", b.dtype, [None] * b.ndim)
        found, expected = run(solve(x, y), (x, a), (y, b)), np.linalg.solve(a, b)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    rows = np.broadcast_to(columns[:, 0], a.shape[:-1])
    z = tensor("z", a.dtype, [None] * rows.ndim)
    vectors = run(solve(x, z, b_ndim=1), (x, a), (z, rows))
    np.testing.assert_allclose(vectors, np.linalg.solve(a, rows[..., None])[..., 0], rtol=1e-6)


@pytest.mark.parametrize("a", [SQUARE, -SQUARE, COMPLEX, STACK, np.zeros((2, 2)), np.ones((0, 0))])
def test_slogdet(a: Any) -> None:
    x = tensor("x", a.dtype, [None] * a.ndim)
    sign, logarithm = slogdet(x)
    assert (sign.dtype, logarithm.dtype) == (a.dtype, "float64")
    for found, expected in zip(run([sign, logarithm], (x, a)), np.linalg.slogdet(a), strict=True):
        np.testing.assert_allclose(found, expected)


def test_integers_become_float64() -> None:
    assert solve(np.eye(2, dtype=int), np.ones(2, "float32")).dtype == "float64"
    assert [v.dtype for v in slogdet(np.eye(2, dtype=int))] == ["float64", "float64"]
    for f in (cholesky, inv, det):
        assert f(np.eye(2, dtype="int8")).dtype == "float64"
        assert f(np.eye(2, dtype=bool)).dtype == "float64"
    assert solve_triangular(np.eye(2, dtype=int), np.ones(2, "float32")).dtype == "float64"


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("trans", [0, 1, 2, "N", "T", "C"])
@pytest.mark.parametrize("unit_diagonal", [True, False])
def test_solve_triangular(lower: bool, trans: Any, unit_diagonal: bool) -> None:
    for array in (SQUARE, COMPLEX):
        b = array[:, :2] + 1
        for right in (b, b[:, 0]):
            expected = scipy.linalg.solve_triangular(array, right, trans, lower, unit_diagonal)
            x, y = (tensor("v", v.dtype, [None] * v.ndim) for v in (array, right))
            made = solve_triangular(x, y, trans, lower, unit_diagonal)
            np.testing.assert_allclose(run(made, (x, array), (y, right)), expected)
    check_grad(
        lambda u, v: solve_triangular(u, v, trans, lower, unit_diagonal),
        [COMPLEX if trans in (2, "C") else SQUARE, SQUARE[:, :2]],
    )


def test_stacks_of_triangular_systems() -> None:
    a, b = tensor("a", shape=[None] * 3), matrix("b")
    found = run(solve_triangular(a, b, lower=True), (a, STACK), (b, SQUARE[:, :2]))
    for actual, factor in zip(found, STACK, strict=True):
        expected = scipy.linalg.solve_triangular(factor, SQUARE[:, :2], lower=True)
        np.testing.assert_allclose(actual, expected)
    vectors = run(solve_triangular(a, b, b_ndim=1), (a, STACK), (b, SQUARE[:2]))
    for actual, factor, right in zip(vectors, STACK, SQUARE, strict=False):
        np.testing.assert_allclose(actual, scipy.linalg.solve_triangular(factor, right))
    check_grad(lambda u, v: solve_triangular(u, v, lower=True), [STACK, SQUARE[:, :1]])


def test_what_is_not_looked_at_has_no_derivative() -> None:
    x = matrix("x")
    from_half = function([x], [tril(x), cholesky(x)], mode=PY)
    spd = SQUARE @ SQUARE.T + np.eye(3)
    spoilt = np.where(np.tri(3), spd, 99.0)
    np.testing.assert_allclose(from_half(spoilt)[1], np.linalg.cholesky(spd))


@given(st.integers(0, 3), st.integers(0, 3), st.integers(-4, 4), st.sampled_from(DTYPES))
def test_halves(n: int, m: int, k: int, dtype: str) -> None:
    array = (np.arange(n * m).reshape(n, m) + 1).astype(dtype)
    x, offset = tensor("x", dtype, (None, None)), lscalar("k")
    outputs = [tril(x, k), triu(x, k), tril(x, offset), triu(x[None], offset)]  # type: ignore[arg-type]  # a variable serves too
    found = function([x, offset], outputs, mode=PY)(array, k)
    expected = [np.tril(array, k), np.triu(array, k), np.tril(array, k), np.triu(array, k)[None]]
    for actual, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(actual, wanted)
        assert actual.dtype == wanted.dtype


def test_halves_have_derivatives() -> None:
    check_grad(lambda x: tril(x, 1) * x, [SQUARE])
    check_grad(lambda x: triu(x, -1) * x, [COMPLEX])


@pytest.mark.parametrize("f", [cholesky, inv, det, slogdet])
def test_what_is_not_square_is_refused(f: Any) -> None:
    name = f.__name__
    with pytest.raises(
        ValueError, match=f"{name} needs square matrices, got float64.2, 3"
    ) as caught:
        f(matrix("x", shape=(2, 3)))
    assert "x : float64[2, 3]   (made at" in caught.value.__notes__[0]
    with pytest.raises(ValueError, match=f"{name} needs square matrices, got float64.n, p"):
        f(matrix("x", shape=("n", "p")))
    with pytest.raises(ValueError, match=f"{name} needs a matrix or a stack of them"):
        f(vector("x"))
    x = matrix("x")
    with pytest.raises(np.linalg.LinAlgError) as failed:
        function([x], f(x), mode=PY)(np.ones((2, 3)))
    assert "while computing" in failed.value.__notes__[0]


def test_other_errors() -> None:
    x, b = matrix("x"), vector("b")
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        cholesky(x).eval({x: -np.eye(2)})
    with pytest.raises(np.linalg.LinAlgError, match=r"[Ss]ingular"):
        inv(x).eval({x: np.zeros((2, 2))})
    with pytest.raises(np.linalg.LinAlgError, match=r"[Ss]ingular"):
        solve_triangular(x, b).eval({x: np.zeros((2, 2)), b: [1.0, 1.0]})
    with pytest.raises(np.linalg.LinAlgError, match=r"[Ss]ingular"):
        solve(x, b).eval({x: np.zeros((2, 2)), b: [1.0, 1.0]})
    with pytest.raises(ValueError, match=r"solve: float64\[2, 2\] and float64\[3, 1\] do not fit"):
        solve(np.eye(2), np.ones(3))
    with pytest.raises(ValueError, match="trans must be 0, 1, 2, 'N', 'T' or 'C', not 3"):
        solve_triangular(x, b, trans=3)
    with pytest.raises(ValueError, match="right side must be a matrix or a stack"):
        solve_triangular(x, b, b_ndim=2)
    with pytest.raises(ValueError, match=r"float64\[2, 2\] and float64\[3, 1\] do not fit"):
        solve_triangular(np.eye(2), np.ones(3))
    for half, name in ((tril, "tril"), (triu, "triu")):
        with pytest.raises(ValueError, match=f"{name} needs a matrix or a stack of them, not <b"):
            half(b)
    assert sum(x).eval({x: np.zeros((0, 0))}) == 0


@pytest.mark.parametrize("UPLO", ["L", "U"])
@pytest.mark.parametrize("whole", [SQUARE, COMPLEX], ids=["real", "complex"])
def test_eigenvalues_relative_to_another_matrix(whole: Any, UPLO: str) -> None:
    a, b = whole + whole.conj().T, whole @ whole.conj().T + 3 * np.eye(len(whole))
    half = np.tril if UPLO == "L" else np.triu
    w, v = (x.eval() for x in linalg.eigh(half(a), UPLO, b=half(b)))
    expected = scipy.linalg.eigh(a, b)[0]
    np.testing.assert_allclose(w, expected, rtol=1e-10)
    np.testing.assert_allclose(linalg.eigvalsh(half(a), UPLO, b=half(b)).eval(), w, rtol=1e-10)
    np.testing.assert_allclose(a @ v, b @ v * w, atol=1e-10)
    np.testing.assert_allclose(v.conj().T @ b @ v, np.eye(len(w)), atol=1e-10)
    if whole is SQUARE:
        check_grad(lambda x, y: abs(linalg.eigh(x, UPLO, b=positive(y))[1]), [a, b])


def test_what_is_not_finite_is_an_error_where_that_is_asked_for() -> None:
    x = matrix("x")
    results = {
        "solve": linalg.solve(x, x, check_finite=True),
        "solve_triangular": solve_triangular(x, x, check_finite=True),
        "cholesky": linalg.cho_factor(x, check_finite=True)[0],
        "cho_solve": linalg.cho_solve((x, True), x, check_finite=True),
        "lu": linalg.lu(x, check_finite=True)[0],
    }
    for name, result in results.items():
        compiled = function([x], result, mode=PY)
        assert np.isfinite(compiled(np.eye(2))).all()
        with pytest.raises(ValueError, match=f"{name}: array must not contain infs or NaNs"):
            compiled([[1.0, np.nan], [np.nan, 1.0]])


@pytest.mark.parametrize(("name", "instead"), [("hessenberg", "eigvals"), ("schur", "expm")])
def test_forms_without_derivatives_say_what_has_some(name: str, instead: str) -> None:
    x = matrix("x")
    form = getattr(linalg, name)(x)
    with pytest.raises(UndefinedGradientError, match=f"{name} has no derivative: .*`{instead}`"):
        grad(sum(form if name == "hessenberg" else form.T), x)
