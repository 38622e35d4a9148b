"""Parameters with which data are likeliest are SciPy's, or likelier, with derivatives."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from scipy import stats as scipy_stats
from scipy.optimize import differential_evolution

import weft.tensor as wt
from weft_tensor.stats import Continuous

BACKENDS: Final = ("py", "numba", "jax")
CASES: Final[dict[str, tuple[str, tuple[float, ...], dict[str, float]]]] = {
    "shape, place and scale": ("gamma", (5.0,), {}),
    "both ends": ("beta", (2.0, 3.0), {}),
    "no end": ("t", (4.0,), {"f0": 4.0}),
    "an end above": ("weibull_max", (1.7,), {}),
    "ends that move": ("genextreme", (-0.2,), {}),
    "a fixed place": ("weibull_min", (1.7,), {"floc": 0.0}),
    "a scale with a bound": ("pareto", (3.0,), {"floc": 0.0}),
    "a place with two": ("beta", (2.0, 3.0), {"fscale": 1.2}),
    "angles": ("vonmises", (2.0, 1.0), {}),
    "one free": ("powerlaw", (0.7,), {"floc": 0.0, "fscale": 1.0}),
}
FORMULAS: Final = [
    (name, fixed)
    for name in ("expon", "halfnorm", "laplace", "norm", "uniform")
    for fixed in ({}, {"floc": -1.0}, {"fscale": 6.0})
]

FIXED: Final = {
    **{name: {"fn": 5.0} for name in ("irwinhall", "ksone", "kstwo")},
    "levy_stable": {"falpha": 1.5, "fbeta": 0.5},
}
"""What has no change of variables."""


def long_search(fun: Any, **given: Any) -> Any:
    """SciPy's, of one seed, until all of its points agree: its own now and then ends early."""
    return differential_evolution(fun, **given, seed=0, tol=1e-8)


def sample(name: str, p: tuple[float, ...]) -> np.ndarray:
    drawn: np.ndarray = getattr(scipy_stats, name).rvs(*p, size=200, random_state=20261126)
    return drawn


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.cases("shape, place and scale-jax", "both ends-numba", "a scale with a bound-py")
def test_as_likely_as_scipys(case: str, mode: str) -> None:
    name, p, fixed = CASES[case]
    data, scipys, x = sample(name, p), getattr(scipy_stats, name), wt.dvector("x")
    estimates = getattr(wt.stats, name).fit(x, **fixed)
    values = [v.item() for v in wt.function([x], list(estimates), mode=mode)(data)]
    expected = scipys.fit(data, **fixed)
    assert scipys.nnlf(values, data) < scipys.nnlf(expected, data) + 1e-5
    np.testing.assert_allclose(values, expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(("name", "fixed"), FORMULAS)
def test_formulas(name: str, fixed: dict[str, float]) -> None:
    data = sample(name, ())
    found = [v.eval() for v in getattr(wt.stats, name).fit(data, **fixed)]
    np.testing.assert_allclose(found, getattr(scipy_stats, name).fit(data, **fixed), rtol=1e-12)


@pytest.mark.cases(0)
def test_derivatives_and_batches() -> None:
    """By differences; rows are fitted as each alone."""
    data = wt.dmatrix("data")
    shapes, _, scales = wt.vmap(lambda x: wt.stats.gamma.fit(x, floc=0.0))(data)
    slopes = wt.grad((shapes * scales**2).sum(), data)
    call = wt.function([data], [shapes, scales, slopes], mode="numba")
    rows = np.stack([sample("gamma", (a,)) for a in (2.0, 5.0)])
    a, scale, by_data = call(rows)
    expected = [scipy_stats.gamma.fit(x, floc=0.0) for x in rows]
    np.testing.assert_allclose(np.stack([a, scale]).T, np.array(expected)[:, [0, 2]], rtol=1e-6)
    step = np.zeros_like(rows)
    step[1, 7] = 1e-3
    far, near = ((s * t**2).sum() for s, t, _ in (call(rows + step), call(rows - step)))
    np.testing.assert_allclose(by_data[1, 7], (far - near) / 2e-3, rtol=1e-4)
    fixed = wt.dscalar("fixed")
    best = wt.stats.norm.fit(rows[0], floc=fixed)[1]
    slope = wt.function([fixed], wt.grad(best, fixed))(1.0)
    np.testing.assert_allclose(slope, (1.0 - rows[0].mean()) / best.eval({fixed: 1.0}), rtol=1e-12)


@pytest.mark.parametrize("fixed", [{}, {"floc": 0.0}, {"floc": 0.0, "fscale": 1.0}, {"fc": 0.3}])
def test_peaks_of_triangles(fixed: dict[str, Any]) -> None:
    """They are at an observation, where the likelihood has a kink; slopes are by differences."""
    data, x = sample("triang", (0.3,)), wt.vector("x")
    estimates = wt.stats.triang.fit(x, **fixed)
    cost = estimates[0] * 1.0 + (estimates[1] - 2 * estimates[2] if "fscale" not in fixed else 0)
    call = wt.function([x], [*estimates, cost, wt.grad(cost, x)], mode="numba")
    *values, _, slope = call(data)
    if len(fixed) == 2:
        expected: Any = min(data, key=lambda c: scipy_stats.triang.nnlf((c, 0.0, 1.0), data))
        assert values == [expected, 0.0, 1.0]
    elif "fc" not in fixed:
        expected = scipy_stats.triang.fit(data, **fixed)
        assert (
            scipy_stats.triang.nnlf(values, data) < scipy_stats.triang.nnlf(expected, data) + 1e-6
        )
    k = np.argmin(abs((data - values[1]) / values[2] - values[0]))
    for at in (k, np.argmin(data)):
        step = 1e-5 * (np.arange(data.size) == at)
        change = call(data + step)[-2] - call(data - step)[-2]
        np.testing.assert_allclose(slope[at], change / 2e-5, rtol=5e-3, atol=1e-6)


SUPPORTS: Final[list[tuple[str, tuple[float, ...], dict[str, float]]]] = [
    ("loguniform", (1.0, 9.0), {"floc": 0.0}),
    ("loguniform", (1.0, 9.0), {"floc": 0.0, "fa": 0.5}),
    ("truncnorm", (-1.0, 2.0), {}),
    ("truncnorm", (-0.5, 3.0), {"floc": 0.0}),
    ("truncnorm", (-0.5, 3.0), {"fscale": 1.0}),
]


@pytest.mark.parametrize(("name", "shapes", "fixed"), SUPPORTS)
def test_supports_that_end_as_the_data_do(
    name: str, shapes: tuple[float, ...], fixed: dict[str, float]
) -> None:
    """SciPy's search, by steps among parameters that may exclude data, ends before."""
    data, of = sample(name, shapes), getattr(scipy_stats, name)
    values = [float(v.eval()) for v in getattr(wt.stats, name).fit(data, **fixed)]
    assert of.nnlf(values, data) < of.nnlf(of.fit(data, **fixed), data) + 1e-6
    _, b, loc, scale = values
    np.testing.assert_allclose(b * scale + loc, data.max(), rtol=1e-12)


def test_what_has_no_maximum_is_nan() -> None:
    """Data outside the support, and a likelihood without bounds; what is fixed stays."""
    assert np.isnan(wt.stats.loguniform.fit([-1.0, 2.0], floc=0.0)[0].eval())
    for fit in (
        wt.stats.gamma.fit([-1.0, 2.0, 3.0], floc=0.0),
        wt.stats.expon.fit([1.0], floc=2.0),
    ):
        assert np.isnan(fit[-1].eval())
    estimates = wt.stats.gamma.fit(np.geomspace(1e-9, 1.0, 50), fscale=2.0)
    a, loc, scale = wt.function([], list(estimates), mode="numba")()
    assert np.isnan([a, loc]).all()
    assert scale == 2.0


@pytest.mark.cases(0)
def test_every_family_begins() -> None:
    """Where its graph can be made: each parameter has a change of variables, or must be fixed."""
    for name in wt.stats.__all__:
        of = getattr(wt.stats, name)
        if isinstance(of, Continuous):
            fixed = FIXED.get(name, {})
            assert len(of.fit(wt.dvector("x"), **fixed)) == len(of.parameters) + 2


def test_bad_input() -> None:
    of: Any = wt.stats.gamma
    for call, says in (
        (lambda: of.fit([1.0], fa=1, floc=0, fscale=1), "gamma.fit: all parameters are fixed"),
        (lambda: of.fit([1.0], method="MM"), "gamma.fit: method is no parameter; it takes a, loc"),
        (lambda: of.fit([1.0], f0=1, fa=2), "gamma.fit: a is fixed twice"),
        (lambda: wt.stats.ksone.fit([1.0]), "ksone.fit: n must be fixed, as fn=..., for it is a"),
    ):
        with pytest.raises(TypeError, match=says):
            call()


@pytest.mark.parametrize("mode", BACKENDS)
def test_within_bounds(mode: str) -> None:
    x, bounds = wt.vector("x"), {"a": (0.1, 20), "scale": (0.1, 20)}
    found = wt.stats.fit(wt.stats.gamma, x, bounds, guess={"a": 1.0})
    outputs = [*found.params, found.success, found.nllf(), wt.grad(found.params.a, x)]
    compiled = wt.function([x], outputs, mode=mode)
    data = sample("gamma", (2.0, 0.0, 3.0))
    *params, success, cost, slope = compiled(data)
    wanted: Any = scipy_stats.fit(scipy_stats.gamma, data, bounds, optimizer=long_search)
    np.testing.assert_allclose(params, wanted.params, rtol=1e-4)
    assert success
    assert cost <= wanted.nllf() + 1e-6
    step = 1e-3 * (np.arange(data.size) == 3)
    change = compiled(data + step)[0] - compiled(data - step)[0]
    np.testing.assert_allclose(slope[3], change / 2e-3, rtol=0.01)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_whole_numbers_within_bounds(mode: str) -> None:
    data = scipy_stats.binom(12, 0.3).rvs(300, random_state=2)
    bounds = {"n": (1, 30), "p": (0.01, 0.99)}
    found = wt.stats.fit(wt.stats.binom, data, bounds, rng=wt.random.key(0))
    n, p, loc = wt.function([], list(found.params), mode=mode)()
    np.testing.assert_allclose([n, p, loc], [10, data.mean() / 10, 0], rtol=1e-6)


def test_other_searches_within_bounds() -> None:
    data, pairs = sample("norm", (2.0, 3.0)), [(-10, 10), (0.1, 10)]
    even = wt.stats.fit(wt.stats.norm, data, pairs, method="mse")
    wanted: Any = scipy_stats.fit(
        scipy_stats.norm, data, pairs, method="mse", optimizer=long_search
    )
    np.testing.assert_allclose([v.eval() for v in even.params], wanted.params, rtol=1e-4)
    likely = -scipy_stats.norm(2, 3).logpdf(data).sum()
    np.testing.assert_allclose(even.nllf([2.0, 3.0]).eval(), likely)

    def search(fun: Any, bounds: Any, integrality: Any, x0: Any) -> Any:
        assert integrality == [False, False]
        return wt.optimize.minimize(fun, x0, bounds=bounds)

    own = wt.stats.fit(wt.stats.norm, data, pairs, guess=[1.0, 2.0], optimizer=search)
    np.testing.assert_allclose([v.eval() for v in own.params], [data.mean(), data.std()], rtol=1e-6)
    tied = wt.stats.fit(wt.stats.norm, np.round(data), pairs, method="mse")
    assert np.isfinite(tied.params.scale.eval())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: f(wt.stats.gamma, [1.0]), "bounds of a are missing"),
        (lambda f: f(wt.stats.gamma, [1.0], {"b": (1, 2)}), "bounds has 'b', gamma takes"),
        (lambda f: f(wt.stats.gamma, [1.0], {"a": (1, np.inf)}), "bounds of a are missing, or not"),
        (lambda f: f(wt.stats.gamma, [1.0], {"a": (3, 2)}), "bounds of a must rise"),
        (lambda f: f(wt.stats.norm, [1.0]), "leave no parameter of norm free"),
        (lambda f: f(wt.stats.norm, [1.0], [(0, 1)] * 3), "bounds has 3 parts"),
        (lambda f: f(wt.stats.norm, [1.0], [(0, 1)], method="mm"), "method is one of"),
        (lambda f: f(wt.stats.geom, [1], {"p": (0, 1), "loc": (0, 3)}), "loc of geom is a whole"),
    ],
)
def test_bounds_that_are_refused(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(wt.stats.fit)


def test_what_has_no_likelihood() -> None:
    law: Any = wt.stats.norm(0.0, 1.0)
    with pytest.raises(TypeError, match="fit takes a family"):
        wt.stats.fit(law, [1.0])
