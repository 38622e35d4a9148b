"""LU factors: SciPy's values, systems that they solve, derivatives of all that is made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg

import weft_tensor as wt
from weft_graph import Mode, function
from weft_testing import check_grad

LINALG: Any = scipy.linalg  # its types say less than what it takes
PY = Mode("py", books=[])
RNG = np.random.default_rng(8)
SQUARE = RNG.normal(size=(4, 4))
COMPLEX = SQUARE + 1j * RNG.normal(size=(4, 4))
STACK = RNG.normal(size=(2, 3, 4, 4))
MATRICES = [SQUARE, SQUARE[:3], SQUARE[:, :2], COMPLEX, SQUARE.astype("float32"), STACK[0, :, 1:]]


def run(build: Any, *arrays: Any) -> Any:
    inputs = [wt.tensor(f"x{k}", a.dtype, [None] * a.ndim) for k, a in enumerate(arrays)]
    return function(inputs, build(*inputs), mode=PY)(*arrays)


@pytest.mark.parametrize("a", MATRICES, ids=lambda a: f"{a.dtype}{list(a.shape)}")
def test_factors_are_scipys(a: Any) -> None:
    for options in ({}, {"permute_l": True}, {"p_indices": True}):
        found = run(lambda x, options=options: wt.lu(x, **options), a)
        for ours, wanted in zip(found, LINALG.lu(a, **options), strict=True):
            assert (ours.shape, ours.dtype) == (wanted.shape, wanted.dtype)
            np.testing.assert_allclose(ours, wanted, atol=1e-6)


def test_integers_and_singular_matrices() -> None:
    p, lower, upper = run(wt.lu, np.array([[1, 2], [2, 4]]))
    np.testing.assert_allclose(p @ lower @ upper, [[1.0, 2.0], [2.0, 4.0]])
    assert upper[1, 1] == 0.0


@pytest.mark.parametrize("a", [SQUARE, COMPLEX, SQUARE.astype("float32")], ids=lambda a: a.dtype)
@pytest.mark.parametrize("trans", [0, 1, 2])
def test_systems_are_solved(a: Any, trans: int) -> None:
    packed, pivots = run(wt.lu_factor, a)
    wanted_packed, wanted_pivots = LINALG.lu_factor(a)
    np.testing.assert_allclose(packed, wanted_packed, atol=1e-6)
    np.testing.assert_array_equal(pivots, wanted_pivots)
    for b in (SQUARE[:, 0], SQUARE[:, :2]):
        found = run(lambda f, p, b: wt.lu_solve((f, p), b, trans=trans), packed, pivots, b)
        wanted = LINALG.lu_solve((packed, pivots), b, trans=trans)
        np.testing.assert_allclose(found, wanted, atol=1e-4 if a.dtype == "float32" else 1e-12)


def test_stacks_on_either_side() -> None:
    def solved(a: Any, b: Any) -> Any:
        return wt.lu_solve(wt.lu_factor(a), b, b_ndim=2)

    for a, b in ((STACK, SQUARE), (SQUARE, STACK), (STACK[0], STACK), (STACK[:, :1], STACK)):
        np.testing.assert_allclose(run(solved, a, b), np.linalg.solve(a, b))
    columns = RNG.normal(size=(3, 4))
    vectors = run(lambda a, b: wt.lu_solve(wt.lu_factor(a), b, b_ndim=1), STACK, columns)
    np.testing.assert_allclose(vectors, np.linalg.solve(STACK, columns[..., None])[..., 0])


@pytest.mark.parametrize("a", [SQUARE, SQUARE[:3], SQUARE[:, :2], COMPLEX, STACK[0]], ids=np.shape)
def test_derivatives(a: Any) -> None:
    check_grad(lambda x: wt.lu(x, permute_l=True)[0], [a])
    check_grad(lambda x: wt.lu(x)[2], [a])


@pytest.mark.parametrize("trans", [0, 1, 2])
def test_derivatives_of_solutions(trans: int) -> None:
    check_grad(lambda a, b: wt.lu_solve(wt.lu_factor(a), b, trans), [SQUARE, SQUARE[:2].T])


def test_known_lengths() -> None:
    x = wt.tensor("x", shape=(5, "m", 3))
    packed, pivots = wt.lu_factor(x)
    assert str(packed.type) == "float64[5, m, 3]"
    assert str(pivots.type) == "int32[5, ?]"
    assert str(wt.lu_factor(wt.matrix("x", shape=("n", "n")))[1].type) == "int32[n]"
    assert str(wt.lu_factor(wt.matrix("x", shape=(2, 3)))[1].type) == "int32[2]"


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="lu needs a matrix"):
        wt.lu(wt.vector("x"))
    with pytest.raises(TypeError, match="pivots must be"):
        wt.pivot_to_permutation(wt.vector("p"))
    with pytest.raises(ValueError, match="trans must be"):
        wt.lu_solve(wt.lu_factor(SQUARE), SQUARE, trans=3)
    with pytest.raises(ValueError, match="square"):
        wt.lu_solve(wt.lu_factor(SQUARE[:3]), SQUARE[:3])
    with pytest.raises(IndexError, match="pivot 4 is out of bounds for 2 rows"):
        run(wt.pivot_to_permutation, np.array([4, 1]))
