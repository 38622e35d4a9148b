"""Places in what is sorted: searchsorted, digitize, interp."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import eq, ge, gt, isnan, le, lt, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.reduction.standard import all as all_of
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.rearrange import flip
from weft_tensor.ops.shape.reshape import ravel, reshape
from weft_tensor.types.dtypes import promote
from weft_tensor.types.tensor_type import TensorType

__all__ = ["SearchSorted", "digitize", "interp", "searchsorted"]


class SearchSorted(TensorOp):
    """Where elements of the second vector belong in the first, which is sorted.

    `side` says whether that is before ("left") or behind ("right") equal ones. An Op, because
    all comparisons, or a common sort, would be slower by far.
    """

    view_of = ()
    side: str

    def infer(self, *types: TensorType) -> TensorType:
        """A place for each element."""
        a, v = types
        if a.ndim != 1 or v.ndim != 1 or a.dtype != v.dtype or a.dtype.startswith("complex"):
            raise TypeError(f"searchsorted takes vectors of one real dtype, not {a} and {v}")
        return TensorType("int64", v.shape)

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.searchsorted`."""
        side: Any = self.side
        a, v = values
        return np.searchsorted(a, v, side=side)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """No dependence."""
        return [None, None]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The shape of the elements."""
        return [input_shapes[1]]

    @classmethod
    def examples(cls) -> Examples:
        """Both sides; equal elements, NaN and infinities, several dtypes, none."""
        a = np.array([-1.5, 0.0, 0.0, 2.0, np.inf, np.nan])
        v = np.array([0.0, -0.0, np.nan, -np.inf, np.inf, 5.0, 1.0])
        counts, numbers = np.array([1, 3, 3, 7]), np.array([3, 0, 9, 7])
        return [
            (cls(side), [x, y])
            for side in ("left", "right")
            for x, y in (
                (a, v),
                (a[:5].astype("float32"), v.astype("float32")),
                (counts, numbers),
                (counts.astype("uint8"), numbers.astype("uint8")),
                (np.array([False, True]), np.array([True, False])),
                (a[:0], v),
                (a, v[:0]),
            )
        ]

    def __str__(self) -> str:
        return f"searchsorted[{self.side}]"


def searchsorted(
    a: TensorLike, v: TensorLike, side: str = "left", sorter: TensorLike | None = None
) -> TensorVariable:
    """Where elements `v` belong in the vector `a`, which is sorted, or sorted by `sorter`.

    Before ("left") or behind ("right") equal elements. See `numpy.searchsorted`. Raises ValueError
    if `a` is no vector or for an unknown `side`, TypeError for complex numbers or a `sorter` that
    is no vector of integers.

    >>> searchsorted([1, 3, 5], [3, 4]).eval()
    array([1, 2])
    """
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side is 'left' or 'right', not {side!r}")
    a, v = as_tensor(a), as_tensor(v)
    if a.ndim != 1:
        raise ValueError(f"searchsorted looks in a sorted vector, not in {a!r} of rank {a.ndim}")
    if sorter is not None:
        places = as_tensor(sorter)
        if places.ndim != 1 or places.dtype[0] not in "iu":
            raise TypeError(f"searchsorted: sorter is a vector of integers, not {places!r}")
        message = "searchsorted: sorter must be as long as what it sorts"
        same = eq(lengths_of(places)[0], lengths_of(a)[0])
        a = index(a, check_and_raise(places, same, ValueError, message))
    dtype = promote([a.dtype, v.dtype])
    if dtype.startswith("complex"):
        raise TypeError(f"searchsorted takes real numbers, not {a!r} and {v!r}")
    result = SearchSorted(side)(a.astype(dtype), ravel(v.astype(dtype)))
    return reshape(result, lengths_of(v))


def digitize(x: TensorLike, bins: TensorLike, right: bool = False) -> TensorVariable:
    """The number of the bin for each element; `bins`, a vector, has their edges.

    These increase or decrease; ValueError at the call if not. An edge belongs to the bin
    above, with `right` to that below. See `numpy.digitize`. Raises TypeError for complex numbers,
    ValueError if `bins` is no vector.

    >>> digitize([0.5, 2.0, 9.0], [1, 2, 3]).eval()
    array([0, 2, 3])
    """
    x, edges = as_tensor(x), as_tensor(bins)
    if x.is_complex:
        raise TypeError(f"digitize takes real numbers, not {x!r}")
    if edges.ndim != 1:
        raise ValueError(f"digitize takes a vector of bins, not {edges!r}")
    one, other = index(edges, slice(1, None)), index(edges, slice(None, -1))
    rising, falling = all_of(ge(one, other)), all_of(le(one, other))
    message = "digitize: bins must increase or decrease"
    edges = check_and_raise(edges, rising | falling, ValueError, message)
    bins_of = searchsorted(where(rising, edges, flip(edges)), x, "left" if right else "right")
    return where(rising, bins_of, lengths_of(edges)[0] - bins_of)


def interp(
    x: TensorLike,
    xp: TensorLike,
    fp: TensorLike,
    left: TensorLike | None = None,
    right: TensorLike | None = None,
    period: TensorLike | None = None,
) -> TensorVariable:
    """The values at `x` of straight lines through the points (xp, fp), `xp` increasing.

    Outside, `left` and `right`, by default the first and last of `fp`; with `period`, the same
    again. Derivatives are with respect to all of these. See `numpy.interp`. Raises ValueError if
    the points are no vectors, TypeError for complex `x` or `xp`.

    >>> interp([1.5, 9.0], [1, 2, 3], [10, 20, 30]).eval()
    array([15., 30.])
    """
    x, places, values = (as_tensor(v) for v in (x, xp, fp))
    if places.ndim != 1 or values.ndim != 1:
        raise ValueError(f"interp takes vectors of points, not {places!r} and {values!r}")
    if x.is_complex or places.is_complex:
        raise TypeError(f"interp takes real numbers for x and xp, not {x!r} and {places!r}")
    x, places = x.astype("float64"), places.astype("float64")
    values = values.astype("complex128" if values.is_complex else "float64")
    same = eq(lengths_of(places)[0], lengths_of(values)[0]) & gt(lengths_of(places)[0], 0)
    message = "interp: xp and fp must be of one length, and not empty"
    places = check_and_raise(places, same, ValueError, message)
    if period is not None:
        x, places, values = _periodic(x, places, values, as_tensor(period).astype("float64"))
        left = right = None
    (n,) = lengths_of(places)
    low = maximum(searchsorted(places, x, "right") - 1, 0)
    high = minimum(low + 1, n - 1)
    x0, x1, y0, y1 = (index(v, k) for v in (places, values) for k in (low, high))
    width = where(eq(x0, x1), 1.0, x1 - x0)
    slope = (y1 - y0) / width
    from_left = slope * (x - x0) + y0
    from_right = slope * (x - x1) + y1
    between = where(
        isnan(from_left), where(isnan(from_right) & eq(y0, y1), y0, from_right), from_left
    )
    result = where(eq(x, x0) | eq(low, high), y0, between)
    first, last = index(values, 0), index(values, -1)
    result = where(lt(x, index(places, 0)), first if left is None else left, result)
    result = where(gt(x, index(places, -1)), last if right is None else right, result)
    return where(isnan(x) & gt(n, 1), x, result)


def _periodic(
    x: Any, places: Any, values: Any, period: Any
) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """The same within one period, with a point more at both ends."""
    if period.ndim:
        raise ValueError(f"interp: period is a number, not {period!r}")
    message = "interp: period must not be zero"
    period = check_and_raise(abs(period), gt(abs(period), 0), ValueError, message)
    x, places = x % period, places % period
    order = argsort(places)
    places, values = index(places, order), index(values, order)
    ends = slice(-1, None), slice(None, 1)
    places = concatenate([index(places, ends[0]) - period, places, index(places, ends[1]) + period])
    return x, places, concatenate([index(values, ends[0]), values, index(values, ends[1])])
