"""Further tests of hypotheses: by ranks, of several samples, of tables, of many tests together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats
from against_scipy import Row, assert_as_on_python, assert_as_scipy, assert_slopes, of, quietly

import weft.tensor as wt

OURS: Any = wt.stats
THEIRS: Any = scipy.stats
RANDOM = np.random.default_rng(7)
X, Y, Z = (RANDOM.normal(size=(n, 3)) for n in (12, 9, 12))
LARGE = RANDOM.normal(size=(60, 2)) + 0.2
COUNTED, OTHER = RANDOM.integers(-2, 4, (14, 3)) * 1.0, RANDOM.integers(0, 4, (11, 3)) * 1.0
HOLES = np.where(X > 1.2, np.nan, X)
SINGLE = X.astype("float32")
TWO = [[X, Y], [COUNTED, OTHER], [X[:5], Y[:4]], [HOLES, Y], [SINGLE, Y.astype("float32")]]
THREE = [[X, Y, Z], [COUNTED, OTHER, X], [SINGLE, SINGLE * 2 + 1]]
TABLE = RANDOM.integers(1, 20, (3, 4))
SHARES = RANDOM.uniform(0.01, 0.6, (6, 3))


def distances(**kwargs: Any) -> Callable[..., Any]:
    def call(m: Any, *arrays: Any) -> Any:
        result = m.ks_2samp(*arrays, **kwargs)
        return [*result, result.statistic_location, result.statistic_sign]

    return call


def each(name: str, key: str, values: Any, arrays: Any, *args: Any) -> dict[str, Row]:
    return {f"{name}, {v}": Row(of(name, *args, **{key: v}), arrays, False) for v in values}


SIDES = ("two-sided", "less", "greater")
ROWS = {
    **each("ranksums", "alternative", SIDES, TWO[:2]),
    **each("mannwhitneyu", "alternative", SIDES, TWO),
    "mannwhitneyu, exact": Row(of("mannwhitneyu", method="exact"), TWO[:3], False),
    "mannwhitneyu, asymptotic": Row(
        of("mannwhitneyu", use_continuity=False, method="asymptotic"), TWO, False),
    **each("wilcoxon", "alternative", SIDES, [[X], [X, Z], [SINGLE], [LARGE], [X[:1]]]),
    **{f"wilcoxon, {k}, {side}": Row(
        of("wilcoxon", None, k, True, side, "asymptotic"), [[COUNTED], [X]], False)
       for k, side in zip(("wilcox", "pratt", "zsplit"), SIDES, strict=True)},
    **{f"wilcoxon, ties, {side}, {k}": Row(of("wilcoxon", None, k, False, side), [
        [np.array([1.0, 1.0, -1.0, 0.0, 2.0])], [np.zeros(3)], [np.array([0.5, 0.5, np.nan])]],
        False)
        for k in ("wilcox", "pratt", "zsplit") for side in SIDES},
    "wilcoxon, ties in rows": Row(of("wilcoxon", axis=-1), [[np.round(2 * X.T)]], False),
    **{f"wilcoxon, exact, {side}": Row(
        of("wilcoxon", None, k, False, side, "exact"), [[X], [np.round(X, 1)]], False)
       for k, side in zip(("pratt", "zsplit", "wilcox"), SIDES, strict=True)},
    **each("brunnermunzel", "alternative", SIDES, [*TWO[:3], TWO[4]]),
    "brunnermunzel, normal": Row(of("brunnermunzel", distribution="normal"), TWO[:1], False),
    **{f"ks_2samp, {k}": Row(distances(alternative=k), TWO[:3], False) for k in SIDES},
    **{f"ks_2samp, asymp, {k}": Row(distances(alternative=k, method="asymp"), TWO[:3], False)
       for k in SIDES},
    "kstest of two": Row(of("kstest"), TWO[:1], False),
    "kstest of one": Row(of("kstest", "norm", alternative="less"), [[X[:, 0]]], False),
    "bartlett": Row(of("bartlett"), THREE),
    **each("levene", "center", ("median", "mean"), THREE),
    "levene, trimmed": Row(of("levene", center="trimmed", proportiontocut=0.2), THREE),
    **each("fligner", "center", ("median", "mean"), THREE),
    "fligner, trimmed": Row(of("fligner", center="trimmed", proportiontocut=0.2), THREE, False),
    **each("mood", "alternative", SIDES, TWO),
    "cramervonmises": Row(lambda m, x: m.cramervonmises(x, m.norm.cdf, (0.1, 1.5)),
                          [[X[:, 0]], [X[:1, 0]], [LARGE[:, 0] + 1]], tolerance=2e-7),
    "alexandergovern": Row(of("alexandergovern"), THREE[:2]),
    "friedmanchisquare": Row(
        of("friedmanchisquare"), [[X, Z, X + Z], [COUNTED, COUNTED[::-1], COUNTED * 0]], False),
    "chi2_contingency": Row(of("chi2_contingency"), [[TABLE * 1.0], [TABLE[:2, :2]], [TABLE[:1]]]),
    "chi2_contingency in three dimensions": Row(
        of("chi2_contingency", lambda_="log-likelihood"), [[RANDOM.integers(2, 9, (2, 3, 2))]]),
    "chi2_contingency, uncorrected": Row(of("chi2_contingency", False), [[TABLE[1:, 1:3]]]),
    **each("fisher_exact", "alternative", SIDES, [[TABLE[:2, :2]], [TABLE[1:, 2:]],
                                                  [np.array([[3, 0], [1, 4]])],
                                                  [np.array([[0, 0], [1, 4]])]]),
    **each("binomtest", "alternative", SIDES, [[np.array(3), np.array(15), np.array(0.1)]]),
    **each("combine_pvalues", "method", ("fisher", "pearson", "tippett", "mudholkar_george",
                                         "stouffer"), [[SHARES], [SHARES.astype("float32")]]),
    "combine_pvalues, weighted": Row(
        lambda m, p, w: m.combine_pvalues(p, "stouffer", w),
        [[SHARES[:, 0], SHARES[:, 1]], [SHARES, SHARES[::-1]]]),
    **each("false_discovery_control", "method", ("bh", "by"), [[SHARES], [np.sort(SHARES, 0)]]),
    **{f"anderson of {law}": Row(
        of("anderson", law, method="interpolate"), [[X[:, 0] ** 2], [LARGE[:, 0] ** 2]],
        law == "norm", 1e-5) for law in ("norm", "expon", "logistic", "gumbel", "gumbel_r")},
    "shapiro": Row(of("shapiro", axis=0), [[X], [X[:3]], [X[:5]], [X[:11]], [LARGE], [SINGLE],
                                           [COUNTED]], tolerance=1e-6),
}  # fmt: skip
MANY_TIES = {
    f"wilcoxon, {side}, {k}": Row(
        of("wilcoxon", None, k, False, side), [[np.round(X)], [np.ones(13)]], False)
    for k in ("wilcox", "pratt", "zsplit") for side in SIDES
}  # fmt: skip
FLAT = ("chi2_contingency", "binomtest", "fisher_exact")


def called(m: Any, row: Row, arrays: Any) -> Any:
    """SciPy takes Python's integers, and gives objects that are no tuples."""
    if m is OURS:
        return row.call(m, *arrays)
    result = row.call(m, *[x.item() if x.ndim == 0 else x for x in arrays])
    return (
        result
        if isinstance(result, (tuple, list, np.ndarray))
        else (result.statistic, result.pvalue)
    )


@pytest.mark.cases(24)
@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    row = ROWS[name]
    for arrays in row.arrays:
        assert_as_scipy(OURS, THEIRS, lambda m, *a: called(m, row, a), arrays, row.tolerance)


@pytest.mark.cases(0)  # SciPy computes the sum of ranks for each assignment of signs
@pytest.mark.parametrize("name", MANY_TIES)
def test_values_of_many_ties(name: str) -> None:
    row = MANY_TIES[name]
    for arrays in row.arrays:
        assert_as_scipy(OURS, THEIRS, row.call, arrays, row.tolerance)


@pytest.mark.cases("jax")
@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_backends(mode: str, few: Any) -> None:
    def everything(m: Any, x: Any, y: Any, table: Any) -> Any:
        two = [m.mannwhitneyu(x, y), m.ks_2samp(x, y), m.brunnermunzel(x, y), m.fligner(x, y)]
        return few([*two, m.wilcoxon(x), m.shapiro(x), m.fisher_exact(table)], 2)

    assert_as_on_python(OURS, Row(everything, [[X[:, 0], Y[:, 0], TABLE[:2, :2]]], False), mode)


@pytest.mark.cases(8)
@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.has_slopes])
def test_derivatives(name: str) -> None:
    arrays = ROWS[name].arrays[0]
    assert_slopes(OURS, ROWS[name]._replace(arrays=[[x.astype("float64") for x in arrays]]))


def test_two_samples_of_all_lengths() -> None:
    """Also where one of both is far longer, and probabilities are tiny."""
    x, y = wt.vectors("x", "y")
    f = wt.function([x, y], [OURS.ks_2samp(x, y).pvalue, OURS.mannwhitneyu(x, y).pvalue], mode="py")
    for n, m, shift in ((1, 1, 0), (1, 7, 0), (4, 30, 1), (25, 10, 5), (20, 20, 9)):
        pair = RANDOM.normal(size=n), RANDOM.normal(size=m) + shift
        expected = [getattr(THEIRS, name)(*pair).pvalue for name in ("ks_2samp", "mannwhitneyu")]
        np.testing.assert_allclose(quietly(f, *pair), expected, rtol=1e-8)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ["ranksums", "ks_2samp", "fligner", "mannwhitneyu", "wilcoxon"])
def test_other_axes_broadcast(name: str) -> None:
    x, y = RANDOM.normal(size=(2, 9, 3, 1)), RANDOM.normal(size=(9, 1, 4))
    found = getattr(OURS, name)(x, y, axis=-3)
    for mine, other in zip(found, getattr(THEIRS, name)(x, y, axis=-3), strict=True):
        assert mine.type.shape == (2, 3, 4)
        np.testing.assert_allclose(mine.eval(), other, rtol=1e-8)


def test_no_observations() -> None:
    none, some = wt.vector("none"), np.arange(3.0)
    tests = [OURS.wilcoxon(none), *(getattr(OURS, name)(none, some) for name in (
        "mannwhitneyu", "ranksums", "ks_2samp", "brunnermunzel"))]  # fmt: skip
    f = wt.function([none], [v for test in tests for v in test], mode="py")
    assert np.isnan(quietly(f, [])).all()


def test_equal_samples() -> None:
    x = wt.vector("x")
    cost = OURS.alexandergovern(x, [1.0, 2.0, 5.0]).statistic
    np.testing.assert_allclose(wt.function([x], wt.grad(cost, x), mode="py")([1.0, 2.0, 5.0]), 0)
    tied = OURS.mannwhitneyu(x, x[:2], method="asymptotic").pvalue
    assert wt.function([x], tied, mode="jax")(np.ones(3)) == 1


def test_steady_observations() -> None:
    assert [v.eval() for v in OURS.shapiro([2.0] * 5)] == [1, 1]
    for x in ([2.0, 3.0], [1.0, 2.0, 4.0, np.nan]):
        assert np.isnan(OURS.shapiro(x).pvalue.eval())
    assert np.isnan(OURS.alexandergovern([1.0, 1.0], [1.0, 2.0]).pvalue.eval())


ERRORS: dict[str, Callable[[Any], Any]] = {
    "mannwhitneyu: method is": lambda x: OURS.mannwhitneyu(x, x, method="best"),
    "mannwhitneyu: alternative is": lambda x: OURS.mannwhitneyu(x, x, alternative="more"),
    "wilcoxon: zero_method is": lambda x: OURS.wilcoxon(x, zero_method="none"),
    "brunnermunzel: distribution is": lambda x: OURS.brunnermunzel(x, x, distribution="f"),
    "ks_2samp: method is": lambda x: OURS.ks_2samp(x, x, method="best"),
    "levene: center is": lambda x: OURS.levene(x, x, center="best"),
    "bartlett compares 2": lambda x: OURS.bartlett(x),
    "friedmanchisquare compares 3": lambda x: OURS.friedmanchisquare(x, x),
    "an expected count is 0": lambda x: OURS.chi2_contingency([[0, 0], [1, 2]]).pvalue.eval(),
    "must not be negative": lambda x: OURS.chi2_contingency([[-1, 2], [1, 2]]).pvalue.eval(),
    "takes a matrix of counts": lambda x: OURS.fisher_exact(x),
    "not two by two needs a method": lambda x: OURS.fisher_exact(np.ones((2, 3))),
    "alternative is None": lambda x: OURS.fisher_exact(
        np.ones((2, 2)), "less", method=OURS.PermutationMethod()
    ),
    "with correction=False": lambda x: OURS.chi2_contingency(
        np.ones((2, 2)), method=OURS.PermutationMethod()
    ),
    "binomtest takes numbers": lambda x: OURS.binomtest(x, x),
    "combine_pvalues: method is": lambda x: OURS.combine_pvalues(x, "best"),
    "false_discovery_control: method is": lambda x: OURS.false_discovery_control(x, method="b"),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message](wt.vector("x"))
