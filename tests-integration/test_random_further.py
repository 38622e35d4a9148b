"""Draws with names of `jax.random`: distributions, and the same numbers on all backends."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats

import weft.tensor as wt

OURS: Any = wt
KEY = wt.random.key(11)
THEIRS: Any = scipy.stats
MANY = 4000
LOGITS = np.log([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])
CONTINUOUS: dict[str, tuple[tuple[float, ...], Any]] = {
    "cauchy": ((), THEIRS.cauchy()),
    "loggamma": ((0.7,), THEIRS.loggamma(0.7)),
    "maxwell": ((), THEIRS.maxwell()),
    "noncentral_chisquare": ((1.5, 2.5), THEIRS.ncx2(1.5, 2.5)),
    "noncentral_f": ((3.0, 7.0, 1.5), THEIRS.ncf(3, 7, 1.5)),
    "t": ((2.5,), THEIRS.t(2.5)),
    "truncated_normal": ((-0.5, 2.0), THEIRS.truncnorm(-0.5, 2)),
    "weibull_min": ((2.0, 1.5), THEIRS.weibull_min(1.5, scale=2)),
}


@pytest.mark.parametrize("name", CONTINUOUS)
def test_distributions(name: str) -> None:
    parameters, law = CONTINUOUS[name]
    draws = getattr(wt.random, name)(KEY, *parameters, size=MANY).eval()
    assert THEIRS.kstest(draws, law.cdf).pvalue > 1e-3


WHOLE: dict[str, Any] = {"zipf": THEIRS.zipf(2.5), "logseries": THEIRS.logser(0.6)}


@pytest.mark.parametrize("name", WHOLE)
def test_integers(name: str) -> None:
    law = WHOLE[name]
    draws = getattr(wt.random, name)(KEY, *law.args, size=MANY).eval()
    shares = [np.mean(draws == k) for k in (1, 2, 3)]
    np.testing.assert_allclose(shares, law.pmf([1, 2, 3]), atol=0.03)


DRAWS: dict[str, Callable[[], Any]] = {
    "rademacher": lambda: wt.random.rademacher(KEY, (3, 2)),
    "orthogonal": lambda: wt.random.orthogonal(KEY, 3, (2,), m=2),
    "ball": lambda: wt.random.ball(KEY, 3, 1.5, (4,)),
    "noncentral_chisquare": lambda: wt.random.noncentral_chisquare(KEY, [1.5, 2.0], 0.5),
    "truncated_normal": lambda: wt.random.truncated_normal(KEY, -1.0, [1.0, 2.0]),
    "classes along an axis": lambda: wt.random.categorical(
        KEY, np.exp(LOGITS.T), size=(9, 2), axis=0
    ),
    "classes once each": lambda: wt.random.categorical(
        KEY, logits=LOGITS, size=(2, 2), replace=False
    ),
    "orders": lambda: wt.random.permutation(KEY, LOGITS, 1, independent=True),
    "with the end": lambda: wt.random.integers(KEY, 0, [1, 2], (9, 2), endpoint=True),
}


@pytest.mark.cases(2)
@pytest.mark.parametrize("mode", ["numba", "jax"])
@pytest.mark.parametrize("name", DRAWS)
def test_backends(name: str, mode: str) -> None:
    values, references = (wt.function([], DRAWS[name](), mode=m)() for m in (mode, "py"))
    np.testing.assert_allclose(values, references, 1e-9, 1e-12)


@pytest.mark.cases(2)
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", ["noncentral_chisquare", "noncentral_f"])
def test_slopes_in_the_centre(name: str, mode: str) -> None:
    """Of the mean, as that of the distribution has them."""
    nonc = wt.dscalar("nonc")
    others = (3.0,) if name == "noncentral_chisquare" else (3.0, 9.0)
    mean = getattr(wt.random, name)(KEY, *others, nonc, size=MANY).mean()
    slope = wt.function([nonc], wt.grad(mean, nonc), mode=mode)(2.0)
    np.testing.assert_allclose(slope, 1.0 if len(others) == 1 else 9 / 7 / 3, rtol=0.05)


def test_signs_matrices_and_points() -> None:
    signs = wt.random.rademacher(KEY, MANY).eval()
    assert set(signs) == {-1, 1}
    assert abs(signs.mean()) < 0.06
    for n, m in ((3, 3), (4, 2), (2, 4)):
        q = wt.random.orthogonal(KEY, n, (5,), m=m).eval()
        assert q.shape == (5, n, m)
        product = q @ q.mT if n <= m else q.mT @ q
        np.testing.assert_allclose(product - np.eye(min(n, m)), 0 * product, atol=1e-9)
    for p in (1.0, 2.0, 4.0):
        points = wt.random.ball(KEY, 3, p, (MANY,)).eval()
        radius = (abs(points) ** p).sum(-1) ** (1 / p)
        assert THEIRS.kstest(radius**3, "uniform").pvalue > 1e-3


def test_numbers_without_centre_and_none_at_all() -> None:
    draws = wt.random.noncentral_chisquare(KEY, 3.0, 0.0, size=MANY).eval()
    assert THEIRS.kstest(draws, THEIRS.chi2(3).cdf).pvalue > 1e-3
    assert wt.random.noncentral_f(KEY, 3.0, [2.0, 4.0], 1.0).eval().shape == (2,)
    assert wt.random.ball(KEY, 2, size=0).eval().shape == (0, 2)


@pytest.mark.parametrize(
    ("name", "other"), [("PRNGKey", "key"), ("randint", "integers"), ("spawn", "split")]
)
def test_names_that_are_called_otherwise(name: str, other: str) -> None:
    with pytest.raises(AttributeError, match=rf"write {other}\("):
        getattr(wt.random, name)


def test_classes_that_come_once() -> None:
    """The first is of the probabilities, each next of those that are left; all are different."""
    keys = wt.random.split(KEY, MANY)
    p = np.exp(LOGITS)
    draws = wt.vmap(lambda k: wt.random.categorical(k, p, size=(3, 2), replace=False))(keys).eval()
    np.testing.assert_array_equal(np.sort(draws, 1), np.broadcast_to([[0], [1], [2]], draws.shape))
    for row in range(2):
        first, second, _ = draws[:, :, row].T
        np.testing.assert_allclose(np.bincount(first) / MANY, p[row], atol=0.03)
        left = p[row, 0] / (1 - p[row, 2])
        np.testing.assert_allclose((second[first == 2] == 0).mean(), left, atol=0.03)
    along = wt.random.categorical(KEY, np.moveaxis(p, 1, 0), size=(3, 2), axis=0, replace=False)
    same = wt.random.categorical(KEY, p, size=(3, 2), replace=False)
    np.testing.assert_array_equal(along.eval(), same.eval())
    one = wt.random.categorical(KEY, logits=LOGITS[0].astype("float32"), replace=False)
    assert one.eval().shape == ()


@pytest.mark.parametrize(
    ("says", "draw"),
    [
        ("size is more", lambda: wt.random.categorical(KEY, [0.5, 0, 0.5], size=3, replace=False)),
        ("fewer", lambda: wt.random.categorical(KEY, logits=LOGITS, size=(), replace=False)),
        ("sum to one", lambda: wt.random.categorical(KEY, [0.5, 0.6], replace=False)),
        ("less than high", lambda: wt.random.integers(KEY, 0, -1, endpoint=True)),
    ],
)
def test_more_than_there_is(says: str, draw: Any) -> None:
    with pytest.raises(ValueError, match=says):
        draw().eval()


@pytest.mark.parametrize("name", ["normal", "uniform", "laplace", "exponential", "poisson"])
def test_a_shape_in_the_place_of_a_parameter_is_an_error(name: str) -> None:
    """It is the shape in JAX, but the mean here, and in NumPy."""
    draw = getattr(wt.random, name)
    with pytest.raises(TypeError, match=rf"{name}: \(2, 3\) could be .*write size=\(2, 3\)"):
        draw(KEY, (2, 3))
    assert draw(KEY, [2, 3]).eval().shape == draw(KEY, (2.0, 3.0)).eval().shape == (2,)
    assert draw(KEY, (2, 3), size=(4, 2)).eval().shape == (4, 2)


@pytest.mark.parametrize(
    ("says", "draw"),
    [
        ("normal: draws take a key: write normal(wt.", lambda: OURS.random.normal(size=2)),
        ("norm.rvs: draws take a key: write norm.rvs", lambda: OURS.stats.norm.rvs(size=2)),
        ("dirichlet.rvs: draws take a key in the place of random_state",
         lambda: OURS.stats.dirichlet.rvs([1.0, 2.0], random_state=3)),
    ],
)  # fmt: skip
def test_draws_without_a_key_are_errors(says: str, draw: Any) -> None:
    with pytest.raises(TypeError, match=re.escape(says)):
        draw()
