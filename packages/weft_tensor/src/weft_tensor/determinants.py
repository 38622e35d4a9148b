"""Determinants of square matrices, and their logarithms; for stacks too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from weft_tensor.convert import TensorLike
from weft_tensor.linear_systems import inv
from weft_tensor.reduction import sum
from weft_tensor.shape import matrix_transpose
from weft_tensor.square_matrices import FloatingOp, adjoint_of, square_type
from weft_tensor.type import TensorType

if TYPE_CHECKING:
    from weft_tensor.variable import TensorVariable

__all__ = ["Det", "SlogDet", "det", "slogdet"]


class Det(FloatingOp):
    """The determinant of square matrices."""

    def infer(self, *types: Any) -> TensorType:
        """Without the last two axes."""
        x = square_type(types[0], "det")
        return TensorType(x.dtype, x.shape[:-2])

    def impl(self, *values: Any) -> Any:
        """`numpy.linalg.det`."""
        return np.linalg.det(values[0])

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """g det(x) x⁻ᴴ, for invertible x."""
        (x,), (out,), (g,) = inputs, outputs, cotangents
        factor = g * (out.conj() if out.is_complex else out)
        return [factor.expand_dims((-2, -1)) * adjoint_of(inv(x))]

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """Without the last two axes."""
        return [tuple(input_shapes[0][:-2])]

    @classmethod
    def examples(cls) -> list[tuple[Any, list[Any]]]:
        """A matrix, a stack, 1 by 1."""
        x = np.array([[2.0, 1.0, 0.0], [0.5, 3.0, -1.0], [1.0, 0.2, 1.5]])
        return [(cls(), [x]), (cls(), [np.stack([x, x.T + 1])]), (cls(), [x[:1, :1]])]

    def __str__(self) -> str:
        return "det"


def det(x: TensorLike) -> TensorVariable:
    """The determinant of square matrices, on the last two axes. See `numpy.linalg.det`.

    >>> print(det([[2.0, 1.0], [1.0, 3.0]]).eval().round(12))
    5.0
    """
    return Det()(x)


class SlogDet(FloatingOp):
    """The sign of the determinant, and the logarithm of its absolute value."""

    def infer(self, *types: Any) -> tuple[TensorType, TensorType]:
        """Without the last two axes; the logarithm is real."""
        x = square_type(types[0], "slogdet")
        real = {"complex64": "float32", "complex128": "float64"}.get(x.dtype, x.dtype)
        return TensorType(x.dtype, x.shape[:-2]), TensorType(real, x.shape[:-2])

    def impl(self, *values: Any) -> Any:
        """`numpy.linalg.slogdet`."""
        return tuple(np.asarray(v) for v in np.linalg.slogdet(values[0]))

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """g x⁻ᴴ for the logarithm; a complex sign turns as x does."""
        (x,), (sign, _), (by_sign, factor) = inputs, outputs, cotangents
        if x.is_complex:
            factor = factor - 1j * (by_sign.conj() * sign).imag
        return [factor.expand_dims((-2, -1)) * adjoint_of(inv(x))]

    def pushforward(
        self, inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> Sequence[Any]:
        """The trace of x⁻¹ t: its real part for the logarithm, the other for the sign."""
        (x,), (sign, _), (t,) = inputs, outputs, tangents
        trace = sum(matrix_transpose(inv(x)) * t, axis=(-2, -1))
        return [sign * (1j * trace.imag), trace.real] if x.is_complex else [None, trace]

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """Without the last two axes."""
        return [tuple(input_shapes[0][:-2])] * 2

    @classmethod
    def examples(cls) -> list[tuple[Any, list[Any]]]:
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


def slogdet(x: TensorLike) -> list[TensorVariable]:
    """The sign of the determinant and the logarithm of its size. See `numpy.linalg.slogdet`.

    The determinant is `sign * exp(logabsdet)`, though it may be too large or small for a float.

    >>> sign, logabsdet = slogdet([[0.0, 1.0], [1.0, 0.0]])
    >>> print(sign.eval(), logabsdet.eval())
    -1.0 0.0
    """
    sign, logabsdet = SlogDet()(x)
    return [sign, logabsdet]
