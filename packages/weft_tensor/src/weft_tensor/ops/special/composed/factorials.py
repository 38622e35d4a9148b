"""Factorials in steps, numbers of partitions, and Dirichlet's kernel."""

from __future__ import annotations

from math import nan, pi
from typing import Any, Final

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.creation.creation import arange, zeros
from weft_tensor.ops.elementwise.arithmetic import floor, rint
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.power import pow
from weft_tensor.ops.numbers.waves import sinc
from weft_tensor.ops.reduction.standard import max as largest
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.special.composed.formula import formula
from weft_tensor.ops.special.gamma import gamma

__all__ = ["diric", "factorial2", "factorialk", "stirling2"]

_PI_REST: Final = 1.2246467991473532e-16
"""What pi misses in 64 bits."""


def factorialk(n: TensorLike, k: object) -> TensorVariable:
    """n (n - k) (n - 2 k) ..., as long as that is above 0; 0 for negative n, NaN between whole n.

    Elementwise; integers become float64. See `scipy.special.factorialk`, with `exact=False`.
    Raises ValueError unless k is a whole number above 0.

    >>> factorialk([5, 6, 7], 3).eval().round(6)
    array([10., 18., 28.])
    """
    if not isinstance(k, int) or k < 1:
        raise ValueError(f"factorialk takes a whole number k above 0, not {k!r}")
    number = as_floating(as_tensor(n))
    valid = (number >= 0) & eq(number, rint(number))
    inside = where(valid, number, 0.0)
    rest = inside - k * floor(inside / k)
    first: Any = 1.0
    for r in range(1, k):
        first = where(eq(rest, r), r / gamma(r / k + 1.0), first)
    value = first * pow(float(k), (inside - rest) / k) * gamma(inside / k + 1)
    return where(valid, value, where(number < 0, 0.0, nan)).astype(number.dtype)


def factorial2(n: TensorLike) -> TensorVariable:
    """n (n - 2) (n - 4) ..., as `factorialk` of 2. See `scipy.special.factorial2`.

    >>> factorial2([5, 6, 7]).eval().round(6)
    array([ 15.,  48., 105.])
    """
    return factorialk(n, 2)


def stirling2(N: TensorLike, K: TensorLike, *, exact: bool = False) -> TensorVariable:
    """In how many ways N things are put into K groups, none of them empty: Stirling's numbers.

    Elementwise, with broadcasting, by S(n + 1, k) = k S(n, k) + S(n, k - 1) in float64; 0 for K
    beyond N and for negative ones. Raises TypeError for what is not of integers, ValueError for
    `exact`. See `scipy.special.stirling2`, which has five digits where N is above 50.

    >>> stirling2([4, 5], 3).eval()
    array([ 6., 25.])
    """
    if exact:
        raise ValueError(f"stirling2 gives floating numbers: SciPy's has exact ones{called()}")
    n, k = broadcast_arrays(*as_tensors((N, K)))
    for given in (n, k):
        if given.dtype[0] not in "iu":
            raise TypeError(f"stirling2 takes integers, not {given!r}{called()}")
    inside = (k >= 0) & (n >= 0)
    things, groups = where(inside, n, 0).astype("int64"), where(inside, k, 0).astype("int64")
    groups = where(groups > things, 0, groups)
    column = arange(largest(groups, initial=0) + 1).astype("float64")

    def body(i: Any, state: Any) -> Any:
        row, value = state
        before = concatenate([zeros(1), row[:-1]])
        after = where(eq(column, 0), 0, column * row) + before
        return after, where(eq(things, i + 1), after[groups], value)

    start = eq(column, 0).astype("float64")
    first = where(eq(things, 0), 1.0, 0.0)
    _, value = fori_loop(0, largest(things, initial=0), body, (start, first))
    return where(inside & (k <= n), value, 0)


def _diric(x: TensorVariable, n: TensorVariable) -> TensorVariable:
    turns = rint(x / (2 * pi))
    left = (x - 2 * turns * pi) - 2 * turns * _PI_REST
    odd = turns * (n - 1)
    sign = 1 - 2 * (odd - 2 * floor(0.5 * odd))
    value = sign * sinc(n * left / (2 * pi)) / sinc(left / (2 * pi))
    return where((n >= 1) & eq(n, rint(n)), value, nan)


diric = formula(
    "diric", "sin(n x / 2) / (n sin(x / 2)), for whole n.", (1.0, 5.0, 0.249662), _diric
)
