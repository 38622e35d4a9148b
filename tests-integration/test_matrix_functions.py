"""wt.linalg on each backend: Schur forms, functions of matrices, and equations of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import weft.tensor as wt
from weft import Mode, UndefinedGradientError, function, grad
from weft_testing import check_grad

linalg = wt.linalg
BACKENDS = ["py", "numba", "jax"]
RNG = np.random.default_rng(5)
SQUARE = RNG.normal(size=(4, 4))
COMPLEX = SQUARE + 1j * RNG.normal(size=(4, 4))
STACK = RNG.normal(size=(2, 3, 3))
POSITIVE = SQUARE @ SQUARE.T + np.eye(4)
NEGATIVE = np.array([[-1.0, 0.0], [0.0, 2.0]])


def run(f: Callable[..., Any], values: Any, mode: str) -> Any:
    inputs = [wt.tensor("x", str(np.asarray(v).dtype), [None] * np.ndim(v)) for v in values]
    made = f(*inputs)
    outputs = list(made) if isinstance(made, (list, tuple)) else made
    return function(inputs, outputs, mode=Mode(mode))(*values)


def same(found: Any, expected: Any, tolerance: float = 1e-10) -> None:
    expected = np.asarray(expected)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    size = max(1.0, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * size)


def adjoint(x: Any) -> Any:
    return np.swapaxes(x.conj(), -1, -2)


@pytest.mark.parametrize("mode", BACKENDS)
def test_schur_forms(mode: str) -> None:
    for x in (SQUARE, COMPLEX, STACK):
        for output in ("real", "complex"):
            t, z = run(lambda v, o=output: linalg.schur(v, o), [x], mode)
            same(z @ t @ adjoint(z), x.astype(z.dtype))
            same(z @ adjoint(z), np.broadcast_to(np.eye(x.shape[-1], dtype=z.dtype), x.shape))
            if np.iscomplexobj(t):
                assert not np.tril(t, -1).any()


@pytest.mark.parametrize("mode", ["py", "numba"])
def test_schur_forms_of_pairs(mode: str) -> None:
    for a, b in ((SQUARE, POSITIVE), (COMPLEX, SQUARE), (STACK, STACK[0])):
        for output in ("real", "complex"):
            s, t, q, z = run(lambda x, y, o=output: linalg.qz(x, y, o), [a, b], mode)
            same(q @ s @ adjoint(z), a.astype(s.dtype))
            same(q @ t @ adjoint(z), np.broadcast_to(b, a.shape).astype(s.dtype))


@pytest.mark.parametrize("mode", BACKENDS)
def test_eigenvectors_of_any_matrix(mode: str) -> None:
    for x in (SQUARE, COMPLEX, STACK, STACK.astype("float32"), SQUARE[:1, :1], SQUARE[:0, :0]):
        w, v = run(linalg.eig, [x], mode)
        exact = 1e-4 if x.dtype == np.float32 else 1e-10
        same(x.astype(v.dtype) @ v, v * w[..., None, :], exact)
        if x.size:
            np.testing.assert_allclose(np.abs(v**2).sum(-2), 1.0, atol=exact)
        np.testing.assert_allclose(run(linalg.eigvals, [x], mode), w, atol=10 * exact)


def test_derivatives_of_eigenvalues() -> None:
    for x in (SQUARE, COMPLEX, STACK):
        check_grad(lambda v: wt.abs(linalg.eigvals(v)), [x], rtol=1e-6)

        def invariant(v: Any) -> list[Any]:
            values, vectors = linalg.eig(v)
            sizes = wt.abs(vectors) ** 2
            whole = vectors @ (wt.exp(values).expand_dims(-1) * linalg.inv(vectors))
            return [values.real.sum(-1), sizes, whole.real]

        check_grad(invariant, [x], rtol=1e-6)


@pytest.mark.filterwarnings("ignore:logm result may be inaccurate")
@pytest.mark.parametrize("mode", BACKENDS)
def test_functions_of_matrices(mode: str) -> None:
    near = np.eye(4) + 1e-9 * SQUARE
    for x in (POSITIVE, POSITIVE + 0.3j * SQUARE, 30 * SQUARE, -50 * POSITIVE, near, 0 * SQUARE):
        same(run(linalg.expm, [x], mode), scipy.linalg.expm(x), 1e-11)
    for x in (POSITIVE, POSITIVE + 0.3j * SQUARE, near, 1e6 * POSITIVE, 1e-6 * POSITIVE):
        root = run(linalg.sqrtm, [x], mode)
        same(root @ root, x, 1e-11)
        same(root, scipy.linalg.sqrtm(x).astype(x.dtype))
        logarithm = run(linalg.logm, [x], mode)
        same(logarithm, scipy.linalg.logm(x).astype(x.dtype))
    stack = STACK @ adjoint(STACK) + np.eye(3)
    for f, expected in ((linalg.sqrtm, scipy.linalg.sqrtm), (linalg.logm, scipy.linalg.logm)):
        same(run(f, [stack], mode), np.stack([expected(x) for x in stack]))
        assert np.isnan(run(f, [NEGATIVE], mode)).all()
        same(run(f, [NEGATIVE + 0j], mode), expected(NEGATIVE + 0j))
        assert np.isnan(run(f, [NEGATIVE * np.nan], mode)).all()
    assert np.isnan(run(linalg.expm, [NEGATIVE * np.nan], mode)).all()


def test_derivatives_of_functions_of_matrices() -> None:
    for x in (POSITIVE, POSITIVE + 0.3j * SQUARE, STACK @ adjoint(STACK) + np.eye(3)):
        for f in (linalg.expm, linalg.sqrtm, linalg.logm):
            check_grad(lambda v, f=f: f(v / 3), [x], rtol=1e-6)


@pytest.mark.parametrize("mode", BACKENDS)
def test_equations_of_matrices(mode: str) -> None:
    b, q = RNG.normal(size=(2, 2)), RNG.normal(size=(4, 2))
    for a in (SQUARE, COMPLEX):
        x = run(linalg.solve_sylvester, [a, b, q], mode)  # SciPy's is wrong for some mixed dtypes
        same(x, scipy.linalg.solve_sylvester(a, b.astype(a.dtype), q))
        same(
            run(linalg.solve_continuous_lyapunov, [a, POSITIVE], mode),
            scipy.linalg.solve_continuous_lyapunov(a, POSITIVE).astype(a.dtype),
        )
        for method in ("direct", "bilinear", None):
            same(
                run(
                    lambda x, y, m=method: linalg.solve_discrete_lyapunov(x, y, m),
                    [a / 5, POSITIVE],
                    mode,
                ),
                scipy.linalg.solve_discrete_lyapunov(a / 5, POSITIVE).astype(a.dtype),
            )
    found = run(linalg.solve_sylvester, [STACK, STACK[0] + 1, STACK[1]], mode)
    same(STACK @ found + found @ (STACK[0] + 1), np.broadcast_to(STACK[1], STACK.shape))


def test_derivatives_of_equations() -> None:
    for a in (SQUARE, COMPLEX):
        check_grad(linalg.solve_sylvester, [a, SQUARE.T + 1, POSITIVE], rtol=1e-6)
        for method in ("direct", "bilinear"):
            check_grad(
                lambda x, y, m=method: linalg.solve_discrete_lyapunov(x / 5, y, m),
                [a, POSITIVE],
                rtol=1e-6,
            )


def test_errors() -> None:
    x = wt.dmatrix("x")
    with pytest.raises(ValueError, match="output must be 'real' or 'complex', not 'c128'"):
        linalg.schur(x, "c128")
    with pytest.raises(ValueError, match="method must be 'direct' or 'bilinear', not 'fast'"):
        linalg.solve_discrete_lyapunov(x, x, "fast")
    with pytest.raises(ValueError, match="logm needs square matrices"):
        linalg.logm(np.ones((2, 3)))
    with pytest.raises(UndefinedGradientError, match="schur"):
        grad(linalg.schur(x)[0].sum(), x)
    with pytest.raises(NotImplementedError, match="qz: JAX has no Schur form of pairs"):
        function([x], linalg.qz(x, x)[0], mode="jax")
    for mode in ("py", "numba"):
        for made in (linalg.eig(x)[0], linalg.eigvals(x), *linalg.schur(x), linalg.qz(x, x)[0]):
            with pytest.raises(np.linalg.LinAlgError, match=r"finite|NaN"):
                function([x], made, mode=Mode(mode))(np.full((2, 2), np.nan))
    for value in function([x], [linalg.eig(x)[0], linalg.schur(x)[0]], mode="jax")(
        np.full((2, 2), np.nan)
    ):
        assert np.isnan(value).all()
