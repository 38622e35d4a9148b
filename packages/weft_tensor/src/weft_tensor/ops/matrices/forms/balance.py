"""Square matrices with rows and columns of like sizes, on the last two axes."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from weft_graph import stop_gradient
from weft_tensor.build.convert import as_floating
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import fori_loop, while_loop
from weft_tensor.ops.creation.creation import arange, ones_like, zeros_like
from weft_tensor.ops.elementwise.arithmetic import abs, maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, neq, where
from weft_tensor.ops.elementwise.exponential import exp2
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.linalg.square import on_diagonal, real_dtype, square_type
from weft_tensor.ops.numbers.parts import frexp
from weft_tensor.ops.reduction.standard import all, any, max, sum
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["matrix_balance"]

_LESS: Final = 0.95
"""A row and its column are scaled where the sum of their lengths falls by more than this."""


def matrix_balance(
    A: TensorLike, permute: bool = True, scale: bool = True, separate: bool = False
) -> Any:
    """B = T⁻¹ A T whose rows and columns are of like lengths, and T, of powers of two.

    By B. N. Parlett and C. Reinsch, Balancing a matrix for calculation of eigenvalues and
    eigenvectors, 1969, with Euclidean lengths. See `scipy.linalg.matrix_balance`.

    Parameters
    ----------
    A
        Square matrices (..., n, n).
    permute
        Whether rows that have an eigenvalue alone go to the ends.
    scale
        Whether the others are scaled.
    separate
        Whether, in place of T, the pair of scales and of the order of rows (..., n) is wanted:
        T is then `diag(scales)[argsort(order)]`.

    Returns
    -------
    B, and T or the pair. Derivatives of B take T as it is.

    Raises
    ------
    LinAlgError
        for matrices that are not square.

    Examples
    --------
    >>> B, T = matrix_balance([[1.0, 256.0], [1.0, 1.0]])
    >>> B.eval().tolist(), T.eval().tolist()
    ([[1.0, 16.0], [16.0, 1.0]], [[16.0, 0.0], [0.0, 1.0]])
    """
    x = as_floating(A)
    square_type(x.type, "matrix_balance")
    sizes = stop_gradient(abs(x))
    rows = arange(lengths_of(x)[-1])
    order = zeros_like(sizes.sum(-1)).astype("int64") + rows
    inside = eq(order, order)
    if permute:
        order, inside = _isolated(sizes, order)
        x, sizes = _reordered(x, order), _reordered(sizes, order)
    scales = ones_like(sizes.sum(-1))
    if scale:
        scales = _scales(sizes, inside, scales)
    balanced = x * scales.expand_dims(-2) / scales.expand_dims(-1)
    if separate:
        return balanced, (scales, order)
    whole = where(on_diagonal(x), scales.expand_dims(-1), 0).astype(scales.dtype)
    return balanced, take_along_axis(whole, argsort(order).expand_dims(-1), -2)


def _reordered(x: TensorVariable, order: TensorVariable) -> TensorVariable:
    x = take_along_axis(x, order.expand_dims(-1), -2)
    return take_along_axis(x, order.expand_dims(-2), -1)


def _isolated(sizes: TensorVariable, order: TensorVariable) -> tuple[Any, Any]:
    """The order with what has its eigenvalue alone at the ends, and where the others are."""
    rows = arange(lengths_of(sizes)[-1])
    low = zeros_like(order.sum(-1))
    high = low + lengths_of(sizes)[-1]
    begun: Any = order, low, high
    for is_row in (True, False):
        search = _Search(sizes, rows, is_row)
        order, low, high = begun[:3]
        beyond = low + high if is_row else low - 1
        begun = while_loop(
            lambda s: any(s[-1]), search.step, (order, low, high, beyond, eq(low, low))
        )
    order, low, high = begun[:3]
    return order, (rows >= low.expand_dims(-1)) & (rows < high.expand_dims(-1))


class _Search:
    """For rows, or columns, that are zero beside the diagonal."""

    def __init__(self, sizes: TensorVariable, rows: TensorVariable, is_row: bool) -> None:
        self.sizes, self.rows, self.is_row = sizes, rows, is_row

    def found(self, order: Any, low: Any, high: Any, before: Any) -> tuple[Any, Any]:
        """The next such row above `before`, or column below, and whether there is one.

        Without a next one, it is the one farthest away: LAPACK goes through all again.
        """
        x, rows = _reordered(self.sizes, order), self.rows
        low, high = low.expand_dims(-1), high.expand_dims(-1)
        inside = (rows >= low) & (rows < high)
        across = inside.expand_dims(-2 if self.is_row else -1)
        is_zero = eq(x, 0) | on_diagonal(x) | ~across
        alone = all(is_zero, -1 if self.is_row else -2) & inside
        n = lengths_of(x)[-1]
        is_next = alone & ((rows < before) if self.is_row else (rows > before))
        alone = where(any(is_next, -1, keepdims=True), is_next, alone)
        ranks = rows if self.is_row else n - 1 - rows
        rank = max(where(alone, ranks, 0), -1, initial=0)
        return rank if self.is_row else n - 1 - rank, any(alone, -1)

    def step(self, state: Any) -> Any:
        """What is found goes to the end that it belongs to."""
        order, low, high, before, _ = state
        at, is_found = self.found(order, low, high, before.expand_dims(-1))
        end = where(is_found, high - 1 if self.is_row else low, at).expand_dims(-1)
        place = at.expand_dims(-1)
        turn = where(eq(self.rows, end), place, where(eq(self.rows, place), end, self.rows))
        order = take_along_axis(order, turn, -1)
        count = is_found.astype("int64")
        low, high = (low, high - count) if self.is_row else (low + count, high)
        return order, low, high, at, is_found


def _scales(sizes: TensorVariable, inside: TensorVariable, scales: TensorVariable) -> Any:
    """Powers of two for rows and columns, until none makes these shorter."""
    n = lengths_of(sizes)[-1]
    across = inside.expand_dims(-1) & inside.expand_dims(-2)
    limit = np.finfo(real_dtype(sizes.dtype)).maxexp // 2 - 2

    def of_row(i: Any, state: Any) -> Any:
        scales, is_new = state
        squares = where(across, sizes, 0)
        column = _length(squares[..., i] / scales) * scales[..., i]
        row = _length(squares[..., i, :] * scales) / scales[..., i]
        is_some = neq(column, 0) & neq(row, 0)
        more = _quarters(where(is_some, row / where(is_some, column, 1), 1))
        factor = exp2(maximum(minimum(more, limit), -limit).astype(scales.dtype))
        is_less = column * factor + row / factor < _LESS * (column + row)
        is_less = is_less & is_some
        chosen = eq(arange(n), i) & is_less.expand_dims(-1)
        return where(chosen, scales * factor.expand_dims(-1), scales), is_new | is_less

    def sweep(state: Any) -> Any:
        scales, is_new = state
        return fori_loop(0, n, of_row, (scales, neq(is_new, is_new)))

    nothing = eq(scales.sum(-1), scales.sum(-1))
    return while_loop(lambda s: any(s[1]), sweep, (scales, nothing))[0]


def _length(x: TensorVariable) -> TensorVariable:
    most = max(x, -1, keepdims=True, initial=0)
    most = where(most > 0, most, 1)
    return sqrt(sum((x / most) ** 2, -1)) * most.squeeze(-1)


def _quarters(ratio: TensorVariable) -> TensorVariable:
    """The exponent m of the power 4^m nearest to a ratio, as LAPACK rounds it."""
    share, exponent = frexp(ratio / 2)
    up = (exponent - eq(share, 0.5) + 1) // 2
    share, exponent = frexp(1 / (2 * ratio))
    down = (exponent - 1) // 2 + 1
    return where(up > 0, up, where(down > 0, -down, 0))
