"""The sampler of docs/sampling.md, against references of another one."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

import weft.tensor as wt
from tools.bench.nuts import nuts, schools
from weft import function


def irises(v: Any) -> Any:
    from sklearn.datasets import load_iris

    flowers, species = load_iris(return_X_y=True)
    length, width = flowers[:, 2] - flowers[:, 2].mean(), flowers[:, 3]
    mean, log_spread, log_noise, z = v[:2], v[2:4], v[4], v[5:].reshape(3, 2)
    line = mean + wt.exp(log_spread) * z
    centers = line[species, 0] + line[species, 1] * length
    likelihood = wt.stats.norm.logpdf(width, centers, wt.exp(log_noise)).sum()
    return wt.stats.norm.logpdf(v).sum() + likelihood


REFERENCES: Final = {
    "schools": (
        schools,
        [4.394, 0.795],
        [3.33, 1.177],
    ),
    "irises": (
        irises,
        [1.027, 0.236, -0.442, -1.348, -1.721, -0.454, 0.027, 0.078, 0.356, 1.068, -0.330],
        [0.452, 0.249, 0.588, 0.740, 0.058, 0.689, 0.711, 0.585, 0.671, 0.648, 0.675],
    ),
}
"""Means and standard deviations of parameters in 80,000 and 40,000 draws of blackjax's NUTS."""


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", ["numba", "jax"])
@pytest.mark.parametrize("name", REFERENCES)
def test_posteriors(name: str, mode: str) -> None:
    density, means, deviations = REFERENCES[name]
    size = 10 if name == "schools" else 11
    seed = wt.lscalar("seed")
    run = nuts.chains(density, wt.random.key(seed), np.zeros((4, size)))
    sample = function([seed], run, mode=mode)(20261123)
    assert 0.7 < sample.acceptance.mean() < 0.97
    draws = sample.draws[..., : len(means)]
    errors = draws.reshape(40, -1, len(means)).mean(1).std(0, ddof=1) / np.sqrt(40)
    assert (abs(draws.mean((0, 1)) - means) < 5 * errors).all()
    np.testing.assert_allclose(draws.std((0, 1)), deviations, rtol=0.3)


def test_trajectories_end_where_they_turn() -> None:
    """In a standard normal density, half a period is pi long: three steps of size 1."""
    settings = nuts.Settings(0, 40)
    run = nuts.chain(lambda q: -0.5 * (q * q).sum(), wt.random.key(3), [0.5, -1.0], settings)
    results = [run.steps, run.acceptance, run.step_size, run.draws]
    steps, accepted, sizes, draws = function([], results, mode="py")()
    assert (sizes == 1).all()
    assert 2 < steps.mean() < 7
    assert steps.max() <= 15
    assert (accepted > 0.5).mean() > 0.9
    assert 0.5 < draws.std() < 2
