"""Ops of users, written in the tradition's way, with JAX implementations of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Apply, Op, Variable, function
from weft_jax import jax_funcify, require
from weft_testing import compare_jax_and_py

x = wt.vector("x")
count = wt.scalar("count")
k = wt.vector("k", "int64")


class Repeat(Op):
    """A vector, several times: how often says a floating scalar."""

    def make_node(self, *inputs: Any) -> Apply:
        value, times = map(wt.as_tensor, inputs)
        return Apply(self, [value, times], [wt.TensorType(value.dtype, (None,))()])

    def perform(self, node: Any, inputs: Sequence[Any], output_storage: Any) -> None:
        value, times = inputs
        output_storage[0][0] = np.tile(value, int(times))

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Sequence[Any]) -> Sequence[Any]:
        return [(node.inputs[1].astype("int64") * input_shapes[0][0],)]


received: list[Any] = []


@jax_funcify.register(Repeat)
def jax_funcify_repeat(op: Repeat, *, node: Variable, **kwargs: Any) -> Any:
    def repeat(value: Any, times: Any) -> Any:
        received.append(times)
        return jnp.tile(value, int(times))

    return repeat


@pytest.mark.parametrize("times", [0.0, 1.0, 3.0])
def test_sizes_may_be_floating(times: float) -> None:
    received.clear()
    compare_jax_and_py([x, count], [Repeat()(x, count)], [np.arange(3.0), np.array(times)])
    assert received == [times]
    assert type(received[0]) is float


def test_sizes_may_be_computed() -> None:
    output = Repeat()(x, wt.floor(count / 2)).sum() + x.shape[0]
    f, _ = compare_jax_and_py([x, count], output, [np.arange(3.0), np.array(5.0)])
    received.clear()
    assert f(np.arange(3.0), 4.0) == f(np.arange(3.0), 4.5) == 9.0
    assert received == []  # compiled for this size before


def test_sizes_may_be_constants() -> None:
    received.clear()
    compare_jax_and_py([x], [Repeat()(x, wt.constant(2.0))], [np.arange(3.0)])
    assert np.asarray(received[0]) == 2.0


def test_sizes_may_come_from_shapes_and_data() -> None:
    sizes = [x.shape[0].astype("float64"), k.sum().astype("float64")]
    outputs = [Repeat()(x, size) for size in sizes]
    compare_jax_and_py([x, k], outputs, [np.arange(3.0), np.array([1, 0, 1])])


class Plus(Op):
    """The sum of two tensors of one shape, without `infer_shape`."""

    def make_node(self, *inputs: Any) -> Apply:
        a, b = map(wt.as_tensor, inputs)
        return Apply(self, [a, b], [a.type()])

    def perform(self, node: Any, inputs: Sequence[Any], output_storage: Any) -> None:
        output_storage[0][0] = np.add(*inputs)


@jax_funcify.register(Plus)
def jax_funcify_plus(op: Plus, **kwargs: Any) -> Any:
    return lambda a, b: a + b


def test_ops_without_infer_shape_take_arrays() -> None:
    compare_jax_and_py([x], [Plus()(x, x) * 2], [np.arange(3.0)])


class DivMod(Op):
    """Two results."""

    def make_node(self, *inputs: Any) -> Apply:
        a, b = map(wt.as_tensor, inputs)
        return Apply(self, [a, b], [a.type(), a.type()])

    def perform(self, node: Any, inputs: Sequence[Any], output_storage: Any) -> None:
        output_storage[0][0], output_storage[1][0] = np.divmod(*inputs)

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Sequence[Any]) -> Sequence[Any]:
        return [input_shapes[0], input_shapes[0]]


@jax_funcify.register(DivMod)
def jax_funcify_divmod(op: DivMod, **kwargs: Any) -> Any:
    def div_mod(a: Any, b: Any) -> Any:
        require(b != 0, ZeroDivisionError("division by zero"))
        return jnp.divmod(a, b)

    return div_mod


def test_several_results_and_a_check() -> None:
    quotient, rest = DivMod()(k, k + 1)
    f, _ = compare_jax_and_py([k], [rest, quotient + rest], [np.array([1, 5])])
    for _ in range(2):
        with pytest.raises(ZeroDivisionError, match="by zero"):
            f(np.array([1, -1]))


def test_implementations_are_asked_when_a_function_is_made() -> None:
    before = jax_funcify.dispatch(Plus)
    f = function([x], Plus()(x, x), mode="jax")
    jax_funcify.register(Plus, lambda op, **kwargs: lambda a, b: a - b)
    try:
        assert f(np.ones(2)).tolist() == [2.0, 2.0]
        assert function([x], Plus()(x, x), mode="jax")(np.ones(2)).tolist() == [0.0, 0.0]
    finally:
        jax_funcify.register(Plus, before)
