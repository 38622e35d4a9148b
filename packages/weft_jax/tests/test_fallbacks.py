"""Calls that are made in a special way, and those just beyond it, which are made in the plain one.

Indices from the end: test_speculative_indices; families of graphs: test_sibling_batching.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function
from weft_jax.compile.xla_options import FEW
from weft_jax.lowering.x64 import enable_x64
from weft_jax.runtime.packing import FEWEST, SMALL

COUNT = FEWEST + 1
MOST = SMALL // COUNT


def on_device(value: Any) -> Any:
    with enable_x64(True):
        return jax.numpy.asarray(value)


@pytest.mark.parametrize("n", [0, 1, MOST, MOST + 1])
@pytest.mark.parametrize("devices", [0, 1, COUNT])
def test_many_arrays_that_are_small_or_on_the_host_or_not(n: int, devices: int) -> None:
    xs = [wt.vector(f"x{k}") for k in range(COUNT)]
    results = [sum(k * v for k, v in enumerate(xs, 1)), wt.exp(xs[0]), wt.sum(xs[-1])]
    values = [np.random.default_rng(k).normal(size=n) for k in range(COUNT)]
    given = [on_device(v) if k < devices else v for k, v in enumerate(values)]
    expected = function(xs, results, mode="py")(*values)
    found = function(xs, results, mode="jax")(*given)
    assert (COUNT * n <= SMALL) == (n <= MOST)
    assert all(isinstance(v, jax.Array) for v in found) == (devices == COUNT)
    for one, of in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, of, rtol=1e-13)


@pytest.mark.parametrize("n", [FEW, FEW + 1])
@pytest.mark.parametrize("device", [False, True])
def test_sums_of_few_and_of_many(n: int, device: bool) -> None:
    x = wt.vector("x", dtype="float32")
    results = [wt.sum(wt.exp(x)), wt.max(x), wt.mean(x * x)]
    values = np.random.default_rng(0).normal(size=n).astype("float32")
    expected = function([x], results, mode="py")(values)
    found = function([x], results, mode="jax")(on_device(values) if device else values)
    for one, of in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, of, rtol=1e-5)
