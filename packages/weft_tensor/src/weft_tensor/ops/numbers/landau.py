"""Landau's distribution by quotients of polynomials: density, both tails, places of shares.

With z = exp(-1 - y), w = 1 / z, and u with 1/u - log(u) = y, the distribution function F of y and
its density f are smooth functions of w, y and u times

    F: exp(-z) sqrt(w), exp(-z), and 1 - F: u    f: exp(-z) / sqrt(w), exp(-z), u²

for y below -2, between, and above 4: to the left F is the mean over t of exp(-z V(t)) by Laplace's
method (see `stable_rows`), to the right exp(-t log(t) - y t) is exp(-s - u s log(s)), t = u s, so
that powers of u suffice, without logarithms. p and q go through the values at Chebyshev's nodes,
as many as there are coefficients, computed with 34 digits from the integrals over t: all are wrong
by less than 6e-16 of the value, the place below by 7e-15; computed in doubles, by 2e-15.
"""

from __future__ import annotations

from math import inf
from typing import Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, log, log1mexp, log1p
from weft_tensor.ops.elementwise.rational import Coefficients, quotient

__all__ = [
    *("landau_logcdf", "landau_logpdf", "landau_logsf", "landau_place_above", "landau_place_below"),
]

_T = TensorVariable
_LOW: Final = -2.0
_HIGH: Final = 4.0
_CENTRE: Final = 1.0
_LEAST: Final = {"float64": -700.0, "float32": -80.0}
"""Below it, logarithms of probabilities overflow."""

# fmt: off
_LOW_SHARE: Final[Coefficients] = (
    (
        0.39894228040143215, 12.17172236165979, 137.37316402138543, 730.274735031634,
        1930.2718469851834, 2463.9613101032696, 1359.0318505404503, 248.5287435363713,
        6.519095374076152,
    ),
    (
        1.0, 30.968316756026002, 357.8697342364585, 1975.520241881048, 5550.188524172328,
        7838.2293612012245, 5150.503530617987, 1316.9124508748596, 83.58345638820995,
    ),
)
"""Of F exp(z) / sqrt(w)."""
_LOW_DENSITY: Final[Coefficients] = (
    (
        0.3989422804014327, 10.419600742407605, 99.70469524252137, 445.440421292666,
        983.2459405080394, 1047.7404939867204, 489.34701434680886, 80.39021737880591,
        2.613446711242013,
    ),
    (
        1.0, 26.076399164618415, 248.85605685428555, 1106.6780794704366, 2422.84477039911,
        2542.1183527263174, 1150.1424106679317, 175.01610317692098, 4.308107981633247,
    ),
)
"""Of f exp(z) sqrt(w)."""
_MIDDLE_SHARE: Final[Coefficients] = (
    (
        0.5163799021436946, 0.3927718439307733, 0.15298384055874995, 0.038165347862242884,
        0.006704029807929825, 0.0008631888629720668, 8.271082839581786e-05, 5.831104125145331e-06,
        2.8761927084863186e-07, 8.802811765613583e-09, 1.2266131386701297e-10,
    ),
    (
        1.0, 0.5740080007142472, 0.20276292869278953, 0.04600545737505247, 0.007786899452814069,
        0.0009553438399607402, 9.022733921153968e-05, 6.057065510911898e-06, 3.034488919096514e-07,
        8.668661581667955e-09, 1.2729436547062765e-10,
    ),
)
"""Of F exp(z)."""
_MIDDLE_DENSITY: Final[Coefficients] = (
    (
        0.16625006900656386, 0.0536767002646053, 0.013548126442477043, 0.001857131800252322,
        0.00022201413497815588, 1.484874798523482e-05, 9.662199712706654e-07, 1.847952548368016e-08,
        8.969116103526805e-10, -1.643130137600245e-11, 2.6646548811488887e-13,
    ),
    (
        1.0, 0.7493920278414912, 0.294843743639434, 0.07598611300447146, 0.013993285810342761,
        0.0019057479318324727, 0.00019340739555065529, 1.4414819783341126e-05,
        7.550666482464782e-07, 2.512821363485505e-08, 4.0403979445732986e-10,
    ),
)
"""Of f exp(z)."""
_HIGH_REST: Final[Coefficients] = (
    (
        1.0, 23.55597266470101, 233.77611006659674, 1251.8004182792583, 3810.596281236149,
        6301.610999761222, 4737.418111957021, 904.2116366563663, -173.68530141424839,
        5.447147677681842,
    ),
    (
        1.0, 23.97875699979947, 245.95735603899283, 1395.3596658410008, 4698.731101629421,
        9336.483150542996, 10132.671138889513, 4906.784659537103, 495.83981300795597,
        -96.0138831329261,
    ),
)
"""Of (1 - F) / u."""
_HIGH_DENSITY: Final[Coefficients] = (
    (
        1.0, 23.615315398913907, 239.3855078087134, 1315.7181726091908, 4086.2718022737013,
        6706.049492980468, 4553.986842991967, 385.69668428249435, -268.5116519170249,
        33.376811001628504, -1.5478303927431663,
    ),
    (
        1.0, 25.460884069110843, 290.6599585052193, 1919.2534383366492, 7954.840366501092,
        21059.26933401862, 34706.074140740966, 33047.104006620626, 15684.963790034659,
        2797.269581379866, 105.43133696631472,
    ),
)
"""Of f / u²."""
_PLACE_BELOW: Final[Coefficients] = (
    (
        0.467426773631008, -1.9920855130729815, -0.4256639417638768, -0.32359472844350917,
        -0.05888721671679731, -0.025100960998253426, -0.0034088984609566336, -0.0009665061196175756,
        -0.00010480292060201563, -1.7823918399016354e-05, -1.2716402662823775e-06,
        -1.2741538995610132e-07, -4.866087886129813e-09,
    ),
    (
        1.0, 0.46814796585660456, 0.19726467345894064, 0.06081782449796845, 0.01680104955787426,
        0.0036944335570642394, 0.0006825212522849619, 0.00011319438967842709,
        1.4389560631182607e-05, 1.2918844307141753e-06, 1.1671592687029862e-07,
        5.007305930047422e-09, -1.5460849804238785e-12,
    ),
)
"""Of y, by log(-log(F))."""
_PLACE_ABOVE: Final[Coefficients] = (
    (
        1.0000000000000007, 10.772874023806153, 38.78268507405641, 30.74523090385818,
        -62.18104792962394, -35.936593171497684, 21.792687431487636, -18.716560789653066,
        14.27248435042141, 4.7786687695240175,
    ),
    (
        1.0, 10.35008968870853, 32.00593296083281, -2.9073819813287614, -107.21859362442679,
        35.924333113977916, 84.27103806855055, -98.2391118757846, 63.129544620815885,
        -17.80946016219432,
    ),
)
"""Of u / (1 - F), by 1 - F."""
# fmt: on


def _rate(y: _T) -> _T:
    """z."""
    return exp(-1 - y)


def _low(terms: Coefficients, y: _T, power: float) -> _T:
    """The logarithm of w^power p / q."""
    return power * (1 + y) + log(quotient(terms, exp(1 + y)))


def _middle(terms: Coefficients, y: _T) -> _T:
    return log(quotient(terms, y - _CENTRE))


def _high(y: _T) -> _T:
    """u, of which 1/u is found by Newton's steps."""
    turn = log(y)
    v = y - turn + turn / y
    for _ in range(3):
        v = v * ((1 + y - log(v)) / (1 + v))
    return 1 / v


def _parts(y: _T) -> tuple[_T, _T, _T, _T, _T]:
    """Where y is low and high, and places there and in the middle that are safe elsewhere."""
    is_low, is_high = y < _LOW, y > _HIGH
    low = where(is_low, maximum(y, _LEAST[y.dtype]), _LOW)
    middle = where(is_low | is_high, _CENTRE, y)
    far = is_high & (y < inf)
    return is_low, is_high, low, middle, where(far, y, _HIGH)


def _chosen(y: _T, is_low: _T, is_high: _T, low: _T, middle: _T, high: _T | float) -> _T:
    """The logarithm of what is times exp(-z) up to `_HIGH`."""
    near = where(is_low, low, middle) - _rate(where(is_high, _HIGH, maximum(y, _LEAST[y.dtype])))
    value = where(is_high, high, near)
    return where(y < _LEAST[y.dtype], -inf, value)


def landau_logpdf(y: _T) -> _T:
    """The logarithm of the density of y, which is -inf where it overflows."""
    is_low, is_high, low, middle, high = _parts(y)
    u = _high(high)
    far = where(y < inf, 2 * log(u) + log(quotient(_HIGH_DENSITY, u)), -inf)
    near = _low(_LOW_DENSITY, low, -0.5), _middle(_MIDDLE_DENSITY, middle)
    return _chosen(y, is_low, is_high, *near, far)


def _log_share(y: _T) -> tuple[_T, _T, _T]:
    """The logarithm of F up to `_HIGH`, where y is above that, and 1 - F there."""
    is_low, is_high, low, middle, high = _parts(y)
    u = _high(high)
    rest = where(y < inf, u * quotient(_HIGH_REST, u), 0.0)
    near = _low(_LOW_SHARE, low, 0.5), _middle(_MIDDLE_SHARE, middle)
    return _chosen(y, is_low, is_high, *near, -1.0), is_high, rest


def landau_logcdf(y: _T) -> _T:
    """The logarithm of the share below y."""
    share, is_high, rest = _log_share(y)
    return where(is_high, log1p(-rest), share)


def landau_logsf(y: _T) -> _T:
    """The logarithm of the share above y."""
    share, is_high, rest = _log_share(y)
    return where(is_high, log(where(is_high, rest, 1.0)), log1mexp(where(is_high, -1.0, share)))


def landau_place_below(surprise: _T) -> _T:
    """The y of a share below it of at most 1/2, by minus the logarithm of the share.

    >>> from weft_tensor import log, scalar
    >>> q = scalar("q")
    >>> round(landau_place_below(-log(q)).eval({q: 0.5}).item(), 6)
    1.35578
    """
    return quotient(_PLACE_BELOW, log(surprise))


def landau_place_above(share: _T) -> _T:
    """The y of a share above it of at most 1/2.

    >>> from weft_tensor import scalar
    >>> q = scalar("q")
    >>> round(landau_place_above(q).eval({q: 0.5}).item(), 6)
    1.35578
    """
    v = 1 / share / quotient(_PLACE_ABOVE, share)
    return v + log(v)
