"""Special functions of complex numbers: SciPy's, on all backends.

Those that there are for real numbers, too, have rows of their own, for rules about real numbers
don't hold for them.
"""

from __future__ import annotations

from collections.abc import Callable
from math import nan, pi
from typing import Any, Final

from weft_graph import Constant, UndefinedGradientError, stop_gradient
from weft_graph.extend import StopGradient
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import rint, sign
from weft_tensor.ops.elementwise.comparison import lt, where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.elementwise.op import Binary, Quaternary, Unary, binary, quaternary, unary
from weft_tensor.ops.elementwise.rational import polynomial
from weft_tensor.ops.elementwise.table import LOOP, analytic
from weft_tensor.ops.elementwise.trigonometric import sin
from weft_tensor.ops.special.gamma import gammaln
from weft_tensor.ops.special.slope_rows import slopes_beside_scale

__all__ = [
    "complex_digamma",
    "complex_hankel1",
    "complex_hankel1e",
    "complex_hankel2",
    "complex_hankel2e",
    "complex_jve",
    "complex_wrightomega",
    "complex_yve",
    "loggamma",
    "wofz",
]

_SLOPE: Final = 2 / pi**0.5
_DENSITY: Final = (2 * pi) ** -0.5
_DOMAIN: Final = (0.5, 3.0)
_TERMS: Final = 12
_BERNOULLI: Final = (
    *(1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798),
)
_LINE: Final = 25.0
"""How far from it π/sin(πz) has no digit that counts, squared."""


def _row(
    name: str, scipys: str, summary: str, result: complex, slope: Callable[..., Any] | None
) -> Unary:
    return unary(
        name,
        f"scipy.special.{scipys}",
        summary,
        _DOMAIN,
        (1.5, result),
        slope and (lambda z, r: (slope(z, r),)),
        dtypes=analytic,
    )


def _bessel(
    name: str, result: complex, slope: Callable[..., Any], scale: Callable[..., Any] | None = None
) -> Binary:
    def along(v: Any, z: Any) -> Any:
        return slope(own, _fixed(name, v), z)

    own: Binary = binary(
        f"complex_{name}",
        f"scipy.special.{name}",
        f"`{name}` of a real order and a complex number.",
        (_DOMAIN, _DOMAIN),
        (0.5, 1.0, result),
        None if scale else lambda v, z, r: (None, along(v, z)),
        dtypes=analytic,
        cost=LOOP,
        **(slopes_beside_scale(along, scale) if scale else {}),
    )
    return own


def _between(f: Any, v: Any, z: Any) -> Any:
    return 0.5 * (_next(f, v, -1, z) - _next(f, v, 1, z))


def _mean(f: Any, v: Any, z: Any) -> Any:
    return 0.5 * (_next(f, v, -1, z) + _next(f, v, 1, z))


def _of_height(z: Any) -> Any:
    """The slope of -abs(imag(z)), of which a real part counts."""
    return 1j * sign(z.imag)


def _next(f: Any, order: Any, step: int, z: Any) -> Any:
    return f(stop_gradient(order + step), z)


def is_fixed(order: TensorVariable) -> bool:
    """Whether it is said that no derivative is taken in it."""
    return isinstance(order.op, (Constant, StopGradient))


def _fixed(name: str, order: Any, what: str = "order") -> Any:
    """`order`, in which no derivative is taken."""
    if is_fixed(order):
        return stop_gradient(order)
    raise UndefinedGradientError(
        f"{name} of complex numbers has no derivative in its {what}: give it "
        f"stop_gradient({order.name or what})"
    )


def _hyp2f1_slope(a: Any, b: Any, c: Any, z: Any, r: Any) -> Any:
    a, b, c = (_fixed("hyp2f1", v, "parameters") for v in (a, b, c))
    up, across, down = (stop_gradient(v + 1) for v in (a, b, c))
    return a * b / c * complex_hyp2f1(up, across, down, z)


def _trigamma(z: TensorVariable) -> TensorVariable:
    """`trigamma` of complex numbers: terms of its series, and the expansion for what is left.

    On the left by reflection (NIST Digital Library of Mathematical Functions, 5.15.1, 5.15.6 and
    5.15.8), whose share is nothing far from the real line.
    """
    left = lt(z.real, 0.5)
    right = where(left, 1 - z, z)
    total: Any = sum(1 / (right + k) ** 2 for k in range(_TERMS))
    u = 1 / (right + _TERMS)
    total = total + u + 0.5 * u * u + u**3 * polynomial(_BERNOULLI, u * u)
    near = left & lt(abs(z.imag), _LINE)
    place = where(near, z - rint(z.real), 0.5)
    return where(left, where(near, (pi / sin(pi * place)) ** 2, 0) - total, total)


# fmt: off
complex_digamma = _row(
    "complex_digamma", "psi", "`digamma` of a complex number.", 0.036489974 + 0j,
    lambda z, r: _trigamma(z),
)
_row(
    "complex_gamma", "gamma", "`gamma` of a complex number.", 0.886226925 + 0j,
    lambda z, r: r * complex_digamma(z),
)
complex_loggamma = _row(
    "complex_loggamma", "loggamma",
    "The logarithm of the gamma function of a complex number, with a cut along (-inf, 0).",
    -0.120782238 + 0j, lambda z, r: complex_digamma(z),
)
wofz = _row(
    "wofz", "wofz", "Faddeeva's function, exp(-z²) erfc(-iz).", 0.105399225 + 0.483227330j,
    lambda z, r: _SLOPE * 1j - 2 * z * r,
)
_row(
    "complex_erf", "erf", "`erf` of a complex number.", 0.966105146 + 0j,
    lambda z, r: _SLOPE * exp(-z * z),
)
_row(
    "complex_erfc", "erfc", "`erfc` of a complex number.", 0.033894854 + 0j,
    lambda z, r: -_SLOPE * exp(-z * z),
)
_row(
    "complex_erfcx", "erfcx", "`erfcx` of a complex number.", 0.321585416 + 0j,
    lambda z, r: 2 * z * r - _SLOPE,
)
_row(
    "complex_ndtr", "ndtr", "`ndtr` of a complex number.", 0.933192799 + 0j,
    lambda z, r: _DENSITY * exp(-0.5 * z * z),
)
_row(
    "complex_log_ndtr", "log_ndtr", "`log_ndtr` of a complex number.", -0.069143456 + 0j,
    lambda z, r: _DENSITY * exp(-0.5 * z * z - r),
)
_row(
    "complex_exp1", "exp1", "`exp1` of a complex number, with a cut along (-inf, 0).",
    0.100019582 + 0j, lambda z, r: -exp(-z) / z,
)
_row(
    "complex_expi", "expi", "`expi` of a complex number, with a cut along (-inf, 0).",
    3.301285449 + 0j, lambda z, r: exp(z) / z,
)
_row(
    "complex_spence", "spence", "`spence` of a complex number, with a cut along (-inf, 0).",
    -0.448414206 + 0j, lambda z, r: log(z) / (1 - z),
)
_row(
    "complex_dawsn", "dawsn", "`dawsn` of a complex number.", 0.428249078 + 0j,
    lambda z, r: 1 - 2 * z * r,
)
_row(
    "complex_erfi", "erfi", "`erfi` of a complex number.", 4.584732572 + 0j,
    lambda z, r: _SLOPE * exp(z * z),
)
complex_wrightomega = _row(
    "complex_wrightomega", "wrightomega", "`wrightomega` of a complex number.", 1.264959721 + 0j,
    lambda z, r: r / (1 + r),
)
_bessel("jv", 0.671396707 + 0j, _between)
_bessel("yv", -0.431098868 + 0j, _between)
complex_jve = _bessel("jve", complex(0.671396707, -0.0), _between, _of_height)
complex_yve = _bessel("yve", -0.431098868 + 0j, _between, _of_height)
complex_hankel1 = _bessel("hankel1", 0.671396707 - 0.431098868j, _between)
complex_hankel2 = _bessel("hankel2", 0.671396707 + 0.431098868j, _between)
complex_hankel1e = _bessel(
    "hankel1e", complex(0, -0.797884561), lambda f, v, z: _between(f, v, z) - 1j * f(v, z)
)
complex_hankel2e = _bessel(
    "hankel2e", 0.797884561j, lambda f, v, z: _between(f, v, z) + 1j * f(v, z)
)
_bessel("iv", 0.937674888 + 0j, _mean)
_bessel("kv", 0.461068504 + 0j, lambda f, v, z: -_mean(f, v, z))
_bessel(
    "kve", 1.253314137 + 0j, lambda f, v, z: f(v, z) - _mean(f, v, z)
)
_bessel("ive", 0.344951314 + 0j, _mean, lambda z: -sign(z.real))
complex_hyp2f1: Quaternary = quaternary(
    "complex_hyp2f1", "scipy.special.hyp2f1",
    "`hyp2f1` of real parameters and a complex number.",
    (_DOMAIN, _DOMAIN, _DOMAIN, (-0.5, 0.5)), (1.0, 2.0, 3.0, 0.5, 1.545177444 + 0j),
    lambda *of: (None, None, None, _hyp2f1_slope(*of)), dtypes=analytic, cost=LOOP,
)
# fmt: on


def loggamma(x: TensorLike) -> TensorVariable:
    """The logarithm of the gamma function; of real numbers a real one, NaN where they are negative.

    Of complex numbers the branch that is real for positive ones, with a cut along (-inf, 0). See
    `scipy.special.loggamma`.

    >>> loggamma([5.0, -0.5]).eval().round(6)
    array([3.178054,      nan])
    >>> loggamma([1.5 + 0j]).eval().round(6)
    array([-0.120782+0.j])
    """
    z = as_tensor(x)
    return complex_loggamma(z) if z.is_complex else where(lt(z, 0), nan, gammaln(z))
