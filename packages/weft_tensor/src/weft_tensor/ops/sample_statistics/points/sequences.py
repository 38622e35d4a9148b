"""Sequences of points, each of which fills the gaps of those before: Halton's and Sobol's."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from math import ceil, log2
from typing import Any, Final, Self

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import constant
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.numbers.bits import bitwise_count
from weft_tensor.ops.random.distributions import bits, split, uniform
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.sample_statistics.points.direction_numbers import (
    BITS,
    MOST_DIMENSIONS,
    direction_numbers,
)
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.length import as_size
from weft_tensor.ops.shape.transpose import matrix_transpose

__all__ = ["Halton", "LatinHypercube", "Sobol", "dimensions"]

_MOST: Final = 1000
_DIGITS: Final = 53
"""Binary digits of coordinates of Halton's points."""


def dimensions(name: str, d: int, most: int = _MOST) -> int:
    """`d`, the number of axes; ValueError if it is not from 1 to `most`."""
    if d not in range(1, most + 1):
        raise ValueError(f"{name}: d must be an integer from 1 to {most}, not {d!r}{called()}")
    return d


def _key(name: str, rng: TensorLike | None, is_needed: bool) -> TensorLike | None:
    if is_needed and rng is None:
        raise ValueError(
            f"{name}: give a key as `rng=wt.random.key(0)`, or scramble=False{called()}"
        )
    return rng if is_needed else None


class _Sequence(ABC):
    """Points in a cube of `d` axes, of which there is no last one."""

    def __init__(self, d: int, rng: TensorLike | None) -> None:
        self.d, self.rng = d, rng
        self.start: TensorVariable = constant(0)

    def random(self, n: SizeLike = 1) -> TensorVariable:
        """The first n points, one a row."""
        return self._points(arange(n) + self.start)

    def fast_forward(self, n: TensorLike) -> Self:
        """The same, without the first n points."""
        later = copy(self)
        later.start = self.start + n
        return later

    @abstractmethod
    def _points(self, places: TensorVariable) -> TensorVariable: ...


class Halton(_Sequence):
    """Halton's points: digits of 0, 1, 2, ... to prime bases, in reverse.

    With `scramble`, the digits are permuted by the key `rng`, those of each place on their own: A.
    B. Owen, A randomized Halton algorithm in R, 2017. See `scipy.stats.qmc.Halton`; this one has no
    state, so that `random` gives the same points at each call, and `fast_forward` another sequence.
    Raises ValueError for a `d` that is not from 1 to 1000, and without a key that is needed.

    >>> Halton(2, scramble=False).random(3).eval().round(4)
    array([[0.    , 0.    ],
           [0.5   , 0.3333],
           [0.25  , 0.6667]])
    """

    def __init__(self, d: int, *, scramble: bool = True, rng: TensorLike | None = None) -> None:
        super().__init__(dimensions("Halton", d), _key("Halton", rng, scramble))

    def _points(self, places: TensorVariable) -> TensorVariable:
        keys: Any = None if self.rng is None else split(self.rng, self.d)
        columns = [
            _reversed(places, base, None if keys is None else keys[k])
            for k, base in enumerate(_primes(self.d))
        ]
        return stack(columns, -1)


def _primes(count: int) -> list[int]:
    found: list[int] = []
    number = 2
    while len(found) < count:
        if all(number % p for p in found):
            found.append(number)
        number += 1
    return found


def _reversed(places: TensorVariable, base: int, key: TensorLike | None) -> TensorVariable:
    """The digits behind the point, in the other order, permuted if there is a key."""
    count = ceil(_DIGITS / log2(base))
    powers = base ** np.arange(count)
    digits = places[:, None] // powers % base
    if key is not None:
        orders = argsort(uniform(key, size=(count, base)), -1)
        digits = matrix_transpose(take_along_axis(orders, matrix_transpose(digits), -1))
    return sum(digits / (base * powers.astype("float64")), -1)


class Sobol(_Sequence):
    """Sobol's points, of which each 2^m are spread evenly over cells of all shapes.

    With `scramble`, their digits are multiplied by random triangles and shifted by the key `rng`
    (J. Matousek, On the L2-discrepancy for anchored boxes, 1998). See `scipy.stats.qmc.Sobol`; this
    one has no state, so that `random` gives the same points at each call, and `fast_forward`
    another sequence. Raises ValueError for a `d` that is not from 1 to 64, and without a key that
    is needed.

    >>> Sobol(2, scramble=False).random(4).eval()
    array([[0.  , 0.  ],
           [0.5 , 0.5 ],
           [0.75, 0.25],
           [0.25, 0.75]])
    """

    def __init__(self, d: int, *, scramble: bool = True, rng: TensorLike | None = None) -> None:
        super().__init__(dimensions("Sobol", d, MOST_DIMENSIONS), _key("Sobol", rng, scramble))

    def random_base2(self, m: int) -> TensorVariable:
        """The first 2^m points."""
        return self.random(2**m)

    def _points(self, places: TensorVariable) -> TensorVariable:
        directions = constant(direction_numbers(self.d))
        shift: Any = constant(np.zeros(self.d, "int64"))
        if self.rng is not None:
            first, second = (split(self.rng)[k] for k in (0, 1))
            directions = _triangular(directions, first)
            shift = _words(second, (self.d,))
        code = (places ^ (places >> 1))[:, None]
        total: Any = shift
        for k in range(BITS):
            total = total ^ where(((code >> k) & 1) > 0, directions[:, k], 0)
        return total / 2.0**BITS


def _words(key: TensorLike, size: tuple[int, ...]) -> TensorVariable:
    return (bits(key, size) >> (64 - BITS)).astype("int64")


def _triangular(directions: TensorVariable, key: TensorLike) -> TensorVariable:
    """Each digit, and some of those before it, added: by rows of a random triangle."""
    d = directions.shape[0]
    own = 2 ** np.arange(BITS - 1, -1, -1)
    before = 2**BITS - 2 * own
    rows = (_words(key, (d, BITS)) & before) | own
    digits = bitwise_count(rows[:, :, None] & directions[:, None, :]).astype("int64") & 1
    return sum(digits * own[:, None], 1)


class LatinHypercube:
    """Points of which each has a slice of its own along every axis.

    With `scramble`, they are anywhere in their cells, else in the middle. `rng` is a key. See
    `scipy.stats.qmc.LatinHypercube`. Raises ValueError for a `d` that is not from 1 to 1000.

    >>> from weft_tensor import random, sort
    >>> points = LatinHypercube(2, scramble=False, rng=random.key(1)).random(4)
    >>> sort(points, 0).eval()[:, 1]
    array([0.125, 0.375, 0.625, 0.875])
    """

    def __init__(self, d: int, *, scramble: bool = True, rng: TensorLike) -> None:
        self.d, self.rng, self.scramble = dimensions("LatinHypercube", d), rng, scramble

    def random(self, n: SizeLike = 1) -> TensorVariable:
        """n points, one a row."""
        keys = split(self.rng)
        slices = matrix_transpose(argsort(uniform(keys[0], size=(self.d, n)), -1))
        inside = uniform(keys[1], size=(n, self.d)) if self.scramble else 0.5
        return (slices + inside) / as_size(n)
