"""The page of a trace in a real browser: every way to step, with nothing from outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from weft_graph import FunctionGraph, Rule, RuleBook, Trace, rewrite_graph, wildcard

pytestmark = pytest.mark.browser
Browse = Callable[..., dict[str, Any]]


def traced(depth: int, x: Any, y: Any, calc: Any) -> Trace:
    """The trace of twice as many steps as `depth`."""
    a = wildcard("a", calc.NumberVariable)
    book = RuleBook("algebra", [Rule(a * 1, a, name="a * 1 = a <one>"), Rule(a + 0, a)])
    total = x
    for _ in range(depth):
        total = (total * 1 + 0) * y
    with Trace() as trace:
        rewrite_graph(FunctionGraph([x, y], [total]), [book])
    return trace


def test_stepping(x: Any, y: Any, calc: Any, browse: Browse) -> None:
    found = browse(
        traced(4, x, y, calc).to_html(),
        """
        const seen = () => [document.getElementById("number").textContent,
          document.querySelector("nav .now").textContent, slider.value, location.hash].join(" | ");
        const press = (key) => document.dispatchEvent(
          new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
        found.start = seen();
        found.keys = ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "ArrowLeft", "End",
          "ArrowRight", "Home"].map((key) => { press(key); return slider.value; });
        found.buttons = ["next", "last", "previous", "first"].map((text) => {
          [...document.querySelectorAll("button")].find((b) => b.textContent === text).click();
          return slider.value; });
        slider.value = 5; slider.dispatchEvent(new Event("input"));
        found.slider = seen();
        document.querySelectorAll("nav a")[6].click();
        await new Promise((done) => setTimeout(done, 100));
        found.link = seen();
        found.title = document.querySelector("main h2").textContent;
        found.text = document.querySelector("main").textContent;
        """,
    )
    assert found["start"] == "1 | 1 a * 1 = a <one> | 1 | #1"
    assert found["keys"] == ["2", "3", "2", "1", "1", "8", "8", "1"]
    assert found["buttons"] == ["2", "8", "7", "1"]
    assert found["slider"] == "5 | 5 a * 1 = a <one> | 5 | #5"
    assert found["link"] == "7 | 7 a * 1 = a <one> | 7 | #7"
    assert found["title"] == "algebra: a * 1 = a <one>"
    assert "conftest.py" in found["text"]


def test_the_pictures_show_what_changes(x: Any, y: Any, calc: Any, browse: Browse) -> None:
    found = browse(
        traced(2, x, y, calc).to_html(),
        """
        const marked = (figure) => [...figure.querySelectorAll("rect")]
          .filter((r) => r.getAttribute("fill") === "#fde68a")
          .map((r) => r.parentElement.querySelector("text").textContent);
        show(2);
        found.captions = [...document.querySelectorAll("figcaption")].map((c) => c.textContent);
        found.marked = [...document.querySelectorAll("figure")].map(marked);
        found.boxes = [...document.querySelectorAll("figure")].map(
          (f) => f.querySelectorAll("rect").length);
        const sizes = [...document.querySelectorAll("svg")].map((s) => s.getBoundingClientRect());
        found.drawn = sizes.every((size) => size.width > 50 && size.height > 50);
        found.fits = document.documentElement.scrollWidth <= innerWidth;
        """,
    )
    assert found["captions"] == ["before", "after"]
    assert found["marked"] == [["Add"], ["x"]]
    assert found["boxes"][0] == found["boxes"][1] + 2
    assert found["drawn"]
    assert found["fits"]


def test_a_large_trace_shows_what_is_near(x: Any, y: Any, calc: Any, browse: Browse) -> None:
    found = browse(
        traced(1000, x, y, calc).to_html(),
        """
        for (let step = 1; step <= 100; step++) show(step);
        found.boxes = document.querySelectorAll("main rect").length;
        show(2000);
        found.last = document.querySelector("main").textContent;
        """,
    )
    assert 10 < found["boxes"] < 150
    assert "The first 250 steps have pictures" in found["last"]
    assert "Mul(…)" in found["last"]


def test_a_page_of_no_steps(x: Any, browse: Browse) -> None:
    with Trace() as trace:
        rewrite_graph(FunctionGraph([x], [x]), [RuleBook("none", [])])
    found = browse(trace.to_html(), "found.text = document.body.textContent;")
    assert "No rule applied." in found["text"]
