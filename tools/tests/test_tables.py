"""Formulas are as right, and expressions as short, as the pages say."""

from __future__ import annotations

import warnings
from typing import Final

import numpy as np
import pytest

import weft.tensor as wt
from tools.tables import draws
from tools.tables.accuracy import RIGHT, errors, truth
from tools.tables.formulas import FORMULAS, Formula
from tools.tables.peers import results
from tools.tables.remains import BLOCKS, left, left_of_models
from tools.tables.structure import PAGE, result
from tools.tables.structures import NOTES
from weft_tensor.stats import Continuous

WRONG: Final = {
    "1 - tanh(x)**2": "value",
    "exp(-x**2/2)/erfc(x/sqrt(2))": "second",
    "log((1 + x**2/5)**(-3))": "value gradient",
    "log(1 + x**2)": "value gradient",
    "log(1/(pi*(1 + x**2)))": "value gradient",
    "sqrt(x**2 + y**2) - y": "gradient",
    "x/tanh(x)": "second",
    "1/(1 + x) - 1/(1 - x)": "second",
    "((x**y + 1)/2)**(1/y)": "value gradient",
    "log(x**2 + y**2)/2": "value gradient",
}
"""What is not right yet."""


@pytest.mark.cases(8)
@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: formula.text)
def test_formulas_are_right_with_their_derivatives(formula: Formula) -> None:
    few = formula._replace(points=formula.points[:: 1 + len(formula.points) // 24])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = errors(few, truth(few), results("weft", few))._asdict()
    for what in WRONG.get(formula.text, "").split():
        del found[what]
    assert all(np.isnan(e) or e <= RIGHT for e in found.values()), found


def test_the_page_says_what_is_left() -> None:
    rows = [line.split(" | ")[:3] for line in PAGE.read_text(encoding="utf-8").splitlines()]
    written = {row[0].strip("| `"): row[1:] for row in rows if len(row) == 3}
    for text, (ops, weight, *_) in left("weft").items():
        assert written[text] == [" ".join(ops), f"{weight:g}"], text


def test_more_is_left_than_elsewhere_only_where_less_is_wrong() -> None:
    rows = [line.split("|") for line in PAGE.read_text(encoding="utf-8").splitlines()]
    weights = {r[1].strip(" `"): (r[3], r[5]) for r in rows if len(r) == 7 and "`" in r[1]}
    assert len(weights) > 80
    more = [text for text, (own, other) in weights.items() if float(own) > float(other)]
    assert more == list(NOTES)
    less = [text for text, (own, other) in weights.items() if float(own) < float(other)]
    assert 3 * len(less) >= len(weights)
    for text, note in NOTES.items():
        assert result(text, note) != result(note.shorter, note)


@pytest.mark.parametrize(
    ("name", "parameters", "most"),
    [("laplace", (), 2), ("gumbel_r", (), 12), ("pareto", (0.5,), 2), ("vonmises", (40.0,), 9)],
)
@pytest.mark.cases(1)
def test_draws_differ_as_little_as_the_page_says(
    name: str, parameters: tuple[float, ...], most: float
) -> None:
    assert draws.measured(name, parameters, 3_000).largest <= most


def test_the_page_has_all_distributions_that_are_drawn() -> None:
    text = draws.PAGE.read_text(encoding="utf-8")
    families = [n for n in wt.stats.__all__ if isinstance(getattr(wt.stats, n), Continuous)]
    assert not [n for n in families if text.count(f"| `{n}` |") != len(draws.SETS.get(n, ((),)))]


def test_the_page_says_what_is_left_of_models() -> None:
    rows = [line.split("|") for line in PAGE.read_text(encoding="utf-8").splitlines()]
    models = [r[1:5] for r in rows if len(r) == 6 and " blocks " in r[1]]
    written = {name.split(",")[0].strip(): rest for name, *rest in models}
    assert written.keys() == BLOCKS.keys()
    for name, own in left_of_models("weft").items():
        ours, theirs, weights = written[name]
        assert ours.strip() == f"{own.joined} Ops, {own.steps} of two"
        low, high = map(float, weights.split(" and "))
        assert round(own.weight) == low <= high
        for count, other in zip((own.joined, own.steps), theirs.split(", "), strict=True):
            assert count <= int(other.split()[0])
