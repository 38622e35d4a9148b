"""Trigonometric and hyperbolic functions, elementwise."""

from __future__ import annotations

from math import pi

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import isinf, where
from weft_tensor.ops.elementwise.op import Unary, binary, unary
from weft_tensor.ops.elementwise.table import ANY, POSITIVE, UNIT

__all__ = [
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "cos",
    "cosh",
    "sin",
    "sinh",
    "tan",
    "tanh",
]


def _by_arctan2(y: TensorVariable, x: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """The derivatives, of arguments of one dtype: squares of small integers would overflow."""
    size = x * x + y * y
    far = isinf(size)
    return where(far, 0, x / size), where(far, 0, -y / size)


# fmt: off
sin = unary(
    "sin", "numpy.sin", "Sine of radians.", ANY, (pi / 2, 1.0), lambda x, r: (cos(x),),
    facts="keeps no_negative_zero finite; not_nan if finite",
)
cos: Unary = unary(
    "cos", "numpy.cos", "Cosine of radians.", ANY, (0.0, 1.0), lambda x, r: (-sin(x),),
    facts="no_negative_zero; not_nan if finite; keeps finite",
)
tan = unary(
    "tan", "numpy.tan", "Tangent of radians.", (-1.2, 1.2), (0.0, 0.0),
    lambda x, r: (1 + r * r,),
    facts="keeps no_negative_zero",
)
arcsin = unary(
    "arcsin", "numpy.arcsin", "Inverse sine, in radians.", UNIT, (1.0, pi / 2),
    lambda x, r: (1 / sqrt(1 - x * x),),
    facts="keeps nonnegative nonpositive",
)
arccos = unary(
    "arccos", "numpy.arccos", "Inverse cosine, in radians.", UNIT, (1.0, 0.0),
    lambda x, r: (-1 / sqrt(1 - x * x),),
    facts="nonnegative no_negative_zero",
)
arctan = unary(
    "arctan", "numpy.arctan", "Inverse tangent, in radians.", ANY, (1.0, pi / 4),
    lambda x, r: (1 / (1 + x * x),),
    facts="keeps nonnegative positive nonpositive negative no_negative_zero not_nan; "
    "finite if not_nan",
)
arctan2 = binary(
    "arctan2", "numpy.arctan2", "The angle of the point (y, x), in radians.",
    (POSITIVE, POSITIVE), (1.0, -1.0, 3 * pi / 4),
    lambda y, x, r: _by_arctan2(y.astype(r.dtype), x.astype(r.dtype)),
)
sinh = unary(
    "sinh", "numpy.sinh", "Hyperbolic sine.", ANY, (0.0, 0.0), lambda x, r: (cosh(x),),
    facts="keeps nonnegative positive nonpositive negative no_negative_zero not_nan",
)
cosh: Unary = unary(
    "cosh", "numpy.cosh", "Hyperbolic cosine.", ANY, (0.0, 1.0), lambda x, r: (sinh(x),),
    facts="nonnegative positive no_negative_zero; keeps not_nan",
)
tanh = unary(
    "tanh", "numpy.tanh", "Hyperbolic tangent.", ANY, (0.0, 0.0),
    lambda x, r: (1 - r * r,),
    facts="keeps nonnegative positive nonpositive negative no_negative_zero not_nan; "
    "finite if not_nan",
)
arcsinh = unary(
    "arcsinh", "numpy.arcsinh", "Inverse hyperbolic sine.", ANY, (0.0, 0.0),
    lambda x, r: (1 / sqrt(x * x + 1),),
    facts="keeps nonnegative positive nonpositive negative no_negative_zero not_nan finite",
)
arccosh = unary(
    "arccosh", "numpy.arccosh", "Inverse hyperbolic cosine.", (1.1, 4.0), (1.0, 0.0),
    lambda x, r: (1 / (sqrt(x - 1) * sqrt(x + 1)),),
    facts="nonnegative no_negative_zero",
)
arctanh = unary(
    "arctanh", "numpy.arctanh", "Inverse hyperbolic tangent.", UNIT, (0.0, 0.0),
    lambda x, r: (1 / (1 - x * x),),
    facts="keeps nonnegative nonpositive",
)
