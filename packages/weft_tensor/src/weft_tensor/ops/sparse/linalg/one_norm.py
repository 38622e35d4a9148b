"""The largest sum of absolute values of a column."""

from __future__ import annotations

from typing import Any

from weft_tensor.build.convert import as_tensor
from weft_tensor.ops.creation.creation import arange, eye
from weft_tensor.ops.elementwise.comparison import eq
from weft_tensor.ops.indexing.argmax import argmax
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.sparse.construction import coo_array
from weft_tensor.ops.sparse.linalg.operators import LinearOperator, aslinearoperator

__all__ = ["onenormest"]


def onenormest(
    A: Any,  # SciPy's name
    t: int = 2,
    itmax: int = 5,
    compute_v: bool = False,
    compute_w: bool = False,
) -> Any:
    """The 1-norm of a matrix, dense or sparse, or of a `LinearOperator`, exactly.

    No estimate, so that `t` and `itmax` say nothing. In a tuple after it, if asked for, v, which is
    1 in the place of that column and 0 elsewhere, and w, that column, `A @ v`. See
    `scipy.sparse.linalg.onenormest`.

    >>> onenormest([[1.0, -5.0], [2.0, 1.0]], compute_w=True)[1].eval()
    array([-5.,  1.])
    """
    operator = aslinearoperator(A)
    n, kind = operator.shape[1], operator.dtype
    whole: Any
    if isinstance(A, LinearOperator):
        whole = operator @ eye(n, dtype=kind)
    elif hasattr(A, "tocoo"):
        whole = coo_array(A)
    else:
        whole = as_tensor(A)
    sums = abs(whole).sum(0)
    largest = argmax(sums)
    value = index(sums, largest)
    if not (compute_v or compute_w):
        return value
    v = eq(arange(n), largest).astype(kind)
    return (value, *([v] if compute_v else []), *([operator @ v] if compute_w else []))
