"""Tables of counts, on all backends, beside SciPy's."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
import scipy.stats
from against_scipy import Row, assert_as_on_python, assert_as_scipy, assert_slopes, compiled_mode

import weft.tensor as wt

OURS: Any = wt.stats.contingency
TABLE: Final = np.array([[100, 150, 3], [203, 322, 20], [420, 700, 5], [320, 210, 9]])
CUBE: Final = np.arange(1, 25).reshape(2, 3, 4)
CASES: Final = np.array([10, 0, 4, 0, 75])

ROWS: Final = {
    "margins": Row(lambda m, x: m.margins(x), [[TABLE], [CUBE], [TABLE[0]], [TABLE * 0.5]]),
    "expected_freq": Row(lambda m, x: m.expected_freq(x), [[TABLE], [CUBE], [TABLE[0]]]),
    "association": Row(
        lambda m, x: [
            *(m.association(x, k) for k in ("cramer", "tschuprow", "pearson")),
            m.association(x, correction=True), m.association(x, lambda_="log-likelihood"),
        ],
        [[TABLE], [TABLE.T.copy()], [TABLE[:2, :2].copy()]],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_values_are_scipys(name: str) -> None:
    for arrays in ROWS[name].arrays:
        assert_as_scipy(OURS, scipy.stats.contingency, ROWS[name].call, arrays)


@pytest.mark.parametrize("k", range(len(ROWS)))
def test_backends_agree(k: int) -> None:
    row = list(ROWS.values())[k]
    floating = row._replace(arrays=[[x * 1.0 for x in arrays] for arrays in row.arrays])
    assert_as_on_python(OURS, floating, compiled_mode(k))
    assert_slopes(OURS, floating)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_risks(mode: str) -> None:
    a, b = wt.lvector("a"), wt.lvector("b")
    result = OURS.relative_risk(a, 75, b, 225)
    outputs = [
        result.relative_risk,
        *result.confidence_interval(),
        *result.confidence_interval(0.5),
    ]
    f = wt.function([a, b], outputs, mode=mode)
    others = np.array([12, 3, 0, 0, 225])
    found = np.transpose(f(CASES, others))
    for row, case, other in zip(found, CASES, others, strict=True):
        one = scipy.stats.contingency.relative_risk(case, 75, other, 225)
        expected = [one.relative_risk, *one.confidence_interval(), *one.confidence_interval(0.5)]
        np.testing.assert_allclose(row, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("message", "wrong"),
    [
        ("method is one of", lambda: OURS.association(TABLE, "phi")),
        ("takes a matrix of counts", lambda: OURS.association(CUBE)),
        ("from 0 to their total", lambda: OURS.relative_risk(5, 4, 1, 2).relative_risk.eval()),
        ("is from 0 to 1", lambda: OURS.relative_risk(1, 4, 1, 2).confidence_interval(95)),
    ],
)
def test_bad_input(message: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=message):
        wrong()


SQUARES: Final = [
    [[7, 15], [58, 472]], [[2, 3], [1, 6]], [[0, 5], [3, 4]], [[5, 0], [3, 4]], [[5, 3], [0, 4]],
    [[3, 4], [2, 0]], [[0, 0], [3, 4]], [[0, 5], [0, 4]], [[120, 900], [830, 2000]],
]  # fmt: skip


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("kind", ["conditional", "sample"])
@pytest.mark.parametrize("side", ["two-sided", "less", "greater"])
@pytest.mark.cases(1)
def test_ratios_of_odds(kind: Any, side: str, mode: str) -> None:
    table = wt.lmatrix("table")
    result = OURS.odds_ratio(table, kind=kind)
    ends = [*result.confidence_interval(alternative=side), *result.confidence_interval(0.8)]
    f = wt.function([table], [result.statistic, *ends], mode=mode)
    for counts in SQUARES[:: 1 if mode != "jax" else 4]:  # JAX compiles for each length
        expected = scipy.stats.contingency.odds_ratio(counts, kind=kind)
        with np.errstate(all="ignore"):
            intervals = (
                expected.confidence_interval(alternative=side), expected.confidence_interval(0.8)
            )  # fmt: skip
            found = f(np.array(counts))
        theirs = [expected.statistic, *intervals[0], *intervals[1]]
        np.testing.assert_allclose(found, theirs, rtol=1e-9, atol=1e-12, err_msg=str(counts))


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_tables_of_levels(mode: str) -> None:
    texts, numbers, more = list("abacabb"), np.array([1, 2, 1, 3, 3, 1, 2]), np.arange(7) % 2
    theirs = scipy.stats.contingency.crosstab
    x, y = wt.lvector("x"), wt.lvector("y")
    tables: list[tuple[Any, Any]] = [
        (OURS.crosstab(texts, x, levels=(None, [1, 3])),
         theirs(texts, numbers, levels=(None, [1, 3]))),
        (OURS.crosstab(texts, numbers), theirs(texts, numbers)),
        (OURS.crosstab(x, levels=([3, 2, 5],)), theirs(numbers, levels=([3, 2, 5],))),
        (OURS.crosstab(x, texts, y, levels=([1, 2, 3], ["b", "c"], [0, 1])),
         theirs(numbers, texts, more, levels=([1, 2, 3], ["b", "c"], [0, 1]))),
    ]  # fmt: skip
    found = wt.function([x, y], [ours.count for ours, _ in tables], mode=mode)(numbers, more)
    for value, (ours, expected) in zip(found, tables, strict=True):
        np.testing.assert_array_equal(value, expected.count)
        assert [list(v) for v in ours.elements] == [list(v) for v in expected.elements]
    (levels, others), count = OURS.crosstab(x, y)
    expected = theirs(numbers, more)
    found = wt.function([x, y], [levels, others, count], mode=mode)(numbers, more)
    for value, wanted in zip(found, [*expected.elements, expected.count], strict=True):
        np.testing.assert_array_equal(value, wanted)
    empty = wt.function([x], OURS.crosstab(x, levels=([1, 2],)).count, mode=mode)
    assert empty(np.zeros(0, int)).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("message", "wrong"),
    [
        ("kind is one of", lambda: OURS.odds_ratio([[1, 2], [3, 4]], kind="both")),
        ("two by two integers", lambda: OURS.odds_ratio([[1.0, 2.0], [3.0, 4.0]])),
        ("can't be negative", lambda: OURS.odds_ratio([[1, -2], [3, 4]]).statistic.eval()),
        ("takes vectors", lambda: OURS.crosstab(wt.matrix("x"))),
        ("levels are for 1 sequences", lambda: OURS.crosstab([1], [2], levels=[None])),
        ("write sparse=False", lambda: OURS.crosstab([1], [2], sparse=True)),
        ("takes vectors", lambda: OURS.crosstab([[1]])),
    ],
)
def test_bad_tables(message: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=message):
        wrong()
