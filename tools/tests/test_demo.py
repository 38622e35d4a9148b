"""The demo runs from end to end, and notices backends that disagree."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft.tensor as wt
from tools.demo_model import log_posterior, measure

DEMO = Path(__file__).resolve().parents[1] / "demo.py"
COLUMNS = ("backend", "nodes", "before", "after", "build", "compile", "first", "second", "call")
ROW = re.compile(
    r"^ *(Python|Numba|JAX) +(\d+)/(\d+)((?: +\d+){3}) +([\d.]+) +(-[\d.]+) +([\d.]+)%"
)


class Page(HTMLParser):
    """Notes the elements of a page, and what it would load."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loads += [value or "" for name, value in attrs if name in {"src", "href"}]


@pytest.mark.cases(0)
def test_the_demo(tmp_path: Path) -> None:
    command = [sys.executable, str(DEMO), "--output", "pictures"]
    environ = os.environ | {"COLUMNS": "100"}
    done = subprocess.run(
        command, cwd=tmp_path, env=environ, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    head, _, tail = done.stdout.partition("on three backends")
    assert "log_posterior = add" in head
    assert "softplus" in head
    assert all(word in tail for word in COLUMNS)

    rows = [match for line in tail.splitlines() if (match := ROW.match(line))]
    assert [row[1] for row in rows] == ["Python", "Numba", "JAX"]
    assert all(int(row[3]) < int(row[2]) for row in rows)
    assert len({row[6] for row in rows}) == 1
    assert all(float(row[7]) > 93 for row in rows)

    assert str(Path("pictures", "fit.png")) in tail
    png = (tmp_path / "pictures" / "fit.png").read_bytes()
    assert png.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", png[16:24])
    assert width > height > 500
    assert len(png) > 30_000

    text = (tmp_path / "pictures" / "graph.html").read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    assert page.tags.count("svg") == 2
    assert not page.loads
    before, after = text.split("<h2>")[1:]
    assert before.startswith("As written: ")
    assert after.startswith("After rewriting: ")
    assert before.count("<rect") > after.count("<rect") > 30
    assert ">log</text>" in before
    assert ">log</text>" not in after
    assert "softplus" in after
    for part in (before, after):
        assert "log_posterior = " in part
        assert "demo_model.py" in part


@pytest.mark.cases(0)
def test_values_that_differ_end_the_demo() -> None:
    from tools.demo import check_values, load_data  # matplotlib and scikit-learn take long

    data = load_data()
    graph = log_posterior()
    right = wt.function(graph.inputs, graph.outputs, mode="py")
    check_values({"py": right, "jax": right}, data)

    def wrong(*args: Any) -> tuple[Any, ...]:
        value, *slopes = right(*args)
        return value * (1 + 1e-9), *slopes

    with pytest.raises(SystemExit, match=r"JAX's value differs from Python's by 1\.0e-09"):
        check_values({"py": right, "jax": wrong}, data)


@pytest.mark.cases(0)
def test_fits_that_differ_end_the_demo() -> None:
    from tools.demo import Fit, check_fits

    theta: Any = np.zeros(2)
    check_fits({"py": Fit(theta, -10.0, theta), "numba": Fit(theta, -10.0 - 1e-9, theta)})
    with pytest.raises(SystemExit, match=r"Numba fits to a log-posterior of -9\.9"):
        check_fits({"py": Fit(theta, -10.0, theta), "numba": Fit(theta, -9.9, theta)})


def test_compile_times_are_measured() -> None:
    assert measure("py", 20, 3).keys() == {"import", "build", "compile"}


@pytest.mark.cases(0)
def test_wilson_interval() -> None:
    from tools.demo_figures import wilson

    low, high = wilson(np.array([5.0, 0.0]), np.array([10.0, 10.0]))
    assert low.round(3).tolist() == [0.237, 0.0]
    assert high.round(3).tolist() == [0.763, 0.278]
