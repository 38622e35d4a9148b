"""Distributions of extreme parameters, and at the ends of what numbers tell apart, on all backends.

Values are mpmath's; elsewhere SciPy's, where these are right.
"""

from __future__ import annotations

from math import inf, log
from typing import Any, Final

import numpy as np
import pytest

import weft.tensor as wt

VALUES: Final = [
    ("argus", "logcdf", (1.0,), 0.64682001309538273, -0.69314718055994493),
    ("boltzmann", "ppf", (1e-12, 10.0), 0.85, 8.0),
    ("boltzmann", "ppf", (1e-3, 100.0), 0.85, 84.0),
    ("genhalflogistic", "logpdf", (1.0,), 1.0, log(2)),
    ("genpareto", "logpdf", (-1.0,), 1.0, 0.0),
    ("invgauss", "logcdf", (1e6,), 6933524675722.54, -1.0000000008465926e-9),
    ("invgauss", "logsf", (0.001,), 1e12, -4.9999999999999903e17),
    ("jf_skew_t", "logcdf", (3e-6, 2.0), -1e8, -0.00010960352600538841),
    ("jf_skew_t", "cdf", (3e-6, 2.0), -1e8, 0.99989040248024163),
    ("kappa4", "logcdf", (-0.4, -0.003), -333.3333, -13429.45564935157),
    ("kappa4", "logpdf", (-0.4, -0.003), -333.3333, -13412.421262968278),
    ("kappa4", "cdf", (-3000.0, -0.0004), -1000.0, 0.65157888411039118),
    ("kstwobign", "pdf", (), 1e-300, 0.0),
    ("kumaraswamy", "logpdf", (0.15, 0.5), 0.99999999, 7.5686332028359172),
    ("kumaraswamy", "logsf", (0.005, 0.5), 0.99999999, -11.859499050250321),
    ("kumaraswamy", "logpdf", (2.0, 1.0), 1.0, log(2)),
    ("loggamma", "cdf", (1e-8,), -7e7, 0.49658530665777764),
    ("loggamma", "sf", (1e-8,), -7e7, 0.50341469334222236),
    ("loggamma", "logsf", (1e-8,), -7e7, -0.68634100850223586),
    ("pearson3", "logpdf", (-5.0,), -1e300, -4e299),
    ("recipinvgauss", "logcdf", (0.001,), 1e-20, -5.0000000000000001e25),
    ("triang", "cdf", (0.0,), 1e-20, 1.9999999999999999e-20),
    ("triang", "sf", (0.0,), 1e-20, 1.0),
    ("triang", "logsf", (1e-12,), 1e-8, -1.9999000100000001e-8),
    ("truncpareto", "cdf", (-1000.0, 3.0), 2.999, 0.71649149553673535),
    ("truncpareto", "sf", (-1000.0, 3.0), 2.999, 0.28350850446326465),
    ("truncpareto", "logpdf", (-1000.0, 3.0), 2.999, 5.4760874779776466),
    ("betaprime", "isf", (0.03, 5.0), 0.5, 1.1749254006297744e-11),
    ("f", "isf", (0.05, 7.0), 0.5, 2.4109384429016879e-11),
    ("f", "ppf", (1000.0, 0.01), 0.1, 12558443.038986094),
    ("halft", "ppf", (0.05,), 0.5, 119583.37585464691),
    ("jf_skew_t", "ppf", (3.0, 0.02), 0.5, 61342575.488519215),
    ("kappa4", "ppf", (-40000.0, -0.3), 0.5, -3.3333333333333333),
    ("loggamma", "isf", (1e-8,), 0.5, -69314718.633210182),
    ("pareto", "ppf", (1e-8,), 1e-9, 1.1051709181309062),
    ("triang", "ppf", (0.0,), 1e-9, 5.0000000012500003e-10),
    ("truncpareto", "isf", (200000.0, 5.0), 0.5, 1.0000034657419085),
    ("truncpareto", "isf", (1000.0, 3.0), 0.5, 1.0006933874625806),
    ("truncpareto", "ppf", (-1000.0, 3.0), 0.5, 2.9979212789713576),
]
"""A name, a method, shape parameters, an argument and the value."""


MOMENTS: Final = [
    ("boltzmann", "mean", (1e-12, 10.0), 4.499999999991750),
    ("boltzmann", "var", (1e-3, 100.0), 832.8334986235637),
    ("bradford", "var", (1e-8,), 0.08333333333333333),
    ("dweibull", "var", (1e-3,), inf),
    ("exponnorm", "entropy", (1e-8,), 1.4189385332046727),
    ("exponnorm", "entropy", (0.0099,), 1.4189875358030257),
    ("gengamma", "var", (0.36, -2.0), inf),
    ("genextreme", "mean", (-1e-9,), 0.57721566589058886),
    ("genextreme", "var", (9e-5,), 1.6445468847968667),
    ("truncexpon", "mean", (1e-8,), 4.999999991666667e-09),
    ("truncexpon", "var", (1e-3,), 8.333332916666683e-08),
    ("truncnorm", "mean", (0.0, 4e-5), 1.9999999997333335e-05),
    ("truncnorm", "var", (0.0, 4e-5), 1.3333333332622225e-10),
    ("truncnorm", "var", (204.59, 1784.8), 2.3887403703882644e-05),
    ("truncnorm", "mean", (-inf, -204.59), -204.5948875909089),
    ("truncnorm", "var", (1e6, inf), 9.99999999994e-13),
    ("truncnorm", "var", (-0.5, 5.0), 0.4861665541634195),
    ("truncpareto", "entropy", (2e-6, 5.0), 1.2806035198286634),
    ("truncpareto", "mean", (-1e5, 3.0), 2.999970000299997),
]
"""A name, a method, shape parameters and the value."""


def found(mode: str) -> list[Any]:
    x, calls, given = wt.dvector("x"), [], []
    for k, (name, method, p, _, _) in enumerate(VALUES):
        shapes = [wt.dscalar() for _ in p]
        calls.append(getattr(getattr(wt.stats, name), method)(x[k], *shapes))
        given += [*zip(shapes, p, strict=True)]
    f = wt.function([x, *[v for v, _ in given]], calls, mode=mode)
    with np.errstate(all="ignore"):  # of what `where` leaves out
        values: list[Any] = f(np.array([row[3] for row in VALUES]), *[v for _, v in given])
    return values


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_values(mode: str) -> None:
    wrong = [
        (*row, float(value))
        for row, value in zip(VALUES, found(mode), strict=True)
        if not abs(value - row[-1]) <= 1e-9 * abs(row[-1])
    ]
    assert not wrong


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_moments(mode: str) -> None:
    given, calls = [], []
    for name, method, p, _ in MOMENTS:
        shapes = [wt.dscalar() for _ in p]
        calls.append(getattr(getattr(wt.stats, name), method)(*shapes))
        given += [*zip(shapes, p, strict=True)]
    f = wt.function([v for v, _ in given], calls, mode=mode)
    with np.errstate(all="ignore"):  # of what `where` leaves out
        values = f(*[v for _, v in given])
    np.testing.assert_allclose(values, [row[-1] for row in MOMENTS], rtol=1e-9)
