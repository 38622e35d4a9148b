"""Arithmetic and rounding, elementwise."""

from __future__ import annotations

from math import pi

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.comparison import eq, gt, isinf, where
from weft_tensor.ops.elementwise.op import Unary, binary, unary
from weft_tensor.ops.elementwise.table import ANY, BETWEEN, INTEGER, NEAR_ONE, POSITIVE

__all__ = [
    "abs",
    "add",
    "cbrt",
    "ceil",
    "copysign",
    "deg2rad",
    "floor",
    "floor_div",
    "fmod",
    "gcd",
    "hypot",
    "maximum",
    "minimum",
    "mod",
    "mul",
    "neg",
    "nextafter",
    "rad2deg",
    "reciprocal",
    "rint",
    "sign",
    "sqrt",
    "square",
    "sub",
    "true_div",
    "trunc",
]

# fmt: off

def _where_chosen(
    choice: TensorVariable, x: TensorVariable, y: TensorVariable, g: TensorVariable
) -> TensorVariable:
    """The cotangent where x was chosen; half of it where x and y tie."""
    return where(choice, g, where(eq(x, y), 0.5 * g, 0))


def _tangent_chosen(
    choice: TensorVariable,
    x: TensorVariable,
    y: TensorVariable,
    tx: TensorVariable,
    ty: TensorVariable,
) -> TensorVariable:
    """The tangent of x where it was chosen, else that of y; their mean where they tie."""
    return where(choice, tx, where(eq(x, y), 0.5 * (tx + ty), ty))


def _part(x: TensorVariable, r: TensorVariable) -> TensorVariable:
    """x / r for |x| up to r, 1 or -1 where x is infinite."""
    x = x.astype(r.dtype)
    return where(isinf(x), sign(x), x / r)


add = binary(
    "add", "numpy.add", "Sum.", (ANY, ANY), (2.0, 3.0, 5.0),
    lambda x, y, r: (1, 1), commutative=True, cost=1,
    facts="keeps nonpositive integer; "
    "positive if positive, nonnegative or nonnegative, positive; "
    "negative if negative, nonpositive or nonpositive, negative; "
    "no_negative_zero if no_negative_zero or _, no_negative_zero; "
    "not_nan if not_nan, finite or finite, not_nan or "
    "not_nan nonnegative, not_nan nonnegative or "
    "not_nan nonpositive, not_nan nonpositive",
)
sub = binary(
    "sub", "numpy.subtract", "Difference.", (ANY, ANY), (2.0, 3.0, -1.0),
    lambda x, y, r: (1, -1), cost=1,
    facts="nonnegative if nonnegative, nonpositive; "
    "positive if positive, nonpositive or nonnegative, negative; "
    "nonpositive if nonpositive, nonnegative; "
    "negative if negative, nonnegative or nonpositive, positive; "
    "no_negative_zero if no_negative_zero; not_nan if not_nan, finite or "
    "finite, not_nan or not_nan nonnegative, not_nan nonpositive or "
    "not_nan nonpositive, not_nan nonnegative; keeps integer",
)
mul = binary(
    "mul", "numpy.multiply", "Product.", (ANY, ANY), (2.0, 3.0, 6.0),
    lambda x, y, r: (y, x), commutative=True, cost=1,
    facts="nonpositive if nonnegative, nonpositive or nonpositive, nonnegative; "
    "no_negative_zero if nonnegative no_negative_zero, nonnegative no_negative_zero or "
    "negative, negative; not_nan if finite, finite or not_nan nonzero, not_nan nonzero; "
    "keeps integer",
)
true_div = binary(
    "true_div", "numpy.true_divide", "Quotient, floating also for integers.",
    (ANY, POSITIVE), (3, 2, 1.5), lambda x, y, r: (1 / y, -r / y), cost=4,
    facts="nonnegative if nonnegative, nonnegative no_negative_zero or nonpositive, negative; "
    "nonpositive if nonpositive, nonnegative no_negative_zero or nonnegative, negative; "
    "no_negative_zero if nonnegative no_negative_zero, nonnegative no_negative_zero or "
    "negative, negative; not_nan if finite, not_nan nonzero or not_nan, finite nonzero",
)
floor_div = binary(
    "floor_div", "numpy.floor_divide", "Quotient, rounded down.",
    (BETWEEN, NEAR_ONE), (7.0, 2.0, 3.0), 0,
    facts="signed nonnegative if nonnegative, positive; integer",
)
mod = binary(
    "mod", "numpy.remainder", "Remainder, with the sign of the divisor.",
    (BETWEEN, NEAR_ONE), (-7.0, 3.0, 2.0),
    lambda x, y, r: (1, -floor(x / y)),
    facts="signed nonnegative if _, positive; signed nonpositive if _, negative; "
    "finite if finite, finite nonzero; keeps integer",
)
fmod = binary(
    "fmod", "numpy.fmod", "Remainder, with the sign of the dividend.",
    (BETWEEN, NEAR_ONE), (-7.0, 3.0, -1.0),
    lambda x, y, r: (1, -trunc(x / y)),
    facts="keeps integer",
)
neg = unary(
    "neg", "numpy.negative", "Negation.", ANY, (2.0, -2.0), lambda x, r: (-1,), cost=1,
    facts="nonnegative if nonpositive; positive if negative; "
    "signed nonpositive if nonnegative; signed negative if positive; "
    "signed keeps nonzero; keeps not_nan finite integer",
)
reciprocal = unary(
    "reciprocal", "numpy.reciprocal", "One divided by x.", POSITIVE, (4.0, 0.25),
    lambda x, r: (-r * r,),
    facts="nonnegative no_negative_zero if nonnegative no_negative_zero; "
    "nonpositive if negative; keeps not_nan", cost=4,
)
abs = unary(
    "abs", "numpy.absolute", "Absolute value.", POSITIVE, (-2.0, 2.0),
    pullback=lambda x, r, g: [g * sign(x)],
    pushforward=lambda x, r, t: (t * sign(x).conj()).real if x.is_complex else t * sign(x), cost=1,
    facts="nonnegative no_negative_zero; positive if nonzero; signed keeps nonzero; "
    "keeps not_nan finite integer",
)
sign: Unary = unary(
    "sign", "numpy.sign", "-1, 0 or 1 (x / abs(x) for complex x).", POSITIVE, (-2.5, -1.0),
    pullback=lambda x, r, g: [
    (g - r * (r.conj() * g).real) / abs(x) if x.is_complex else None], cost=2,
    facts="keeps nonnegative positive nonpositive negative nonzero no_negative_zero not_nan; "
    "finite if not_nan; integer",
)
square = unary(
    "square", "numpy.square", "Square.", ANY, (3.0, 9.0), lambda x, r: (2 * x,), cost=1,
    facts="nonnegative no_negative_zero; keeps not_nan integer",
)
sqrt = unary(
    "sqrt", "numpy.sqrt", "Square root.", POSITIVE, (9.0, 3.0), lambda x, r: (0.5 / r,), cost=4,
    facts="nonnegative; positive if nonzero; keeps nonzero no_negative_zero; "
    "not_nan if nonnegative not_nan; finite if nonnegative finite",
)
cbrt = unary(
    "cbrt", "numpy.cbrt", "Cube root.", POSITIVE, (27.0, 3.0),
    lambda x, r: (1 / (3 * r * r),),
    facts="keeps nonnegative positive nonpositive negative nonzero no_negative_zero not_nan finite",
)
hypot = binary(
    "hypot", "numpy.hypot", "Square root of x² + y².", (POSITIVE, POSITIVE), (3.0, 4.0, 5.0),
    lambda x, y, r: (_part(x, r), _part(y, r)), commutative=True,
    facts="nonnegative no_negative_zero; keeps not_nan",
)
maximum = binary(
    "maximum", "numpy.maximum", "The larger; NaN if either is.", (ANY, ANY), (2.0, 3.0, 3.0),
    pullback=lambda x, y, r, g: [
    _where_chosen(gt(x, y), x, y, g), _where_chosen(gt(y, x), x, y, g)],
    pushforward=lambda x, y, r, tx, ty: _tangent_chosen(gt(x, y), x, y, tx, ty),
    commutative=True, cost=1,
    facts="real nonnegative if nonnegative or _, nonnegative; "
    "real positive if positive or _, positive; "
    "any keeps nonpositive negative nonzero no_negative_zero not_nan finite integer",
)
minimum = binary(
    "minimum", "numpy.minimum", "The smaller; NaN if either is.", (ANY, ANY), (2.0, 3.0, 2.0),
    pullback=lambda x, y, r, g: [
    _where_chosen(gt(y, x), x, y, g), _where_chosen(gt(x, y), x, y, g)],
    pushforward=lambda x, y, r, tx, ty: _tangent_chosen(gt(y, x), x, y, tx, ty),
    commutative=True, cost=1,
    facts="real nonpositive if nonpositive or _, nonpositive; "
    "real negative if negative or _, negative; "
    "any keeps nonnegative positive nonzero no_negative_zero not_nan finite integer",
)
gcd = binary(
    "gcd", "numpy.gcd", "The greatest common divisor, by Euclid's loop, which nothing composes.",
    (INTEGER, INTEGER), (12, -18, 6), commutative=True,
)
copysign = binary(
    "copysign", "numpy.copysign", "The magnitude of x with the sign of y.",
    (POSITIVE, POSITIVE), (2.0, -0.5, -2.0),
    lambda x, y, r: (sign(x.astype(r.dtype)) * sign(r), None), cost=1,
)
nextafter = binary(
    "nextafter", "numpy.nextafter", "The next floating number after x, towards y.",
    (ANY, ANY), (1.0, 2.0, 1.0000000000000002),
    lambda x, y, r: (1, None),
)
deg2rad = unary(
    "deg2rad", "numpy.deg2rad", "Degrees to radians.", ANY, (180.0, pi),
    lambda x, r: (pi / 180,), lambda x: x * (pi / 180),
    facts="keeps nonnegative nonpositive", cost=1,
)
rad2deg = unary(
    "rad2deg", "numpy.rad2deg", "Radians to degrees.", ANY, (pi, 180.0),
    lambda x, r: (180 / pi,), lambda x: x * (180 / pi),
    facts="keeps nonnegative nonpositive", cost=1,
)
floor: Unary = unary(
    "floor", "numpy.floor", "The integer below.", (0.1, 0.9), (-1.5, -2.0), 0,
    facts="keeps nonnegative nonpositive negative no_negative_zero not_nan finite; integer", cost=1,
)
ceil = unary(
    "ceil", "numpy.ceil", "The integer above.", (0.1, 0.9), (-1.5, -1.0), 0,
    facts="keeps nonnegative positive nonpositive not_nan finite; "
    "no_negative_zero if nonnegative no_negative_zero; integer", cost=1,
)
trunc: Unary = unary(
    "trunc", "numpy.trunc", "The integer towards zero.", (0.1, 0.9), (-1.5, -1.0), 0,
    facts="keeps nonnegative nonpositive not_nan finite; "
    "no_negative_zero if nonnegative no_negative_zero; integer", cost=1,
)
rint = unary(
    "rint", "numpy.rint", "The nearest integer; the even one of two.",
    (0.6, 0.9), (2.5, 2.0), 0,
    facts="keeps nonnegative nonpositive not_nan finite; "
    "no_negative_zero if nonnegative no_negative_zero; integer", cost=1,
)
