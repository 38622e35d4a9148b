"""Random numbers with all rules at work: one stream on every backend, and its derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft.tensor as wt
from weft_graph import from_text, stop_gradient

BACKENDS = ("py", "numba", "jax")


@pytest.mark.cases(0)
def test_a_model_with_noise_is_the_same_on_every_backend(few: Any) -> None:
    seed, n = wt.lscalars("seed", "n")
    mu, log_sigma = wt.vector("mu", shape=(3,)), wt.scalar("log_sigma")
    noise, chosen, places = wt.random.split(wt.random.key(seed), 3)
    z = wt.random.normal(noise, mu, wt.exp(log_sigma), size=(n, 3))
    kept = wt.random.bernoulli(chosen, wt.sigmoid(mu), size=(n, 3))
    rows = z[wt.random.integers(places, n, size=2 * n)]
    cost = wt.where(stop_gradient(kept), z**2, 0.0).sum() + wt.tanh(rows).mean()
    outputs = [z, kept, rows, cost, *wt.grad(cost, [mu, log_sigma])]
    results = [
        wt.function([seed, n, mu, log_sigma], outputs, mode=mode)(20261121, 50, np.arange(3.0), 0.5)
        for mode in few(BACKENDS, 2)
    ]
    for other in results[1:]:
        for got, expected in zip(other, results[0], strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)
    assert results[0][1].mean(axis=0)[0] < 0.75 < results[0][1].mean(axis=0)[2]


def test_streams_in_shared_variables_are_the_same_on_every_backend(few: Any) -> None:
    def stream(mode: str) -> Any:
        state = wt.shared(np.uint64(5), "state")
        following, now = wt.random.split(state)
        draw = wt.function(
            [], wt.random.uniform(now, size=4), updates={state: following}, mode=mode
        )
        return np.stack([draw() for _ in range(20)])

    reference = stream("py")
    assert np.unique(reference).size == reference.size
    for mode in few(BACKENDS[1:], 1):
        np.testing.assert_array_equal(stream(mode), reference)


def test_draws_are_graphs_like_any_other() -> None:
    n = wt.lscalar("n")
    z = wt.random.normal(wt.random.key(2**63 + 5), size=(n, 2))
    assert wt.random.normal(wt.random.key(2**63 + 5), size=(n, 2)) is z
    again = from_text(wt.to_text(wt.FunctionGraph([n], [z])))
    expected = wt.function([n], z, mode="py")(3)
    np.testing.assert_array_equal(
        wt.function(again.inputs, again.outputs[0], mode="py")(3), expected
    )
