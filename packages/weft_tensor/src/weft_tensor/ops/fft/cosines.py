"""Cosine and sine transforms, of SciPy's four types, by Fourier transforms.

Types II and III go by one transform of half as many elements (Makhoul, A fast cosine transform in
one and two dimensions, 1980). A sine transform is a cosine transform of what has every other sign
changed, in reverse order; that of type I is made of the odd extension.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sqrt
from typing import Any, Final

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, constant
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors, Value
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange, zeros
from weft_tensor.ops.elementwise.comparison import eq, ge, where
from weft_tensor.ops.elementwise.trigonometric import cos, sin
from weft_tensor.ops.fft.numpy_names import resized, sized
from weft_tensor.ops.fft.transforms import FFT, IRFFT, RFFT, no_points
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.axes import as_axis
from weft_tensor.types.tensor_type import TensorType

__all__ = ["EvensFirst", "dct", "dst", "idct", "idst"]


class EvensFirst(TensorOp):
    """Along the last axis the elements 0, 2, 4, ... and then the others, in reverse order.

    `inverse`: back again. An Op because that of a derivative is one again.
    """

    view_of = ()
    inverse: bool = False

    def infer(self, *types: TensorType) -> TensorType:
        """The same; ValueError without a last axis."""
        if not types[0].ndim:
            raise ValueError(f"evensfirst takes tensors with axes, not {types[0]}")
        return types[0]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The same."""
        return [input_shapes[0]]

    def impl(self, *values: np.ndarray) -> Value:
        """Two halves, by slices."""
        (x,) = values
        out, middle = np.empty_like(x), (x.shape[-1] + 1) // 2
        apart, halves = (out, x) if self.inverse else (x, out)
        parts = [
            (apart[..., ::2], halves[..., :middle]),
            (apart[..., 1::2], halves[..., middle:][..., ::-1]),
        ]
        for one, other in parts:
            if self.inverse:
                one[...] = other
            else:
                other[...] = one
        return out

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """Back again."""
        return [EvensFirst(not self.inverse)(cotangents[0])]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """The tangent, in the same order."""
        return [self(tangents[0])]

    @classmethod
    def examples(cls) -> Examples:
        """Even and odd lengths, forth and back, complex numbers, integers, bools, nothing."""
        x = np.arange(10.0).reshape(2, 5)
        return [
            *((cls(back), [v]) for v in (x, x[:, :4], x[:, :1]) for back in (False, True)),
            (cls(), [x[0] * 1j]),
            (cls(True), [x.astype("int64")]),
            (cls(), [x > 3]),
            (cls(), [x[:, :0]]),
        ]

    def __str__(self) -> str:
        return "evensfirst[back]" if self.inverse else "evensfirst"


_TOO_FEW: Final = "DCT-I is not defined for size < 2"
_BACK: Final = {1: 1, 2: 3, 3: 2, 4: 4}
"""The type of the inverse of each type, but for the scale."""


def _n(x: TensorVariable) -> TensorVariable:
    return lengths_of(x)[-1]


def _reversed(x: TensorVariable) -> TensorVariable:
    return _last(x, None, None, -1)


def _last(x: TensorVariable, *part: Any) -> TensorVariable:
    """A slice along the last axis."""
    return index(x, (..., slice(*part)))


def _turn(count: Any, over: Any, dtype: str, start: float = 0.0) -> TensorVariable:
    """exp(-i pi (k + start) / over) for k = 0, 1, ..., in a complex dtype."""
    angle = (arange(count) + start) * (-pi / over.astype("float64"))
    return (cos(angle) + 1j * sin(angle)).astype(dtype)


def _dct1(x: TensorVariable) -> TensorVariable:
    return RFFT()(concatenate([x, _last(x, -2, 0, -1)], -1)).real


def _dct2(x: TensorVariable) -> TensorVariable:
    z = FFT()(EvensFirst()(x))
    return 2 * (z * _turn(_n(x), 2 * _n(x), z.dtype)).real


def _dct3(x: TensorVariable) -> TensorVariable:
    n, first = _n(x), _last(x, None, _n(x) // 2 + 1)
    k = arange(_n(first))
    other = index(x, (..., (n - k) % n)) * (k > 0).astype(x.dtype)
    z = (first - 1j * other).astype(_complex(x))
    return EvensFirst(True)(IRFFT("forward")(z * _turn(_n(z), 2 * n, z.dtype).conj(), n))


def _dct4(x: TensorVariable) -> TensorVariable:
    n = _n(x)
    z = resized(x * _turn(n, 2 * n, _complex(x)), 2 * n)
    result = _last(FFT()(z), None, n)
    return 2 * (result * _turn(n, 2 * n, result.dtype, 0.5)).real


def _complex(x: TensorVariable) -> str:
    return "complex64" if x.dtype == "float32" else "complex128"


def _signed(x: TensorVariable) -> TensorVariable:
    """Every other element with the other sign."""
    return x * (1 - 2 * (arange(_n(x)) % 2)).astype(x.dtype)


def _dst1(x: TensorVariable) -> TensorVariable:
    nothing = zeros((*lengths_of(x)[:-1], 1), x.dtype)
    z = RFFT()(concatenate([nothing, x, nothing, -_reversed(x)], -1))
    return -_last(z, 1, -1).imag


_COSINES: Final[dict[int, Callable[[Any], Any]]] = {1: _dct1, 2: _dct2, 3: _dct3, 4: _dct4}
_SINES: Final[dict[int, Callable[[Any], Any]]] = {
    1: _dst1,
    2: lambda x: _reversed(_dct2(_signed(x))),
    3: lambda x: _signed(_dct3(_reversed(x))),
    4: lambda x: _signed(_dct4(_reversed(x))),
}
_ENDS: Final[dict[tuple[bool, int], tuple[tuple[int, ...], tuple[int, ...]]]] = {
    (True, 1): ((0, -1), (0, -1)),
    (True, 2): ((), (0,)),
    (True, 3): ((0,), ()),
    (False, 2): ((), (-1,)),
    (False, 3): ((-1,), ()),
}
"""Which elements are multiplied before a transform, and divided after it, to make it orthogonal."""


def _scaled(x: TensorVariable, ends: tuple[int, ...], factor: float) -> TensorVariable:
    """`x` with the first or last elements times a factor."""
    k, n = arange(_n(x)), _n(x)
    for end in ends:
        factors = where(eq(k, end % n if end else 0), constant(factor, x.dtype), 1)
        x = x * factors.astype(x.dtype)
    return x


def _transformed(
    a: TensorLike,
    kind: int,
    n: SizeLike | None,
    axis: int,
    norm: str | None,
    orthogonal: bool | None,
    is_cosine: bool,
    inverse: bool,
) -> TensorVariable:
    x: Any = as_tensor(a)
    along = as_axis(axis, x.ndim)
    if kind not in _BACK:
        raise ValueError(f"type must be 1, 2, 3 or 4, not {kind!r}{called()}")
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(
            f"Invalid norm value {norm!r}, should be 'backward', 'ortho' or 'forward'{called()}"
        )
    if x.is_complex:
        parts = [
            _transformed(p, kind, n, axis, norm, orthogonal, is_cosine, inverse)
            for p in (x.real, x.imag)
        ]
        return parts[0] + 1j * parts[1]
    x = x if x.dtype in ("float32", "float64") else x.astype("float64")
    x = moveaxis(x, along, -1)
    x = x if n is None else resized(x, sized(n))
    count = _n(x)
    more = {1: -1 if is_cosine else 1}.get(kind, 0)
    length = static_length(count)
    if length == 0 or (more < 0 and length == 1):
        raise ValueError(f"{_TOO_FEW if more < 0 else no_points(0)}{called()}")
    if more < 0 and not isinstance(length, int):
        x = check_and_raise(x, ge(count, 2), ValueError, _TOO_FEW)
    kind = _BACK[kind] if inverse else kind
    before, after = _ENDS.get((is_cosine, kind), ((), ()))
    is_orthogonal = norm == "ortho" if orthogonal is None else orthogonal
    x = _scaled(x, before, sqrt(2)) if is_orthogonal else x
    y = (_COSINES if is_cosine else _SINES)[kind](x)
    y = _scaled(y, after, sqrt(0.5)) if is_orthogonal else y
    over: Any = 2.0 * (count + more)
    if norm == "ortho":
        y = y / (over**0.5).astype(y.dtype)
    elif inverse != (norm == "forward"):
        y = y / over.astype(y.dtype)
    return moveaxis(y, -1, along)


def dct(
    x: TensorLike,
    type: int = 2,
    n: SizeLike | None = None,
    axis: int = -1,
    norm: str | None = None,
    orthogonalize: bool | None = None,
) -> TensorVariable:
    """The discrete cosine transform along an axis. See `scipy.fft.dct`.

    Parameters
    ----------
    x
        Real numbers, or complex ones: each part by itself.
    type
        1, 2, 3 or 4.
    n, axis, norm
        As for `fft`.
    orthogonalize
        Whether ends are scaled so that the matrix of the transform is orthogonal; by default with
        `norm="ortho"`.

    Raises
    ------
    ValueError
        for another type or norm, n below 1, and less than two points of type 1.

    Examples
    --------
    >>> dct([1.0, 1.0, 1.0, 1.0]).eval().round(12) + 0
    array([8., 0., 0., 0.])
    """
    return _transformed(x, type, n, axis, norm, orthogonalize, True, False)


def idct(
    x: TensorLike,
    type: int = 2,
    n: SizeLike | None = None,
    axis: int = -1,
    norm: str | None = None,
    orthogonalize: bool | None = None,
) -> TensorVariable:
    """The inverse of `dct` of that type. See `scipy.fft.idct`.

    ValueError as for `dct`.

    >>> idct([8.0, 0.0, 0.0, 0.0]).eval().round(12)
    array([1., 1., 1., 1.])
    """
    return _transformed(x, type, n, axis, norm, orthogonalize, True, True)


def dst(
    x: TensorLike,
    type: int = 2,
    n: SizeLike | None = None,
    axis: int = -1,
    norm: str | None = None,
    orthogonalize: bool | None = None,
) -> TensorVariable:
    """The discrete sine transform along an axis. See `scipy.fft.dst`.

    As `dct`, ValueError too.

    >>> dst([1.0, -1.0]).eval().round(12) + 0
    array([0., 4.])
    """
    return _transformed(x, type, n, axis, norm, orthogonalize, False, False)


def idst(
    x: TensorLike,
    type: int = 2,
    n: SizeLike | None = None,
    axis: int = -1,
    norm: str | None = None,
    orthogonalize: bool | None = None,
) -> TensorVariable:
    """The inverse of `dst` of that type. See `scipy.fft.idst`.

    ValueError as for `dct`.

    >>> idst([0.0, 4.0]).eval().round(12)
    array([ 1., -1.])
    """
    return _transformed(x, type, n, axis, norm, orthogonalize, False, True)
