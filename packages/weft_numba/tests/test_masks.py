"""Elements that a mask chooses: reduced and updated in one pass over all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, Mode, function, grad
from weft_numba import NumbaLinker
from weft_numba.analysis.specialise import narrowed
from weft_numba.fusion.grouping import Fused, fuse

x, X, mask = wt.vector("x"), wt.matrix("X"), wt.vector("mask", "bool")


def kernels(inputs: list[Any], outputs: list[Any]) -> int:
    """The number of loop nests; each step must be one, or find a length."""
    steps = fuse(narrowed(FunctionGraph(inputs, outputs), assume=True).graph, assume=True)
    assert all(isinstance(s, Fused) or isinstance(s.op, wt.Length) for s in steps)
    return sum(isinstance(s, Fused) and s.kernel.ndim > 0 for s in steps)


@pytest.mark.cases(1)
@pytest.mark.parametrize("n", [50, 1, 0])
def test_equals_python(n: int) -> None:
    outputs = [
        *(wt.sum(x[x < 0]), wt.sum(wt.exp(x[x < 0]) * 2), x[x < 0], x[x < 0].set(0.0)),
        *(x[x < 0].inc(x[x < 0] * 2), wt.sum(x[mask]), x[mask].set(1.0), wt.prod(x[mask] + 1)),
        *(wt.any(x[mask] > 0), wt.all(x[mask] > 0), grad(wt.sum(x[x < 0] ** 2), x)),
        *(X[X > 0].sum(), grad(wt.sum(wt.sin(X[X > 0])), X), wt.sum(X[X[:, 0] > 0])),
    ]
    rng = np.random.default_rng(0)
    values = rng.normal(size=n), rng.normal(size=(n, 3)), rng.normal(size=n) > 0
    found = function([x, X, mask], outputs, mode="numba")(*values)
    expected = function([x, X, mask], outputs, mode="py")(*values)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
        assert (one.shape, one.dtype) == (other.shape, other.dtype)


def test_one_pass_without_the_chosen_elements() -> None:
    assert kernels([x], [wt.sum(x[x < 0])]) == 1
    assert kernels([x], [wt.mean(x[x < 0])]) == 1
    assert kernels([x], [x[x > 1].set(0.0), x[x < 0].inc(x[x < 0] * 2)]) == 1
    assert kernels([x, mask], [wt.sum(wt.exp(x[mask]))]) == 1
    assert kernels([X], [X[X > 0].sum()]) == 1


def test_chosen_elements_are_written_in_one_pass() -> None:
    assert kernels([x], [x[x < 0]]) == 1
    assert kernels([x, mask], [x[mask], x[x < 0], *wt.nonzero(mask)]) == 1
    assert kernels([X], [X[X > 0], *wt.nonzero(X < 0)]) == 1


def test_costly_masks_are_computed_as_vectors_first() -> None:
    assert kernels([x], [x[wt.exp(x) > 1]]) == 2


@pytest.mark.cases(1)
@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("dtype", ["bool", "int8", "float32", "complex64", "complex128"])
def test_chosen_elements_of_every_kind(dtype: str, parallel: bool) -> None:
    Y, keep = wt.tensor3("Y", dtype), wt.tensor3("keep", "bool")
    mode = Mode(NumbaLinker(parallel=parallel))
    f = function([Y, keep], [Y[keep], *wt.nonzero(keep), Y[keep][::-1]], mode=mode)
    rng = np.random.default_rng(1)
    for shape in ((4, 5, 6), (3, 0, 2), (1, 1, 1), (40, 50, 60)):
        y, k = rng.integers(-9, 9, shape).astype(dtype), rng.random(shape) > 0.4
        y, k = np.moveaxis(y, 0, 2), np.moveaxis(k, 0, 2)
        for one, other in zip(f(y, k), [y[k], *np.nonzero(k), y[k][::-1]], strict=True):
            np.testing.assert_array_equal(one, other)
            assert one.dtype == other.dtype


def test_chosen_elements_are_arrays_of_their_own() -> None:
    chosen = x[x < 0]
    one, other = function([x], [chosen, wt.sort(chosen)], mode="numba")([2.0, -1.0, -2.0])
    one[:] = 0.0
    assert other.tolist() == [-2.0, -1.0]


def test_wrong_counts_are_refused() -> None:
    n, m = wt.lscalar("n"), wt.lscalar("m")
    f = function([mask, n, m], wt.Nonzero(0)(mask, n, m), mode="numba")
    given = np.array([True, False, True])
    assert f(given, 2, 3).tolist() == [0, 2]
    for count in (0, 1, 3):
        with pytest.raises(ValueError, match="true elements"):
            f(given, count, 3)
    for length in (1, 4, 0):
        with pytest.raises(IndexError, match="mask"):
            f(given, 2, length)


def test_what_is_not_chosen_does_not_count() -> None:
    outputs = [wt.sum(wt.log(x[x > 0])), wt.sum(1 / x[x > 0])]
    assert function([x], outputs, mode="numba")([-1.0, np.nan, 1.0, 0.0]) == [0.0, 1.0]
    n = wt.lvector("n")
    powers = function([n], wt.sum(2 ** n[n >= 0]), mode="numba")
    assert powers([3, -1, 1]) == 10


@pytest.mark.parametrize("n", [1, 3, 51])
def test_masks_of_another_length_are_refused(n: int) -> None:
    for y in (wt.sum(x[mask]), x[mask].set(0.0)):
        with pytest.raises(IndexError):
            function([x, mask], y, mode="numba")(np.ones(50), np.ones(n, bool))
