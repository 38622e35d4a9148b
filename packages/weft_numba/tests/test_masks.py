"""Elements that a mask chooses: reduced and updated in one pass over all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, function, grad
from weft_numba.fusion import Fused, fuse
from weft_numba.narrowing import narrowed

x, X, mask = wt.vector("x"), wt.matrix("X"), wt.vector("mask", "bool")


def kernels(inputs: list[Any], outputs: list[Any]) -> int:
    """The number of loop nests; each step must be one, or find a length."""
    steps = fuse(narrowed(FunctionGraph(inputs, outputs), assume=True).graph, assume=True)
    assert all(isinstance(s, Fused) or isinstance(s.op, wt.Length) for s in steps)
    return sum(isinstance(s, Fused) and s.kernel.ndim > 0 for s in steps)


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
