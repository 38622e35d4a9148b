"""Order along an axis: sort and argsort."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np

from weft_tensor.build.op import Cotangents, Examples, Tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import zeros
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.take import key_along, take_along_axis
from weft_tensor.ops.reduction.axis_function import AxisFunction
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import with_axis
from weft_tensor.types.axes import as_axis

__all__ = ["ArgSort", "Ordering", "Sort", "argsort", "sort"]

_KINDS: Final = ("quicksort", "mergesort", "heapsort", "stable")


class Ordering(AxisFunction):
    """Ops that compare the elements along `axis`; NaN counts as the largest of all.

    Complex numbers are ordered by their real parts, those of equal ones by the imaginary parts.
    """

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """Positions don't depend on the elements."""
        return [None]

    @classmethod
    def examples(cls) -> Examples:
        """Along every axis, with equal elements, NaN, several dtypes."""
        x = np.array([[[1.5, -2.0, 0.5], [0.5, 3.0, -1.0]]])
        parts = [1.0, -2.0, np.inf, np.nan, 0.0]
        z = np.array([complex(a, b) for a in parts for b in parts])
        return [
            (cls(1), [np.array([[1 + 2j, 1.5 - 1j, 0.5 + 9j], [3j, 0.5, -1 + 3j]])]),
            (cls(0), [z]),
            (cls(0), [z[~np.isnan(z)].astype("complex64")]),
            *((cls(axis), [x]) for axis in range(3)),
            (cls(0), [np.array([1.0, np.nan, -np.inf, np.nan, np.inf])]),
            (cls(0), [np.array([2, 1, 2, 1, 3], "int32")]),
            (cls(0), [np.array([2.5, 0.5], "float32")]),
            (cls(0), [np.array([True, False, True])]),
            (cls(0), [np.array([200, 3], "uint8")]),
        ]


class Sort(Ordering):
    """The elements in ascending order (`numpy.sort`)."""

    function = np.sort

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """Each cotangent back at the place its element came from."""
        (g,), places = cotangents, ArgSort(self.axis)(inputs[0])
        origin = index(zeros(lengths_of(g), g.dtype), key_along(g, places, self.axis))
        return [updated(origin, "set", g)]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """The tangents in the same order."""
        return [take_along_axis(tangents[0], ArgSort(self.axis)(inputs[0]), self.axis)]


class ArgSort(Ordering):
    """Positions that sort x; equal elements keep their order (`numpy.argsort`)."""

    function = partial(np.argsort, kind="stable")


def sort(
    x: TensorLike,
    axis: int | None = -1,
    kind: str | None = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> TensorVariable:
    """In ascending order along `axis`, or `descending`; None flattens first. See `numpy.sort`.

    Equal elements keep their order, whatever `kind` and `stable` say; NaN are last, or first where
    it descends. Raises ValueError for a kind
    that NumPy does not know.

    >>> sort([[3, 1, 2], [6, 5, 4]]).eval()
    array([[1, 2, 3],
           [4, 5, 6]])
    """
    ordered = _ordered(Sort, x, axis, kind, stable)
    return _turned(ordered, axis) if descending else ordered


def argsort(
    x: TensorLike,
    axis: int | None = -1,
    kind: str | None = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> TensorVariable:
    """Positions that sort `x`; equal elements keep their order. See `numpy.argsort`, and `sort`.

    >>> argsort([3, 1, 2]).eval()
    array([1, 2, 0])
    """
    if not descending:
        return _ordered(ArgSort, x, axis, kind, stable)
    x, along = with_axis(x, axis)
    places = _turned(_ordered(ArgSort, _turned(x, along), along, kind, stable), along)
    return lengths_of(x)[along] - 1 - places


def _turned(x: TensorVariable, axis: int | None) -> TensorVariable:
    along = as_axis(-1 if axis is None else axis, x.ndim)
    return index(x, (*[slice(None)] * along, slice(None, None, -1)))


def _ordered(
    op: type[Ordering], x: TensorLike, axis: int | None, kind: str | None, stable: bool | None
) -> TensorVariable:
    name = op.__name__.lower()
    if kind is not None and stable is not None:
        raise ValueError(f"{name} takes a kind, or whether it is stable, not both")
    if kind not in (None, *_KINDS):
        raise ValueError(f"kind of {name} is one of {', '.join(_KINDS)}, not {kind!r}")
    x, along = with_axis(x, axis)
    return op(along)(x)
