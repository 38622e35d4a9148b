from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from weft_graph import FunctionGraph, Type, constant, to_dot, to_html, to_mermaid

BOX = re.compile(r'<rect x="(-?\d+)" y="(-?\d+)" width="(\d+)" height="(\d+)"')


def drawn(page: str) -> list[tuple[float, ...]]:
    return [tuple(map(float, match)) for match in BOX.findall(page)]


def svg_of(page: str) -> ElementTree.Element:
    return ElementTree.fromstring(page[page.index("<svg") : page.index("</svg>") + 6])


def test_names_and_what_they_name_are_one_box(x: Any, y: Any) -> None:
    mu = (x + y).named("sum").named("mu")
    assert [line.strip() for line in to_mermaid(-mu * mu).splitlines()[1:8]] == [
        'n0["x<br>Number"]:::input',
        'n1["y<br>Number"]:::input',
        'n2["mu = sum = Add<br>Number"]:::op',
        'n3["Neg<br>Number"]:::op',
        'n4["Mul<br>Number"]:::output',
        "n0 --> n2",
        "n1 --> n2",
    ]


def test_a_named_output_is_an_output(x: Any) -> None:
    assert 'n1["z = Neg<br>Number"]:::output' in to_mermaid((-x).named("z"))


def test_every_use_of_a_constant_has_its_own_box(x: Any) -> None:
    half = constant(x.type, 0.5)
    text = to_mermaid([(x + half) * half, half])
    assert text.count('["0.5"]:::constant') == 0
    assert text.count('["0.5<br>Number"]:::output') == 1
    assert to_mermaid((x + half) * half).count('["0.5"]:::constant') == 2
    assert to_mermaid(x + half.named("half")).count('["half = 0.5"]:::constant') == 1


def test_results_of_one_application(x: Any, calc: Any) -> None:
    text = to_dot(list(calc.SumAndProduct()(x, -x)))
    assert 'label="result 0\\nNumber"' in text
    assert 'label="result 1\\nNumber"' in text
    assert text.count('label="SumAndProduct\\n') == 1


def test_a_graph_is_cut_at_its_inputs(x: Any) -> None:
    middle = (-x).named("middle")
    text = to_mermaid(FunctionGraph([middle], [middle + middle]))
    assert '["middle<br>Number"]:::input' in text
    assert "Neg" not in text
    assert text.count("-->") == 2


def test_what_the_formats_treat_specially_is_escaped() -> None:
    v = Type()('<a> & "b" #c \\d')
    assert 'n0["#lt;a#gt; #amp; #quot;b#quot; #35;c \\d<br>Type"]' in to_mermaid(v)
    assert 'label="<a> & \\"b\\" #c \\\\d\\nType"' in to_dot(v)
    assert "&lt;a&gt; &amp; &quot;b&quot; #c" in to_html({"<t>": v})
    assert "<t>" not in to_html({"<t>": v})


def test_long_labels_are_cut_and_shown_when_hovered_over() -> None:
    page = to_html(Type()("x" * 100))
    assert f">{'x' * 35}…<" in page
    assert "x" * 100 in page


def test_a_page_says_where_nodes_were_made(x: Any, tmp_path: Path) -> None:
    negative = -x
    page = to_html({"before": negative, "after": x}, tmp_path / "graph.html")
    assert (tmp_path / "graph.html").read_text(encoding="utf-8") == page
    assert "before: 1 operations" in page
    titles = [e.text for e in svg_of(page).iter("{http://www.w3.org/2000/svg}title")]
    assert titles == [f"{v} : Number\nmade at {v.made_at}" for v in (x, negative)]


def test_data_flow_downwards_and_boxes_do_not_overlap(x: Any, y: Any) -> None:
    total = x
    for step in range(12):
        total = -total * y + (x if step % 3 else x * 2.0)
    boxes = drawn(to_html(total))
    assert len(boxes) == 2 + 12 * 3 + 2
    assert max(top for _, top, _, _ in boxes) > 36 * 70
    ordered = sorted(boxes, key=lambda box: (box[1] + box[3] / 2, box[0]))
    for left, right in pairwise(ordered):
        if left[1] + left[3] / 2 == right[1] + right[3] / 2:
            assert left[0] + left[2] < right[0]


def test_boxes_stand_where_what_they_use_does(x: Any) -> None:
    minus = -x
    boxes = drawn(to_html(-minus))
    assert len({left + width / 2 for left, _, width, _ in boxes}) <= 2
    assert len({top for _, top, _, _ in boxes}) == 3


@pytest.mark.parametrize("outputs", [[], None])
def test_graphs_without_operations(outputs: Any, x: Any) -> None:
    page = to_html(FunctionGraph([], outputs) if outputs == [] else x)
    assert "0 operations" in page
    svg_of(page)


def test_large_graphs_are_drawn_whole(x: Any, y: Any, few: Any) -> None:
    values = [x, y]
    count = len(few(range(1000), 200))
    for step in range(count):
        values.append(values[-1] * values[step // 2] + values[-2])
    page = to_html(values[-1])
    assert len(drawn(page)) == 2 * count + 2
