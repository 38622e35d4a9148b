"""Rules that rely on facts: what they make of expressions, and that values stay as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, Mode, assume, function, graph_inputs, rewrite_graph
from weft_rewrites import books

x, y = wt.vector("x"), wt.vector("y")
s = wt.scalar("s")
A = wt.matrix("A", shape=("n", "n"))
NAN, INF = float("nan"), float("inf")
number = assume(s, finite=True)
positive = assume(s, positive=True, finite=True)
negative = assume(s, negative=True, finite=True)
definite = assume(A, positive_definite=True)


def rewritten(expression: Any) -> Any:
    inputs = graph_inputs([expression])
    return rewrite_graph(FunctionGraph(inputs, [expression]), books).outputs[0]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (wt.abs(wt.exp(x)), wt.exp(x)),
        (wt.abs(assume(x, negative=True)), -x),
        (wt.abs(assume(x, nonnegative=True)), wt.abs(x)),  # it may be -0.0
        (wt.abs(assume(x, nonnegative=True, no_negative_zero=True)), x),
        (wt.sqrt(wt.square(assume(x, positive=True))), x),
        (wt.sqrt(wt.square(x)), wt.abs(x)),
        (wt.maximum(wt.square(x), 0), wt.square(x)),
        (wt.maximum(0, wt.square(x)), wt.square(x)),
        (wt.minimum(assume(x, negative=True), 0), x),
        (wt.minimum(assume(x, positive=True), 0), wt.minimum(x, 0)),  # it may be NaN
        (wt.minimum(positive, 0), wt.constant(0.0)),
        (wt.maximum(wt.square(x), wt.square(y)), wt.maximum(wt.square(x), wt.square(y))),
        (wt.sign(positive), wt.constant(1.0)),
        (wt.sign(negative), wt.constant(-1.0)),
        (wt.sign(assume(s, positive=True)), wt.sign(s)),  # it may be NaN
        (wt.isnan(number), wt.constant(False)),
        (wt.isinf(number), wt.constant(False)),
        (wt.isfinite(wt.tanh(number)), wt.constant(True)),
        (wt.isfinite(2 * number), wt.isfinite(2 * s)),
        (positive > 0, wt.constant(True)),
        (positive >= 0, wt.constant(True)),
        (wt.square(s) < 0, wt.constant(False)),
        (wt.square(s) >= 0, wt.square(s) >= 0),  # it may be NaN
        (wt.eq(assume(s, nonzero=True), 0), wt.constant(False)),
        (wt.neq(1 + wt.square(s), 0), wt.constant(True)),
        (wt.where(positive > 0, x, s), x),
        (wt.floor(wt.rint(x)), wt.rint(x)),
        (wt.ceil(wt.floor(x) + 1), wt.floor(x) + 1),
        (wt.log(positive**1.7), 1.7 * wt.log(s)),
        (wt.log(assume(s, positive=True) ** 1.7), wt.log(s**1.7)),
        (wt.exp(wt.log(assume(x, positive=True))), x),
        ((A @ A.T).T, A @ A.T),
        (wt.inv(assume(A, orthogonal=True)), A.T),
        (wt.cholesky(wt.cholesky(A) @ wt.cholesky(A).T), wt.cholesky(A)),
        (wt.cholesky(assume(definite, diagonal=True)), wt.sqrt(wt.abs(A))),
        (assume(wt.exp(x), finite=True), wt.exp(x)),
    ],
)
def test_what_becomes_of_expressions(expression: Any, expected: Any) -> None:
    assert rewritten(expression) is rewritten(expected)


def test_structure_replaces_general_algorithms() -> None:
    inverse = rewritten(wt.inv(wt.cholesky(A)))
    assert type(inverse.op) is wt.SolveTriangular
    volume = rewritten(wt.det(wt.cholesky(A)))
    assert type(volume.op) is wt.Prod
    value = np.array([[4.0, 1.0], [1.0, 3.0]])
    for old in (wt.inv(wt.cholesky(A)), wt.det(wt.cholesky(A)), wt.det(wt.triu(A))):
        plain = function([A], old, mode=Mode("py", books=[]))(value)
        np.testing.assert_allclose(function([A], old, mode="py")(value), plain, rtol=1e-12)


def test_structure_of_stacks() -> None:
    stack = assume(wt.tensor3("stack", shape=(2, 3, 3)), lower_triangular=True)
    value = np.tril(np.random.default_rng(0).normal(size=(2, 3, 3)) + 3 * np.eye(3))
    for old in (wt.inv(stack), wt.det(stack)):
        new = rewritten(old)
        assert new.op is not old.op
        inputs = [stack.inputs[0]]
        np.testing.assert_allclose(
            function(inputs, old, mode="py")(value), new.eval({inputs[0]: value}), rtol=1e-12
        )


def test_zeros_keep_their_signs_and_nan_stays() -> None:
    v = np.array([-0.0, 0.0, NAN, -INF])
    relu = function([x], wt.abs(wt.maximum(x, 0.0)), mode="py")(v)
    assert not np.signbit(relu[:2]).any()
    assert np.isnan(relu[2])
    assert np.isnan(function([x], wt.abs(wt.exp(x)), mode="py")(v)[2])
    reciprocal = function([x], 1 / wt.abs(wt.sqrt(wt.abs(x))), mode="py")
    with np.errstate(divide="ignore"):
        assert (reciprocal(v[:2]) == INF).all()


def test_an_assumption_serves_and_goes() -> None:
    v = assume(x, positive=True)
    cost = (wt.abs(v) * wt.sqrt(wt.square(v))).sum()
    compiled = function([x], [cost, wt.log(v)], mode="py")
    assert "ssume" not in compiled.source
    assert rewritten(cost) is rewritten(wt.square(x).sum())
