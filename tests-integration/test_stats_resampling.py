"""Resamples: intervals and tests as SciPy's of the same resamples, on all backends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats
from against_scipy import quietly

import weft.tensor as wt

OURS: Any = wt.stats
THEIRS: Any = scipy.stats
BACKENDS = ["py", "numba", "jax"]
RANDOM = np.random.default_rng(5)
X, Y = RANDOM.normal(size=(7, 2)), RANDOM.normal(size=(7, 2)) + 0.5
KEY, *KEYS = (wt.random.fold_in(wt.random.key(11), k) for k in range(4))


def difference(m: Any) -> Callable[..., Any]:
    if m is wt:
        return lambda a, b: wt.mean(a) - wt.mean(b)
    return lambda a, b, axis: np.mean(a, axis) - np.mean(b, axis)


def product(m: Any) -> Callable[..., Any]:
    if m is wt:
        return lambda a, b: wt.mean(a * b)
    return lambda a, b, axis=-1: np.mean(a * b, axis)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("method", ["percentile", "basic", "BCa"])
@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.cases(4)
def test_bootstrap(paired: bool, method: str, alternative: str) -> None:
    x, y = wt.matrix("x"), wt.matrix("y")
    statistic = product if paired else difference
    named: Any = {"method": method, "alternative": alternative, "confidence_level": 0.9}
    named["paired"] = paired
    ours = OURS.bootstrap((x, y), statistic(wt), rng=KEY, n_resamples=300, **named)
    f = wt.function([x, y], [*ours.confidence_interval, *ours[1:]], mode="py")
    low, high, drawn, spread = f(X, Y)
    earlier = THEIRS._resampling.BootstrapResult(None, drawn, None)
    theirs = quietly(
        lambda: THEIRS.bootstrap(
            (X, Y), statistic(np), n_resamples=0, bootstrap_result=earlier, **named
        )
    )
    np.testing.assert_allclose([low, high], theirs.confidence_interval, rtol=1e-9)
    np.testing.assert_allclose(spread, theirs.standard_error, rtol=1e-9)
    assert drawn.shape == (2, 300)


def test_draws_are_of_all_observations() -> None:
    x = wt.vector("x")
    found = OURS.bootstrap((x,), wt.mean, rng=KEY, n_resamples=4000)
    drawn = wt.function([x], found.bootstrap_distribution)(X[:, 0])
    np.testing.assert_allclose(drawn.mean(), X[:, 0].mean(), atol=0.02)
    np.testing.assert_allclose(drawn.std(), X[:, 0].std() / 7**0.5, rtol=0.05)


KINDS: dict[str, tuple[Any, Callable[[Any], Callable[..., Any]]]] = {
    "independent": ((X[:4], Y[:5]), difference),
    "samples": ((X[:6], Y[:6]), difference),
    "pairings": ((X[:3], Y[:3]), product),
}


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("kind", KINDS)
def test_all_permutations(kind: str, alternative: str) -> None:
    (x, y), statistic = KINDS[kind]
    named = {"permutation_type": kind, "alternative": alternative}
    ours = OURS.permutation_test((x, y), statistic(wt), **named)
    theirs = THEIRS.permutation_test((x, y), statistic(np), n_resamples=np.inf, **named)
    np.testing.assert_allclose(ours.statistic.eval(), theirs.statistic)
    np.testing.assert_allclose(ours.pvalue.eval(), theirs.pvalue, rtol=1e-12)
    null = np.sort(ours.null_distribution.eval(), 0)
    np.testing.assert_allclose(null, np.sort(theirs.null_distribution, 0), atol=1e-14)


def test_statistics_along_an_axis_and_of_whole_numbers() -> None:
    pair = X[:4, 0], X[4:7, 0]

    def apart(m: Any) -> Any:
        return lambda a, b, axis: m.mean(a, axis=axis) - m.mean(b, axis=axis)

    def above(m: Any) -> Any:
        return lambda a, b: (a > 0.1).sum()

    for statistic in (apart, above):
        ours = OURS.permutation_test(pair, statistic(wt))
        theirs = THEIRS.permutation_test(pair, statistic(np))
        np.testing.assert_allclose(ours.pvalue.eval(), theirs.pvalue, rtol=1e-12)


def test_all_signs() -> None:
    ours = OURS.permutation_test((X[:, 0],), wt.mean, permutation_type="samples")
    theirs = THEIRS.permutation_test((X[:, 0],), np.mean, permutation_type="samples")
    np.testing.assert_allclose(ours.pvalue.eval(), theirs.pvalue, rtol=1e-12)


@pytest.mark.parametrize("mode", BACKENDS)
def test_some_permutations(mode: str) -> None:
    """About as likely as those of all; the same on all backends."""
    x, y, z = wt.matrix("x"), wt.matrix("y"), wt.fvector("z")
    tests = [
        OURS.permutation_test((x, y), statistic(wt), rng=key, permutation_type=k, n_resamples=2000)
        for key, (k, (_, statistic)) in zip(KEYS, KINDS.items(), strict=True)
    ]
    single = OURS.permutation_test((z,), wt.mean, rng=KEY, permutation_type="samples")
    chances = [t.pvalue for t in tests]
    f = wt.function([x, y, z], [*chances, single.pvalue], mode=mode)
    *found, alone = f(X[:5], Y[:5], X[:, 0].astype("float32"))
    for chance, (kind, (_, statistic)) in zip(found, KINDS.items(), strict=True):
        whole = THEIRS.permutation_test(
            (X[:5], Y[:5]), statistic(np), permutation_type=kind, n_resamples=20000
        )
        np.testing.assert_allclose(chance, whole.pvalue, atol=0.06)
    theirs = THEIRS.permutation_test((X[:, 0],), np.mean, permutation_type="samples")
    np.testing.assert_allclose(alone, theirs.pvalue, atol=0.03)
    assert alone.dtype == "float32"


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.cases(2)
def test_monte_carlo(alternative: str, mode: str) -> None:
    x, y = wt.matrix("x"), wt.matrix("y")
    named: Any = {"alternative": alternative, "n_resamples": 500}
    one = OURS.monte_carlo_test(x, OURS.norm.rvs, wt.max, rng=KEY, **named)
    two = OURS.monte_carlo_test((x, y), [OURS.norm.rvs] * 2, difference(wt), rng=KEYS[0], **named)
    f = wt.function(
        [x, y], [one.null_distribution, one.pvalue, two.statistic, two.pvalue], mode=mode
    )
    null, chance, statistic, both = f(X, Y)
    less, greater = ((side.sum(0) + 1) / 501 for side in (null <= X.max(0), null >= X.max(0)))
    sides = {"less": less, "greater": greater, "two-sided": 2 * np.minimum(less, greater)}
    np.testing.assert_allclose(chance, sides[alternative], rtol=1e-12)
    np.testing.assert_allclose(statistic, X.mean(0) - Y.mean(0))
    sd = (2 / 7) ** 0.5
    share = scipy.stats.norm.cdf(statistic / sd)
    exact = {"less": share, "greater": 1 - share, "two-sided": 2 * np.minimum(share, 1 - share)}
    np.testing.assert_allclose(both, exact[alternative], atol=0.08)


def side_of(m: Any, side: str, x: Any, y: Any) -> list[Any]:
    """Probabilities by all rearrangements."""
    how = {"alternative": side, "method": m.PermutationMethod()}
    found = [
        m.pearsonr(x[:6], y[:6], **how),
        m.mannwhitneyu(x, y[:4], **how),
        m.wilcoxon(x, y, **how),
        m.wilcoxon(x - x[0], zero_method="zsplit", **how),
        m.ttest_ind(x, y[:4], equal_var=False, **how),
        m.ttest_ind(x, y[:5], trim=0.2, **how),
        m.bws_test(x[:, 0], y[:4, 1], **how),
    ]
    return [v for test in found for v in (test.statistic, test.pvalue)]


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.cases(2)
def test_methods_of_tests(alternative: str, mode: str) -> None:
    x, y = (wt.matrix(name, shape=(7, 2)) for name in "xy")
    found = wt.function([x, y], side_of(OURS, alternative, x, y), mode=mode)(X, Y)
    for ours, theirs in zip(found, side_of(THEIRS, alternative, X, Y), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize("variant", ["midrank", "right"])
def test_distances_of_samples_that_are_rearranged(variant: str, mode: str) -> None:
    x, y, z = (wt.vector(name, shape=(3,)) for name in "xyz")
    how = {"variant": variant, "method": OURS.PermutationMethod()}
    test = OURS.anderson_ksamp([x, y, z], **how)
    samples = [X[:3, 0].round(1), Y[:3, 0].round(1), X[3:6, 1].round(1) + 1]
    found = wt.function([x, y, z], [test.statistic, test.pvalue], mode=mode)(*samples)
    their_method = THEIRS.PermutationMethod()
    reference = quietly(
        lambda: THEIRS.anderson_ksamp(samples, variant == "midrank", method=their_method)
    )
    np.testing.assert_allclose(found, reference[::2], 1e-10)


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_where_correlations_are(alternative: str, mode: str) -> None:
    """By resamples to what they spread, by the law of arctanh exactly."""
    x, y = wt.matrices("x", "y")
    level, key = wt.scalar("level"), wt.random.key(7)
    how = [
        None,
        *(OURS.BootstrapMethod(800, method=k, rng=key) for k in ("BCa", "percentile", "basic")),
    ]
    test, few = (
        OURS.pearsonr(*(v[:, :n] for v in (x, y)), alternative=alternative, axis=1) for n in (7, 3)
    )
    found = [end for k in how for end in test.confidence_interval(level, k)]
    found += [*few.confidence_interval(level), test.correlation - test.statistic]
    values = [np.stack([v[:, 0], v[:, 1] + X[:, 0], v[:, 0] ** 2]) for v in (X, Y)]
    *ends, none = wt.function([x, y, level], found, mode=mode)(*values, 0.9)
    theirs, few_of_theirs = (
        THEIRS.pearsonr(*(v[:, :n] for v in values), alternative=alternative, axis=1)
        for n in (7, 3)
    )
    np.testing.assert_allclose(ends[:2], theirs.confidence_interval(0.9), 1e-10)
    np.testing.assert_allclose(ends[-2:], few_of_theirs.confidence_interval(0.9))
    for k, kind in enumerate(how[1:], 1):
        method = THEIRS.BootstrapMethod(3000, method=kind.method, rng=np.random.default_rng(1))
        wanted = theirs.confidence_interval(0.9, method)
        np.testing.assert_allclose(ends[2 * k : 2 * k + 2], wanted, atol=0.2)
    assert not none.any()


@pytest.mark.parametrize("mode", BACKENDS)
def test_tables_with_the_same_margins(mode: str) -> None:
    """About as likely as all of them, and as SciPy draws them."""
    seen, table = np.array([[8.0, 2.0, 3.0], [1.0, 5.0, 4.0]]), wt.matrix("table", shape=(2, 3))
    tests = []
    for key, kind in zip(KEYS, (OURS.PermutationMethod, OURS.MonteCarloMethod), strict=False):
        squares = OURS.chi2_contingency(table, False, method=kind(4000, rng=key))
        likely = OURS.fisher_exact(table, method=kind(3000, rng=wt.random.fold_in(key, 1)))
        tests += [squares, likely]
    correlated = OURS.pearsonr(table[0], table[1], method=OURS.MonteCarloMethod(rng=KEY))
    parts = [part for t in [*tests, correlated] for part in (t.statistic, t.pvalue)]
    found = wt.function([table], parts, mode=mode)(seen)
    method = THEIRS.MonteCarloMethod(rng=np.random.default_rng(1))
    expected = [
        THEIRS.chi2_contingency(seen, False, method=method),
        THEIRS.fisher_exact(seen.astype(int), method=method),
        THEIRS.pearsonr(seen[0], seen[1]),
    ]
    for k, test in enumerate([*expected[:2], *expected]):
        np.testing.assert_allclose(found[2 * k], test.statistic, rtol=1e-10)
        np.testing.assert_allclose(found[2 * k + 1], test.pvalue, atol=0.03)


ERRORS: dict[str, Callable[[Any], Any]] = {
    "method is a BootstrapMethod": lambda x: OURS.pearsonr(x, x).confidence_interval(
        0.9, OURS.BootstrapMethod()
    ),
    "method may be a PermutationMethod": lambda x: OURS.anderson_ksamp([x, x], method="exact"),
    "bootstrap: method is": lambda x: OURS.bootstrap((x,), wt.mean, rng=KEY, method="best"),
    "bootstrap takes a tuple": lambda x: OURS.bootstrap(x, wt.mean, rng=KEY),
    "permutation_type is": lambda x: OURS.permutation_test((x,), wt.mean, permutation_type="any"),
    "give a key as `rng=": lambda x: OURS.permutation_test((x, x), difference(wt)),
    "alternative is": lambda x: OURS.permutation_test((x, x), difference(wt), alternative="more"),
    "give a key as `MonteCarloMethod": lambda x: OURS.pearsonr(
        x, x, method=OURS.MonteCarloMethod()
    ),
    "leave rvs out": lambda x: OURS.chi2_contingency(
        np.ones((2, 2)), False, method=OURS.MonteCarloMethod(rvs=OURS.norm.rvs, rng=KEY)
    ),
    "1 samples, 2 rvs": lambda x: OURS.monte_carlo_test(
        (x,), [OURS.norm.rvs] * 2, wt.mean, rng=KEY
    ),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message](wt.vector("x"))
