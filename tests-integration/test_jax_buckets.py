"""Gradients with lengths that are rounded up: rules take away what they repeat along these."""

from __future__ import annotations

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, function, grad
from weft_jax import JAXLinker

X = wt.matrix("X", shape=("n", "p"))
y = wt.vector("y", shape=("n",))
w = wt.vector("w", shape=("p",))


@pytest.mark.each
def test_gradients_are_those_without_padding() -> None:
    probability = wt.sigmoid(X @ w)
    loss = -(y * wt.log(probability)).mean()
    outputs = [loss, grad(loss, w), probability, grad((wt.log(y**2) / y).sum(), y)]
    padded = function([X, y, w], outputs, mode=Mode(JAXLinker(buckets={"n": 16})))
    plain = function([X, y, w], outputs, mode="py")
    rng = np.random.default_rng(0)
    for n in (1, 3, 15, 16, 17, 30, 5):
        values = rng.normal(size=(n, 2)), rng.normal(size=n), rng.normal(size=2)
        for result, wanted in zip(padded(*values), plain(*values), strict=True):
            assert (result.dtype, result.shape) == (wanted.dtype, wanted.shape)
            np.testing.assert_allclose(result, wanted, rtol=1e-9)
    assert padded.compile_stats.compiles <= 4  # two lengths, in at most two segments
