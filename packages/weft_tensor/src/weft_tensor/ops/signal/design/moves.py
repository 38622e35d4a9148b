"""Filters in time by polynomials: other frequencies, by a quotient in the place of s."""

from __future__ import annotations

from typing import Any

from weft_tensor.build.convert import as_floating
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.polynomials.polynomials import polyadd, polymul
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.signal.design.fractions import polynomials_of

__all__ = ["lp2bp", "lp2bs", "lp2hp", "lp2lp", "normalize"]

Polynomials = tuple[TensorVariable, TensorVariable]


def normalize(b: TensorLike, a: TensorLike) -> Polynomials:
    """Both polynomials over the first coefficient of the second. See `scipy.signal.normalize`.

    Vectors of known lengths; zeros in front are left out where all coefficients are known. Raises
    ValueError for others.

    >>> [v.eval().tolist() for v in normalize([2.0, 4.0], [2.0, 1.0])]
    [[1.0, 2.0], [1.0, 0.5]]
    """
    above, below = polynomials_of(b, a, "normalize")
    first = index(below, 0)
    return above / first, below / first


def _moved(
    b: TensorLike, a: TensorLike, above: list[Any], below: list[Any], name: str
) -> Polynomials:
    """Both with a quotient of polynomials in the place of s, times its denominator's power."""
    parts = polynomials_of(b, a, name)
    orders: Any = [v.type.shape[0] for v in parts]
    ahead, behind = (stack([as_floating(v) for v in row]) for row in (above, below))
    results = []
    for v, count in zip(parts, orders, strict=True):
        power = stack([as_floating(1.0)])
        whole = index(v, slice(0, 1))
        for k in range(1, count):
            power = polymul(power, behind)
            whole = polyadd(polymul(whole, ahead), v[k] * power)
        for _ in range(max(orders) - count):
            whole = polymul(whole, behind)
        results.append(whole)
    return normalize(*results)


def lp2lp(b: TensorLike, a: TensorLike, wo: TensorLike = 1.0) -> Polynomials:
    """Another end of what passes, for a filter of what is below 1. See `scipy.signal.lp2lp`.

    The functions of polynomials take vectors of known lengths, of which zeros in front are left out
    where they are known, and have derivatives by all that they take. Raises ValueError for others.

    >>> [v.eval().tolist() for v in lp2lp([1.0], [1.0, 1.0], 3.0)]
    [[3.0], [1.0, 3.0]]
    """
    return _moved(b, a, [1.0, 0.0], [wo], "lp2lp")


def lp2hp(b: TensorLike, a: TensorLike, wo: TensorLike = 1.0) -> Polynomials:
    """What is above `wo` passes, for a filter of what is below 1. See `scipy.signal.lp2hp`.

    >>> [v.eval().tolist() for v in lp2hp([1.0], [1.0, 2.0], 3.0)]
    [[0.5, 0.0], [1.0, 1.5]]
    """
    return _moved(b, a, [wo], [1.0, 0.0], "lp2hp")


def lp2bp(b: TensorLike, a: TensorLike, wo: TensorLike = 1.0, bw: TensorLike = 1.0) -> Polynomials:
    """What is about `wo`, `bw` wide, passes, for a filter of what is below 1.

    See `scipy.signal.lp2bp`.

    >>> [v.eval().tolist() for v in lp2bp([1.0], [1.0, 1.0], 3.0, 2.0)]
    [[2.0, 0.0], [1.0, 2.0, 9.0]]
    """
    return _moved(b, a, [1.0, 0.0, as_floating(wo) ** 2], [bw, 0.0], "lp2bp")


def lp2bs(b: TensorLike, a: TensorLike, wo: TensorLike = 1.0, bw: TensorLike = 1.0) -> Polynomials:
    """What is about `wo`, `bw` wide, is stopped, for a filter of what is below 1.

    See `scipy.signal.lp2bs`.

    >>> [v.eval().tolist() for v in lp2bs([1.0], [1.0, 1.0], 3.0, 2.0)]
    [[1.0, 0.0, 9.0], [1.0, 2.0, 9.0]]
    """
    return _moved(b, a, [bw, 0.0], [1.0, 0.0, as_floating(wo) ** 2], "lp2bs")
