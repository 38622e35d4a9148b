"""LU factors of matrices, square or not, and what they are good for; all for stacks too."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, eye, zeros
from weft_tensor.ops.elementwise.arithmetic import minimum
from weft_tensor.ops.elementwise.comparison import eq
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.solve import solve_triangular
from weft_tensor.ops.linalg.square import (
    FloatingOp,
    SlopeOp,
    adjoint_of,
    finite,
    matrix_type,
    real_dtype,
    shorter_length,
    shorter_size,
    square_type,
    tril,
    triu,
)
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of, same_size
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.shape.transpose import matrix_transpose
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "LUFactor",
    "LUSlope",
    "PivotToPermutations",
    "lu",
    "lu_factor",
    "lu_solve",
    "pivot_to_permutation",
]


class LUFactor(FloatingOp):
    """L and U in one matrix, the pivots, and the order of the rows that is factored.

    The rows of x in that order are L U. L has ones on its diagonal, which are left out.
    """

    def infer(self, *types: TensorType) -> tuple[TensorType, TensorType, TensorType]:
        """The type of x; int32 for as many pivots as the shorter axis, and for all rows."""
        x = matrix_type(types[0], "lu")
        *batch, m, n = x.shape
        return (
            x,
            TensorType("int32", (*batch, shorter_length(m, n))),
            TensorType("int32", (*batch, m)),
        )

    def impl(self, *values: np.ndarray) -> tuple[Value, ...]:
        """LAPACK's getrf; a singular matrix has factors too."""
        (x,) = values
        *batch, m, n = x.shape
        packed = np.empty(x.shape, x.dtype)
        pivots = np.empty((*batch, min(m, n)), "int32")
        (getrf,) = lazy_import("scipy.linalg.get_lapack_funcs")(("getrf",), (x,))
        for place in np.ndindex(*batch) if m and n else ():
            packed[place], pivots[place], _ = getrf(x[place])
        return packed, pivots, _exchanged(pivots, m)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """That of `pushforward`, read backwards."""
        (packed, _, order), (g, *_) = outputs, cotangents
        return [LUSlope()(packed, order, g)]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """With F = L⁻¹ t U⁻¹, rows of t in order: L times the lower half of F is the tangent of
        L, and the upper half times U that of U. L and U are made square by zeros and ones."""
        (packed, _, order), (t,) = outputs, tangents
        lower, upper = _squares(packed)
        left = solve_triangular(lower, _rows(t, order), lower=True, unit_diagonal=True, b_ndim=2)
        right = solve_triangular(
            matrix_transpose(upper), matrix_transpose(left), lower=True, b_ndim=2
        )
        middle = matrix_transpose(right)
        below = matmul(_unit_lower(lower), tril(middle, -1))
        return [below + matmul(triu(middle), triu(upper)), None, None]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """That of x; the shorter axis; the rows."""
        (*batch, m, n), *_ = input_shapes
        return [(*batch, m, n), (*batch, shorter_size(m, n)), (*batch, m)]

    @classmethod
    def examples(cls) -> Examples:
        """Square, wide and tall, a stack, complex, float32, without columns."""
        x = np.array([[0.5, 1.0, 0.2], [2.0, 3.0, -1.0], [1.0, 0.2, 1.5]])
        wide = np.concatenate([x, x[::-1, :1] + 2.0], axis=1)
        return [
            (cls(), [x]),
            (cls(), [wide]),
            (cls(), [wide.T]),
            (cls(), [np.stack([x, x.T + 1.0])]),
            (cls(), [x + 1j * x.T]),
            (cls(), [x.astype("float32")]),
            (cls(), [x[:, :0]]),
        ]

    def __str__(self) -> str:
        return "lu_factor"


class LUSlope(SlopeOp):
    """The derivative of `LUFactor`, from its first and last result, times a cotangent `g`.

    An Op of its own as a backend that calls BLAS needs neither square matrices nor masks, and has
    little to compile.
    """

    def infer(self, *types: TensorType) -> TensorType:
        """The type of `g`."""
        return types[2]

    def expansion(
        self, packed: TensorVariable, order: TensorVariable, g: TensorVariable
    ) -> TensorVariable:
        """L⁻ᴴ (the lower half of Lᴴ g, and the upper one of g Uᴴ) U⁻ᴴ, rows as they were."""
        lower, upper = _squares(packed)
        below = tril(matmul(adjoint_of(_unit_lower(lower)), tril(g, -1)), -1)
        above = triu(matmul(triu(g), adjoint_of(triu(upper))))
        left = solve_triangular(adjoint_of(lower), below + above, unit_diagonal=True, b_ndim=2)
        whole = adjoint_of(solve_triangular(upper, adjoint_of(left), b_ndim=2))
        return _rows(whole, argsort(order))

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """That of `g`."""
        return input_shapes[2:]

    @classmethod
    def examples(cls) -> Examples:
        """Those of `LUFactor`, with its results."""
        return [
            (cls(), [packed, order, np.cos(np.add(packed, 1))])
            for _, values in LUFactor.examples()
            for packed, _, order in [LUFactor().impl(*values)]
        ]

    def __str__(self) -> str:
        return "lu_slope"


class PivotToPermutations(TensorOp):
    """The order in which rows are when each has been exchanged with its pivot, in turn."""

    view_of = ()

    def infer(self, *types: TensorType) -> TensorType:
        """As many int32 numbers as there are pivots."""
        (pivots,) = types
        if not pivots.ndim or pivots.dtype[0] not in "iu":
            raise TypeError(
                f"pivots must be a vector of integers, or a stack of them, not {pivots}"
            )
        return TensorType("int32", pivots.shape)

    def impl(self, *values: np.ndarray) -> Value:
        """One exchange after another."""
        (pivots,) = values
        return _exchanged(pivots, pivots.shape[-1])

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """That of the pivots."""
        return input_shapes

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """None: all are integers."""
        return [None]

    @classmethod
    def examples(cls) -> Examples:
        """A vector, a stack, none, unsigned numbers."""
        pivots = np.array([2, 2, 3, 3], "int32")
        return [
            (cls(), [pivots]),
            (cls(), [np.array([[1, 1], [0, 1]])]),
            (cls(), [pivots[:0]]),
            (cls(), [pivots.astype("uint8")]),
        ]

    def __str__(self) -> str:
        return "pivot_to_permutation"


def _exchanged(pivots: np.ndarray, rows: int) -> np.ndarray:
    """The order of `rows` rows after the exchanges with `pivots`."""
    order = np.empty((*pivots.shape[:-1], rows), "int32")
    order[...] = np.arange(rows)
    for place in np.ndindex(pivots.shape[:-1]):
        one = order[place]
        for i, j in enumerate(pivots[place]):
            if not 0 <= j < rows:
                raise IndexError(f"pivot {j} is out of bounds for {rows} rows")
            one[i], one[j] = one[j], one[i]
    return order


def _rows(x: TensorVariable, order: TensorVariable) -> TensorVariable:
    """The rows of `x` in order, for each matrix of a stack its own."""
    return take_along_axis(x, expand_dims(order, -1), -2)


def _squares(packed: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """Square matrices whose halves, below and above, are L and U, filled up by zeros and ones."""
    *batch, m, n = lengths_of(packed)
    if same_size(m, n):
        return packed, packed
    k = minimum(m, n)
    right = zeros((*batch, m, m - k), packed.dtype)
    under = broadcast_to(eye(n, dtype=packed.dtype)[k:], (*batch, n - k, n))
    lower = concatenate([packed[..., :k], right], axis=-1)
    return lower, concatenate([packed[..., :k, :], under], axis=-2)


def _unit_lower(x: TensorVariable) -> TensorVariable:
    """The half of `x` below the diagonal, and ones on it."""
    rows, columns = lengths_of(x)[-2:]
    return tril(x, -1) + eye(rows, columns, dtype=x.dtype)


def lu(
    a: TensorLike,
    permute_l: bool = False,
    p_indices: bool = False,
    *,
    check_finite: bool = False,
) -> list[TensorVariable]:
    """P, L and U with a = P L U: rows exchanged, lower and upper triangular; for stacks too.

    Parameters
    ----------
    a
        Matrices, on the last two axes.
    permute_l
        Return P L and U alone.
    p_indices
        Indices in place of the matrix P: a is `L[p] @ U`. See `scipy.linalg.lu`.
    check_finite
        Whether it is an error, when it is computed, if a has NaN or infinite elements.

    Examples
    --------
    >>> p, l, u = lu([[1.0, 2.0], [4.0, 4.0]], p_indices=True)
    >>> p.eval(), l.eval(), u.eval()
    (array([1, 0], dtype=int32), array([[1.  , 0.  ],
           [0.25, 1.  ]]), array([[4., 4.],
           [0., 1.]]))
    """
    packed, _, order = LUFactor()(finite(a, "lu") if check_finite else a)
    m, n = lengths_of(packed)[-2:]
    k = shorter_size(m, n)
    lower, upper = _unit_lower(packed[..., :k]), triu(packed[..., :k, :])
    places = argsort(order)
    if permute_l:
        return [_rows(lower, places), upper]
    if p_indices:
        return [places.astype("int32"), lower, upper]
    whole = eq(expand_dims(places, -1), arange(m)).astype(real_dtype(packed.dtype))
    return [whole, lower, upper]


def lu_factor(a: TensorLike, *, check_finite: bool = False) -> list[TensorVariable]:
    """L and U in one matrix, and the pivots, for `lu_solve`. See `scipy.linalg.lu_factor`.

    Row i was exchanged with row `pivots[i]`. A singular matrix has factors as well. With
    `check_finite`, NaN and infinite elements are an error when it is computed.

    >>> packed, pivots = lu_factor([[1.0, 2.0], [4.0, 4.0]])
    >>> packed.eval(), pivots.eval()
    (array([[4.  , 4.  ],
           [0.25, 1.  ]]), array([1, 1], dtype=int32))
    """
    packed, pivots, _ = LUFactor()(finite(a, "lu_factor") if check_finite else a)
    return [packed, pivots]


def lu_solve(
    lu_and_piv: Sequence[TensorLike],
    b: TensorLike,
    trans: int = 0,
    b_ndim: int | None = None,
) -> TensorVariable:
    """x with a x = b, from what `lu_factor(a)` gave, for square a. See `scipy.linalg.lu_solve`.

    `trans`: 0 for a, 1 for its transpose, 2 for its adjoint.
    `b_ndim`: 1 if b holds vectors, 2 if matrices; by default 1 exactly for a single vector. Raises
    ValueError for another `trans` than 0, 1 and 2.

    >>> lu_solve(lu_factor([[1.0, 2.0], [4.0, 4.0]]), [5.0, 12.0]).eval()
    array([1., 2.])
    """
    if trans not in (0, 1, 2):
        raise ValueError(f"trans must be 0, 1 or 2, not {trans!r}")
    packed, pivots, right = as_tensors((*lu_and_piv, b))
    square_type(packed.type, "lu_solve")
    order = pivot_to_permutation(pivots, inverse=True)
    vectors = b_ndim == 1 if b_ndim is not None else right.ndim == 1
    if vectors:
        right = expand_dims(right, -1)
    batch = broadcast_dims(lengths_of(order)[:-1], lengths_of(right)[:-2])
    order = broadcast_to(order, (*batch, lengths_of(order)[-1]))
    right = broadcast_to(right, (*batch, *lengths_of(right)[-2:]))
    if trans:
        transpose = adjoint_of(packed) if trans == 2 else matrix_transpose(packed)
        half = solve_triangular(transpose, right, lower=True, b_ndim=2)
        x = solve_triangular(transpose, half, unit_diagonal=True, b_ndim=2)
        x = _rows(x, argsort(order))
    else:
        half = solve_triangular(packed, _rows(right, order), 0, True, True, b_ndim=2)
        x = solve_triangular(packed, half, b_ndim=2)
    return x.squeeze(-1) if vectors else x


def pivot_to_permutation(p: TensorLike, inverse: bool = False) -> TensorVariable:
    """The places of the rows after exchanges with the pivots `p`, as `lu(p_indices=True)` has them.

    `inverse`: the rows in the order in which they are then.

    >>> pivot_to_permutation([2, 2, 2]).eval(), pivot_to_permutation([2, 2, 2], inverse=True).eval()
    (array([1, 2, 0], dtype=int32), array([2, 0, 1], dtype=int32))
    """
    order = PivotToPermutations()(as_tensor(p))
    return order if inverse else argsort(order).astype("int32")
