"""Spence's function, the dilogarithm, and Lambert's function.

Spence's is a power series of the logarithm with Bernoulli's numbers from 1/2 to 2, where others are
led (NIST Digital Library of Mathematical Functions, 25.12.4 and 25.12.6). Lambert's function
of real numbers is next to its branch point, -1/e, a power series of sqrt(2 (e x + 1)), and from
there on a fixed number of Halley's or Fritsch's steps (R. M. Corless, G. H. Gonnet, D. E. G. Hare,
D. J. Jeffrey, D. E. Knuth: On the Lambert W function, Adv. Comput. Math. 5, 1996).
"""

from __future__ import annotations

from math import e, factorial, inf, nan, pi
from typing import Any, Final

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp, log, log1p
from weft_tensor.ops.elementwise.op import Unary, unary
from weft_tensor.ops.elementwise.rational import polynomial
from weft_tensor.ops.elementwise.table import POSITIVE, floating
from weft_tensor.ops.special.composed.formula import formula
from weft_tensor.ops.special.entropies import exprel
from weft_tensor.ops.special.integrals.lambert import (
    AT_BRANCH,
    BRANCH,
    MISSING,
    NEAR,
    complex_lambertw,
)
from weft_tensor.ops.special.of_complex import complex_wrightomega

__all__ = ["lambertw", "spence", "wrightomega"]

_BERNOULLI: Final = (
    *(1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798),
)
_DEBYE: Final = tuple([b / factorial(2 * k + 1) for k, b in enumerate(_BERNOULLI, 1)])


def _spence_by_logarithms(z: TensorVariable) -> TensorVariable:
    """`spence` as an expression; infinity is NaN, as SciPy's."""
    beyond = z > 2
    inner = where(beyond, 1 / where(beyond, z, 1), z)
    low = inner < 0.5
    size = log(where(z > 0, z, 1))
    rest = log1p(-where(low, inner, 0))
    u = where(low, -rest, where(beyond, size, -size))
    value = u - 0.25 * u * u + u * u * u * polynomial(_DEBYE, u * u)
    product = where(eq(z, 0), 0, where(beyond, -size, size) * rest)
    value = where(low, pi**2 / 6 - product - value, value)
    return where((z >= 0) & (z < inf), where(beyond, -value - 0.5 * size * size, value), nan)


def _root(x: TensorVariable) -> TensorVariable:
    """sqrt(2 (e x + 1)); at -1/e itself, which is rounded, 0."""
    rest = where(x < inf, MISSING, 0)  # else both constants would be added up
    apart = maximum((x + BRANCH) + rest, 0)
    return where(x >= -1 / e, sqrt(2 * e * apart), nan)


def _w_above(x: TensorVariable) -> TensorVariable:
    """The branch from -1 up, by Halley's steps for w - x exp(-w)."""
    p = _root(x)
    size = log1p(x)
    w = size * (1 - log1p(size) / (2 + size))
    for _ in range(4):
        rest = w - x * exp(-w)
        w = w - rest / (w + 1 - (w + 2) * rest / (2 * w + 2))
    return where(p < NEAR, polynomial(AT_BRANCH, p), where(p < inf, w, p))


def _w_below(x: TensorVariable) -> TensorVariable:
    """The branch from -1 down, by Fritsch's steps for log(x / w) - w."""
    p = _root(x)
    size = log(-x)
    second = log(-size)
    near = polynomial(AT_BRANCH[:6], -p)
    w = where(x < -0.2, near, size - second + second / size)
    for _ in range(3):
        rest = size - log(-w) - w
        q = 2 * (1 + w) * (1 + w + 2 / 3 * rest)
        w = w * (1 + rest / (1 + w) * (q - rest) / (q - 2 * rest))
    branch = where(p < NEAR, polynomial(AT_BRANCH, -p), where(p < inf, w, nan))
    return where(x < 0, branch, where(eq(x, 0), -inf, nan))


def _w_slope(x: TensorVariable, r: TensorVariable) -> tuple[Any]:
    return (exp(-r) / (1 + r),)


# fmt: off
spence = unary(
    "spence", None, "Spence's function, of log(t) / (1 - t) from 1 to z.",
    POSITIVE, (2.0, -0.822467033), lambda z, r: (-1 / exprel(log(z)),), _spence_by_logarithms,
    dtypes=floating, of_complex="complex_spence",
)
lambertw_above = unary(
    "lambertw_above", None, "Lambert's function, at least -1: its product with its exp is x.",
    POSITIVE, (1.0, 0.567143290), _w_slope, _w_above, dtypes=floating,
)
lambertw_below = unary(
    "lambertw_below", None, "Lambert's function, at most -1: its product with its exp is x.",
    (-0.35, -0.05), (-0.2, -2.542641358), _w_slope, _w_below, dtypes=floating,
)
# fmt: on
_BRANCHES: Final[dict[int, Unary]] = {0: lambertw_above, -1: lambertw_below}


def lambertw(z: TensorLike, k: TensorLike = 0, tol: float = 1e-8) -> TensorVariable:
    """Lambert's function: w, whose product with exp(w) is z, on the branch k, a whole number.

    Of real numbers it is real on the branches 0 and -1, and NaN where `scipy.special.lambertw` is
    complex: the branch k = 0 is at least -1, for z from -1/e on; k = -1 is at most -1, for z from
    -1/e to 0. Of complex numbers, and on the other branches, it is complex; then k may be an array.
    `tol` makes no difference. Raises TypeError for a k that is no whole number, and for arrays of
    these beside real numbers.

    >>> lambertw([1.0, -0.2]).eval().round(6)
    array([ 0.567143, -0.259171])
    >>> lambertw(-0.2, k=-1).eval().round(6).item()
    -2.542641
    >>> lambertw(-1.0 + 0j).eval().round(6).item()
    (-0.318132+1.337236j)
    """
    number = as_tensor(z)
    one = int(k) if isinstance(k, int | np.integer) else None
    if not number.is_complex and one in _BRANCHES:
        return _BRANCHES[one](number)
    branch = as_tensor(k)
    if not (one is not None or number.is_complex) or branch.dtype[0] not in "iu":
        raise TypeError(
            "lambertw: the branch k is one Python int where z is real, else whole numbers, "
            f"got {k!r}{called()}"
        )
    return complex_lambertw(branch, number)


def _omega(x: TensorVariable) -> TensorVariable:
    """By Lambert's function, or by Newton's steps for w + log(w), where exp(x) is large."""
    if x.is_complex:
        return complex_wrightomega(x)
    large = x > 30
    at = where(large & (x < inf), x, 31)
    w = at - log(at)
    for _ in range(3):
        w = w / (1 + w) * (1 + at - log(w))
    far = where(x < inf, w, x)
    return where(large, far, lambertw_above(exp(where(large, 0, x))))


wrightomega = formula(
    "wrightomega", "Wright's function: its sum with its log is z.",
    (2.0, 1.557146), _omega,
)  # fmt: skip
