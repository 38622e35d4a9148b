"""Sums of products of one vector with another that is moved along it."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import lt, neq, where
from weft_tensor.ops.elementwise.complex import conj_of
from weft_tensor.ops.fft.transforms import fast_points
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.types.dtypes import promote
from weft_tensor.types.tensor_type import TensorType

__all__ = ["SlidingDot", "convolve", "correlate"]


class SlidingDot(TensorOp):
    """Products of the second with each part of the first, added up, along the last axis.

    Of vectors of n and m elements, result k is the sum over j of x[k + start + j - (m - 1)] y[j],
    as far as there are such x: so many as the fourth input says, from the third, `start`, on. All
    axes before the last are of one length in both. An Op, because a sum of products of windows
    takes five to ten times as long, and memory for all of them.

    `method`: "direct" adds up products, "fft" takes Fourier transforms, "auto" what is faster for
    vectors so long. Of integers, products are added up in any case.
    """

    view_of = ()
    method: Literal["direct", "fft", "auto"] = "direct"
    per_point: ClassVar[int] = 6
    """How many products take as long as transforms take for a point and a doubling of points."""

    def points(self, n: int, m: int, count: int, dtype: str) -> int:
        """How many points the transforms have, for `count` sums of vectors of n and m elements.

        0 if products are added up.

        >>> SlidingDot("auto").points(4000, 1000, 4999, "float64")
        5120
        """
        if self.method == "direct" or dtype[0] not in "fc" or not n * m * count:
            return 0
        limit = self.per_point * (n + m) * (n + m).bit_length()
        if self.method == "auto" and min(n, m) * count <= limit:
            return 0
        return fast_points(n + m - 1)

    def infer_from(self, *inputs: TensorVariable) -> TensorType:
        """As many elements as the last input says."""
        x, y, start, count = inputs
        if not x.ndim or x.ndim != y.ndim or x.dtype != y.dtype or x.dtype == "bool":
            raise TypeError(f"slidingdot takes numbers of one rank and dtype, not {x!r} and {y!r}")
        if start.type != count.type or start.type != TensorType("int64"):
            raise TypeError(f"slidingdot takes int64 scalars, not {start!r} and {count!r}")
        return TensorType(x.dtype, (*x.type.shape[:-1], static_length(count)))

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.convolve`, or `numpy.correlate` where both overlap wholly."""
        x, y, start, count = values
        (*lanes, n), m = x.shape, y.shape[-1]
        if y.shape[:-1] != x.shape[:-1]:
            raise ValueError(f"slidingdot takes equal axes before the last: {x.shape}, {y.shape}")
        result = np.zeros((*lanes, int(count)), x.dtype)
        points = self.points(n, m, int(count), str(x.dtype))
        for lane in np.ndindex(*lanes):
            _slide(x[lane], y[lane], int(start), result[lane], points)
        return result

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """Products of the cotangent with either, moved along it."""
        (x, y, start, count), (g,) = inputs, cotangents
        n, m = lengths_of(x)[-1], lengths_of(y)[-1]
        backwards = (..., slice(None, None, -1))
        of_x = self(g, conj_of(index(y, backwards)), m - 1 - start, n)
        return [of_x, self(conj_of(x), g, start + count - m, m), None, None]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Cotangents) -> Cotangents:
        """Both with the tangent of the other."""
        (x, y, *range), (tx, ty, *_) = inputs, tangents
        left = None if tx is None else self(tx, y, *range)
        right = None if ty is None else self(x, ty, *range)
        return [right if left is None else left if right is None else left + right]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The axes before the last, and how many there are."""
        return [(*input_shapes[0][:-1], node.inputs[3])]

    @classmethod
    def examples(cls) -> Examples:
        """Wholly and partly overlapping, next to each other; stacks; several dtypes; nothing."""
        x, y = np.array([1.5, -2.0, 0.5, 3.0]), np.array([0.5, 1.0, -1.0])
        ranges = ((0, 6), (2, 2), (1, 4), (-2, 9), (5, 3), (3, 0))
        strange = np.array([1.0, np.inf, 2.0])
        cases: list[tuple[Any, Any, int, int]] = [
            *((x, y, *r) for r in ranges),
            *((y, x, *r) for r in ranges),
            (x, strange, 0, 6),
            (np.array([np.nan, 1.0, 2.0]), y, 0, 5),
            (np.stack([x, x * 2]), np.stack([y, y + 1]), 1, 4),
            (x.astype("float32"), strange.astype("float32"), 0, 6),
            (x + 2j, y - 1j, 0, 6),
            (np.arange(4), np.arange(3), 0, 6),
            (np.array([100, 7], "int8"), np.array([3, 2], "int8"), 0, 3),
            (x[:0], y, 0, 2),
            (x, y[:0], 0, 3),
        ]
        by_transforms: list[tuple[Any, Any, int, int]] = [
            *((x, y, *r) for r in ranges),
            (y, x, 1, 4),
            (x.astype("float32"), y.astype("float32"), 0, 6),
            (x + 2j, y - 1j, 0, 6),
            (np.stack([x, x * 2]), np.stack([y, y + 1]), 1, 4),
            (np.arange(4), np.arange(3), 0, 6),
            (x, y[:0], 0, 3),
        ]
        return [
            *((cls(), [a, b, np.int64(s), np.int64(c)]) for a, b, s, c in cases),
            *((cls("fft"), [a, b, np.int64(s), np.int64(c)]) for a, b, s, c in by_transforms),
            (cls("auto"), [x, y, np.int64(0), np.int64(6)]),
        ]

    def __str__(self) -> str:
        return "slidingdot" if self.method == "direct" else f"slidingdot[{self.method}]"


def _slide(x: np.ndarray, y: np.ndarray, start: int, out: np.ndarray, points: int) -> None:
    """What the Op gives for two vectors, by transforms of so many points, if any."""
    if points:
        _slide_transforms(x, y, start, out, points)
        return
    if len(x) < len(y):
        x, y = y[::-1], x[::-1]
    n, m, count = len(x), len(y), len(out)
    if not m:
        return
    if (start, count) == (m - 1, n - m + 1):
        out[:] = np.correlate(x, y.conj(), "valid")
        return
    first, last = max(start, 0), min(start + count, n + m - 1)
    if first < last:
        out[first - start : last - start] = np.convolve(x, y[::-1])[first:last]


def _slide_transforms(
    x: np.ndarray, y: np.ndarray, start: int, out: np.ndarray, points: int
) -> None:
    whole = len(x) + len(y) - 1
    forth, back = (np.fft.fft, np.fft.ifft) if x.dtype.kind == "c" else (np.fft.rfft, np.fft.irfft)
    product = back(forth(x, points) * forth(y[::-1], points), points)
    first, last = max(start, 0), min(start + len(out), whole)
    if first < last:
        out[first - start : last - start] = product[first:last]


def convolve(a: TensorLike, v: TensorLike, mode: str = "full") -> TensorVariable:
    """The convolution of two vectors. See `numpy.convolve`.

    `mode` is "full", "same" (as long as the longer) or "valid" (where both overlap wholly).
    ValueError, at the call where lengths are unknown, if one is empty.

    >>> convolve([1, 2, 3], [0, 1, 1]).eval()
    array([0, 1, 3, 5, 3])
    """
    x, y = (_vector(expand_dims(u, 0) if not u.ndim else u, "convolve") for u in as_tensors((a, v)))
    return _moved(x, index(y, slice(None, None, -1)), mode, "convolve", reverses=False)


def correlate(a: TensorLike, v: TensorLike, mode: str = "valid") -> TensorVariable:
    """The cross-correlation of two vectors, of the second conjugate. See `numpy.correlate`.

    As `convolve` otherwise.

    >>> correlate([1, 2, 3], [0, 1, 1], "full").eval()
    array([1, 3, 5, 3, 0])
    """
    x, y = (_vector(u, "correlate") for u in as_tensors((a, v)))
    return _moved(x, y.conj() if y.is_complex else y, mode, "correlate", reverses=True)


def _vector(x: Any, name: str) -> TensorVariable:
    if x.ndim != 1:
        raise ValueError(f"{name} takes vectors, not {x!r}")
    message = f"{name} takes vectors with elements, not {x!r}"
    if x.type.shape[0] == 0:
        raise ValueError(message)
    if isinstance(x.type.shape[0], int):
        return x
    return check_and_raise(x, lt(0, lengths_of(x)[0]), ValueError, message)


def _moved(x: Any, y: Any, mode: str, name: str, reverses: bool) -> TensorVariable:
    """Sums of products of `y` with each part of `x`, which has zeros at its ends.

    In NumPy the shorter is moved along the longer, which tells on which side "same" has one
    more; `reverses` says whether the result is turned round if that is `x`.
    """
    (n,), (m,) = lengths_of(x), lengths_of(y)
    longer, shorter = maximum(n, m), minimum(n, m)
    before = (shorter - 1) // 2
    if mode == "full":
        start, count = as_tensor(0), n + m - 1
    elif mode == "same":
        start = where(lt(n, m), shorter // 2, before) if reverses else before
        count = longer
    elif mode == "valid":
        start, count = shorter - 1, longer - shorter + 1
    else:
        raise ValueError(f"{name} takes mode 'full', 'same' or 'valid', not {mode!r}")
    dtype = promote((x.dtype, y.dtype))
    if dtype == "bool":
        return neq(SlidingDot()(x.astype("int64"), y.astype("int64"), start, count), 0)
    return SlidingDot()(x.astype(dtype), y.astype(dtype), start, count)
