"""Jacobians and Hessians: against finite differences and JAX, and without loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import weft.tensor as wt
from weft import DisconnectedInputError, function, grad
from weft_tensor import Map

MODES: Final = ["py", "numba", "jax"]
RNG: Final = np.random.default_rng(5)
A: Final = RNG.normal(size=(4, 3))
SPD: Final = A.T @ A + np.eye(3)
X: Final = RNG.normal(size=3)

Case = tuple[Callable[[Any, Any], Any], Any]
"""A function of a module like NumPy and a tensor, and a value of that."""

CASES: Final[dict[str, Case]] = {
    "elementwise": (lambda np_, x: np_.tanh(x) * np_.exp(-(x**2)), X),
    "layer": (lambda np_, x: np_.tanh(A @ x), X),
    "two layers": (lambda np_, x: np_.sin(A.T @ np_.tanh(A @ x)) / (1 + x**2), X),
    "matrix": (lambda np_, x: x @ x.T + np_.sum(x, axis=0)[:2], A[:2, :2]),
    "outer": (lambda np_, x: x[:, None] * np_.cos(x), X),
    "reductions": (lambda np_, x: np_.stack([np_.sum(x**3), np_.prod(x), np_.max(x)]), X),
    "cumulative": (lambda np_, x: np_.cumsum(x) * np_.cumprod(x)[::-1], X),
    "indexing": (lambda np_, x: x[np.array([2, 0, 2])] * x[1] + x[::-1], X),
    "sorted": (lambda np_, x: np_.sort(x) ** 2, X),
    "solve": (lambda np_, x: np_.linalg.solve(SPD + x[:, None] * x, x), X),
    "inverse": (lambda np_, x: np_.linalg.inv(SPD + np_.diag(x**2)), X),
    "cholesky": (lambda np_, x: np_.linalg.cholesky(SPD + x[:, None] * x), X),
    "determinant": (lambda np_, x: np_.linalg.slogdet(SPD + np_.diag(x**2))[1], X),
    "joined": (lambda np_, x: np_.concatenate([x[1:], np_.log1p(x**2).reshape((3,))]), X),
    "chosen": (lambda np_, x: np_.where(x > 0, x**3, np_.sin(x)), X),
    "scalar": (lambda np_, x: np_.exp(x) * x * A, np.array(0.5)),
}


def _differences(f: Callable[[Any], Any], x: Any) -> Any:
    """The Jacobian of `f` by central differences."""
    columns = []
    for place in np.ndindex(x.shape):
        step = np.zeros(x.shape)
        step[place] = 1e-5
        columns.append((np.asarray(f(x + step)) - f(x - step)) / 2e-5)
    whole = np.stack(columns, -1)
    return whole.reshape(*whole.shape[:-1], *x.shape)


@pytest.fixture(autouse=True)
def _in_64_bits() -> Any:
    with jax.enable_x64(True):
        yield


@pytest.mark.cases(8)
@pytest.mark.parametrize("name", CASES)
def test_both_modes_are_those_of_jax(name: str) -> None:
    """Without a loop, lengths known or not; of shape y.shape + x.shape."""
    f, value = CASES[name]
    wanted = np.asarray(jax.jit(jax.jacobian(lambda x: f(jnp, x)))(value))
    np.testing.assert_allclose(_differences(lambda x: f(np, x), value), wanted, atol=1e-7)
    for shape in (value.shape, [None] * value.ndim):
        x = wt.tensor("float64", shape=shape)
        y = f(wt, x)
        both = function(
            [x], [wt.jacobian(y, x, mode) for mode in ("forward", "reverse")], mode="py"
        )
        assert not any(isinstance(v.op, Map) for v in both.graph.nodes)
        for found in both(value):
            np.testing.assert_allclose(found, wanted, atol=1e-9)


@pytest.mark.cases(8)
@pytest.mark.parametrize("name", CASES)
def test_hessians_are_those_of_jax(name: str) -> None:
    """Of the sum of squares; and their products with vectors."""
    f, value = CASES[name]
    wanted = np.asarray(jax.jit(jax.hessian(lambda x: jnp.sum(f(jnp, x) ** 2)))(value))
    x = wt.tensor("float64", shape=value.shape)
    cost = wt.sum(f(wt, x) ** 2)
    v = x.type()
    outputs = [wt.hessian(cost, x), wt.hessian_vector_product(cost, x, v)]
    compiled = function([x, v], outputs, mode="py")
    assert not any(isinstance(node.op, Map) for node in compiled.graph.nodes)
    direction = np.cos(value)
    whole, product = compiled(value, direction)
    np.testing.assert_allclose(whole, wanted, atol=1e-8)
    np.testing.assert_allclose(product, np.tensordot(wanted, direction, value.ndim), atol=1e-8)


@pytest.mark.parametrize("mode", MODES)
def test_backends_agree(mode: str) -> None:
    """A Jacobian and a Hessian on each of them."""
    x = wt.vector("x")
    y = wt.tanh(wt.as_tensor(A) @ x)
    f = function([x], [wt.jacobian(y, x), wt.hessian(wt.sum(y**2), x)], mode=mode)
    jac, hess = f(X)
    np.testing.assert_allclose(jac, (1 - np.tanh(A @ X) ** 2)[:, None] * A, rtol=1e-7)

    def cost(x: Any) -> Any:
        return jnp.sum(jnp.tanh(A @ x) ** 2)

    np.testing.assert_allclose(hess, jax.jit(jax.hessian(cost))(X), rtol=1e-7)


@dataclass
class Weights:
    """What a layer has."""

    matrix: Any
    bias: Any


def test_structures() -> None:
    """By lists and dataclasses; blocks between two of them."""
    w, b, x = wt.matrix("w", shape=(2, 3)), wt.vector("b", shape=(2,)), wt.vector("x")
    y = wt.tanh(w @ x + b)
    values = A[:2], A[0, :2], X

    def of_jax(w: Any, b: Any) -> Any:
        return jnp.tanh(w @ X + b)

    by = wt.jacobian({"y": y, "s": y.sum()}, Weights(w, b))
    assert isinstance(by["y"], Weights)
    found = function([w, b, x], [by["y"].matrix, by["y"].bias, by["s"].bias], mode="py")(*values)
    wanted = jax.jit(jax.jacobian(of_jax, (0, 1)))(*values[:2])
    np.testing.assert_allclose(found[0], wanted[0], atol=1e-12)
    np.testing.assert_allclose(found[1], wanted[1], atol=1e-12)
    np.testing.assert_allclose(found[2], wanted[1].sum(0), atol=1e-12)

    blocks = wt.hessian((y**2).sum(), [w, b])
    hessians = function([w, b, x], [*blocks[0], *blocks[1]], mode="py")(*values)
    wanted = jax.jit(jax.hessian(lambda w, b: jnp.sum(of_jax(w, b) ** 2), (0, 1)))(*values[:2])
    for got, block in zip(hessians, [*wanted[0], *wanted[1]], strict=True):
        np.testing.assert_allclose(got, block, atol=1e-12)

    ahead = wt.jacobian_vector_product([y], [w, b], [w, b])
    (moved,) = function([w, b, x], ahead, mode="py")(*values)
    np.testing.assert_allclose(moved, jax.jvp(of_jax, values[:2], values[:2])[1], atol=1e-12)


def test_what_is_auto() -> None:
    """Forward for fewer inputs than results, else reverse: by the size of what is batched."""
    x, y = wt.vector("x", shape=(2,)), wt.vector("y", shape=(50,))
    for out, by, least in ((y * x.sum(), x, 2), ((y * x[0])[:2], y, 2)):
        nodes: list[Any] = [*wt.FunctionGraph(outputs=[wt.jacobian(out, by)]).nodes]
        lengths = {v.type.shape for v in nodes}
        assert any(least in shape for shape in lengths)
        assert (50, 50) not in lengths


def test_unknown_lengths_are_taken_for_long() -> None:
    few, some, data = wt.vector("few", shape=(2,)), wt.vector("some"), wt.vector("data")
    pairs: list[tuple[Any, Any, Any]] = [
        (data * few.sum(), few, "forward"),
        ((few * data.sum()), data, "reverse"),
        (wt.exp(data * some[0]), some, "forward"),
    ]
    for out, by, mode in pairs:
        assert wt.jacobian(out, by) is wt.jacobian(out, by, mode)


def test_zero_second_derivatives_and_no_dependence() -> None:
    """A linear cost has a Hessian of zeros; what does not depend at all is an error, or zeros."""
    x, z = wt.vector("x"), wt.vector("z")
    np.testing.assert_array_equal(wt.hessian(x.sum(), x).eval({x: X}), np.zeros((3, 3)))
    np.testing.assert_array_equal(
        wt.hessian_vector_product(x.sum(), x, z).eval({x: X, z: X}), np.zeros(3)
    )
    np.testing.assert_array_equal(wt.jacobian(wt.floor(x), x).eval({x: X}), np.zeros((3, 3)))
    with pytest.raises(DisconnectedInputError):
        wt.jacobian(x, z)
    with pytest.raises(DisconnectedInputError):
        wt.jacobian(x, z, "forward")
    with pytest.raises(DisconnectedInputError):
        wt.hessian(x.sum(), [x, z])
    zeros = wt.jacobian(x, z, disconnected_inputs="ignore")
    np.testing.assert_array_equal(zeros.eval({x: X, z: X[:2]}), np.zeros((3, 2)))


def test_no_elements() -> None:
    """Of tensors without elements, Jacobians without elements."""
    x = wt.vector("x")
    f = function([x], [wt.jacobian(x * 2, x, mode) for mode in ("forward", "reverse")], mode="py")
    assert [v.shape for v in f(X[:0])] == [(0, 0), (0, 0)]


def test_bad_arguments() -> None:
    """Modes, dtypes and structures that there are not."""
    x, n, z = wt.vector("x"), wt.lvector("n"), wt.zvector("z")
    with pytest.raises(ValueError, match="mode is 'auto', 'forward' or 'reverse', not 'both'"):
        wt.jacobian(x, x, "both")  # type: ignore[arg-type]  # no mode
    with pytest.raises(ValueError, match="disconnected_inputs is"):
        wt.jacobian(x, x, disconnected_inputs="no")  # type: ignore[arg-type]  # no choice
    for y, by in ((x, n), (n, x), (z, x), (x, z)):
        with pytest.raises(TypeError, match="jacobian is of real floating tensors, but"):
            wt.jacobian(y, by)
    with pytest.raises(TypeError, match="hessian is of tensor variables, not 'x'"):
        wt.hessian(x.sum(), "x")
    with pytest.raises(TypeError, match="scalar"):
        wt.hessian(x, x)
    with pytest.raises(ValueError, match="needs a direction for each variable"):
        wt.hessian_vector_product(x.sum(), [x], [x, x])


def test_third_derivatives() -> None:
    """Batching again what is batched."""
    x = wt.vector("x")
    third = wt.jacobian(wt.hessian((x**4).sum() * x[0], x), x).eval({x: X})
    wanted = jax.jit(jax.jacobian(jax.hessian(lambda x: jnp.sum(x**4) * x[0])))(X)
    np.testing.assert_allclose(third, wanted, atol=1e-9)


def test_derivatives_of_batches() -> None:
    """The Jacobian in a vmap, and the gradient of a Hessian."""
    x, xs = wt.vector("x"), wt.matrix("xs")
    rows = wt.vmap(lambda row: wt.jacobian(wt.sin(row) * row[0], row))(xs)
    wanted = jax.jit(jax.vmap(jax.jacobian(lambda r: jnp.sin(r) * r[0])))(A)
    np.testing.assert_allclose(rows.eval({xs: A}), wanted, atol=1e-12)
    slope = grad(wt.hessian(wt.exp(x).sum(), x).sum(), x)
    np.testing.assert_allclose(slope.eval({x: X}), np.exp(X))
