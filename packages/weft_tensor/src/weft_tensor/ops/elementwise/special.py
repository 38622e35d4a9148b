"""Special functions, elementwise."""

from __future__ import annotations

from math import factorial, pi
from math import log as number_log

import numpy as np

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, rint
from weft_tensor.ops.elementwise.comparison import gt, where
from weft_tensor.ops.elementwise.erfcx import erfcx_above, erfcx_by_quotients
from weft_tensor.ops.elementwise.erfinv import erfinv_by_quotients
from weft_tensor.ops.elementwise.exponential import exp, log, log1p
from weft_tensor.ops.elementwise.op import unary
from weft_tensor.ops.elementwise.rational import polynomial
from weft_tensor.ops.elementwise.table import ANY, UNIT, floating

__all__ = [
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "log_ndtr",
    "logerfc",
]

_SLOPE = 2 / pi**0.5
"""That of erf at 0."""
_FAR = 50.0
_LAST = 40.0
"""Beyond it nothing is left of the normal density."""
_NEAR = 0.5
_SERIES = tuple((-1) ** n / (factorial(n) * (2 * n + 1)) * (2 * pi) ** -0.5 for n in range(10))
"""Of ndtr(x) - 1/2 over x, in powers of x²/2."""


def _erfcx_slope(x: TensorVariable, r: TensorVariable) -> TensorVariable:
    """2 x r - 2/sqrt(pi), of which far out nothing is left: there, its asymptotic series."""
    far = gt(x, _FAR)
    s = 0.5 / where(far, x, _FAR) ** 2
    series = s * (-1 + s * (3 + s * (-15 + s * (105 + s * -945))))
    return where(far, _SLOPE * series, 2 * where(far, 0, x) * r - _SLOPE)


def _log_ndtr_by_erfcx(x: TensorVariable) -> TensorVariable:
    """`log_ndtr` as an expression: by one logarithm, of what is missing at 1 on both sides.

    Near 0 that is a power series. Above, the rounding of x²/2 counts, as many times as x²/2: the
    rest is by h, which is x to six binary places, so that its square is exact.
    """
    scaled, square = 0.5 * erfcx_above(x * 0.5**0.5), 0.5 * (x * x)
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
logerfc = unary(
    "logerfc", None, "log(erfc(x)), also where erfc(x) underflows.",
    ANY, (30.0, -903.974117), lambda x, r: (-_SLOPE / erfcx(x),),
    lambda x: where(x > 1, log(erfcx_above(x)) - x * x, log1p(-erf(x))), dtypes=floating,
    facts="keeps not_nan",
)
log_ndtr = unary(
    "log_ndtr", None,
    "Logarithm of the normal distribution function, log(erfc(-x / sqrt(2)) / 2).",
    ANY, (0.0, -number_log(2)), lambda x, r: (_SLOPE * 0.5**0.5 / erfcx(x * -(0.5**0.5)),),
    _log_ndtr_by_erfcx, dtypes=floating,
    facts="nonpositive; keeps not_nan", of_complex="complex_log_ndtr",
)
erfinv = unary(
    "erfinv", None, "Inverse of the error function, on (-1, 1).",
    UNIT, (0.0, 0.0), lambda x, r: (exp(r * r) * (pi**0.5 / 2),), erfinv_by_quotients,
    dtypes=floating,
)
