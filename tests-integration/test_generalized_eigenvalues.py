"""Some eigenvalues of one symmetric matrix by another, as SciPy has them, with derivatives."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg

import weft.tensor as wt
from weft_testing import check_grad

OURS: Any = wt.sparse.linalg
RANDOM = np.random.default_rng(9)
SQUARE: Final = RANDOM.normal(size=(24, 24))
A: Final = SQUARE + SQUARE.T
M: Final = SQUARE @ SQUARE.T / 24 + np.eye(24)


@pytest.mark.cases(2)
@pytest.mark.parametrize("options", [{"which": "LM"}, {"which": "SA"}, {"sigma": 0.3}])
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_as_scipys(mode: str, options: dict[str, Any]) -> None:
    a, m = wt.matrix("a"), wt.matrix("m")
    w, x = wt.function([a, m], [*OURS.eigsh(a, 3, M=m, **options)], mode=mode)(A, M)
    expected: Any = scipy.sparse.linalg.eigsh(A, 3, M=M, **options)[0]
    np.testing.assert_allclose(w, np.sort(expected), rtol=1e-9)
    np.testing.assert_allclose(A @ x, M @ x * w, atol=1e-7)
    np.testing.assert_allclose(x.T @ M @ x, np.eye(3), atol=1e-9)
    assert (np.take_along_axis(x, np.abs(x).argmax(0)[None], 0) > 0).all()


@pytest.mark.parametrize("sigma", [None, 0.3])
def test_sparse_matrices_and_operators(sigma: float | None) -> None:
    diagonal = np.arange(1.0, 25.0)
    a: Any = scipy.sparse.coo_array(np.triu(np.tril(A, 1), -1))
    m: Any = scipy.sparse.coo_array(np.diag(diagonal))
    expected = scipy.linalg.eigh(a.toarray(), m.toarray(), eigvals_only=True)
    near = expected[np.argsort(-np.abs(expected if sigma is None else 1 / (expected - sigma)))]
    found = OURS.eigsh(a, 4, M=m, sigma=sigma, return_eigenvectors=False).eval()
    np.testing.assert_allclose(found, np.sort(near[:4]), rtol=1e-8)
    known = None if sigma is None else np.linalg.inv(a.toarray() - sigma * m.toarray())
    operator = OURS.aslinearoperator(a)
    of_operator = OURS.eigsh(operator, 4, M=m, v0=diagonal, sigma=sigma, OPinv=known)[0]
    np.testing.assert_allclose(of_operator.eval(), found, rtol=1e-8)


@pytest.mark.cases(0)
def test_slopes() -> None:
    def found(a: Any, m: Any) -> Any:
        w, x = OURS.eigsh((a + a.T) / 2, 2, "LA", M=(m + m.T) / 2)
        return w + (x**2).sum(0)

    check_grad(found, [A[:6, :6], M[:6, :6]])


def test_what_has_no_factor() -> None:
    with pytest.raises(TypeError, match="eigsh: M is a matrix, dense or sparse"):
        OURS.eigsh(A, 2, M=OURS.aslinearoperator(M))
    with pytest.raises(TypeError, match="sigma takes a matrix, or OPinv"):
        OURS.eigsh(OURS.aslinearoperator(A), 2, M=M, sigma=0.3)
