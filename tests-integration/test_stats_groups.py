"""Comparisons of the means of several samples: SciPy's, and exact ones of two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.stats
from against_scipy import Row, assert_as_on_python, assert_as_scipy, quietly

import weft.tensor as wt

OURS: Any = wt.stats
THEIRS: Any = scipy.stats
RANDOM: Final = np.random.default_rng(3)
GROUPS: Final = [RANDOM.normal(m, size=n) for n, m in ((9, 0), (7, 0.5), (12, 1.4), (5, 0))]
SINGLE: Final = [x.astype("float32") for x in GROUPS]
SIDES: Final = ("two-sided", "less", "greater")


def pairs_apart(m: Any, *samples: Any) -> Any:
    found = m.tukey_hsd(*samples, equal_var=False)
    return found.statistic, found.pvalue


def with_interval(m: Any, *samples: Any) -> Any:
    found = m.tukey_hsd(*samples)
    both = found.confidence_interval(0.9)
    return found.statistic, found.pvalue, both.low, both.high


@pytest.mark.cases("two")
@pytest.mark.parametrize("samples", [GROUPS, GROUPS[:2], SINGLE], ids=["four", "two", "float32"])
def test_pairs(samples: Any, few: Any) -> None:
    for call in few((with_interval, pairs_apart), 1):
        assert_as_scipy(OURS, THEIRS, call, samples)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_backends(mode: str) -> None:
    def both(m: Any, *samples: Any) -> Any:
        return m.tukey_hsd(*samples)[:2], m.dunnett(*samples[1:], control=samples[0])[:2]

    assert_as_on_python(OURS, Row(both, [GROUPS[:3]], False), mode)


@pytest.mark.cases(1)
@pytest.mark.parametrize("side", SIDES)
def test_against_a_control(side: str, few: Any) -> None:
    """SciPy's, as far as its random places go; and of one sample Student's."""
    control, *samples = GROUPS
    found = OURS.dunnett(*samples, control=control, alternative=side)
    theirs = THEIRS.dunnett(*samples, control=control, alternative=side, rng=1)
    np.testing.assert_allclose(found.statistic.eval(), theirs.statistic, rtol=1e-12)
    np.testing.assert_allclose(found.pvalue.eval(), theirs.pvalue, atol=2e-4)
    ends = found.confidence_interval(0.9)
    for ours, reference in zip(ends, theirs.confidence_interval(0.9), strict=True):
        np.testing.assert_allclose(ours.eval(), reference, atol=3e-3)
    for shift in few((0.0, 3.0, 300.0), 1):
        one = samples[1] + shift
        exact = THEIRS.ttest_ind(one, control, alternative=side).pvalue
        got = OURS.dunnett(one, control=control, alternative=side).pvalue.eval()
        np.testing.assert_allclose(got, [exact], rtol=1e-10)


@pytest.mark.cases(0)
def test_slopes() -> None:
    """Of probabilities, by a shift of one sample."""
    shift, xs = wt.dscalar("shift"), GROUPS
    chances = [
        OURS.tukey_hsd(xs[0] + shift, *xs[1:]).pvalue[0, 2],
        OURS.dunnett(xs[1] + shift, xs[2], control=xs[0]).pvalue[0],
    ]
    f = wt.function([shift], [*chances, *[wt.grad(v, shift) for v in chances]], mode="py")
    low, high, at = (quietly(f, v) for v in (0.3 - 1e-4, 0.3 + 1e-4, 0.3))
    np.testing.assert_allclose(at[2:], (np.array(high) - low)[:2] / 2e-4, rtol=1e-6)


@pytest.mark.cases(0)
def test_values_in_print() -> None:
    """Upper points of the studentized range: H. L. Harter, Tables of range, 1960."""
    points = OURS.studentized_range.isf([0.05, 0.01], [3.0, 10.0], [10.0, 5.0]).eval()
    np.testing.assert_allclose(points, [3.877, 10.24], rtol=2e-4)


@pytest.mark.cases(0)
def test_many_degrees_of_freedom() -> None:
    """Those of infinitely many, which are distances of normal numbers."""
    x = np.array([0.1, 1.0, 4.0, 20.0])
    exact = THEIRS.halfnorm.logsf(x / np.sqrt(2))
    for df in (1e13, 1e100, np.inf):
        np.testing.assert_allclose(
            OURS.studentized_range.logsf(x, 2.0, df).eval(), exact, rtol=1e-10
        )


ERRORS: dict[str, Callable[[Any], Any]] = {
    "tukey_hsd compares 2 samples or more": lambda x: OURS.tukey_hsd(x),
    "of one axis each": lambda x: OURS.tukey_hsd(x, x.expand_dims(0)),
    "dunnett compares 2 samples or more": lambda x: OURS.dunnett(control=x),
    "dunnett: alternative is": lambda x: OURS.dunnett(x, control=x, alternative="more"),
    "k must be above 1": lambda x: OURS.studentized_range.cdf(x, 1.0, 3.0),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message](wt.vector("x"))
