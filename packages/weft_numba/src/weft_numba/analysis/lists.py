"""Vectors of a few numbers, as an Op of this package's own graphs: no array is made for them.

What reads such a vector element by element is given its numbers: so are states of a loop that a
step takes apart and puts together.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from weft_graph import Variable
from weft_numba.ir.axis_sizes import AxisEqualities
from weft_tensor import Pointwise, TensorOp, TensorType, constant, eq, where

__all__ = ["Listed", "listed"]

_FEW: Final = 8
"""Among so many numbers, the one at a place is found by comparing."""


class Listed(TensorOp):
    """The vector of some numbers.

    >>> import weft_tensor as wt
    >>> Listed()(wt.constant(1.5), wt.constant(2.5)).eval()
    array([1.5, 2.5])
    """

    primitive = True

    def infer(self, *types: Any) -> Any:
        """As long as there are inputs."""
        return TensorType(types[0].dtype, (len(types),))

    def impl(self, *values: Any) -> Any:
        """`numpy.stack`."""
        return np.stack(values)

    def kind(self, *inputs: Any) -> Pointwise:
        """The number of the place."""
        return _chosen(len(inputs))

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """One length."""
        return [(constant(len(input_shapes), "int64"),)]

    def __str__(self) -> str:
        return "listed"


@cache
def _chosen(count: int) -> Pointwise:
    def of(*values: Any) -> Any:
        *others, result, place = values
        for k in reversed(range(count - 1)):
            result = where(eq(place, k), others[k], result)
        return result

    return Pointwise(of, positions=True)


def listed(v: Any, spaces: AxisEqualities) -> Variable | None:
    """`v`, a `Stack`, as a list, if it is one of few numbers.

    >>> import weft_tensor as wt
    >>> x = wt.scalar("x")
    >>> listed(wt.stack([x, x + 1]), AxisEqualities([x]))
    <listed : float64[2]>
    """
    if v.ndim != 1 or not 1 < len(v.inputs) <= _FEW:
        return None
    result: Variable = Listed()(*[x.astype(v.dtype) for x in v.inputs])
    spaces.of(result)
    return result
