"""Further estimates: lines by medians, cumulants, observations without the farthest, boxes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats
from against_scipy import Row, assert_as_on_python, assert_as_scipy, assert_slopes, of

import weft.tensor as wt

OURS: Any = wt.stats
THEIRS: Any = scipy.stats
RANDOM = np.random.default_rng(8)
X, Y = RANDOM.normal(size=13), RANDOM.normal(size=13)
ROWS_OF, WIDE = RANDOM.normal(size=(9, 3)), RANDOM.normal(size=(4, 5, 3))
STEPS = RANDOM.integers(0, 5, 13) * 1.0
PLACES = RANDOM.uniform(0, 1, 13)
WEIGHTS = RANDOM.uniform(0.5, 2, 13)
FAR = np.concatenate([X, [9.0, -30.0]])


def parts(name: str, *keys: str, **kwargs: Any) -> Callable[..., Any]:
    """Fields of a result that is no tuple in SciPy."""

    def call(m: Any, *arrays: Any) -> Any:
        result = getattr(m, name)(*arrays, **kwargs)
        return [getattr(result, key) for key in keys]

    return call


def in_order(name: str, *args: Any, **kwargs: Any) -> Callable[..., Any]:
    """SciPy leaves what is kept in any order."""

    def call(m: Any, x: Any) -> Any:
        result = getattr(m, name)(x, *args, **kwargs)
        return result if m is OURS else np.sort(result, kwargs.get("axis", 0))

    return call


def steps(m: Any, x: Any) -> Any:
    result = m.ecdf(x)
    values = [f for r in (result.cdf, result.sf) for f in (r.quantiles, r.probabilities)]
    return [*values, *(r.evaluate([-9.0, 1.0, 2.5, 9.0]) for r in (result.cdf, result.sf))]


def boxes(statistic: str, bins: Any = 3, **kwargs: Any) -> Callable[..., Any]:
    def call(m: Any, x: Any, y: Any, values: Any) -> Any:
        result = m.binned_statistic_2d(x, y, values, statistic, bins, **kwargs)
        lists = m.binned_statistic_2d(x, y, [values, -values], statistic, bins, **kwargs)
        return [*result, lists.statistic]

    return call


def boxes_of_three(m: Any, x: Any, y: Any, values: Any) -> Any:
    edges = [np.linspace(0, 1, 3), 2, 2]
    spaces = [x, y, x + y] if m is OURS else np.stack([x, y, x + y], 1)
    result = m.binned_statistic_dd(spaces, values, "mean", edges)
    return [result.statistic, *result.bin_edges, result.binnumber]


POINTS = [[PLACES, X, Y], [np.round(PLACES, 1), STEPS, Y]]
SCORES = [[STEPS, np.array([1.0, 2.5])], [STEPS, np.array(4.0)]]
Y2, X2 = RANDOM.normal(size=(3, 9)), np.round(RANDOM.normal(size=(3, 9)), 1)
HOLED = np.where(np.arange(9) == 4, np.nan, Y2[::-1])
HOLED[0] = Y2[0]
UNTIED = X2 + 0.03 * np.sin(np.arange(27.0)).reshape(3, 9)
"""Where slopes have derivatives: where places are equal, the medians jump."""
ROWS = {
    "theilslopes": Row(of("theilslopes"), [[Y, X], [Y], [STEPS, np.sort(STEPS)]]),
    "theilslopes, joint": Row(of("theilslopes", alpha=0.1, method="joint"), [[Y, X]]),
    "siegelslopes": Row(of("siegelslopes"), [[Y, X], [Y], [STEPS, np.sort(STEPS)]]),
    "siegelslopes, separate": Row(of("siegelslopes", method="separate"), [[Y, X]]),
    **{f"{name} of {k}": Row(
           of(name, axis=k, keepdims=k == 1), [[Y2, UNTIED], [Y2, X2], [HOLED, X2]])
       for name in ("theilslopes", "siegelslopes") for k in (0, 1)},
    "theilslopes of few": Row(of("theilslopes"), [[Y[:2], X[:2]], [Y[:3]], [Y[:4], X[:4]]]),
    "theilslopes of rows": Row(of("theilslopes", axis=-1, method="joint"), [[Y2]]),
    "siegelslopes of rows": Row(of("siegelslopes", axis=-1, method="separate"), [[Y2]]),
    **{f"kstat, {n}": Row(of("kstat", n), [[X], [STEPS], [X.astype("float32")]])
       for n in (1, 2, 3, 4)},
    "kstat of columns": Row(of("kstat", 4, axis=0), [[ROWS_OF]]),
    **{f"kstatvar, {n}": Row(of("kstatvar", n), [[X], [STEPS]]) for n in (1, 2)},
    "lmoment": Row(of("lmoment"), [[X], [ROWS_OF], [X.astype("float32")]]),
    "lmoment of an order": Row(of("lmoment", 3, axis=1), [[ROWS_OF.T]]),
    "lmoment, not standardized": Row(of("lmoment", (2, 5, 1), standardize=False), [[X]]),
    **{f"expectile, {k}": Row(of("expectile", k), [[X], [STEPS]]) for k in (0.5, 0.1, 0.95)},
    "expectile, weighted": Row(lambda m, x, w: m.expectile(x, 0.3, weights=w), [[X, WEIGHTS]]),
    "directional_stats": Row(
        parts("directional_stats", "mean_direction", "mean_resultant_length"), [[ROWS_OF], [WIDE]]),
    "directional_stats along": Row(
        parts("directional_stats", "mean_direction", "mean_resultant_length", axis=1,
              normalize=False), [[WIDE]]),
    "sigmaclip": Row(of("sigmaclip", 2.0, 2.5), [[FAR], [X]]),
    "trimboth": Row(in_order("trimboth", 0.2), [[X], [ROWS_OF]]),
    "trimboth along": Row(in_order("trimboth", 0.25, axis=1), [[ROWS_OF.T]]),
    **{f"trim1, {tail}": Row(in_order("trim1", 0.3, tail), [[X], [ROWS_OF]])
       for tail in ("left", "right")},
    **{f"scoreatpercentile, {k}": Row(
        of("scoreatpercentile", [10, 55.0], (), k), [[X]])
       for k in ("fraction", "lower", "higher")},
    "scoreatpercentile within": Row(of("scoreatpercentile", 30, (-1, 1)), [[X]]),
    "scoreatpercentile along": Row(of("scoreatpercentile", 30, axis=0), [[ROWS_OF]]),
    **{f"percentileofscore, {k}": Row(of("percentileofscore", kind=k), SCORES, False)
       for k in ("rank", "weak", "strict", "mean")},
    "cumfreq": Row(of("cumfreq", 4), [[X], [STEPS]], False),
    "relfreq": Row(of("relfreq", 4, (-1.0, 1.0)), [[X], [STEPS]], False),
    "relfreq, weighted": Row(lambda m, x, w: m.relfreq(x, 5, None, w), [[X, WEIGHTS]], False),
    "ecdf": Row(steps, [[X], [STEPS]], False),
    **{f"boxes, {k}": Row(boxes(k), POINTS, k == "sum")
       for k in ("mean", "std", "count", "sum", "min", "max")},
    "boxes, expanded": Row(boxes("sum", [2, 4], expand_binnumbers=True), POINTS),
    "boxes within": Row(boxes("sum", range=[[0.2, 0.8], [-1, 2]]), POINTS),
    "boxes of three": Row(boxes_of_three, POINTS, False),
}  # fmt: skip


def fields(m: Any, call: Any, arrays: Any) -> Any:
    result = call(m, *arrays)
    is_plain = m is OURS or isinstance(result, (tuple, list, np.ndarray, np.number, float))
    return result if is_plain else [*result]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.cases(20)
@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    for arrays in ROWS[name].arrays:
        assert_as_scipy(OURS, THEIRS, lambda m, *a: fields(m, ROWS[name].call, a), arrays)


@pytest.mark.cases(10)
@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.has_slopes])
def test_derivatives(name: str) -> None:
    assert_slopes(OURS, ROWS[name])


@pytest.mark.cases("numba")
@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_backends(mode: str, few: Any) -> None:
    names = [
        "siegelslopes",
        "lmoment",
        "expectile, 0.1",
        "sigmaclip",
        "trimboth",
        "cumfreq",
        "ecdf",
    ]

    def everything(m: Any, x: Any, y: Any, places: Any) -> Any:
        alone = [ROWS[name].call(m, x) for name in few(names, 3)]
        return [*alone, m.theilslopes(x, places), ROWS["boxes, mean"].call(m, places, x, y)]

    assert_as_on_python(OURS, Row(everything, [[X, Y, PLACES]], False), mode)


ERRORS: dict[str, Callable[[Any], Any]] = {
    "theilslopes: method is": lambda x: OURS.theilslopes(x, method="best"),
    "siegelslopes: method is": lambda x: OURS.siegelslopes(x, method="best"),
    "kstat: n is": lambda x: OURS.kstat(x, 5),
    "kstatvar: n is": lambda x: OURS.kstatvar(x, 3),
    "lmoment: order is": lambda x: OURS.lmoment(x, 0),
    "leaves nothing": lambda x: OURS.trimboth(x, 0.6),
    "trim1: tail is": lambda x: OURS.trim1(x, 0.1, "both"),
    "interpolation_method is": lambda x: OURS.scoreatpercentile(x, 10, (), "linear"),
    "percentileofscore: kind is": lambda x: OURS.percentileofscore(x, 1.0, "any"),
    "takes two axes": lambda x: OURS.directional_stats(x),
    "binned_statistic_dd: statistic is": lambda x: OURS.binned_statistic_2d(x, x, x, "any"),
    "known number of columns": lambda x: OURS.binned_statistic_dd(x, x),
    "expectile: alpha is from 0 to 1": lambda x: OURS.expectile(x, 1.1),
    "bayes_mvs: alpha is above 0": lambda x: OURS.bayes_mvs(x, 1.0),
    "ecdf takes a vector": lambda x: OURS.ecdf(x.expand_dims(0)),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message](wt.vector("x"))
