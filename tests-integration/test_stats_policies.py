"""Observations that are NaN, left out or refused: as SciPy's, on all backends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.stats
from against_scipy import (
    Call,
    Row,
    assert_as_on_python,
    assert_as_scipy,
    compiled_mode,
    of,
    quietly,
)

import weft.tensor as wt

OURS: Any = wt.stats
THEIRS: Any = scipy.stats
RANDOM = np.random.default_rng(3)
X, Y, Z = RANDOM.normal(size=12), RANDOM.normal(size=12) + 0.3, RANDOM.normal(size=9)
X[[3, 7]], Y[0], Z[2] = np.nan, np.nan, np.nan
ROWS_OF_X = X.reshape(3, 4)
ORDERED = """ansari brunnermunzel describe epps_singleton_2samp fligner friedmanchisquare iqr
kendalltau ks_2samp kruskal mannwhitneyu median_abs_deviation median_test mode mood quantile
rankdata ranksums siegelslopes spearmanr spearmanrho theilslopes tmax tmin trim_mean weightedtau
wilcoxon chatterjeexi percentileofscore lmoment"""
"""What has no derivative everywhere, or as SciPy has it of NaN in order."""


def omitting(names: str, *arrays: Any, **kwargs: Any) -> dict[str, Row]:
    """Rows of functions by their names, which take all of the arrays."""
    return {
        name: Row(
            of(name, nan_policy="omit", **kwargs), [list(arrays)], name not in ORDERED.split()
        )
        for name in names.split()
    }


def two(name: str, *args: Any) -> Call:
    """A call whose result is an object with both."""

    def call(m: Any, *arrays: Any) -> Any:
        found = getattr(m, name)(*arrays, *args, nan_policy="omit")
        return [found.statistic, found.pvalue]

    return call


ROWS = {
    **omitting(
        "circmean circstd circvar describe iqr jarque_bera kstat kstatvar kurtosis kurtosistest "
        "lmoment median_abs_deviation mode moment normaltest rankdata sem shapiro skew skewtest "
        "tmean tsem tstd tvar variation zscore differential_entropy",
        X,
    ),
    **omitting("tmax tmin", X),
    **omitting("gmean hmean gstd gzscore entropy chisquare", abs(X)),
    **omitting("power_divergence", abs(X), lambda_=0.5),
    **omitting("bartlett f_oneway fligner kruskal levene median_test", X, Y, Z),
    **omitting(
        "ansari brunnermunzel epps_singleton_2samp ks_2samp mannwhitneyu mood ranksums ttest_ind",
        X,
        Z,
    ),
    **omitting(
        "chatterjeexi kendalltau linregress pointbiserialr siegelslopes spearmanr spearmanrho "
        "theilslopes ttest_rel weightedtau wilcoxon percentileofscore",
        X,
        Y,
    ),
    **omitting("friedmanchisquare", X, Y, X + Y**2),
    **omitting("zmap", Z, X),
    "alexandergovern": Row(two("alexandergovern"), [[X, Y, Z]]),
    "cramervonmises": Row(two("cramervonmises", "norm"), [[X]]),
    "kstest": Row(of("kstest", "norm", nan_policy="omit"), [[X]], False),
    "quantile": Row(of("quantile", 0.3, nan_policy="omit"), [[X]]),
    "ttest_1samp": Row(of("ttest_1samp", 0.0, nan_policy="omit"), [[X]]),
    "trim_mean": Row(of("trim_mean", 0.1, nan_policy="omit"), [[X]]),
    "all of a matrix": Row(of("skew", axis=None, nan_policy="omit", keepdims=True), [[ROWS_OF_X]]),
    "zscore of rows": Row(of("zscore", axis=1, ddof=1, nan_policy="omit"), [[ROWS_OF_X]]),
    "rankdata of rows": Row(of("rankdata", axis=1, nan_policy="omit"), [[ROWS_OF_X]], False),
    "entropy of two": Row(of("entropy", nan_policy="omit"), [[abs(X), abs(Y)]]),
    "chisquare of two": Row(
        lambda m, x, y: m.chisquare(x, y, sum_check=False, nan_policy="omit"), [[abs(X), abs(Y)]]
    ),
    "gmean with weights": Row(
        lambda m, x, y: m.gmean(x, weights=y, nan_policy="omit"), [[abs(X), abs(Y)]]
    ),
    "combine_pvalues": Row(
        lambda m, x, y: m.combine_pvalues(x / 5, "stouffer", y, nan_policy="omit"),
        [[abs(X), abs(Y)]],
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    for arrays in ROWS[name].arrays:
        assert_as_scipy(OURS, THEIRS, ROWS[name].call, arrays, ROWS[name].tolerance)


@pytest.mark.cases(4)
@pytest.mark.parametrize("k", range(len(ROWS)))
def test_backends(k: int) -> None:
    assert_as_on_python(OURS, list(ROWS.values())[k], compiled_mode(k))


def test_slopes_are_those_of_the_others() -> None:
    x, y = wt.vector("x"), wt.vector("y")
    found = OURS.ttest_rel(x, y, nan_policy="omit").statistic
    slope, at_x = wt.function([x, y], [wt.grad(found, x), found], mode="py")(X, Y)
    kept = ~np.isnan(X + Y)
    alone = wt.grad(OURS.ttest_rel(x, y).statistic, x)
    np.testing.assert_allclose(slope[kept], wt.function([x, y], alone)(X[kept], Y[kept]))
    assert not slope[~kept].any()
    assert np.isfinite(at_x)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_left_of_nan_alone_is_nan() -> None:
    x, y = wt.vector("x"), wt.vector("y")
    found = OURS.pointbiserialr(x, y, nan_policy="omit")
    found += OURS.combine_pvalues(x, nan_policy="omit")
    found += OURS.epps_singleton_2samp(x, y, nan_policy="omit")
    found += OURS.theilslopes(x, nan_policy="omit") + OURS.theilslopes(x, y, nan_policy="omit")
    found += tuple(getattr(OURS, f)(x, nan_policy="omit") for f in ("iqr", "tmin", "tmax"))
    found += OURS.mode(x, nan_policy="omit")[:1]
    values = wt.function([x, y], list(found), mode="py")([np.nan, np.nan], [1.0, 2.0])
    assert np.isnan(values).all()
    assert wt.function([x], OURS.mode(x, nan_policy="omit").count)([np.nan, np.nan]) == 0


def test_nan_is_an_error_where_it_is_to_be_one() -> None:
    x, y = wt.vector("x"), wt.vector("y")
    results = [
        OURS.skew(x, nan_policy="raise"),
        OURS.ttest_rel(x, y, nan_policy="raise").pvalue,
        OURS.zscore(x, nan_policy="raise"),
        OURS.spearmanr(x, y, nan_policy="raise").pvalue,
    ]
    kept = ~np.isnan(X + Y)
    for result in results:
        f = wt.function([x, y], result, mode="py", on_unused_input="ignore")
        f(X[kept], Y[kept])
        with pytest.raises(ValueError, match="NaN"):
            f(X, Y)


@pytest.mark.parametrize("n", [1, 2, 5, 33, 34, 60])
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_tau_of_numbers_that_are_not_known(n: int, alternative: str) -> None:
    x, y = wt.vector("x"), wt.vector("y")
    f = wt.function([x, y], [*OURS.kendalltau(x, y, alternative=alternative)], mode="py")
    one, other = RANDOM.normal(size=(2, n))
    for a, b in ((one, other), (one, one), (one, np.round(other)), (one, -one)):
        theirs = quietly(lambda a=a, b=b: THEIRS.kendalltau(a, b, alternative=alternative))
        references = [theirs.statistic, theirs.pvalue]
        np.testing.assert_allclose(quietly(f, a, b), references, 1e-9, 1e-300)


def test_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="of one sample"):
        OURS.skew(wt.matrix("x"), nan_policy="omit")
    with pytest.raises(ValueError, match="'propagate', 'raise', 'omit'"):
        OURS.skew(wt.vector("x"), nan_policy="drop")
