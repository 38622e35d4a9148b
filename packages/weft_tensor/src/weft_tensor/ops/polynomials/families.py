"""Families of polynomials of which each is made of the two before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor, constant
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import ones_like
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.products.products import tensordot
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.shape.transpose import moveaxis

__all__ = ["FAMILIES", "Family", "clenshaw", "coefficients_of", "factor", "linear"]


class Family(NamedTuple):
    """Polynomials P, of which each is made of the two before.

    The next is (first(k) x + second(k)) P_k - third(k) P_(k-1).
    """

    prefix: str
    place: str
    """The part of NumPy."""
    first: Callable[[int], float]
    second: Callable[[int], float]
    third: Callable[[int], float]
    weight: Callable[[Any], Any]

    def numpy(self, name: str) -> Any:
        """The function of NumPy's part that is called so after the prefix."""
        return lazy_import(f"numpy.polynomial.{self.place}.{self.prefix}{name}")


def _none(k: int) -> float:
    return 0.0


def _one(k: int) -> float:
    return 1.0


def _half(x: Any) -> Any:
    return exp(-x * x / 2)


FAMILIES: Final = (
    Family("poly", "polynomial", _one, _none, _none, ones_like),
    Family(
        *("cheb", "chebyshev", lambda k: 2.0 if k else 1.0, _none, _one),
        lambda x: 1 / (sqrt(1 + x) * sqrt(1 - x)),
    ),
    Family(
        *("leg", "legendre", lambda k: (2 * k + 1) / (k + 1), _none, lambda k: k / (k + 1)),
        ones_like,
    ),
    Family(*("herm", "hermite", lambda k: 2.0, _none, lambda k: 2.0 * k), lambda x: exp(-x * x)),
    Family("herme", "hermite_e", _one, _none, float, _half),
    Family(
        *("lag", "laguerre", lambda k: -1 / (k + 1), lambda k: (2 * k + 1) / (k + 1)),
        *(lambda k: k / (k + 1), lambda x: exp(-x)),
    ),
)


def coefficients_of(c: TensorLike, name: str) -> tuple[TensorVariable, int]:
    """Floating coefficients along the first axis, and how many there are."""
    tensor = as_tensor(c)
    if not tensor.ndim:
        tensor = expand_dims(tensor, 0)
    count = tensor.type.shape[0]
    if not isinstance(count, int):
        raise TypeError(
            f"{name}: how many coefficients {tensor!r} has must be known when the graph is "
            f"built: write specify_shape(c, n){called()}"
        )
    if not count:
        raise IndexError(f"{name} takes one coefficient at least{called()}")
    return as_floating(tensor), count


def factor(family: Family, k: int, at: Any) -> Any:
    """What P_k is multiplied by to make the next."""
    first, second = family.first(k), family.second(k)
    times = at if first == 1.0 else first * at
    return times + second if second else times


def linear(c: TensorVariable, rows: np.ndarray, axis: int = 0) -> TensorVariable:
    """A matrix of numbers times the coefficients along an axis.

    >>> linear(as_tensor([1.0, 2.0]), np.array([[0.0, 3.0]])).eval()
    array([6.])
    """
    moved = moveaxis(c, axis, 0)
    return moveaxis(tensordot(constant(rows.astype(moved.real.dtype)), moved, 1), 0, axis)


def clenshaw(family: Family, terms: Sequence[Any], at: Any, first: Any) -> Any:
    """The sum of the terms times their polynomials, from the last one, which `first` is, down.

    >>> clenshaw(FAMILIES[1], [0.0, 0.0, 1.0], 0.5, 1.0)  # chebyshev
    -0.5
    """
    one, before = first, None
    for k in range(len(terms) - 2, -1, -1):
        below = family.third(k + 1)
        start = terms[k] if before is None or not below else terms[k] - below * before
        one, before = start + one * factor(family, k, at), one
    return one
