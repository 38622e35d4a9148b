"""`shard_map` in Python, where devices need not exist; `shard` where there is no mesh."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import (
    DisconnectedInputError,
    FunctionGraph,
    function,
    grad,
    pushforward,
    value_and_grad,
)

MESH = wt.Mesh(data=4, model=2)
rng = np.random.default_rng(0)
A, V = rng.normal(size=(8, 6)), rng.normal(size=8)


def mapped(f: Callable[..., Any], in_specs: list[Any], out_specs: Any, *values: Any) -> Any:
    inputs = [wt.tensor(dtype="float64", shape=(None,) * np.ndim(x)) for x in values]
    outputs = wt.shard_map(f, MESH, in_specs, out_specs)(*inputs)
    return function(inputs, outputs, mode="py")(*values)


def test_parts_are_put_together_as_they_were_divided() -> None:
    for spec in [("data",), (None, "model"), ("data", "model"), ("model",), (("data", "model"),)]:
        np.testing.assert_array_equal(mapped(lambda x: 2 * x, [spec], spec, A), 2 * A)


def test_each_device_has_its_part() -> None:
    first = mapped(lambda x: x[:1], [("data", "model")], ("data", "model"), A)
    np.testing.assert_array_equal(first, A[::2])
    place = wt.axis_index
    numbers = mapped(
        lambda x: x * 0 + 10 * place("data") + place("model"), [("data", "model")],
        ("data", "model"), A,
    )  # fmt: skip
    np.testing.assert_array_equal(numbers[::2, ::3], [[0, 1], [10, 11], [20, 21], [30, 31]])


def test_collectives() -> None:
    rows = A.reshape(4, 2, 6)
    summed = mapped(lambda x: wt.psum(x, "data"), [("data",)], None, A)
    np.testing.assert_allclose(summed, rows.sum(0))
    mean = mapped(lambda x: wt.pmean(wt.sum(x), ("data", "model")), [("data", "model")], None, A)
    np.testing.assert_allclose(mean, A.sum() / 8)
    gathered = mapped(lambda x: wt.all_gather(x, "model", axis=1), [("data", "model")], "data", A)
    np.testing.assert_array_equal(gathered, A)
    parts = mapped(lambda x: wt.psum_scatter(x, "model"), [(None, "model")], "model", A)
    np.testing.assert_allclose(parts, A[:, :3] + A[:, 3:])
    assert mapped(lambda x: wt.psum(x > 0, "data"), [("data",)], None, V).dtype == "int64"


def loss(X: Any, w: Any) -> Any:
    """Columns and rows divided: two kinds of sums."""
    eta = wt.psum(X @ w, "model")
    return wt.psum(wt.sum(wt.tanh(eta) ** 2), "data")


def spread_loss(X: Any, w: Any) -> Any:
    """The same by gathering and scattering."""
    eta = wt.psum(X @ wt.all_gather(wt.psum_scatter(w, "data"), "data") / 4, "model")
    return wt.pmean(wt.sum(wt.tanh(eta) ** 2), "data") * 4


@pytest.mark.parametrize(
    ("f", "columns", "w"),
    [(loss, "model", A[0]), (spread_loss, None, np.linspace(0.5, 1.5, 8) / 2)],
)
def test_derivatives_are_those_of_the_whole(f: Any, columns: str | None, w: Any) -> None:
    X = A if columns else np.hstack([A, A[:, :2]])
    factor = 1 if columns else 2  # then `model` sums equal terms
    x, v = wt.dmatrix("x"), wt.dvector("v")
    many = wt.shard_map(f, MESH, [("data", columns), (columns,)], None)(x, v)
    one = wt.sum(wt.tanh(factor * (x @ v)) ** 2)
    found = function([x, v], [many, *grad(many, [x, v])], mode="py")(X, w)
    wanted = function([x, v], [one, *grad(one, [x, v])], mode="py")(X, w)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10)


def test_derivatives_of_derivatives_and_forward() -> None:
    x, v = wt.dmatrix("x"), wt.dvector("v")
    many = wt.shard_map(loss, MESH, [("data", "model"), ("model",)], None)(x, v)
    one = wt.sum(wt.tanh(x @ v) ** 2)

    def derivatives(cost: Any) -> list[Any]:
        slope = grad(cost, v)
        return [*grad(wt.sum(slope**2), [x, v]), pushforward(slope, v, v), pushforward(cost, x, x)]

    found = function([x, v], derivatives(many), mode="py")(A, A[0])
    wanted = function([x, v], derivatives(one), mode="py")(A, A[0])
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)


def test_a_gradient_within_is_of_the_sum_over_devices() -> None:
    def step(X: Any, w: Any) -> Any:
        value, slope = value_and_grad(wt.sum(wt.tanh(X @ w)), w)
        return wt.psum(value, "data"), wt.psum(slope, "data")

    value, slope = mapped(step, [("data",), None], None, A, A[0])
    eta = A @ A[0]
    np.testing.assert_allclose(value, np.tanh(eta).sum())
    np.testing.assert_allclose(slope, A.T @ (1 - np.tanh(eta) ** 2))


def test_what_a_function_uses_besides_its_arguments_is_given_in_full() -> None:
    x, w = wt.dmatrix("x"), wt.dvector("w")
    scale = wt.exp(w)
    y = wt.sum(wt.shard_map(lambda x: x @ scale, MESH, [("data",)], ("data",))(x))
    slope = function([x, w], grad(y, scale), mode="py")(A, A[0])
    np.testing.assert_allclose(slope, A.sum(0))


def test_lengths_are_known_as_far_as_possible() -> None:
    x = wt.dmatrix("x", shape=("n", 8))
    double = wt.shard_map(lambda x: 2 * x, MESH, [("data", "model")], ("data", "model"))
    assert double(x).type == x.type
    (node,) = FunctionGraph([x], [double(x)]).nodes
    assert isinstance(node.op, wt.ShardMap)
    assert str(node.op.graph.inputs[0].type) == "float64[(n // 4), 4]"


def test_equal_maps_are_one_op_and_survive_pickling() -> None:
    x = wt.dvector("x")
    ys = [wt.shard_map(lambda x: 2 * x, MESH, ["data"], "data")(x) for _ in range(2)]
    assert ys[0] is ys[1]
    f = pickle.loads(pickle.dumps(function([x], ys[0], mode="py")))
    np.testing.assert_array_equal(f(V), 2 * V)


def test_integers_have_no_derivative() -> None:
    i, x = wt.lvector("i"), wt.dvector("x")
    y = wt.sum(wt.shard_map(lambda i, x: x * i, MESH, ["data", "data"], "data")(i, x))
    np.testing.assert_array_equal(grad(y, x).eval({i: [1] * 4, x: [2.0] * 4}), [1.0] * 4)
    assert grad(y, i).eval({i: [1] * 4, x: [2.0] * 4}).tolist() == [0] * 4
    z = wt.sum(wt.shard_map(lambda i, x: x * i.shape[0], MESH, ["data", "data"], "data")(i, x))
    with pytest.raises(DisconnectedInputError):
        grad(z, i)


def test_what_can_not_be() -> None:
    x, s = wt.dvector("x"), wt.dscalar("s")
    with pytest.raises(ValueError, match=r"output 0 .* may differ .*'data'.*psum"):
        wt.shard_map(wt.sum, MESH, ["data"], None)(x)
    with pytest.raises(ValueError, match=r"argument 0 .* along 'rows', .* 'data', 'model'"):
        wt.shard_map(wt.sum, MESH, ["rows"], None)(x)
    with pytest.raises(ValueError, match="2 entries for 1 axes"):
        wt.shard_map(wt.sum, MESH, [("data", None)], None)(x)
    with pytest.raises(ValueError, match="mentions an axis of the mesh twice"):
        wt.shard(wt.dmatrix("X"), "data", "data")
    with pytest.raises(TypeError, match="2 arguments and 1 in_specs"):
        wt.shard_map(wt.add, MESH, ["data"], None)(x, x)
    with pytest.raises(TypeError, match="1 results and 2 out_specs"):
        wt.shard_map(lambda x: [x], MESH, ["data"], ["data", None])(x)
    with pytest.raises(ValueError, match=r"psum\[data\].*depends on none of the arguments"):
        wt.shard_map(lambda x: x + wt.psum(s, "data"), MESH, ["data"], "data")(x)
    with pytest.raises(ValueError, match=r"length 10, which 4 devices .* 2 more rows, or 2 fewer"):
        wt.shard_map(lambda x: x, MESH, ["data"], "data")(np.ones(10))
    with pytest.raises(TypeError, match="pmean needs floats"):
        wt.pmean(wt.lscalar("i"), "data")
    with pytest.raises(TypeError, match="given by name"):
        wt.psum(x, 0)  # type: ignore[arg-type]  # that is the point
    anything: list[dict[str, Any]] = [{}, {"data": 0}, {"data": 2.0}]
    for wrong in anything:
        with pytest.raises(ValueError, match=r"a mesh needs|needs a positive int"):
            wt.Mesh(**wrong)


def test_errors_at_a_call() -> None:
    with pytest.raises(ValueError, match=r"argument 0 of shard_map has an axis of length 6"):
        mapped(lambda x: x, ["data"], "data", V[:6])
    with pytest.raises(ValueError, match=r"psum\[rows\] is divided along 'rows'"):
        mapped(lambda x: wt.psum(x, "rows"), ["data"], "data", V)
    with pytest.raises(IndexError) as caught:
        mapped(lambda x: x[2:][5], [None], None, V[:4])
    assert "made at" in "".join(caught.value.__notes__)
    x = wt.dvector("x")
    with pytest.raises(ValueError, match=r"psum\[data\] needs devices along 'data'.*shard_map"):
        function([x], wt.psum(x, "data"), mode="py")(V)


def test_shard_changes_no_value() -> None:
    x = wt.dmatrix("x", shape=("n", 3))
    y = wt.shard(x**2, "data")
    assert y.type == x.type
    value, slope = function([x], [y, grad(wt.sum(y), x)], mode="py")(A[:, :3])
    np.testing.assert_array_equal(value, A[:, :3] ** 2)
    np.testing.assert_array_equal(slope, 2 * A[:, :3])
