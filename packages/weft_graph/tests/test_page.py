"""The page with graphs, as a real browser shows it and as people use it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from weft_graph import FunctionGraph, OpFromGraph, Type, constant, to_html

Browse = Callable[..., dict[str, Any]]

pytestmark = pytest.mark.browser

TOOLS = """
const $ = (selector) => document.querySelector(selector);
const all = (selector) => [...document.querySelectorAll(selector)];
const label = (g) => g.querySelector("text").textContent;
const shown = () => all(".pane:not([hidden]) g.box:not([hidden])");
const labels = () => shown().map(label);
const box = (text) => shown().find((g) => label(g) === text);
const event = { bubbles: true, cancelable: true };
const click = (target, kind = "click") => target.dispatchEvent(new MouseEvent(kind, event));
const key = (target, name) => target.dispatchEvent(
  new KeyboardEvent("keydown", { key: name, ...event }));
const type = (text) => {
  $("#search").value = text;
  $("#search").dispatchEvent(new Event("input"));
};
const view = () => $(".pane:not([hidden]) svg").getAttribute("viewBox").split(" ").map(Number);
const place = (target) => {
  const rect = target.matches("g.box") ? target.querySelector("rect") : target;
  const { x, y, width, height } = rect.getBoundingClientRect();
  return { x, y, width, height };
};
const middle = (target) => {
  const { x, y, width, height } = place(target);
  return [x + width / 2, y + height / 2];
};
const chosen = () => ($(".selected") ? label($(".selected")) : null);
"""


@pytest.fixture
def page(x: Any, y: Any, calc: Any) -> str:
    """-(x*y) and (x*y)**2, added up, with a name on the product."""
    product = (x * y).named("product")
    return to_html(FunctionGraph([x, y], [-product + calc.Power(2)(product + 0.5)]))


def test_the_page_asks_for_nothing_from_elsewhere(page: str) -> None:
    without_namespace = page.replace('xmlns="http://www.w3.org/2000/svg"', "")
    addresses = re.findall(r"(?:https?:)?//[\w.]+", without_namespace)
    assert set(addresses) <= {"http://www.w3.org"}
    assert not re.search(r"<link|\bsrc=|@import|url\(", page)


def test_a_click_on_its_badge_folds_what_a_node_is_computed_from(page: str, browse: Browse) -> None:
    found = browse(
        page,
        TOOLS
        + """
        found.all = labels();
        const power = box("Power(exponent=2)");
        found.expanded = [power.getAttribute("aria-expanded")];
        const before = place(power).y;
        click(power.querySelector(".fold"));
        found.folded = labels();
        found.expanded.push(power.getAttribute("aria-expanded"));
        found.badge = power.querySelector(".fold text").textContent;
        found.moved = place(power).y - before;
        found.curves = $("path").getAttribute("d").match(/M/g).length;
        click(box("Neg"), "dblclick");
        found.nothing = labels();
        click($("#unfold"));
        found.again = labels();
        click(shown().at(-1), "dblclick");
        found.alone = labels();
        """,
    )
    everything = ["x", "y", "product = Mul", "Neg", "0.5", "Add", "Power(exponent=2)", "Add"]
    assert found["all"] == everything
    assert found["expanded"] == ["true", "false"]
    assert found["folded"] == [v for v in everything if v not in ("0.5",)][:4] + everything[6:]
    assert found["badge"] == "+2"
    assert abs(found["moved"]) < 1
    assert found["curves"] == 6  # one of five goes past a row
    assert found["nothing"] == ["Neg", "Power(exponent=2)", "Add"]
    assert found["again"] == everything
    assert found["alone"] == ["Add"]


def test_zooming_and_moving(page: str, browse: Browse) -> None:
    found = browse(
        page,
        TOOLS
        + """
        found.start = view();
        click($("#in")); found.near = view();
        click($("#out")); found.far = view();
        const svg = $("svg"), [clientX, clientY] = middle(box("Neg"));
        const point = { clientX, clientY, ...event };
        svg.dispatchEvent(new WheelEvent("wheel", { deltaY: -300, ...point }));
        found.wheel = view();
        const then = middle(box("Neg"));
        found.stays = [then[0] - clientX, then[1] - clientY];
        svg.dispatchEvent(new PointerEvent("pointerdown", { button: 0, ...point }));
        const there = { clientX: clientX + 60, clientY: clientY - 30 };
        window.dispatchEvent(new PointerEvent("pointermove", there));
        window.dispatchEvent(new PointerEvent("pointerup", {}));
        const after = middle(box("Neg"));
        found.dragged = [after[0] - then[0], after[1] - then[1]];
        click(box("Neg")); found.notAClick = chosen();
        key(document.body, "0"); found.fit = view();
        key(document.body, "+"); found.plus = view();
        key(document.body, "-"); found.minus = view();
        const frame = place($(".view"));
        found.within = shown().map(place).every((b) => b.x >= frame.x && b.y >= frame.y
          && b.x + b.width <= frame.x + frame.width && b.y + b.height <= frame.y + frame.height);
        """,
    )
    start = found["start"]
    assert found["near"][2] == pytest.approx(start[2] / 1.3, rel=1e-3)
    assert found["far"] == pytest.approx(start, rel=1e-3, abs=0.1)
    assert found["wheel"][2] < start[2] * 0.7
    assert found["stays"] == pytest.approx([0, 0], abs=1)
    assert found["dragged"] == pytest.approx([60, -30], abs=1)
    assert found["notAClick"] is None
    for again in (found["fit"], found["minus"]):
        assert again == pytest.approx(start, rel=1e-3, abs=0.1)
    assert found["plus"] == pytest.approx(found["near"], rel=1e-3, abs=0.1)
    assert found["within"]


def test_searching(page: str, browse: Browse) -> None:
    found = browse(
        page,
        TOOLS
        + """
        const state = () => [all(".match").map(label), $("#found").value, chosen()];
        type("add"); found.op = state();
        key($("#search"), "Enter"); found.next = state();
        key($("#search"), "Enter"); found.round = state();
        click($("#previous")); found.previous = state();
        type("= mul"); found.name = state();
        const [x, y] = middle(box("product = Mul")), centre = middle($(".view"));
        found.centred = [x - centre[0], y - centre[1]];
        type("exponent 2"); found.parameter = state();
        type("number Neg"); found.type = state();
        type("def page"); found.line = state();
        type("return mul()(self"); found.source = state();
        type("nowhere"); found.none = state();
        key($("#search"), "Escape"); found.cleared = state().slice(0, 2);
        click(shown().at(-1), "dblclick");
        type("= mul"); found.hidden = state();
        key(document.body, "/"); found.focused = document.activeElement.id;
        """,
    )
    assert found["op"] == [["Add", "Add"], "1 / 2", "Add"]
    assert found["next"][1] == "2 / 2"
    assert found["round"][1] == "1 / 2"
    assert found["previous"][1] == "2 / 2"
    assert found["name"] == [["product = Mul"], "1 / 1", "product = Mul"]
    assert found["centred"] == pytest.approx([0, 0], abs=2)
    assert found["parameter"][0] == ["Power(exponent=2)"]
    assert found["type"][0] == ["Neg"]
    assert found["line"] == [[], "none", "Neg"]
    assert found["source"][0] == ["product = Mul"]
    assert found["none"][:2] == [[], "none"]
    assert found["cleared"] == [[], ""]
    assert found["hidden"] == [["product = Mul"], "1 / 1", "product = Mul"]
    assert found["focused"] == "search"


def test_the_panel_tells_all_of_a_node(page: str, browse: Browse) -> None:
    found = browse(
        page,
        TOOLS
        + """
        found.closed = $("#details").hidden;
        click(box("Power(exponent=2)"));
        const text = (s) => [...$("#details").querySelectorAll(s)].map((e) => e.textContent);
        found.heading = text("h3"); found.type = text(".shown-type"); found.where = text(".where");
        found.here = text(".here"); found.lines = text("pre > span").length;
        found.about = text("dt").map((name, i) => [name, text("dd")[i]]);
        found.lists = text("ul button"); found.actions = text(".actions button");
        click($("#details ul button")); found.gone = [chosen(), text("h3")[0], text("ul button")];
        click($("#details .toggle")); found.folded = [labels(), text(".actions button")];
        click($("#details .close")); found.end = [$("#details").hidden, chosen()];
        """,
    )
    assert found["closed"] is True
    assert found["heading"] == ["Power(exponent=2)"]
    assert found["type"] == ["Number"]
    (where,) = found["where"]
    assert re.search(r"test_page\.py:\d+, in page$", where)
    (here,) = found["here"]
    assert "calc.Power(2)(product + 0.5)" in here
    assert found["lines"] == 5
    assert found["about"][0][0] == "Op"
    assert found["about"][0][1].endswith("conftest.Power")
    assert found["about"][1:] == [["exponent", "2"]]
    assert found["lists"] == ["Add", "Add"]
    assert found["actions"] == ["Fold inputs"]
    assert found["gone"] == ["Add", "Add", ["product = Mul", "0.5", "Power(exponent=2)"]]
    assert "0.5" not in found["folded"][0]
    assert found["folded"][1] == ["Unfold inputs"]
    assert found["end"] == [True, None]


def test_the_keyboard_reaches_everything(page: str, browse: Browse) -> None:
    found = browse(
        page,
        TOOLS
        + """
        const stops = document.querySelectorAll("g.box[tabindex='0']");
        found.stops = stops.length;
        stops[0].focus();
        const at = () => label(document.activeElement);
        const press = (name) => { key(document.activeElement, name); return at(); };
        const ways = ["Up", "Up", "Up", "Right", "Left", "Left", "Down"];
        found.way = [at(), ...ways.map((way) => press(`Arrow${way}`))];
        found.name = document.activeElement.getAttribute("aria-label");
        found.role = document.activeElement.getAttribute("role");
        press("Enter"); found.folded = labels();
        press(" "); found.unfolded = labels().length;
        key(document.activeElement, "Escape"); found.closed = $("#details").hidden;
        """,
    )
    assert found["stops"] == 1
    assert found["way"] == ["Add", "Neg", "product = Mul", "x", "y", "x", "x", "product = Mul"]
    assert found["name"] == "product = Mul : Number"
    assert found["role"] == "button"
    assert "x" not in found["folded"]
    assert found["unfolded"] == 8
    assert found["closed"] is True


def test_graphs_inside_ops_are_opened(x: Any, y: Any, browse: Browse) -> None:
    square = OpFromGraph([x], [x * x], name="square")
    fourth = OpFromGraph([x], [square(square(x))], name="fourth")
    page = to_html({"one": fourth(x), "two": fourth(y) + square(y)})
    assert page.count('<section class="pane" hidden>') == 2
    found = browse(
        page,
        TOOLS
        + """
        const titles = () => all(".pane:not([hidden]) h2").map((h) => h.lastChild.textContent);
        found.start = titles();
        click(box("fourth")); click($("#details .open"));
        found.inside = [titles(), labels()];
        const frame = place($(".pane:not([hidden]) .view")), g = place(box("i0"));
        found.drawn = g.x > frame.x && g.width > 20;
        box("square").focus(); key(document.activeElement, "o");
        found.deeper = [titles(), labels()];
        type("mul"); found.found = all(".match").map(label);
        click($(".pane:not([hidden]) .back")); found.up = titles();
        key(document.body, "Escape"); found.top = titles();
        """,
    )
    assert found["start"] == ["one: 1 operations", "two: 3 operations"]
    assert found["inside"] == [["inside fourth: 2 operations"], ["i0", "square", "square"]]
    assert found["drawn"] is True
    assert found["deeper"] == [["inside square: 1 operations"], ["i0", "Mul"]]
    assert found["found"] == ["Mul"]
    assert found["up"] == ["inside fourth: 2 operations"]
    assert found["top"] == found["start"]


def test_what_html_treats_specially_is_shown_as_it_is(browse: Browse) -> None:
    name = "</script><b>&amp;~STYLE~\u2028"
    page = to_html({"<i>": constant(Type(), name).named(name), "~DATA~": Type()(name)})
    found = browse(
        page,
        TOOLS
        + """
        click(shown()[1]);
        found.heading = $("#details h3").textContent;
        found.title = document.title; found.bold = document.querySelectorAll("b, i").length;
        """,
    )
    assert found == {"heading": name, "title": "<i> / ~DATA~", "bold": 0}


def test_empty_graphs_and_graphs_without_operations(x: Any, browse: Browse) -> None:
    for graph in (FunctionGraph([], []), FunctionGraph([x], []), x):
        found = browse(
            to_html(graph),
            TOOLS
            + """
            click($("#fit")); click($("#in")); type("x"); click($("#unfold"));
            found.labels = labels();
            """,
        )
        assert found["labels"] == (["x"] if graph is x else [])


def test_2_000_nodes_fold_and_are_found(x: Any, y: Any, browse: Browse) -> None:
    values = [x, y]
    for step in range(1000):
        values.append(values[-1] * values[step // 2] + values[-2])
    found = browse(
        to_html(values[-1]),
        TOOLS
        + """
        found.count = labels().length;
        const last = shown().at(-1);
        found.output = place(last).y > 0 && place(last).y < innerHeight;
        click(last.querySelector(".fold"));
        found.folded = labels().length;
        click(last.querySelector(".fold"));
        found.unfolded = labels().length;
        type("mul"); found.matches = $("#found").value;
        """,
    )
    assert found["count"] == found["unfolded"] == 2002
    assert found["output"] is True
    assert found["folded"] == 1
    assert found["matches"] == "1 / 1000"


def test_the_data_in_the_page_is_json(page: str) -> None:
    text = re.search(r'<script type="application/json" id="graphs">(.*?)</script>', page, re.DOTALL)
    assert text is not None
    data = json.loads(text[1])
    assert [box["kind"] for box in data["graphs"][0]["boxes"]].count("output") == 1
    assert all(place["lines"] for place in data["places"])
