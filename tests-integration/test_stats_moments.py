"""Means, moments and spreads of samples: as SciPy's, on all backends, with derivatives."""

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
    quietly,
)

import weft.tensor as wt

OURS: Any = wt.stats
THEIRS: Any = scipy.stats
RANDOM = np.random.default_rng(5)
X, Y = RANDOM.normal(size=(9, 4)), RANDOM.normal(size=(5, 4))
SINGLE = X.astype("float32")
HOLES = np.where(X > 1.2, np.nan, X)
EVEN = np.array([[1.0, 3.0], [1.0, 3.0], [1.0, 3.0]])
INTEGERS = RANDOM.integers(-5, 9, (7, 2))
NONE, ONE, TWO = np.zeros((0, 3)), X[:1], X[:2]
ANY = [[X], [SINGLE], [HOLES], [EVEN], [INTEGERS], [ONE], [TWO]]
POSITIVE = [[abs(X) + 0.1], [abs(SINGLE)], [HOLES], [EVEN], [abs(INTEGERS)], [abs(ONE)], [TWO]]
SHARES = [[abs(X)], [abs(SINGLE)], [abs(HOLES)], [EVEN], [abs(INTEGERS)]]

ROWS = {
    "skew": Row(of("skew"), [*ANY, [NONE]]),
    "skew of a population": Row(of("skew", 1, False, keepdims=True), ANY),
    "kurtosis": Row(of("kurtosis"), [*ANY, [NONE]]),
    "kurtosis of a population": Row(of("kurtosis", (0, 1), False, False), ANY),
    "moment": Row(of("moment", [0, 1, 2, 3, 5]), [*ANY, [NONE]]),
    "moment around": Row(of("moment", 3, None, center=0.5), ANY),
    "sem": Row(of("sem", ddof=0), [*ANY, [NONE]]),
    "variation": Row(of("variation", 1, ddof=1), ANY),
    "variation of too few": Row(of("variation", ddof=2), [[X], [TWO], [ONE]]),
    "zscore": Row(of("zscore"), ANY),
    "zscore of all": Row(of("zscore", None, 1), ANY),
    "zmap": Row(of("zmap"), [[X, Y], [X, EVEN[:, :1]], [SINGLE, Y.astype("float32")]]),
    "gzscore": Row(of("gzscore", axis=1), POSITIVE[:3]),
    "describe": Row(of("describe", ddof=0, bias=False), ANY),
    "gmean": Row(of("gmean"), [*POSITIVE, [NONE]]),
    "gmean with weights": Row(lambda m, x, w: m.gmean(x, weights=w), [[abs(X), abs(Y[:1])]]),
    "hmean": Row(of("hmean", axis=1), POSITIVE),
    "hmean with weights": Row(lambda m, x: m.hmean(x, weights=x + 1), POSITIVE[:2]),
    "pmean": Row(of("pmean", 2.5), POSITIVE),
    "pmean of no power": Row(of("pmean", 0, axis=None), POSITIVE),
    "gstd": Row(of("gstd"), POSITIVE),
    "trim_mean": Row(of("trim_mean", 0.2), [*ANY, [NONE]]),
    "tmean": Row(of("tmean", (-1.0, 1.0), axis=0), [[X], [SINGLE]]),
    "tmean of all": Row(of("tmean"), [[X], [SINGLE], [HOLES]]),
    "tvar": Row(of("tvar", (-1.5, None)), [[X], [SINGLE]]),
    "tstd": Row(of("tstd", (None, 1.0), (True, False), 1, 0), [[X]]),
    "tsem": Row(of("tsem", (-1.0, 1.5)), [[X]]),
    "tmin": Row(of("tmin", -0.5), [[X], [SINGLE]]),
    "tmax": Row(of("tmax", 0.5, 1), [[X], [SINGLE]]),
    "iqr": Row(of("iqr"), [[X], [SINGLE], [HOLES], [INTEGERS]]),
    "iqr of normal": Row(of("iqr", 0, (10, 60), "normal", keepdims=True), ANY),
    "median_abs_deviation": Row(of("median_abs_deviation"), ANY),
    "mad around the mean": Row(
        lambda m, x: m.median_abs_deviation(x, 1, wt.mean if m is OURS else np.mean, "normal"),
        ANY,
    ),
    "entropy": Row(of("entropy"), SHARES),
    "entropy to a base": Row(of("entropy", base=2, axis=1), SHARES),
    "relative entropy": Row(of("entropy"), [[abs(X), abs(X[::-1]) + 0.1], [abs(X), abs(X[:, :1])]]),
    "circmean": Row(of("circmean"), [[X], [SINGLE], [HOLES], [INTEGERS], [ONE]]),
    "circmean of degrees": Row(of("circmean", 180, -180, 0), [[90 * X]]),
    "circmean of large angles": Row(of("circmean", np.pi, -np.pi, 0), [[np.array([1e17, 2.0])]]),
    "circvar": Row(of("circvar", axis=0), ANY),
    "circstd": Row(of("circstd", 12, -12, axis=1), [[X], [SINGLE], [HOLES]]),
    "circstd in radians": Row(of("circstd", normalize=True), [[X]]),
    **{
        f"differential_entropy, {name}": Row(
            of("differential_entropy", method=name, axis=axis, window_length=m),
            [[X[:, :3]], [SINGLE], [HOLES]],
        )
        for name, axis, m in (
            ("vasicek", 0, None),
            ("van es", 0, 2),
            ("ebrahimi", 0, None),
            ("correa", None, 3),
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    for arrays in ROWS[name].arrays:
        assert_as_scipy(OURS, THEIRS, ROWS[name].call, arrays)


@pytest.mark.cases(4)
@pytest.mark.parametrize("k", range(len(ROWS)))
def test_backends(k: int) -> None:
    assert_as_on_python(OURS, list(ROWS.values())[k], compiled_mode(k))


@pytest.mark.parametrize("name", ROWS)
def test_derivatives(name: str) -> None:
    assert_slopes(OURS, ROWS[name])


@pytest.mark.parametrize("n", [3, 10, 11, 1000, 1001])
def test_method_of_entropy_by_number(n: int) -> None:
    x = RANDOM.normal(size=n)
    of_any = wt.vector()
    found = [OURS.differential_entropy(v, base=2) for v in (wt.constant(x), of_any)]
    values = wt.function([of_any], found, mode="py")(x)
    reference = quietly(lambda: THEIRS.differential_entropy(x, base=2))
    np.testing.assert_allclose(values, [reference, reference])


ERRORS: dict[str, Callable[[Any], Any]] = {
    "nan_policy": lambda x: OURS.skew(x, nan_policy="drop"),
    "order of moments": lambda x: [OURS.moment(x, -1), OURS.moment(x, 1.5)],
    "proportiontocut": lambda x: OURS.trim_mean(x, 0.5),
    "scale is": lambda x: OURS.iqr(x, scale="raw"),
    "base is positive": lambda x: OURS.entropy(x, base=0),
    "method is": lambda x: OURS.differential_entropy(x, method="best"),
    "window_length": lambda x: OURS.differential_entropy(X[:, 0], window_length=5),
    "power of pmean": lambda x: OURS.pmean(x, x),
    "axis 3": lambda x: OURS.skew(x, axis=3),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message](wt.vector("x"))


def test_complex_numbers_are_refused() -> None:
    with pytest.raises(TypeError, match="real"):
        OURS.sem(wt.zvector("z"))
