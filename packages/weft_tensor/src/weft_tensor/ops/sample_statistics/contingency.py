"""Tables of counts: `wt.stats.contingency`, with names of `scipy.stats.contingency`."""

from __future__ import annotations

from math import inf, nan
from typing import Any, NamedTuple

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.elementwise.arithmetic import minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.reduction.standard import all, sum
from weft_tensor.ops.sample_statistics.hypotheses.odds import (
    CrosstabResult,
    OddsRatioResult,
    crosstab,
    odds_ratio,
)
from weft_tensor.ops.sample_statistics.hypotheses.tables import chi2_contingency, fisher_exact
from weft_tensor.ops.sample_statistics.resampling import ConfidenceInterval
from weft_tensor.ops.sample_statistics.samples import numbers, one_of
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.special.normal import ndtri

__all__ = [
    "CrosstabResult",
    "OddsRatioResult",
    "RelativeRiskResult",
    "association",
    "chi2_contingency",
    "crosstab",
    "expected_freq",
    "fisher_exact",
    "margins",
    "odds_ratio",
    "relative_risk",
]


def margins(a: TensorLike) -> list[TensorVariable]:
    """The sums over all axes but one, for each of them; the axes stay, of length 1.

    See `scipy.stats.contingency.margins`.

    >>> [m.eval().tolist() for m in margins([[1, 2], [3, 4]])]
    [[[3], [7]], [[4, 6]]]
    """
    table = as_tensor(a)
    axes = range(table.ndim)
    return [sum(table, tuple(k for k in axes if k != a), keepdims=True) for a in axes]


def expected_freq(observed: TensorLike) -> TensorVariable:
    """The counts of a table whose axes are independent, with the same margins.

    See `scipy.stats.contingency.expected_freq`.

    >>> expected_freq([[10, 10, 20], [20, 20, 20]]).eval()
    array([[12., 12., 16.],
           [18., 18., 24.]])
    """
    seen = numbers(observed)
    expected = sum(seen, keepdims=True) ** (1 - seen.ndim)
    for margin in margins(seen):
        expected = expected * margin
    return expected


def association(
    observed: TensorLike,
    method: str = "cramer",
    correction: bool = False,
    lambda_: float | str | None = None,
) -> TensorVariable:
    """How far the rows and columns of a table of counts go together, from 0 to 1.

    `method` is "cramer", "tschuprow" or "pearson"; the others are as for `chi2_contingency`. See
    `scipy.stats.contingency.association`. Raises ValueError for another method, and for what is no
    matrix.

    >>> association([[10, 20], [20, 10]]).eval().round(4)
    np.float64(0.3333)
    """
    one_of("association", "method", method, ("cramer", "tschuprow", "pearson"))
    seen = numbers(observed)
    if seen.ndim != 2:
        raise ValueError(f"association takes a matrix of counts, not {seen!r}{called()}")
    share = chi2_contingency(seen, correction, lambda_).statistic / sum(seen)
    if method == "pearson":
        return sqrt(share / (1 + share))
    rows, columns = (n - 1 for n in lengths_of(seen))
    if method == "cramer":
        return sqrt(share / minimum(rows, columns).astype(seen.dtype))
    return sqrt(share / sqrt((rows * columns).astype(seen.dtype)))


class RelativeRiskResult(NamedTuple):
    """A ratio of two shares of cases, and what they are of."""

    relative_risk: TensorVariable
    exposed_cases: TensorVariable
    exposed_total: TensorVariable
    control_cases: TensorVariable
    control_total: TensorVariable

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Where the ratio is likely to be, by the normal law of its logarithm.

        D. Katz and others, Obtaining confidence intervals for the risk ratio in cohort studies,
        1978. An end is NaN where there are no cases. Raises ValueError for a level that is not
        from 0 to 1.
        """
        if not 0 <= confidence_level <= 1:
            raise ValueError(f"confidence_level is from 0 to 1, not {confidence_level}{called()}")
        cases, total, of_control, all_control = (v.astype("float64") for v in self[1:])
        none, none_of_control = cases <= 0, of_control <= 0
        counts = where(none, 1.0, cases), where(none_of_control, 1.0, of_control)
        variance = 1 / counts[0] - 1 / total + 1 / counts[1] - 1 / all_control
        apart = ndtri((1 + confidence_level) / 2) * sqrt(variance)
        low, high = self.relative_risk * exp(-apart), self.relative_risk * exp(apart)
        neither: Any = none | none_of_control
        low = where(neither, where(none & ~none_of_control, 0.0, nan), low)
        high = where(neither, where(none_of_control & ~none, inf, nan), high)
        return ConfidenceInterval(low, high)


def relative_risk(
    exposed_cases: TensorLike,
    exposed_total: TensorLike,
    control_cases: TensorLike,
    control_total: TensorLike,
) -> RelativeRiskResult:
    """The share of cases among the exposed over that among others. They broadcast.

    See `scipy.stats.contingency.relative_risk`. Raises ValueError, at the call if it is not known
    before, for negative counts and for more cases than there are.

    >>> result = relative_risk(10, 75, 12, 225)
    >>> result.relative_risk.eval(), result.confidence_interval().low.eval().round(4)
    (array(2.5), np.float64(1.1262))
    """
    tensors = as_tensors((exposed_cases, exposed_total, control_cases, control_total))
    pairs = (tensors[:2], tensors[2:])
    checked = []
    for cases, total in pairs:
        fits = all((cases >= 0) & (total >= 1) & (cases <= total))
        message = "relative_risk: cases are from 0 to their total, which is 1 or more"
        checked += [check_and_raise(cases, fits, ValueError, message), total]
    share, other = (checked[k] / checked[k + 1] for k in (0, 2))
    nothing = other <= 0
    ratio = where(nothing, where(share > 0, inf, nan), share / where(nothing, 1.0, other))
    return RelativeRiskResult(ratio, *checked)
