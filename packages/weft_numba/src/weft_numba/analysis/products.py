"""Products with vectors, of vectors or of a stack of matrices, as sums: in a loop with others."""

from __future__ import annotations

from typing import Any

from weft_graph import Variable, toposort
from weft_numba.ir.axis_sizes import AxisEqualities
from weft_tensor import expand_dims, sum, swapaxes

__all__ = ["summed"]


def summed(v: Any, spaces: AxisEqualities) -> Variable | None:
    """The `Matmul` `v` as a sum of products, if two vectors, or a stack of matrices with a vector
    each, are multiplied.

    >>> import weft_tensor as wt
    >>> x, y = wt.tensor3("x"), wt.matrix("y")
    >>> spaces = AxisEqualities([x, y], assume=True)
    >>> columns = wt.expand_dims(y, 2)
    >>> seen = [spaces.of(v) for v in (x, y, columns)]
    >>> str(summed(x @ columns, spaces).inputs[0].op)
    'sum[2]'
    """
    left, right = v.inputs
    if not v.dtype.startswith("float") or left.dtype != right.dtype or left.ndim != right.ndim:
        return None
    if v.ndim == 0:
        total = sum(left * right)
    elif v.ndim == 2 or 1 in spaces.of(right)[:-2]:
        return None
    elif left.type.shape[-2] == 1:
        total = expand_dims(sum(swapaxes(left, -1, -2) * right, -2), -2)
    elif right.type.shape[-1] == 1:
        total = expand_dims(sum(left * swapaxes(right, -1, -2), -1), -1)
    else:
        return None
    for node in toposort([total], v.inputs):
        spaces.of(node)
    (*stack, k), (*other, n) = spaces.of(left), spaces.of(right)
    fits = k == n if v.ndim == 0 else (stack[:-1], k) == (other[:-1], other[-1])
    return total if fits else None
