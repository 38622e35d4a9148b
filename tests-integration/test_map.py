"""`map` gives the same on every backend, rewritten or not; derivatives, checks, random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft.tensor as wt
from weft_graph import FunctionGraph, Mode, OpFromGraph, checkpoint, function, grad
from weft_jax import JAX
from weft_numba import NumbaLinker
from weft_testing import check_op, compare_jax_and_py, compare_numba_and_py

MODES = ["py", "numba", "jax", Mode(NumbaLinker(parallel=True)), Mode(JAX(dynamic_loops="host"))]
NAMES = ["py", "numba", "jax", "numba with threads", "jax with host loops"]
each_mode = pytest.mark.parametrize("mode", MODES, ids=NAMES)
both = pytest.mark.parametrize("compare", [compare_jax_and_py, compare_numba_and_py])
rng = np.random.default_rng(0)
x, w, v = wt.matrix("x"), wt.vector("w"), wt.vector("v")
A = wt.tensor("A", "float64", (None, None, None))
ROWS, WEIGHTS = rng.normal(size=(5, 3)), rng.normal(size=3)


def density(matrix: Any, vector: Any) -> Any:
    """That of a normal distribution but for a constant."""
    root = wt.linalg.cholesky(matrix)
    z = wt.linalg.solve_triangular(root, vector, lower=True)
    return -(z**2).sum() / 2 - wt.log(wt.diagonal(root)).sum()


def positive(n: int) -> Any:
    factors = rng.normal(size=(n, 3, 3))
    return factors @ factors.transpose(0, 2, 1) + np.eye(3)


@pytest.mark.cases(0)
def test_the_op_is_right_in_every_respect() -> None:
    check_op(wt.Map, backends=["py", "numba", "jax"])


@pytest.mark.cases(2)
@both
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32", "float64", "complex128"])
def test_dtypes_and_shapes(compare: Any, dtype: str) -> None:
    for rank in (1, 2, 3):
        t = wt.tensor("t", dtype, (None,) * rank)
        results = wt.map(lambda e: (e, e * e, wt.sum(e), wt.concatenate([[0], [1]])), t)
        for n in (0, 1, 3):
            values = rng.integers(0, 2, size=(n, 2, 3)[:rank]).astype(dtype)
            compare(FunctionGraph([t], results), [values])


@pytest.mark.cases(0)
@each_mode
def test_densities_and_their_gradients(mode: Any) -> None:
    for n in (0, 1, 7):
        values = [positive(n), rng.normal(size=(n, 3))]
        total = wt.map(density, (A, x)).sum()
        found = function([A, x], [total, *grad(total, [A, x])], mode=mode)(*values)
        want = function([A, x], [total, *grad(total, [A, x])], mode=Mode("py", books=[]))(*values)
        for a, b in zip(found, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


@pytest.mark.cases("jax")
@each_mode
def test_gradients_of_gradients(mode: Any) -> None:
    cost = wt.map(lambda row: wt.cumsum(row * w)[1] ** 3, x).sum()
    first = grad(cost, w)
    hessian = grad((first * [1.0, 2.0, 3.0]).sum(), w)
    s = (ROWS * WEIGHTS)[:, :2].sum(1)
    part = ROWS * [1.0, 1.0, 0.0]
    expected = (6 * s[:, None] * part * (part @ [1.0, 2.0, 3.0])[:, None]).sum(0)
    np.testing.assert_allclose(function([x, w], hessian, mode=mode)(ROWS, WEIGHTS), expected)


@pytest.mark.cases(0)
@each_mode
def test_numbers_drawn_inside_are_those_drawn_outside(mode: Any) -> None:
    seed = wt.scalar("seed", "int64")
    keys = wt.random.split(wt.random.key(seed), 4)
    inside = wt.map(lambda key, row: wt.random.normal(key, size=3) + row, (keys, x[:4]))
    outside = [wt.random.normal(keys[k], size=3) + x[k] for k in range(4)]
    found, *wanted = function([seed, x], [inside, *outside], mode=mode)(3, ROWS)
    np.testing.assert_allclose(found, wanted)


@pytest.mark.cases(0)
@each_mode
def test_loops_choices_graphs_and_checkpoints_inside_one_another(mode: Any) -> None:
    @checkpoint
    def layer(row: Any) -> Any:
        return wt.tanh(wt.cumsum(row * w))

    op = OpFromGraph([x, w], [wt.map(lambda row: wt.map(lambda e: wt.sort(e * row)[0], row), x)])
    outer = wt.ifelse(w[0] > 9, wt.map(layer, x), op(x, w) + wt.map(layer, x * 2.0))
    cost = (outer**2).sum()
    outputs = [outer, *grad(cost, [x, w])]
    found = function([x, w], outputs, mode=mode)(ROWS, WEIGHTS)
    wanted = function([x, w], outputs, mode=Mode("py", books=[]))(ROWS, WEIGHTS)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


@pytest.mark.cases("numba", "jax")
@each_mode
def test_an_element_that_is_refused(mode: Any) -> None:
    def root(number: Any) -> Any:
        return wt.sqrt(wt.check_and_raise(number, number >= 0, ValueError, "negative"))

    f = function([v], wt.map(root, v).sum(), mode=mode)
    assert f([4.0, 9.0]) == 5.0
    with pytest.raises(ValueError, match="negative") as caught:
        f([4.0, -9.0])
    assert "wt.check_and_raise(" in "\n".join(caught.value.__notes__)


@pytest.mark.cases("numba", "jax")
@each_mode
def test_sequences_of_different_lengths(mode: Any) -> None:
    f = function([x, v], wt.map(lambda row, e: wt.sort(row) * e, (x, v)), mode=mode)
    with pytest.raises(ValueError, match="map") as caught:
        f(ROWS, np.ones(4))
    assert "wt.map(" in "\n".join(caught.value.__notes__)


@pytest.mark.cases("numba", "jax")
@each_mode
def test_state_that_a_loop_changes(mode: Any) -> None:
    total = wt.shared(np.zeros(3), "total")
    f = function([x], total, updates={total: total + wt.map(wt.sort, x).sum(axis=0)}, mode=mode)
    f(ROWS)
    np.testing.assert_allclose(f(ROWS), np.sort(ROWS).sum(0))


@each_mode
def test_axes_of_sequences(mode: Any) -> None:
    moments = wt.map(
        lambda col, d: (col * w).sum() * d["s"] + d["t"],
        (x, {"s": v, "t": w[0]}),
        (),
        (1, {"s": 0, "t": None}),
    )
    same = wt.map(
        lambda d: d["col"].sum() * d["w"][0], {"col": x, "w": w}, in_axes={"col": -1, "w": None}
    )
    f = function([x, w, v], [moments, same, *grad(moments.sum(), [x, w])], mode=mode)
    weights, scales = rng.normal(size=5), rng.normal(size=3)
    found = f(ROWS, weights, scales)
    np.testing.assert_allclose(found[0], (ROWS.T @ weights) * scales + weights[0])
    np.testing.assert_allclose(found[1], ROWS.sum(0) * weights[0])
    np.testing.assert_allclose(found[2], np.outer(weights, scales))
    np.testing.assert_allclose(found[3], ROWS @ scales + 3 * np.eye(5)[0])


def test_axes_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="in_axes has 1 entries for 2 sequences"):
        wt.map(lambda p, q: p, (x, w), in_axes=(0,))
    with pytest.raises(ValueError, match=r"map: axes \(0, 1\) do not fit"):
        wt.map(lambda p: p, x, in_axes=(0, 1))
    with pytest.raises(TypeError, match="needs a sequence"):
        wt.map(lambda p: p, x, in_axes=None)
    with pytest.raises(TypeError, match="along axis 0"):
        wt.map(lambda p: p, w[0])
