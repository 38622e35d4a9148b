"""Owen's T function, a probability of two normal variables.

It is an integral over shares of a (D. B. Owen, Tables for computing bivariate normal probabilities,
Ann. Math. Stat. 27, 1956), by Gauss' rule where a is at most 1; larger a go to 1/a (his 2.3).
"""

from __future__ import annotations

from math import inf, pi

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import minimum
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.op import binary
from weft_tensor.ops.elementwise.special import erf, erfc
from weft_tensor.ops.elementwise.table import ANY, floating
from weft_tensor.ops.special.quadrature import UNIT_INTERVAL, along

__all__ = ["owens_t"]

_ROOT = 0.5**0.5
_LAST = 9.0
"""Beyond it nothing is left of the normal density."""


def _owens_t_sum(h: TensorVariable, a: TensorVariable) -> TensorVariable:
    kind = h.dtype
    h, a = h.astype("float64"), a.astype("float64")
    y, slope = minimum(abs(h), 1e3), abs(a)
    steep = slope > 1
    flat = where(eq(slope, inf), 0, where(steep, 1 / where(steep, slope, 1), slope))
    place = where(steep, minimum(y * where(eq(slope, inf), 1e3, slope), 1e3), y)
    end = minimum(flat, _LAST / where(place > 1, place, 1))
    x = along(end) * UNIT_INTERVAL[0]
    size = 1 + x * x
    parts = UNIT_INTERVAL[1] * exp(-0.5 * along(place * place) * size) / size
    found = end * parts.sum(axis=-1) / (2 * pi)
    high, far = erfc(_ROOT * y), erfc(_ROOT * place)
    outer = where(
        y < 1, 0.25 * (1 - erf(_ROOT * y) * erf(_ROOT * place)), 0.25 * (high + far - high * far)
    )
    outer = where(eq(slope, inf), 0.25 * high, outer - found)
    found = where(steep, outer, found)
    return where(isnan(h) | isnan(a), h + a, where(a < 0, -found, found)).astype(kind)


# fmt: off
owens_t = binary(
    "owens_t", "scipy.special.owens_t",
    "Owen's T function: the chance that X > h and 0 < Y < a X, of normal X and Y.",
    (ANY, ANY), (1.0, 0.5, 0.043064691),
    lambda h, a, r: (
        -exp(-0.5 * (h * h)) * erf(a * h * _ROOT) / (2 * (2 * pi) ** 0.5),
        exp(-0.5 * (h * h) * (1 + a * a)) / (2 * pi * (1 + a * a)),
    ),
    summation=_owens_t_sum, dtypes=floating,
)
# fmt: on
