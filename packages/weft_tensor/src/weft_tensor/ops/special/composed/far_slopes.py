"""Slopes of orthogonal polynomials by the degree, where x is large.

Of the two powers of x there, one is all, but near a degree in the middle: the series of the
hypergeometric function would take the more steps, the larger x is (DLMF 14.8.12, 18.5.1-2).
"""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any, Final, NamedTuple

from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.elementwise.trigonometric import tanh
from weft_tensor.ops.special.gamma import digamma

__all__ = ["FAR_CHEBYT", "FAR_CHEBYU", "FAR_LEGENDRE", "Far"]

_FAR: Final = 1e17


class Far(NamedTuple):
    """How the logarithm of a polynomial rises with the degree."""

    middle: float
    """The degree near which both powers count; NaN if the slope is right there, too."""
    slope: Callable[[Any, Any], Any]
    """That of the logarithm, from the degree and the logarithm of 2x."""

    def holds(self, n: Any, x: Any) -> Any:
        """Whether x is large, and the degree not in the middle.

        >>> from weft_tensor import as_tensor
        >>> FAR_LEGENDRE.holds(as_tensor([-0.4, 0.0, -1.0]), 1e20).eval()
        array([False,  True,  True])
        """
        return (x > _FAR) & ~(abs(n - self.middle) < 0.5)

    def of_logarithm(self, n: Any, x: Any) -> Any:
        """The slope where it holds.

        >>> print(FAR_CHEBYT.of_logarithm(2.0, 1e20).eval().round(9))
        46.74484904
        """
        return self.slope(n, log(2.0) + log(maximum(x, 1.0)))


def _of_legendre(n: Any, log_2x: Any) -> Any:
    m = abs(n + 0.5)
    return where(n > -0.5, 1, -1) * (digamma(m) - digamma(m + 0.5) + log_2x)


FAR_LEGENDRE: Final = Far(-0.5, _of_legendre)
FAR_CHEBYT: Final = Far(nan, lambda n, log_2x: log_2x * tanh(n * log_2x))
FAR_CHEBYU: Final = Far(-1.0, lambda n, log_2x: log_2x / tanh((n + 1) * log_2x))
