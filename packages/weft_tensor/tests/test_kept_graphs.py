"""What Python's linker keeps on disk: rewritten graphs."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Function, Trace, function, grad
from weft_graph.extend import disk_cache

pytestmark = pytest.mark.usefixtures("cache_folder")

LOSS = """
y = x
for k in range(10):
    y = wt.exp(y * (k + 1.5) * 1e-3) + wt.sin(y) / (k + 2) * scale
cost = (y[place] * wt.constant(weights)).sum()
f = function([x, place], [cost, grad(cost, x)], mode="py")
"""
LOOP = """
def step(k, y):
    return wt.tanh(y * 1.5) + table[k + place]
y = wt.loop.fori_loop(0, 3, step, x[0])
for k in range(10):
    y = wt.exp(y * (k + 1.5) * 1e-3) + wt.sin(y) / (k + 2)
f = function([x, table, place], [y, grad(y, x)], mode="py")
"""


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where graphs are kept by this test alone, however soon they are rewritten."""
    gc.freeze()  # what is collected within the test is only what it makes
    monkeypatch.setattr("weft_graph.linking.python_linker._LONG", 0.0)
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def compiled(source: str, before: int = 1, name: str = "program", **others: Any) -> Function:
    """What a program compiles that begins in this line; nothing of another program lives."""
    gc.collect()
    names: dict[str, Any] = {"wt": wt, "function": function, "grad": grad, "scale": 1.0}
    names |= {"x": wt.vector("x"), "place": wt.iscalar("place"), "table": wt.vector("table")}
    names |= {"weights": np.arange(3.0), "__name__": name, **others}
    exec(compile("\n" * before + source, f"{name}.py", "exec"), names)
    f: Function = names["f"]
    return f


def phase(f: Any) -> str:
    """What compiling a function ended with: "link" or "recall"."""
    return str(f.log[-1].name)


def test_a_rewritten_graph_is_recalled(cache_folder: Path) -> None:
    first = compiled(LOSS)
    names, wanted = [p.name for p in first.log], first([0.5, 1.5], 1)
    graph, source = first.graph.digest, first.source
    assert names[-1] == "link for py"
    assert len(list(cache_folder.iterdir())) == 1
    del first
    again = compiled(LOSS)
    assert [p.name for p in again.log] == ["build", "recall for py"]
    for one, other in zip(again([0.5, 1.5], 1), wanted, strict=True):
        np.testing.assert_array_equal(one, other, strict=True)
    assert (again.graph.digest, again.source) == (graph, source)


@pytest.mark.parametrize(("source", "values"), [(LOSS, []), (LOOP, [np.arange(3.0)])])
def test_errors_tell_the_lines_of_the_program_that_recalls(source: str, values: list[Any]) -> None:
    texts = []
    for name, before in (("first", 1), ("second", 7)):
        f = compiled(source, before, name)
        with pytest.raises(IndexError) as caught:
            f([0.5, 1.5], *values, 8)
        texts.append("\n".join(caught.value.__notes__))
        assert phase(f) == ("link" if name == "first" else "recall") + " for py"
        del f, caught
    moved = re.sub(r"line (\d+)", lambda found: f"line {int(found[1]) + 6}", texts[0])
    assert "made at line" in moved
    assert texts[1] == moved.replace("first", "second")


def test_constants_are_of_the_program_that_recalls_and_count_by_content() -> None:
    for scale, expected in ((1.0, "link"), (1.0, "recall"), (3.0, "link"), (1.0, "recall")):
        f = compiled(LOSS, scale=scale)
        assert phase(f) == f"{expected} for py"


def test_names_of_results_do_not_count() -> None:
    wanted = compiled(LOSS)([0.5, 1.5], 1)
    f = compiled(LOSS.replace("cost =", 'y = y.named("y")\ncost ='))
    assert phase(f) == "recall for py"
    np.testing.assert_array_equal(f([0.5, 1.5], 1)[1], wanted[1])


def test_what_is_small_or_watched_is_not_kept_or_recalled(cache_folder: Path) -> None:
    x = wt.vector("x")
    function([x], wt.exp(x).sum(), mode="py")
    assert not cache_folder.exists()
    compiled(LOSS)
    with Trace():
        assert phase(compiled(LOSS)) == "link for py"


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: b"nothing"])
def test_what_cannot_be_read_is_rewritten(
    cache_folder: Path, damage: Callable[[bytes], bytes]
) -> None:
    wanted = compiled(LOSS)([0.5, 1.5], 1)
    (path,) = cache_folder.iterdir()
    data = disk_cache.load(path.stem)
    assert data is not None
    disk_cache.store(path.stem, damage(data))
    f = compiled(LOSS)
    assert phase(f) == "link for py"
    np.testing.assert_array_equal(f([0.5, 1.5], 1)[1], wanted[1])
    assert phase(compiled(LOSS)) == "recall for py"
