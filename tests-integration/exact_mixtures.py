"""Distribution functions of mixtures, and what they lack of 1, as mpmath computes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import mpmath as mp
from exact_tails import SUBTRACTED, area, by_sf, high, low, rest

__all__ = ["MIXED_DENSITIES", "MIXED_TAILS"]


def noncentral(x: Any, df: Any, nc: Any) -> Any:
    power = (x / nc) ** (df / 4 - mp.mpf(1) / 2) * mp.exp(-(x + nc) / 2) / 2
    return power * mp.besseli(df / 2 - 1, mp.sqrt(nc * x))


def noncentral_share(side: Callable[..., Any], x: Any, df: Any, nc: Any) -> Any:
    parts = [(nc / 2) ** j / mp.factorial(j) * side(df / 2 + j, x / 2) for j in range(200)]
    return mp.exp(-nc / 2) * sum(parts)


def ratio_parts(x: Any, m: Any, n: Any, nc: Any, part: Callable[..., Any]) -> Any:
    """Over the Poisson number by which m / 2 is raised."""
    chances = [(nc / 2) ** j / mp.factorial(j) * mp.exp(-nc / 2) for j in range(90)]
    places = m * x / (m * x + n), n / (m * x + n)
    return sum(c * part(m / 2 + j, n / 2, *places) for j, c in enumerate(chances))


def ratio_share(a: Any, b: Any, end: Any) -> Any:
    """The incomplete beta function, where `end` is small."""
    return end**a / a / mp.beta(a, b) * mp.hyp2f1(a, 1 - b, a + 1, end)


def ratio_density(x: Any, m: Any, n: Any, nc: Any) -> Any:
    def part(a: Any, b: Any, p: Any, q: Any) -> Any:
        return p**a * q**b / x / mp.beta(a, b)

    return ratio_parts(x, m, n, nc, part)


def halphen(x: Any, p: Any, b: Any) -> Any:
    return x ** (p - 1) * mp.exp(-b * (x + 1 / x) / 2) / (2 * mp.besselk(p, b))


def scales(s: Any, df: Any) -> Any:
    """The density of sqrt(V / df)."""
    return 2 * (df / 2) ** (df / 2) / mp.gamma(df / 2) * s ** (df - 1) * mp.exp(-df * s * s / 2)


def student(t: Any, df: Any, nc: Any) -> Any:
    """What noncentral t numbers have below t < 0, by z = s |t|."""
    return area(lambda z: mp.ncdf(-z - nc) * scales(-z / t, df) / -t, 0, 60)


def student_density(t: Any, df: Any, nc: Any) -> Any:
    side = mp.sign(t)
    return area(lambda z: z * mp.npdf(z - side * nc) * scales(z / abs(t), df) / t**2, 0, 60)


def hyperbolic(x: Any, p: Any, a: Any, b: Any) -> Any:
    """The density: a normal one of mean b v and variance v, over Halphen's v."""
    r, steep = mp.sqrt(1 + x * x), mp.sqrt(a * a - b * b)
    norming = mp.sqrt(2 * mp.pi) * a ** (p - 0.5) * mp.besselk(p, steep)
    return steep**p / norming * mp.exp(b * x) * mp.besselk(p - 0.5, a * r) * r ** (p - 0.5)


def hyperbolic_share(x: Any, p: Any, a: Any, b: Any) -> Any:
    """What lies below x, far from the middle."""
    steep, top = mp.sqrt(a * a - b * b), mp.log(mp.sqrt(1 + x * x) / a)

    def part(u: Any) -> Any:
        v = mp.exp(u)
        height = p * mp.log(steep) + p * u - (steep * steep * v + 1 / v) / 2
        return mp.ncdf((x - b * v) / mp.sqrt(v)) * mp.exp(height)

    return area(part, top - 3, top + 3) / (2 * mp.besselk(p, steep))


def stable(place: Any, part: Callable[..., Any]) -> Any:
    """Landau's, over v: see `stable_rows`."""
    x = place * mp.pi / 2 + mp.log(mp.pi / 2)

    def integrand(v: Any) -> Any:
        t = mp.pi * v / (1 + v)
        height = mp.log(t / mp.sin(t)) - t * mp.cot(t) if v else mp.mpf(-1)
        return part(mp.exp(height - x)) / (1 + v) ** 2

    return area(integrand, 0, 60 + abs(place * mp.pi / 2))


def landau_lack(x: Any) -> Any:
    if x > 1e6:
        return 2 / (mp.pi * x) * (1 + 2 / mp.pi * mp.log(x) / x)
    return stable(x, lambda rate: -mp.expm1(-rate)) + 1 / (61 + abs(x * mp.pi / 2))


def landau_density(x: Any) -> Any:
    if x > 1e6:
        return 2 / (mp.pi * x * x)
    return stable(x, lambda rate: rate * mp.exp(-rate)) * mp.pi / 2


def exponent_part(x: Any, a: Any, b: Any, part: Callable[..., Any]) -> Any:
    """Of a positive x, over u = log(p / q), or its negative: see `stable_integrals`."""
    turn, way = mp.tan(mp.pi * a / 2), 1 if a < 1 else -1
    length = mp.pi / 2 + mp.atan(b * turn) / a

    def height(u: Any) -> Any:
        p, q = length / (1 + mp.exp(-way * u)), length / (1 + mp.exp(way * u))
        inner = mp.log(mp.sin(q)) - a * mp.log(mp.sin(a * p)) + a * mp.log(x)
        inner -= mp.log1p((b * turn) ** 2) / 2
        return mp.exp(inner / (a - 1)) * mp.sin(q + a * p)

    low, high = mp.mpf(-2000), mp.mpf(2000)
    for _ in range(60):
        u = (low + high) / 2
        low, high = (u, high) if height(u) < 1 else (low, u)

    def integrand(u: Any) -> Any:
        return part(height(u)) * length / (2 + mp.exp(u) + mp.exp(-u)) / mp.pi

    return area(
        integrand, min(low, 0) - 60 if a > 1 else low - 60, low + 5 if a > 1 else max(low, 0) + 60
    )


def exponent_above(x: Any, a: Any, b: Any) -> Any:
    if x < 0:
        return 1 - exponent_above(-x, a, -b)
    if a < 1:
        return exponent_part(x, a, b, lambda rate: -mp.expm1(-rate))
    return exponent_part(x, a, b, lambda rate: mp.exp(-rate))


def exponent_density(x: Any, a: Any, b: Any) -> Any:
    if x < 0:
        return exponent_density(-x, a, -b)
    inner = exponent_part(x, a, b, lambda rate: rate * mp.exp(-rate))
    return inner * a / (abs(a - 1) * x)


def above_shares(x: Any, n: Any) -> Any:
    count = int(mp.floor(n * (1 - x)))
    parts = [mp.binomial(n, j) * (x + j / n) ** (j - 1) for j in range(count + 1)]
    return x * mp.fsum(v * (1 - x - j / n) ** (n - j) for j, v in enumerate(parts))


def near_shares(x: Any, n: Any) -> Any:
    """By Marsaglia's, Tsang's and Wang's matrix."""
    k = int(mp.floor(n * x)) + 1
    m, h = 2 * k - 1, k - n * x
    inverse = [1 / mp.factorial(i) for i in range(m + 2)]
    ends = [(1 - h ** (i + 1)) * inverse[i + 1] for i in range(m)]
    last = (1 - 2 * h**m + max(2 * h - 1, 0) ** m) * inverse[m]
    rows = [[inverse[i - j + 1] if i >= j - 1 else 0 for j in range(m)] for i in range(m)]
    for i in range(m):
        rows[i][0], rows[m - 1][m - 1 - i] = ends[i], ends[i]
    rows[m - 1][0] = last
    shares = [mp.mpf(i == k - 1) for i in range(m)]
    for step in range(1, int(n) + 1):
        shares = [mp.fdot(row, shares) * step / n for row in rows]
    return shares[k - 1]


def bent_share(x: Any, a: Any, b: Any, c: Any, z: Any) -> Any:
    """Below x, over v with t = x v^(1/a)."""
    whole = mp.beta(a, b) * mp.hyp2f1(c, a, a + b, -z)

    def rest(v: Any) -> Any:
        t = x * v ** (1 / a)
        return (1 - t) ** (b - 1) * (1 + z * t) ** -c

    return x**a / a * mp.quad(rest, [0, 1]) / whole


def below_sums(x: Any, n: Any) -> Any:
    """Of the sum of n uniform numbers."""
    parts = [mp.binomial(n, k) * (x - k) ** n * (-1) ** k for k in range(int(x) + 1)]
    return mp.fsum(parts) / mp.factorial(n)


def gap_share(x: Any, df: Any, is_above: bool) -> Any:
    """Of the distance of two normal numbers, over an estimate of their spread: of Student's."""
    square, half = x * x / 2, mp.mpf(0.5)
    if is_above:
        return mp.betainc(df / 2, half, 0, df / (df + square), regularized=True)
    return mp.betainc(half, df / 2, 0, square / (df + square), regularized=True)


MIXED_TAILS: Final[dict[str, tuple[Callable[..., Any], Callable[..., Any]]]] = {
    "gausshyper": (
        bent_share,
        lambda x, a, b, c, z: bent_share(1 - x, b, a, c, -z / (1 + z)),
    ),
    "genhyperbolic": (
        hyperbolic_share,
        lambda x, p, a, b: hyperbolic_share(-x, p, a, -b),
    ),
    "geninvgauss": (
        lambda x, p, b: area(halphen, x / (1 + 90 * x), x, p, b),
        lambda x, p, b: area(halphen, x, x + 90, p, b),
    ),
    "irwinhall": (below_sums, lambda x, n: below_sums(n - x, n)),
    "ksone": by_sf(above_shares),
    "kstwo": (near_shares, rest(near_shares)),
    "landau": (lambda x: stable(x, lambda rate: mp.exp(-rate)), landau_lack),
    "levy_stable": (lambda x, a, b: exponent_above(-x, a, -b), exponent_above),
    "ncx2": (
        lambda x, df, nc: noncentral_share(low, x, df, nc),
        lambda x, df, nc: noncentral_share(high, x, df, nc),
    ),
    "ncf": (
        lambda x, m, n, nc: ratio_parts(x, m, n, nc, lambda a, b, p, q: ratio_share(a, b, p)),
        lambda x, m, n, nc: ratio_parts(x, m, n, nc, lambda a, b, p, q: ratio_share(b, a, q)),
    ),
    "nct": (student, lambda t, df, nc: student(-t, df, -nc)),
    "studentized_range": (
        lambda x, k, df: gap_share(x, df, False),
        lambda x, k, df: gap_share(x, df, True),
    ),
    "norminvgauss": (
        lambda x, a, b: hyperbolic_share(x, mp.mpf(-0.5), a, b),
        lambda x, a, b: hyperbolic_share(-x, mp.mpf(-0.5), a, -b),
    ),
}
"""The distribution function and what it lacks of 1."""
SUBTRACTED.update(MIXED_TAILS["irwinhall"])
MIXED_DENSITIES: Final[dict[str, Callable[..., Any]]] = {
    "genhyperbolic": hyperbolic,
    "geninvgauss": halphen,
    "landau": landau_density,
    "levy_stable": exponent_density,
    "ncx2": noncentral,
    "ncf": ratio_density,
    "nct": student_density,
    "norminvgauss": lambda x, a, b: hyperbolic(x, mp.mpf(-0.5), a, b),
}
