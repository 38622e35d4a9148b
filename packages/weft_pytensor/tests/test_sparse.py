"""PyTensor's sparse matrices: constants, and those made of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
import scipy.sparse
from pytensor import sparse

from weft_pytensor import from_pytensor

pytestmark = [
    pytest.mark.filterwarnings("default"),  # PyTensor's own
    pytest.mark.filterwarnings("error::weft_pytensor.NoConverterWarning"),
]
x, m = pt.dvector("x"), pt.dmatrix("m")
X, M = np.array([0.5, -2.0, 3.0]), np.arange(12.0).reshape(4, 3) - 5
DENSE = np.array([[1.0, 0, 2], [0, 0, 3], [0, 4, 0], [5, 0, 0]])
ROWS = sparse.as_sparse_variable(scipy.sparse.csr_matrix(DENSE))
COLUMNS = sparse.as_sparse_variable(scipy.sparse.csc_matrix(DENSE))


def _of_parts(data: Any) -> Any:
    return sparse.CSR(data, np.array([1, 0, 2], "int32"), np.array([0, 1, 3], "int32"), (2, 3))


CASES: dict[str, Callable[[], Any]] = {
    "structured_dot": lambda: sparse.structured_dot(ROWS, m.T),
    "dot": lambda: sparse.dot(COLUMNS, m.T),
    "dot, from the left": lambda: sparse.dot(m.T, COLUMNS),
    "transpose": lambda: sparse.structured_dot(ROWS.T, m),
    "of parts": lambda: sparse.dense_from_sparse(_of_parts(x)) @ m.T,
    "sum": lambda: sparse.sp_sum(sparse.multiply(ROWS, m), axis=0) * x,
    "sum of rows": lambda: sparse.sp_sum(sparse.multiply(ROWS, m), axis=1),
    "plus": lambda: sparse.add(ROWS, m),
    "plus sparse": lambda: sparse.dense_from_sparse(sparse.add(ROWS, ROWS)) * m,
    "scaled": lambda: sparse.dense_from_sparse(sparse.col_scale(COLUMNS, x)) * m,
    "stacked": lambda: sparse.structured_dot(sparse.vstack([ROWS, ROWS]), m.T),
    "product": lambda: sparse.structured_dot(sparse.true_dot(ROWS, ROWS.T), m),
}


@pytest.mark.cases(3)
@pytest.mark.parametrize("mode", ["WEFT", "WEFT_JAX", "WEFT_PY"])
def test_same_as_pytensor(mode: str) -> None:
    outputs = [make() for make in CASES.values()]
    theirs = pytensor.function([x, m], outputs, mode="FAST_COMPILE")
    ours = pytensor.function([x, m], outputs, mode=mode)
    for name, one, other in zip(CASES, theirs(X, M), ours(X, M), strict=True):
        np.testing.assert_allclose(other, one, err_msg=name)


@pytest.mark.parametrize("mode", ["WEFT", "WEFT_JAX"])
def test_slopes(mode: str) -> None:
    design = [sparse.structured_dot(a, m.T) for a in (ROWS, COLUMNS)]
    slope = pytensor.grad(pt.exp(pt.stack(design) / 9).sum(), m)
    theirs = pytensor.function([m], slope, mode="FAST_COMPILE")
    np.testing.assert_allclose(pytensor.function([m], slope, mode=mode)(M), theirs(M))


def test_sparse_inputs_are_refused() -> None:
    a = sparse.csr_matrix("a")
    with pytest.raises(TypeError, match="constant sparse matrices"):
        from_pytensor(sparse.structured_dot(a, m))
