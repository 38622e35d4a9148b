"""Tensor graphs as text: every Op, types, constants, and expressions drawn at random."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft_tensor as wt
from weft_graph import FunctionGraph, from_text, grad, large_constants, to_text
from weft_testing import examples_of, tensor_ops


def check_read_again(graph: FunctionGraph) -> None:
    """What the text of `graph` says is `graph` itself over its inputs."""
    text = to_text(graph)
    constants = large_constants(graph)
    again = from_text(text, inputs=graph.inputs, constants=constants, names=wt)
    assert again == graph
    assert to_text(again) == text
    assert from_text(text, constants=constants, names=wt).digest == graph.digest


def test_functions_types_and_numbers_are_written_as_users_know_them() -> None:
    x = wt.vector("x", shape=("n",))
    scale = wt.constant(np.array([1.5, 2.0], "float32"))
    graph = FunctionGraph([x], [wt.softplus(x * 2).sum().named("total"), scale])
    assert to_text(graph) == (
        "x = input : float64[n]\n"
        "%0 = mul(x, 2.0:float64) : float64[n]\n"
        "%1 = softplus(%0) : float64[n]\n"
        "total = Sum(axis=(0,))(%1) : float64\n"
        "return total, [1.5, 2.0]:float32[2]"
    )
    check_read_again(graph)


@pytest.mark.parametrize("op", tensor_ops(), ids=lambda op: getattr(op, "__name__", str(op)))
def test_every_op(op: Any, few: Any) -> None:
    nodes: dict[Any, list[Any]] = {}
    for made, values in few(examples_of(op), 1):
        constants = [wt.as_tensor(v) for v in values]
        inputs = [v.type() for v in constants]
        nodes.setdefault((made, *[v.type for v in inputs]), [*inputs, made(*inputs)])
        if len(nodes) < 20:
            nodes[len(nodes)] = [made(*constants)]
    outputs = [v for parts in nodes.values() for v in parts]
    check_read_again(FunctionGraph(outputs=flat(outputs)))


def flat(outputs: list[Any]) -> list[Any]:
    return [v for part in outputs for v in (part if isinstance(part, list) else [part])]


@pytest.mark.parametrize(
    "value",
    [
        np.float32(0.1),
        np.array(-0.0),
        np.array([np.nan, np.inf, -np.inf]),
        np.array(-np.nan),
        np.array([[True, False]]),
        np.zeros((0, 3)),
        np.zeros((2, 0), "int8"),
        np.array([2**64 - 1], "uint64"),
        np.array([1, 2**64 - 1], "uint64"),
        np.array([-(2**63)]),
        np.array([1 - 0j, complex(np.nan, -np.inf)]),
        np.complex64(1e-40),
        np.array(5e-324),
        np.arange(64.0),
        np.linspace(0, 1, 1000),
    ],
    ids=lambda value: f"{value.dtype}{value.shape}",
)
def test_constants(value: Any) -> None:
    graph = FunctionGraph([], [wt.constant(value), wt.exp(wt.constant(value).astype("float64"))])
    check_read_again(graph)


@pytest.mark.parametrize(
    "shape", [(), (3,), (None,), ("n", "2*n + 1", None), ("(n // 2)", "n*m - 1")], ids=str
)
def test_types(shape: Any) -> None:
    kind = wt.TensorType("int8", shape)
    assert wt.TensorType.from_spelling(kind.spelling()) is kind
    check_read_again(FunctionGraph(outputs=[kind("x")]))


@pytest.mark.parametrize("text", ["float64[", "float64]", "float65", "float64(3)", "floats[3]"])
def test_what_is_no_type(text: str) -> None:
    assert wt.TensorType.from_spelling(text) is None


@given(st.data())
def test_random_expressions(data: st.DataObject) -> None:
    dtypes = st.sampled_from(["float64", "float32", "int64", "bool"])
    inputs: list[Any] = [
        wt.TensorType(data.draw(dtypes), shape)(name)
        for name, shape in (("x", ("n", 3)), ("y", ("n", 1)), (None, ()), ("x", (3,)))
    ]
    known = [*inputs, wt.constant(2), wt.constant(np.array([0.5, -1.0, np.inf]))]
    steps: list[Any] = [wt.add, wt.mul, wt.maximum, wt.true_div, lambda a, b: wt.exp(a)]
    steps += [
        lambda a, b: wt.where(a > b, a, b),
        lambda a, b: a.sum(axis=tuple(range(a.ndim))[:1]),
        lambda a, b: a.named("x"),
        lambda a, b: a.astype("float32").named("a name"),
        lambda a, b: a[..., None],
        lambda a, b: a[:2] if a.ndim else a,
    ]
    for step in data.draw(st.lists(st.sampled_from(steps), min_size=1, max_size=12)):
        a, b = data.draw(st.sampled_from(known)), data.draw(st.sampled_from(known))
        try:
            known.append(step(a, b))
        except (TypeError, ValueError):  # shapes that do not fit
            continue
    outputs = known[-2:]
    cost = known[-1].astype("float64").sum()
    floating = [v for v in inputs if v.type.differentiable]
    outputs += grad(cost, floating, disconnected_inputs="ignore")
    check_read_again(FunctionGraph(inputs, outputs))
