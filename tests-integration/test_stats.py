"""Distributions are SciPy's where SciPy is right, and mpmath's in the tails, on every backend."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import mpmath as mp
import numpy as np
import pytest
from scipy import stats as scipy_stats

import weft.tensor as wt
from weft_tensor.stats import Continuous

BACKENDS: Final = ("py", "numba", "jax")
SETS: Final[dict[str, list[tuple[float, ...]]]] = {
    "anglit": [()],
    "arcsine": [()],
    "beta": [(2.0, 3.0), (0.4, 0.7), (30.0, 2.0)],
    "betaprime": [(3.0, 5.0), (0.6, 8.0)],
    "bradford": [(1.5,), (20.0,)],
    "burr": [(3.0, 2.0), (2.5, 0.3)],
    "burr12": [(3.0, 2.0), (2.5, 1.3)],
    "cauchy": [()],
    "chi": [(3.0,), (0.6,)],
    "chi2": [(5.0,), (1.0,)],
    "dgamma": [(2.5,), (0.7,)],
    "dweibull": [(1.7,), (0.8,)],
    "expon": [()],
    "exponnorm": [(1.5,), (0.2,)],
    "exponpow": [(2.5,), (0.6,)],
    "exponweib": [(2.0, 1.5), (0.5, 0.8)],
    "f": [(5.0, 7.0), (1.0, 20.0)],
    "fatiguelife": [(0.8,), (3.0,)],
    "fisk": [(3.0,), (2.2,)],
    "foldnorm": [(1.2,), (0.1,)],
    "gamma": [(2.5,), (0.3,), (60.0,)],
    "genextreme": [(-0.2,), (0.3,), (0.0,)],
    "gengamma": [(2.0, 1.5), (1.2, -2.0)],
    "genhalflogistic": [(0.8,), (0.1,)],
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
    "johnsonsb": [(0.3, 0.8), (-1.0, 2.0)],
    "johnsonsu": [(0.3, 0.8), (-1.0, 2.0)],
    "kappa3": [(1.5,), (0.7,)],
    "kumaraswamy": [(2.0, 3.0), (0.5, 0.5)],
    "laplace": [()],
    "laplace_asymmetric": [(1.5,), (0.4,)],
    "levy": [()],
    "levy_l": [()],
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
    "norm": [()],
    "pareto": [(3.0,), (0.7,)],
    "powerlaw": [(2.5,), (0.6,)],
    "powerlognorm": [(2.5, 0.7), (0.4, 0.3)],
    "powernorm": [(2.5,), (0.4,)],
    "rayleigh": [()],
    "rdist": [(3.5,), (1.6,)],
    "rice": [(1.2,), (0.0,), (9.0,)],
    "semicircular": [()],
    "skewcauchy": [(0.45,), (-0.7,)],
    "skewnorm": [(2.0,), (-5.0,), (0.0,)],
    "t": [(4.0,), (0.7,), (80.0,)],
    "triang": [(0.35,), (0.9,)],
    "truncexpon": [(2.0,), (30.0,)],
    "truncnorm": [(-1.0, 2.0), (4.0, 9.0), (-40.0, -3.0)],
    "uniform": [()],
    "vonmises": [(2.0,), (0.3,)],
    "vonmises_line": [(3.0,), (30.0,)],
    "wald": [()],
    "weibull_max": [(1.7,), (0.6,)],
    "weibull_min": [(1.7,), (0.6,)],
}
"""Shape parameters, ordinary ones first."""
NARROW: Final = {"vonmises": (400.0,), "vonmises_line": (400.0,)}
"""Those whose tails end elsewhere: where probabilities are 1e-300."""
ENDLESS: Final = ("levy", "levy_l")
"""Those of which 1e-300 lies beyond the largest number."""
KINKS: Final = {"loglaplace": 2.5}
"""Medians at which a density has no slope."""
VALUES: Final = ("logpdf", "pdf", "cdf", "logcdf", "sf", "logsf")
MOMENTS: Final = ("mean", "var", "std", "entropy")
SHARES: Final = np.array([0.02, 0.3, 0.5, 0.7, 0.98])

exp, log, sqrt, inf = mp.exp, mp.log, mp.sqrt, mp.inf


def phi(x: Any) -> Any:
    return mp.erfc(-x / sqrt(2)) / 2


def share(a: Any, b: Any, x: Any) -> Any:
    return mp.betainc(a, b, 0, x, regularized=True)


def low(a: Any, x: Any) -> Any:
    return mp.gammainc(a, 0, x, regularized=True)


def high(a: Any, x: Any) -> Any:
    return mp.gammainc(a, x, inf, regularized=True)


def t_tail(x: Any, df: Any) -> Any:
    return share(df / 2, 0.5, df / (df + x * x)) / 2 if x > 0 else 1 - t_tail(-x, df)


def between(a: Any, b: Any) -> Any:
    return phi(b) - phi(a) if a < 0 else phi(-a) - phi(-b)


def second(x: Any, mu: Any) -> Any:
    return exp(2 / mu) * phi(-(x / mu + 1) / sqrt(x))


def mixed(x: Any, k: Any) -> Any:
    return exp(1 / (2 * k * k) - x / k) * phi(x - 1 / k)


def area(density: Callable[..., Any], start: Any, stop: Any, *p: Any) -> Any:
    return mp.quad(lambda v: density(v, *p), mp.linspace(start, stop, 40))


def skew(x: Any, a: Any) -> Any:
    return 2 * mp.npdf(x) * phi(a * x)


def rician(x: Any, b: Any) -> Any:
    return x * exp(-(x * x + b * b) / 2) * mp.besseli(0, x * b)


def extreme(x: Any, c: Any) -> Any:
    return exp(-x) if c == 0 else (1 - c * x) ** (1 / c)


def excess(x: Any, c: Any) -> Any:
    return exp(-x) if c == 0 else (1 + c * x) ** (-1 / c)


def asymmetric(x: Any, k: Any) -> Any:
    """Its upper tail."""
    return exp(-k * x) / (1 + k * k) if x > 0 else 1 - asymmetric(-x, 1 / k)


def angle(x: Any, k: Any) -> Any:
    return exp(k * mp.cos(x)) / (2 * mp.pi * mp.besseli(0, k))


def angles(x: Any, k: Any) -> Any:
    return area(angle, x, mp.pi, k)


def upper_half(sf: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    return lambda x, *p: sf(-x, *p), sf


SUBTRACTED: Final[set[Callable[..., Any]]] = set()
"""What takes many digits."""


def rest(this: Callable[..., Any]) -> Callable[..., Any]:
    """What one tail lacks of 1."""

    def subtracted(x: Any, *p: Any) -> Any:
        return 1 - this(x, *p)

    SUBTRACTED.add(subtracted)
    return subtracted


def by_sf(sf: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    return rest(sf), sf


def by_cdf(cdf: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    return cdf, rest(cdf)


def by_arcs(cdf: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    return cdf, lambda x: cdf(1 - x)


def lopsided(x: Any, a: Any) -> Any:
    """Its upper tail."""
    return (1 + a) * mp.atan2(1 + a, x) / mp.pi if x > 0 else 1 - lopsided(-x, -a)


def triangle(x: Any, c: Any) -> Any:
    return x * x / c if x < c else 1 - (1 - x) ** 2 / (1 - c)


TAILS: Final[dict[str, tuple[Callable[..., Any], Callable[..., Any]]]] = {
    "anglit": upper_half(lambda x: mp.cos(x + mp.pi / 4) ** 2),
    "arcsine": by_arcs(lambda x: 2 * mp.asin(sqrt(x)) / mp.pi),
    "beta": (lambda x, a, b: share(a, b, x), lambda x, a, b: share(b, a, 1 - x)),
    "betaprime": (
        lambda x, a, b: share(a, b, x / (1 + x)),
        lambda x, a, b: share(b, a, 1 / (1 + x)),
    ),
    "bradford": (
        lambda x, c: mp.log1p(c * x) / mp.log1p(c),
        lambda x, c: log((1 + c) / (1 + c * x)) / mp.log1p(c),
    ),
    "burr": by_cdf(lambda x, c, d: (1 + x**-c) ** -d),
    "burr12": by_sf(lambda x, c, d: (1 + x**c) ** -d),
    "cauchy": upper_half(lambda x: mp.atan2(1, x) / mp.pi),
    "chi": (lambda x, df: low(df / 2, x * x / 2), lambda x, df: high(df / 2, x * x / 2)),
    "chi2": (lambda x, df: low(df / 2, x / 2), lambda x, df: high(df / 2, x / 2)),
    "dgamma": upper_half(lambda x, a: high(a, x) / 2 if x > 0 else 1 - high(a, -x) / 2),
    "dweibull": upper_half(lambda x, c: exp(-(x**c)) / 2 if x > 0 else 1 - exp(-((-x) ** c)) / 2),
    "expon": by_sf(lambda x: exp(-x)),
    "exponnorm": (lambda x, k: phi(x) - mixed(x, k), lambda x, k: phi(-x) + mixed(x, k)),
    "exponpow": by_sf(lambda x, b: exp(-mp.expm1(x**b))),
    "exponweib": by_cdf(lambda x, a, c: (-mp.expm1(-(x**c))) ** a),
    "f": (
        lambda x, m, n: share(m / 2, n / 2, m * x / (n + m * x)),
        lambda x, m, n: share(n / 2, m / 2, n / (n + m * x)),
    ),
    "fatiguelife": (
        lambda x, c: phi((x - 1) / (c * sqrt(x))),
        lambda x, c: phi((1 - x) / (c * sqrt(x))),
    ),
    "fisk": by_sf(lambda x, c: 1 / (1 + x**c)),
    "foldnorm": by_sf(lambda x, c: phi(c - x) + phi(-x - c)),
    "gamma": (lambda x, a: low(a, x), lambda x, a: high(a, x)),
    "genextreme": by_cdf(lambda x, c: exp(-extreme(x, c))),
    "gengamma": (
        lambda x, a, c: low(a, x**c) if c > 0 else high(a, x**c),
        lambda x, a, c: high(a, x**c) if c > 0 else low(a, x**c),
    ),
    "genhalflogistic": by_sf(
        lambda x, c: 2 * (1 - c * x) ** (1 / c) / (1 + (1 - c * x) ** (1 / c))
    ),
    "genlogistic": by_cdf(lambda x, c: (1 + exp(-x)) ** -c),
    "gennorm": upper_half(
        lambda x, b: high(1 / b, x**b) / 2 if x > 0 else 1 - high(1 / b, (-x) ** b) / 2
    ),
    "genpareto": by_sf(excess),
    "gibrat": (lambda x: phi(log(x)), lambda x: phi(-log(x))),
    "gompertz": by_sf(lambda x, c: exp(-c * mp.expm1(x))),
    "gumbel_l": by_sf(lambda x: exp(-exp(x))),
    "gumbel_r": by_cdf(lambda x: exp(-exp(-x))),
    "halfcauchy": by_sf(lambda x: 2 * mp.atan2(1, x) / mp.pi),
    "halfgennorm": (lambda x, b: low(1 / b, x**b), lambda x, b: high(1 / b, x**b)),
    "halflogistic": by_sf(lambda x: 2 / (1 + exp(x))),
    "halfnorm": (lambda x: mp.erf(x / sqrt(2)), lambda x: mp.erfc(x / sqrt(2))),
    "halft": (
        lambda x, df: share(0.5, df / 2, x * x / (df + x * x)),
        lambda x, df: 2 * t_tail(x, df),
    ),
    "hypsecant": upper_half(lambda x: 2 * mp.atan(exp(-x)) / mp.pi),
    "invgamma": (lambda x, a: high(a, 1 / x), lambda x, a: low(a, 1 / x)),
    "invgauss": (
        lambda x, mu: phi((x / mu - 1) / sqrt(x)) + second(x, mu),
        lambda x, mu: phi(-(x / mu - 1) / sqrt(x)) - second(x, mu),
    ),
    "invweibull": by_cdf(lambda x, c: exp(-(x**-c))),
    "johnsonsb": (
        lambda x, a, b: phi(a + b * log(x / (1 - x))),
        lambda x, a, b: phi(-a - b * log(x / (1 - x))),
    ),
    "johnsonsu": (
        lambda x, a, b: phi(a + b * mp.asinh(x)),
        lambda x, a, b: phi(-a - b * mp.asinh(x)),
    ),
    "kappa3": by_cdf(lambda x, a: (1 + a * x**-a) ** (-1 / a)),
    "kumaraswamy": by_sf(lambda x, a, b: (1 - x**a) ** b),
    "laplace": upper_half(lambda x: asymmetric(x, mp.mpf(1))),
    "laplace_asymmetric": (lambda x, k: asymmetric(-x, 1 / k), asymmetric),
    "levy": (lambda x: mp.erfc(1 / sqrt(2 * x)), lambda x: mp.erf(1 / sqrt(2 * x))),
    "levy_l": (lambda x: mp.erf(1 / sqrt(-2 * x)), lambda x: mp.erfc(1 / sqrt(-2 * x))),
    "loggamma": (lambda x, c: low(c, exp(x)), lambda x, c: high(c, exp(x))),
    "logistic": upper_half(lambda x: 1 / (1 + exp(x))),
    "logitnorm": (
        lambda x, m, s: phi((log(x / (1 - x)) - m) / s),
        lambda x, m, s: phi((m - log(x / (1 - x))) / s),
    ),
    "loglaplace": (
        lambda x, c: asymmetric(-log(x) * c, mp.mpf(1)),
        lambda x, c: asymmetric(log(x) * c, mp.mpf(1)),
    ),
    "lognorm": (lambda x, s: phi(log(x) / s), lambda x, s: phi(-log(x) / s)),
    "loguniform": (
        lambda x, a, b: log(x / a) / log(b / a),
        lambda x, a, b: log(b / x) / log(b / a),
    ),
    "lomax": by_sf(lambda x, c: (1 + x) ** -c),
    "maxwell": (lambda x: low(1.5, x * x / 2), lambda x: high(1.5, x * x / 2)),
    "mielke": by_cdf(lambda x, k, s: (1 + x**-s) ** (-k / s)),
    "moyal": (lambda x: mp.erfc(exp(-x / 2) / sqrt(2)), lambda x: mp.erf(exp(-x / 2) / sqrt(2))),
    "nakagami": (lambda x, nu: low(nu, nu * x * x), lambda x, nu: high(nu, nu * x * x)),
    "norm": (phi, lambda x: phi(-x)),
    "pareto": by_sf(lambda x, b: x**-b),
    "powerlaw": by_cdf(lambda x, a: x**a),
    "powerlognorm": by_sf(lambda x, c, s: phi(-log(x) / s) ** c),
    "powernorm": by_sf(lambda x, c: phi(-x) ** c),
    "rayleigh": by_sf(lambda x: exp(-x * x / 2)),
    "rdist": (
        lambda x, c: share(c / 2, c / 2, (1 + x) / 2),
        lambda x, c: share(c / 2, c / 2, (1 - x) / 2),
    ),
    "rice": (
        lambda x, b: area(rician, 0, x, b),
        lambda x, b: area(rician, x, x + 30 / (1 + x), b),
    ),
    "semicircular": (
        lambda x: share(1.5, 1.5, (1 + x) / 2),
        lambda x: share(1.5, 1.5, (1 - x) / 2),
    ),
    "skewcauchy": (lambda x, a: lopsided(-x, -a), lopsided),
    "skewnorm": (
        lambda x, a: area(skew, x - 30 / (1 + abs(x)), x, a),
        lambda x, a: area(skew, x, x + 30 / (1 + abs(x)), a),
    ),
    "t": upper_half(t_tail),
    "triang": (triangle, lambda x, c: triangle(1 - x, 1 - c)),
    "truncexpon": by_cdf(lambda x, b: mp.expm1(-x) / mp.expm1(-b)),
    "truncnorm": (
        lambda x, a, b: between(a, x) / between(a, b),
        lambda x, a, b: between(x, b) / between(a, b),
    ),
    "uniform": by_cdf(lambda x: x),
    "vonmises": upper_half(lambda x, k: angles(x, k)),
    "vonmises_line": upper_half(lambda x, k: angles(x, k)),
    "wald": (
        lambda x: phi((x - 1) / sqrt(x)) + second(x, mp.mpf(1)),
        lambda x: phi(-(x - 1) / sqrt(x)) - second(x, mp.mpf(1)),
    ),
    "weibull_max": by_cdf(lambda x, c: exp(-((-x) ** c))),
    "weibull_min": by_sf(lambda x, c: exp(-(x**c))),
}
"""The distribution function and what it lacks of 1."""
DENSITIES: Final[dict[str, Callable[..., Any]]] = {
    "rice": rician,
    "vonmises": angle,
    "vonmises_line": angle,
    "skewnorm": skew,
}
"""Of those whose tails are integrals."""


def family(name: str) -> Continuous:
    found: Continuous = getattr(wt.stats, name)
    return found


@cache
def compiled(name: str, mode: str) -> Any:
    """All methods, with derivatives of the log-density, as one function."""
    of, x, q = family(name), wt.dvector("x"), wt.dvector("q")
    p = wt.dscalars(*of.parameters, "loc", "scale")
    density = of.logpdf(x, *p)
    values = [density, *[getattr(of, n)(x, *p) for n in VALUES[1:]]]
    places = [of.ppf(q, *p), of.isf(q, *p)]
    moments = [getattr(of, n)(*p) for n in MOMENTS if n in of.methods]
    outputs = [*values, *places, *wt.grad(density.sum(), [x, *p]), *moments]
    return wt.function([x, q, *p], outputs, mode=mode)


CASES: Final = [(name, p) for name, sets in SETS.items() for p in sets]


def test_every_family_has_a_case() -> None:
    every = {n for n in wt.stats.__all__ if isinstance(getattr(wt.stats, n), Continuous)}
    assert every == set(SETS) == set(TAILS)


def middle(name: str, p: tuple[float, ...]) -> np.ndarray:
    return family(name).ppf(SHARES, *p, loc=0.5, scale=2.0).eval()


def close(got: Any, expected: Any, rtol: float, what: str) -> None:
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=1e-300, err_msg=what)


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize(("name", "p"), CASES)
@pytest.mark.cases(6)
def test_all_methods(name: str, p: tuple[float, ...], mode: str) -> None:
    """In the middle SciPy's, with places that lead back, and derivatives as differences are."""
    x, place = middle(name, p), (*p, 0.5, 2.0)
    call = compiled(name, mode)
    found = call(x, SHARES, *place)
    of, scipys = family(name), getattr(scipy_stats, family(name).scipy or "", None)
    for got, method in zip(found, VALUES, strict=False):
        expected = (
            getattr(scipys, method)(x, *place) if scipys else expected_of(of, method, x, place)
        )
        close(got, expected, 1e-10, method)
    close(found[6], x, 1e-9, "ppf")
    close(found[7], x[::-1], 1e-9, "isf")
    moments = [n for n in MOMENTS if n in of.methods]
    for got, method in zip(found[len(found) - len(moments) :], moments, strict=True):
        if scipys:
            expected = getattr(scipys, method)(*place)
            np.testing.assert_allclose(got, expected, rtol=1e-7, err_msg=method)
    check_slopes(of, call, x, place)


def expected_of(of: Continuous, method: str, x: Any, place: tuple[float, ...]) -> np.ndarray:
    """By mpmath, for what SciPy has not."""
    *p, loc, scale = place
    below, above = TAILS[of.name]
    with mp.workdps(40):
        given = [mp.mpf(v) for v in p]
        found = []
        for v in (mp.mpf(v) for v in (x - loc) / scale):
            density = mp.diff(lambda u: below(u, *given), v) / scale
            value = {"pdf": density, "cdf": below(v, *given), "sf": above(v, *given)}
            plain = value[method.removeprefix("log")]
            found.append(float(log(plain) if method.startswith("log") else plain))
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
        if np.isfinite(v) and (v or of.name != "rice"):
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
        density = DENSITIES[name](v, *given) if name in DENSITIES else None
        if density is None:
            density = abs(mp.diff(lambda u: side(v * (1 + u), *given), 0) / v)
        return log(side(v, *given)), log(density)


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
    for k, (side, points) in enumerate(zip(TAILS[name], places, strict=True)):
        ends = np.array([v for v in (start, stop) if np.isfinite(v)])
        far = [np.abs(points - end) > 1e-9 * abs(end) for end in ends]
        if name in ENDLESS:
            far.append(np.isfinite(points))
        inside = np.all([points != 0, *far], axis=0)
        with np.errstate(all="ignore"):  # derivatives at an end of the support
            found = call(points, q, *place)
        for n in np.flatnonzero(inside):
            expected, density = by_mpmath(name, side, float(points[n]), p)
            assert abs(expected - log(mp.mpf(q[n]))) < 1e-9 * abs(expected), ("place", q[n])
            got = found[VALUES.index("logcdf" if k == 0 else "logsf")][n]
            assert abs(got - expected) < 1e-9 * abs(expected), (k, q[n], got, expected)
            got = found[0][n]
            assert abs(got - density) < 1e-9 * max(1, abs(density)), (k, q[n], got, density)
