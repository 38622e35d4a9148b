"""Draws of each family fit their distribution, with ordinary and extreme parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from scipy import stats as scipy_stats

import weft.tensor as wt
from weft_tensor.stats import Continuous, Discrete, Multivariate

KEY: Final = wt.random.key(20261124)
COUNT: Final = 100_000
SLOW: Final = {"kstwo": 2_000, "studentized_range": 2_000}
"""How many draws of those whose distribution function takes long."""
P_VALUE: Final = 1e-4
Sets = tuple[tuple[float, ...], ...]
PLACES: Final[Sets] = ((0.0, 1.0), (-3.0, 1e-3), (1e3, 20.0), (0.5, 1e6))
"""`loc` and `scale`, of those without parameters of their own."""
SETS: Final[dict[str, Sets]] = {
    "alpha": ((3.57,), (0.1,), (1,), (20,)),
    "argus": ((1,), (0.01,), (4,), (30,)),
    "bernoulli": ((0.5,), (1e-4,), (0.999,), (0.0,)),
    "beta": ((2, 3), (0.05, 0.5), (0.5, 40), (300, 200)),
    "betabinom": ((10, 2, 3), (50, 0.1, 0.2), (3, 100, 1), (200, 5, 0.5)),
    "betanbinom": ((3, 30, 2), (10, 5, 3), (1, 3, 0.5), (50, 20, 1)),
    "betaprime": ((3, 5), (0.1, 4), (0.5, 0.3), (400, 50)),
    "binom": ((5, 0.5), (1000, 0.001), (10_000, 0.4), (1, 0.99)),
    "boltzmann": ((0.7, 12), (0.01, 5), (3, 1), (1e-3, 1000)),
    "bradford": ((0.3,), (0.001,), (1,), (10000.0,)),
    "burr": ((3, 2), (0.5, 1), (1, 0.1), (20, 50)),
    "burr12": ((3, 2), (0.5, 1), (1, 0.1), (20, 50)),
    "chi": ((3,), (0.1,), (1,), (500,)),
    "chi2": ((1,), (0.1,), (5,), (500,)),
    "crystalball": ((1, 4.5), (2, 1.1), (0.1, 3), (5, 20)),
    "dgamma": ((2.5,), (0.05,), (1,), (300,)),
    "discrete_weibull": ((0.6, 1.3), (0.1, 0.5), (0.99, 3), (0.9, 0.7)),
    "dlaplace": ((0.8,), (0.01,), (3,), (20,)),
    "dpareto_lognorm": ((0.3, 0.8, 3, 2), (0, 0.01, 0.5, 1), (2, 3, 1, 50), (-5, 0.1, 100, 0.1)),
    "dweibull": ((1.7,), (0.3,), (1,), (20,)),
    "erlang": ((3,), (1,), (20,), (300,)),
    "exponnorm": ((1.5,), (0.01,), (20,), (1e3,)),
    "exponpow": ((2.5,), (0.3,), (1,), (20,)),
    "exponweib": ((2, 1.5), (0.1, 2), (1, 1), (50, 0.5)),
    "f": ((5, 7), (1, 20), (50, 60), (0.5, 1)),
    "fatiguelife": ((0.8,), (0.01,), (3,), (30,)),
    "fisk": ((3,), (0.5,), (1,), (50,)),
    "foldcauchy": ((1.2,), (0,), (0.1,), (100,)),
    "foldnorm": ((1.2,), (0,), (0.1,), (30,)),
    "gamma": ((2.5,), (0.01,), (1,), (1e4,)),
    "gausshyper": ((1.3, 2.1, 1.5, 0.7), (0.3, 0.5, -2, 3), (5, 2, 1, -0.5), (30, 20, 0, 0)),
    "genexpon": ((1, 2, 0.5), (0.01, 1, 1), (1, 0.01, 10), (0.1, 50, 3)),
    "genextreme": ((-0.2,), (0,), (0.7,), (-3,)),
    "gengamma": ((1.2, -2), (0.1, 2), (5, 0.5), (50, 1)),
    "genhalflogistic": ((0.8,), (0.01,), (1,), (5,)),
    "genhyperbolic": ((1.3, 1.5, 0.5), (-2, 0.4, -0.3), (0.1, 20, 19), (30, 0.1, 0)),
    "geninvgauss": ((2.3, 1.5), (-1.5, 0.3), (0.1, 0.001), (20, 300)),
    "genlogistic": ((0.7,), (0.1,), (1,), (100,)),
    "gennorm": ((1.3,), (0.3,), (2,), (50,)),
    "genpareto": ((-0.4,), (0,), (1.5,), (-2,)),
    "geom": ((0.3,), (0.001,), (0.9,), (1.0,)),
    "gompertz": ((1.5,), (0.001,), (1,), (100,)),
    "halfgennorm": ((1.3,), (0.3,), (2,), (50,)),
    "halft": ((5,), (1,), (0.3,), (1e3,)),
    "hurdle_nbinom": ((0.6, 3, 0.4), (0.01, 0.5, 0.1), (1, 20, 0.9), (0.3, 1, 0.99)),
    "hurdle_poisson": ((0.6, 3), (0.01, 0.1), (1, 50), (0.5, 1e-3)),
    "hypergeom": ((20, 7, 12), (50, 3, 20), (2, 1, 1), (5000, 90, 400)),
    "invgamma": ((5,), (0.3,), (1,), (100,)),
    "invgauss": ((0.8,), (0.01,), (20,), (1e4,)),
    "invweibull": ((3.5,), (0.5,), (1,), (50,)),
    "irwinhall": ((3,), (1,), (2,), (60,)),
    "jf_skew_t": ((3, 2), (0.5, 0.5), (50, 1), (0.3, 20)),
    "johnsonsb": ((0.3, 0.8), (-3, 2), (0, 0.3), (5, 5)),
    "johnsonsu": ((0.3, 0.8), (-3, 2), (0, 0.3), (5, 5)),
    "kappa3": ((1.5,), (0.3,), (1,), (20,)),
    "kappa4": ((-0.4, -0.3), (0.5, 0.3), (0, 0), (2, -1)),
    "ksone": ((5,), (1,), (2,), (60,)),
    "kstwo": ((5,), (1,), (60,), (1e5,)),
    "kumaraswamy": ((2, 3), (0.1, 0.5), (20, 30), (0.5, 10)),
    "laplace_asymmetric": ((0.4,), (1,), (5,), (50,)),
    "levy_stable": ((1.8, -0.5), (0.6, 0.3), (1.2, 1), (2, 0)),
    "loggamma": ((2.5,), (0.01,), (1,), (300,)),
    "logitnorm": ((0.3, 0.8), (-3, 0.1), (0, 4), (5, 1)),
    "loglaplace": ((3.5,), (0.5,), (1,), (50,)),
    "lognorm": ((0.7,), (0.01,), (5,), (20,)),
    "logser": ((0.6,), (0.01,), (0.99,), (0.9999,)),
    "loguniform": ((0.5, 4), (1e-06, 1000000.0), (1, 1.01), (100, 10000.0)),
    "lomax": ((3,), (0.3,), (1,), (50,)),
    "mielke": ((3, 2.5), (0.1, 1), (1, 0.5), (50, 20)),
    "nakagami": ((2.5,), (0.1,), (1,), (300,)),
    "nbinom": ((3.5, 0.4), (0.2, 0.1), (50, 0.9), (1, 0.01)),
    "ncf": ((5, 9, 3), (0.6, 3, 20), (1, 1, 0), (80, 30, 200)),
    "ncx2": ((5, 3), (0.1, 20), (1, 0), (80, 1000)),
    "nchypergeom_fisher": (
        (20, 7, 12, 2.5),
        (50, 3, 20, 0.01),
        (2, 1, 1, 1),
        (500, 90, 40, 30),
    ),
    "nchypergeom_wallenius": ((140, 80, 60, 1.5), (50, 3, 20, 30), (2, 1, 1, 1), (20, 7, 12, 0.1)),
    "nct": ((5, 1.5), (0.3, -2), (1, 0), (300, 30)),
    "norminvgauss": ((1.5, 0.5), (0.1, -0.09), (30, 29), (0.001, 0)),
    "nhypergeom": ((20, 7, 4), (50, 3, 20), (2, 1, 1), (500, 90, 40)),
    "pareto": ((3,), (0.5,), (1,), (50,)),
    "pearson3": ((0.5,), (0,), (-3,), (0.0001,)),
    "planck": ((0.5,), (1e-3,), (3,), (20,)),
    "poisson": ((4,), (0.01,), (400,), (1e6,)),
    "powerlaw": ((2.5,), (0.1,), (1,), (50,)),
    "powerlognorm": ((2.5, 0.7), (0.1, 0.3), (1, 1), (50, 2)),
    "powernorm": ((2.5,), (0.1,), (1,), (50,)),
    "randint": ((-2, 7), (0, 1), (0, 1000), (-1_000_000, 1_000_000)),
    "rdist": ((3.5,), (0.5,), (2,), (100,)),
    "recipinvgauss": ((0.8,), (0.01,), (20,), (1,)),
    "reciprocal": ((0.5, 4), (1e-06, 1000000.0), (1, 1.01), (100, 10000.0)),
    "rel_breitwigner": ((1.5,), (0.05,), (36.5,), (1000.0,)),
    "rice": ((1.2,), (0,), (0.1,), (30,)),
    "skellam": ((3, 2), (0.01, 0.1), (400, 1), (50, 60)),
    "skewcauchy": ((0.4,), (0,), (-0.9,), (0.99,)),
    "skewnorm": ((2,), (-0.3,), (0,), (50,)),
    "studentized_range": ((5, 10), (2, 1), (1.3, 4), (100, 1e3)),
    "t": ((4,), (0.5,), (1,), (100,)),
    "trapezoid": ((0.2, 0.8), (0, 1), (0, 0.5), (0.3, 0.3)),
    "triang": ((0.3,), (0,), (1,), (0.999,)),
    "truncexpon": ((2,), (0.01,), (50,), (1,)),
    "truncnorm": ((4, 9), (-1, 2), (-9, -8), (-50, 50)),
    "truncpareto": ((2, 5), (-1.5, 3), (0.01, 1000.0), (10, 1.01)),
    "truncweibull_min": ((2.5, 0.25, 1.75), (0.8, 0, 3), (0.5, 4, 100), (10, 0.5, 1)),
    "tukeylambda": ((-0.4,), (0,), (0.14,), (3,)),
    "vonmises": ((2,), (0.01,), (0,), (400,)),
    "vonmises_line": ((0.4,), (0,), (5,), (400,)),
    "weibull_max": ((1.7,), (0.5,), (1,), (20,)),
    "weibull_min": ((0.6,), (0.3,), (1,), (20,)),
    "wrapcauchy": ((0.4,), (0.01,), (0.9,), (0.999,)),
    "yulesimon": ((3.5,), (1,), (0.5,), (50,)),
    "zero_inflated_binom": ((0.6, 10, 0.3), (0.1, 100, 0.5), (1, 5, 0.9), (0.01, 3, 0.1)),
    "zero_inflated_nbinom": ((0.6, 3, 0.4), (0.1, 0.5, 0.1), (1, 20, 0.9), (0.01, 1, 0.5)),
    "zero_inflated_poisson": ((0.6, 3), (0.1, 0.1), (1, 50), (0.01, 400)),
    "zipf": ((4.5,), (1.1,), (2,), (20,)),
    "zipfian": ((1.25, 40), (0, 7), (1, 5000), (5, 3)),
}
FAMILIES: Final = [
    n for n in wt.stats.__all__ if isinstance(getattr(wt.stats, n), (Continuous, Discrete))
]


def counted(drawn: np.ndarray, cdf: Callable[[Any], Any]) -> float:
    """The share of samples of integers that fit worse, by χ² of some forty classes."""
    edges = np.unique(np.quantile(drawn, np.linspace(0, 1, 41)[:-1]).astype(int))
    shares = np.diff([0.0, *np.asarray(cdf(edges.astype(float))), 1.0])
    counts = np.bincount(np.searchsorted(edges, drawn), minlength=len(shares))
    some = shares * len(drawn) > 5
    assert counts[~some].sum() < 60
    expected = shares[some] * counts[some].sum() / shares[some].sum()
    return float(scipy_stats.chisquare(counts[some], expected).pvalue) if some.sum() > 1 else 1.0


@pytest.mark.parametrize(("name", "place"), [(n, k) for n in FAMILIES for k in range(4)])
@pytest.mark.cases(3)
def test_draws_fit(name: str, place: int) -> None:
    of = getattr(wt.stats, name)
    p = SETS.get(name, PLACES)[place]
    given = tuple(map(float, p))
    drawn = wt.function([], of.rvs(KEY, *given, size=COUNT), mode="numba")()
    x = wt.dvector("x")
    cdf = wt.function([x], of.cdf(x, *given), mode="numba")
    drawn = drawn[: SLOW.get(name, COUNT)]
    if of.is_discrete:
        assert counted(drawn, cdf) > P_VALUE
    else:
        assert scipy_stats.kstest(cdf(drawn), "uniform").pvalue > P_VALUE


COV: Final = np.array([[2.0, 0.5], [0.5, 1.0]])
NARROW: Final = np.array([[1e6, 999.0], [999.0, 1.0]])
S: Final[Any] = scipy_stats
Part = Callable[[np.ndarray], np.ndarray]
Row = tuple[str, dict[str, Any], Part, Any]


def first(x: np.ndarray) -> np.ndarray:
    return x[:, 0]


def total(x: np.ndarray) -> np.ndarray:
    return np.asarray(x.sum(axis=-1))


def corner(x: np.ndarray) -> np.ndarray:
    return x[:, 0, 0]


VECTORS: Final[list[Row]] = [
    *[
        ("multivariate_normal", {"mean": np.zeros(2), **way}, total, S.norm(0, np.sqrt(v.sum())))
        for v in (COV, NARROW)
        for way in ({"cov": v}, {"precision": np.linalg.inv(v)})
    ],
    ("multivariate_normal", {"mean": np.ones(2), "factor": COV, "diagonal": np.ones(2)},
     first, S.norm(1, np.sqrt(1 + 4.25))),
    *[
        ("multivariate_t", {"loc": np.zeros(2), "shape": v, "df": df}, total,
         S.t(df, 0, np.sqrt(v.sum())))
        for v, df in ((COV, 4.0), (COV, 0.5), (NARROW, 1.0), (COV, 1e3))
    ],
    *[
        ("dirichlet", {"alpha": np.array(a)}, first, S.beta(a[0], sum(a[1:])))
        for a in ([1.0, 2.0, 3.0], [0.05, 0.5], [500.0, 200.0], [0.3] * 20)
    ],
    *[
        ("multinomial", {"n": n, "p": np.array(p)}, first, S.binom(n, p[0]))
        for n, p in ((7, [0.2, 0.3, 0.5]), (9_000, [0.4, 0.6]), (1, [0.01, 0.99]), (50, [0.5] * 2))
    ],
    *[
        ("dirichlet_multinomial", {"n": n, "alpha": np.array(a)}, first,
         S.betabinom(n, a[0], sum(a[1:])))
        for n, a in ((7, [0.5, 2.0, 3.0]), (50, [0.1, 0.2]), (200, [5.0, 0.5]), (3, [100.0, 1.0]))
    ],
    *[
        ("categorical", {"p": np.array(p)}, lambda x: x, S.rv_discrete(values=(range(len(p)), p)))
        for p in ([0.2, 0.3, 0.5], [1e-3, 0.999], [0.05] * 20, [1.0])
    ],
    *[
        ("poisson_binom", {"p": np.array(p)}, lambda x: x, S.poisson_binom(p))
        for p in ([0.2, 0.3, 0.9], [1e-3] * 20, [0.5], [1.0, 0.0, 0.4])
    ],
    *[
        ("wishart", {"df": df, "scale": v}, corner, S.chi2(df, 0, v[0, 0]))
        for v, df in ((COV, 5.5), (COV, 1.2), (NARROW, 3.0), (COV, 300.0))
    ],
    *[
        ("invwishart", {"df": df, "scale": v}, corner, S.invgamma((df - 1) / 2, 0, v[0, 0] / 2))
        for v, df in ((COV, 5.5), (COV, 1.2), (NARROW, 3.0), (COV, 300.0))
    ],
    *[
        ("lkj", {"eta": eta, "n": 3}, lambda x: x[:, 0, 1], S.beta(eta + 0.5, eta + 0.5, -1, 2))
        for eta in (1.0, 0.2, 2.5, 50.0)
    ],
    *[
        ("lkj_cholesky", {"eta": eta, "n": 3}, lambda x: x[:, 1, 0],
         S.beta(eta + 0.5, eta + 0.5, -1, 2))
        for eta in (1.0, 0.2, 2.5, 50.0)
    ],
    *[
        ("matrix_normal", {"mean": np.zeros((2, 2)), "rowcov": v, "colcov": COV}, corner,
         S.norm(0, np.sqrt(2 * v[0, 0])))
        for v in (COV, NARROW, 1e-6 * COV, 1e6 * COV)
    ],
    *[
        ("matrix_t", {"mean": np.zeros((2, 2)), "row_spread": v, "col_spread": COV, "df": df},
         corner, S.t(df, 0, np.sqrt(2 * v[0, 0] / df)))
        for v, df in ((COV, 4.5), (COV, 0.5), (NARROW, 1.0), (1e-6 * COV, 300.0))
    ],
    *[
        ("normal_inverse_gamma", {"mu": 0.3, "lmbda": m, "a": a, "b": b}, first,
         S.t(2 * a, 0.3, np.sqrt(b / (a * m))))
        for m, a, b in ((2.0, 1.5, 0.7), (1e-3, 0.5, 1.0), (1e3, 50.0, 1e6), (1.0, 1.0, 1.0))
    ],
    *[
        ("uniform_direction", {"dim": n}, lambda x: x[:, 0] ** 2, S.beta(0.5, (n - 1) / 2))
        for n in (2, 3, 20)
    ],
    *[
        ("vonmises_fisher", {"mu": np.array([0.6, 0.0, -0.8]), "kappa": k},
         lambda x: 1 - x @ np.array([0.6, 0.0, -0.8]), S.truncexpon(2 * k, 0, 1 / k))
        for k in (1e-3, 0.7, 30.0, 1e6)
    ],
    ("vonmises_fisher", {"mu": np.array([0.0, 1.0]), "kappa": 2.0},
     lambda x: np.arctan2(-x[:, 0], x[:, 1]), S.vonmises(2.0)),
    *[
        (name, {"dim": n}, lambda x: x[:, 1, 0] ** 2, S.beta(0.5, (n - 1) / 2))
        for name in ("ortho_group", "special_ortho_group")
        for n in (3, 6)
    ],
    *[
        ("unitary_group", {"dim": n}, lambda x: np.abs(x[:, 1, 0]) ** 2, S.beta(1, n - 1))
        for n in (2, 5)
    ],
    ("random_correlation", {"eigs": np.array([0.5, 1.5])},
     lambda x: np.rint(x[:, 0, 1] + 0.5).astype(int), S.bernoulli(0.5)),
    *[
        ("multivariate_hypergeom", {"m": np.array(m), "n": n}, first,
         S.hypergeom(int(sum(m)), int(m[0]), int(n)))
        for m, n in (([5.0, 3.0, 7.0], 6.0), ([1.0, 1.0], 1.0), ([900.0, 50.0, 2.0], 400.0))
    ],
    ("random_table", {"row": np.array([3.0, 4.0, 2.0]), "col": np.array([5.0, 4.0])}, corner,
     S.hypergeom(9, 3, 5)),
    *[
        ("gaussian_random_walk", {"mu": mu, "sigma": sigma, "steps": 5}, lambda x: x[:, -1],
         S.norm(4 * mu, np.sqrt(1 + 4 * sigma**2)))
        for mu, sigma in ((0.1, 0.5), (-3.0, 1e-3), (0.0, 1e3), (5.0, 2.0))
    ],
    *[
        ("ar", {"rho": np.array([r]), "sigma": s, "steps": 2}, lambda x: x[:, -1],
         S.norm(0, np.hypot(r, s)))
        for r, s in ((0.5, 0.7), (-0.9, 1e-3), (0.0, 1e3), (1.0, 1.0))
    ],
    *[
        ("car", {"mu": np.zeros(2), "W": 1 - np.eye(2), "alpha": a, "tau": tau}, total,
         S.norm(0, np.sqrt(2 / (tau * (1 - a)))))
        for a, tau in ((0.4, 2.0), (-0.9, 1e-3), (0.999, 1.0), (0.0, 1e6))
    ],
]  # fmt: skip
"""The family, its parameters, a number made of a draw, and the distribution of that."""


def test_every_family_of_vectors_has_a_row() -> None:
    every = {n for n in wt.stats.__all__ if isinstance(getattr(wt.stats, n), Multivariate)}
    assert every == {row[0] for row in VECTORS}


@pytest.mark.parametrize("place", range(len(VECTORS)))
@pytest.mark.cases(2)
def test_draws_of_vectors_fit(place: int) -> None:
    name, given, part, of = VECTORS[place]
    drawn = getattr(wt.stats, name).rvs(KEY, size=COUNT, **given)
    found = part(wt.function([], drawn, mode="numba")())
    if found.dtype == np.int64:
        assert counted(found, of.cdf) > P_VALUE
    else:
        assert scipy_stats.kstest(found, of.cdf).pvalue > P_VALUE
