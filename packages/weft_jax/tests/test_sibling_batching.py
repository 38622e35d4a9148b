"""What is alike is computed together: fewer programs, the same results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, Mode, function, grad
from weft_jax import JAXLinker
from weft_jax.analysis.sibling_batching import LARGEST, batch_isomorphic
from weft_jax.lowering.x64 import enable_x64

COUNT = 30
rng = np.random.default_rng(0)


def families(xs: Any, places: Any, shared: Any) -> Any:
    """Log-densities of two families, with priors and what they share."""
    total: Any = 0.0
    for k, (x, place) in enumerate(zip(xs, places, strict=True)):
        z = (x - place) * wt.exp(shared)
        total = total + (wt.square(z).sum() if k % 2 else wt.log1p(wt.exp(z)).mean())
        total = total - 0.5 * place * place
    return total


def normalised(xs: Any, places: Any, shared: Any) -> list[Any]:
    """Arrays as results, of reductions over an axis that stays, by integers too."""
    found = []
    for x, place in zip(xs, places, strict=True):
        e = wt.exp(x - x.max(axis=0, keepdims=True) + place)
        found += [e / e.sum(axis=0, keepdims=True), (x > place).sum(), x.shape[0] * shared]
    return found


def looked_up(xs: Any, places: Any, shared: Any) -> list[Any]:
    """With nodes between that are computed one by one."""
    return [
        wt.tanh(wt.cumsum(wt.sin(x) + place) * shared).sum()
        for x, place in zip(xs, places, strict=True)
    ]


def added(xs: Any, places: Any, shared: Any) -> list[Any]:
    """Sums of some of the terms, of all, of all and one twice, of what is no batch."""
    terms = [wt.exp(x - place).sum() for x, place in zip(xs, places, strict=True)]
    some = sum(terms[:20], shared * 2.0)
    whole = sum(terms[20:], some)
    twice = terms[3] + (whole + terms[3]) + wt.tanh(whole)
    return [some, whole, twice, sum(terms) + wt.cos(shared) + terms[0]]


def graph_of(make: Callable[..., Any], rank: int = 1) -> Any:
    xs = [wt.tensor(f"x{k}", shape=(None,) * rank) for k in range(COUNT)]
    places = [wt.scalar(f"place{k}") for k in range(COUNT)]
    shared = wt.scalar("shared")
    made = make(xs, places, shared)
    outputs = (
        made
        if isinstance(made, list)
        else [made, *grad(made, [*places, shared, *xs], disconnected_inputs="ignore")]
    )
    inputs = [v for pair in zip(xs, places, strict=True) for v in pair]
    return FunctionGraph([*inputs, shared], outputs)


def values_for(graph: Any, shape_of: Callable[[int], tuple[int, ...]]) -> list[Any]:
    shapes = [shape_of(k // 2) if v.type.ndim else () for k, v in enumerate(graph.inputs)]
    return [np.array(rng.normal(size=shape)) for shape in shapes]


CASES = {
    "one shape": lambda k: (7,),
    "two shapes": lambda k: (7,) if k < 12 else (3,),
    "no elements but one": lambda k: (1,),
    "all different": lambda k: (k + 1,),
}


@pytest.mark.cases(1)
@pytest.mark.parametrize("make", [families, normalised, looked_up, added])
@pytest.mark.parametrize("case", CASES)
def test_results_are_those_of_python(make: Callable[..., Any], case: str) -> None:
    graph = graph_of(make)
    values = values_for(graph, CASES[case])
    f, expected = (function(graph.inputs, list(graph.outputs), mode=m) for m in ("jax", "py"))
    for _ in range(2):
        for result, right in zip(f(*values), expected(*values), strict=True):
            assert result.shape == right.shape
            assert result.dtype == right.dtype
            np.testing.assert_allclose(result, right, rtol=1e-10, atol=1e-12)
        values[0] = values[0].copy()
        values[0][0] = np.nan
    assert f.compile_stats.compiles == 1


@pytest.mark.cases(0)
def test_matrices_and_arrays_of_jax() -> None:
    graph = graph_of(families, rank=2)
    values = values_for(graph, lambda k: (3, 4))
    f, expected = (function(graph.inputs, list(graph.outputs), mode=m) for m in ("jax", "py"))
    right = expected(*values)
    for found, r in zip(f(*values), right, strict=True):
        np.testing.assert_allclose(found, r, rtol=1e-10)
    with enable_x64(True):
        given = [jax.numpy.asarray(v) for v in values]
    found = f(*given)
    assert all(isinstance(v, jax.Array) for v in found)
    for v, r in zip(found, right, strict=True):
        np.testing.assert_allclose(v, r, rtol=1e-10)


def test_the_program_is_as_large_as_that_of_one() -> None:
    graph = graph_of(families)
    shapes = [np.shape(v) for v in values_for(graph, CASES["one shape"])]
    found = batch_isomorphic(graph, shapes)
    assert found is not None
    assert len(found.graph.nodes) < 0.7 * len(graph.nodes)  # terms are still subtracted one by one
    assert len(found.graph.inputs) == 1
    assert sorted(found.joined) == list(range(len(graph.inputs)))


def test_terms_are_added_by_one_sum() -> None:
    xs = [wt.vector(f"x{k}") for k in range(COUNT)]
    graph = FunctionGraph(xs, [sum([wt.exp(x * 2 + 1).sum() for x in xs], wt.constant(0.0))])
    found = batch_isomorphic(graph, [(7,)] * COUNT)
    assert found is not None
    assert len(graph.nodes) == 5 * COUNT
    assert len(found.graph.nodes) < 15


def test_not_where_it_does_not_pay() -> None:
    graph = graph_of(families)
    different = [(k,) if v.type.ndim else () for k, v in enumerate(graph.inputs)]
    few = graph_of(lambda xs, places, shared: families(xs[:3], places[:3], shared))
    large = [(LARGEST,) if v.type.ndim else () for v in graph.inputs]
    assert batch_isomorphic(graph, large) is None
    assert batch_isomorphic(few, [(7,) if v.type.ndim else () for v in few.inputs]) is None
    assert batch_isomorphic(graph, different) is None


@pytest.mark.cases(0)
def test_an_index_out_of_bounds_is_still_an_error() -> None:
    graph = graph_of(families)
    at = wt.vector("at", "int64")
    inputs = [*graph.inputs, at]
    f = function(inputs, [graph.outputs[0], graph.inputs[0][at]], mode="jax")
    values = values_for(graph, CASES["one shape"])
    np.testing.assert_array_equal(f(*values, [6, -7])[1], values[0][[6, 0]])
    with pytest.raises(IndexError, match="axis 0 with size 7"):
        f(*values, [7])


def test_shapes_that_do_not_fit_are_the_error_of_python() -> None:
    xs = [wt.vector(f"x{k}") for k in range(COUNT)]
    ys = [wt.vector(f"y{k}") for k in range(COUNT)]
    outputs = [wt.exp(x * y + 1.0).sum() for x, y in zip(xs, ys, strict=True)]
    f = function([*xs, *ys], outputs, mode=Mode(JAXLinker()))
    values = [np.ones(3)] * COUNT
    assert len(f(*values, *values)) == COUNT
    with pytest.raises(ValueError, match=r"3.*4"):
        f(*values, *[np.ones(4)] * COUNT)


def test_programs_for_many_shapes_are_not_all_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft_jax.runtime.batched_call._KEPT", 2)
    xs = [wt.vector(f"x{k}") for k in range(COUNT)]
    f = function(xs, [wt.exp(x * x + 1.0).sum() for x in xs], mode="jax")
    for n in (1, 2, 3, 1, 3):
        np.testing.assert_allclose(f(*[np.zeros(n)] * COUNT), n * np.e)
    assert f.compile_stats.compiles == 4
