"""How graphs are cut for JAX: where lengths come from values, and for Ops it does not have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, Op, Variable, function, grad
from weft_jax import jax_funcify
from weft_jax.analysis.mask_lifting import lift_masks
from weft_jax.analysis.segments import segments_of
from weft_tensor import Nonzero, TensorOp, TensorType

x = wt.vector("x")
X = wt.matrix("X")
n = wt.scalar("n", "int64")
XS = np.array([0.5, -1.5, 2.5, -0.25, 3.0, 2.5])
SETS = [XS, -XS, np.abs(XS), XS[:2] + 9]


class Probe(Op):
    """The identity; its JAX implementation counts how often it is traced."""

    def infer(self, *types: Any) -> Any:
        return types[0]

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Sequence[Any]) -> Sequence[Any]:
        return [input_shapes[0]]

    def impl(self, *values: Any) -> Any:
        return values[0]


class OnlyPython(TensorOp):
    """Twice x, for which there is no JAX implementation."""

    def infer(self, *types: Any) -> TensorType:
        return types[0]  # type: ignore[no-any-return]  # a TensorType

    def impl(self, *values: Any) -> Any:
        return 2 * values[0]

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        return [2 * cotangents[0]]


traces: list[Any] = []


@jax_funcify.register(Probe)
def jax_funcify_probe(op: Probe, *, node: Variable, **kwargs: Any) -> Any:
    def probe(value: Any) -> Any:
        traces.append(value.shape)
        return value

    return probe


def parts(inputs: Sequence[Any], *outputs: Any) -> list[str]:
    """Who runs the segments of a graph, in order."""
    graph = lift_masks(FunctionGraph(inputs, outputs))
    return ["python" if s.by_python else "jax" for s in segments_of(graph)]


def test_one_segment_is_the_rule() -> None:
    assert parts([x], wt.exp(x).sum()) == ["jax"]
    assert parts([x, n], wt.arange(n) * x[:n]) == ["jax"]
    assert parts([x], wt.zeros(x.sum().astype("int64"))) == ["jax"]


def test_masks_in_reductions_need_no_cut() -> None:
    for expression in (
        x[x > 0].sum(),
        x[x > 0].mean(),
        wt.exp(x[x > 0] + 1).prod(),
        x[x > 0].max() + x[x > 0].min(),
        (x[x > 0] > 1).any() | (x[x > 0] > 1).all(),
        x[x > 0].set(0.0),
        x[x > 0].inc(wt.exp(x[x > 0])),
        grad(wt.log(x[x > 0]).sum(), x),
    ):
        graph = lift_masks(function([x], expression, mode="jax").graph)
        assert parts([x], expression) == ["jax"]
        assert not any(type(v.op) is Nonzero for v in graph.nodes)


def test_masks_compile_once() -> None:
    compiled = function([x], Probe()(wt.exp(x[x > 0])).sum(), mode="jax")
    lifted = function([x], [wt.exp(Probe()(x)[x > 0]).sum(), wt.exp(x[x > 0]) * 2], mode="jax")
    for run, lengths in ((compiled, [(2,), (4,), (6,)]), (lifted, [(6,)])):
        traces.clear()
        for values in [*SETS[:3], *SETS[:3]]:
            run(values)
        assert sorted(traces) == lengths


def test_chosen_elements_as_outputs_are_put_together_by_numpy() -> None:
    assert parts([x], wt.exp(x[x > 0])) == ["jax", "python"]
    run = function([x], [wt.exp(x[x > 0]), x[x > 1]], mode="jax")
    for values in SETS:
        first, second = run(values)
        np.testing.assert_allclose(first, np.exp(values[values > 0]), rtol=1e-14)
        np.testing.assert_array_equal(second, values[values > 1])


def test_the_gradient_does_not_see_what_a_mask_leaves_out() -> None:
    run = function([x], grad(wt.log(x[x > 0]).sum(), x), mode="jax")
    np.testing.assert_array_equal(run([0.0, 2.0, -1.0]), [0.0, 0.5, 0.0])


def test_masks_of_rows() -> None:
    rows = X[:, 0] > 1
    run = function(
        [X], [X[rows].sum(0), (X[rows] * X[0]).max(), grad((X[rows] ** 2).sum(), X)], mode="jax"
    )
    values = np.arange(12.0).reshape(4, 3) - 2.5
    chosen = values[values[:, 0] > 1]
    total, largest, slope = run(values)
    np.testing.assert_allclose(total, chosen.sum(0))
    np.testing.assert_allclose(largest, (chosen * values[0]).max())
    np.testing.assert_allclose(slope, np.where(values[:, :1] > 1, 2 * values, 0))


def test_a_mask_that_does_not_fit_is_refused() -> None:
    mask = wt.vector("mask", "bool")
    for made in (x[mask].sum(), x[mask].set(0.0), x[mask] * 2, (x[mask] + x[:1][mask]).sum()):
        run = function([x, mask], made, mode="jax")
        with pytest.raises(IndexError, match="mask"):
            run(XS, [True, False])


def test_lengths_that_jax_computes_end_a_segment() -> None:
    size = wt.sort(x)[-1].astype("int64")
    assert parts([x], wt.zeros(size)) == ["jax", "jax"]
    run = function([x], [wt.zeros(size) + x[0], size], mode="jax")
    for values in SETS[:3]:
        result, found = run(values)
        assert found == int(values.max())
        np.testing.assert_array_equal(result, np.full(found, values[0]))


def test_unique_is_cut_once_and_compiled_once_per_count() -> None:
    assert parts([x], wt.exp(wt.unique(x)).sum()) == ["jax"]
    assert parts([x], wt.cumsum(wt.unique(x))) == ["jax", "jax"]
    run = function([x], Probe()(wt.cumsum(wt.unique(x))), mode="jax")
    traces.clear()
    for values in ([1.0, 2.0, 1.0], [3.0, 3.0, 4.0], [5.0, 5.0, 5.0], [6.0, 7.0, 7.0]):
        np.testing.assert_array_equal(run(values), np.cumsum(np.unique(values)))
    assert sorted(traces) == [(1,), (2,)]


def test_ops_without_jax_run_in_python() -> None:
    doubled = OnlyPython()(wt.exp(x))
    assert parts([x], wt.sin(doubled).sum()) == ["jax", "python", "jax"]
    outputs = [wt.sin(doubled).sum(), grad(wt.sin(doubled).sum(), x)]
    found = function([x], outputs, mode="jax")(XS)
    for one, other in zip(found, function([x], outputs, mode="py")(XS), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


def test_an_error_in_a_python_segment_names_the_node() -> None:
    class Fails(OnlyPython):
        def impl(self, *values: Any) -> Any:
            raise RuntimeError("no luck")

    run = function([x], wt.exp(Fails()(wt.exp(x))), mode="jax")
    with pytest.raises(RuntimeError, match="no luck") as caught:
        run(XS)
    assert "while computing Fails" in caught.value.__notes__[0]


def test_constants_and_inputs_may_be_outputs() -> None:
    run = function([x], [wt.cumsum(wt.unique(x)), x, wt.constant([1.0, 2.0])], mode="jax")
    result, same, constant = run(XS)
    np.testing.assert_array_equal(result, np.cumsum(np.unique(XS)))
    np.testing.assert_array_equal(same, XS)
    np.testing.assert_array_equal(constant, [1.0, 2.0])


def test_long_chains_are_cut_in_linear_time() -> None:
    y: Any = x
    for _ in range(3000):
        y = wt.sin(y)
    assert parts([x], wt.cumsum(wt.unique(y))) == ["jax", "jax"]
