"""The Bessel functions J and Y of moderate orders and arguments by recurrences and a fraction.

For the order u from -1/2 to 1/2 that is a whole number n below the wanted one, (J + iY)' / (J + iY)
is a continued fraction (A. R. Barnett, D. H. Feng, J. W. Steed, L. J. B. Goldfarb, Comput. Phys.
Commun. 8, 1974; NIST Digital Library of Mathematical Functions, 10.74.v). J is, but for a factor,
the recurrence (10.6.1) from far above down; what the fraction says of J' and Y, and their Wronskian
(10.5.2), give the factor, and Y, for which the recurrence goes up.
"""

from __future__ import annotations

from math import pi
from typing import Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import ceil, floor, maximum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where

__all__ = ["STEED_LIMIT", "by_recurrences"]

_T = TensorVariable
STEED_LIMIT: Final = 60.0
"""Up to here, the steps are few."""
_ABOVE: Final = 34
"""So far above order and argument J is small enough to start from 0."""
_TINY: Final = 1e-250


def by_recurrences(v: _T, x: _T) -> tuple[_T, _T]:
    """J and Y of orders from 0 to `STEED_LIMIT`, and x from 2 to that."""
    n = floor(v + 0.5)
    u = v - n

    def down(state: tuple[_T, ...]) -> tuple[_T, ...]:
        k, now, above, wanted = state
        more = k > 0
        below = 2 * (u + k) / x * now - above
        wanted = where(eq(k, n), now, wanted)
        return k - 1, where(more, below, now), where(more, now, above), wanted

    start = maximum(n, ceil(x)) + _ABOVE
    first = (start, 0 * x + _TINY, 0 * x, 0 * x)
    _, f, above, wanted = while_loop(lambda state: (state[0] >= 0).any(), down, first)
    size = abs(f) + abs(above)  # whose square may be too small for a number
    f, above, wanted = f / size, above / size, wanted / size
    p, q = _fraction(u, x)
    apart = p * f - (u / x * f - above)
    factor = sqrt(2 / (pi * x) * q / (q * q * f * f + apart * apart))
    y = factor * apart / q
    after = u / x * y - (q * factor * f + p * y)

    def up(state: tuple[_T, ...]) -> tuple[_T, ...]:
        k, now, after = state
        more = k < n
        beyond = 2 * (u + k + 1) / x * after - now
        return k + 1, where(more, after, now), where(more, beyond, after)

    y = while_loop(lambda state: (state[0] < n).any(), up, (0 * y, y, after))[1]
    return factor * wanted, y


def _fraction(u: _T, x: _T) -> tuple[_T, _T]:
    """The real and imaginary part of (J + iY)' / (J + iY)."""

    def step(state: tuple[_T, ...]) -> tuple[_T, ...]:
        n, real, imaginary = state
        more = n > 0
        share = ((n + 0.5) * (n + 0.5) - u * u) / (real * real + imaginary * imaginary)
        before = 2 * x + share * real, 2 * n - share * imaginary
        return n - 1, where(more, before[0], real), where(more, before[1], imaginary)

    last = ceil(12 + 100 / x)
    _, real, imaginary = while_loop(
        lambda state: (state[0] > 0).any(), step, (last, 2 * x + 0 * u, 2 * (last + 1))
    )
    share = (0.25 - u * u) / (x * (real * real + imaginary * imaginary))
    return share * imaginary - 0.5 / x, 1 + share * real
