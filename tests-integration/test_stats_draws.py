"""Draws of continuous distributions, what lies outside a support, and parameters that are wrong."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from scipy import stats as scipy_stats
from test_stats import WHOLE

import weft.tensor as wt
from tools.distributions import PAGE, page
from weft_tensor.ops.distributions.constraints import POSITIVE
from weft_tensor.stats import Continuous

BACKENDS: Final = ("py", "numba", "jax")
SHAPES: Final = np.array([0.7, 1.5, 3.2, 8.0])
SLOW: Final = ("levy_stable", "studentized_range")
"""Those of which many quantiles take long; see `test_stats_exponents`."""
SETS: Final[dict[str, tuple[float, ...]]] = {
    "alpha": (3.57,),
    "argus": (1.0,),
    "beta": (0.4, 3.0),
    "betaprime": (3.0, 5.0),
    "bradford": (1.5,),
    "burr": (3.0, 2.0),
    "burr12": (3.0, 2.0),
    "chi": (3.0,),
    "chi2": (1.0,),
    "crystalball": (1.0, 4.5),
    "dgamma": (2.5,),
    "dpareto_lognorm": (0.3, 0.8, 3.0, 2.5),
    "dweibull": (1.7,),
    "erlang": (3.0,),
    "exponnorm": (1.5,),
    "exponpow": (2.5,),
    "exponweib": (2.0, 1.5),
    "f": (5.0, 7.0),
    "fatiguelife": (0.8,),
    "fisk": (3.0,),
    "foldcauchy": (1.2,),
    "foldnorm": (1.2,),
    "gamma": (0.3,),
    "gausshyper": (2.5, 1.5, 1.2, 3.0),
    "genexpon": (1.0, 2.0, 0.5),
    "genextreme": (-0.2,),
    "gengamma": (1.2, -2.0),
    "genhalflogistic": (0.8,),
    "genhyperbolic": (1.3, 1.5, 0.5),
    "geninvgauss": (2.3, 1.5),
    "genlogistic": (0.7,),
    "gennorm": (1.3,),
    "genpareto": (-0.4,),
    "gompertz": (1.5,),
    "halfgennorm": (1.3,),
    "halft": (5.0,),
    "invgamma": (5.0,),
    "invgauss": (0.8,),
    "invweibull": (3.5,),
    "irwinhall": (5.0,),
    "jf_skew_t": (3.0, 2.0),
    "johnsonsb": (0.3, 0.8),
    "johnsonsu": (0.3, 0.8),
    "kappa3": (1.5,),
    "kappa4": (-0.4, -0.3),
    "ksone": (5.0,),
    "kstwo": (5.0,),
    "kumaraswamy": (2.0, 3.0),
    "laplace_asymmetric": (0.4,),
    "levy_stable": (1.7, 0.3),
    "loggamma": (2.5,),
    "logitnorm": (0.3, 0.8),
    "loglaplace": (3.5,),
    "lognorm": (0.7,),
    "loguniform": (0.5, 4.0),
    "lomax": (3.0,),
    "mielke": (3.0, 2.5),
    "nakagami": (2.5,),
    "ncf": (5.0, 9.0, 3.0),
    "ncx2": (5.0, 3.0),
    "nct": (5.0, 1.5),
    "norminvgauss": (1.5, 0.5),
    "pareto": (3.0,),
    "pearson3": (0.5,),
    "powerlaw": (2.5,),
    "powerlognorm": (2.5, 0.7),
    "powernorm": (2.5,),
    "rdist": (3.5,),
    "recipinvgauss": (0.8,),
    "reciprocal": (0.5, 4.0),
    "rel_breitwigner": (1.5,),
    "rice": (1.2,),
    "skewcauchy": (0.4,),
    "skewnorm": (2.0,),
    "studentized_range": (5.0, 10.0),
    "t": (4.0,),
    "trapezoid": (0.2, 0.85),
    "triang": (0.3,),
    "truncexpon": (2.0,),
    "truncnorm": (4.0, 9.0),
    "truncpareto": (2.0, 5.0),
    "truncweibull_min": (2.5, 0.25, 1.75),
    "tukeylambda": (-0.4,),
    "vonmises": (2.0,),
    "vonmises_line": (0.4,),
    "weibull_max": (1.7,),
    "weibull_min": (0.6,),
    "wrapcauchy": (0.4,),
}
FAMILIES: Final = [
    n for n in wt.stats.__all__ if isinstance(getattr(wt.stats, n), Continuous)
]  # those without an entry have no shape parameters


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.cases(2)
def test_draws_are_of_the_distribution_and_the_same_on_every_backend(name: str, few: Any) -> None:
    of: Continuous = getattr(wt.stats, name)
    p = SETS.get(name, ())
    drawn = of.rvs(wt.random.key(20261123), *p, loc=1.0, scale=2.0, size=3_000)
    found = [wt.function([], drawn, mode=mode)() for mode in few(BACKENDS, 2)]
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-11, atol=1e-13)
    shares = of.cdf(found[0], *p, loc=1.0, scale=2.0).eval()
    assert scipy_stats.kstest(shares, "uniform").pvalue > 1e-4


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_angles_for_all_concentrations(dtype: str, few: Any) -> None:
    sizes = np.array([0.0, 1e-4, 0.5, 40.0, 1e4, 1e8], dtype)
    kappa = wt.vector("kappa", dtype=dtype)
    drawn = wt.stats.vonmises.rvs(wt.random.key(20261124), kappa[:, None], size=(6, 2_000))
    found = [wt.function([kappa], drawn, mode=mode)(sizes) for mode in few(BACKENDS, 2)]
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=50 * float(np.finfo(dtype).eps))
    for size, angles in zip(sizes, found[0].astype("float64"), strict=True):
        shares = scipy_stats.vonmises.cdf(angles, max(float(size), 1e-12))
        assert scipy_stats.kstest(shares, "uniform").pvalue > 1e-3, size


@pytest.mark.cases("numba", "py")
@pytest.mark.parametrize("mode", BACKENDS)
def test_gamma_draws_have_derivatives(mode: str) -> None:
    """Those of the inverse distribution function at the same share."""
    a = wt.dscalar("a")
    x = wt.stats.gamma.rvs(wt.random.key(5), a, size=4)
    slopes = wt.function([a], [x, wt.jacobian(x, a)], mode=mode)
    for value in (0.4, 3.0):
        drawn, found = slopes(value)
        share = scipy_stats.gamma.cdf(drawn, value)
        ends = [scipy_stats.gamma.ppf(share, value * (1 + s)) for s in (1e-5, -1e-5)]
        np.testing.assert_allclose(found, (ends[0] - ends[1]) / (2e-5 * value), rtol=1e-5)


@pytest.mark.parametrize("name", ["gamma", "invgamma", "vonmises", "invgauss"])
def test_draws_have_second_derivatives(name: str) -> None:
    """Those of the inverse distribution function at the same share."""
    a = wt.dvector("a")
    x = getattr(wt.stats, name).rvs(wt.random.key(5), a, size=4)
    slope = wt.grad(x.sum(), a)
    drawn, second = wt.function([a], [x, wt.grad(slope.sum(), a)], mode="py")(SHAPES)
    law, step = getattr(scipy_stats, name), 1e-3
    share = law.cdf(drawn, SHAPES)
    low, middle, high = (law.ppf(share, SHAPES + s) for s in (-step, 0.0, step))
    np.testing.assert_allclose(second, (low - 2 * middle + high) / step**2, rtol=1e-3, atol=1e-5)


def test_quotients_of_gamma_draws_have_mixed_derivatives() -> None:
    a, b = wt.dscalars("a", "b")
    x = wt.stats.betaprime.rvs(wt.random.key(5), a, b)
    both = wt.grad(wt.grad(x, a), b)
    log_both = wt.grad(wt.grad(wt.log(x), a), b)  # of a difference: none
    values = wt.function([a, b], [both, wt.grad(x, a) * wt.grad(x, b) / x, log_both], mode="py")(
        1.5, 2.5
    )
    np.testing.assert_allclose(values[0], values[1])
    np.testing.assert_allclose(values[2], 0.0, atol=1e-12)


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize("name", [n for n in FAMILIES if n not in (*WHOLE, *SLOW)])
@pytest.mark.cases(2)
def test_draws_have_the_slopes_of_expectations(name: str, mode: str) -> None:
    """Their mean is the derivative of that of the inverse distribution function, for a bend."""
    of: Continuous = getattr(wt.stats, name)
    place = (*SETS.get(name, ()), 1.0, 2.0)
    parameters = wt.dscalars(*of.parameters, "loc", "scale")
    drawn = wt.tanh((of.rvs(wt.random.key(3), *parameters, size=4_000) - 1) / 2)
    slopes = wt.function([*parameters], wt.jacobian(drawn, parameters), mode=mode)(*place)
    shares = (np.arange(1_000) + 0.5) / 1_000
    for k, (slope, value) in enumerate(zip(slopes, place, strict=True)):
        step = 1e-4 * abs(value)
        ends = [[*place[:k], value + s, *place[k + 1 :]] for s in (step, -step)]
        up, down = (np.tanh((of.ppf(shares, *p).eval() - 1) / 2).mean() for p in ends)
        expected, error = (up - down) / (2 * step), slope.std() / np.sqrt(4_000)
        assert abs(slope.mean() - expected) < 4.5 * error + 1e-3 * abs(expected) + 1e-9, k


@pytest.mark.parametrize("mode", BACKENDS)
def test_a_density_whose_fourth_power_overflows(mode: str) -> None:
    """The power that is left, and its slopes."""
    x, rho = wt.dvectors("x", "rho")
    density = wt.stats.rel_breitwigner.logpdf(x, rho)
    call = wt.function([x, rho], [density, *wt.grad(density.sum(), [x, rho])], mode=mode)
    before, *_ = call([1e8, 1e100], [1.5, 1.5])
    density_at, by_x, by_rho = call([1e160, 1e300, 1e3], [1.5, 1.5, 1e-100])
    np.testing.assert_allclose(density_at[:2], before[1] - 4 * np.log([1e60, 1e200]), rtol=1e-14)
    np.testing.assert_allclose(before[1] - before[0], -4 * np.log(1e92), rtol=1e-14)
    np.testing.assert_allclose(by_x, [-4e-160, -4e-300, -4e-3], rtol=1e-14)
    assert np.isfinite(density_at).all()
    assert np.isfinite(by_rho).all()


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.cases(3)
def test_outside_the_support(name: str, mode: str) -> None:
    """-inf, and no derivative, of the value and of any parameter, or that of the formula there."""
    of: Continuous = getattr(wt.stats, name)
    x, parameters = wt.dvector("x"), wt.dscalars(*of.parameters, "loc", "scale")
    place = (*SETS.get(name, ()), 1.0, 2.0)
    density = of.logpdf(x, *parameters)
    outputs = [density, of.pdf(x, *parameters), *wt.grad(density.sum(), [x, *parameters])]
    at = wt.function([x, *parameters], outputs, mode=mode)
    low, high = (float(v.eval()) for v in of.support(*place))
    below = [low - 1, low - 1e-9 * max(abs(low), 1), -1e300] if low > -np.inf else []
    above = [high + 1, high + 1e-9 * max(abs(high), 1), 1e300] if high < np.inf else []
    for value in (*below, *above, -np.inf, np.inf):
        found, share, *slopes = at(np.array([value]), *place)
        assert np.isneginf(found[0]), value
        assert share[0] == 0, value
        if of.holds_at_infinity:
            assert not np.isnan([*slopes[0], *slopes[1:]]).any(), (value, slopes)
        else:
            assert not any(np.any(v) for v in slopes), (value, slopes)
    with np.errstate(invalid="ignore"):  # NumPy's logaddexp of NaN
        found, share, *_ = at(np.array([np.nan]), *place)
    assert np.isnan([found[0], share[0]]).all()


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.cases(2)
def test_no_parameter_that_is_not_valid_is_taken(name: str, mode: str) -> None:
    """An error that names it and its value, NaN with `check=False`."""
    of: Continuous = getattr(wt.stats, name)
    place = {**dict(zip(of.parameters, SETS.get(name, ()), strict=True)), "loc": 1.0, "scale": 2.0}
    x: Any = wt.dvector("x")
    p: dict[str, Any] = dict(zip(place, wt.dscalars(*place), strict=True))
    methods = (of.logpdf, of.cdf, of.ppf)
    unchecked = [m(x, check=False, **p) for m in methods]
    free = wt.function([x, *p.values()], unchecked, mode=mode)
    drawn = of.rvs(wt.random.key(1), size=2, check=False, **p)
    drawing = wt.function([*p.values()], drawn, mode=mode)
    checked = wt.function([x, *p.values()], of.logpdf(x, **p), mode=mode)
    for n in place:
        must = of.parameters.get(n, POSITIVE)
        for value in (-3.7, np.nan):
            given = [*{**place, n: value}.values()]
            if n == "loc" or must.holds(wt.as_tensor(value)).eval():
                continue
            with np.errstate(all="ignore"):
                assert np.isnan(free(np.array([0.3]), *given)).all(), (n, value)
                assert np.isnan(drawing(*given)).all(), (n, value)
            with pytest.raises(ValueError, match=f"^{name}: .* must be .*, got "):
                checked(np.array([0.3]), *given)


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.cases(1)
def test_nothing_and_infinity(mode: str) -> None:
    """NaN gives NaN, also next to numbers; infinite values have no density, and all the mass."""
    families: list[tuple[str, tuple[float, ...]]] = [
        ("bernoulli", (0.3,)), ("betabinom", (5.0, 2.0, 3.0)), ("genpareto", (0.0,)),
        ("rice", (1.2,)), ("skewnorm", (2.0,)), ("truncnorm", (4.0, 9.0)),
    ]  # fmt: skip
    x = wt.dvector("x")
    outputs = []
    for name, p in families:
        of = getattr(wt.stats, name)
        density = of.pmf if of.is_discrete else of.pdf
        outputs += [density(x, *p), of.cdf(x, *p), of.sf(x, *p), of.cdf(0.0 * x[:1], *p)]
    f = wt.function([x], outputs, mode=mode)
    with np.errstate(over="ignore"):
        found = iter(f(np.array([0.0, np.nan, 1e300, np.inf])))
    for name, p in families:
        density, below, above, alone = (next(found) for _ in range(4))
        for values, last in ((density, 0), (below, 1), (above, 0)):
            assert np.isnan(values[1]), name
            np.testing.assert_array_equal(values[2:], last, err_msg=name)
        np.testing.assert_allclose(below[0], alone[0], err_msg=name)
        np.testing.assert_allclose(below[0], getattr(scipy_stats, name).cdf(0.0, *p), rtol=1e-12)


@pytest.mark.parametrize("mode", BACKENDS)
def test_parameters_that_are_not_valid(mode: str) -> None:
    x, a = wt.dscalars("x", "a")
    checked = wt.function([x, a], wt.stats.gamma.logpdf(x, a), mode=mode)
    assert np.isfinite(checked(1.0, 2.0))
    with pytest.raises(ValueError, match="gamma: a must be positive"):
        checked(1.0, -2.0)
    scales = wt.dvector("scales")
    of_many = wt.function([scales], wt.stats.norm.logpdf(0.0, 0.0, scales), mode=mode)
    with pytest.raises(ValueError, match=r"norm: scale must be positive .*got -3\.0 at index 1"):
        of_many([1.0, -3.0, -4.0])
    with pytest.raises(ValueError, match="and not subnormal, got 1e-310 at index 1"):
        of_many([1.0, 1e-310])
    free = wt.function([x, a], wt.stats.gamma.logpdf(x, a, check=False), mode=mode)
    assert np.isnan(free(1.0, -2.0))


def test_errors_say_what_is_wrong() -> None:
    wrong: list[tuple[Any, type[Exception], str]] = [
        (lambda: wt.stats.norm.logpdf(0.0, scale=-1.0), ValueError, "norm: scale .*got -1.0"),
        (lambda: wt.stats.truncnorm.pdf(0.0, 2.0, 1.0), ValueError, "truncnorm: b must be above a"),
        (lambda: wt.stats.gamma.pdf(0.0), TypeError, "gamma needs a"),
        (lambda: wt.stats.gamma.pdf(0.0, 1.0, b=2), TypeError, "b is no parameter"),
        (lambda: wt.stats.gamma.pdf(0.0, 1.0, a=2), TypeError, "a is given twice"),
        (lambda: wt.stats.norm.pdf(0.0, 0, 1, 2), TypeError, "norm takes loc, scale"),
        (lambda: wt.stats.norm.rvs(1.5), TypeError, "a key is a uint64 scalar"),
        (lambda: wt.stats.norm.pdf(1j), TypeError, "takes real numbers"),
        (lambda: wt.stats.binom.pmf(0, -1, 0.5), ValueError, "binom: n must be an integer"),
    ]
    for call, error, text in wrong:
        with pytest.raises(error, match=text):
            call()


def test_dtypes_and_shapes() -> None:
    x = wt.fvector("x")
    assert wt.stats.norm.logpdf(x, 0.5, scale=2.0).dtype == "float32"
    assert wt.stats.norm.logpdf(wt.lvector("k")).dtype == "float64"
    assert wt.stats.gamma.rvs(wt.random.key(1), np.float32(2), size=3).eval().dtype == "float32"
    for of in (wt.stats.vonmises, wt.stats.poisson, wt.stats.wald):
        assert (
            of.rvs(wt.random.key(1), *[np.float32(2)] * len(of.parameters), size=3).eval().size == 3
        )
    grid = wt.stats.gamma.logpdf(np.ones(4), np.ones((3, 1)), scale=np.ones((2, 1, 1)))
    assert grid.eval().shape == (2, 3, 4)
    assert wt.stats.norm.mean(np.zeros(3), np.ones((2, 1))).eval().shape == (2, 3)
    assert wt.stats.wald.rvs(wt.random.key(1), dtype="float32").eval().dtype == "float32"
    assert wt.stats.gamma.rvs(wt.random.key(1), [1.0, 2.0]).eval().shape == (2,)
    found = wt.stats.gamma.logpdf(np.array([0.5, 2.0], "float32"), np.float32(3)).eval()
    np.testing.assert_allclose(found, scipy_stats.gamma.logpdf([0.5, 2.0], 3), rtol=1e-6)


def test_the_page_of_distributions_is_of_today() -> None:
    """If not, run `python -m tools.distributions`."""
    assert PAGE.read_text(encoding="utf-8") == page()
