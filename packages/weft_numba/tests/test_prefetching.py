"""Long loops in blocks that ask for what the next ones read."""

from __future__ import annotations

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, function
from weft_numba import NumbaLinker, llvm_code
from weft_numba.llvm.scalar.table import calls_of_vectors

x, y = wt.dvector("x"), wt.dvector("y")


def asked_for(expression: wt.TensorVariable) -> int:
    """For how many pages the function of x and y asks."""
    text = llvm_code(function([x, y], expression, mode="numba"))
    return text.count("call void @weft_ask")


def test_loops_with_functions_of_vectors_ask_for_memory_early() -> None:
    pages = 2 if calls_of_vectors("exp", "float64", 1) else 0
    assert asked_for(wt.sum(wt.exp(x) * y)) == pages
    assert asked_for(wt.sum(x * y)) == 0


def test_exact_functions_take_too_long_to_wait_for_memory() -> None:
    f = function([x], wt.exp(x), mode=Mode(NumbaLinker(exact=True)))
    assert "@llvm.prefetch" not in llvm_code(f)


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_element_is_in_one_block(dtype: str, step: int, parallel: bool) -> None:
    z, n = wt.vector("z", dtype=dtype), wt.vector("n", dtype="float64")
    outputs = [wt.exp(z), wt.sum(wt.exp(z) * n), wt.max(wt.log1p(z) + n)]
    f = function([z, n], outputs, mode=Mode(NumbaLinker(parallel=parallel)))
    rng = np.random.default_rng(0)
    for length in (1, 2, 511, 512, 513, 1023, 1024, 1025, 2048, 5000, 100_000):
        z_, n_ = rng.uniform(size=(2, step * length))
        z_, n_ = z_.astype(dtype)[::step], n_[::step]
        each, total, most = f(z_, n_)
        wide = z_.astype("float64")
        rtol = 1e-6 if dtype == "float32" else 1e-14
        np.testing.assert_allclose(each, np.exp(wide), rtol)
        np.testing.assert_allclose(total, (np.exp(wide) * n_).sum(), 10 * rtol)
        np.testing.assert_allclose(most, (np.log1p(wide) + n_).max(), rtol)


def test_rows_have_blocks_each() -> None:
    a = wt.dmatrix("a")
    f = function([a], wt.sum(wt.exp(a), axis=1), mode="numba")
    numbers = np.random.default_rng(0).uniform(size=(7, 3000))
    for given in (numbers, numbers[:, ::2], numbers[:, :513], np.asfortranarray(numbers)):
        np.testing.assert_allclose(f(given), np.exp(given).sum(1), 1e-13)
