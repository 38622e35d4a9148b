"""Distributions of integers are SciPy's, on every backend, and sum to one."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import mpmath as mp
import numpy as np
import pytest
from scipy import stats as scipy_stats
from test_stats import moments_by_formula

import weft.tensor as wt
from weft_graph import UndefinedGradientError
from weft_tensor.ops.distributions.constraints import COUNT, INTEGER, POSITIVE_COUNT
from weft_tensor.stats import Discrete

BACKENDS: Final = ("py", "numba", "jax")
SETS: Final[dict[str, tuple[float, ...]]] = {
    "bernoulli": (0.3,),
    "betabinom": (10.0, 2.0, 3.0),
    "betanbinom": (3.0, 30.0, 2.0),
    "binom": (12.0, 0.3),
    "boltzmann": (0.7, 12.0),
    "discrete_weibull": (0.6, 1.3),
    "dlaplace": (0.8,),
    "geom": (0.3,),
    "hurdle_nbinom": (0.6, 3.0, 0.4),
    "hurdle_poisson": (0.6, 3.0),
    "hypergeom": (20.0, 7.0, 12.0),
    "logser": (0.6,),
    "nbinom": (3.5, 0.4),
    "nchypergeom_fisher": (20.0, 7.0, 12.0, 2.5),
    "nchypergeom_wallenius": (20.0, 7.0, 12.0, 2.5),
    "nhypergeom": (20.0, 7.0, 4.0),
    "planck": (0.5,),
    "poisson": (4.5,),
    "randint": (-2.0, 7.0),
    "skellam": (3.0, 2.0),
    "yulesimon": (30.0,),
    "zero_inflated_binom": (0.6, 10.0, 0.3),
    "zero_inflated_nbinom": (0.6, 3.0, 0.4),
    "zero_inflated_poisson": (0.6, 3.0),
    "zipf": (9.0,),
    "zipfian": (1.25, 40.0),
}
ROUGH: Final = ("betanbinom", "dlaplace", "skellam", "zipf")
"""Those of which SciPy has a tail as what the other lacks of 1."""
VALUES: Final = ("logpmf", "pmf", "cdf", "logcdf", "sf", "logsf")
MOMENTS: Final = ("mean", "var", "std", "entropy")
WHOLE: Final = np.arange(-60.0, 300.0)
SHARES: Final = np.array([1e-8, 0.1, 0.3, 0.5, 0.9, 0.999])


def family(name: str) -> Discrete:
    found: Discrete = getattr(wt.stats, name)
    return found


def test_every_family_has_a_case() -> None:
    every = {n for n in wt.stats.__all__ if isinstance(getattr(wt.stats, n), Discrete)}
    assert every == set(SETS)


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize("name", SETS)
@pytest.mark.cases("bernoulli-py", "hurdle_nbinom-numba", "poisson-py")
def test_all_methods(name: str, mode: str) -> None:
    of, p = family(name), SETS[name]
    scipys = getattr(scipy_stats, of.scipy or "", None)
    k, q, inputs = wt.dvector("k"), wt.dvector("q"), [wt.dscalar(n) for n in of.parameters]
    moments = moments_by_formula(of)
    outputs = [
        *[getattr(of, n)(k, *inputs, loc=1) for n in VALUES],
        *[getattr(of, n)(q, *inputs, loc=1) for n in ("ppf", "isf")],
        *[getattr(of, n)(*inputs, loc=1) for n in moments],
    ]
    found = wt.function([k, q, *inputs], outputs, mode=mode)(WHOLE, SHARES, *p)
    logpmf, pmf, cdf, _, sf, _, ppf, isf = found[:8]
    np.testing.assert_allclose(pmf.sum(), 1, rtol=1e-12)
    least = 1e-20 if np.isneginf(of.support(*p)[0].eval()) else 1e-300  # what is left of WHOLE
    np.testing.assert_allclose(cdf, np.cumsum(pmf), rtol=1e-11, atol=least)
    np.testing.assert_allclose(sf, np.cumsum(pmf[::-1])[::-1] - pmf, rtol=1e-9, atol=1e-14)
    np.testing.assert_array_equal(ppf, WHOLE[np.searchsorted(cdf, SHARES)])
    np.testing.assert_array_equal(isf, WHOLE[[int((sf > s).sum()) for s in SHARES]])
    mean = (WHOLE * pmf).sum()
    if "mean" in moments:
        var = ((WHOLE - mean) ** 2 * pmf).sum()
        np.testing.assert_allclose(found[8:10], [mean, var], rtol=1e-11)
    if "entropy" in moments:
        expected = -(pmf[pmf > 0] * logpmf[pmf > 0]).sum()
        np.testing.assert_allclose(found[-1], expected, rtol=1e-11)
    if scipys:
        for got, method in zip(found, VALUES, strict=False):
            with np.errstate(invalid="ignore"):  # betanbinom has tails below 0
                expected = getattr(scipys, method)(WHOLE, *p, loc=1)
            sound = np.abs(expected) < (690 if "log" in method else 2)
            if name in ROUGH and method == "logsf":
                sound &= expected > -6
            np.testing.assert_allclose(got[sound], expected[sound], rtol=1e-8, atol=1e-14)


@pytest.mark.parametrize("mode", BACKENDS)
def test_outside_and_slopes(mode: str) -> None:
    """What can't occur has no slope, and parameters have those of the others."""
    k, mu = wt.dvector("k"), wt.dscalar("mu")
    density = wt.stats.poisson.logpmf(k, mu)
    slope = wt.grad(wt.where(wt.isfinite(density), density, 0).sum(), mu)
    call = wt.function([k, mu], [density, slope], mode=mode)
    values, found = call(np.array([-1.0, 2.5, 3.0, np.inf]), 2.0)
    assert np.isneginf(values[[0, 1, 3]]).all()
    np.testing.assert_allclose(found, 3.0 / 2.0 - 1)


@pytest.mark.cases("binom-py")
@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize("name", SETS)
def test_outside_and_parameters_that_are_not_valid(name: str, mode: str) -> None:
    """-inf without slopes for all that can't occur; errors that name the parameter, or NaN."""
    of, p = family(name), SETS[name]
    k, parameters = wt.dvector("k"), wt.dscalars(*of.parameters, "loc")
    density = of.logpmf(k, *parameters)
    outputs = [density, of.pmf(k, *parameters), *wt.grad(density.sum(), [k, *parameters])]
    at = wt.function([k, *parameters], outputs, mode=mode)
    low, high = (float(v.eval()) for v in of.support(*p, loc=1.0))
    least = [low - 1, low + 0.5, -1e300] if low > -np.inf else [0.5]
    ends = [*least, -np.inf, np.inf]
    for value in (*ends, *([high + 1, 1e300] if high < np.inf else [])):
        found, *rest = at(np.array([value]), *p, 1.0)
        assert np.isneginf(found[0]), value
        assert not any(np.any(v) for v in rest), (value, rest)
    with np.errstate(invalid="ignore"):  # NumPy's logaddexp of NaN
        found, share, *_ = at(np.array([np.nan]), *p, 1.0)
    assert np.isnan([found[0], share[0]]).all()
    methods = (of.logpmf, of.cdf, of.ppf)
    unchecked = [m(k, *parameters, check=False) for m in methods]
    free = wt.function([k, *parameters], unchecked, mode=mode)
    for n, must in enumerate(of.parameters.values()):
        for value in (-3.7, np.nan):
            if not must.holds(wt.as_tensor(value)).eval():
                given = (*p[:n], value, *p[n + 1 :], 1.0)
                with np.errstate(all="ignore"):
                    assert np.isnan(free(np.array([0.3]), *given)).all(), (n, value)
                with pytest.raises(ValueError, match=f"^{name}: .* must be .*, got "):
                    at(np.array([0.3]), *given)


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize("name", SETS)
@pytest.mark.cases("bernoulli-py", "hurdle_nbinom-py", "poisson-jax")
def test_slopes_in_parameters(name: str, mode: str) -> None:
    """Those of log-probabilities and of the distribution function, as differences are."""
    of, p = family(name), SETS[name]
    low, high = (float(v.eval()) for v in of.support(*p))
    low = max(low, -4.0)
    k, inputs = np.arange(low, min(high, low + 9) + 1), wt.dscalars(*of.parameters)
    whole = (COUNT, INTEGER, POSITIVE_COUNT)
    places = [n for n, v in enumerate(of.parameters.values()) if v not in whole]
    values = [of.logpmf(k, *inputs).sum(), of.cdf(k, *inputs).sum()]
    slopes = [wt.grad(v, inputs[n]) for n in places for v in values]
    call = wt.function([*inputs], [*values, *slopes], mode=mode)
    expected: list[float] = []
    for n in places:
        step = 1e-3 * abs(p[n])
        moved = [[*p[:n], p[n] + m * step, *p[n + 1 :]] for m in (2, 1, -1, -2)]
        for far, near, back, last in zip(*[call(*q)[:2] for q in moved], strict=True):
            expected.append((8 * (near - back) - (far - last)) / (12 * step))
    np.testing.assert_allclose(call(*p)[2:], expected, rtol=1e-7, atol=1e-8)


def test_what_is_not_zero_must_be_able_to_occur() -> None:
    for of, p in ((wt.stats.hurdle_nbinom, (0.6, 3.0, 1.0)), (wt.stats.hurdle_poisson, (0.6, 0.0))):
        with pytest.raises(ValueError, match=f"^{of.name}: .* such that more than 0 can occur"):
            of.logpmf(1, *p)
        assert np.isnan(of.logpmf([0, 1], *p, check=False).eval()).all()
    two = wt.stats.zero_inflated(wt.stats.randint)
    with pytest.raises(ValueError, match="high must be above low"):
        two.logpmf(0, 0.5, 3, 1)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.cases(1)
def test_draws_are_the_same_integers_on_every_backend(name: str, few: Any) -> None:
    of, p = family(name), SETS[name]
    drawn = of.rvs(wt.random.key(20261123), *p, size=4_000)
    found = [wt.function([], drawn, mode=mode)() for mode in few(BACKENDS, 2)]
    assert found[0].dtype == np.int64
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])
    places = np.arange(found[0].min(), found[0].max() + 1)
    expected: Any = of.pmf(places.astype(float), *p).eval() * 4_000
    counts = np.array([(found[0] == v).sum() for v in places])
    often = expected > 5
    rest = [counts[~often].sum(), expected[~often].sum()]
    table = np.array([*zip(counts[often], expected[often], strict=True), rest])
    chi_square = ((table[:, 0] - table[:, 1]) ** 2 / np.maximum(table[:, 1], 1)).sum()
    assert scipy_stats.chi2.sf(chi_square, len(table) - 1) > 1e-4


def test_entropies_are_those_of_integrals() -> None:
    """Of SciPy's, by its own integrals, sums and formulas."""
    cases = {
        "exponnorm": (1.5,), "invgauss": (0.8,), "rice": (1.2,), "skewnorm": (-40.0,), "wald": (),
        "poisson": (400.0,), "binom": (5000, 0.4), "nbinom": (0.2, 0.1), "hypergeom": (20, 7, 12),
        "betabinom": (10, 2.0, 3.0),
    }  # fmt: skip
    found = wt.function(
        [], [getattr(wt.stats, n).entropy(*p) for n, p in cases.items()], mode="py"
    )()
    wanted = [getattr(scipy_stats, n)(*p).entropy() for n, p in cases.items()]
    np.testing.assert_allclose(found, wanted, rtol=1e-7)
    both = wt.stats.poisson.entropy(np.array([4.0, 2e4])).eval()
    series = 0.5 * np.log(2 * np.pi * np.e * 2e4) - 1 / 24e4
    np.testing.assert_allclose(both, [2.086672699880963, series], rtol=1e-10)
    mirrored = wt.stats.logitnorm.entropy(np.array([2.0, -2.0]), 0.05).eval()
    np.testing.assert_allclose(mirrored[0], mirrored[1], rtol=1e-13)


@pytest.mark.parametrize("mode", BACKENDS)
def test_ways_of_small_and_large_numbers(mode: str) -> None:
    """By mpmath: where logarithms of the gamma function would cancel, and where they are huge."""
    counts = np.array([0.0, 0.0, 1.0, 3.0, 3.0, 2e5, 1e9, 7.0, 1e300])
    sizes = np.array([1e-8, 1e9, 1e-3, 1e9, 1e200, 1e-3, 1e9, 2.5, 3.0])
    k, n = wt.dvectors("k", "n")
    density = wt.stats.nbinom.logpmf(k, n, 0.5)
    found, slopes = wt.function([k, n], [density, wt.grad(density.sum(), n)], mode=mode)(
        counts, sizes
    )
    with mp.workdps(330):
        for at, slope, i, size in zip(found, slopes, counts, sizes, strict=True):
            x, a = mp.mpf(i), mp.mpf(size)
            expected = mp.loggamma(x + a) - mp.loggamma(a) - mp.loggamma(x + 1)
            expected -= (x + a) * mp.log(2)
            rounding = 1e-15 * (i if i == size else 0)
            np.testing.assert_allclose(at, float(expected), rtol=1e-13, atol=rounding)
            expected = mp.digamma(x + a) - mp.digamma(a) - mp.log(2)
            rounding = 1e-15 * (1 + 1 / size)
            np.testing.assert_allclose(slope, float(expected), rtol=1e-13, atol=rounding)
    assert wt.stats.nbinom.logpmf(0, 3.0, 1.0).eval() == 0
    assert wt.stats.binom.logpmf(0, 0, 0.5).eval() == 0


def test_no_derivative_goes_past_drawn_integers() -> None:
    """An error that says what to do, which gives the derivative of what is expected."""
    key, mu = wt.random.key(7), wt.dscalar("mu")
    draws = [
        wt.random.poisson(key, mu, size=3), wt.random.bernoulli(key, mu),
        wt.random.categorical(key, logits=wt.stack([mu, 1.0])), wt.stats.poisson(mu).rvs(key),
        wt.random.choice(key, 2, p=wt.stack([mu, 1 - mu])),
        wt.stats.mixture(wt.stack([mu, 1 - mu]), wt.stats.norm([0.0, 1.0])).rvs(key),
    ]  # fmt: skip
    for drawn in draws:
        with pytest.raises(UndefinedGradientError, match=r"on <mu : float64> by steps: .*score"):
            wt.grad(mu * drawn.astype("float64").sum(), mu)
        given = wt.stop_gradient(drawn).astype("float64").sum()
        slope, value = wt.function([mu], [wt.grad(mu * given, mu), given], mode="py")(0.4)
        assert slope == value
    k = wt.stop_gradient(wt.random.poisson(key, mu, size=100_000))
    square = (k * k).astype("float64")
    cost = square + wt.stop_gradient(square) * wt.stats.poisson.logpmf(k, mu)
    slope = wt.function([mu], wt.grad(cost.mean(), mu), mode="numba")(4.0)
    np.testing.assert_allclose(slope, 1 + 2 * 4.0, rtol=0.03)


def test_draws_in_loops_and_batches_have_no_derivative_either() -> None:
    """In both modes, by whatever leads to the draw: and what does not lead to it has one."""
    key, mu, x = wt.random.key(7), wt.dscalar("mu"), wt.dscalar("x")
    keys = wt.random.split(key, 3)
    draw, as_float = wt.random.poisson, wt.cast

    def chain(*, by: Any) -> Any:
        """Of states: the second is drawn by the first, which `by` moves."""
        return wt.scan(
            lambda k, a, b: (a * by, b + as_float(draw(k, a), "float64")),
            sequences=keys, outputs_info=[wt.constant(1.0), wt.constant(0.0)],
        )  # fmt: skip

    def counted(mean: Any) -> Any:
        return wt.while_loop(lambda s: s < 9.0, lambda s: s + 1.0 + draw(key, mean) * 0.0, x)

    each = wt.vmap(lambda k: draw(k, mu), in_axes=(0,))
    mapped = wt.map(lambda k: draw(k, mu), keys)
    costs = [each(keys).sum(), mapped.sum(), chain(by=mu)[1][-1], counted(mu)]
    for cost in costs:
        smooth = mu * as_float(cost, "float64")
        with pytest.raises(UndefinedGradientError, match=r"on <mu : float64> by steps: .*score"):
            wt.grad(smooth, mu)
        with pytest.raises(UndefinedGradientError, match=r"on <mu : float64> by steps: .*score"):
            wt.pushforward(smooth, mu, wt.constant(1.0))
    for cost in (mu * chain(by=2.0)[1][-1], chain(by=mu)[0][-1], mu * counted(4.0)):
        slopes = [wt.grad(cost, mu), wt.pushforward(cost, mu, wt.constant(1.0))]
        found = wt.function([mu, x], [*slopes, cost], mode="py", on_unused_input="ignore")(1.5, 0.5)
        assert found[0] == found[1] != 0


BIASED: Final = (
    (500, 2000, 700, 1500, 3.0), (300, 2000, 700, 1500, 1e-3), (900, 2000, 1000, 950, 1e5),
    (949, 2000, 1000, 950, 1e-5), (50, 10**6, 1000, 10**4, 0.5), (7, 20, 7, 12, 0.01),
    (6, 20, 7, 19, 1e-3), (0, 20, 7, 1, 0.3), (0, 20, 7, 0, 2.0), (7, 20, 7, 20, 2.0),
)  # fmt: skip


@cache
def log_biased(k: int, M: int, n: int, N: int, odds: float) -> float:
    """By mpmath, with steps that are short beside all widths, where the integrand is not tiny."""
    rest = N - k
    rate = mp.mpf(odds) * (n - k) + (M - n - rest)
    steps = np.arange(-256 * 40, 256 * 14)
    at = np.exp(steps / 256)
    size = k * np.log(-np.expm1(-odds * at)) + rest * np.log(-np.expm1(-at))
    size += np.log(at) - float(rate) * at
    with mp.workdps(30):
        total, step = mp.mpf(0), mp.mpf(1) / 256
        for i in steps[size > size.max() - 90]:
            v = mp.exp(int(i) * step)
            shares = (-mp.expm1(-odds * v)) ** k * (-mp.expm1(-v)) ** rest
            total += step * rate * v * mp.exp(-rate * v) * shares
        ways = mp.binomial(n, k) * mp.binomial(M - n, rest)
        return float(mp.log(ways * (total if rate else 1)))


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", BACKENDS)
def test_biased_draws_of_many_and_of_very_unequal_ones(mode: str, few: Any) -> None:
    """Where the integrand is narrow, wide, or rises twice."""
    cases = few(BIASED, 1)
    inputs = wt.dvectors("k", "M", "n", "N", "odds")
    of = wt.stats.nchypergeom_wallenius
    found = wt.function([*inputs], of.logpmf(*inputs), mode=mode)(*np.array(cases).T)
    expected = [log_biased(*case) for case in cases]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
