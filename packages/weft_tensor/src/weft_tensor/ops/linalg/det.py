"""Determinants of square matrices, their logarithms and cofactors; for stacks too.

Cofactors are the derivatives of the determinant. For a matrix that has an inverse they are the
determinant times the inverse, transposed. With x = u diag(s) v and u, v unitary, they are
det(u v) conj(u diag(e) v) for any matrix, where e[i] is the product of all s but s[i]; and their
own derivatives are made of products of all s but two.
"""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import NamedTuple

import numpy as np

from weft_graph import custom_pullback
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import ones_like
from weft_tensor.ops.elementwise.comparison import isfinite, where
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.solve import inv
from weft_tensor.ops.linalg.square import (
    FloatingOp,
    adjoint_of,
    on_diagonal,
    real_dtype,
    square_type,
)
from weft_tensor.ops.linalg.svd import SVD
from weft_tensor.ops.reduction.cumulative import cumprod
from weft_tensor.ops.reduction.standard import all, sum
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.rearrange import flip
from weft_tensor.ops.shape.transpose import matrix_transpose
from weft_tensor.types.tensor_type import TensorType

__all__ = ["Cofactors", "Det", "SlogDet", "SlogdetResult", "det", "slogdet"]


class Det(FloatingOp):
    """The determinant of square matrices."""

    def infer(self, *types: TensorType) -> TensorType:
        """Without the last two axes."""
        x = square_type(types[0], "det")
        return TensorType(x.dtype, x.shape[:-2])

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.linalg.det`."""
        return np.linalg.det(values[0])

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """g times the cofactors, which singular matrices have too."""
        (x,), (g,) = inputs, cotangents
        return [g.expand_dims((-2, -1)) * Cofactors()(x.conj() if x.is_complex else x)]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """The sum of the cofactors times t."""
        return [sum(Cofactors()(inputs[0]) * tangents[0], axis=(-2, -1))]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """Without the last two axes."""
        return [tuple(input_shapes[0][:-2])]

    @classmethod
    def examples(cls) -> Examples:
        """A matrix, a stack, 1 by 1."""
        x = np.array([[2.0, 1.0, 0.0], [0.5, 3.0, -1.0], [1.0, 0.2, 1.5]])
        return [(cls(), [x]), (cls(), [np.stack([x, x.T + 1])]), (cls(), [x[:1, :1]])]

    def __str__(self) -> str:
        return "det"


def det(x: TensorLike) -> TensorVariable:
    """The determinant of square matrices, on the last two axes. See `numpy.linalg.det`.

    It has two derivatives everywhere, and more where the matrix is invertible.

    >>> print(det([[2.0, 1.0], [1.0, 3.0]]).eval().round(12))
    5.0
    """
    return Det()(x)


class Cofactors(FloatingOp):
    """The cofactors of square matrices: of element i, j, its factor in the determinant."""

    def infer(self, *types: TensorType) -> TensorType:
        """The type of x."""
        return square_type(types[0], "cofactors")

    def impl(self, *values: np.ndarray) -> Value:
        """By the inverse, or by singular values where the determinant is no normal number."""
        (x,) = values
        with np.errstate(all="ignore"):
            det = np.linalg.det(x)
            size = np.abs(det)
            unusual = (size < np.finfo(x.dtype).tiny) | (size == np.inf)
            if not unusual.any():
                return det[..., None, None] * np.swapaxes(np.linalg.inv(x), -1, -2)
            result = np.full(x.shape, np.nan, x.dtype)
            result[~unusual] = self.impl(x[~unusual])
            rest = unusual & np.isfinite(x).all((-2, -1))
            result[rest] = _by_singular_values(x[rest])
        return result

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """The same as forward: the second derivative of the determinant is symmetric."""
        (x,), (g,) = inputs, cotangents
        return [_change(x.conj() if x.is_complex else x, g)]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """By the products of all singular values but two."""
        return [_change(inputs[0], tangents[0])]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The shape of x."""
        return input_shapes

    @classmethod
    def examples(cls) -> Examples:
        """With and without an inverse, of rank n - 1 and less, complex, stacks, 1 by 1 and less."""
        x = np.array([[2.0, 1.0, 0.0], [0.5, 3.0, -1.0], [1.0, 0.2, 1.5]])
        flat = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.5, -1.0, 2.0]])
        tilted = flat + 1j * flat[:, ::-1]
        return [
            *((cls(), [v]) for v in (x, flat, np.ones((3, 3)), np.zeros((2, 2)), np.eye(4, k=1))),
            (cls(), [np.stack([x, flat, np.ones((3, 3)), 0 * x])]),
            (cls(), [x + 1j * x.T]),
            (cls(), [np.stack([tilted, x + 0j])]),
            (cls(), [flat.astype("float32")]),
            *((cls(), [np.full((n, n), 0.0)]) for n in (1, 0)),
            (cls(), [np.array([[np.nan, 1.0], [1.0, 1.0]])]),
            (cls(), [np.diag([1e-200, 1e-200, 1.0])]),
        ]

    def __str__(self) -> str:
        return "cofactors"


def _by_singular_values(x: np.ndarray) -> np.ndarray:
    """NumPy's."""
    u, s, v = np.linalg.svd(x)
    ones = np.ones((*s.shape[:-1], 1), s.dtype)
    before = np.cumprod(np.concatenate([ones, s[..., :-1]], -1), -1)
    after = np.cumprod(np.concatenate([ones, s[..., :0:-1]], -1), -1)
    products = before * after[..., ::-1]
    sign = np.linalg.det(u) * np.linalg.det(v)
    return sign[..., None, None] * np.conj((u * products[..., None, :]) @ v)


@custom_pullback
def _change(x: TensorVariable, t: TensorVariable) -> TensorVariable:
    """How the cofactors of x change if x changes by t: linear in t, symmetric with what it meets.

    In the bases of the singular vectors, element i, j of t turns up at j, i with minus the product
    of all singular values but i and j; and on the diagonal at all others, with plus.
    """
    finite = _number(all(isfinite(x), axis=(-2, -1)))
    u, s, v = SVD()(where(finite, x, 0))
    inner = matmul(matmul(adjoint_of(u), t), adjoint_of(v))
    same = on_diagonal(x)
    pairs = where(same, 0, _products_of_others(where(same, 1, s.expand_dims(-2))))
    crossed = -pairs * matrix_transpose(inner)
    diagonal = where(same, inner, 0).sum(-1).expand_dims(-2)
    middle = crossed + where(same, (pairs * diagonal).sum(-1).expand_dims(-1), 0)
    left, right = (u.conj(), v.conj()) if x.is_complex else (u, v)
    change = _number(det(u) * det(v)) * matmul(matmul(left, middle), right)
    return where(finite, change, np.nan)


@_change.define
def _pulled_back(inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Tensors:
    x, t = (v.conj() if v.is_complex else v for v in inputs)
    return [_second_change(x, t, cotangents[0]), _change(x, cotangents[0])]


@_change.define_pushforward
def _pushed_forward(inputs: Tensors, outputs: Tensors, tangents: Cotangents) -> Tensors:
    (x, t), (by_x, by_t) = inputs, tangents
    parts = [] if by_x is None else [_second_change(x, t, by_x)]
    parts += [] if by_t is None else [_change(x, by_t)]
    return [reduce(add, parts)]


def _second_change(x: TensorVariable, t: TensorVariable, s: TensorVariable) -> TensorVariable:
    """How `_change(x, t)` changes if x changes by s, for invertible x."""
    inverse = inv(x)
    transpose = matrix_transpose(inverse)
    cofactors = _number(det(x)) * transpose
    right, left = matmul(matrix_transpose(t), transpose), matmul(matrix_transpose(s), transpose)
    by_s = _trace(left) * cofactors - matmul(cofactors, left)
    both = matmul(right, left)
    return (
        _trace(right) * by_s
        - _trace(both) * cofactors
        - matmul(by_s, right)
        + matmul(cofactors, both)
    )


def _trace(x: TensorVariable) -> TensorVariable:
    """The trace of each matrix, which multiplies it."""
    return _number(sum(where(on_diagonal(x), x, 0), axis=(-2, -1)))


def _number(x: TensorVariable) -> TensorVariable:
    """A number for each matrix of a stack."""
    return x.expand_dims((-2, -1))


def _products_of_others(x: TensorVariable) -> TensorVariable:
    """For each element along the last axis, the product of all others."""
    one = ones_like(x[..., :1])
    before = cumprod(concatenate([one, x[..., :-1]], -1), -1)
    after = cumprod(concatenate([one, flip(x, -1)[..., :-1]], -1), -1)
    return before * flip(after, -1)


class SlogDet(FloatingOp):
    """The sign of the determinant, and the logarithm of its absolute value."""

    def infer(self, *types: TensorType) -> tuple[TensorType, TensorType]:
        """Without the last two axes; the logarithm is real."""
        x = square_type(types[0], "slogdet")
        batch = x.shape[:-2]
        return TensorType(x.dtype, batch), TensorType(real_dtype(x.dtype), batch)

    def impl(self, *values: np.ndarray) -> tuple[Value, ...]:
        """`numpy.linalg.slogdet`."""
        return tuple(np.asarray(v) for v in np.linalg.slogdet(values[0]))

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """g x⁻ᴴ for the logarithm; a complex sign turns as x does."""
        (x,), (sign, _), (by_sign, factor) = inputs, outputs, cotangents
        if x.is_complex:
            factor = factor - 1j * (by_sign.conj() * sign).imag
        return [factor.expand_dims((-2, -1)) * adjoint_of(inv(x))]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """The trace of x⁻¹ t: its real part for the logarithm, the other for the sign."""
        (x,), (sign, _), (t,) = inputs, outputs, tangents
        trace = sum(matrix_transpose(inv(x)) * t, axis=(-2, -1))
        return [sign * (1j * trace.imag), trace.real] if x.is_complex else [None, trace]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """Without the last two axes."""
        return [tuple(input_shapes[0][:-2])] * 2

    @classmethod
    def examples(cls) -> Examples:
        """A matrix, a stack with both signs, 1 by 1, float32, complex."""
        x = np.array([[2.0, 1.0, 0.0], [0.5, 3.0, -1.0], [1.0, 0.2, 1.5]])
        return [
            (cls(), [x]),
            (cls(), [np.stack([x, x[::-1]])]),
            (cls(), [x[:1, :1]]),
            (cls(), [x.astype("float32")]),
            (cls(), [x + 1j * x.T]),
        ]

    def __str__(self) -> str:
        return "slogdet"


class SlogdetResult(NamedTuple):
    """What `slogdet` returns."""

    sign: TensorVariable
    logabsdet: TensorVariable


def slogdet(x: TensorLike) -> SlogdetResult:
    """The sign of the determinant and the logarithm of its size. See `numpy.linalg.slogdet`.

    The determinant is `sign * exp(logabsdet)`, though it may be too large or small for a float.

    >>> sign, logabsdet = slogdet([[0.0, 1.0], [1.0, 0.0]])
    >>> print(sign.eval(), logabsdet.eval())
    -1.0 0.0
    """
    return SlogdetResult(*SlogDet()(x))
