"""Carlson's elliptic integrals, of real numbers and of complex ones.

Those of complex numbers by the same steps as those of real ones, with principal roots: Carlson,
Numerical computation of real or complex elliptic integrals, 1995. NaN on the cut, along negative
numbers, as SciPy's; next to zeros and infinities only SciPy's ends.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from math import inf, nan
from typing import Any, Final

from weft_tensor.build.convert import as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import maximum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, isfinite, isnan, where
from weft_tensor.ops.elementwise.rational import polynomial
from weft_tensor.ops.elementwise.trigonometric import arctan
from weft_tensor.ops.special.integrals import elliptic, third_kind
from weft_tensor.types.dtypes import promote

__all__ = ["elliprc", "elliprd", "elliprf", "elliprg", "elliprj"]

_T = TensorVariable
_SPREAD: Final = 0.003
_STEPS: Final = 60
_NEAR: Final = 0.02
_ARCTANGENT: Final = tuple([(-1) ** k / (2 * k + 1) for k in range(10)])
"""Of arctan(r) / r, in powers of r²."""


def _on_cut(v: _T) -> _T:
    return eq(v.imag, 0) & (v.real < 0)


def _mean(v: list[_T], weights: tuple[int, ...]) -> Any:
    total: Any = 0.0
    for w, x in zip(weights, v, strict=True):
        total = total + w * x
    return total / sum(weights)


def _moved(v: list[_T], weights: tuple[int, ...], part: Callable[..., Any]) -> tuple[_T, ...]:
    """The arguments when they are close together, the sum of `part`, and 1/4 to the steps."""

    def step(state: tuple[_T, ...]) -> tuple[_T, ...]:
        count, *v, total, share = state
        roots = [sqrt(u) for u in v]
        common = roots[0] * roots[1] + roots[1] * roots[2] + roots[2] * roots[0]
        middle = _mean(v, weights)
        apart: Any = 0.0
        for u in v:
            apart = maximum(apart, abs(middle - u))
        more = (apart > _SPREAD * abs(middle)) & (count < _STEPS)
        total = where(more, total + share * part(v, roots, common), total)
        after = [where(more, 0.25 * (u + common), u) for u in v]
        return where(more, count + 1, inf), *after, total, where(more, 0.25 * share, share)

    zero = 0 * _mean(v, weights)
    start = step((zero.real, *(u + zero for u in v), zero, zero + 1))
    return while_loop(lambda state: (state[0] < inf).any(), step, start)[1:]


def _inside(*v: _T) -> tuple[_T, list[_T]]:
    """Whether there is an integral, and the arguments, or 1."""
    fine = isfinite(v[0]) & ~_on_cut(v[0])
    for u in v[1:]:
        fine = fine & isfinite(u) & ~_on_cut(u)
    return fine, [where(fine, u, 1) for u in v]


def _ended(fine: _T, value: _T, v: tuple[_T, ...], pole: Any, at_end: Any = 0) -> _T:
    """`at_end` where an argument is infinite."""
    broken: Any = isnan(v[0]) | _on_cut(v[0])
    for u in v[1:]:
        broken = broken | isnan(u) | _on_cut(u)
    ends = where(broken, nan, where(pole & ~fine, inf, at_end))
    return where(fine, value, where(pole & ~broken, inf, ends))


def _rf(x: _T, y: _T, z: _T) -> _T:
    pole = eq(x, 0) & eq(y, 0) | eq(y, 0) & eq(z, 0) | eq(z, 0) & eq(x, 0)
    fine, inner = _inside(x, y, z)
    fine = fine & ~pole
    a, b, c, _, _ = _moved([where(pole, 1, u) for u in inner], (1, 1, 1), lambda *_: 0.0)
    return _ended(fine, elliptic.series_of_first_kind(a, b, c), (x, y, z), pole)


def _rd(x: _T, y: _T, z: _T) -> _T:
    pole = eq(z, 0) | eq(x, 0) & eq(y, 0)
    fine, inner = _inside(x, y, z)
    fine = fine & ~pole
    a, b, c, total, share = _moved(
        [where(pole, 1, u) for u in inner],
        (1, 1, 3),
        lambda v, roots, common: 1 / (roots[2] * (v[2] + common)),
    )
    value = 3 * total + share * elliptic.series_of_second_kind(a, b, c)
    return _ended(fine, value, (x, y, z), pole)


def _rc(x: _T, y: _T) -> _T:
    """Cauchy's value for negative y."""
    below = _on_cut(y) & ~eq(y, 0)
    u, v = where(below, x - y, x), where(below, -y, y)
    factor = where(below, sqrt(x / where(below, u, 1)), 1)
    value = factor * _rf(u, v, v)
    return where(eq(y, 0) | _on_cut(x), nan, value)


def _rg(x: _T, y: _T, z: _T) -> _T:
    """Around the argument of middle size (NIST Digital Library, 19.21.10)."""
    first, middle, last = x, y, z
    for _ in range(2):
        swap = abs(first) > abs(middle)
        first, middle = where(swap, middle, first), where(swap, first, middle)
        swap = abs(middle) > abs(last)
        middle, last = where(swap, last, middle), where(swap, middle, last)
    fine, inner = _inside(first, middle, last)
    alone = eq(middle, 0)
    a, b, c = (where(alone, 1, u) for u in inner)
    value = b * _rf(a, b, c) - (a - b) * (c - b) * _rd(a, c, b) / 3
    some = ~eq(a, 0)
    value = 0.5 * (value + where(some, sqrt(where(some, a, 1)) * sqrt(c) / sqrt(b), 0))
    return _ended(fine, where(alone, 0.5 * sqrt(last), value), (x, y, z), False, inf)


def _are_real(v: tuple[_T, ...]) -> Any:
    real: Any = True
    for u in v:
        real = real & eq(u.imag, 0) & (u.real >= 0)
    return real


def _rj(x: _T, y: _T, z: _T, p: _T) -> _T:
    """Of arguments in the right half of the plane; of any p if x, y and z are on the line.

    Of any p, too, if one of x, y and z is on the line and the others are conjugates. Of real
    numbers alone as that function.
    """
    of_real = _are_real((x, y, z))
    any_p: Any = of_real
    for one, two, three in ((x, y, z), (y, z, x), (z, x, y)):
        any_p = any_p | (_are_real((one,)) & eq(two, three.conj()) & ~eq(two, 0))
    right: Any = p.real > 0
    for u in (x, y, z):
        right = right & (u.real >= 0)
    pole = eq(x, 0) & eq(y, 0) | eq(y, 0) & eq(z, 0) | eq(z, 0) & eq(x, 0)
    line = of_real & eq(p.imag, 0)
    fine, inner = _inside(x, y, z, p)
    fine = fine & ~pole & ~line & (any_p | right)

    def part(v: list[_T], roots: list[_T], common: _T) -> _T:
        r = roots[3]
        sums = (r + roots[0]) * (r + roots[1]) * (r + roots[2])
        e = (v[3] - v[0]) * (v[3] - v[1]) * (v[3] - v[2]) / (sums * sums)
        near = abs(e) < _NEAR
        root = sqrt(where(near, 1, e))
        arc = where(near, polynomial(_ARCTANGENT, where(near, e, 0)), arctan(root) / root)
        return arc / sums

    *v, total, share = _moved([where(fine, u, 1) for u in inner], (1, 1, 1, 2), part)
    middle = _mean(v, (1, 1, 1, 2))
    s, t, w = (1 - u / middle for u in v[:3])
    q = -(s + t + w) / 2
    two, all_ = s * t + t * w + w * s - 3 * q * q, s * t * w
    three = all_ + 2 * two * q + 4 * q**3
    four, five = (2 * all_ + two * q + 3 * q**3) * q, all_ * q * q
    series = elliptic.series_of_third_kind(two, three, four, five)
    value = 6 * total + share * series / (middle * sqrt(middle))
    alone = third_kind.elliprj(*[where(line, u.real, 1.0) for u in (x, y, z, p)])
    return where(line, alone, where(fine, value, nan))


def _of_both(real: Callable[..., TensorVariable], form: Callable[..., _T]) -> Any:
    """The function of real numbers, and of complex ones."""

    @wraps(real)
    def call(*arguments: TensorLike) -> TensorVariable:
        tensors = as_tensors(arguments)
        if not any(v.is_complex for v in tensors):
            return real(*tensors)
        kind = promote([*[v.dtype for v in tensors], "complex64"])
        return form(*[v.astype("complex128") for v in tensors]).astype(kind)

    return call


elliprc = _of_both(elliptic.elliprc, _rc)
elliprd = _of_both(elliptic.elliprd, _rd)
elliprf = _of_both(elliptic.elliprf, _rf)
elliprg = _of_both(elliptic.elliprg, _rg)
elliprj = _of_both(third_kind.elliprj, _rj)
