"""Products of several matrices take the cheapest order that what is there anyway allows."""

from __future__ import annotations

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, function
from weft_rewrites.ops.linalg.matrix_chain import order_products

A, B, C = wt.dmatrices("A B C")
x, y = wt.vector("x", dtype="float64"), wt.vector("y", dtype="float64")


def ordered(*outputs: wt.TensorVariable) -> tuple[object, ...]:
    return order_products(FunctionGraph([A, B, C, x, y], outputs)).outputs


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ([A @ B @ x], [A @ (B @ x)]),
        ([A @ B @ C @ x], [A @ (B @ (C @ x))]),
        ([A @ B @ x, wt.exp(A @ B)], [A @ B @ x, wt.exp(A @ B)]),
        ([A @ B @ C, B @ C], [A @ (B @ C), B @ C]),
        ([A @ B @ C, wt.exp(A @ B), wt.exp(B @ C)], [A @ B @ C, wt.exp(A @ B), wt.exp(B @ C)]),
        ([A @ B @ x, A @ B @ y], [A @ B @ x, A @ B @ y]),
        ([x @ A @ B, A @ x], [x @ A @ B, A @ x]),
    ],
)
def test_what_is_there_costs_nothing(
    written: list[wt.TensorVariable], wanted: list[wt.TensorVariable]
) -> None:
    outputs = ordered(*written)
    assert all(a is b for a, b in zip(outputs, wanted, strict=True))


def test_products_with_vectors_within_are_none_of_matrices() -> None:
    outputs = [(A @ B @ C @ x) @ x, (A @ B @ x) @ A, x @ (y @ A @ B), (x @ A @ B) @ (A @ B @ x)]
    rng = np.random.default_rng(0)
    values = [*rng.normal(size=(3, 4, 4)), *rng.normal(size=(2, 4))]
    a, b, c, u, v = values
    expected = [(a @ b @ c @ u) @ u, (a @ b @ u) @ a, u @ (v @ a @ b), (u @ a @ b) @ (a @ b @ u)]
    for got, right in zip(function([A, B, C, x, y], outputs)(*values), expected, strict=True):
        np.testing.assert_allclose(got, right, rtol=1e-10)


def test_other_users_do_not_change_the_order() -> None:
    """Loops over one range can be one only if their steps are written in one way."""
    tall = wt.TensorType("float64", (4, 2))("tall")
    wide = wt.TensorType("float64", (2, 4))("wide")
    square = wt.TensorType("float64", (4, 4))("square")
    both = tall @ wide @ square
    graph = FunctionGraph([tall, wide, square], [both, wide @ square])
    other = FunctionGraph([tall, wide, square], [both, wide @ square, tall @ wide])
    assert order_products(graph).outputs[0] is order_products(other).outputs[0]
    assert order_products(graph).outputs[0] is tall @ (wide @ square)


def test_long_products() -> None:
    """Of more factors than are looked at; the values stay."""
    rng = np.random.default_rng(0)
    matrices = [wt.dmatrix(f"m{k}") for k in range(40)]
    values = [rng.normal(size=(3, 3)) / 2 for _ in matrices]
    total = matrices[0]
    for m in matrices[1:]:
        total = total @ m
    total = total @ wt.constant([1.0, 2.0, 3.0])
    new = order_products(FunctionGraph(matrices, [total]))
    computed = function(matrices, list(new.outputs), mode="py")(*values)[0]
    np.testing.assert_allclose(computed, np.linalg.multi_dot(values) @ [1, 2, 3], rtol=1e-9)
