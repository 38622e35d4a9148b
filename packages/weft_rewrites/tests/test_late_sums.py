"""Sums over stretched axes taken late, and differences of either sign computed once."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, Mode, function, grad, rewrite_graph
from weft_rewrites.ops.shape.late_sums import sum_late
from weft_tensor import Elemwise, IndexUpdate, Sum, SumTo, TensorVariable

X, Y, Z, A, B = (wt.vector(name) for name in "xyzab")
M, N = wt.matrix("M"), wt.matrix("N")
S = wt.scalar("s")
OPEN = Mode("py", books=[])


def kinds(outputs: list[Any]) -> list[str]:
    """The Ops that are left, by class, or by function."""
    nodes = rewrite_graph(FunctionGraph(outputs=outputs), Mode("py").books).nodes
    return [str(v.op) if type(v.op) is Elemwise else type(v.op).__name__ for v in nodes]


def stretched(x: Any, y: Any, z: Any) -> TensorVariable:
    p = 1 / (1 + wt.exp(-(S + S * x)))
    return wt.sum(y * wt.log(p) + (1 - y) * wt.log(1 - p)) + wt.sum((x - y) * z)


@pytest.mark.parametrize("lengths", [*product((1, 3), repeat=3)])
def test_derivatives_are_summed_over_what_was_stretched(lengths: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    values = [rng.uniform(0.1, 0.9, n) for n in lengths]
    cost = stretched(X, Y, Z)
    outputs = [cost, *grad(cost, [X, Y, Z, S])]
    results = [function([X, Y, Z, S], outputs, mode=m)(*values, 0.5) for m in (OPEN, "py")]
    for plain, got in zip(*results, strict=True):
        assert got.shape == plain.shape
        np.testing.assert_allclose(got, plain, rtol=1e-12)


@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (1, 3), (2, 3)])
def test_sums_over_one_axis_wait_for_sums_over_it(shape: tuple[int, int]) -> None:
    narrow = SumTo()(M * N, *M.shape)
    outputs = [wt.sum(narrow * M), wt.sum(narrow * M, 0), wt.sum(-narrow / 3.0) + wt.sum(narrow)]
    rng = np.random.default_rng(1)
    values = rng.normal(size=shape), rng.normal(size=(2, 3))
    results = [function([M, N], outputs, mode=mode)(*values) for mode in (OPEN, "py")]
    for plain, got in zip(*results, strict=True):
        np.testing.assert_allclose(got, plain, rtol=1e-12)


def test_what_is_summed_anyway_is_not_summed_before() -> None:
    weighted = -(SumTo()(wt.broadcast_to(-2.0, (X * Y).shape) * Y, *X.shape) * X)
    assert kinds([weighted.sum()]).count("SumTo") == 0
    assert kinds([weighted.sum(), (weighted / S).sum()]).count("SumTo") == 0
    assert kinds([weighted.sum(), weighted]).count("SumTo") == 1
    assert kinds([weighted.sum(), wt.exp(weighted)]).count("SumTo") == 1


def test_sums_to_one_shape_are_joined() -> None:
    first, second = (SumTo()(X * Y * v, *X.shape) for v in (X, Y))
    assert kinds([first * X - second / 2.0]).count("SumTo") == 1
    assert kinds([first * Z]).count("SumTo") == 1  # z may be longer than x


def test_differences_are_computed_with_one_sign() -> None:
    scaled = (X - Y) * S
    assert kinds([scaled.sum(), wt.sum((Y - X) * S) + 1.0]).count("sub") == 2  # 1 - the other
    assert kinds([wt.exp(X - Y), wt.exp(Y - X)]).count("sub") == 2  # a sign would take as much
    wide = wt.exp(X - Y) * Z, (wt.sin(Y - X) * A) @ M + B
    rng = np.random.default_rng(2)
    values = [rng.normal(size=3) for _ in range(5)] + [rng.normal(size=(3, 3)), np.array(0.3)]
    outputs = [scaled, (Y - X) * S, *wide, (A - scaled) - B, -(scaled + A) * (Y - X), abs(Y - X)]
    inputs = [X, Y, Z, A, B, M, S]
    results = [function(inputs, outputs, mode=mode)(*values) for mode in (OPEN, "py")]
    for plain, got in zip(*results, strict=True):
        np.testing.assert_allclose(got, plain, rtol=1e-12, atol=1e-15)


def test_increments_of_zeros_are_added_to_what_is_there() -> None:
    total = wt.exp(X[0]) + wt.sin(X[1]) * X[0]
    left = rewrite_graph(FunctionGraph([X], [grad(total, X)]), Mode("py").books)
    assert sum(type(v.op) is IndexUpdate for v in left.nodes) == 2
    assert not any(v.op is Elemwise("add") and v.type is X.type for v in left.nodes)


def test_factors_that_are_no_infinity_come_before_sums_of_nothing() -> None:
    left = rewrite_graph(FunctionGraph([X, S], [wt.sum(-2.0 * wt.exp(S) * X)]), Mode("py").books)
    (chosen,) = [v for v in left.nodes if str(v.op) == "where"]
    assert str(chosen.inputs[1].op) == "exp"
    assert [type(v.op) for v in left.nodes].count(Sum) == 1
    f = function([X, S], wt.sum(-2.0 * wt.exp(S) * X), mode="py")
    assert f(np.zeros(0), np.inf) == 0.0
    assert f(np.ones(2), 0.0) == -4.0


def test_lengths_that_share_parts_are_read_once() -> None:
    """There are 2 ** 50 ways from the last one to its parts."""
    a, b, c = X, Y, Z
    for _ in range(50):
        a, b, c = a * b, b * c, c * a
    late = sum_late(FunctionGraph(outputs=[(SumTo()(a * A, *A.shape) * A).sum()]))
    assert not any(type(v.op) is SumTo for v in late.nodes)
