"""Graphs without the lengths that masks have, compared with the graphs as they were."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft_tensor as wt
from weft_graph import FunctionGraph, Mode, function, grad
from weft_jax.analysis.mask_lifting import lift_masks
from weft_tensor import Nonzero

x, y = wt.vector("x"), wt.vector("y")
X = wt.matrix("X")
T = wt.tensor3("T")
m = wt.vector("m", "bool")
M = wt.matrix("M", "bool")
INPUTS = [x, y, X, T, m, M]
PLAIN = Mode("py", books=[])

ELEMENTWISE: list[Any] = [wt.exp, wt.sin, lambda v: v * 2 + 1, lambda v: v - v[..., :1] * 0]
MADE: dict[str, Any] = {
    "x[m]": x[m],
    "x[x > 0]": x[x > 0],
    "X[m]": X[m],
    "X[:, m]": X[:, m],
    "X[M]": X[M],
    "T[M]": T[M],
    "T[:, M]": T[:, M],
    "x[m] * y[m]": x[m] * y[m],
    "X[m] * X[0]": X[m] * X[0],
    "x[m] + x[~m].sum()": x[m] + x[~m].sum(),
    "X[m] * x[m][:, None]": X[m] * x[m][:, None],
    "zeros like x[m]": x[m] * 0 + wt.ones(x[m].shape),
}
ENDS: dict[str, Any] = {
    "itself": lambda v: v,
    "sum": lambda v: v.sum(),
    "sum(0)": lambda v: v.sum(0),
    "mean(-1)": lambda v: v.mean(-1),
    "prod": lambda v: v.prod(),
    "max": lambda v: v.max(),
    "min(0)": lambda v: v.min(0),
    "any": lambda v: (v > 1).any(),
    "all(0)": lambda v: (v > 1).all(0),
    "length": lambda v: wt.stack(list(v.shape)),
    "variance": lambda v: ((v - v.mean()) ** 2).mean(),
    "std(-1)": lambda v: v.std(-1),
    "centred": lambda v: v - v.mean(0, keepdims=True),
}
ERRORS = (ValueError, IndexError)


def outcome(graph: FunctionGraph, values: list[Any]) -> Any:
    try:
        with np.errstate(all="ignore"):
            return function(graph.inputs, list(graph.outputs), mode=PLAIN)(*values)
    except ERRORS as error:
        return type(error)


def assert_lifted_equals(outputs: list[Any], values: list[Any]) -> None:
    graph = FunctionGraph(INPUTS, outputs)
    expected, found = outcome(graph, values), outcome(lift_masks(graph), values)
    if isinstance(expected, type):
        assert found is expected
        return
    for one, other in zip(found, expected, strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-13)


def values_for(rows: int, columns: int, seed: int, share: float) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [
        rng.normal(size=rows),
        rng.normal(size=rows),
        rng.normal(size=(rows, rows)),
        rng.normal(size=(rows, rows, columns)),
        rng.random(rows) < share,
        rng.random((rows, rows)) < share,
    ]


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("name", MADE)
def test_equal_values_and_gradients(name: str, end: str) -> None:
    made = ENDS[end](wt.exp(MADE[name]))
    outputs = [made]
    if made.type.differentiable:
        outputs += grad((made * 1.5).sum(), [x, X, T], disconnected_inputs="ignore")
    for share in (0.5, 1.0, 0.0):
        assert_lifted_equals(outputs, values_for(3, 3, 0, share))


@pytest.mark.parametrize("v", [x[m], X[m], X[:, m], X[M], T[M]])
def test_deviations_are_of_no_length_that_a_mask_has(v: Any) -> None:
    assert Nonzero not in lift_masks(FunctionGraph(INPUTS, [v.var(), v.std()])).op_classes


@settings(max_examples=min(60, settings().max_examples), deadline=None)
@given(
    st.sampled_from(list(MADE)),
    st.sampled_from(list(ENDS)),
    st.lists(st.integers(0, len(ELEMENTWISE) - 1), max_size=3),
    st.integers(0, 4),
    st.integers(0, 3),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.0, 0.3, 1.0]),
)
def test_equal_for_drawn_expressions(
    name: str, end: str, steps: list[int], rows: int, columns: int, seed: int, share: float
) -> None:
    v = MADE[name]
    for k in steps:
        v = ELEMENTWISE[k](v)
    assert_lifted_equals([ENDS[end](v), v], values_for(rows, columns, seed, share))


@pytest.mark.parametrize("value", [0.0, x[m] * 2, wt.arange(3.0)])
def test_updates(value: Any) -> None:
    values = values_for(4, 2, 1, 0.5)
    values[4] = np.array([True, False, True, True])
    assert_lifted_equals([x[m].set(value), x[m].inc(value), X[m].inc(1.0)], values)


def test_a_mask_of_another_length_is_an_index_error() -> None:
    for made in (x[m].sum(), x[m].set(0.0), (x[m] + y[m]).sum(), (y[m] + x[m]).max()):
        for lengths in ((3, 3, 2), (1, 3, 3), (3, 1, 3)):
            values = values_for(3, 1, 0, 0.5)
            values[0], values[1] = np.ones(lengths[0]), np.ones(lengths[1])
            values[4] = np.ones(lengths[2], bool)
            assert_lifted_equals([made], values)


def test_what_is_not_elementwise_stays() -> None:
    for made in (wt.cumsum(x[m]), wt.sort(x[m]).sum(), X[m] @ x):
        graph = lift_masks(FunctionGraph(INPUTS, [made]))
        assert any(type(v.op) is Nonzero for v in graph.nodes)


def test_of_two_errors_the_first_in_the_expression_is_raised() -> None:
    values = values_for(0, 2, 0, 1.0)
    for made in (ENDS["max"](MADE["X[m] * X[0]"]), ENDS["min(0)"](MADE["X[m] * X[0]"])):
        assert_lifted_equals([made], values)
        for mode in ("py", "jax"):
            with pytest.raises(IndexError):
                function(INPUTS, made, mode=mode)(*values)


@pytest.mark.parametrize("values", [[], [1.0], [-1.0], [2.0, -1.0, 0.5, np.nan]])
def test_one_number_for_all_that_are_chosen(values: list[float]) -> None:
    means = wt.ifelse(x.size > 0, (x[x > 0] * 3.0).sum(), 0.0), x[x > 0].mean()
    outputs = [grad(y, x) for y in means] + [wt.zeros_like(x)[x > 0].inc(x.sum())]
    f, g = (function([x], outputs, mode=mode) for mode in ("jax", "py"))
    with np.errstate(all="ignore"):
        for a, b in zip(f(values), g(values), strict=True):
            np.testing.assert_array_equal(a, b)


def test_a_mean_has_a_slope_without_lengths_from_values() -> None:
    f = function([x], grad(x[x > 0].mean(), x), mode="jax")
    assert f([1.0, -1.0, 2.0]).tolist() == [0.5, 0.0, 0.5]
    assert f([1.0, -1.0, -2.0]).tolist() == [1.0, 0.0, 0.0]
    assert f.compile_stats.compiles == 1


def test_numpy_compares_its_arrays() -> None:
    for output, expected in ((wt.nonzero(x > 1)[0], [1]), (x[(x > 1) & (x < 3)], [2.0])):
        f = function([x], output, mode="jax")
        assert f(np.array([0.0, 2.0])).tolist() == expected
        assert f.compile_stats.compiles == 0
        assert f(jnp.array([0.0, 2.0])).tolist() == expected
        assert f.compile_stats.compiles == 1
