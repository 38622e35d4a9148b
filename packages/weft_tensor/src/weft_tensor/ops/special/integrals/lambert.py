"""Lambert's function of complex numbers, on all its branches.

Next to the branch point, -1/e, a power series of sqrt(2 (e z + 1)); elsewhere Halley's steps from
the first terms of that, of log(1 + z), or of the expansion by logarithms for large numbers (R. M.
Corless, G. H. Gonnet, D. E. G. Hare, D. J. Jeffrey, D. E. Knuth: On the Lambert W function, Adv.
Comput. Math. 5, 1996, 4.11 and 4.22). All backends compute so: SciPy's ends early, and misses up
to 1e-4 beside the branch point.
"""

from __future__ import annotations

from math import e, inf, pi
from typing import Any, Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp, log, log1p
from weft_tensor.ops.elementwise.op import Binary, binary
from weft_tensor.ops.elementwise.rational import polynomial
from weft_tensor.ops.elementwise.table import Signature
from weft_tensor.types.dtypes import promote

__all__ = ["AT_BRANCH", "BRANCH", "MISSING", "NEAR", "complex_lambertw"]

BRANCH: Final = 0.3678794503211975
"""1/e in 32 bits, and what is missing there."""
MISSING: Final = -9.149755188170102e-09
NEAR: Final = 0.2
"""Up to which the power series at the branch point has all digits."""
# fmt: off
AT_BRANCH: Final = (
    -1.0, 1.0, -0.3333333333333333, 0.1527777777777778, -0.07962962962962963, 0.044502314814814814,
    -0.02598471487360376, 0.01563563253233392, -0.009616892024299432, 0.006014543252956118,
    -0.0038112980348919993, 0.0024408779911439826, -0.0015769303446867841, 0.0010262633205076071,
    -0.0006720616311561362, 0.0004424730618146209, -0.00029267722472962746, 0.00019438727605453933,
    -0.00012957426685274883, 8.665035805208128e-05,
)
# fmt: on
_STEPS: Final = 5
_FIRST: Final = 6
"""So many terms of the series are near enough for the steps, up to these roots."""
_REACH: Final = 1.8
_REACH_BELOW: Final = 1.0
_T = TensorVariable


def _complex(dtypes: tuple[str, ...]) -> Signature:
    kind = promote([*dtypes, "complex64"])
    return (kind,) * len(dtypes), kind


def _start(k: _T, z: _T, root: _T) -> _T:
    """Near enough for the steps; `root` has the sign of the sheet at the branch point."""
    is_main = eq(k, 0)
    alone = eq(k, -1) & eq(z.imag, 0) & (z.real < 0) & (z.real > -1 / e)  # where it is real
    first = where(alone, log(abs(z)), log(z) + 2j * pi * k)
    second = where(alone, log(abs(first)), log(first))
    far = first - second + second / first
    size = log1p(z)
    middle = size * (1 - log1p(size) / (2 + size))
    is_above = z.imag >= 0
    of_point = is_main | (eq(k, -1) & is_above) | (eq(k, 1) & ~is_above)
    is_near = of_point & (abs(root) < where(is_main, _REACH, _REACH_BELOW))
    is_middle = is_main & (abs(z) < e) & (z.real > -0.25)
    near = polynomial(AT_BRANCH[:_FIRST], root)
    return where(is_middle, middle, where(is_near, near, far))


def _branch(k: _T, z: _T) -> _T:
    none, end = eq(z, 0), eq(abs(z.real), inf) | eq(abs(z.imag), inf)
    inside = where(none | end, 1, z)
    missing = where(end, 0, MISSING)  # else both constants would be added up
    root = where(eq(k, 0), 1, -1) * sqrt(2 * e * ((inside + BRANCH) + missing))
    w = _start(k, inside, root)
    for _ in range(_STEPS):
        half = exp(-0.5 * w)
        rest = w - inside * half * half
        w = w - rest / (w + 1 - (w + 2) * rest / (2 * w + 2))
    is_above = inside.imag >= 0
    of_point = eq(k, 0) | (eq(k, -1) & is_above) | (eq(k, 1) & ~is_above)
    w = where(of_point & (abs(root) < NEAR), polynomial(AT_BRANCH, root), w)
    w = where(end, where(eq(z.real, -inf), -z + 1j * pi, z) + 2j * pi * k, w)
    return where(none, where(eq(k, 0), z, -inf), w)


def _slopes(k: _T, z: _T, r: _T) -> tuple[Any, Any]:
    return None, exp(-r) / (1 + r)


complex_lambertw: Binary = binary(
    "complex_lambertw", None, "`lambertw` of a branch and a complex number.",
    ((0.0, 0.0), (0.5, 3.0)), (0.0, 1.0, 0.567143290 + 0j), _slopes, _branch,
    dtypes=_complex,
)  # fmt: skip
