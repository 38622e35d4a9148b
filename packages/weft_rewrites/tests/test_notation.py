"""Names of rules: expressions written as formulas, with the brackets that they need."""

from __future__ import annotations

from typing import Any

import pytest

import weft_tensor as wt
from weft_rewrites.dsl.equation import equation, letter
from weft_rewrites.dsl.notation import written

x, y = letter("x"), letter("y")


@pytest.mark.parametrize(
    ("side", "expected"),
    [
        (x - (y - 1), "x - (y - 1)"),
        ((x - y) - 1, "x - y - 1"),
        (x / (y * 2), "x / (y * 2)"),
        ((x / y) * 2, "x / y * 2"),
        ((x + 1) * -y, "(x + 1) * -y"),
        (wt.neg(-x), "-(-x)"),
        ((-x) ** 2, "(-x) ** 2"),
        (-(x**2), "-x ** 2"),
        ((x**y) ** 2, "(x ** y) ** 2"),
        (x ** (y**2), "x ** y ** 2"),
        (wt.where(x > y + 1, wt.exp(-x), 0.5), "where(x > y + 1, exp(-x), 0.5)"),
        ((x > y) * 1, "(x > y) * 1"),
    ],
    ids=str,
)
def test_formulas(side: Any, expected: str) -> None:
    assert written(side) == expected


def test_a_rule_is_called_as_it_is_written() -> None:
    rule = equation(wt.log(x * y), wt.log(x) + wt.log(y), may_change="rounding, domain")
    assert rule.name == "log(x * y) = log(x) + log(y)"
    assert rule.may_change == {"rounding", "domain"}
    assert equation(wt.neg(-x), x, name="twice").name == "twice"
