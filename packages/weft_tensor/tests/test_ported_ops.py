"""Ops as they are written for Aesara and PyTensor work after a change of their imports."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

import weft_tensor as pt
from weft_graph import Apply, Mode, Op, digest, function, grad, grad_undefined, pushforward
from weft_testing import check_grad

PY = Mode("py", books=[])
RNG = np.random.default_rng(5)


class Quartiles(Op):
    """Several outputs, of types of their own; the input is whatever `as_tensor_variable` takes."""

    __props__ = ()

    def make_node(self, x: Any) -> Apply:
        x = pt.as_tensor_variable(x)
        if x.type.ndim != 1:
            raise TypeError("Quartiles needs a vector")
        outputs = [pt.scalar(dtype=x.dtype), x.type(), pt.lscalar()]
        return Apply(self, [x], outputs)

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        (x,) = inputs
        output_storage[0][0] = np.asarray(np.quantile(x, 0.25), node.outputs[0].type.dtype)  # type: ignore[attr-defined]  # the tradition's
        output_storage[1][0] = np.sort(x)
        output_storage[2][0] = np.asarray(x.size)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Any) -> Any:
        return [(), shapes[0], ()]

    def grad(self, inputs: Any, output_grads: Any) -> Any:
        return [grad_undefined(self, 0, inputs[0], "the order of the elements is not kept")]


class Line(Op):
    """Parameters; `L_op` and `R_op`."""

    __props__ = ("slope", "intercept")

    def __init__(self, slope: float, intercept: float = 0.0) -> None:
        self.slope = slope
        self.intercept = intercept
        super().__init__()

    def make_node(self, x: Any) -> Apply:
        x = pt.as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        x = inputs[0]
        z = output_storage[0]
        z[0] = self.slope * x + self.intercept

    def infer_shape(self, fgraph: Any, node: Apply, i0_shapes: Any) -> Any:
        return i0_shapes

    def L_op(self, inputs: Any, outputs: Any, output_grads: Any) -> Any:
        return [self.slope * output_grads[0]]

    def R_op(self, inputs: Any, eval_points: Any) -> Any:
        return [None if eval_points[0] is None else self.slope * eval_points[0]]


class Gram(Op):
    """`itypes` and `otypes` instead of `make_node`; a shape; a gradient by `grad`."""

    itypes = [pt.dmatrix, pt.dscalar]  # noqa: RUF012  # as the tradition writes it
    otypes = [pt.dmatrix]  # noqa: RUF012  # as the tradition writes it
    __props__ = ()

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        x, ridge = inputs
        output_storage[0][0] = x.T @ x + ridge * np.eye(x.shape[1])

    def infer_shape(self, fgraph: Any, node: Apply, input_shapes: Any) -> Any:
        columns = input_shapes[0][1]
        return [(columns, columns)]

    def grad(self, inputs: Any, output_grads: Any) -> Any:
        x, _ = inputs
        (g,) = output_grads
        return [pt.dot(x, g + g.T), pt.sum(g * pt.eye(x.shape[1]))]


class Softmin(Op):
    """A `grad` that uses the Op itself; `make_node` that looks at `broadcastable`."""

    __props__ = ("scale",)

    def __init__(self, scale: float) -> None:
        self.scale = scale

    def make_node(self, x: Any, y: Any) -> Apply:
        x, y = map(pt.as_tensor_variable, (x, y))
        if x.type.broadcastable != y.type.broadcastable:
            raise TypeError("Softmin does not broadcast")
        return Apply(self, [x, y], [pt.tensor(dtype=x.type.dtype, shape=x.type.shape)])

    def perform(self, node: Apply, inputs: Any, outputs: Any) -> None:
        x, y = inputs
        weight = expit(self.scale * (y - x))
        outputs[0][0] = np.asarray(weight * x + (1 - weight) * y)

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[True], [True]]

    def grad(self, inputs: Any, gradients: Any) -> Any:
        x, y = inputs
        (g,) = gradients
        weight = pt.sigmoid(self.scale * (y - x))
        mixed = self.scale * weight * (1 - weight) * (y - x)
        return [g * (weight + mixed), g * (1 - weight - mixed)]


def test_several_outputs() -> None:
    x = pt.vector("x")
    low, ordered, count = Quartiles()(x)
    assert [v.owner.op for v in (low, ordered, count)] == [Quartiles()] * 3
    values = function([x], [low, ordered, count, ordered.shape[0]], mode=PY)([3.0, 1.0, 2.0])
    for value, wanted in zip(values, [1.5, [1.0, 2.0, 3.0], 3, 3], strict=True):
        np.testing.assert_array_equal(value, wanted)
    with pytest.raises(TypeError, match="Quartiles needs a vector"):
        Quartiles()(pt.matrix("X"))
    with pytest.raises(TypeError, match="the order of the elements is not kept"):
        grad(ordered.sum(), x)


def test_parameters() -> None:
    x = pt.vector("x")
    assert Line(2.0, 1.0) is Line(2.0, 1.0) is not Line(2.0)
    assert Line(2.0, 1.0)(x) is Line(2.0, 1.0)(x)
    assert repr(Line(2.0)) == "Line(slope=2.0, intercept=0.0)"
    assert pickle.loads(pickle.dumps(Line(3.0))) is Line(3.0)
    assert digest(Line(3.0)(x)) != digest(Line(2.0)(x))
    y = Line(2.0, 1.0)(x)
    t = pt.vector("t")
    results = [y, grad(y.sum(), x), pushforward(y, x, t), y.shape[0]]
    found = function([x, t], results, mode=PY)([1.0, 2.0], [1.0, 10.0])
    for value, wanted in zip(found, [[3, 5], [2, 2], [2, 20], 2], strict=True):
        np.testing.assert_array_equal(value, wanted)


def test_declared_types() -> None:
    x, ridge = pt.dmatrix("x"), pt.dscalar("ridge")
    y = Gram()(x, ridge)
    assert y.type == pt.dmatrix().type
    value = RNG.normal(size=(4, 3))
    found = function([x, ridge], [y, y.shape[0]], mode=PY)(value, 0.5)
    np.testing.assert_allclose(found[0], value.T @ value + 0.5 * np.eye(3))
    assert found[1] == 3
    check_grad(Gram(), [value, np.asarray(0.5)])
    with pytest.raises(TypeError, match=r"Gram: input 0 must be .*float64\[\?, \?\], not .*int64"):
        Gram()(pt.lmatrix("i"), ridge)
    with pytest.raises(TypeError, match="Gram takes 2 inputs, not 1"):
        Gram()(x)


def test_shape_and_gradient() -> None:
    x, y = pt.vector("x"), pt.vector("y")
    assert function([x, y], Softmin(3.0)(x, y).shape[0], mode=PY)([1.0], [2.0]) == 1
    check_grad(Softmin(3.0), [RNG.normal(size=3), RNG.normal(size=3)])
    with pytest.raises(TypeError, match="Softmin does not broadcast"):
        Softmin(3.0)(x, pt.matrix("Y"))
