"""What notebooks show of variables, graphs and compiled functions."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from weft_graph import FunctionGraph, Mode, Type, constant, function


def part(shown: Any) -> ElementTree.Element:
    """The page's part, which is well formed and asks for nothing from elsewhere."""
    html: str = shown._repr_html_()
    assert "http" not in html.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not {"<script", "<style", "<img", "<link"} & set(html.split())
    return ElementTree.fromstring(html.replace("<br>", "<br/>"))


def texts(shown: Any) -> list[str]:
    return [e.text for e in part(shown).iter() if e.text and e.text.strip()]


def picture(shown: Any) -> list[str]:
    """What is written in the boxes."""
    svg = "{http://www.w3.org/2000/svg}"
    return [e.text or "" for e in part(shown).iter(f"{svg}text") if e.get("class") != "type"]


def test_a_variable_shows_the_picture_of_its_expression(x: Any, y: Any) -> None:
    mu = (x * 2.0).named("mu") + y
    assert picture(mu) == ["x", "2.0", "mu = Mul", "y", "Add"]
    assert texts(mu)[0] == "Add : Number"
    assert picture(x) == ["x"]
    assert texts(constant(Type(), "plain"))[0] == "'plain' : Type"


def test_a_function_and_a_graph_show_what_is_computed(x: Any, y: Any) -> None:
    f = function([x, y], {"a": x + y, "b": -x}, mode=Mode("py", books=[]))
    assert texts(f)[0] == "<Function (x: Number, y: Number), 2 nodes, mode py>"
    assert picture(f) == picture(f.graph) == picture(FunctionGraph([x, y], [x + y, -x]))


@pytest.mark.cases(0)
def test_a_large_graph_is_a_table_of_bounded_size(x: Any, y: Any) -> None:
    v = x
    for _ in range(50_000):
        v = -v + y
    for shown in (v, function([x, y], [v, -v], mode=Mode("py", books=[]))):
        found = texts(shown)
        assert found[found.index("graph inputs") + 1] == "x : Number, y : Number"
        assert {"Op", "its inputs", "Add"} <= set(found)
        assert "50000 Add" in found[-1]
        assert len(shown._repr_html_()) < 3000
    assert "100000 operations" in texts(v)


def test_many_inputs_results_and_long_texts_are_cut(calc: Any) -> None:
    inputs = [calc.Number()(f"input{k}") for k in range(2000)]
    total = sum(inputs[1:], inputs[0])
    f = function(inputs, [total * k for k in range(1000)], mode=Mode("py", books=[]))
    for shown in (total, f, f.graph, constant(Type(), "much " * 100_000)):
        assert len(shown._repr_html_()) < 6000
    assert "992 more" in texts(f)


@pytest.mark.parametrize(
    "name", ["a<b>&\"c'", "</code><script>alert(1)</script>", "]]>", "é \u2028"]
)
def test_every_text_is_escaped(name: str, calc: Any) -> None:
    x = calc.Number()(name)
    small, large = -x, x
    for _ in range(100):
        large = (-large).named(name)
    for shown in (x, small, large, function({name: x}, [small, large], mode="py")):
        assert any(name in text for text in texts(shown))
