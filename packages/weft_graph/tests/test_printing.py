from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

from weft_graph import (
    Constant,
    FunctionGraph,
    Mode,
    OpFromGraph,
    Rule,
    RuleBook,
    diff,
    dprint,
    function,
    large_constants,
    to_dot,
    to_html,
    to_mermaid,
    to_text,
    wildcard,
)
from weft_graph.text.dprint import text_of

TOOLS: list[Callable[[Any], Any]] = [
    text_of,
    to_dot,
    to_html,
    to_mermaid,
    to_text,
    large_constants,
    lambda graph: diff(graph, FunctionGraph()),
    lambda graph: to_html({"one": graph}),
]


@pytest.mark.parametrize("tool", TOOLS)
def test_each_tool_takes_a_compiled_function_and_shows_what_it_computes(
    tool: Callable[[Any], Any], x: Any, y: Any, calc: Any
) -> None:
    a = wildcard("a", calc.NumberVariable)
    book = RuleBook("book", [Rule(calc.Neg()(calc.Neg()(a)), a, name="neg neg")])
    f = function([x, y], {"sum": calc.Neg()(-x) + y * 2.0}, mode=Mode("py", books=[book]))
    assert f.graph.outputs == (x + y * 2.0,)
    assert tool(f) == tool(f.graph)
    assert tool(OpFromGraph([x], [-x])) == tool(OpFromGraph([x], [-x]).graph)


@pytest.mark.parametrize("tool", TOOLS)
def test_what_has_no_graph_is_refused_with_what_has_one(tool: Callable[[Any], Any]) -> None:
    for wrong in (3, Constant, None):
        with pytest.raises(TypeError, match=r"has no graph: give a variable, several"):
            tool(wrong)


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


def test_how_much_is_shown(x: Any, y: Any) -> None:
    mu = (x * y).named("mu")
    total = -mu + mu
    assert dprint(total, "str", depth=0) == "Add [a]\n └─ ..."
    assert dprint(total, "str", depth=1, print_id=False) == (
        "Add\n ├─ Neg\n │   └─ ...\n └─ mu = Mul\n     └─ ..."
    )
    assert dprint([total, mu], "str", stop_on_name=True) == (
        "Add [a]\n ├─ Neg [b]\n │   └─ mu = Mul [c]\n └─ mu = Mul [c]\nmu = Mul [c]"
    )


def test_what_was_cut_off_is_shown_where_there_is_room(x: Any) -> None:
    minus = -x
    assert dprint([-minus, minus], "str", depth=1) == (
        "Neg [a]\n └─ Neg [b]\n     └─ ...\nNeg [b]\n └─ x [c]"
    )


def test_a_graph_is_cut_at_its_inputs(x: Any) -> None:
    middle = (-x).named("middle")
    assert dprint(FunctionGraph([middle], [-middle]), "str") == "Neg [a]\n └─ middle [b]"


def test_graphs_inside_ops_follow_once_each(x: Any, y: Any) -> None:
    square = OpFromGraph([x], [x * x], name="square")
    fourth = OpFromGraph([x], [square(square(x))], name="fourth")
    assert dprint([fourth(x), fourth(y)], "str") == (
        "fourth [a]\n"
        " └─ x [b]\n"
        "fourth [c]\n"
        " └─ y [d]\n"
        "\n"
        "inside fourth:\n"
        "square [e]\n"
        " └─ square [f]\n"
        "     └─ i0 [g]\n"
        "\n"
        "inside square:\n"
        "Mul [h]\n"
        " ├─ i0 [g]\n"
        " └─ i0 [g]"
    )
