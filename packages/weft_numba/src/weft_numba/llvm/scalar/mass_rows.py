"""What log-masses have less beside their peak, by one logarithm and what its argument has lost.

Of the ratio w to the peak, as it is rounded, log(w) is right; w - 1 is exact near the peak, and
less (x - s) / s it is what w lacks, which over w is what log(w) lacks. The error is that of x - s.
In loops over vectors this takes less than the powers of (x - s) / s beside the logarithm.
"""

from __future__ import annotations

from typing import Final

from weft_numba.ir.llvm_writer import Code, Number
from weft_numba.llvm.scalar.doubles import Doubles
from weft_numba.llvm.scalar.real_rows import ROWS, Row

__all__ = ["MASS_ROWS"]

_REAL: Final = ROWS["f"]
_NEAR: Final = 0.5
"""So near to the peak, w - 1 is exact; far below it, w may underflow."""


def _log_ratio(c: Code, n: Number, k: str, m: str, x: str) -> tuple[str, str]:
    """log(m x / s), and m x."""
    d, log = Doubles(c, n), _REAL["log"]
    top = _REAL["maximum"](c, n, k, c.literal(1.0, n))
    share, is_plain = d.real("fdiv", 1.0, top), m == c.literal(1.0, n)
    mean = x if is_plain else d.real("fmul", m, x)
    u = d.real("fmul", d.real("fsub", mean, top), share)
    ratio = d.real("fmul", mean, share)
    low, near = d.real("fcmp olt", u, -_NEAR), d.real("fcmp olt", u, _NEAR)
    lost = d.real("fsub", u, d.real("fsub", ratio, 1.0))
    lost = d.real("fmul", lost, d.real("fsub", 2.0, ratio))
    apart = d.real("fsub", 0.0 if is_plain else log(c, n, m), log(c, n, top))
    more = d.when(low, apart, d.when(near, lost, 0.0))
    return d.real("fadd", log(c, n, d.when(low, x, ratio)), more), mean


def _off_peak(c: Code, n: Number, k: str, m: str, x: str) -> str:
    d = Doubles(c, n)
    ratio, mean = _log_ratio(c, n, k, m, x)
    power = d.when(d.real("fcmp oeq", k, 0.0), 0.0, d.real("fmul", k, ratio))
    level = d.when(d.real("fcmp olt", k, 1.0), 0.0, k)
    return d.real("fsub", power, d.real("fsub", mean, level))


MASS_ROWS: Final[dict[str, Row]] = {
    "mass_off_peak": _off_peak,
    "mass_off_peak_slope": lambda c, n, *xs: _log_ratio(c, n, *xs)[0],
}
"""By the names of the scalar table."""
