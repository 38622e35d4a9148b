"""Formulas as they are printed in books, one a line, and where they are computed.

`x` and `y` are numbers, `v` is a vector. What stands after the bar are the places of each, in the
order of the alphabet: names of `PLACES`.
"""

from __future__ import annotations

import itertools
import re
from typing import Final, NamedTuple

Point = tuple[float | tuple[float, ...], ...]

_SIZES: Final = (1e-20, 1e-8, 1e-3, 0.3, 1.1, 2.5, 10.0, 40.0, 300.0, 800.0, 1e5)
_SHARES: Final = (1e-20, 1e-8, 1e-3, 0.1, 0.3, 0.7, 0.9, 0.999)
_MODERATE: Final = tuple(s for s in _SIZES if s <= 300)


def _signed(sizes: tuple[float, ...]) -> tuple[float, ...]:
    return (*(-s for s in reversed(sizes)), *sizes)


PLACES: Final[dict[str, tuple[float | tuple[float, ...], ...]]] = {
    "real": _signed(_SIZES),
    "positive": _SIZES,
    "huge": (*_SIZES, 1e100, 1e200),
    "above1": (1 + 1e-8, 1.1, 2.5, 10.0, 1e5, 1e200),
    "moderate": _signed(_MODERATE),
    "angles": _signed((1e-20, 1e-8, 1e-4, 0.3, 1.1, 2.5)),
    "tails": _signed((1e-20, 1e-8, 1e-3, 0.3, 1.1, 2.5, 7.0, 15.0, 26.0, 38.0, 300.0)),
    "shares": _SHARES,
    "within1": _signed(_SHARES),
    "few": (-800.0, -2.5, 1e-8, 0.7, 40.0, 900.0),
    "tiny": _signed((1e-20, 1e-12, 1e-8, 1e-4, 0.1)),
    "sizes": (1e-8, 0.7, 2.0, 3.5, 40.0),
    "near": (1e-8, 0.7, 3.0, 3.0000001, 40.0),
    "vectors": (
        (0.3, -1.2, 2.5),
        (900.0, 899.0, -3.0),
        (-900.0, -905.0, -901.5),
        (1e-9, 0.0, -40.0),
    ),
    "counts": ((0.3, 1.2, 2.5), (1e150, 3e120, 1e110), (1e-150, 1e-120, 3e-110)),
    "spread": ((0.3, -1.2, 2.5), (1e6, 1e6 + 0.25, 1e6 + 1.5), (1e-170, 3e-170, -2e-170)),
}

LINES: Final = """
log(1 + x) | positive
log(1 - x) | shares
log(exp(x)) | real
exp(log(x)) | huge
exp(x) - 1 | moderate
1 - exp(-x) | moderate
log(1 + exp(x)) | real
log(exp(x) + exp(-x)) | real
log(exp(x) - exp(-x)) | positive
log(exp(x) + exp(y)) | few few
log(exp(x) - 1) | positive
log(1 - exp(-x)) | positive
log(1 + exp(x)) - x | real
log(1 + x**2) | huge
log(x**2) | huge
log(x**y) | huge sizes
log(sqrt(x)) | huge
log(x*y) | huge sizes
log(x/y) | huge sizes
log(1/x) | huge
log(exp(x)*exp(y)) | few few
log(exp(x)/exp(y)) | few near
exp(x)*exp(y) | few near
exp(x)/exp(y) | few near
exp(x)**2 | moderate
exp(y*log(x)) | positive sizes
1/(1 + exp(-x)) | real
exp(x)/(1 + exp(x)) | real
1 - 1/(1 + exp(-x)) | real
log(1/(1 + exp(-x))) | real
log(1 - 1/(1 + exp(-x))) | real
log(exp(x)/(1 + exp(x))) | real
exp(-x)/(1 + exp(-x))**2 | real
(exp(x) - 1)/x | moderate
(1 - exp(-x))/x | moderate
x/(exp(x) - 1) | real
log(1 + x)/x | positive
log((1 + x)/(1 - x)) | within1
log((1 + x)/(1 - x))/2 | within1
log(1 + x) - log(1 - x) | within1
log(x/(1 - x)) | shares
log(x) - log(1 - x) | shares
log(cosh(x)) | real
log(2*cosh(x)) | real
log(1/cosh(x)) | real
log(sinh(x)) | positive
(exp(x) - exp(-x))/(exp(x) + exp(-x)) | real
(1 - exp(-2*x))/(1 + exp(-2*x)) | real
(exp(2*x) - 1)/(exp(2*x) + 1) | real
2/(1 + exp(-2*x)) - 1 | real
sinh(x)/cosh(x) | real
1 - tanh(x)**2 | real
1/cosh(x)**2 | real
1 - tanh(x) | real
(exp(x) - exp(-x))/2 | moderate
(exp(x) + exp(-x))/2 | moderate
2/(exp(x) + exp(-x)) | real
cosh(x) - 1 | moderate
log(x + sqrt(x**2 + 1)) | huge
log(x + sqrt(x**2 - 1)) | above1
cosh(x)**2 - sinh(x)**2 | moderate
1 - cos(x) | angles
(1 - cos(x))/x**2 | angles
(1 - cos(x))/x | angles
sin(x)/x | angles
sin(x)/cos(x) | angles
(1 - cos(x))/sin(x) | angles
sin(x)**2 + cos(x)**2 | real
sqrt(x + 1) - sqrt(x) | huge
sqrt(1 + x) - 1 | huge
1 - sqrt(1 - x) | shares
sqrt(1 + x**2) - 1 | huge
sqrt(x**2 + y**2) | huge sizes
sqrt(x**2) | real
1/x - 1/(x + 1) | positive
x**2 - y**2 | near near
x/sqrt(1 + x**2) | huge
log(exp(-x**2/2)/sqrt(2*pi)) | real
log(exp(-((x - y)/3)**2/2)/(3*sqrt(2*pi))) | real sizes
log(y*exp(-y*x)) | huge sizes
log(exp(-abs(x))/2) | real
log(exp(-abs(x - y)/3)/6) | real sizes
log(1/(pi*(1 + x**2))) | huge
log(exp(-x)/(1 + exp(-x))**2) | real
log(exp(-(x + exp(-x)))) | moderate
log(exp(-log(x)**2/2)/(x*sqrt(2*pi))) | huge
log(x**(y - 1)*exp(-x)) | positive sizes
log(x**3*(1 - x)**2) | shares
log((1 + x**2/5)**(-3)) | huge
log(y*x**(y - 1)*exp(-x**y)) | positive sizes
log(exp(3*cos(x))) | angles
1 - exp(-exp(x)) | moderate
log(1 - exp(-exp(x))) | few
-log(-log(x)) | shares
1 - erf(x) | tails
log(1 - erf(x)) | tails
log(erfc(x)) | tails
(1 + erf(x/sqrt(2)))/2 | tails
log((1 + erf(x/sqrt(2)))/2) | tails
exp(x**2)*erfc(x) | positive
exp(-x**2/2)/erfc(x/sqrt(2)) | tails
log(1 + 2*exp(x)) | real
log(2 + exp(x)) | real
log(0.3*exp(-x**2/2) + 0.7*exp(-(x - 3)**2/2)) | moderate
log(sum(exp(v))) | vectors
log(sum(exp(-v))) | vectors
sum(v*exp(v))/sum(exp(v)) | vectors
log(mean(exp(v))) | vectors
log(sum(3*exp(v))) | vectors
exp(v[0])/sum(exp(v)) | vectors
log(exp(v[0])/sum(exp(v))) | vectors
log(prod(exp(v))) | vectors
log(prod(v**2)) | counts
sqrt(sum(v**2)) | counts
mean((v - mean(v))**2) | spread
mean(v**2) - mean(v)**2 | spread
sum(v/sum(abs(v))) | counts
x/(1 + exp(-x)) | real
x*(1 + erf(x/sqrt(2)))/2 | tails
x*tanh(log(1 + exp(x))) | real
log(1 + exp(-abs(x))) + maximum(x, 0) | real
-y*log(1/(1 + exp(-x))) - (1 - y)*log(1 - 1/(1 + exp(-x))) | real shares
-x*log(x) - (1 - x)*log(1 - x) | shares
x*log(x/y) | huge sizes
1 - (1 - x)**3 | shares
(1 + x)**3 - 1 | positive
exp(x)/(exp(x) + exp(y)) | few few
log(exp(x)/(exp(x) + exp(y))) | few few
x/(1 - exp(-x)) | real
exp(x)*x/(exp(x) - 1) | moderate
1/(exp(x) + 1) | real
1/(exp(x) - 1) | moderate
x**3/(exp(x) - 1) | moderate
x**2*exp(x)/(exp(x) - 1)**2 | moderate
sqrt(x**2 + 1) - x | huge
sqrt(x**2 + y**2) - y | huge sizes
1 - 1/sqrt(1 + x**2) | huge
1/sqrt(1 - x**2) - 1 | within1
(sqrt(1 + x) - 1)/x | huge
1/cos(x) - 1 | angles
x/(y + x) | huge sizes
(x - y)/(x + y) | near near
x*log(x/y) + (1 - x)*log((1 - x)/(1 - y)) | shares shares
log((exp(x) - 1)/x) | real
1 - (1 - exp(-x))**2 | positive
exp(-x)*(1 + x) | positive
1 - 1/(1 + x) | positive
1/(1 + x)**2 - 1 | positive
log(-log(1 - x)) | shares
log(1 - exp(-(x/y)**2)) | positive sizes
sum(v*log(v)) | counts
log(sum(exp(v))) - v[0] | vectors
3*log(sum(exp(v/3))) | vectors
log(cosh(x - y)) | few few
-(1 - 1/(1 + exp(-x)))**2*log(1/(1 + exp(-x))) | moderate
log(sqrt(2/pi)*x**2*exp(-x**2/2)) | huge
log(exp(-(x - 1)**2/(2*x))/sqrt(2*pi*x**3)) | positive
-(y + 1)/2*log(1 + x**2/y) | positive sizes
log(1 + y*(exp(x) - 1)) | moderate shares
x - log(1 + x) | positive
x - 1 - log(x) | positive
exp(x) - 1 - x | moderate
(exp(x) - 1 - x)/x**2 | moderate
cosh(x)/sinh(x) - 1/x | real
1/x - 1/(exp(x) - 1) | real
tanh(x)/x | real
x/tanh(x) | real
sinh(x)/x | moderate
x/sinh(x) | real
log(sinh(x)/x) | real
exp(-x)*cosh(x) | real
cosh(x)/exp(x) | real
exp(x)/x - 1/x | moderate
(exp(x*y) - 1)/y | moderate tiny
(1 - exp(-x*y))/y | moderate tiny
(x**y - 1)/y | positive tiny
(x**(1 - y) - 1)/(1 - y) | huge sizes
(1 + x)**y - 1 | shares sizes
1 - (1 - x)**y | shares sizes
((1 + x)**y - 1)/x | shares sizes
(1 - (1 + x)**(-y))/x | shares sizes
(1 + 1/x)**x | huge
(1 + x)**(1/x) | shares
((x**y + 1)/2)**(1/y) | positive tiny
x*log(x/y) - x + y | near near
y - x + x*log(x/y) | near near
maximum(x, 0) - x*y + log(1 + exp(-abs(x))) | real shares
1/(x**5*(exp(1/x) - 1)) | positive
log(1 + x) - log(x) | huge
sqrt(x + y) - sqrt(x) | huge sizes
sqrt(y**2 + 4*x) - y | huge sizes
y - sqrt(y**2 - 4*x) | shares positive
x/sqrt(x**2 + y**2) | huge sizes
1 - x/sqrt(1 + x**2) | huge
1/(1 + x) - 1/(1 - x) | within1
log(sqrt(x**2 + y**2)) | huge sizes
log(x**2 + y**2)/2 | huge sizes
1 - sqrt(1 - x**2) | within1
1 - cos(x)**2 | angles
sqrt(2 - 2*cos(x)) | angles
2*arcsin(sqrt(sin(x/2)**2)) | angles
x - sin(x) | angles
tan(x) - sin(x) | angles
log(cos(x)) | angles
sin(x + y) - sin(x) | angles tiny
cos(x + y) - cos(x) | angles tiny
exp(x + y) - exp(x) | moderate tiny
log(gamma(x)) | positive
gamma(x + 1)/gamma(x) | positive
gamma(x)*gamma(y)/gamma(x + y) | sizes sizes
gammaln(x) + gammaln(y) - gammaln(x + y) | sizes sizes
gammaln((x + 1)/2) - gammaln(x/2) | positive
log(tanh(x/2)) | positive
"""


class Formula(NamedTuple):
    """A formula, its letters, and the points at which it is computed."""

    text: str
    letters: tuple[str, ...]
    points: tuple[Point, ...]


def _read(line: str) -> Formula:
    text, places = map(str.strip, line.split("|"))
    letters = tuple(sorted(set(re.findall(r"\b[xyv]\b", text))))
    points = tuple(itertools.product(*[PLACES[place] for place in places.split()]))
    return Formula(text, letters, points)


FORMULAS: Final = tuple(map(_read, LINES.strip().splitlines()))
