"""Whole powers as products, halves by roots: in a fraction of the time of the function of powers.

This comes last: other rules look for powers, of which they know what logarithms are.
"""

from __future__ import annotations

from functools import reduce
from operator import mul
from typing import Final

import numpy as np

import weft_tensor as wt
from weft_graph import Constant, Rule, rule
from weft_tensor import Elemwise, TensorVariable
from weft_tensor.extend import lengths_of

__all__ = ["LARGEST", "rules"]

LARGEST: Final = 64
"""Exponents up to this make products, of at most ten multiplications.

A product of n factors is wrong by n - 1 roundings at most: rounding x once changes x ** n by more.
"""

MOST_HALVES: Final = 5
"""x ** 2.5 by a root is wrong by 2 units in the last place at most, and 1 over it by 3."""


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


@rule(
    Elemwise("pow"),
    over=Constant,
    name=f"x ** (n + 1/2) = x ** n * sqrt(x) up to x ** {MOST_HALVES / 2}",
    may_change="rounding",
)
def _with_root(node: TensorVariable) -> TensorVariable | None:
    """Powers of -inf and of -0.0, which have no sign, are made so: roots of them differ."""
    x, y = node.inputs
    n = _whole(y, 2)
    if n is None or n % 2 == 0 or abs(n) > MOST_HALVES or y.ndim > x.ndim:
        return None
    if node.type.numpy_dtype.kind != "f":
        return None
    x = x.astype(node.dtype)
    least = wt.constant(-np.inf, node.dtype)
    root = wt.sqrt(wt.where(wt.eq(x, least), -least, x))
    power = wt.abs(_multiplied(x, abs(n) // 2) * root if abs(n) > 1 else root)
    return power if n > 0 else wt.reciprocal(power)


def _whole(y: TensorVariable, times: int = 1) -> int | None:
    """The whole number that `y`, so many times, is known to be, if any."""
    if type(y.op) is not Constant or y.op.value.size != 1:
        return None
    value = times * complex(y.op.value.item())
    return int(value.real) if value.imag == 0 and value.real.is_integer() else None


def _multiplied(x: TensorVariable, n: int) -> TensorVariable:
    """The product of `n` > 0 times `x`: of its squares, their squares and so on.

    Powers of one `x` have these in common. None of them overflows but where the product does.
    """
    squares = [x]
    while n >> len(squares):
        squares.append(wt.square(squares[-1]))
    return reduce(mul, [v for k, v in enumerate(squares) if n >> k & 1])


rules: tuple[Rule, ...] = (_product, _with_root)
"""All of them."""
