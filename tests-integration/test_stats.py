"""Distributions are SciPy's where SciPy is right, and mpmath's in the tails, on every backend."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final, Literal

import mpmath as mp
import numpy as np
import pytest
from against_scipy import quietly
from exact_mixtures import MIXED_DENSITIES, MIXED_TAILS
from exact_tails import DENSITIES, SUBTRACTED, TAILS
from scipy import stats as scipy_stats

import weft.tensor as wt
from weft_tensor.stats import Continuous

BACKENDS: Final = ("py", "numba", "jax")
ALL_TAILS: Final = TAILS | MIXED_TAILS
ALL_DENSITIES: Final = DENSITIES | MIXED_DENSITIES
ROUGH: Final = ("gausshyper", "ksone", "kstwo", "kstwobign")
"""Those of which SciPy knows a method by differences only."""
SETS: Final[dict[str, list[tuple[float, ...]]]] = {
    "alpha": [(3.57,), (0.3,)],
    "anglit": [()],
    "arcsine": [()],
    "argus": [(1.0,), (4.0,)],
    "beta": [(2.0, 3.0), (0.4, 0.7), (30.0, 2.0)],
    "betaprime": [(3.0, 5.0), (0.6, 8.0)],
    "bradford": [(1.5,), (20.0,)],
    "burr": [(3.0, 2.0), (2.5, 0.3)],
    "burr12": [(3.0, 2.0), (2.5, 1.3)],
    "cauchy": [()],
    "chi": [(3.0,), (0.6,)],
    "chi2": [(5.0,), (1.0,)],
    "cosine": [()],
    "crystalball": [(1.0, 4.5), (2.0, 3.5)],
    "dgamma": [(2.5,), (0.7,)],
    "dpareto_lognorm": [(0.3, 0.8, 3.0, 2.5), (-0.5, 0.3, 4.0, 1.0)],
    "dweibull": [(1.7,), (0.8,)],
    "erlang": [(3.0,)],
    "expon": [()],
    "exponnorm": [(1.5,), (0.2,)],
    "exponpow": [(2.5,), (0.6,)],
    "exponweib": [(2.0, 1.5), (0.5, 0.8)],
    "f": [(5.0, 7.0), (1.0, 20.0)],
    "fatiguelife": [(0.8,), (3.0,)],
    "fisk": [(3.0,), (2.2,)],
    "foldcauchy": [(1.2,), (0.1,)],
    "foldnorm": [(1.2,), (0.1,)],
    "gamma": [(2.5,), (0.3,), (60.0,)],
    "gausshyper": [(2.5, 1.5, 1.2, 3.0)],
    "genexpon": [(1.0, 2.0, 0.5), (0.1, 0.3, 2.0)],
    "genextreme": [(-0.2,), (0.3,), (0.0,)],
    "geninvgauss": [(2.3, 1.5), (-1.5, 0.3)],
    "gengamma": [(2.0, 1.5), (1.2, -2.0)],
    "genhalflogistic": [(0.8,), (0.1,)],
    "genhyperbolic": [(1.3, 1.5, 0.5), (-2.0, 0.4, -0.3)],
    "genlogistic": [(0.7,), (4.0,)],
    "gennorm": [(1.3,), (4.0,)],
    "genpareto": [(0.2,), (-0.4,), (0.0,)],
    "gibrat": [()],
    "gompertz": [(1.5,), (0.1,)],
    "gumbel_l": [()],
    "gumbel_r": [()],
    "halfcauchy": [()],
    "halfgennorm": [(1.3,), (4.0,)],
    "halflogistic": [()],
    "halfnorm": [()],
    "halft": [(5.0,), (2.5,)],
    "hypsecant": [()],
    "invgamma": [(5.0,), (0.8,)],
    "invgauss": [(0.8,), (3.0,)],
    "invweibull": [(3.5,), (2.2,)],
    "irwinhall": [(5.0,), (40.0,), (1.0,)],
    "jf_skew_t": [(3.0, 2.0), (1.5, 4.0)],
    "johnsonsb": [(0.3, 0.8), (-1.0, 2.0)],
    "johnsonsu": [(0.3, 0.8), (-1.0, 2.0)],
    "kappa3": [(1.5,), (0.7,)],
    "kappa4": [(-0.4, -0.3), (0.5, 0.3), (0.2, -0.3)],
    "ksone": [(5.0,), (80.0,)],
    "kstwo": [(5.0,), (30.0,)],
    "kstwobign": [()],
    "kumaraswamy": [(2.0, 3.0), (0.5, 0.5)],
    "landau": [()],
    "laplace": [()],
    "laplace_asymmetric": [(1.5,), (0.4,)],
    "levy": [()],
    "levy_l": [()],
    "levy_stable": [(1.7, 0.3), (0.6, -0.5)],
    "loggamma": [(2.5,), (0.3,)],
    "logistic": [()],
    "logitnorm": [(0.3, 0.8), (-1.0, 2.0)],
    "loglaplace": [(3.5,), (2.2,)],
    "lognorm": [(0.7,), (2.0,)],
    "loguniform": [(0.5, 4.0), (0.001, 1000.0)],
    "lomax": [(3.0,), (0.7,)],
    "maxwell": [()],
    "mielke": [(3.0, 2.5), (0.7, 4.0)],
    "moyal": [()],
    "nakagami": [(2.5,), (0.6,)],
    "ncf": [(5.0, 9.0, 3.0), (0.6, 30.0, 20.0)],
    "nct": [(5.0, 1.5), (0.7, -2.0)],
    "ncx2": [(5.0, 3.0), (0.3, 20.0), (80.0, 400.0)],
    "norm": [()],
    "norminvgauss": [(1.5, 0.5), (3.0, -2.9)],
    "pareto": [(3.0,), (0.7,)],
    "pearson3": [(0.5,), (-2.5,), (0.05,)],
    "powerlaw": [(2.5,), (0.6,)],
    "powerlognorm": [(2.5, 0.7), (0.4, 0.3)],
    "powernorm": [(2.5,), (0.4,)],
    "rayleigh": [()],
    "rdist": [(3.5,), (1.6,)],
    "recipinvgauss": [(0.8,), (3.0,)],
    "reciprocal": [(0.5, 4.0)],
    "rel_breitwigner": [(1.5,), (4.0,)],
    "rice": [(1.2,), (0.0,), (9.0,)],
    "semicircular": [()],
    "skewcauchy": [(0.45,), (-0.7,)],
    "skewnorm": [(2.0,), (-5.0,), (0.0,)],
    "studentized_range": [(2.0, 7.0), (5.0, 10.0)],
    "t": [(4.0,), (0.7,), (80.0,)],
    "trapezoid": [(0.2, 0.85), (0.3, 0.9)],
    "triang": [(0.35,), (0.9,)],
    "truncexpon": [(2.0,), (30.0,)],
    "truncnorm": [(-1.0, 2.0), (4.0, 9.0), (-40.0, -3.0), (0.0, 40.0), (-40.0, 0.5)],
    "truncpareto": [(2.0, 5.0), (-1.5, 3.0)],
    "truncweibull_min": [(2.5, 0.25, 1.75), (0.8, 0.1, 3.0)],
    "tukeylambda": [(-0.4,), (0.3,), (1.3,)],
    "uniform": [()],
    "vonmises": [(2.0,), (0.3,)],
    "vonmises_line": [(3.0,), (30.0,)],
    "wald": [()],
    "weibull_max": [(1.7,), (0.6,)],
    "weibull_min": [(1.7,), (0.6,)],
    "wrapcauchy": [(0.4,), (0.9,)],
}
"""Shape parameters, ordinary ones first."""
NARROW: Final = {"vonmises": (400.0,), "vonmises_line": (400.0,)}
"""Those whose tails end elsewhere: where probabilities are 1e-300."""
ENDLESS: Final = ("levy", "levy_l")
"""Those of which 1e-300 lies beyond the largest number."""
KINKS: Final = {"loglaplace": 2.5}
"""Medians at which a density has no slope."""
POLES: Final = ("dgamma", "dweibull", "gennorm")
"""Those whose density, or a slope of it, is infinite at the median, of which NumPy warns."""
WHOLE: Final = ("irwinhall", "ksone", "kstwo")
"""Those of a number of observations, by which there are no slopes."""
VALUES: Final = ("logpdf", "pdf", "cdf", "logcdf", "sf", "logsf")
MOMENTS: Final = ("mean", "var", "std", "entropy")
SHARES: Final = np.array([0.02, 0.3, 0.5, 0.7, 0.98])
NEAR_ENDS: Final = np.array([2.0**-40, 1 - 2.0**-40])


def family(name: str) -> Continuous:
    found: Continuous = getattr(wt.stats, name)
    return found


def moments_by_formula(of: Any) -> list[str]:
    return [n for n in MOMENTS if n.replace("std", "var") in of.rows]


@cache
def compiled(name: str, mode: str) -> Any:
    """All methods, with derivatives of the log-density, as one function."""
    of, x, q = family(name), wt.dvector("x"), wt.dvector("q")
    p = wt.dscalars(*of.parameters, "loc", "scale")
    density = of.logpdf(x, *p)
    values = [density, *[getattr(of, n)(x, *p) for n in VALUES[1:]]]
    places = [of.ppf(q, *p), of.isf(q, *p)]
    moments = [getattr(of, n)(*p) for n in moments_by_formula(of)]
    outputs = [*values, *places, *wt.grad(density.sum(), [x, *p]), *moments]
    return wt.function([x, q, *p], outputs, mode=mode)


CASES: Final = [(name, p) for name, sets in SETS.items() for p in sets]


def test_every_family_has_a_case() -> None:
    every = {n for n in wt.stats.__all__ if isinstance(getattr(wt.stats, n), Continuous)}
    assert every == set(SETS) == set(ALL_TAILS)


def middle(name: str, p: tuple[float, ...]) -> np.ndarray:
    return family(name).ppf(SHARES, *p, loc=0.5, scale=2.0).eval()


def close(got: Any, expected: Any, rtol: float, what: str) -> None:
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=1e-300, err_msg=what)


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize(("name", "p"), CASES)
@pytest.mark.cases(2)
def test_all_methods(name: str, p: tuple[float, ...], mode: str) -> None:
    """In the middle SciPy's, with places that lead back, and derivatives as differences are."""
    at_poles: Literal["ignore", "warn"] = "ignore" if name in POLES else "warn"
    with np.errstate(divide=at_poles, invalid=at_poles):
        check_methods(name, p, compiled(name, mode))


def check_methods(name: str, p: tuple[float, ...], call: Any) -> None:
    x, place = middle(name, p), (*p, 0.5, 2.0)
    found = call(x, SHARES, *place)
    of, scipys = family(name), getattr(scipy_stats, family(name).scipy or "", None)
    scipys = None if name in ROUGH else scipys
    for got, method in zip(found, VALUES, strict=False):
        expected = (
            getattr(scipys, method)(x, *place) if scipys else expected_of(of, method, x, place)
        )
        close(got, expected, 1e-10, method)
    close(found[6], x, 1e-9, "ppf")
    close(found[7], x[::-1], 1e-9, "isf")
    below, above = call(x, NEAR_ENDS, *place)[6:8]
    np.testing.assert_allclose(above[::-1], below, rtol=1e-9, atol=1e-9)
    moments = moments_by_formula(of)
    for got, method in zip(found[len(found) - len(moments) :], moments, strict=True):
        if scipys:
            expected = quietly(getattr(scipys, method), *place)
            np.testing.assert_allclose(got, expected, rtol=1e-7, err_msg=method)
    check_slopes(of, call, x, place)


def expected_of(of: Continuous, method: str, x: Any, place: tuple[float, ...]) -> np.ndarray:
    """By mpmath, for what SciPy has not."""
    *p, loc, scale = place
    below, above = ALL_TAILS[of.name]
    with mp.workdps(40):
        given = [mp.mpf(v) for v in p]
        found = []
        for v in (mp.mpf(v) for v in (x - loc) / scale):
            density = mp.diff(lambda u: below(u, *given), v) / scale
            value = {"pdf": density, "cdf": below(v, *given), "sf": above(v, *given)}
            plain = value[method.removeprefix("log")]
            found.append(float(mp.log(plain) if method.startswith("log") else plain))
    return np.array(found)


def check_slopes(of: Continuous, call: Any, x: np.ndarray, place: tuple[float, ...]) -> None:
    """By differences of the log-density, with steps that stay inside the support."""
    some = np.isfinite(call(x, SHARES, *place)[0]) & (x != KINKS.get(of.name))  # have slopes
    x, slopes = x[some], call(x[some], SHARES, *place)[8 : 8 + 1 + len(place)]
    ends = [float(v.eval()) for v in of.support(*place)]
    room = np.minimum(1, np.min([abs(x - end) for end in ends], axis=0))

    def difference(move: Callable[[float], Any], step: Any) -> Any:
        near, far = [move(n) - move(-n) for n in (1, 2)]
        return (8 * near - far) / (12 * step)

    step = 1e-3 * room
    expected = difference(lambda n: call(x + n * step, SHARES, *place)[0], step)
    np.testing.assert_allclose(slopes[0], expected, rtol=1e-6, atol=1e-8)
    for k, v in enumerate(place):
        is_whole = k == 0 and of.name in WHOLE
        if np.isfinite(v) and (v or of.name != "rice") and not is_whole:
            step = 1e-3 * room.min()

            def total(n: float, k: int = k, v: float = v, step: float = step) -> Any:
                return call(x, SHARES, *place[:k], v + n * step, *place[k + 1 :])[0].sum()

            expected = difference(total, step)
            np.testing.assert_allclose(slopes[1 + k], expected, rtol=1e-6, atol=1e-7)


@cache
def by_mpmath(name: str, side: Callable[..., Any], x: float, p: tuple[float, ...]) -> Any:
    """Logarithms of the probability and of the density."""
    with mp.workdps(340 if side in SUBTRACTED else 40):
        v, given = mp.mpf(x), [mp.mpf(u) for u in p]
        density = ALL_DENSITIES[name](v, *given) if name in ALL_DENSITIES else None
        if density is None:
            density = abs(mp.diff(lambda u: side(v * (1 + u), *given), 0) / v)
        return mp.log(side(v, *given)), mp.log(density)


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize("name", SETS)
@pytest.mark.cases(0)
def test_tails(name: str, mode: str) -> None:
    """Down to probabilities of 1e-300, by mpmath."""
    p = NARROW.get(name, SETS[name][0])
    call, q = compiled(name, mode), np.array([1e-300, 1e-20])
    place = (*p, 0.0, 1.0)
    with np.errstate(all="ignore"):  # densities there
        places = call(q, q, *place)[6:8]
    start, stop = (float(v.eval()) for v in family(name).support(*p))
    assert not np.isnan(places).any()
    for k, (side, points) in enumerate(zip(ALL_TAILS[name], places, strict=True)):
        ends = np.array([v for v in (start, stop) if np.isfinite(v)])
        far = [np.abs(points - end) > 1e-9 * abs(end) for end in ends]
        if name in ENDLESS:
            far.append(np.isfinite(points))
        inside = np.all([points != 0, *far], axis=0)
        with np.errstate(all="ignore"):  # derivatives at an end of the support
            found = call(points, q, *place)
        for n in np.flatnonzero(inside):
            expected, density = by_mpmath(name, side, float(points[n]), p)
            assert abs(expected - mp.log(mp.mpf(q[n]))) < 1e-9 * abs(expected), ("place", q[n])
            got = found[VALUES.index("logcdf" if k == 0 else "logsf")][n]
            assert abs(got - expected) < 1e-9 * abs(expected), (k, q[n], got, expected)
            got = found[0][n]
            assert abs(got - density) < 1e-9 * max(1, abs(density)), (k, q[n], got, density)
