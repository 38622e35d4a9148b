"""Products of a stack of matrices with a vector each, as sums: one loop, with what is around it."""

from __future__ import annotations

from typing import Any

from weft_graph import Variable, toposort
from weft_numba.ir.axis_sizes import AxisEqualities
from weft_tensor import expand_dims, sum, swapaxes

__all__ = ["summed"]


def summed(v: Any, spaces: AxisEqualities) -> Variable | None:
    """The `Matmul` `v` as a sum of products, if each matrix of a stack is multiplied by a vector.

    >>> import weft_tensor as wt
    >>> x, y = wt.tensor3("x"), wt.matrix("y")
    >>> spaces = AxisEqualities([x, y], assume=True)
    >>> columns = wt.expand_dims(y, 2)
    >>> seen = [spaces.of(v) for v in (x, y, columns)]
    >>> str(summed(x @ columns, spaces).inputs[0].op)
    'sum[2]'
    """
    if not v.dtype.startswith("float") or v.ndim < 3:
        return None
    left, right = v.inputs
    if left.ndim != right.ndim or left.dtype != right.dtype or 1 in spaces.of(right)[:-2]:
        return None
    if left.type.shape[-2] == 1:
        factors, axis = (swapaxes(left, -1, -2), right), -2
    elif right.type.shape[-1] == 1:
        factors, axis = (left, swapaxes(right, -1, -2)), -1
    else:
        return None
    total: Variable = expand_dims(sum(factors[0] * factors[1], axis), axis)
    for node in toposort([total], v.inputs):
        spaces.of(node)
    (*stack, _, k), (*other, n, _) = map(spaces.of, v.inputs)
    return total if (stack, k) == (other, n) else None
