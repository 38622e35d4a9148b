"""Orthogonal and triangular factors of matrices that get, or lose, rows or columns."""

from __future__ import annotations

from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.qr import QRResult, qr
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.types.dtypes import promote

__all__ = ["qr_delete", "qr_insert", "qr_update"]


def qr_insert(
    Q: TensorLike,
    R: TensorLike,
    u: TensorLike,
    k: int,
    which: str = "row",
    rcond: float | None = None,
) -> QRResult:
    """The factors of Q R with rows, or columns, put in before the one at `k`.

    The matrix is made and taken apart again: signs of R's rows, and of Q's columns, may be others
    than SciPy's, which turns the factors. See `scipy.linalg.qr_insert`.

    Parameters
    ----------
    Q, R
        Of (m, m) and (m, n), or of (m, n) and (n, n), from which it is told which factors are
        wanted; lengths are known.
    u
        One row or column, a vector; or several, of (p, n) or (m, p).
    k
        Where the first will be; from the end if it is negative.
    which
        "row" or "col".
    rcond
        Makes no difference.

    Raises
    ------
    ValueError
        for another `which`, other ranks, and lengths of Q that are unknown.

    Examples
    --------
    >>> q, r = qr_insert([[1.0, 0.0], [0.0, 1.0]], [[2.0, 1.0], [0.0, 3.0]], [5.0, 6.0], 1)
    >>> print((q @ r).eval().round(12))
    [[2. 1.]
     [5. 6.]
     [0. 3.]]
    """
    x, kind = _whole(Q, R, "qr_insert")
    axis = _axis(which, "qr_insert")
    new = as_floating(u)
    new = new.expand_dims(axis) if new.ndim == 1 else new
    dtype = promote([x.dtype, new.dtype])
    before, after = _parts(x, k, k, axis)
    return _factors(concatenate([v.astype(dtype) for v in (before, new, after)], axis), kind)


def qr_delete(Q: TensorLike, R: TensorLike, k: int, p: int = 1, which: str = "row") -> QRResult:
    """The factors of Q R without `p` rows, or columns, from the one at `k` on.

    Arguments, signs and errors are those of `qr_insert`. See `scipy.linalg.qr_delete`.

    >>> q, r = qr_delete([[1.0, 0.0], [0.0, 1.0]], [[2.0, 1.0], [0.0, 3.0]], 0, which="col")
    >>> print((q @ r).eval().round(12).ravel())
    [1. 3.]
    """
    x, kind = _whole(Q, R, "qr_delete")
    axis = _axis(which, "qr_delete")
    return _factors(concatenate(_parts(x, k, k + p, axis), axis), kind)


def qr_update(Q: TensorLike, R: TensorLike, u: TensorLike, v: TensorLike) -> QRResult:
    """The factors of Q R + u vᴴ, for vectors u and v, or as many columns of both.

    Arguments, signs and errors are those of `qr_insert`. See `scipy.linalg.qr_update`.

    >>> q, r = qr_update([[1.0, 0.0], [0.0, 1.0]], [[2.0, 1.0], [0.0, 3.0]], [1.0, 1.0], [0.0, 1.0])
    >>> print((q @ r).eval().round(12))
    [[2. 2.]
     [0. 4.]]
    """
    x, kind = _whole(Q, R, "qr_update")
    left, right = (as_floating(w) for w in as_tensors((u, v)))
    left, right = (w.expand_dims(1) if w.ndim == 1 else w for w in (left, right))
    return _factors(x + matmul(left, right.conj().T if right.is_complex else right.T), kind)


def _whole(Q: TensorLike, R: TensorLike, name: str) -> tuple[TensorVariable, str]:
    """The matrix, and which factors of it there are."""
    q, r = (as_floating(v) for v in as_tensors((Q, R)))
    lengths: Any = q.type.shape
    if (q.ndim, r.ndim) != (2, 2) or not all(isinstance(n, int) for n in lengths):
        raise ValueError(
            f"{name} takes matrices, Q of known lengths, not {q!r} and {r!r}: see `specify_shape`"
            f"{called()}"
        )
    return matmul(q, r), "complete" if lengths[0] == lengths[1] else "reduced"


def _axis(which: str, name: str) -> int:
    if which not in ("row", "col"):
        raise ValueError(f"{name}: which is 'row' or 'col', not {which!r}{called()}")
    return ("row", "col").index(which)


def _parts(x: TensorVariable, k: Any, end: Any, axis: int) -> list[TensorVariable]:
    """What is before `k`, and from `end` on, along an axis; negative ones are from its end."""
    n: Any = lengths_of(x)[axis]
    begin, end = (at + n if k < 0 else at for at in (k, end))
    before, after = slice(None, begin), slice(end, None)
    return [index(x, (slice(None),) * axis + (part,)) for part in (before, after)]


def _factors(x: TensorVariable, kind: str) -> QRResult:
    result: QRResult = qr(x, kind)
    return result
