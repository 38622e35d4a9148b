"""LU factors by machine code: every dtype, layout and shape, and what is made of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, function, grad

RNG = np.random.default_rng(21)
SHAPES = [(4, 4), (3, 5), (5, 3), (2, 70, 70), (3, 1, 4), (0, 3), (3, 0), (0, 2, 2)]


def layouts(x: Any) -> Iterator[Any]:
    yield x
    yield x.swapaxes(-1, -2).copy().swapaxes(-1, -2)
    yield np.repeat(x, 2, axis=-1)[..., ::2]
    yield x[..., ::-1, ::-1].copy()[..., ::-1, ::-1]


@pytest.mark.cases(1)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("ndim", [2, 3])
def test_factors_are_those_of_python(dtype: str, ndim: int) -> None:
    X = wt.tensor("X", dtype, [None] * ndim)
    outputs = [*wt.lu_factor(X), *wt.lu(X), *wt.lu(X, p_indices=True)]
    f, expected = (function([X], outputs, mode=Mode(m, books=[])) for m in ("numba", "py"))
    for shape in [shape for shape in SHAPES if len(shape) == ndim]:
        given = RNG.normal(size=shape) + (1j * RNG.normal(size=shape) if "c" in dtype else 0.0)
        for x in layouts(given.astype(dtype)):
            for ours, wanted in zip(f(x), expected(x), strict=True):
                assert (ours.shape, ours.dtype) == (wanted.shape, wanted.dtype)
                tolerance = 1e-4 if dtype in ("float32", "complex64") else 1e-10
                np.testing.assert_allclose(ours, wanted, atol=tolerance)


def test_a_transposed_matrix_inside_a_graph() -> None:
    X = wt.matrix("X")
    f = function([X], wt.lu(X.T + 0.0, permute_l=True), mode="numba")
    x = RNG.normal(size=(3, 4))
    lower, upper = f(x)
    np.testing.assert_allclose(lower @ upper, x.T)


@pytest.mark.cases(0)
def test_solutions_and_their_gradients() -> None:
    A, b = wt.matrix("A"), wt.vector("b")
    cost = wt.sum(wt.square(wt.lu_solve(wt.lu_factor(A), b)))
    outputs = [cost, *grad(cost, [A, b])]
    values = RNG.normal(size=(30, 30)), RNG.normal(size=30)
    f, expected = (function([A, b], outputs, mode=m) for m in ("numba", "py"))
    for ours, wanted in zip(f(*values), expected(*values), strict=True):
        np.testing.assert_allclose(ours, wanted, rtol=1e-8)


@pytest.mark.cases(0)
def test_pivots_out_of_bounds() -> None:
    p = wt.lvector("p")
    f = function([p], wt.pivot_to_permutation(p), mode="numba")
    for given in ([0, 2], [-1, 0]):
        with pytest.raises(IndexError, match="out of bounds"):
            f(given)
