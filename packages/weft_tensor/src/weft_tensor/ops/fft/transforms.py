"""Discrete Fourier transforms along the last axis: the Ops that all others are made of.

A transform is linear, so its tangent is the transform of the tangent. The adjoint of a transform
is the other direction with the other scale: what is not scaled forward is not scaled backward.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal

import numpy as np

from weft_graph import Variable
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, constant
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors, Value
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.linalg.square import FloatingOp, real_dtype
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.types.symbolic_dims import quotient
from weft_tensor.types.tensor_type import TensorType

__all__ = ["FFT", "IRFFT", "OTHER", "RFFT", "Scale", "fast_points", "no_points"]

Scale = Literal["backward", "forward", "ortho"]
"""Which direction is divided by the number of points, or both by its root."""

OTHER: Final[dict[Scale, Scale]] = {"backward": "forward", "forward": "backward", "ortho": "ortho"}
_X: Final = np.array([[1.5, -2.0, 0.5, 3.0, 0.25], [0.5, 1.0, -1.0, 2.0, 4.0]])
_COMPLEX: Final = {"float32": "complex64", "float64": "complex128"}


def no_points(n: object) -> str:
    """What NumPy says of transforms of no points.

    >>> no_points(0)
    'Invalid number of FFT data points (0) specified'
    """
    return f"Invalid number of FFT data points ({n}) specified"


def fast_points(n: int) -> int:
    """A number of points, at least n and even, that Fourier transforms are fast for.

    >>> fast_points(997), fast_points(1)
    (1000, 2)
    """
    points = max(2, 1 << max(n - 1, 0).bit_length())
    for fives in (1, 5, 25, 125):
        for threes in (1, 3, 9, 27):
            odd = fives * threes
            points = min(points, odd << max(-(-n // odd) - 1, 1).bit_length())
    return points


def _checked(x: TensorType, what: str) -> TensorType:
    """The type, if it has points along a last axis."""
    if not x.ndim:
        raise ValueError(f"{what} takes tensors with axes, not {x}")
    if x.shape[-1] == 0:
        raise ValueError(f"{no_points(0)}{called()}")
    return x


class FFT(FloatingOp):
    """The discrete Fourier transform of each vector along the last axis, real or complex.

    `inverse`: the other direction. `norm`, as NumPy has it, says which direction is divided by
    the number of points: "backward", "forward", or both by its root, "ortho".
    """

    inverse: bool = False
    norm: Scale = "backward"

    def infer(self, *types: TensorType) -> TensorType:
        """Complex, of the same shape."""
        x = _checked(types[0], str(self))
        return TensorType(_COMPLEX.get(x.dtype, x.dtype), x.shape)

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.fft.fft` or `numpy.fft.ifft`, which take longer for real numbers."""
        x = values[0].astype(_COMPLEX.get(str(values[0].dtype), values[0].dtype), copy=False)
        return (np.fft.ifft if self.inverse else np.fft.fft)(x, norm=self.norm)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """The other direction."""
        back = FFT(not self.inverse, OTHER[self.norm])(cotangents[0])
        return [back if inputs[0].is_complex else back.real]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """That of the tangent."""
        return [self(tangents[0])]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The same."""
        return [input_shapes[0]]

    @classmethod
    def examples(cls) -> Examples:
        """Both directions and all scales, even and odd, real and complex, one point, no vectors."""
        z = _X + 1j * _X[::-1]
        return [
            *((cls(back, norm), [z]) for back in (False, True) for norm in OTHER),
            *((cls(back), [_X[0, :n]]) for back in (False, True) for n in (1, 2, 4, 5)),
            *((cls(), [v.astype(d)]) for v, d in ((_X, "float32"), (z, "complex64"))),
            (cls(), [np.arange(6)]),
            (cls(True), [np.stack([z, 2 * z])[..., :3]]),
            *((cls(), [v[:0]]) for v in (_X, z)),
            (cls(), [np.array([1.0, np.inf, np.nan])]),
        ]

    def __str__(self) -> str:
        return "ifft" if self.inverse else "fft"


class RFFT(FloatingOp):
    """The first half of the transform of real vectors along the last axis: the other mirrors it."""

    norm: Scale = "backward"

    def infer(self, *types: TensorType) -> TensorType:
        """Half as many, and the one in the middle; TypeError for complex numbers."""
        x = _checked(types[0], "rfft")
        if x.dtype not in _COMPLEX:
            raise TypeError(f"rfft takes real numbers, not {x}: use fft{called()}")
        half: Any = quotient(x.shape[-1], 2)
        return TensorType(_COMPLEX[x.dtype], (*x.shape[:-1], None if half is None else half + 1))

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.fft.rfft`."""
        return np.fft.rfft(values[0], norm=self.norm)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """The other direction, which doubles what has a mirror image: half of it counts."""
        n = lengths_of(inputs[0])[-1]
        g = cotangents[0] * _mirrored(cotangents[0], n, 0.5)
        return [IRFFT(OTHER[self.norm])(g, n)]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """That of the tangent."""
        return [self(tangents[0])]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """Half as many, and the one in the middle."""
        (*lanes, n) = input_shapes[0]
        return [(*lanes, n // 2 + 1)]

    @classmethod
    def examples(cls) -> Examples:
        """All scales, even and odd, float32, integers, one point, no vectors."""
        return [
            *((cls(norm), [_X]) for norm in OTHER),
            *((cls(), [_X[0, :n]]) for n in (1, 2, 3, 4)),
            (cls(), [_X.astype("float32")]),
            (cls(), [np.arange(6)]),
            (cls(), [np.stack([_X, 2 * _X])[..., :4]]),
            (cls(), [_X[:0]]),
        ]

    def __str__(self) -> str:
        return "rfft"


class IRFFT(TensorOp):
    """Real vectors of so many points, the second input, from the first half of their transforms.

    Of n points, it has n // 2 + 1 elements; imaginary parts that no real vector gives don't count.
    """

    view_of = ()
    norm: Scale = "backward"
    takes: ClassVar[str] = "irfft takes half of a transform and a number of points, an integer"

    def convert(self, inputs: tuple[Any, ...]) -> tuple[Variable, ...]:
        """The first complex."""
        x, n = as_tensor(inputs[0]), as_tensor(inputs[1])
        if getattr(x.type, "absorbs", False):
            return x, n
        single = x.dtype in ("float32", "complex64")
        return x.astype("complex64" if single else "complex128"), n

    def infer_from(self, *inputs: TensorVariable) -> TensorType:
        """Real, with as many points as the second input says."""
        x, n = inputs
        if not x.ndim or n.ndim or n.dtype != "int64":
            raise TypeError(f"{self.takes}, not {x!r} and {n!r}")
        length = static_length(n)
        if length == 0:
            raise ValueError(f"{no_points(0)}{called()}")
        return TensorType(real_dtype(x.dtype), (*x.type.shape[:-1], length))

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.fft.irfft`."""
        x, n = values[0], int(values[1])
        if n < 1:
            raise ValueError(no_points(n))
        if x.shape[-1] != n // 2 + 1:
            raise ValueError(f"irfft of {n} points takes {n // 2 + 1} elements, not {x.shape[-1]}")
        return np.fft.irfft(x, n, norm=self.norm)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """The other direction, twice for what has a mirror image."""
        n = inputs[1]
        back = RFFT(OTHER[self.norm])(cotangents[0])
        return [back * _mirrored(back, n, 2.0), None]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Cotangents) -> Cotangents:
        """That of the tangent."""
        return [None if tangents[0] is None else self(tangents[0], inputs[1])]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """As many points as the second input says."""
        return [(*input_shapes[0][:-1], node.inputs[1])]

    @classmethod
    def examples(cls) -> Examples:
        """All scales, even and odd, float32, one point, no vectors."""
        z = _X[:, :3] + 1j * _X[::-1, 1:4]
        return [
            *((cls(norm), [z, np.int64(n)]) for norm in OTHER for n in (4, 5)),
            *((cls(), [z[0, : n // 2 + 1], np.int64(n)]) for n in (1, 2, 3)),
            (cls(), [z.astype("complex64"), np.int64(5)]),
            (cls(), [_X[:, :3], np.int64(4)]),
            (cls(), [np.stack([z, 2 * z]), np.int64(4)]),
            (cls(), [z[:0], np.int64(4)]),
        ]

    def __str__(self) -> str:
        return "irfft"


def _mirrored(half: TensorVariable, n: TensorVariable, factor: float) -> TensorVariable:
    """`factor` for each element of half a transform that has a mirror image, 1 for the others."""
    k = arange(lengths_of(half)[-1])
    dtype = real_dtype(half.dtype)
    return where(eq(k, 0) | eq(2 * k, n), constant(1.0, dtype), constant(factor, dtype))
