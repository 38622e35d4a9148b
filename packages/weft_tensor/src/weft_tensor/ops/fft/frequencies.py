"""The frequencies that the elements of a transform belong to, and zero moved to the middle."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors, Value
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.comparison import lt, where
from weft_tensor.ops.fft.transforms import no_points
from weft_tensor.ops.shape.length import as_size
from weft_tensor.types.axes import as_axis, listed
from weft_tensor.types.tensor_type import TensorType

__all__ = ["FFTShift", "fftfreq", "fftshift", "ifftshift", "rfftfreq"]


class FFTShift(TensorOp):
    """The second half of an axis before the first, or, `inverse`, back again.

    An Op so that one cancels the other.
    """

    view_of = ()
    axis: int
    inverse: bool = False

    def infer(self, *types: TensorType) -> TensorType:
        """The same."""
        return types[0]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The same."""
        return [input_shapes[0]]

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.fft.fftshift` or `numpy.fft.ifftshift`."""
        return (np.fft.ifftshift if self.inverse else np.fft.fftshift)(values[0], self.axis)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """Back again."""
        return [FFTShift(self.axis, not self.inverse)(cotangents[0])]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """The tangent, so shifted."""
        return [self(tangents[0])]

    @classmethod
    def examples(cls) -> Examples:
        """Even and odd lengths, forth and back, complex numbers, integers, nothing."""
        x = np.arange(10.0).reshape(2, 5)
        return [
            *((cls(axis, back), [x]) for axis in (0, 1) for back in (False, True)),
            (cls(0), [x[0] * 1j]),
            (cls(1, True), [x.astype("int64")]),
            (cls(0), [x[:0]]),
        ]

    def __str__(self) -> str:
        return f"{'i' * self.inverse}fftshift[{self.axis}]"


def _size(n: SizeLike) -> TensorVariable:
    """ValueError for what is no integer, as NumPy has it."""
    try:
        return as_size(n)
    except TypeError:
        raise ValueError(f"n should be an integer, not {n!r}: {no_points(n)}") from None


def fftfreq(n: SizeLike, d: TensorLike = 1.0) -> TensorVariable:
    """The frequencies of the elements of `fft`, of n points `d` apart. See `numpy.fft.fftfreq`.

    Raises ValueError for an n that is no integer.

    >>> fftfreq(5, 0.1).eval()
    array([ 0.,  2.,  4., -4., -2.])
    """
    size = _size(n)
    k = arange(size)
    return where(lt(2 * k, size), k, k - size) * (1.0 / (size * as_tensor(d)))


def rfftfreq(n: SizeLike, d: TensorLike = 1.0) -> TensorVariable:
    """The frequencies of the elements of `rfft`. See `numpy.fft.rfftfreq`.

    Raises ValueError for an n that is no integer.

    >>> rfftfreq(5, 0.1).eval()
    array([0., 2., 4.])
    """
    size = _size(n)
    return arange(size // 2 + 1) * (1.0 / (size * as_tensor(d)))


def fftshift(x: TensorLike, axes: Any = None) -> TensorVariable:
    """Frequency zero moved to the middle of each axis, or those given. See `numpy.fft.fftshift`.

    >>> fftshift([0.0, 2.0, 4.0, -4.0, -2.0]).eval()
    array([-4., -2.,  0.,  2.,  4.])
    """
    result: TensorVariable = as_tensor(x)
    for axis in _places(result, axes):
        result = FFTShift(axis)(result)
    return result


def ifftshift(x: TensorLike, axes: Any = None) -> TensorVariable:
    """The inverse of `fftshift`. See `numpy.fft.ifftshift`.

    >>> ifftshift([-4.0, -2.0, 0.0, 2.0, 4.0]).eval()
    array([ 0.,  2.,  4., -4., -2.])
    """
    result: TensorVariable = as_tensor(x)
    for axis in _places(result, axes)[::-1]:
        result = FFTShift(axis, inverse=True)(result)
    return result


def _places(x: TensorVariable, axes: Any) -> list[int]:
    return [*range(x.ndim)] if axes is None else [as_axis(a, x.ndim) for a in listed(axes)]
