"""The axes of a tensor in another order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.kinds import View
from weft_tensor.build.op import Cotangents, Examples, TensorOp, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.types.axes import as_axes, as_axis, listed
from weft_tensor.types.tensor_type import TensorType

__all__ = ["Transpose", "matrix_transpose", "moveaxis", "swapaxes", "transpose"]


class Transpose(TensorOp):
    """The axes in the order `axes`."""

    axes: tuple[int, ...]
    view_of = (0,)
    linear = slice(1)
    primitive = True

    def infer(self, *types: TensorType) -> TensorType:
        """The shape in the new order."""
        (x,) = types
        if sorted(self.axes) != list(range(x.ndim)):
            raise ValueError(f"axes {self.axes} are not those of a tensor of rank {x.ndim}")
        return TensorType(x.dtype, [x.shape[a] for a in self.axes])

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.transpose`."""
        return values[0].transpose(self.axes)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """The cotangent, transposed back."""
        return [Transpose(tuple(map(int, np.argsort(self.axes))))(cotangents[0])]

    def kind(self, *inputs: TensorVariable) -> View:
        """The axes in the new order."""
        return View(self.axes)

    @classmethod
    def examples(cls) -> Examples:
        """A matrix, a stack of matrices."""
        x = np.arange(6.0).reshape(1, 2, 3)
        return [(cls((1, 0)), [x[0]]), (cls((2, 0, 1)), [x]), (cls((0, 1)), [x[0]])]

    def __str__(self) -> str:
        return f"transpose{list(self.axes)}"


def transpose(x: TensorLike, axes: Sequence[int] | None = None) -> TensorVariable:
    """The axes in the order `axes`; reversed by default. See `numpy.transpose`.

    Raises ValueError if `axes` are not those of `x`.

    >>> transpose([[1, 2], [3, 4]]).eval()
    array([[1, 3],
           [2, 4]])
    """
    x = as_tensor(x)
    order = tuple(range(x.ndim))[::-1] if axes is None else tuple(listed(axes))
    if sorted(a + x.ndim if a < 0 else a for a in order) != list(range(x.ndim)):
        raise ValueError(f"axes {axes} are not those of {x!r}, of rank {x.ndim}")
    order = tuple(a % x.ndim for a in order)
    return x if order == tuple(range(x.ndim)) else Transpose(order)(x)


def matrix_transpose(x: TensorLike) -> TensorVariable:
    """The last two axes exchanged. See `numpy.matrix_transpose`.

    Raises ValueError if there are fewer than two axes.

    >>> matrix_transpose([[[1, 2], [3, 4]]]).eval()
    array([[[1, 3],
            [2, 4]]])
    """
    x = as_tensor(x)
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose needs at least two axes, {x!r} has {x.ndim}")
    return swapaxes(x, -1, -2)


def swapaxes(x: TensorLike, axis1: int, axis2: int) -> TensorVariable:
    """Two axes exchanged. See `numpy.swapaxes`.

    >>> swapaxes([[1, 2, 3]], 0, 1).eval().shape
    (3, 1)
    """
    x = as_tensor(x)
    a, b = as_axis(axis1, x.ndim), as_axis(axis2, x.ndim)
    order = list(range(x.ndim))
    order[a], order[b] = order[b], order[a]
    return transpose(x, order)


def moveaxis(
    x: TensorLike, source: int | Sequence[int], destination: int | Sequence[int]
) -> TensorVariable:
    """Axes moved to other places, the rest in order. See `numpy.moveaxis`.

    Raises ValueError for another number of destinations than of sources.

    >>> moveaxis([[[1, 2, 3]]], 2, 0).eval().shape
    (3, 1, 1)
    """
    x = as_tensor(x)
    sources, places = listed(source), listed(destination)
    if len(sources) != len(places):
        raise ValueError(
            f"moveaxis needs as many destinations as sources, not {source} and {destination}"
        )
    as_axes(sources, x.ndim)
    as_axes(places, x.ndim)
    sources_of = {to % x.ndim: a % x.ndim for a, to in zip(sources, places, strict=True)}
    rest = iter([a for a in range(x.ndim) if a not in sources_of.values()])
    return transpose(x, [sources_of[i] if i in sources_of else next(rest) for i in range(x.ndim)])
