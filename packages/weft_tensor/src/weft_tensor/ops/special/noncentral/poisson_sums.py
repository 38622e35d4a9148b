"""Noncentral distributions of few degrees of freedom: sums over a Poisson number, term by term.

A noncentral tail is the mean of central ones, of a + k, where k is a Poisson number of mean h. The
lower one of a + k less that of a + k + 1 is a term t(k), from which one multiplication leads to the
next (NIST Digital Library of Mathematical Functions, 8.8.5 and 8.17.20). So the lower tail is the
sum of t(k) times the probability of k or less; the upper one is that of a, and the sum of all terms
before k, times the probability of k. No part is negative. The parts are multiples of t(0) times the
probability of 0, whose logarithm is added at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log as log_of
from math import pi
from typing import Final, NamedTuple

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, log, log1mexp, log1p
from weft_tensor.ops.elementwise.op import Ternary, ternary
from weft_tensor.ops.elementwise.table import LOOP, POSITIVE, floating
from weft_tensor.ops.special.gamma import betaln
from weft_tensor.ops.special.normal import ndtr
from weft_tensor.ops.special.quadrature import added_up
from weft_tensor.ops.special.slope_rows import doubled, slopes_by_steps

__all__ = ["LARGE", "Ratio", "near_square", "one_tail", "or_near", "student_share"]

_T = TensorVariable
_SIZE: Final = 100.0
"""Sums of more degrees of freedom, noncentrality and places have many parts."""
_TINY: Final = 1e-280
"""Of smaller shares p, the first part is all there is."""
_SLOW: Final = 0.9
"""So do those of which no part is less than that of the part before."""
_MOST_AGAINST: Final = 1.7
"""For nc this far below 0, more than `LARGE` is below 0."""
LARGE: Final = 0.95
"""What a larger tail lacks of 1 has lost digits."""


def or_near(near: _T, sums: tuple[_T, _T], first: _T, far: tuple[_T, _T]) -> tuple[_T, _T]:
    """Whether a tail is the lower one, and its logarithm: where near, and it has digits, by sums.

    These say whether it is, and are multiples of what has `first` for its logarithm.
    """
    value = where(near, first + sums[1], 0.0)
    some = value < log_of(LARGE)
    return where(some, sums[0], far[0]), where(some, value, far[1])


def one_tail(is_lower: bool, of: tuple[_T, _T]) -> _T:
    """The logarithm of the lower or upper tail, from one of them, as above."""
    here = of[0] if is_lower else ~of[0]
    return where(here, of[1], log1mexp(where(here, -1.0, minimum(of[1], -1e-300))))


def near_square(x: _T, df: _T, nc: _T) -> tuple[_T, tuple[_T, _T]]:
    """Whether the lower tail of noncentral chi-square numbers has few parts, and their sum."""
    near = x + df + nc < _SIZE
    y, a, h = [where(near, 0.5 * v, 1.0) for v in (x, df, nc)]

    def advance(k: _T, t: _T, chance: _T, chances: _T) -> Sequence[_T]:
        after = chance * (h / (k + 1))
        return t * chances, t * (y / (a + k + 1)), after, chances + after

    least = y + h + 0 * a
    one = 0 * least + 1
    return near, (near, log(added_up(advance, (one, one, one), least)))


def _student_share(t: _T, df: _T, nc: _T) -> _T:
    """What noncentral Student's numbers have below t, or 1 where sums have many parts or cancel.

    Below 0 it is a normal share, between 0 and t half of two sums of lower tails of the beta
    distribution, of 1/2 + k and 1 + k (R. V. Lenth, Algorithm AS 243, Applied Statistics 38, 1989).
    """
    b, h = 0.5 * df, 0.5 * nc * nc
    near = (t > 0) & (t * t < 9 * df) & (b + h < _SIZE / 2) & (nc > -_MOST_AGAINST)
    t, b, h, nc = [where(near, v, 1.0) for v in (t, b, h, nc)]
    square = t / (2 * b) * t
    x = square / (1 + square)
    fall = -b * log1p(square)

    def advance(k: _T, t: _T, chance: _T, chances: _T, u: _T, half: _T, halves: _T) -> Sequence[_T]:
        next_chance, next_half = chance * (h / (k + 1)), half * (h / (k + 1.5))
        rise, half_rise = x * (b + k + 0.5) / (k + 1.5), x * (b + k + 1) / (k + 2)
        part = t * chances + u * halves
        return (
            part, t * rise, next_chance, chances + next_chance,
            u * half_rise, next_half, halves + next_half,
        )  # fmt: skip

    one = 0 * (t + b + nc) + 1
    first = sqrt(x) * exp(fall - betaln(0.5 * one, b))
    second = nc * (0.5 * pi) ** -0.5 * (0.5 * b * x * exp(fall))
    total = added_up(advance, (first, one, one, second, one, one), b + h)
    return where(near, ndtr(-nc) + exp(-h) * total, 1.0)


student_share: Ternary = ternary(
    "student_share", None, "What noncentral Student numbers have below t; 1 where it is far.",
    (POSITIVE, POSITIVE, POSITIVE), (1.5, 3.0, 1.0, 0.625756),
    lambda *inputs: slopes_by_steps(_student_share, *inputs),
    summation=doubled(_student_share), dtypes=floating, cost=LOOP,
)  # fmt: skip


class Ratio(NamedTuple):
    """Halves of the degrees of freedom and of the noncentrality, the share of x and the rest."""

    a: _T
    b: _T
    h: _T
    p: _T
    q: _T

    @property
    def from_below(self) -> _T:
        """Whether the lower tail is summed: of the smaller one parts may fall too slowly."""
        small = self.p * self.b < self.q * (self.a + self.h)
        return where(small, self.p < _SLOW, self.q > _SLOW)

    def growth(self, k: _T) -> _T:
        """t(k + 1) over t(k)."""
        return self.p * (self.a + self.b + k) / (self.a + k + 1)

    def where_near(self) -> tuple[_T, Ratio]:
        """Whether sums have few parts, and a `Ratio` of which they have everywhere."""
        near = (self.a + self.b + self.h < _SIZE) & (self.p > _TINY)
        return near, Ratio(*[where(near, v, 0.5) for v in self])

    def tail(self) -> tuple[_T, _T]:
        """Whether it is the lower one, and the logarithm of the sum."""
        below = self.from_below

        def advance(k: _T, t: _T, chance: _T, chances: _T, terms: _T, central: _T) -> Sequence[_T]:
            part = where(below, t * chances, central + terms * chance)
            after = chance * (self.h / (k + 1))
            rest = central * (self.q * (self.a + self.b + k) / (self.b + k + 1))
            return part, t * self.growth(k), after, chances + after, terms + t, rest

        size = self.a + self.b + self.h
        one = 0 * size + 1
        state = (one, one, one, 0 * size, self.a / self.b * exp(self.h))
        return below, log(added_up(advance, state, size))

    def density(self) -> _T:
        """The logarithm of the sum that is the density, times x."""

        def advance(k: _T, t: _T) -> Sequence[_T]:
            return t * (self.a + k), t * (self.h / (k + 1) * self.growth(k))

        size = self.a + self.b + self.h
        return log(added_up(advance, (0 * size + 1,), size))
