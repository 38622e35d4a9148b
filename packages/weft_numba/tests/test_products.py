"""Products by machine code: every layout, dtype and size that takes its own way."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, Mode, function
from weft_numba.analysis.specialise import narrowed
from weft_numba.fusion.grouping import Fused, fuse

RNG = np.random.default_rng(7)
MODE = Mode("numba", books=[])


@cache
def product(dtype: str, left: int, right: int) -> Any:
    """The compiled product of operands of these ranks."""
    a, b = wt.tensor("a", dtype, [None] * left), wt.tensor("b", dtype, [None] * right)
    return function([a, b], a @ b, mode=MODE)


def drawn(dtype: str, *shape: int) -> Any:
    """Numbers of a dtype; small ones, so that integers do not overflow."""
    x = RNG.normal(size=shape) * 3
    if dtype.startswith("complex"):
        x = x + 1j * RNG.normal(size=shape)
    return (x > 0) if dtype == "bool" else x.astype(dtype)


def layouts(x: Any) -> Iterator[Any]:
    """The same matrix in ways that BLAS takes, and in ways that it does not."""
    yield x
    yield np.asfortranarray(x)
    wide = np.zeros((x.shape[0], 2 * x.shape[1] + 1), x.dtype)
    wide[:, : x.shape[1]] = x
    yield wide[:, : x.shape[1]]
    wide[:, ::2][:, : x.shape[1]] = x
    yield wide[:, ::2][:, : x.shape[1]]
    yield np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1]


def same(actual: Any, expected: Any) -> None:
    assert actual.dtype == expected.dtype
    rtol = (
        1e-4 if expected.dtype.itemsize * 8 // (1 + (expected.dtype.kind == "c")) == 32 else 1e-10
    )
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=rtol)


def test_vectors_are_multiplied_in_the_loop_that_computes_them() -> None:
    a, b = wt.vector("a"), wt.vector("b")
    total = wt.dot(wt.exp(a), b / 2)
    (step,) = fuse(narrowed(FunctionGraph([a, b], [total]), assume=True).graph, assume=True)
    assert isinstance(step, Fused)
    f = function([a, b], total, mode=MODE)
    np.testing.assert_allclose(f(np.arange(9.0), np.ones(9)), np.exp(np.arange(9.0)).sum() / 2)
    with pytest.raises(ValueError, match="9"):
        f(np.ones(9), np.ones(1))


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "complex64", "complex128", "int16", "bool"]
)
def test_matrices_in_every_layout(dtype: str) -> None:
    f = product(dtype, 2, 2)
    for m, k, n in [(3, 4, 2), (9, 8, 11), (30, 20, 25), (1, 40, 40), (40, 40, 1), (1, 90, 1)]:
        a, b = drawn(dtype, m, k), drawn(dtype, k, n)
        for x in layouts(a):
            for y in layouts(b):
                same(f(x, y), np.matmul(a, b))


@pytest.mark.cases(1)
@pytest.mark.parametrize("dtype", ["float64", "complex64", "int64"])
def test_vectors(dtype: str) -> None:
    for n in (0, 1, 5, 200):
        a, b, X = drawn(dtype, n), drawn(dtype, n), drawn(dtype, n, 7)
        for step in (1, 3, -1):
            x, y = np.repeat(a, abs(step))[::step], np.repeat(b, abs(step))[::step]
            same(product(dtype, 1, 1)(x, y), np.matmul(x, y)[()])
            same(product(dtype, 1, 2)(x, X), np.matmul(x, X))
            same(product(dtype, 2, 1)(X.T, x), np.matmul(X.T, x))


@pytest.mark.cases(2)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128", "int16"])
def test_a_matrix_times_its_transpose(dtype: str) -> None:
    x = wt.tensor("x", dtype, (None, None))
    f = function([x], [x.T @ x, x @ x.T], mode=MODE)
    for shape in ((3, 2), (40, 30), (1, 70), (70, 1), (0, 4)):
        for value in layouts(drawn(dtype, *shape)):
            inner, outer = f(value)
            same(inner, value.T @ value)
            same(outer, value @ value.T)
            np.testing.assert_array_equal(inner, inner.T)


def test_a_number_repeated_by_a_stride_of_zero() -> None:
    x, X = np.broadcast_to(2.0, 30), np.broadcast_to(drawn("float64", 30), (40, 30))
    same(product("float64", 2, 1)(X, x), X @ x)
    same(product("float64", 2, 2)(X, X.T), X @ X.T)


@pytest.mark.parametrize("shapes", [((0, 3), (3, 2)), ((2, 0), (0, 3)), ((2, 3), (3, 0))])
@pytest.mark.parametrize("dtype", ["float64", "complex128", "int32"])
def test_empty_matrices(dtype: str, shapes: Any) -> None:
    a, b = (drawn(dtype, *s) for s in shapes)
    same(product(dtype, 2, 2)(a, b), a @ b)
    stack = np.zeros((0, *shapes[0]), dtype)
    same(product(dtype, 3, 2)(stack, b), stack @ b)


@pytest.mark.parametrize(
    "shapes", [((5, 3, 4), (4, 2)), ((1, 3, 4), (5, 4, 2)), ((2, 5, 3, 4), (5, 4, 2))]
)
def test_stacks_are_broadcast(shapes: Any) -> None:
    a, b = (drawn("float64", *s) for s in shapes)
    same(product("float64", a.ndim, b.ndim)(a, b), a @ b)
    swapped = a.swapaxes(-1, -2).copy().swapaxes(-1, -2)
    same(product("float64", a.ndim, b.ndim)(swapped, b), a @ b)


def test_what_is_not_a_number_stays_it() -> None:
    a, b = np.zeros((30, 30)), np.zeros((30, 30))
    a[0, 0], a[1, 1], b[1, 0] = np.nan, np.inf, 1.0
    for n in (3, 30):
        x, y = a[:n, :n].copy(), b[:n, :n].copy()
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(product("float64", 2, 2)(x, y), x @ y)


def test_lengths_that_blas_does_not_count() -> None:
    a, b = np.empty((0, 2**31)), np.empty((2**31, 0))  # which take no memory
    with pytest.raises(ValueError, match="too long for BLAS"):
        product("float64", 2, 2)(a, b)


def test_what_may_not_be_written_is_read() -> None:
    X = drawn("float64", 30, 30)
    X.flags.writeable = False
    same(product("float64", 2, 2)(X, X), X @ X)


def test_lengths_that_do_not_fit() -> None:
    f = product("float64", 3, 3)
    for shapes in [((2, 3, 4), (2, 3, 4)), ((2, 3, 4), (3, 4, 5))]:
        with pytest.raises(ValueError, match="matmul") as caught:
            f(*(np.ones(s) for s in shapes))
        assert "while computing matmul" in caught.value.__notes__[0]


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_vector_for_each_matrix_of_a_stack(side: str) -> None:
    a, v = wt.tensor3("a"), wt.matrix("v")
    product = wt.matmul(a, v[:, :, None]) if side == "right" else wt.matmul(v[:, None, :], a)
    f, reference = (function([a, v], wt.exp(product), mode=mode) for mode in ("numba", "py"))
    usual = narrowed(FunctionGraph([a, v], [product]), assume=True).graph
    assert "sum" in {str(node.op).split("[")[0] for node in usual.nodes}
    rng = np.random.default_rng(0)
    for of_a, of_v in (
        ((5, 3, 3), (5, 3)),
        ((2, 4, 7), (2, 7)),
        ((2, 7, 4), (2, 7)),
        ((0, 3, 3), (0, 3)),
        ((5, 3, 3), (1, 3)),
        ((1, 3, 3), (5, 3)),
        ((5, 3, 3), (5, 1)),
        ((5, 1, 1), (5, 3)),
        ((5, 3, 3), (4, 3)),
        ((2, 3, 0), (2, 0)),
        ((2, 0, 3), (2, 0)),
    ):
        values = rng.normal(size=of_a), rng.normal(size=of_v)
        try:
            expected = reference(*values)
        except ValueError:
            with pytest.raises(ValueError, match="made at"):
                f(*values)
        else:
            np.testing.assert_allclose(f(*values), expected, rtol=1e-12)
