"""Products with the exponential of a matrix, which is never made."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.loops import fori_loop, while_loop
from weft_tensor.ops.control.scan import scan
from weft_tensor.ops.creation.creation import zeros_like
from weft_tensor.ops.elementwise.arithmetic import abs as size_of
from weft_tensor.ops.elementwise.arithmetic import ceil
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.reduction.standard import max as largest
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import as_size
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.sparse.construction import coo_array
from weft_tensor.types.dtypes import promote

__all__ = ["expm_multiply"]

_REACH = 3.5
_TERMS = 40
"""Up to that norm, fewer terms of the series than these have all digits of 53 bits."""


class _Series(NamedTuple):
    total: Any
    term: Any
    size: Any
    before: Any
    number: Any


def expm_multiply(
    A: Any,  # SciPy's names
    B: TensorLike,
    start: TensorLike | None = None,
    stop: TensorLike | None = None,
    num: SizeLike | None = None,
    endpoint: bool = True,
) -> TensorVariable:
    """`expm(A) @ B`, of a vector or matrix B, by products with A alone.

    With `start`, `stop` and `num`, `expm(t A) @ B` at each of as many t from `start` up to `stop`
    (or one short of it, without `endpoint`), along a new first axis. By Taylor's series of parts
    of A, less the mean of its diagonal, and as many terms as count (Al-Mohy and Higham, 2011).
    Derivatives are those of the series. See `scipy.sparse.linalg.expm_multiply`.

    Parameters
    ----------
    A
        A square matrix, dense or sparse: how large it is decides the number of parts.
    B
        A vector or a matrix.
    start, stop, num, endpoint
        Times, as those of `linspace`; by default only one of them, 1.

    Raises
    ------
    TypeError
        for a function, whose norm is not known.
    ValueError
        if A is no matrix or B has other than one or two axes, or if only one of `start` and `stop`
        is given.

    Examples
    --------
    >>> expm_multiply([[0.0, 1.0], [-1.0, 0.0]], [0.0, 1.0]).eval().round(6)  # sine and cosine
    array([0.841471, 0.540302])
    >>> expm_multiply([[-1.0]], [1.0], 0.0, 2.0, 3).eval().ravel().round(6)
    array([1.      , 0.367879, 0.135335])
    """
    matrix = _matrix(A)
    b = as_tensor(B)
    if b.ndim not in (1, 2):
        raise ValueError(f"expm_multiply takes a vector or a matrix, not {b!r}{called()}")
    if (start is None) != (stop is None) or (start is None and num is not None):
        raise ValueError(f"expm_multiply: start and stop are given both or not at all{called()}")
    kind = promote([matrix.dtype, b.dtype, "float32"])
    matrix, b = matrix.astype(kind), b.astype(kind)
    n = matrix.shape[0]
    diagonal = matrix.diagonal()
    mean = diagonal.sum() / n
    columns = abs(matrix).sum(0) - size_of(diagonal) + size_of(diagonal - mean)
    norm = largest(columns, initial=0.0)
    if start is None or stop is None:
        return _advanced(matrix, mean, norm, b, as_tensor(1.0))
    count = as_size(50 if num is None else num)
    first, last = as_tensor(start).astype("float64"), as_tensor(stop).astype("float64")
    step = (last - first) / (count - 1 if endpoint else count)
    begun = _advanced(matrix, mean, norm, b, first)
    later = scan(
        lambda v: _advanced(matrix, mean, norm, v, step),
        outputs_info=[begun],
        n_steps=count - 1,
        return_updates=False,
    )
    return concatenate([expand_dims(begun, 0), later])


def _matrix(A: Any) -> Any:
    """What has `@`, `diagonal`, `sum`, `astype` and `shape`."""
    if hasattr(A, "tocoo"):
        return coo_array(A)
    if callable(A):
        raise TypeError(f"expm_multiply takes a matrix, as it needs a norm, not {A!r}{called()}")
    matrix = as_tensor(A)
    if matrix.ndim != 2:
        raise ValueError(f"expm_multiply takes a matrix, not {matrix!r}{called()}")
    return matrix


def _advanced(
    matrix: Any, mean: TensorVariable, norm: TensorVariable, b: TensorVariable, time: Any
) -> TensorVariable:
    """`expm(time * matrix) @ b`."""
    time = time.astype(mean.real.dtype)
    parts = largest(concatenate([[1.0], expand_dims(ceil(norm * size_of(time) / _REACH), 0)]))
    part = (time / parts).astype(mean.real.dtype)
    grown = exp(part * mean)
    resolution = float(np.finfo(b.dtype).eps) / 4

    def further(s: _Series) -> _Series:
        moved = (matrix @ s.term - mean * s.term) * (part / s.number).astype(part.dtype)
        moved = moved.astype(b.dtype)
        size = largest(size_of(moved), initial=0.0)
        return _Series(s.total + moved, moved, size, s.size, s.number + 1)

    def counts(s: _Series) -> Any:
        limit = resolution * largest(size_of(s.total), initial=0.0)
        return s.size + s.before > limit

    def one_part(i: Any, v: Any) -> Any:
        size = largest(size_of(v), initial=0.0)
        first = _Series(v, v, size, zeros_like(size), as_tensor(1))
        end = while_loop(counts, further, first, max_steps=_TERMS)
        return (end.total * grown).astype(b.dtype)

    end: TensorVariable = fori_loop(0, parts.astype("int64"), one_part, b)
    return end
