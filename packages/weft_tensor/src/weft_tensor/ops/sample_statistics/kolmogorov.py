"""How far a distribution function of observations is from the true one by chance."""

from __future__ import annotations

from math import pi
from typing import Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.ifelse import ifelse
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.creation.creation import arange, zeros_like
from weft_tensor.ops.distributions.rows.distance_rows import ksone
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.special.gamma import gammaln
from weft_tensor.ops.statistics.differences import diff

__all__ = ["two_sided_sf"]

_FEW: Final = 140
"""Up to how many observations the probability is exact."""


def two_sided_sf(distance: TensorVariable, n: TensorVariable) -> TensorVariable:
    """The probability that shares of n observations are once as far from the true ones.

    `distance` is a float64 tensor and n an integer; the result is of its shape. It is exact for few
    observations, near and far; else by four terms of a series, to 3e-6. Of far distances
    it is twice that of one side: R. Simard and P. L'Ecuyer, Computing the two-sided
    Kolmogorov-Smirnov distribution, 2011.
    """
    square = distance**2 * n
    far = square > where(n <= _FEW, 4.0, 2.2)
    tail = 2 * ksone.sf(where(far, distance, 1.0), n.astype("float64"), check=False)
    near = where(far, 0.0, distance)
    return where(far, tail, clip(1 - ifelse(n <= _FEW, _inside(near, n), _limit(near, n)), 0, 1))


def _inside(distance: TensorVariable, n: TensorVariable) -> TensorVariable:
    """The probability that n numbers are everywhere nearer, by those of each count so far.

    Numbers come as a Poisson process of the rate n. A count k is too small after k / n + distance,
    and too large until k / n - distance: E. Khmaladze and E. Shinjikashvili, Calculation of
    noncrossing probabilities for Poisson processes and its corollaries, 2001.
    """
    k, counts, apart = arange(n), arange(n + 1), distance.expand_dims(-1)
    times = clip(concatenate([k / n + apart, (k + 1) / n - apart], -1), 0, 1)
    order = argsort(times, -1)
    times = take_along_axis(times, order, -1)
    least, most = (
        index(concatenate(parts, 0), order) for parts in ([k + 1, 0 * k], [0 * k + n, k])
    )
    ends = zeros_like(apart), 1 + zeros_like(apart)
    rates = maximum(n * diff(concatenate([ends[0], times, ends[1]], -1), axis=-1), 1e-300)
    later = counts.expand_dims(-1) - counts

    def after(shares: TensorVariable, at: TensorVariable) -> TensorVariable:
        rate = index(rates, (..., at)).expand_dims(-1)
        come = exp(counts * log(rate) - rate - gammaln(counts + 1.0))
        moved = where(later >= 0, index(come, (..., maximum(later, 0))), 0.0)
        return matmul(moved, shares.expand_dims(-1)).squeeze(-1)

    def step(at: TensorVariable, shares: TensorVariable) -> TensorVariable:
        low, high = (index(v, (..., at)).expand_dims(-1) for v in (least, most))
        return where((counts >= low) & (counts <= high), after(shares, at), 0.0)

    first = broadcast_to(where(counts.eq(0), 1.0, 0.0), (*lengths_of(distance), n + 1))
    shares: TensorVariable = fori_loop(0, 2 * n, step, first)
    size = n.astype("float64")
    every = exp(size * log(size) - size - gammaln(size + 1))
    return index(after(shares, 2 * n), (..., n)) / every


def _limit(distance: TensorVariable, n: TensorVariable) -> TensorVariable:
    """The same for many: W. Pelz and I. J. Good, Approximating the lower tail-areas, 1976."""
    root = sqrt(n.astype("float64"))
    z = maximum(distance * root, 0.04)
    s = z**2
    total = 0 * z
    for k in range(4):
        odd, even = pi**2 * (k + 0.5) ** 2, pi**2 * k**2
        second = 6 * s**3 + 2 * s**2 + odd * (2 * s**2 - 5 * s) + odd**2 * (1 - 2 * s)
        third = odd**3 * (5 - 30 * s) + odd**2 * (212 * s**2 - 60 * s)
        third = third + odd * (135 * s**2 - 96 * s**3) - 30 * s**3 - 90 * s**4
        terms = 1 / z + (odd - s) / (6 * z**4 * root) + second / (72 * z**7 * n)
        terms = (terms + third / (6480 * z**10 * root**3)) * exp(-odd / (2 * s))
        between = (3 * even * s - even**2) / (216 * z**6 * root**3) - even / (36 * z**3 * n)
        total = total + terms + between * exp(-even / (2 * s))
    return minimum((2 * pi) ** 0.5 * total, 1.0)
