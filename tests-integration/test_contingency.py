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
