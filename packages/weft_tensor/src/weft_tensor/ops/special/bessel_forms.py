"""The modified Bessel functions I of orders 0 and 1 by one formula on all backends.

Up to 8, I is its power series (NIST Digital Library of Mathematical Functions, 10.25.2), of which
all terms are positive. Above, exp(-x) sqrt(x) I is a polynomial of w = 16/x - 1, the first terms of
its Chebyshev series, right to 2e-18.
"""

from __future__ import annotations

from math import factorial, inf, nan
from typing import Any, Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.rational import polynomial

__all__ = ["i0_by_series", "i0e_by_series", "i1_by_series", "i1e_by_series"]

# fmt: off
_I0_FAR: Final = (
    0.4021765094450081, 0.0033605519836678614, 0.0001362160743919305, 1.1143033790932038e-05,
    1.4838475658279249e-06, 2.9735985885673923e-07, 8.872219737904054e-08, 3.932584334552952e-08,
    2.1548377974791598e-08, 7.554691881248808e-09, -6.747657956107524e-09,
    -1.340891754008974e-08, -5.404771567579958e-09, 7.552583062123384e-09, 7.430464650325426e-09,
    -3.505966530879332e-09, -5.95356943826489e-09, 1.5200816953924232e-09,
    3.6379546359011143e-09, -5.715843864202709e-10, -1.618980683624682e-09,
    1.5279202694981569e-10, 4.577087631643623e-10, -2.0260604287413626e-11,
    -6.067631570603006e-11,
)
_I1_FAR: Final = (
    0.38939845902587233, -0.009749577193235737, -0.00021923576383388928, -1.5038547200567216e-05,
    -1.8349101326980946e-06, -3.483855761044295e-07, -1.0001288294864884e-07,
    -4.312917729178349e-08, -2.337392820814264e-08, -8.427766093735185e-09,
    6.734464815301592e-09, 1.4034238782067183e-08, 5.974437608040264e-09, -7.64239413436356e-09,
    -7.888351507862078e-09, 3.4262341490077958e-09, 6.242741219786445e-09,
    -1.4387250533041013e-09, -3.794670896208339e-09, 5.295625441161261e-10,
    1.6848984479705146e-09, -1.4011625179770627e-10, -4.758818838703853e-10,
    1.8515118828852956e-11, 6.305965197150057e-11,
)
# fmt: on
_SMALL: Final = 8.0
_I0_NEAR, _I1_NEAR = (
    tuple([1 / (2.0**order * 4.0**k * factorial(k) * factorial(k + order)) for k in range(24)])
    for order in (0, 1)
)
_LARGEST: Final = {"float32": 88.0, "float64": 709.0}
"""Up to which exp does not overflow."""


def i0e_by_series(x: TensorVariable) -> TensorVariable:
    """`i0e` as an expression."""
    y = abs(x)
    near = _near(_I0_NEAR, y) * exp(-where(y < _SMALL, y, 0))
    return where(y < _SMALL, near, _far(_I0_FAR, y))


def i1e_by_series(x: TensorVariable) -> TensorVariable:
    """`i1e` as an expression."""
    y = abs(x)
    near = _odd(x) * _near(_I1_NEAR, y) * exp(-where(y < _SMALL, y, 0))
    return where(y < _SMALL, near, _with_sign(x, _far(_I1_FAR, y)))


def i0_by_series(x: TensorVariable) -> TensorVariable:
    """`i0` as an expression."""
    y = abs(x)
    return where(y < _SMALL, _near(_I0_NEAR, y), _grown(y, _far(_I0_FAR, y)))


def i1_by_series(x: TensorVariable) -> TensorVariable:
    """`i1` as an expression."""
    y = abs(x)
    near = _odd(x) * _near(_I1_NEAR, y)
    return where(y < _SMALL, near, _with_sign(x, _grown(y, _far(_I1_FAR, y))))


def _odd(x: TensorVariable) -> TensorVariable:
    return where(eq(x, 0), 0, x)  # 0 for -0, as SciPy


def _with_sign(x: TensorVariable, value: TensorVariable) -> TensorVariable:
    return where(x < 0, -value, value)


def _near(terms: tuple[float, ...], y: TensorVariable) -> Any:
    return polynomial(terms, where(y < _SMALL, y * y, 0))


def _far(terms: tuple[float, ...], y: TensorVariable) -> Any:
    u = 1 / where(y < _SMALL, _SMALL, y)
    return sqrt(u) * polynomial(terms, 2 * _SMALL * u - 1)


def _grown(y: TensorVariable, scaled: TensorVariable) -> TensorVariable:
    """Very large numbers by halves, which do not overflow before the result does."""
    large = y > _LARGEST[y.dtype]
    whole = where(large, 0.5 * y, y)
    size = exp(whole)
    product = size * scaled
    product = where(large, product * size, product)
    return where(y < inf, where(eq(size, inf), inf, product), nan)  # as SciPy
