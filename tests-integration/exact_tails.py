"""Distribution functions, and what they lack of 1, as mpmath computes them to any precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import mpmath as mp

__all__ = ["DENSITIES", "SUBTRACTED", "TAILS"]

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
    """With 1 as the largest value, since `quad` stops at what is small."""
    places = mp.linspace(start, stop, 40)
    top = max(density(v, *p) for v in places)
    return top * mp.quad(lambda v: density(v, *p) / top, places)


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


def ball(x: Any, beta: Any, m: Any) -> Any:
    seam = exp(-beta * beta / 2) * m / beta / (m - 1)
    part = sqrt(2 * mp.pi) * between(-beta, x) if x > -beta else 0
    out = 1 + max(-beta - x, 0) * beta / m
    return (seam * out ** (1 - m) + part) / (seam + sqrt(2 * mp.pi) * phi(beta))


def rest_of_ball(x: Any, beta: Any, m: Any) -> Any:
    seam = exp(-beta * beta / 2) * m / beta / (m - 1)
    return sqrt(2 * mp.pi) * phi(-x) / (seam + sqrt(2 * mp.pi) * phi(beta))


def double_pareto(x: Any, u: Any, s: Any, a: Any, b: Any) -> Any:
    y = (log(x) - u) / s
    first, second = (phi(-z) / mp.npdf(z) for z in (a * s - y, b * s + y))
    return phi(y) - mp.npdf(y) * (b * first - a * second) / (a + b)


def kolmogorov(x: Any) -> Any:
    parts = [exp(-(k * k) * mp.pi**2 / (8 * x * x)) for k in range(1, 30, 2)]
    return sqrt(2 * mp.pi) / x * sum(parts)


def lack_of_kolmogorov(x: Any) -> Any:
    return 2 * sum((-1) ** (k - 1) * exp(-2 * k * k * x * x) for k in range(1, 30))


def leaning(x: Any, a: Any, b: Any) -> Any:
    size = sqrt(a + b + x * x)
    return share(a, b, (a + b) / (2 * size * (size - x)) if x < 0 else (1 + x / size) / 2)


def third(x: Any, s: Any) -> Any:
    a = 4 / (s * s)
    return low(a, a + 2 * x / s) if s > 0 else high(a, a + 2 * x / s)


def resonance(x: Any, rho: Any) -> Any:
    q = rho * sqrt(rho * rho + 1)
    m, n = sqrt(2 * (q + rho * rho)), sqrt(2 * (q - rho * rho))
    whole = mp.atanh(m * x / (x * x + q)) + m / n * mp.atan2(n * x, q - x * x)
    return whole * n / (mp.pi * m)


def trapezium(x: Any, c: Any, d: Any) -> Any:
    h = 2 / (1 + d - c)
    if x > d:
        return 1 - h * (1 - x) ** 2 / (2 * (1 - d))
    return h * x * x / (2 * c) if x < c else h * (x - c / 2)


def log_odds(x: Any, lam: Any) -> Any:
    def off(u: Any) -> Any:
        p, q = (1 / (1 + exp(v)) for v in (-u, u))
        return (p**lam - q**lam) / lam - x

    return mp.findroot(off, (-900, 900), solver="bisect", tol=1e-36, maxsteps=200, verify=False)


def tukey(x: Any, lam: Any) -> Any:
    return 1 / (1 + exp(-log_odds(x, lam)))


def tukey_density(x: Any, lam: Any) -> Any:
    p, q = (1 / (1 + exp(v)) for v in (-log_odds(x, lam), log_odds(x, lam)))
    return 1 / (p ** (lam - 1) + q ** (lam - 1))


def around(c: Any, x: Any, side: int) -> Any:
    return mp.atan2((1 + c) * mp.sin(x / 2), side * (1 - c) * mp.cos(x / 2)) / mp.pi


TAILS: Final[dict[str, tuple[Callable[..., Any], Callable[..., Any]]]] = {
    "alpha": by_cdf(lambda x, a: phi(a - 1 / x) / phi(a)),
    "argus": by_sf(lambda x, c: low(1.5, c * c * (1 - x * x) / 2) / low(1.5, c * c / 2)),
    "cosine": upper_half(lambda x: (mp.pi - x - mp.sin(x)) / (2 * mp.pi)),
    "crystalball": (ball, rest_of_ball),
    "dpareto_lognorm": (
        double_pareto,
        lambda x, u, s, a, b: double_pareto(1 / x, -u, s, b, a),
    ),
    "erlang": (lambda x, a: low(a, x), lambda x, a: high(a, x)),
    "foldcauchy": by_sf(lambda x, c: (mp.atan2(1, x - c) + mp.atan2(1, x + c)) / mp.pi),
    "genexpon": by_sf(lambda x, a, b, c: exp(-(a + b) * x - b / c * mp.expm1(-c * x))),
    "jf_skew_t": (leaning, lambda x, a, b: leaning(-x, b, a)),
    "kappa4": by_cdf(lambda x, h, k: (1 - h * (1 - k * x) ** (1 / k)) ** (1 / h)),
    "kstwobign": (kolmogorov, lack_of_kolmogorov),
    "pearson3": (third, lambda x, s: third(-x, -s)),
    "recipinvgauss": (
        lambda x, mu: phi(-(1 / (x * mu) - 1) * sqrt(x)) - second(1 / x, mu),
        lambda x, mu: phi((1 / (x * mu) - 1) * sqrt(x)) + second(1 / x, mu),
    ),
    "reciprocal": (
        lambda x, a, b: log(x / a) / log(b / a),
        lambda x, a, b: log(b / x) / log(b / a),
    ),
    "rel_breitwigner": by_cdf(resonance),
    "trapezoid": (trapezium, lambda x, c, d: trapezium(1 - x, 1 - d, 1 - c)),
    "truncpareto": by_cdf(lambda x, b, c: mp.expm1(-b * log(x)) / mp.expm1(-b * log(c))),
    "truncweibull_min": by_cdf(lambda x, c, a, b: mp.expm1(a**c - x**c) / mp.expm1(a**c - b**c)),
    "tukeylambda": upper_half(lambda x, lam: tukey(-x, lam)),
    "wrapcauchy": (lambda x, c: around(c, x, 1), lambda x, c: around(c, x, -1)),
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
    "tukeylambda": tukey_density,
    "vonmises": angle,
    "vonmises_line": angle,
    "skewnorm": skew,
}
"""Of those whose tails are integrals."""
