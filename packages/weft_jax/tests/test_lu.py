"""LU factors by JAX: shapes without elements, stacks, solutions, and bad pivots."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad
from weft_jax import as_jax

RNG = np.random.default_rng(21)


@pytest.mark.cases(2)
@pytest.mark.parametrize("shape", [(4, 4), (3, 5), (5, 3), (2, 3, 3), (0, 3), (3, 0), (0, 2, 2)])
def test_factors_are_those_of_python(shape: tuple[int, ...]) -> None:
    X = wt.tensor("X", shape=[None] * len(shape))
    outputs = [*wt.lu_factor(X), *wt.lu(X), *wt.lu(X, p_indices=True)]
    f, expected = (function([X], outputs, mode=m) for m in ("jax", "py"))
    x = RNG.normal(size=shape)
    for ours, wanted in zip(f(x), expected(x), strict=True):
        assert (ours.shape, ours.dtype) == (wanted.shape, wanted.dtype)
        np.testing.assert_allclose(ours, wanted, atol=1e-10)


def test_solutions_and_their_gradients() -> None:
    A, b = wt.matrix("A"), wt.vector("b")
    cost = wt.sum(wt.square(wt.lu_solve(wt.lu_factor(A), b)))
    outputs = [cost, *grad(cost, [A, b])]
    values = RNG.normal(size=(30, 30)), RNG.normal(size=30)
    f, expected = (function([A, b], outputs, mode=m) for m in ("jax", "py"))
    for ours, wanted in zip(f(*values), expected(*values), strict=True):
        np.testing.assert_allclose(ours, wanted, rtol=1e-8)


@pytest.mark.parametrize(("dtype", "factored"), [("float64", 1), ("complex128", 2)])
def test_a_transposed_matrix_has_the_same_factors(dtype: str, factored: int) -> None:
    """Stacks are broadcast; there are slopes of systems, and of transposed ones.

    Slopes of complex ones are by conjugated matrices.
    """
    A, b = wt.tensor3("A", dtype=dtype), wt.tensor3("b", dtype=dtype)
    solved = [wt.linalg.solve(A, b), wt.linalg.solve(A.mT, b)]
    cost = wt.sum(wt.abs(wt.stack(solved)) ** 2)
    parts = RNG.normal(size=(2, 5, 6, 6)), RNG.normal(size=(2, 1, 6, 2))
    values = [(one + 1j * other if dtype[0] == "c" else one) for one, other in parts]
    f, expected = (function([A, b], [*solved, *grad(cost, [A, b])], mode=m) for m in ("jax", "py"))
    for ours, wanted in zip(f(*values), expected(*values), strict=True):
        np.testing.assert_allclose(ours, wanted, rtol=1e-8, atol=1e-12)
    slope = as_jax(function([A, b], grad(wt.sum(wt.real(solved[0])), A), mode="jax"))
    assert str(jax.jit(slope).lower(*values).compile().as_text()).count("getrf") == factored
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        function([A, b], solved[1], mode="jax")(0 * values[0], values[1])


def test_pivots_out_of_bounds() -> None:
    p = wt.lvector("p")
    f = function([p], wt.pivot_to_permutation(p), mode="jax")
    np.testing.assert_array_equal(f([2, 2, 2]), [1, 2, 0])
    for given in ([0, 2], [-1, 0]):
        with pytest.raises(IndexError, match="out of bounds"):
            f(given)
