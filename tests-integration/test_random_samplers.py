"""Draws by the names of NumPy's Generator: of SciPy's distributions, the same on every backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from scipy import stats as scipy_stats

import weft.tensor as wt

BACKENDS: Final = ("py", "numba", "jax")
R: Final = wt.random
KEY: Final = R.key(20261123)
S: Final[Any] = scipy_stats
Case = tuple[Callable[..., Any], list[tuple[float, ...]]]
CASES: Final[dict[str, Case]] = {
    "beta": (S.beta, [(2, 3), (0.05, 0.5), (0.5, 40), (300, 200)]),
    "betabinom": (S.betabinom, [(5, 2, 3), (40, 0.3, 0.3), (100, 20, 5), (1, 1, 1)]),
    "binomial": (S.binom, [(5, 0.5), (1000, 0.001), (10_000, 0.4), (1, 0.99)]),
    "chisquare": (S.chi2, [(1,), (0.1,), (5,), (500,)]),
    "exponential": (lambda s: S.expon(scale=s), [(1,), (1e-3,), (20,), (1e8,)]),
    "f": (S.f, [(5, 7), (1, 20), (50, 60), (2, 1)]),
    "gamma": (lambda a, s: S.gamma(a, scale=s), [(2, 3), (0.01, 1), (1, 1), (1e4, 0.1)]),
    "gengamma": (
        lambda a, p, s: S.gengamma(a / p, p, scale=s),
        [(2, 3, 1), (0.5, 0.5, 4), (1, 1, 1e-3), (30, 2, 1)],
    ),
    "geometric": (S.geom, [(0.3,), (0.001,), (0.9,), (0.99,)]),
    "gumbel": (S.gumbel_r, [(0, 1), (5, 0.1), (-3, 20), (0, 1e6)]),
    "halfcauchy": (S.halfcauchy, [(0, 1), (5, 0.1), (-3, 20), (0, 1e6)]),
    "halfnormal": (S.halfnorm, [(0, 1), (5, 0.1), (-3, 20), (0, 1e6)]),
    "hypergeometric": (
        lambda g, b, n: S.hypergeom(g + b, g, n), [(5, 6, 4), (50, 3, 20), (1, 1, 1), (9, 90, 40)],
    ),
    "invgamma": (lambda a, s: S.invgamma(a, scale=s), [(3, 2), (0.5, 1), (50, 50), (1, 1e-3)]),
    "laplace": (S.laplace, [(0, 1), (5, 0.1), (-3, 20), (0, 1e6)]),
    "logistic": (S.logistic, [(0, 1), (5, 0.1), (-3, 20), (0, 1e6)]),
    "lognormal": (lambda m, s: S.lognorm(s, scale=np.exp(m)), [(0, 1), (3, 0.1), (-2, 3), (0, 9)]),
    "nbinom": (S.nbinom, [(3, 0.4), (0.2, 0.1), (50, 0.9), (1, 0.01)]),
    "negative_binomial": (S.nbinom, [(3, 0.4), (0.2, 0.1), (50, 0.9), (1, 0.01)]),
    "pareto": (S.lomax, [(3,), (0.5,), (1,), (50,)]),
    "poisson": (S.poisson, [(4,), (0.01,), (400,), (1e6,)]),
    "power": (S.powerlaw, [(2,), (0.1,), (1,), (30,)]),
    "rayleigh": (lambda s: S.rayleigh(scale=s), [(1,), (1e-3,), (20,), (1e8,)]),
    "standard_t": (S.t, [(1,), (0.5,), (4,), (100,)]),
    "triangular": (
        lambda a, m, b: S.triang((m - a) / (b - a), a, b - a),
        [(0, 1, 3), (-2, -2, 5), (-2, 5, 5), (0, 1e-3, 1)],
    ),
    "truncexpon": (S.truncexpon, [(2, 0, 1), (0.01, 5, 0.1), (50, -3, 20), (1, 0, 1e6)]),
    "vonmises": (lambda mu, k: S.vonmises(k, mu), [(0, 2), (0, 0), (0, 0.01), (0, 40)]),
    "wald": (lambda m, s: S.invgauss(m / s, scale=s), [(1, 2), (5, 0.5), (0.1, 3), (1, 1)]),
    "weibull": (S.weibull_min, [(2,), (0.3,), (1,), (20,)]),
}  # fmt: skip
"""SciPy's distribution of the same parameters, and these, ordinary ones first."""


def fits(drawn: np.ndarray, of: Any) -> float:
    """The share of samples that fit worse: by Kolmogorov and Smirnov, or of integers by χ²."""
    if drawn.dtype != np.int64:
        return float(scipy_stats.kstest(drawn, of.cdf).pvalue)
    edges = np.unique(of.ppf(np.linspace(0, 1, 41)[1:-1]))
    shares = np.diff([0.0, *of.cdf(edges), 1.0])
    counts = np.bincount(np.searchsorted(edges, drawn), minlength=len(shares))
    some = shares * len(drawn) > 5
    assert counts[~some].sum() < 60
    expected = shares[some] * counts[some].sum() / shares[some].sum()
    return float(scipy_stats.chisquare(counts[some], expected).pvalue) if some.sum() > 1 else 1.0


@pytest.mark.parametrize(("name", "place"), [(n, k) for n in CASES for k in range(4)])
@pytest.mark.cases(2)
def test_draws_are_of_the_distribution(name: str, place: int) -> None:
    of, sets = CASES[name]
    p = sets[place]
    drawn = getattr(R, name)(KEY, *map(float, p), size=100_000)
    found = wt.function([], drawn, mode="numba")()
    assert fits(found, of(*p)) > 1e-4


K: Final = R.stream(20261123)
INTEGERS: Final = {
    "choices": [
        R.permutation(next(K), 50), R.choice(next(K), 50, 9, replace=False),
        R.choice(next(K), 50, (2, 3)), R.choice(next(K), 3, 2, replace=False, p=[0.2, 0.3, 0.5]),
        R.categorical(next(K), [0.2, 0.3, 0.5], size=50), R.geometric(next(K), 0.2, size=50),
    ],
    "counts": [
        R.binomial(next(K), 12, 0.3, size=50), R.poisson(next(K), [4.0, 400.0], size=(40, 2)),
        R.multinomial(next(K), 9, [0.2, 0.3, 0.5], size=20),
        R.multivariate_hypergeometric(next(K), [3, 0, 9], 7, size=20),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.cases(0)
def test_integers_are_the_same_on_every_backend(name: str) -> None:
    """Bit for bit."""
    found = [wt.function([], INTEGERS[name], mode=mode)() for mode in BACKENDS]
    for other in found[1:]:
        for got, want in zip(other, found[0], strict=True):
            np.testing.assert_array_equal(got, want)


def test_counts_by_a_table_are_those_by_halving() -> None:
    """A table is for many draws of one distribution; too long ones have none."""
    mu = wt.dscalar("mu")
    drawn = [R.poisson(KEY, mu, size=90), R.poisson(KEY, wt.broadcast_to(mu, (90,)))]
    with pytest.warns(UserWarning, match="one key is used for 2 draws"):
        at = wt.function([mu], drawn, mode="numba")
    for value in (0.0, 4.0, 400.0, 1e5):
        np.testing.assert_array_equal(*at(value))
    np.testing.assert_array_equal(R.poisson(KEY, 400.0, size=90).eval(), at(400.0)[0])


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.cases(0)
def test_draws_for_many_keys_are_those_for_each(mode: str) -> None:
    keys, shapes = R.split(KEY, 3), np.tile([0.3, 1.0, 5.0], 100)
    draws: list[Callable[[Any], Any]] = [
        lambda k: R.gamma(k, shapes),
        lambda k: R.poisson(k, 4.0, size=90),
    ]
    for draw in draws:
        alone = wt.stack([draw(keys[i]) for i in range(3)])
        many, each = wt.function([], [wt.vmap(draw)(keys), alone], mode=mode)()
        np.testing.assert_allclose(many, each, rtol=1e-13)
    n = wt.lscalar("n")
    some = wt.function([n], R.gamma(KEY, 0.5, size=n), mode=mode)
    for length in (0, 1, 2_000):
        assert some(length).shape == (length,)
        np.testing.assert_allclose(some(length)[:1], some(2_000)[:length][:1], rtol=1e-13)


@pytest.mark.cases(0)
def test_numbers_are_the_same_on_every_backend() -> None:
    drawn = [
        R.gamma(next(K), [0.3, 3.0]), R.vonmises(next(K), 0.5, 2.0, size=9),
        R.wald(next(K), 1.0, 2.0), R.dirichlet(next(K), [1.0, 2.0]),
        R.standard_t(next(K), 3.0, size=9),
    ]  # fmt: skip
    found = [wt.function([], drawn, mode=mode)() for mode in BACKENDS]
    for other in found[1:]:
        for got, want in zip(other, found[0], strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-13)


def test_choices() -> None:
    """All orders come, weights are those of draws one after the other, and nothing twice."""
    many = wt.vmap(lambda key: R.permutation(key, 3))(R.split(KEY, 6_000)).eval()
    _, counts = np.unique(many, axis=0, return_counts=True)
    assert len(counts) == 6
    assert scipy_stats.chisquare(counts).pvalue > 1e-4
    p = np.array([0.5, 0.3, 0.2])
    pairs = wt.vmap(lambda key: R.choice(key, 3, 2, replace=False, p=p))(R.split(KEY, 6_000)).eval()
    orders = [(i, j) for i in range(3) for j in range(3) if i != j]
    seen = [np.all(pairs == order, axis=1).sum() for order in orders]
    expected = [6_000 * p[i] * p[j] / (1 - p[i]) for i, j in orders]
    assert scipy_stats.chisquare(seen, expected).pvalue > 1e-4
    with_weights = R.choice(KEY, [4.0, 5.0, 6.0], 20_000, p=p).eval()
    shares = [(with_weights == v).mean() for v in (4.0, 5.0, 6.0)]
    np.testing.assert_allclose(shares, p, atol=0.02)
    table = np.arange(12).reshape(3, 4)
    rows = R.permuted(KEY, table, axis=1).eval()
    np.testing.assert_array_equal(np.sort(rows, axis=1), table)
    np.testing.assert_array_equal(np.sort(R.permuted(KEY, table).eval().ravel()), np.arange(12))
    np.testing.assert_array_equal(np.sort(R.shuffle(KEY, table, 1).eval(), axis=1), table)


def test_normal_vectors() -> None:
    cov = np.array([[1.0, 1.0], [1.0, 1.0]])  # of rank 1
    found = [R.multivariate_normal(KEY, [0.0, 5.0], cov, 9, method=m) for m in ("eigh", "svd")]
    values = [v.eval() for v in found]
    np.testing.assert_allclose(values[0], values[1], atol=1e-7)
    np.testing.assert_allclose(values[0][:, 0] + 5, values[0][:, 1], atol=1e-6)
    for method in ("eigh", "svd"):
        with pytest.raises(ValueError, match="eigenvalues of cov must be 0 or positive, got"):
            R.multivariate_normal(KEY, [0.0, 5.0], np.diag([1.0, -1.0]), method=method).eval()
    with pytest.raises(ValueError, match="multivariate_normal: cov must be symmetric, got"):
        R.multivariate_normal(KEY, [0.0, 5.0], np.array([[1.0, 0.0], [0.5, 1.0]]), method="svd")
    with pytest.raises(ValueError, match="method is 'cholesky', 'eigh' or 'svd', not 'lu'"):
        R.multivariate_normal(KEY, [0.0, 5.0], cov, method="lu")


def test_streams() -> None:
    keys = R.stream(7)
    made = [int(next(keys).eval()) for _ in range(5)]
    assert len(set(made)) == 5
    again = R.stream(7)
    assert made == [int(next(again).eval()) for _ in range(5)]
    state = R.shared_key(7)
    assert int(state.get_value()) == int(R.key(7).eval())
    stream = R.RandomStream(7)
    assert stream.gamma(2.0, size=3).eval().shape == (3,)


def test_errors_say_what_is_wrong(few: Any) -> None:
    generator: Any = np.random.default_rng(1)
    wrong: list[tuple[Any, type[Exception], str]] = [
        (lambda: R.choice(KEY, 3, 4, replace=False), ValueError, "without replacement: 4 of 3"),
        (lambda: R.choice(KEY, 3, p=[0.5, 0.6, 0.1]), ValueError, "choice: p must be prob.*0.6"),
        (lambda: R.gamma(1.5, 2.0), TypeError, "gamma: a key is a uint64 scalar.*1.5"),
        (lambda: R.gamma(generator, 2.0), TypeError, "gamma: a key .*Generator"),
        (lambda: R.gamma(KEY, -2.0), ValueError, "gamma: a must be positive, got -2.0"),
        (lambda: R.gamma(KEY, np.ones(3), size=2), ValueError, "gamma: a, .*does not fit size"),
        (lambda: R.dirichlet(KEY, np.ones((3, 2)), size=2), ValueError, "dirichlet: alpha.*fit"),
        (lambda: R.binomial(KEY, -2, 0.3), ValueError, "binom: n must be an integer"),
        (lambda: R.gamma(KEY), TypeError, "gamma needs shape"),
        (lambda: R.gamma(KEY, 1, 2, 3), TypeError, "gamma takes shape, scale, not 3"),
        (lambda: R.gamma(KEY, 1, b=3), TypeError, "gamma: b is no parameter"),
        (lambda: R.gamma(KEY, 1, shape=3), TypeError, "gamma: shape is given twice"),
        (lambda: R.shuffle(KEY, 3), ValueError, "shuffle takes a tensor with axes"),
    ]
    for call, error, text in wrong:
        with pytest.raises(error, match=text):
            call()
    n = wt.lscalar("n")
    for mode in few(BACKENDS, 1):
        some = wt.function([n], R.choice(KEY, 5, n, replace=False), mode=mode)
        assert len(set(some(5))) == 5
        with pytest.raises(ValueError, match="more than there is to choose from"):
            some(6)
