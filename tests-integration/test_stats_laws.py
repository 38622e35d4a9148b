"""Laws by where their values are: transforms that free these of bounds, zeros, and pickles."""

from __future__ import annotations

import pickle
from math import inf
from typing import Any

import numpy as np
import pytest

import weft.tensor as wt
from weft_graph import function, graph_inputs

stats, transforms = wt.stats, wt.stats.transforms
mu, sigma = wt.scalar("mu"), wt.scalar("sigma")

FREED: dict[str, tuple[Any, str, Any]] = {
    "any numbers": (stats.norm(mu, sigma), "identity", 0.3),
    "positive": (stats.gamma(mu), "log", 2.0),
    "positive, of a scale": (stats.gamma(2.0, scale=sigma), "log", 2.0),
    "positive, of a known scale": (stats.halfcauchy(0.0, 5.0), "log", 2.0),
    "positive, from a place on": (stats.gamma(2.0, mu), "interval", 5.0),
    "shares": (stats.beta(mu, sigma), "logit", 0.4),
    "between parameters": (stats.uniform(mu, sigma), "interval", 2.7),
    "above a number": (stats.truncate(stats.norm(mu, sigma), 0.0, None), "log", 1.5),
    "below a parameter": (stats.truncate(stats.norm(), upper=mu), "interval", -4.0),
    "mixed": (stats.mixture([0.5, 0.5], [stats.norm(mu), stats.expon()]), "identity", -1.0),
    "mixed along an axis": (
        stats.mixture([0.5, 0.5], stats.uniform([0.0, 1.0], 2.0)), "interval", 2.5,
    ),
    "of what is positive": (
        stats.transformed(stats.norm(mu), transforms.log.inverse), "log", 2.0,
    ),
    "in order": (stats.order_statistic(stats.expon(), r=1, n=3), "log", 2.0),
    "ends known": (stats.truncnorm(0.0, inf), "log", 2.0),
    "bins": (stats.rv_histogram(([1.0, 2.0], [0.0, 1.0, 3.0])), "interval", 2.5),
}  # fmt: skip


@pytest.mark.parametrize("name", FREED)
def test_the_transform_of_a_law_frees_its_values(name: str) -> None:
    law, kind, value = FREED[name]
    change = transforms.of(law)
    assert change.name == kind
    point = wt.as_tensor(value)
    there, slope = change.forward(point), change.log_abs_det_jacobian(point)
    back, far = change.backward(there), change.backward(wt.as_tensor([-20.0, 20.0]))
    results = [there, back, slope, law.logpdf(far)]
    inputs: Any = graph_inputs(results)
    there, back, slope, density = function(inputs, results, mode="py")(*[2.0 for _ in inputs])
    assert np.isfinite([there, slope]).all()
    np.testing.assert_allclose(back, value, rtol=1e-12)
    assert np.isfinite(density).all()


def test_transforms_of_vectors_go_by_the_family() -> None:
    assert transforms.of(stats.dirichlet([1.0, 2.0])) is transforms.simplex
    assert transforms.of(stats.multivariate_normal([0.0], [[1.0]])) is transforms.identity
    factors = transforms.of(stats.lkj_cholesky(2.0, n=3))
    assert factors.backward([0.0, 0.0, 0.0]).eval().shape == (3, 3)


@pytest.mark.parametrize(
    ("law", "says"),
    [
        (stats.poisson(mu), "poisson is of integers"),
        (stats.wishart(3, np.eye(2)), "write a `Transform`"),
        (stats.lkj_cholesky(2.0), "write a `Transform`"),
        (3.0, "a distribution is needed"),
    ],
)
def test_what_has_no_transform_says_so(law: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        transforms.of(law)


def test_an_end_that_turns_out_infinite_is_an_error() -> None:
    back = transforms.of(stats.truncnorm(mu, 3.0)).backward(0.5)
    f = function([mu], back, mode="py")
    assert 0.0 < f(0.0) < 3.0
    with pytest.raises(ValueError, match="above lower, both finite"):
        f(-inf)
    with pytest.raises(ValueError, match="lower must be finite"):
        transforms.interval(-inf)


FAMILIES = [
    name
    for name, of in sorted(vars(stats).items())
    if isinstance(of, stats.Continuous | stats.Discrete | stats.Multivariate)
]


def test_families_are_pickled_by_name() -> None:
    assert len(FAMILIES) > 100
    for name in FAMILIES:
        of = getattr(stats, name)
        assert pickle.loads(pickle.dumps(of)) is of


@pytest.mark.parametrize(
    "law",
    [
        *[law for law, _, _ in FREED.values()],
        *(stats.zero_inflated(stats.geom)(0.5, 0.5), stats.hurdle(stats.binom)(0.5, 3, 0.5)),
        *(stats.censor(stats.norm(), 0.0), stats.dirichlet([1.0, 2.0])),
    ],
    ids=repr,
)
def test_laws_are_the_same_after_pickling(law: Any) -> None:
    again = pickle.loads(pickle.dumps(law))
    at = [0.25, 0.75] if law.event_rank else 1.0
    assert again.name == law.name
    if not graph_inputs(law.logpdf(at)):
        np.testing.assert_array_equal(again.logpdf(at).eval(), law.logpdf(at).eval())


@pytest.mark.parametrize(
    "change",
    [
        *(transforms.identity, transforms.log, transforms.logit, transforms.log.inverse),
        *(transforms.interval(0.0, 2.0), transforms.interval(0.0), transforms.interval(None, 2.0)),
        transforms.affine(1.0, 2.0),
    ],
    ids=repr,
)
def test_transforms_are_the_same_after_pickling(change: Any) -> None:
    again = pickle.loads(pickle.dumps(change))
    assert again.forward(0.7).eval() == change.forward(0.7).eval()
    assert again.log_abs_det_jacobian(0.7).eval() == change.log_abs_det_jacobian(0.7).eval()


def test_transforms_of_vectors_are_the_same_after_pickling() -> None:
    for change in (transforms.simplex, transforms.ordered, transforms.corr_cholesky(2)):
        again = pickle.loads(pickle.dumps(change))
        np.testing.assert_array_equal(again.backward([0.3]).eval(), change.backward([0.3]).eval())


BASES: dict[str, tuple[Any, tuple[float, ...]]] = {
    "from 1": (stats.geom, (0.3,)),
    "from 2": (stats.randint, (2, 5)),
    "to 9": (stats.boltzmann, (0.5, 10)),
    "of both signs": (stats.skellam, (1.0, 2.0)),
    "below 0": (stats.randint, (-5, -2)),
}


@pytest.mark.parametrize("make", [stats.zero_inflated, stats.hurdle], ids=["more", "fewer"])
@pytest.mark.parametrize("name", BASES)
def test_zeros_of_families_without_them_or_with_negative_values(name: str, make: Any) -> None:
    base, p = BASES[name]
    of, psi = make(base), 0.6
    k = np.arange(-60, 120)
    plain, zero = base.pmf(k, *p).eval(), np.where(k == 0, 1.0, 0.0)
    rest = plain if make is stats.zero_inflated else plain * (k != 0) / (1 - base.pmf(0, *p).eval())
    expected = (1 - psi) * zero + psi * rest
    np.testing.assert_allclose(of.pmf(k, psi, *p).eval(), expected, atol=1e-15, rtol=1e-12)
    np.testing.assert_allclose(of.cdf(k, psi, *p).eval(), np.cumsum(expected), atol=1e-12)
    np.testing.assert_allclose(of.sf(k, psi, *p).eval(), 1 - np.cumsum(expected), atol=1e-12)
    np.testing.assert_allclose(of.mean(psi, *p).eval(), expected @ k, rtol=1e-10)
    np.testing.assert_allclose(
        of.var(psi, *p).eval(), expected @ k**2 - (expected @ k) ** 2, rtol=1e-10
    )
    drawn = of.rvs(wt.random.key(3), psi, *p, size=4000).eval()
    np.testing.assert_allclose((drawn == 0).mean(), expected[k == 0].item(), atol=0.04)
