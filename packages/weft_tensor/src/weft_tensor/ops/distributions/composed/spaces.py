"""Where values of distributions live: between numbers, on a simplex, among factors of matrices."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Final, NamedTuple

from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, eye
from weft_tensor.ops.elementwise.comparison import isnan, neq
from weft_tensor.ops.linalg.square import tril

__all__ = [
    "CORR_CHOLESKY",
    "FACTORS",
    "NUMBERS",
    "ORDERED",
    "SIMPLEX",
    "VECTORS",
    "Space",
    "between",
]

_NEAR: Final = 1e-5
"""How far sums may be from one."""


class Space(NamedTuple):
    """A set of values."""

    rank: int
    """How many axes one value has."""
    holds: Callable[[TensorVariable], TensorVariable]
    """Whether values are in it."""
    point: Callable[[TensorVariable], TensorLike]
    """A value in it, for values of this shape."""
    ends: tuple[TensorLike, TensorLike] = (-inf, inf)
    """Of numbers, those between which they are."""


def between(low: TensorLike, high: TensorLike, point: TensorLike) -> Space:
    """Numbers between two, of which `point` is one."""
    return Space(0, lambda x: (x > low) & (x < high), lambda x: point, (low, high))


def _is_lower(x: TensorVariable) -> TensorVariable:
    diagonal = x.diagonal(axis1=-2, axis2=-1)
    return (diagonal > 0).all(axis=-1) & ~neq(x, tril(x)).any(axis=(-2, -1))


def _unit_rows(x: TensorVariable) -> TensorVariable:
    return (abs((x * x).sum(axis=-1) - 1) < _NEAR).all(axis=-1)


def _ones(x: TensorVariable) -> TensorVariable:
    return eye(x.shape[-1])


NUMBERS: Final = between(-inf, inf, 0.0)
VECTORS: Final = Space(1, lambda x: ~isnan(x).any(axis=-1), lambda x: 0.0)
SIMPLEX: Final = Space(
    1,
    lambda x: (x > 0).all(axis=-1) & (abs(x.sum(axis=-1) - 1) < _NEAR),
    lambda x: 1 / x.shape[-1],
)
ORDERED: Final = Space(
    1, lambda x: (x[..., 1:] > x[..., :-1]).all(axis=-1), lambda x: arange(x.shape[-1])
)
FACTORS: Final = Space(2, _is_lower, _ones)
CORR_CHOLESKY: Final = Space(2, lambda x: _is_lower(x) & _unit_rows(x), _ones)
