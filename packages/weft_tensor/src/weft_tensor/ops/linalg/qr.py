"""QR factors of matrices, square or not; for stacks too.

Derivatives of the reduced factors are those of Walter and Lehmann, Algorithmic differentiation of
linear algebra functions with application in optimum experimental design (2010). Of a wide matrix
the first square part is factored, and r's other columns are qᴴ times the rest. Columns of q
beyond those that x has stay orthogonal to the others, and don't turn among themselves.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_floating
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.argmax import argmax
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.solve import solve_triangular
from weft_tensor.ops.linalg.square import (
    FloatingOp,
    SlopeOp,
    adjoint_of,
    diagonal_ones,
    matrix_type,
    mirrored,
    shorter_length,
    shorter_size,
    slope_values,
    tril,
)
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.types.tensor_type import TensorType

__all__ = ["QR", "QRResult", "QRSlope", "qr"]


class QR(FloatingOp):
    """q and r with x = q r: columns of q are orthogonal, r is upper triangular.

    `complete`: q is square, and r has as many rows as x.
    """

    none_for_zero = True
    complete: bool = False

    def infer(self, *types: TensorType) -> tuple[TensorType, TensorType]:
        """As many columns, and rows, as the shorter axis is long; or as x has rows."""
        x = matrix_type(types[0], "qr")
        *batch, m, n = x.shape
        k = m if self.complete else shorter_length(m, n)
        return TensorType(x.dtype, (*batch, m, k)), TensorType(x.dtype, (*batch, k, n))

    def impl(self, *values: np.ndarray) -> tuple[Value, ...]:
        """`numpy.linalg.qr`."""
        return tuple(np.linalg.qr(values[0], "complete" if self.complete else "reduced"))

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """That of `QRSlope`."""
        return QRSlope.applied([self.complete], [*inputs, *outputs], cotangents)

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """With C = qᴴ t r⁻¹ and Ω, which has its lower half and is skew: t r⁻¹ + q (Ω - C)."""
        (x,), (q, r), (t,) = inputs, outputs, tangents
        k = shorter_size(*lengths_of(x)[-2:])
        first, beyond = (q[..., :k], q[..., k:]) if self.complete else (q, None)
        top = r[..., :k, :] if self.complete else r
        right = _divided(t[..., :k], top[..., :k])
        inner = matmul(adjoint_of(first), right)
        below = tril(inner, -1)
        skew: Any = below - adjoint_of(below)
        if inner.is_complex:
            skew = skew + 1j * inner.imag * diagonal_ones(inner)
        by_q = right + matmul(first, skew - inner)
        rest = matmul(adjoint_of(by_q), x[..., k:]) + matmul(adjoint_of(first), t[..., k:])
        by_r = concatenate([matmul(inner - skew, top[..., :k]), rest], -1)
        if beyond is None:
            return [by_q, by_r]
        others = -matmul(first, matmul(adjoint_of(by_q), beyond))
        return [concatenate([by_q, others], -1), concatenate([by_r, r[..., k:, :] * 0], -2)]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """As many columns, and rows, as the shorter axis is long; or as x has rows."""
        ((*batch, m, n),) = input_shapes
        k = m if self.complete else shorter_size(m, n)
        return [(*batch, m, k), (*batch, k, n)]

    @classmethod
    def examples(cls) -> Examples:
        """Square, tall and wide, reduced and complete, stacks, complex, float32, 1 by 1."""
        x = np.array([[2.0, 1.0, 0.0, 0.3], [0.5, 3.0, -1.0, 0.2], [1.0, 0.2, 1.5, -2.0]])
        square = x[:, :3]
        return [
            (cls(), [square]),
            *((cls(), [v]) for v in (x, x.T)),
            (cls(True), [x]),
            (cls(), [np.stack([x, 2 * x + 1])]),
            (cls(), [x.T + 1j * x.T[::-1]]),
            (cls(), [x + 1j * x[::-1]]),
            (cls(), [x.astype("float32")]),
            (cls(), [x[:1, :1]]),
            *((cls(full), [x[:, :0]]) for full in (True, False)),
        ]

    def __str__(self) -> str:
        return "qr"


class QRSlope(SlopeOp):
    """The derivative of `QR`, from x and the results, times cotangents of these.

    An Op of its own as a backend that calls BLAS works in place, and has little to compile.
    """

    complete: bool = False

    def expansion(self, *inputs: TensorVariable) -> TensorVariable:
        """(gq + q S) r⁻ᴴ, where S has the lower half of r grᴴ - gqᴴ q; Walter and Lehmann."""
        x, q, r, gq, gr = inputs
        k = shorter_size(*lengths_of(x)[-2:])
        if self.complete:
            gr, r = gr[..., :k, :], r[..., :k, :]
            first, beyond = q[..., :k], q[..., k:]
            overlap = matmul(adjoint_of(gq[..., k:]), first)
            q, gq = first, gq[..., :k] - matmul(beyond, overlap)
        rest = gr[..., k:]
        gq = gq + matmul(x[..., k:], adjoint_of(rest))
        triangle = r[..., :k]
        middle = mirrored(matmul(triangle, adjoint_of(gr[..., :k])) - matmul(adjoint_of(gq), q))
        inner = gq + matmul(q, middle)
        by_first = adjoint_of(solve_triangular(triangle, adjoint_of(inner), b_ndim=2))
        return concatenate([by_first, matmul(q, rest)], -1)

    def infer(self, *types: TensorType) -> TensorType:
        """The type of x."""
        return types[0]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """That of x."""
        return input_shapes[:1]

    @classmethod
    def examples(cls) -> Examples:
        """Those of `QR`, and complete factors of a tall matrix."""
        tall = np.array([[2.0, 0.5], [1.0j, 3.0], [0.3, 1.0 - 2.0j]])
        cases: list[Any] = [*QR.examples(), (QR(True), [tall])]
        return [(cls(op.complete), slope_values(op, x, *x)) for op, x in cases]

    def __str__(self) -> str:
        return "qr_slope"


def _divided(x: TensorVariable, triangle: TensorVariable) -> TensorVariable:
    """x times the inverse of the upper triangle."""
    return adjoint_of(solve_triangular(adjoint_of(triangle), adjoint_of(x), lower=True, b_ndim=2))


class QRResult(NamedTuple):
    """What `qr` returns."""

    Q: TensorVariable
    R: TensorVariable


_MODES: Final = {"full": "complete", "economic": "reduced"}


def qr(a: TensorLike, mode: str = "reduced", *, pivoting: bool = False) -> Any:
    """Q, whose columns are orthogonal and of length 1, and triangular R, with a = Q R.

    Parameters
    ----------
    a
        Matrices, on the last two axes.
    mode
        "reduced": Q has as many columns as the shorter axis; "complete": Q is square; "r": R
        alone. SciPy says "economic" and "full". See `numpy.linalg.qr`.
    pivoting
        Whether columns change places: each is that of which most is orthogonal to those before, so
        that the diagonal of R falls in size (P. Businger and G. H. Golub, 1965).

    Returns
    -------
    `Q` and `R`, or R alone; with pivoting also where each column was: `a[..., p] = Q R`.

    Raises
    ------
    ValueError
        for another mode.

    Examples
    --------
    >>> q, r = qr([[3.0, 1.0], [4.0, 2.0]])
    >>> print(abs(r).eval().round(12).tolist())
    [[5.0, 2.2], [0.0, 0.4]]
    """
    kind = _MODES.get(mode, mode)
    if kind not in ("reduced", "complete", "r"):
        raise ValueError(f"qr: mode must be 'reduced', 'complete' or 'r', not {mode!r}{called()}")
    x = as_floating(a)
    places: tuple[TensorVariable, ...] = ()
    if pivoting:
        places = (_pivots(x),)
        x = take_along_axis(x, places[0].expand_dims(-2), -1)
    q, r = QR(kind == "complete")(x)
    if pivoting:
        return (r, *places) if kind == "r" else (q, r, *places)
    return r if kind == "r" else QRResult(q, r)


def _pivots(a: TensorVariable) -> TensorVariable:
    """The places of columns, each that with the most beside the space of those before."""
    matrix_type(a.type, "qr")
    if a.ndim > 2:
        *batch, m, n = lengths_of(a)
        rows = lazy_import("weft_tensor.batching.functions.vmap")(_pivots)(reshape(a, (-1, m, n)))
        return reshape(rows, (*batch, n))
    m, n = lengths_of(a)
    order = arange(n)
    if a.type.shape[-1] == 0:
        return order

    def step(k: TensorVariable, state: tuple[Any, Any]) -> tuple[Any, Any]:
        rest, places = state
        sizes = sum(rest.real**2 + rest.imag**2 if rest.is_complex else rest**2, -2)
        chosen = argmax(where(order >= k, sizes[places], -1))
        place = places[chosen]
        column = rest[:, place] / sqrt(where(sizes[place] > 0, sizes[place], 1))
        rest = rest - column.expand_dims(-1) * matmul(column.conj(), rest)
        swapped = where(order.eq(chosen), places[k], where(order.eq(k), place, places))
        return rest, swapped

    return fori_loop(0, minimum(m, n), step, (stop_gradient(a), order))[1]
