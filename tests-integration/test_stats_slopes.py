"""Slopes of distributions where a formula takes a side, and Student's that are nearly normal."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import mpmath as mp
import numpy as np
import pytest

import weft.tensor as wt

MIDDLES: Final = {
    "crystalball": (-1.0, (1.0, 4.5)),
    "genhyperbolic": (0.0, (1.3, 1.5, 0.5)),
    "gennorm": (0.0, (1.3,)),
    "invgauss": (1.5, (1.5,)),
    "jf_skew_t": (0.0, (3.0, 2.0)),
    "laplace": (0.0, ()),
    "laplace_asymmetric": (0.0, (1.5,)),
    "loglaplace": (1.0, (3.5,)),
    "nct": (0.0, (5.0, 1.5)),
    "nct around 0": (0.0, (5.0, 0.0)),
    "norminvgauss": (0.0, (1.5, 0.5)),
    "t": (0.0, (5.0,)),
    "vonmises": (0.0, (2.0,)),
    "wald": (1.0, ()),
}
KINKS: Final = ("laplace", "laplace_asymmetric", "loglaplace")
"""Where densities have no slope."""


@pytest.mark.parametrize("name", MIDDLES)
def test_slopes_in_the_middle(name: str) -> None:
    middle, parameters = MIDDLES[name]
    law, x = getattr(wt.stats, name.split()[0]), wt.scalar("x")
    cdf, density, q = law.cdf(x, *parameters), law.logpdf(x, *parameters), wt.scalar("q")
    outputs = [cdf, density, *(wt.grad(v, x) for v in (cdf, law.sf(x, *parameters), density))]
    call = wt.function([x], outputs)
    share, log_density, up, down, change = call(middle)
    np.testing.assert_allclose([up, -down], np.exp(log_density), rtol=1e-10)
    if name not in KINKS:
        step = 1e-4
        expected = (call(middle + step)[1] - call(middle - step)[1]) / (2 * step)
        np.testing.assert_allclose(change, expected, rtol=1e-4, atol=1e-8)
    if name in ("gennorm", "laplace", "t"):
        slope = wt.function([q], wt.grad(law.ppf(q, *parameters), q))(share)
        np.testing.assert_allclose(slope, np.exp(-log_density), rtol=1e-10)


@pytest.mark.parametrize(
    ("name", "parameters"), [("ksone", (20,)), ("nchypergeom_fisher", (10, 5, 6, 1.3))]
)
def test_numbers_beside_nan(name: str, parameters: tuple[float, ...]) -> None:
    """A loop as long as the longest needs is not left because of one that is no number."""
    law, x = getattr(wt.stats, name), wt.vector("x")
    f = wt.function([x], law.sf(x, *parameters, check=False), mode="py")
    places = [0.3, 0.1] if name == "ksone" else [2.0, 3.0]
    np.testing.assert_array_equal(f([np.nan, *places])[1:], f(places))


def test_many_numbers_far_apart() -> None:
    n = wt.vector("n")
    g = wt.function([n], wt.stats.ksone.sf(0.3, n, check=False), mode="py")
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(g([np.inf, 5.0, 1e200])[1:], [*g([5.0]), 0])


TAILS: Final = {
    5.0: [-18.224440766413544, -8.86434231381556, -1.9523118981229126, -1.1420958350382853],
    1e3: [-767.2789337230812, -42.03270269917536, -2.160983312314326, -1.1757335116817929],
    2e5: [-1788.9964548018313, -43.619748755429036, -2.162211329630712, -1.1759108701276975],
    1e100: [-1805.0135606805673, -43.628149113332114, -2.1622175060437394, -1.1759117615936185],
}
"""Logarithms of Student's probabilities of less than `LESS`, by degrees of freedom: mpmath's, where
z = n / (n + t²), by a log(z) + log(1 - z) / 2 - log(2 a B(a, 1/2)) + log(₂F₁(a + 1/2, 1; a + 1; z))
with a = n/2."""
LESS: Final = (-60.0, -9.0, -1.2, -0.5)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_of_many_degrees_of_freedom(mode: str) -> None:
    """n / (n + t²) has not the digits that the incomplete beta function needs."""
    t, df = wt.vector("t"), wt.vector("df")
    logcdf = wt.stats.t.logcdf(t, df)
    places, expected = grid(5.0, 1e3, 2e5, 1e100)
    logs, by_t = wt.function([t, df], [logcdf, wt.grad(logcdf.sum(), t)], mode=mode)(*places)
    np.testing.assert_allclose(logs, expected, rtol=1e-11)
    density = wt.stats.t.logpdf(*places).eval()
    np.testing.assert_allclose(by_t, np.exp(density - expected), rtol=1e-9)


def test_shares_and_quantiles_of_many_degrees_of_freedom() -> None:
    t, df = wt.vector("t"), wt.vector("df")
    share, tail = wt.stats.t.cdf(t, df), wt.stats.halft.sf(-t, df)
    back, far = wt.stats.t.ppf(share, df), -wt.stats.halft.isf(tail, df)
    outputs = [share, tail, back, far, wt.grad(wt.stats.t.logcdf(t, df).sum(), df)]
    places, logs = grid(5.0, 2e5, 1e100)
    shares, sizes, points, ends, by_df = wt.function([t, df], outputs)(*places)
    expected = np.exp(logs)
    np.testing.assert_allclose(shares, expected, rtol=1e-9)
    np.testing.assert_allclose(sizes, 2 * expected, rtol=1e-9)
    some = expected > 0
    np.testing.assert_allclose([points[some], ends[some]], [places[0][some]] * 2, rtol=1e-9)
    few = places[1] < 1e99  # of more, Student's is the normal distribution
    assert (by_df[few] < 0).all()
    assert (abs(by_df[~few]) < 1e-190).all()


def grid(*degrees: float) -> tuple[list[np.ndarray], np.ndarray]:
    """Places, degrees of freedom, and what is expected there."""
    places = [v.ravel() for v in np.meshgrid(LESS, degrees)]
    return places, np.concatenate([TAILS[n] for n in degrees])


SECOND: Final = ("ncx2", "skewnorm", "invgauss", "tukeylambda", "argus")


@pytest.mark.cases(0)
@pytest.mark.parametrize("name", SECOND)
def test_second_slopes_of_quantiles(name: str) -> None:
    """The place that was found moves with the first slope, which took it for a constant."""
    q, a = wt.scalar("q"), wt.scalar("a")
    law, rest = getattr(wt.stats, name), (0.6,) if name == "ncx2" else ()
    quantile = law.cdf(q, a, *rest) if name == "tukeylambda" else law.ppf(q, a, *rest)
    firsts = wt.grad(quantile, [q, a])
    outputs = [*firsts, *(wt.grad(s, v) for s in firsts for v in (q, a))]
    call = wt.function([q, a], outputs, mode="py")
    place, step = (0.3, 1.7), 1e-4
    moved = [
        (np.array(call(*place + step * e)) - np.array(call(*place - step * e)))[:2] / (2 * step)
        for e in np.eye(2)
    ]
    wanted = np.transpose(moved).ravel()
    np.testing.assert_allclose(call(*place)[2:], wanted, rtol=1e-5, atol=1e-7)


def test_slopes_in_few_degrees_of_freedom() -> None:
    """Where a mean's scale is nearly 0 for much of what is drawn."""
    x, df, nc = wt.vectors("x", "df", "nc")
    share = wt.stats.nct.cdf(x, df, nc)
    f = wt.function([x, df, nc], [share, wt.grad(share.sum(), df)], mode="py")
    places = np.array([-1.3, 8.0, -15.6, 1.0]), np.array([0.18, 0.086, 0.26, 0.05])
    apart, step = np.array([0.9, -1.9, 9.0, 0.3]), 1e-5
    ends = [f(places[0], places[1] + h, apart)[0] for h in (-step, step)]
    slope = (ends[1] - ends[0]) / (2 * step)
    np.testing.assert_allclose(f(*places, apart)[1], slope, rtol=1e-6)


MIXED: Final = {
    (1.15, 0.005, 3e-06): (1.4642306461467767, -0.39341409239740627),
    (-163.5, 0.002, 1.4): (-0.7171371681047, -0.1469557106825314),
    (6.25, 300.0, 1.8): (1.6469119846492883e-08, -3.599512443534027e-05),
    (-0.25, 5.0, 6.0): (-8.485444207209257e-12, -1.5750704278561599e-09),
    (3.0, 4.0, 30.0): (-1.297021012616438e-57, -5.4452735524714284e-58),
    (0.0001, 2.5, 0.5): (1.1961749473001825e-06, -0.35208129019786627),
}
"""Of t, the degrees of freedom and the noncentrality: slopes of noncentral Student's distribution
function in the latter two, by mpmath's integrals over what is drawn."""


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_slopes_in_parameters_of_noncentral_student(mode: str) -> None:
    x, df, nc = wt.vectors("x", "df", "nc")
    share = wt.stats.nct.cdf(x, df, nc)
    f = wt.function([x, df, nc], wt.grad(share.sum(), [df, nc]), mode=mode)
    by_df, by_nc = np.array(list(MIXED.values())).T
    found = f(*np.array(list(MIXED)).T)
    np.testing.assert_allclose(found[0], by_df, rtol=2e-10)
    np.testing.assert_allclose(found[1], by_nc, rtol=2e-11)


def _share(a: float, x: float, b: Any) -> Any:
    return mp.betainc(a, b, 0, x, regularized=True)


def test_slopes_of_shares_of_nearly_nothing() -> None:
    """Of a tiny x, 1 - x has not the digits: slopes in b were 0, or had a few."""
    a, b, x = wt.vectors("a", "b", "x")
    share = wt.special.betainc(a, b, x)
    places = np.array([0.11, 0.5, 2.0, 0.05]), np.array([10.0, 0.05, 62.0, 1e3])
    for size in (1e-22, 1e-15, 1e-8, 1e-3):
        at = (*places, np.full(4, size))
        found = wt.function([a, b, x], wt.grad(share.sum(), b))(*at)
        with mp.workdps(60):
            wanted = [float(mp.diff(partial(_share, p, z), q)) for p, q, z in zip(*at, strict=True)]
        np.testing.assert_allclose(found, wanted, rtol=1e-11)
