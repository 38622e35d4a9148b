from __future__ import annotations

import io
from typing import Any

import pytest

from weft_graph import FunctionGraph, dprint
from weft_graph.printing import text_of


def test_a_tree(x: Any, y: Any, calc: Any, capsys: pytest.CaptureFixture[str]) -> None:
    mu = (x * 2.0).named("mu")
    dprint([calc.Power(2)(mu + y) * mu, -y])
    assert capsys.readouterr().out == (
        "Mul [a]\n"
        " ├─ Power(exponent=2) [b]\n"
        " │   └─ Add [c]\n"
        " │       ├─ mu = Mul [d]\n"
        " │       │   ├─ x [e]\n"
        " │       │   └─ 2.0 [f]\n"
        " │       └─ y [g]\n"
        " └─ mu = Mul [d] (shown above)\n"
        "Neg [h]\n"
        " └─ y [g]\n"
    )


def test_several_results(x: Any, calc: Any) -> None:
    total, product = calc.SumAndProduct()(x, x)
    assert text_of([total, product]) == (
        "result 0 of [a]\n"
        " └─ SumAndProduct [b]\n"
        "     ├─ x [c]\n"
        "     └─ x [c]\n"
        "result 1 of [d]\n"
        " └─ SumAndProduct [b] (shown above)"
    )


def test_types_and_files(x: Any) -> None:
    file = io.StringIO()
    dprint(FunctionGraph([x], [-x]), file, print_type=True)
    assert file.getvalue() == "Neg [a] : Number\n └─ x [b] : Number\n"


def test_the_indentation_of_deep_graphs_starts_anew(x: Any) -> None:
    v = x
    for _ in range(100):
        v = -v
    lines = text_of(v).splitlines()
    assert len(lines) == 101
    assert max(map(len, lines)) < 200
    assert lines[41].startswith("(40)  └─ Neg")
    assert lines[81].startswith("(80)  └─ Neg")
    assert lines[100].endswith("└─ x [cw]")
