"""The standard books, watched: every step of them is right, can be taken again, and is counted."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import weft.tensor as wt
from weft import (
    FunctionGraph,
    Mode,
    Op,
    Rule,
    RuleBook,
    Stats,
    Trace,
    Type,
    Verification,
    VerificationError,
    assume,
    function,
    grad,
    rewrite_graph,
    wildcard,
)
from weft_graph.extend import installed_books


@pytest.fixture
def graph() -> FunctionGraph:
    """A log-density, naively written, with its gradient."""
    X = wt.dmatrix("X", shape=("n", "p"))
    y = wt.dvector("y", shape=("n",))
    b = wt.dvector("b", shape=("p",))
    log_tau = wt.dscalar("log_tau")
    p = 1 / (1 + wt.exp(-(X @ b)))
    z = (b - b.mean()) / wt.exp(log_tau)
    prior = wt.sum(-0.5 * z**2 - wt.log(wt.exp(log_tau)))
    cost = wt.sum(y * wt.log(p) + (1 - y) * wt.log(1 - p)) + prior
    return FunctionGraph([X, y, b, log_tau], [cost, *grad(cost, [b, log_tau])])


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_no_standard_rule_changes_a_result(graph: FunctionGraph, mode: str) -> None:
    function(graph.inputs, list(graph.outputs), mode=mode, verify=True)


def test_the_standard_books_replay(graph: FunctionGraph) -> None:
    trace, stats = Trace(), Stats()
    result = rewrite_graph(graph, trace=trace, stats=stats)
    assert trace.replay() == list(result.outputs)
    changes = list(trace.changes)
    assert len(changes) > 20
    assert sum(c.hits for c in stats.counts) == len(changes)
    assert "sigmoid" in str(trace)


def test_a_wrong_rule_among_the_standard_ones_is_named(graph: FunctionGraph) -> None:
    a = wildcard("a", wt.TensorVariable)
    wrong = RuleBook("mine", [Rule(wt.sigmoid(a), wt.sigmoid(-a), name="lose the sign")])
    mode = Mode("py", books=[*installed_books(), wrong, *installed_books()])
    with pytest.raises(VerificationError, match=r"rule lose the sign \(in mine\)") as caught:
        function(graph.inputs, list(graph.outputs), mode=mode, verify=True)
    assert "made at line" in str(caught.value)


def test_values_are_as_assumed() -> None:
    x = wt.dvector("x")
    y = wt.log(assume(x, positive=True))
    with Verification() as verification:
        rewrite_graph(FunctionGraph([x], [wt.exp(y)]))
    assert verification.samples
    assert all((sample.values[x] > 0).all() for sample in verification.samples)
    with pytest.raises(ValueError, match="x is assumed to be positive"):
        rewrite_graph(FunctionGraph([x], [y]), verify={x: np.array([1.0, -2.0])})


class Careless(Op):
    """Says that it keeps the type, and does not."""

    def infer(self, *types: Type) -> Type:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return values[0].astype("float32")


class Short(Careless):
    """Drops an element."""

    def impl(self, *values: Any) -> Any:
        return values[0][1:]


def test_an_op_that_returns_another_dtype_or_shape_is_named() -> None:
    x = wt.dvector("x", shape=("n",))
    with pytest.raises(VerificationError, match=r"Careless returned .* float32 array"):
        function([x], Careless()(x), mode="py", verify=True)
    with pytest.raises(VerificationError, match="its type says n, which is"):
        function([x], Short()(x), mode="py", verify={x: np.ones(3)})
    y = wt.dvector("y", shape=(3,))
    with pytest.raises(VerificationError, match="axis 0 must have length 3"):
        function([y], Short()(y), mode="py", verify=True)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float32", "float64", "complex128"])
def test_drawn_values_are_of_the_type(dtype: str) -> None:
    kind = wt.TensorType(dtype, ("n", 2, None, "2*n"))
    lengths: dict[str, int] = {}
    drawn = [kind.draw(Random(seed), lengths) for seed in range(20)]
    for value in drawn:
        kind.check_value(value)
        assert value.shape == (lengths["n"], 2, 3, 2 * lengths["n"])
    assert len({value.tobytes() for value in drawn}) > 10


@pytest.mark.parametrize(
    ("before", "after", "close"),
    [
        ([1.0, 2.0], [1.0, 2.0 + 1e-12], True),
        ([1.0, 2.0], [1.0, 2.0 + 1e-5], False),
        ([1.0, np.inf], [1.0, 700.0], True),
        ([1.0, np.nan], [1.0, 0.0], True),
        ([1.0, 2.0], [1.0, np.nan], False),
        ([1.0, 2.0], [1.0, np.inf], False),
        ([1.0, 2.0], [[1.0, 2.0]], False),
        ([1e200, 1e-200], [1e200, 0.0], True),
        ([1, 2], [1, 2], True),
        ([1, 2], [1, 3], False),
        ([1, 2], [1.0, 2.0], False),
        ([1j], [1j + 1e-12], True),
        ([1j], [-1j], False),
    ],
)
def test_what_is_rounding(before: Any, after: Any, close: bool) -> None:
    kind = wt.TensorType("float64", (None,))
    assert kind.close_values(np.array(before), np.array(after)) is close
