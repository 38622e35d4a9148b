"""Whole powers as products: each takes a fraction of the time that the function of powers takes.

This comes last: other rules look for powers, of which they know what logarithms are.
"""

from __future__ import annotations

from functools import reduce
from operator import mul
from typing import Final

import weft_tensor as wt
from weft_graph import Constant, Rule, rule
from weft_tensor import Elemwise, TensorVariable
from weft_tensor.extend import lengths_of

__all__ = ["LARGEST", "rules"]

LARGEST: Final = 64
"""Exponents up to this make products, of at most ten multiplications.

A product of n factors is wrong by n - 1 roundings at most: rounding x once changes x ** n by more.
"""


@rule(
    Elemwise("pow"),
    over=Constant,
    name=f"x ** n = x * ... * x for whole n up to {LARGEST}",
    may_change=("rounding", "complex"),
)
def _product(node: TensorVariable) -> TensorVariable | None:
    x, y = node.inputs
    n = _whole(y)
    if n is None or abs(n) > LARGEST or y.ndim > x.ndim:
        return None
    if n == 0:  # of NaN, too
        return wt.full(lengths_of(x), 1, node.dtype)
    if n > 0:
        return _multiplied(x.astype(node.dtype), n)
    is_integer = node.type.numpy_dtype.kind in "iu"  # the call refuses it
    return None if is_integer else wt.reciprocal(_multiplied(x.astype(node.dtype), -n))


def _whole(y: TensorVariable) -> int | None:
    """The whole number that `y` is known to be, if any."""
    if type(y.op) is not Constant or y.op.value.size != 1:
        return None
    value = complex(y.op.value.item())
    return int(value.real) if value.imag == 0 and value.real.is_integer() else None


def _multiplied(x: TensorVariable, n: int) -> TensorVariable:
    """The product of `n` > 0 times `x`: of its squares, their squares and so on.

    Powers of one `x` have these in common. None of them overflows but where the product does.
    """
    squares = [x]
    while n >> len(squares):
        squares.append(wt.square(squares[-1]))
    return reduce(mul, [v for k, v in enumerate(squares) if n >> k & 1])


rules: tuple[Rule, ...] = (_product,)
"""All of them."""
