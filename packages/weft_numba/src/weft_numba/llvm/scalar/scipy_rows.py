"""Scalar functions that are SciPy's, called by their addresses, in 64 bits."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial, reduce
from math import inf, nan
from typing import Any, Final

from weft_numba.ir.llvm_writer import Code, Number, Value, number
from weft_numba.ir.scipy_special import symbol
from weft_numba.llvm.scalar.cast_rows import cast
from weft_numba.llvm.scalar.real_rows import EQ, LE, LT, and_, fabs, fadd, or_, select
from weft_tensor.extend import COMPLEX_PARTS as PARTS
from weft_tensor.extend import HYP1F1_LIMIT

__all__ = ["COMPLEX_SCIPY_ROWS", "SCIPY_ROWS"]

_NAMES: Final = (
    *("beta", "binom", "gamma", "poch"),
    *("gammainc", "gammaincc"),
    "betainc",
    *("iv", "ive", "jv", "kv", "kve"),
    *("ellipe", "ellipeinc", "ellipk", "ellipkinc", "ellipkm1"),
    *("elliprj", "owens_t"),
)
_DOUBLE: Final = number("float64")


def _scipys(name: str) -> Callable[..., Value]:
    def compute(c: Code, n: Number, *xs: str) -> Value:
        wide = [cast(c, x, n, _DOUBLE) for x in xs]
        return cast(c, c.external(symbol(name, len(xs)), *wide), _DOUBLE, n)

    return compute


def _bounded(name: str, most: float) -> Callable[..., Value]:
    """NaN for numbers that are larger, or none: SciPy's may not come back from these."""
    function = _scipys(name)

    def compute(c: Code, n: Number, *xs: str) -> Value:
        limit = c.literal(most, n)
        few = reduce(partial(and_, c), [LE(c, n, fabs(c, n, x), limit) for x in xs])
        value: Any = function(c, n, *[select(c, n, few, x, c.literal(1.0, n)) for x in xs])
        return select(c, n, few, value, c.literal(nan, n))

    return compute


def _gamma_inverse(name: str) -> Callable[..., Value]:
    """NaN for shares and shapes that have no result: SciPy's has numbers for some of these."""
    function = _scipys(name)

    def compute(c: Code, n: Number, a: str, y: str) -> Value:
        zero, one = c.literal(0.0, n), c.literal(1.0, n)
        at_end = or_(c, EQ(c, n, y, zero), EQ(c, n, y, one))
        shape = or_(c, LT(c, n, zero, a), and_(c, EQ(c, n, a, zero), at_end))
        fine = and_(c, shape, and_(c, LE(c, n, zero, y), LE(c, n, y, one)))
        return function(c, n, select(c, n, fine, fabs(c, n, a), c.literal(nan, n)), y)

    return compute


def _yv(c: Code, n: Number, order: str, x: str) -> Value:
    """0 where Y of a negative half order is J too small for a number: SciPy has infinity."""
    value: Any = _scipys("yv")(c, n, order, x)
    half = fadd(c, n, order, c.literal(0.5, n))
    whole = and_(c, EQ(c, n, half, c.intrinsic("rint", n, half)), LE(c, n, half, c.literal(0.0, n)))
    fine = and_(c, LT(c, n, c.literal(-inf, n), order), LE(c, n, c.literal(0.0, n), x))
    lost = and_(c, and_(c, whole, fine), EQ(c, n, fabs(c, n, value), c.literal(inf, n)))
    return select(c, n, lost, c.literal(0.0, n), value)


_REST: Final = """define internal double @{name}(double %a, double %b, double %x) nounwind {{
  %sum = fadd double %a, %b
  %few = fcmp ole double %sum, 1.0e+03
  %some_a = fcmp oge double %a, 1.0e-10
  %some_b = fcmp oge double %b, 1.0e-10
  %some = and i1 %some_a, %some_b
  %usual = and i1 %few, %some
  br i1 %usual, label %own, label %theirs
own:
  %is_high = fcmp oge double %x, 0.5
  br i1 %is_high, label %mirrored, label %direct
direct:
  %share = call double @{share}(double %a, double %b, double %x, i32 0) #0
  %rest = fsub double 1.0, %share
  %is_near = fcmp oge double %rest, 0.03125
  br i1 %is_near, label %done, label %far
far:
  %is_tiny = fcmp olt double %x, 0x3F50000000000000
  br i1 %is_tiny, label %theirs, label %mirrored
mirrored:
  %y = fsub double 1.0, %x
  %other = call double @{share}(double %b, double %a, double %y, i32 0) #0
  br label %done
theirs:
  %all = call double @{rest}(double %a, double %b, double %x, i32 0) #0
  br label %done
done:
  %result = phi double [%rest, %direct], [%other, %mirrored], [%all, %theirs]
  ret double %result
}}"""


def _betaincc(c: Code, n: Number, *xs: str) -> Value:
    """By betainc: SciPy's betaincc computes with more digits and takes 20 times as long.

    Where a + b is at most 1000, and x no less than 2^-10, the rounding of 1 - x costs 1e-13 of
    the result at most.
    """
    name, share, rest = "weft_betaincc", symbol("betainc", 3), symbol("betaincc", 3)
    for called in (share, rest):
        c.declarations[called] = f"declare double @{called}(double, double, double, i32)"
    c.declarations[name] = _REST.format(name=name, share=share, rest=rest)
    wide = ", ".join(f"double {cast(c, x, n, _DOUBLE)}" for x in xs)
    return cast(c, c(f"call double @{name}({wide}) #0"), _DOUBLE, n)


_BETA_INVERSE: Final = """define internal double @{name}(double %a, double %b, double %y)
nounwind {{
  %x = call double @{inverse}(double %a, double %b, double %y, i32 0) #0
  %usual = fcmp oge double %x, {tiny}
  br i1 %usual, label %done, label %rare
rare:
  %log_a = call double @llvm.log.f64(double %a)
  %log_y = call double @llvm.log.f64(double %y)
  %log_b = call double @{betaln}(double %a, double %b, i32 0) #0
  %logs = fadd double %log_a, %log_y
  %sum = fadd double %logs, %log_b
  %power = fdiv double %sum, %a
  %first = call double @llvm.exp.f64(double %power)
  %next = fmul double %first, %b
  %alone = fcmp olt double %next, {eps}
  %is_shape = fcmp ogt double %b, 0.0
  %is_share = fcmp ole double %y, 1.0
  %valid = and i1 %is_shape, %is_share
  %enough = and i1 %valid, %alone
  %chosen = select i1 %enough, double %first, double %x
  br label %done
done:
  %result = phi double [%x, %0], [%chosen, %rare]
  ret double %result
}}"""
_BETA_INVERSE_ABOVE: Final = """define internal double @{name}(double %a, double %b, double %y)
nounwind {{
  %x = call double @{inverse}(double %a, double %b, double %y, i32 0) #0
  %usual = fcmp oge double %x, {tiny}
  br i1 %usual, label %done, label %rare
rare:
  %none = fcmp uno double %x, %x
  br i1 %none, label %high, label %low
high:
  %part = call double @{below}(double %b, double %a, double %y)
  %rest = fsub double 1.0, %part
  br label %done
low:
  %share = fsub double 1.0, %y
  %place = call double @{below}(double %a, double %b, double %share)
  br label %done
done:
  %result = phi double [%x, %0], [%rest, %high], [%place, %low]
  ret double %result
}}"""


def _beta_inverse(c: Code, n: Number, *xs: str, above: bool = False) -> Value:
    """SciPy's; its power series' first term where SciPy has NaN for tiny shares, or underflows."""
    names = {"betaincinv": 3, "betainccinv": 3, "betaln": 2}
    own = {name: symbol(name, count) for name, count in names.items()}
    for name, count in names.items():
        parameters = ", ".join(["double"] * count)
        c.declarations[own[name]] = f"declare double @{own[name]}({parameters}, i32)"
    for name in ("log", "exp"):
        c.declarations[f"llvm.{name}.f64"] = f"declare double @llvm.{name}.f64(double)"
    tiny, eps = (c.literal(v, _DOUBLE) for v in (1e-307, 1e-16))
    below, name = "weft_betaincinv", "weft_betainccinv"
    c.declarations[below] = _BETA_INVERSE.format(
        name=below, inverse=own["betaincinv"], betaln=own["betaln"], tiny=tiny, eps=eps
    )
    if above:
        c.declarations[name] = _BETA_INVERSE_ABOVE.format(
            name=name, inverse=own["betainccinv"], below=below, tiny=tiny
        )
    wide = ", ".join(f"double {cast(c, x, n, _DOUBLE)}" for x in xs)
    return cast(c, c(f"call double @{name if above else below}({wide}) #0"), _DOUBLE, n)


def _of_complex(name: str) -> Callable[..., Value]:
    def compute(c: Code, n: Number, *xs: Value) -> Value:
        *orders, z = xs
        wide = number("complex128")
        doubles = [cast(c, order, n.part, _DOUBLE) for order in orders]
        full = symbol(name, len(xs), is_complex=True)
        return cast(c, c.complex_external(full, *doubles, cast(c, z, n, wide)), wide, n)

    return compute


_PART: Final = """define internal {{double, double}} @{name}(double %x, double %y, i32 %skip)
nounwind noinline {{
  {places}
  %above = fadd double %y, 0.0
  call void @{full}(double %x, double %above, {pointers})
  %part = load {{double, double}}, {{double, double}}* %at{k}
  ret {{double, double}} %part
}}"""


def _part_of_complex(function: str, k: int) -> Callable[..., Value]:
    """The k-th result of a function that has several; imaginary parts of -0 are 0."""
    count = sum(name == function for name, _ in PARTS.values())

    def compute(c: Code, n: Number, z: Value) -> Value:
        wide, pair = number("complex128"), "{double, double}"
        full, name = symbol(function, 1, is_complex=True, results=count), f"weft_{function}_{k}"
        result = c.complex_external(name, cast(c, z, n, wide))
        types = ", ".join([f"{pair}*"] * count)
        c.declarations[full] = f"declare void @{full}(double, double, {types})"
        c.declarations[name] = _PART.format(
            name=name,
            full=full,
            k=k,
            places="\n  ".join(f"%at{j} = alloca {pair}" for j in range(count)),
            pointers=", ".join(f"{pair}* %at{j}" for j in range(count)),
        )
        return cast(c, result, wide, n)

    return compute


_COMPLEX: Final = {
    **{f"complex_{name}": name for name in ("gamma", "erf", "erfc", "erfcx", "ndtr", "log_ndtr")},
    **{f"complex_{name}": name for name in ("exp1", "expi", "spence", "dawsn", "erfi")},
    **{f"complex_{name}": name for name in ("jv", "jve", "yv", "yve", "iv", "ive", "kv", "kve")},
    **{f"complex_{name}": name for name in ("hankel1", "hankel1e", "hankel2", "hankel2e")},
    **{f"complex_{name}": name for name in ("hyp2f1", "wrightomega")},
    "complex_digamma": "psi",
    "complex_loggamma": "loggamma",
    "wofz": "wofz",
}
"""SciPy's names of rows."""

COMPLEX_SCIPY_ROWS: Final[dict[str, Callable[..., Value]]] = (
    {}
    if sys.platform == "win32"
    else {
        **{row: _of_complex(name) for row, name in _COMPLEX.items()},
        **{row: _part_of_complex(name, k) for row, (name, k) in PARTS.items()},
    }
)
"""Of complex numbers; on Windows, these are passed in other ways."""

SCIPY_ROWS: Final[dict[str, Callable[..., Value]]] = {
    **{name: _scipys(name) for name in _NAMES},
    "betaincc": _betaincc,
    "betainccinv": partial(_beta_inverse, above=True),
    "betaincinv": _beta_inverse,
    "gammaincinv": _gamma_inverse("gammaincinv"),
    "gammainccinv": _gamma_inverse("gammainccinv"),
    "hyp1f1": _bounded("hyp1f1", HYP1F1_LIMIT),
    "yv": _yv,
}
"""By the names of the scalar table."""
