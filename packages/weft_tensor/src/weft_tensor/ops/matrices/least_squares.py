"""Pseudoinverses and least squares, by singular values.

Their derivatives are those of Golub and Pereyra, The differentiation of pseudo-inverses and
nonlinear least squares problems whose variables separate (1973), equation 4.12: they hold as long
as the rank stays, and need no differences of singular values, which may be equal. Where values that
are not 0 are left out, because of a limit that is given, differences from those come in.
"""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np

from weft_graph import custom_pullback
from weft_tensor.build.convert import as_floating, as_tensor, constant
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, Tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.comparison import gt, where
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.square import FloatingOp, adjoint_of, matrix_type, real_dtype
from weft_tensor.ops.linalg.svd import svd
from weft_tensor.ops.matrices.norms import default_cutoff
from weft_tensor.ops.reduction.standard import max, sum
from weft_tensor.ops.reduction.sum_to import without_stack
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.types.dtypes import promote
from weft_tensor.types.shape_rules import broadcast_shapes
from weft_tensor.types.symbolic_dims import provably_differ
from weft_tensor.types.tensor_type import TensorType

__all__ = ["LstsqResult", "LstsqSlope", "change_of_inverse", "lstsq", "pinv"]


def _inverted(s: TensorVariable, cutoff: TensorVariable) -> TensorVariable:
    """1 / s, and 0 for what is at most the cutoff times the greatest."""
    large = gt(s, expand_dims(cutoff, -1) * s[..., :1])
    return where(large, 1 / where(large, s, constant(1, s.dtype)), constant(0, s.dtype))


@custom_pullback
def _pinv(a: TensorVariable, cutoff: TensorVariable) -> TensorVariable:
    u, s, v = svd(a, full_matrices=False)
    return matmul(adjoint_of(v) * expand_dims(_inverted(s, cutoff), -2), adjoint_of(u))


def change_of_inverse(a: TensorVariable, p: TensorVariable, t: TensorVariable) -> TensorVariable:
    """How the pseudoinverse p of a changes if a changes by t.

    -p t p + p pᴴ tᴴ (1 - a p) + (1 - p a) tᴴ pᴴ p.
    """
    q, back = adjoint_of(p), adjoint_of(t)
    left = matmul(matmul(p, q), back)
    right = matmul(back, matmul(q, p))
    beside = left - matmul(matmul(left, a), p) + right - matmul(p, matmul(a, right))
    return beside - matmul(matmul(p, t), p)


@_pinv.define
def _pinv_back(inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
    (a, _), (p,), (g,) = inputs, outputs, cotangents
    return [adjoint_of(change_of_inverse(a, p, adjoint_of(g))), None]


@_pinv.define_pushforward
def _pinv_forward(inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
    return [change_of_inverse(inputs[0], outputs[0], tangents[0])]


@custom_pullback
def _truncated(a: TensorVariable, cutoff: TensorVariable) -> TensorVariable:
    u, s, v = svd(a, full_matrices=False)
    return matmul(adjoint_of(v) * expand_dims(_inverted(s, cutoff), -2), adjoint_of(u))


@_truncated.define
def _truncated_back(inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
    (a, cutoff), (p,), (g,) = inputs, outputs, cotangents
    return [adjoint_of(_truncated_change(a, cutoff, p, adjoint_of(g))), None]


@_truncated.define_pushforward
def _truncated_forward(inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
    return [_truncated_change(inputs[0], inputs[1], outputs[0], tangents[0])]


def _truncated_change(
    a: TensorVariable, cutoff: TensorVariable, p: TensorVariable, t: TensorVariable
) -> TensorVariable:
    """How it changes if some of the singular values that are left out are not 0.

    Of vectors that turn among themselves, those of values that are kept and of those that are not
    count. Where the latter are 0, nothing is added to `change_of_inverse`.
    """
    u, s, v = svd(a, full_matrices=False)
    kept = gt(s, expand_dims(cutoff, -1) * s[..., :1])
    pairs = expand_dims(kept, -1) & ~expand_dims(kept, -2)
    large, small = where(pairs, expand_dims(s, -1), 1.0), where(pairs, expand_dims(s, -2), 0.0)
    part = small / large
    straight = part / ((large - small) * (large + small))
    turned = part * straight
    inner = matmul(adjoint_of(u), matmul(t, adjoint_of(v)))
    both = (straight + straight.mT) * inner + (turned + turned.mT) * adjoint_of(inner)
    return change_of_inverse(a, p, t) + matmul(adjoint_of(v), matmul(both, adjoint_of(u)))


def _cutoff(a: TensorVariable, rcond: TensorLike | None) -> TensorVariable:
    return default_cutoff(a) if rcond is None else as_tensor(rcond).astype(real_dtype(a.dtype))


def _matrices(x: TensorLike, name: str) -> TensorVariable:
    v = as_tensor(x)
    matrix_type(v.type, name)
    return as_floating(v)


def pinv(
    a: TensorLike,
    rcond: TensorLike | None = None,
    hermitian: bool = False,
    *,
    atol: TensorLike | None = None,
    rtol: TensorLike | None = None,
    return_rank: bool = False,
) -> Any:
    """The pseudoinverse of matrices, on the last two axes: of least squares and least length.

    Parameters
    ----------
    a
        Matrices, of any shape.
    rcond, rtol
        Singular values of at most so many times the greatest count as zero: by default 1e-15
        times it. Give one of them at most.
    atol
        How large a singular value may be beside that to count as zero: 0 by default.
    hermitian
        Whether a is symmetric; no other way is taken then. See `numpy.linalg.pinv`.
    return_rank
        Whether the number of the other singular values is returned, too, as SciPy has it.

    Raises
    ------
    ValueError
        for both, rcond and rtol.

    Examples
    --------
    >>> print(pinv([[2.0, 0.0], [0.0, 0.0]]).eval())
    [[0.5 0. ]
     [0.  0. ]]
    """
    if rcond is not None and rtol is not None:
        raise ValueError("pinv: give rcond or rtol, not both")
    tolerance = rcond if rtol is None else rtol
    x = _matrices(a, "pinv")
    cutoff = _cutoff(x, 1e-15 if tolerance is None else tolerance)
    if atol is None and not return_rank:
        return (_pinv if tolerance is None else _truncated)(x, cutoff)
    s = svd(x, full_matrices=False)[1]
    largest = max(s, -1, initial=0.0)
    cutoff = cutoff + where(largest > 0, (0.0 if atol is None else atol) / largest, 0.0)
    cutoff = cutoff.astype(s.dtype)
    result = _truncated(x, cutoff)
    return (result, sum(s > (cutoff * largest).expand_dims(-1), -1)) if return_rank else result


class LstsqSlope(FloatingOp):
    """The derivative of solutions x of least squares by a, times a cotangent `g` of x.

    Of a, b, x, the pseudoinverse p of a, and `g`. An Op of its own as a backend that calls BLAS
    needs no transposes, and has little to compile.
    """

    def expansion(self, *inputs: TensorVariable) -> TensorVariable:
        """-gb xᴴ + (b - a x) (p gb)ᴴ + pᴴ x (g - aᴴ gb)ᴴ, where gb = pᴴ g; Golub and Pereyra."""
        a, b, x, p, g = inputs
        q = adjoint_of(p)
        gb = matmul(q, g)
        rest, left = b - matmul(a, x), g - matmul(adjoint_of(a), gb)
        return (
            -matmul(gb, adjoint_of(x))
            + matmul(rest, adjoint_of(matmul(p, gb)))
            + matmul(matmul(q, x), adjoint_of(left))
        )

    def infer(self, *types: TensorType) -> TensorType:
        """The shape of a, stacks broadcast."""
        batch = reduce(broadcast_shapes, [t.shape[:-2] for t in types])
        return TensorType(types[0].dtype, (*batch, *types[0].shape[-2:]))

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The shape of a, stacks broadcast."""
        return [(*broadcast_dims(*(s[:-2] for s in input_shapes)), *input_shapes[0][-2:])]

    @classmethod
    def examples(cls) -> Examples:
        """Tall, wide, a stack, complex, float32, without columns."""
        tall = np.array([[2.0, 1.0], [0.5, 3.0], [1.0, 0.2]])
        b = np.array([[1.0, 2.0], [0.5, -1.0], [0.3, 4.0]])

        def case(a: Any, b: Any) -> Any:
            p = np.linalg.pinv(a)
            return cls(), [a, b, p @ b, p, np.cos(p @ b)]

        return [
            case(tall, b),
            case(tall.T, b[:2, :1]),
            case(tall, np.stack([b, b + 1])),
            case(tall + 0.3j * tall[::-1], b),
            case(tall.astype("float32"), b.astype("float32")),
            case(tall, b[:, :0]),
        ]

    def __str__(self) -> str:
        return "lstsq_slope"


@custom_pullback
def _solution(a: TensorVariable, b: TensorVariable, cutoff: TensorVariable) -> TensorVariable:
    u, s, v = svd(a, full_matrices=False)
    scaled = expand_dims(_inverted(s, cutoff), -1) * matmul(adjoint_of(u), b)
    return matmul(adjoint_of(v), scaled)


@_solution.define
def _solution_back(inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
    (a, b, cutoff), (x,), (g,) = inputs, outputs, cotangents
    p = _pinv(a, cutoff)
    by_a, gb = LstsqSlope()(a, b, x, p, g), matmul(adjoint_of(p), g)
    return [without_stack(by_a, a), without_stack(gb, b), None]


@_solution.define_pushforward
def _solution_forward(inputs: Tensors, outputs: Tensors, tangents: Cotangents) -> Cotangents:
    (a, b, cutoff), (x,), (ta, tb, _) = inputs, outputs, tangents
    p = _pinv(a, cutoff)
    parts = [] if tb is None else [matmul(p, tb)]
    if ta is not None:
        back, q = adjoint_of(ta), adjoint_of(p)
        left, right = matmul(back, b - matmul(a, x)), matmul(back, matmul(q, x))
        parts.append(matmul(p, matmul(q, left) - matmul(ta, x)))
        parts.append(right - matmul(p, matmul(a, right)))
    return [reduce(add, parts)]


class LstsqResult(NamedTuple):
    """What `lstsq` returns."""

    x: TensorVariable
    residuals: TensorVariable
    rank: TensorVariable
    s: TensorVariable


def lstsq(
    a: TensorLike,
    b: TensorLike,
    rcond: TensorLike | None = None,
    *,
    cond: TensorLike | None = None,
) -> LstsqResult:
    """x for which the squares of a x - b have the least sum; of several, the shortest.

    Parameters
    ----------
    a
        Matrices, on the last two axes.
    b
        A vector, or matrices.
    rcond, cond
        Singular values of at most so many times the greatest count as zero: by default the
        precision of the dtype times the longer axis, and that precision if it is below 0. SciPy
        calls it `cond`. See `numpy.linalg.lstsq`.

    Returns
    -------
    `x`; `residuals`, the sums of squares for each column of b (NumPy leaves them away where a has
    not full rank, or no more rows than columns); `rank`; and the singular values `s`.

    Raises
    ------
    LinAlgError
        if a and b have other numbers of rows, as far as types tell.

    Examples
    --------
    >>> x, residuals, rank, s = lstsq([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [1.0, 3.0, 5.0])
    >>> print(x.eval().round(12), rank.eval())
    [1. 2.] 2
    """
    matrix, right = _matrices(a, "lstsq"), as_tensor(b)
    vector = right.ndim == 1
    right = expand_dims(right, -1) if vector else right
    if right.ndim < 2 or provably_differ(matrix.type.shape[-2], right.type.shape[-2]):
        raise np.linalg.LinAlgError(f"lstsq: {matrix.type} and {right.type} do not fit")
    dtype = promote([matrix.dtype, right.dtype])
    matrix, right = matrix.astype(dtype), right.astype(dtype)
    given = cond if rcond is None else rcond
    cutoff = _cutoff(matrix, given)
    if given is None:
        x = _solution(matrix, right, cutoff)
    else:
        least = float(np.finfo(matrix.dtype).eps)
        cutoff = where(cutoff < 0, least, cutoff).astype(cutoff.dtype)
        x = matmul(_truncated(matrix, cutoff), right)
    rest = right - matmul(matrix, x)
    squares = rest.real**2 + rest.imag**2 if rest.is_complex else rest * rest
    residuals = sum(squares, -2)
    s = svd(matrix, full_matrices=False)[1]  # of the factors that x is made of
    rank = sum(gt(s, expand_dims(cutoff, -1) * s[..., :1]).astype("int32"), -1, dtype="int32")
    return LstsqResult(x.squeeze(-1) if vector else x, residuals, rank, s)
