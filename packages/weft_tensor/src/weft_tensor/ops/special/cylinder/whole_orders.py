"""Bessel functions J, Y and K of orders 0 and 1 by formulas that are short on all backends.

Up to 8, J is a polynomial of x² times what its first two zeros make 0, and Y is another and
2/pi log(x) J. Above, both are sums of a cosine and a sine, with polynomials of (8/x)² (NIST
Digital Library of Mathematical Functions, 10.8.1 and 10.17.3). K is its series up to 2 (10.31.1
and 10.31.2) and above a polynomial of 4/x - 1. All polynomials are the first terms of Chebyshev's
series, right to 2e-18.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial, inf, nan, pi
from typing import Any, Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.exponential import log as logarithm
from weft_tensor.ops.elementwise.rational import polynomial
from weft_tensor.ops.elementwise.trigonometric import cos, sin
from weft_tensor.ops.special.bessel_forms import i0_by_series, i1_by_series
from weft_tensor.ops.special.slope_rows import doubled

__all__ = ["first_kind", "modified", "second_kind"]

_T = TensorVariable
_MIDDLE: Final = 8.0
_SMALL: Final = 2.0
_EULER: Final = 0.5772156649015329
# fmt: off
_J0_NEAR: Final = (
    0.0011434937743762545, -0.002119794289479692, 0.0015636431645931661, -0.0006415390646406127,
    0.00016977200713997844, -3.157342540223125e-05, 4.3669323246406834e-06,
    -4.677128021500441e-07, 3.998839345472477e-08, -2.7948629190182998e-09,
    1.62764894918064e-10, -8.023536504699326e-12, 3.3923298937104677e-13,
    -1.2440365198698484e-14, 4.0068948013720515e-16, -1.1360491745378638e-17,
)
_Y0_NEAR: Final = (
    -0.382250654459425, -0.8284358903604587, 1.6470964788745466, 0.14412632369302442,
    -1.0775477338215995, 0.6721770783431723, -0.21895747096171628, 0.0463670476813471,
    -0.00702574105727097, 0.0008061586060550644, -7.279541882454115e-05, 5.321318633735116e-06,
    -3.2185078445935923e-07, 1.6391065268260488e-08, -7.13046146536789e-10,
    2.681822137847736e-11, -8.840112096073101e-13, 2.558039436392922e-14,
)
_P0: Final = (
    0.9994572757882519, -0.0005363673192130047, 6.137416080163085e-06, -2.0527448156307146e-07,
    1.2803760583405539e-08, -1.2121182069774233e-09, 1.5501079933860844e-10,
    -2.4882702786880542e-11, 4.772297614846628e-12, -1.0636861151667625e-12,
    2.668750992381705e-13, -6.416781008015415e-14, 1.7716435634547776e-14,
    -1.180002783020184e-14, 4.479453416045804e-15,
)
_Q0: Final = (
    -0.015555113879513518, 6.833149099344083e-05, -1.477138832650122e-06, 7.106214852192226e-08,
    -5.668716046704292e-09, 6.432789503382007e-10, -9.4704131236215e-11, 1.7029372022291316e-11,
    -3.5884013838881433e-12, 8.689732394690306e-13, -2.34205092942912e-13,
    5.756325587995953e-14, -1.642189437353317e-14, 1.2731367623367943e-14,
    -5.071762053003792e-15,
)
_K0_FAR: Final = (
    1.2185953385133905, -0.03107146182488952, 0.003032891810273794, -0.0004797690567662314,
    9.956054749305854e-05, -2.4735204561466906e-05, 7.002244287487694e-06,
    -2.191177788015528e-06, 7.427932208028755e-07, -2.6890662472901614e-07,
    1.0287980689458582e-07, -4.133923052104385e-08, 1.731622598181986e-08,
    -7.286380907337665e-09, 3.170629957994259e-09, -1.9309444875845705e-09,
    1.0573777917720047e-09, 1.7887095838476482e-10, -2.426111314423373e-10,
    -5.541051446065683e-10, 3.883027499295913e-10, 2.213758097591008e-10,
    -1.5750973144552285e-10, -6.910453875670571e-11, 4.4463261136368365e-11,
)
_J1_NEAR: Final = (
    0.00019498936985895625, -0.0002697522746716368, 0.00015860016799369874,
    -5.408003239085507e-05, 1.224217365301561e-05, -1.98909351591414e-06, 2.442522260752042e-07,
    -2.3521922546334384e-08, 1.8268547695321333e-09, -1.1696932385905797e-10,
    6.284733827929608e-12, -2.875548656182314e-13, 1.1343125416873433e-14,
    -3.898564466971905e-16, 1.181146462725329e-17, -3.1622441710487245e-19,
)
_Y1_NEAR: Final = (
    0.07075985882118005, -0.24337743079193114, 0.023367571720993584, 0.23507209206669755,
    -0.19639839859930425, 0.07854786922242545, -0.019628756833099423, 0.0034224907399180455,
    -0.00044381734351149876, 4.467433012914413e-05, -3.600999874357815e-06,
    2.380492991366028e-07, -1.3153322551127247e-08, 6.169742613332968e-10,
    -2.4887509903377128e-11, 8.728810134833414e-13, -2.695138958384033e-14,
    7.339060975161991e-16,
)
_P1: Final = (
    1.0009070262780821, 0.0008988049416705579, -7.95969469849487e-06, 2.4536766222672443e-07,
    -1.4708512086159542e-08, 1.3603058049468316e-09, -1.7131617922370612e-10,
    2.720406848040165e-11, -5.1756417352379415e-12, 1.1462229852806783e-12,
    -2.861148018572335e-13, 6.864486664846182e-14, -1.8904930097426227e-14,
    1.2489929194563941e-14, -4.728767819765722e-15,
)
_Q1: Final = (
    0.04677687402744898, -9.621458822054632e-05, 1.8212018512314264e-06, -8.291960701313517e-08,
    6.420132496338991e-09, -7.151113611051071e-10, 1.0395096687547827e-10,
    -1.8520736145988993e-11, 3.875456046538219e-12, -9.33138059712287e-13,
    2.503410968458231e-13, -6.144675787095688e-14, 1.7495330566839966e-14,
    -1.3449019339973269e-14, 5.344527277743522e-15,
)
_K1_FAR: Final = (
    1.363151890371342, 0.10334973775386523, -0.005566729880072931, 0.0007357241549081501,
    -0.00013959021964175084, 3.284386555825453e-05, -8.961205912549711e-06,
    2.730041433569803e-06, -9.067229884830243e-07, 3.2298119177151824e-07,
    -1.2195093824501613e-07, 4.8461952200091865e-08, -2.0109398585523846e-08,
    8.40938756536177e-09, -3.639264909950171e-09, 2.1757782025837176e-09,
    -1.180097808498307e-09, -1.7982138496175016e-10, 2.560533082941635e-10,
    6.042482293782838e-10, -4.2190635517826636e-10, -2.399376595899464e-10,
    1.704297529665342e-10, 7.52479548635394e-11, -4.829107281627596e-11,
)
# fmt: on
_ZEROS: Final = (
    ((2.404825557695773, -1.176691651530894e-16), (5.520078110286311, 8.088597146146722e-17)),
    ((3.8317059702075125, -1.5269184090088067e-16), (7.015586669815619, -9.414165653410389e-17)),
)
"""Of J of both orders, in two parts."""
_J_NEAR: Final = _J0_NEAR, _J1_NEAR
_Y_NEAR: Final = _Y0_NEAR, _Y1_NEAR
_FAR: Final = (_P0, _Q0), (_P1, _Q1)
_K_FAR: Final = _K0_FAR, _K1_FAR


def _psi(n: int) -> float:
    return sum(1 / k for k in range(1, n)) - _EULER


_K_NEAR: Final = (
    tuple([_psi(k + 1) / (4.0**k * factorial(k) ** 2) for k in range(14)]),
    tuple(
        [
            -(_psi(k + 1) + _psi(k + 2)) / (4.0 ** (k + 1) * factorial(k) * factorial(k + 1))
            for k in range(14)
        ]
    ),
)
"""Of the rest of K as a series in x²."""


def first_kind(order: int) -> Callable[..., Any]:
    """J of order 0 or 1."""

    def form(x: _T) -> _T:
        y = abs(x)
        value = where(y < _MIDDLE, _j_near(order, y), _far(order, y, cosine=True))
        value = where(isnan(y), y, value)
        return where(x < 0, -value, value) if order else value

    return doubled(form)


def second_kind(order: int) -> Callable[..., Any]:
    """Y of order 0 or 1; NaN of negative numbers."""

    def form(x: _T) -> _T:
        inside = where((x > 0) & (x < _MIDDLE), x, 1.0)
        rest = polynomial(_Y_NEAR[order], inside * inside / 32 - 1)
        near = 2 / pi * logarithm(inside) * _j_near(order, inside)
        near = near + (rest * inside - 2 / pi / inside if order else rest)
        value = where(x < _MIDDLE, near, _far(order, x, cosine=False))
        return where(x > 0, value, where(eq(x, 0), -inf, nan))

    return doubled(form)


def modified(order: int, *, scaled: bool) -> Callable[..., Any]:
    """K of order 0 or 1, times exp(x) if it is scaled; NaN of negative numbers."""

    def form(x: _T) -> _T:
        low = where((x > 0) & (x <= _SMALL), x, 1.0)
        half = logarithm(0.5 * low)
        rest = polynomial(_K_NEAR[order], low * low)
        if order:
            near = 1 / low + half * i1_by_series(low) + low * rest
        else:
            near = rest - half * i0_by_series(low)
        high = where(x > _SMALL, x, _SMALL)
        u = 1 / high
        far = sqrt(u) * polynomial(_K_FAR[order], 4 * u - 1)
        near, far = (near * exp(low), far) if scaled else (near, far * exp(-high))
        value = where(x <= _SMALL, near, far)
        return where(x > 0, value, where(eq(x, 0), inf, nan))

    return doubled(form)


def _j_near(order: int, y: _T) -> Any:
    """J of numbers from 0 to 8; others are 1 here."""
    y = where(y < _MIDDLE, y, 1.0)
    value: Any = polynomial(_J_NEAR[order], y * y / 32 - 1)
    for zero, rest in _ZEROS[order]:
        value = value * (((y - zero) - rest) * (y + zero))
    return y * value if order else value


def _far(order: int, y: _T, *, cosine: bool) -> Any:
    """J, or else Y, of numbers from 8; others are 8 here."""
    y = where(y >= _MIDDLE, y, _MIDDLE)
    u = _MIDDLE / y
    p, q = (polynomial(terms, 2 * u * u - 1) for terms in _FAR[order])
    c, s = cos(y), sin(y)
    together, apart = (s - c, -(c + s)) if order else (c + s, s - c)  # times sqrt(2)
    waves = p * together - u * q * apart if cosine else p * apart + u * q * together
    return waves / (pi**0.5 * sqrt(y))
