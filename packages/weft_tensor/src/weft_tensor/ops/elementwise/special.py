"""Special functions, elementwise."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial, pi, prod
from math import log as number_log
from typing import Any, Final

import numpy as np

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, rint
from weft_tensor.ops.elementwise.comparison import gt, where
from weft_tensor.ops.elementwise.erfcx import erfcx_above, erfcx_by_quotients
from weft_tensor.ops.elementwise.erfinv import erfinv_by_quotients, erfinv_near
from weft_tensor.ops.elementwise.exponential import exp, log, log1p
from weft_tensor.ops.elementwise.op import unary
from weft_tensor.ops.elementwise.rational import polynomial
from weft_tensor.ops.elementwise.table import ANY, UNIT, Usual, floating

__all__ = [
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "log_ndtr",
    "logerfc",
    "reciprocal_erfcx",
]

_SLOPE = 2 / pi**0.5
"""That of erf at 0."""
_LAST = 40.0
"""Beyond it nothing is left of the normal density."""
_NEAR = 0.5
_SERIES = tuple((-1) ** n / (factorial(n) * (2 * n + 1)) * (2 * pi) ** -0.5 for n in range(10))
"""Of ndtr(x) - 1/2 over x, in powers of x²/2."""
_FAR: Final = 9.0
_ERFCX: Final = tuple([(-1) ** k * prod(range(1, 2 * k, 2)) for k in range(16)])
_RECIPROCAL: Final = (
    *(1, -1, 6, -50, 518, -6354, 89782, -1435330, 25625910, -505785122, 10944711398),
    *(-257834384850, 6572585595622, -180334118225650, 5300553714899094, -166206234856979810),
)
"""Asymptotic series of x sqrt(pi) erfcx(x), and of the slope of 1 / erfcx(x) over sqrt(pi)."""


def _far_out(x: TensorVariable, terms: Sequence[float]) -> TensorVariable:
    """A power series in 1 / (2 x²), its first term left out: asymptotic, for x above `_FAR`."""
    s = 0.5 / maximum(x, _FAR) ** 2
    total: Any = 0.0
    for term in terms[:0:-1]:
        total = s * (term + total)
    return total


def _erfcx_slope(x: TensorVariable, r: TensorVariable) -> TensorVariable:
    """2 x r - 2/sqrt(pi), of which far out nothing is left."""
    far = gt(x, _FAR)
    return where(far, _SLOPE * _far_out(x, _ERFCX), 2 * where(far, 0, x) * r - _SLOPE)


def _reciprocal_erfcx_slope(x: TensorVariable, r: TensorVariable) -> TensorVariable:
    """-r (2 x - 2/sqrt(pi) r), which is sqrt(pi) far out."""
    far = gt(x, _FAR)
    near = r * (_SLOPE * r - 2 * where(far, 0, x))
    return where(far, pi**0.5 * (1 + _far_out(x, _RECIPROCAL)), near)


def _log_ndtr_by_erfcx(x: TensorVariable) -> TensorVariable:
    """`log_ndtr` as an expression: by one logarithm, of what is missing at 1 on both sides.

    Near 0 that is a power series. Above, the rounding of x²/2 counts, as many times as x²/2: the
    rest is by h, which is x to six binary places, so that its square is exact.
    """
    scaled, square = 0.5 * erfcx_above(x * 0.5**0.5), (0.5 * x) * x
    below = maximum(scaled - 1, -1 + float(np.finfo(x.dtype).epsneg))  # x² outweighs what it cuts
    size = minimum(maximum(x, 0), _LAST)
    h = rint(size * 64) / 64
    rest = (0.5 * (h * h) - 0.5 * (size * size)) + 0.5 * ((size - h) * (size + h))
    above = -scaled * (exp(-square) * (1 - rest))
    middle = abs(x) < _NEAR
    centre = x * polynomial(_SERIES, minimum(square, 1)) - 0.5
    missing = where(middle, centre, where(x > 0, above, below))
    return log1p(missing) - where(middle | (x > 0), 0, square)


# fmt: off
erf = unary(
    "erf", "scipy.special.erf", "Error function.", ANY, (0.0, 0.0),
    lambda x, r: (exp(-x * x) * _SLOPE,), dtypes=floating, of_complex="complex_erf",
    facts="keeps nonnegative nonpositive no_negative_zero not_nan; finite if not_nan",
)
erfc = unary(
    "erfc", "scipy.special.erfc", "Complementary error function, 1 - erf(x).",
    ANY, (0.0, 1.0), lambda x, r: (exp(-x * x) * -_SLOPE,), dtypes=floating,
    of_complex="complex_erfc",
    facts="nonnegative no_negative_zero; keeps not_nan; finite if not_nan",
)
erfcx = unary(
    "erfcx", "scipy.special.erfcx", "exp(x²) erfc(x), which does not underflow.",
    ANY, (0.0, 1.0), lambda x, r: (_erfcx_slope(x, r),), erfcx_by_quotients, dtypes=floating,
    of_complex="complex_erfcx",
    facts="nonnegative; keeps not_nan",
)
reciprocal_erfcx = unary(
    "reciprocal_erfcx", None,
    "1 / erfcx(x), whose derivatives do not underflow before it does: a ratio of densities.",
    ANY, (0.0, 1.0), lambda x, r: (_reciprocal_erfcx_slope(x, r),),
    lambda x: 1 / erfcx(x), dtypes=floating,
    facts="nonnegative; keeps not_nan",
)
logerfc = unary(
    "logerfc", None, "log(erfc(x)), also where erfc(x) underflows.",
    ANY, (30.0, -903.974117), lambda x, r: (-_SLOPE * reciprocal_erfcx(x),),
    lambda x: where(x > 1, log(erfcx_above(x)) - x * x, log1p(-erf(x))), dtypes=floating,
    facts="keeps not_nan",
)
log_ndtr = unary(
    "log_ndtr", None,
    "Logarithm of the normal distribution function, log(erfc(-x / sqrt(2)) / 2).",
    ANY, (0.0, -number_log(2)),
    lambda x, r: (_SLOPE * 0.5**0.5 * reciprocal_erfcx(x * -(0.5**0.5)),),
    _log_ndtr_by_erfcx, dtypes=floating,
    facts="nonpositive; keeps not_nan", of_complex="complex_log_ndtr",
)
erfinv = unary(
    "erfinv", None, "Inverse of the error function, on (-1, 1).",
    UNIT, (0.0, 0.0), lambda x, r: (exp(r * r) * (pi**0.5 / 2),), erfinv_by_quotients,
    dtypes=floating, usual=(Usual(-0.9995, 0.9995, erfinv_near),),
)
