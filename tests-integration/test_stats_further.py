"""Further tests of samples: as SciPy's, on all backends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats
from against_scipy import (
    Row,
    assert_as_on_python,
    assert_as_scipy,
    assert_slopes,
    compiled_mode,
    of,
)

import weft.tensor as wt

OURS: Any = wt.stats
THEIRS: Any = scipy.stats
RANDOM = np.random.default_rng(17)
X, Y, Z = (RANDOM.normal(size=(n, 2)) for n in (12, 9, 30))
COUNTED, OTHER = RANDOM.integers(-2, 4, 14) * 1.0, RANDOM.integers(0, 4, 14) * 1.0
SINGLE = X[:, 0].astype("float32")
U, V, W = X[:, 0], Y[:, 0], Z[:, 0] + 0.4
TABLE = np.array([[27, 25, 14, 7, 0], [7, 14, 18, 35, 12], [1, 3, 2, 7, 17]])
SIDES = ("two-sided", "less", "greater")


def two(name: str, *args: Any, **kwargs: Any) -> Callable[..., Any]:
    """The first two results."""
    return lambda m, *a: tuple(getattr(m, name)(*a, *args, **kwargs))[:2]


def attributes(name: str, names: tuple[str, ...], **kwargs: Any) -> Callable[..., Any]:
    def call(m: Any, *arrays: Any) -> Any:
        result = getattr(m, name)(*arrays, **kwargs)
        return [getattr(result, n) for n in names]

    return call


def anderson(variant: str) -> Callable[..., Any]:
    def call(m: Any, *samples: Any) -> Any:
        found = m.anderson_ksamp(samples, variant=variant)
        return [found.statistic, found.pvalue]

    return call


NAMES = ("statistic", "statistic_type", "pvalue")
ROWS = {
    **{f"anderson_ksamp, {k}": Row(
        anderson(k), [[U, V, W], [U, W], [COUNTED, OTHER, U], [W, W + 3], [SINGLE, SINGLE * 2]],
        False, 1e-5) for k in ("midrank", "right")},
    **{f"median_test, {k}": Row(
        of("median_test", ties=k), [[U, V, W], [COUNTED, OTHER, U], [U, V]], False)
       for k in ("below", "above", "ignore")},
    "median_test, uncorrected": Row(of("median_test", correction=False), [[U, V]], False),
    "epps_singleton_2samp": Row(
        of("epps_singleton_2samp"), [[X, Y], [X, Z], [Z, Z + 1], [U, W]], tolerance=1e-7),
    "epps_singleton_2samp at others": Row(
        of("epps_singleton_2samp", (0.3, 0.5, 0.9)), [[U, W]], False, 1e-6),
    **{f"quantile_test, {k}": Row(
        attributes("quantile_test", NAMES, q=0.3, p=0.4, alternative=k), [[U], [COUNTED]], False)
       for k in SIDES},
    **{f"somersd, {k}": Row(
        attributes("somersd", NAMES[::2], alternative=k),
        [[COUNTED, OTHER], [U, U**3 + U[::-1]], [TABLE]], False) for k in SIDES},
    "pointbiserialr along rows": Row(
        of("pointbiserialr", axis=1), [[np.stack([X, -X]) > 0.2, np.stack([Z[:12], X])]], False
    ),
    **{f"spearmanrho, {k}": Row(
        of("spearmanrho", alternative=k), [[X, Z[:12]], [SINGLE, SINGLE[::-1]]], False)
       for k in SIDES},
    "tiecorrect": Row(of("tiecorrect"), [[COUNTED], [U], [U[:1]], [np.ones(4)]], False),
    "obrientransform": Row(lambda m, *a: list(m.obrientransform(*a)), [[U, Z[:12, 0]]]),
    "probplot": Row(lambda m, x: m.probplot(x), [[U], [COUNTED], [U[:2]]]),
    "probplot of others": Row(lambda m, x: m.probplot(x, 2.5, "t"), [[W]], False),
    "probplot alone": Row(lambda m, x: m.probplot(x, (), "expon", False), [[U**2]], False),
}  # fmt: skip


@pytest.mark.cases(12)
@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    for arrays in ROWS[name].arrays:
        assert_as_scipy(OURS, THEIRS, ROWS[name].call, arrays, ROWS[name].tolerance)


@pytest.mark.cases(1)
@pytest.mark.parametrize("k", range(len(ROWS)))
def test_backends(k: int) -> None:
    assert_as_on_python(OURS, list(ROWS.values())[k], compiled_mode(k))


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.has_slopes])
def test_derivatives(name: str) -> None:
    assert_slopes(OURS, ROWS[name]._replace(arrays=ROWS[name].arrays[:1]))


def test_rows() -> None:
    """Along another axis."""
    found = OURS.epps_singleton_2samp(X.T, Y.T, axis=-1)
    columns = OURS.epps_singleton_2samp(X, Y)
    np.testing.assert_allclose(found.pvalue.eval(), columns.pvalue.eval(), rtol=1e-9)


def test_holes() -> None:
    holes = np.where(U > 1, np.nan, U)
    for result in (
        OURS.anderson_ksamp([holes, V]), OURS.epps_singleton_2samp(holes, V),
        OURS.quantile_test(holes), OURS.anderson_ksamp([[1.0, 1.0], [1.0, 1.0, 1.0]]),
    ):  # fmt: skip
        assert np.isnan(result.pvalue.eval())


ERRORS: dict[str, Callable[[Any], Any]] = {
    "anderson_ksamp compares 2": lambda x: OURS.anderson_ksamp([x]),
    "anderson_ksamp: samples are vectors": lambda x: OURS.anderson_ksamp([x, [[1.0]]]),
    "anderson_ksamp: variant is": lambda x: OURS.anderson_ksamp([x, x], variant="continuous"),
    "median_test: ties is": lambda x: OURS.median_test(x, x, ties="half"),
    "quantile_test: alternative is": lambda x: OURS.quantile_test(x, alternative="more"),
    "somersd takes two vectors": lambda x: OURS.somersd(x),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message](wt.vector("x"))


def test_laws_whose_parameters_are_not_checked() -> None:
    scale, key = wt.scalar("scale"), wt.random.key(0)
    law = OURS.norm(0.0, scale, check=False)
    outputs = [law.logpdf(1.0), law.ppf(0.3), law.mean(), law.rvs(key, 3)]
    results = wt.function([scale], outputs)
    assert all(np.isnan(v).all() for v in results(-1.0))
    assert all(np.isfinite(v).all() for v in results(2.0))
    assert np.isnan(OURS.binom(5, 1.5, check=False).mean().eval())
    vector = OURS.multivariate_normal(np.zeros(2), -np.eye(2), check=False)
    assert np.isnan(vector.logpdf(np.zeros(2)).eval())
    with pytest.raises(ValueError, match="scale must be"):
        OURS.norm(0.0, -1.0)
