"""Which elements of a set hang together."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors, Value
from weft_tensor.types.tensor_type import TensorType

__all__ = ["FirstConnected", "neighbours", "steps_of"]


def neighbours(structure: Any, ndim: int) -> np.ndarray:
    """Which neighbours count, as bools: by default the element and the next ones along each axis.

    >>> neighbours(None, 2).astype(int).tolist()
    [[0, 1, 0], [1, 1, 1], [0, 1, 0]]
    """
    if structure is not None:
        return np.asarray(structure, bool)
    return np.abs(np.indices([3] * ndim) - 1).sum(0) <= 1


def steps_of(structure: np.ndarray) -> list[tuple[int, ...]] | None:
    """The steps of `FirstConnected` to these neighbours; None if they are not alike both ways.

    >>> steps_of(neighbours(None, 2))
    [(-1, 0), (0, -1)]
    """
    if structure.shape != (3,) * structure.ndim or (structure != np.flip(structure)).any():
        return None
    half = np.argwhere(structure)[: np.count_nonzero(structure) // 2] - 1
    return [tuple(step) for step in half.tolist()]


class FirstConnected(TensorOp):
    """For each element of a set, the place of the first one that it hangs together with.

    Places count in the order of memory; what is not in the set has its own. Neighbours are `steps`
    apart, forth and back: -1, 0 or 1 along each axis, the first of those that are not 0 being -1.
    An Op, because by others each element looks around as often as the logarithm of their number
    says, which takes 15 times as long as one walk over them.
    """

    view_of = ()
    steps: tuple[tuple[int, ...], ...]

    def infer(self, *types: TensorType) -> TensorType:
        """A place for each element."""
        (mask,) = types
        if mask.dtype != "bool" or {*map(len, self.steps)} - {mask.ndim}:
            raise TypeError(f"firstconnected along steps {self.steps} takes no {mask}")
        return TensorType("int64", mask.shape)

    def footprint(self, ndim: int) -> np.ndarray:
        """The neighbours, as `scipy.ndimage` takes them."""
        structure = np.zeros((3,) * ndim, bool)
        for step in (*self.steps, (0,) * ndim):
            structure[tuple([1 + s for s in step])] = True
        return structure | np.flip(structure)

    def impl(self, *values: np.ndarray) -> Value:
        """`scipy.ndimage.label`, and where each number comes first."""
        (mask,) = values
        places = np.arange(mask.size)
        if not mask.any():
            return places.reshape(mask.shape)
        label: Any = lazy_import("scipy.ndimage.label")
        numbers = label(mask, self.footprint(mask.ndim))[0].ravel()
        least, first = np.unique(numbers, return_index=True)
        roots = np.where(mask.ravel(), first[numbers - least[0]], places)
        return roots.reshape(mask.shape)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """No dependence."""
        return [None]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The shape of the set."""
        return list(input_shapes)

    @classmethod
    def examples(cls) -> Examples:
        """One to three axes, with corners, without, no neighbours; none, all, no elements."""
        rng = np.random.default_rng(0)
        plain = cls(((-1, 0), (0, -1)))
        corners = cls(((-1, -1), (-1, 0), (-1, 1), (0, -1)))
        sets = [rng.random((7, 9)) < share for share in (0.0, 0.4, 0.6, 1.0)]
        cube = tuple([s for s in product((-1, 0, 1), repeat=3) if s < (0, 0, 0)])
        return [
            *((op, [mask]) for op in (plain, corners) for mask in sets),
            (plain, [sets[2].T]),
            (plain, [sets[0][:0]]),
            (cls(((-1,),)), [sets[1][0]]),
            (cls(()), [sets[1]]),
            (cls(cube), [rng.random((4, 3, 5)) < 0.2]),
        ]

    def __str__(self) -> str:
        return "firstconnected"
