"""Exponentials, logarithms and their kin, elementwise."""

from __future__ import annotations

from math import e
from math import log as number_log
from math import log1p as number_log1p

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.elementwise.comparison import eq, isinf, lt, where
from weft_tensor.ops.elementwise.op import Unary, binary, unary
from weft_tensor.ops.elementwise.table import ANY, POSITIVE, floating

__all__ = [
    "exp",
    "exp2",
    "expm1",
    "log",
    "log1mexp",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "sigmoid",
    "softplus",
]


def _shares(
    x: TensorVariable, y: TensorVariable, r: TensorVariable, scale: float = 1.0
) -> tuple[TensorVariable, TensorVariable]:
    """What exp(x) and exp(y) are of their sum r; half each where both are one infinity.

    In the dtype of r: differences of small integers would overflow.
    """
    x, y = x.astype(r.dtype), y.astype(r.dtype)
    apart = where(eq(x, y) & isinf(x), 0, x - y)
    apart = apart if scale == 1 else apart * scale
    return sigmoid(apart), sigmoid(-apart)


# fmt: off
LN2, LN10 = number_log(2), number_log(10)

exp = unary(
    "exp", "numpy.exp", "e to the power x.", ANY, (1.0, e), lambda x, r: (r,),
    facts="nonnegative no_negative_zero; keeps not_nan; finite if nonpositive not_nan",
)
exp2 = unary(
    "exp2", "numpy.exp2", "2 to the power x.", ANY, (3.0, 8.0), lambda x, r: (r * LN2,),
    facts="nonnegative no_negative_zero; keeps not_nan; finite if nonpositive not_nan",
)
expm1 = unary(
    "expm1", "numpy.expm1", "exp(x) - 1, accurate near 0.", ANY, (0.0, 0.0),
    lambda x, r: (exp(x),),
    facts="keeps nonnegative positive nonpositive negative no_negative_zero not_nan; "
    "finite if nonpositive not_nan",
)
log = unary(
    "log", "numpy.log", "Natural logarithm.", POSITIVE, (e, 1.0), lambda x, r: (1 / x,),
    facts="no_negative_zero; not_nan if nonnegative not_nan; finite if positive finite",
)
log2 = unary(
    "log2", "numpy.log2", "Logarithm to base 2.", POSITIVE, (8.0, 3.0),
    lambda x, r: (1 / (x * LN2),),
    facts="no_negative_zero; not_nan if nonnegative not_nan; finite if positive finite",
)
log10 = unary(
    "log10", "numpy.log10", "Logarithm to base 10.", POSITIVE, (1000.0, 3.0),
    lambda x, r: (1 / (x * LN10),),
    facts="no_negative_zero; not_nan if nonnegative not_nan; finite if positive finite",
)
log1p = unary(
    "log1p", "numpy.log1p", "log(1 + x), accurate near 0.", (-0.5, 3.0), (0.0, 0.0),
    lambda x, r: (1 / (1 + x),),
    facts="keeps nonnegative positive nonpositive negative no_negative_zero; "
    "not_nan if nonnegative not_nan; finite if nonnegative finite",
)
logaddexp = binary(
    "logaddexp", "numpy.logaddexp", "log(exp(x) + exp(y)), without overflow.",
    (ANY, ANY), (0.0, 0.0, LN2),
    _shares, commutative=True,
    facts="keeps not_nan",
)
logaddexp2 = binary(
    "logaddexp2", "numpy.logaddexp2", "log2(2**x + 2**y), without overflow.",
    (ANY, ANY), (0.0, 0.0, 1.0),
    lambda x, y, r: _shares(x, y, r, LN2), commutative=True,
)
softplus = unary(
    "softplus", None, "log(1 + exp(x)), without overflow.", ANY, (0.0, LN2),
    lambda x, r: (sigmoid(x),), lambda x: maximum(x, 0) + log1p(exp(-abs(x))), dtypes=floating,
    facts="nonnegative no_negative_zero; keeps not_nan finite",
)
log1mexp = unary(
    "log1mexp", None, "log(1 - exp(x)) for negative x, accurate everywhere.",
    (-3.0, -0.1), (-1.0, number_log1p(-1 / e)),
    lambda x, r: (where(lt(x, 0), exp(x) / expm1(x), r),),  # at 0 both are -inf
    lambda x: where(x > -LN2, log(-expm1(x)), log1p(-exp(x))),  # as Mächler (2012) has it
    dtypes=floating,
)
sigmoid: Unary = unary(
    "sigmoid", "scipy.special.expit", "The logistic function 1 / (1 + exp(-x)).",
    ANY, (0.0, 0.5), lambda x, r: (r * (1 - r),),
    lambda x: where(x >= 0, 1, exp(-abs(x))) / (1 + exp(-abs(x))), dtypes=floating,
    facts="nonnegative no_negative_zero; keeps not_nan; finite if not_nan",
)
