"""Comparing backends: a backend that is wrong is caught, whatever it is that is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, Mode
from weft_graph.extend import Program, PythonLinker
from weft_testing import compare_backends

x = wt.vector("x")


class Spoiled(PythonLinker):
    """Python, with results and inputs changed by `spoil`."""

    name: ClassVar[str] = "spoiled"

    def __init__(self, spoil: Callable[[Any, Any], Any]) -> None:
        self.spoil = spoil

    def link(self, graph: FunctionGraph) -> tuple[Callable[..., Any], Program]:
        run, program = super().link(graph)
        return lambda *values: tuple(self.spoil(r, values[0]) for r in run(*values)), program


def overwrite(result: Any, value: Any) -> Any:
    value[0] = 9.0
    return result


def spoiled(spoil: Callable[[Any, Any], Any]) -> Mode:
    return Mode(Spoiled(spoil), books=[])


def test_right_results_are_returned() -> None:
    compiled, results = compare_backends(spoiled(lambda r, v: r), [x], [wt.exp(x)], [[0.0, 1.0]])
    np.testing.assert_allclose(results[0], np.exp([0.0, 1.0]))
    assert compiled.mode.linker.name == "spoiled"
    graph = FunctionGraph([x], [wt.exp(x)])
    _, results = compare_backends(spoiled(lambda r, v: r), graph, [[0.0, 1.0]])
    assert results[0].shape == (2,)
    compare_backends(spoiled(lambda r, v: r + 1e-14), [x], wt.exp(x), [[0.0, 1.0]])


@pytest.mark.parametrize(
    ("spoil", "report"),
    [
        (lambda r, v: r + 1e-6, "Not equal to tolerance"),
        (lambda r, v: r.astype("float32"), "by spoiled: float32, not float64"),
        (lambda r, v: r[:1], r"by spoiled: \(1,\), not \(2,\)"),
        (lambda r, v: np.where(r > 2, np.nan, r), "nan"),
        (overwrite, "input 0 was modified by spoiled"),
    ],
    ids=["value", "dtype", "shape", "nan", "input"],
)
def test_wrong_results_are_caught(spoil: Any, report: str) -> None:
    with pytest.raises(AssertionError, match=report):
        compare_backends(spoiled(spoil), [x], [wt.exp(x)], [np.array([0.0, 1.0])])


def test_the_node_that_differs_is_named() -> None:
    with pytest.raises(AssertionError) as caught:
        compare_backends(spoiled(lambda r, v: r + 1), [x], [wt.exp(x)], [[0.0]])
    assert caught.value.__notes__ == ["<exp : float64[?]> by spoiled differs from py"]


def test_an_assertion_of_ones_own() -> None:
    mode = spoiled(lambda r, v: r + 0.01)
    seen = []

    def near(actual: Any, expected: Any) -> None:
        seen.append(actual - expected)
        np.testing.assert_allclose(actual, expected, atol=0.1)

    compare_backends(mode, [x], [wt.exp(x)], [[0.0]], assert_fn=near)
    assert len(seen) == 1


def test_how_it_must_be_called() -> None:
    mode = spoiled(lambda r, v: r)
    with pytest.raises(TypeError, match="after a FunctionGraph, give the test inputs"):
        compare_backends(mode, FunctionGraph([x], [x]), [x], [[0.0]])
    with pytest.raises(TypeError, match=r"give \(fgraph, test_inputs\), or"):
        compare_backends(mode, [x], [x])
