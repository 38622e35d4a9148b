"""The example of a library on weft-graph keeps its promises."""

from __future__ import annotations

import doctest
import importlib.util
import sys
from collections.abc import Iterator
from decimal import Decimal, localcontext
from math import cos, pi
from pathlib import Path
from typing import Any

import pytest

from weft_graph import Mode, function, grad

PATH = Path(__file__).parent.parent / "docs" / "examples" / "intervals.py"


@pytest.fixture(scope="module")
def lib() -> Iterator[Any]:
    spec = importlib.util.spec_from_file_location("intervals", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["intervals"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["intervals"]


def test_its_docstrings(lib: Any) -> None:
    failed, attempted = doctest.testmod(lib)
    assert (failed, attempted > 3) == (0, True)


def test_bounds_hold_for_every_number_inside(lib: Any) -> None:
    x = lib.interval("x")
    y = 3 * x**3 - x * x + 2 * x - 1
    bounds = function([x], [y, grad(y, x)], mode="py")((-0.3, 0.7))
    for i in range(101):
        v = -0.3 + i / 100
        assert bounds[0].low <= 3 * v**3 - v * v + 2 * v - 1 <= bounds[0].high
        assert bounds[1].low <= 9 * v**2 - 2 * v + 2 <= bounds[1].high


def test_rules_tighten_the_bounds(lib: Any) -> None:
    x = lib.interval("x")
    loose, tight = (
        function([x], x * x + (x - x), mode=Mode("py", books=books))((-1, 1))
        for books in ([], [lib.TIGHT])
    )
    assert (round(loose.low), round(loose.high)) == (-3, 3)
    assert tight.low == 0
    assert round(tight.high, 9) == 1


def test_every_root_is_found_once(lib: Any) -> None:
    x = lib.interval("x")
    found = lib.roots(x**3 - 3 * x + 1, x, (-10, 10))
    expected = sorted(2 * cos(2 * pi * k / 9) for k in (1, 2, 4))
    assert [round(sum(root) / 2, 12) for root in found] == [round(r, 12) for r in expected]
    assert all(root.high - root.low < 1e-14 for root in found)
    assert lib.roots(x**2 + 1, x, (-10, 10)) == []


def test_what_can_not_be_proved_is_said(lib: Any) -> None:
    x = lib.interval("x")
    with pytest.raises(ArithmeticError, match="can't tell how many zeros there are in"):
        lib.roots(x**2, x, (-1, 2))
    with pytest.raises(ArithmeticError, match="can't tell whether there is a zero in"):
        lib.roots(x - 2, x, (1, 2))


def test_decimals_enclose_more_tightly(lib: Any) -> None:
    x = lib.interval("x")
    (root,) = lib.roots(x**2 - 2, x, (0, 10), digits=60)
    assert 0 < root.high - root.low < Decimal(10) ** -57
    with localcontext(prec=200):
        assert root.low**2 < 2 < root.high**2
    y = 0.1 * x
    exact = function([x], y, mode=Mode(lib.DecimalLinker(70), books=[]))(1)
    assert exact.low < Decimal.from_float(0.1) < exact.high
    with pytest.raises(ValueError, match="can't end before it begins"):
        function([x], y, mode=lib.DecimalLinker(9))((2, 1))


def test_values_are_checked(lib: Any) -> None:
    x = lib.interval("x")
    same = function([x], x, mode="py")
    assert same(2) == (2.0, 2.0)
    with pytest.raises(ValueError, match=r"input <x : IntervalType>.*can't end before it begins"):
        same((2, 1))
