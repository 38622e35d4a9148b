"""Triangular factors on the other side, products with the orthogonal one, and widths of bands."""

from __future__ import annotations

from typing import Any, NamedTuple

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.comparison import eq, neq, where
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.qr import qr
from weft_tensor.ops.linalg.schur import SchurResult, schur
from weft_tensor.ops.linalg.square import adjoint_of, square_type
from weft_tensor.ops.numbers.closeness import isclose
from weft_tensor.ops.reduction.standard import all, max
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["RQResult", "bandwidth", "ishermitian", "issymmetric", "qr_multiply", "rq", "rsf2csf"]


class RQResult(NamedTuple):
    """The triangular and the orthogonal factor."""

    R: TensorVariable
    Q: TensorVariable


def rq(a: TensorLike, mode: str = "full") -> Any:
    """R and Q with a = R Q, R triangular and the rows of Q orthonormal.

    (..., m, n) makes (..., m, n) and (..., n, n), in the mode "economic" (..., m, k) and
    (..., k, n), where k is the smaller of both; the mode "r" leaves Q out. It is `qr` of what is
    turned around. See `scipy.linalg.rq`. Raises ValueError for another mode.

    >>> R, Q = rq([[3.0, 4.0], [0.0, 2.0]])
    >>> print((R @ Q).eval().round(12), R.eval()[1, 0])
    [[3. 4.]
     [0. 2.]] 0.0
    """
    if mode not in ("full", "economic", "r"):
        raise ValueError(f"rq: mode is 'full', 'economic' or 'r', not {mode!r}{called()}")
    turned = adjoint_of(as_floating(a)[..., ::-1, ::-1])
    q, r = qr(turned, mode="reduced" if mode == "economic" else "complete")
    triangle, rows = (adjoint_of(x)[..., ::-1, ::-1] for x in (r, q))
    return triangle if mode == "r" else RQResult(triangle, rows)


def qr_multiply(
    a: TensorLike,
    c: TensorLike,
    mode: str = "right",
    pivoting: bool = False,
    conjugate: bool = False,
) -> Any:
    """c Q, or Q c in the mode "left", and R, where a = Q R; with `pivoting` where columns were.

    (..., m, n) and (..., l, m) make (..., l, k) and (..., k, n), with the smaller of m and n for k;
    "left", (..., k, l) makes (..., m, l). A vector c is a row, or a column. `conjugate`: of Q's
    conjugate. `pivoting` is as for `qr`. See `scipy.linalg.qr_multiply`. Raises ValueError for
    another mode.

    >>> product, R = qr_multiply([[0.0, 1.0], [2.0, 0.0]], [1.0, 0.0])
    >>> print(abs(product).eval(), abs(R).eval().tolist())
    [0. 1.] [[2.0, 0.0], [0.0, 1.0]]
    """
    if mode not in ("left", "right"):
        raise ValueError(f"qr_multiply: mode is 'left' or 'right', not {mode!r}{called()}")
    q, *others = qr(as_floating(a), pivoting=pivoting)
    q = q.conj() if conjugate else q
    return (matmul(q, c) if mode == "left" else matmul(c, q)), *others


def rsf2csf(T: TensorLike, Z: TensorLike) -> SchurResult:
    """The complex Schur form of what has the real one T and Z: `schur` of T, whose turns Z gets.

    (..., n, n) twice make these again. No derivatives, as `schur`. See `scipy.linalg.rsf2csf`.

    >>> T, Z = rsf2csf([[0.0, 1.0], [-1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]])
    >>> print(abs(T).eval().round(6).diagonal())
    [1. 1.]
    """
    triangle, turns = schur(as_floating(T), output="complex")
    return SchurResult(triangle, matmul(Z, turns))


def _as_its_turned(
    x: TensorVariable, other: TensorVariable, atol: float | None, rtol: float | None
) -> TensorVariable:
    if atol is None and rtol is None:
        return all(eq(x, other), axis=(-2, -1))
    return all(isclose(x, other, rtol or 0.0, atol or 0.0), axis=(-2, -1))


def issymmetric(
    a: TensorLike, atol: float | None = None, rtol: float | None = None
) -> TensorVariable:
    """Whether square matrices, on the last two axes, are equal to their transposes.

    With `atol` or `rtol`, as near to them as these allow. See `scipy.linalg.issymmetric`. Raises
    ValueError where the matrices are known not to be square.

    >>> issymmetric([[1.0, 2.0], [2.0, 5.0]]).eval()
    array(True)
    """
    x = as_tensor(a)
    square_type(x.type, "issymmetric")
    return _as_its_turned(x, x.mT, atol, rtol)


def ishermitian(
    a: TensorLike, atol: float | None = None, rtol: float | None = None
) -> TensorVariable:
    """Whether square matrices, on the last two axes, are equal to their conjugate transposes.

    With `atol` or `rtol`, as near to them as these allow. See `scipy.linalg.ishermitian`. Raises
    ValueError where the matrices are known not to be square.

    >>> ishermitian([[1.0, 2.0j], [2.0j, 5.0]]).eval()
    array(False)
    """
    x = as_tensor(a)
    square_type(x.type, "ishermitian")
    return _as_its_turned(x, adjoint_of(x), atol, rtol)


def bandwidth(a: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """How many diagonals below, and above, the main one of matrices are not all 0.

    (..., m, n) makes (...) twice. See `scipy.linalg.bandwidth`.

    >>> below, above = bandwidth([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0], [0.0, 0.0, 1.0]])
    >>> below.eval(), above.eval()
    (array(0), array(1))
    """
    x = as_tensor(a)
    *_, m, n = lengths_of(x)
    beyond = arange(m).expand_dims(1) - arange(n)
    below, above = (where(neq(x, 0) & (k > 0), k, 0) for k in (beyond, -beyond))
    return max(below, axis=(-2, -1), initial=0), max(above, axis=(-2, -1), initial=0)
