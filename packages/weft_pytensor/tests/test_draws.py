"""Draws of distributions that only PyMC has: Weft's are distributed as PyMC's are."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.stats import ks_2samp

from weft_pytensor import NoConverterWarning

pm = pytest.importorskip("pymc")

NODES = np.linspace(-2, 3, 12)
DENSITY = np.exp(-(NODES**2))
DRAWN: dict[str, Callable[[], Any]] = {
    "rice": lambda: pm.Rice.dist(nu=np.array([1.0, 2.0]), sigma=0.7),
    "interpolated": lambda: pm.Interpolated.dist(NODES, np.append(DENSITY[:-1], DENSITY[-2])),
    "wishart": lambda: pm.Wishart.dist(nu=5, V=np.eye(2) + 0.3),
    "matrix normal": lambda: pm.MatrixNormal.dist(
        mu=np.arange(6.0).reshape(2, 3), rowcov=np.eye(2) + 0.3, colcov=np.eye(3) + 0.2
    ),
    **{
        f"normal without full rank by {method}": partial(
            pm.MvNormal.dist, mu=np.array([1.0, 2.0]), cov=np.full((2, 2), 3.0), method=method
        )
        for method in ("svd", "eigh")
    },
    "skewed t": lambda: pm.SkewStudentT.dist(a=3.0, b=5.0, mu=np.array([0.0, 1.0]), sigma=2.0),
    "stick": lambda: pm.StickBreakingWeights.dist(alpha=np.array([2.0, 0.5]), K=3),
    "one stick": lambda: pm.StickBreakingWeights.dist(alpha=2.0, K=3),
}


@pytest.mark.parametrize("name", DRAWN)
def test_draws_are_of_the_distribution(name: str) -> None:
    samples = []
    for options in ({"mode": "WEFT"}, {}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # PyMC's, of Wishart's density
            warnings.simplefilter("error", NoConverterWarning)
            drawn = pm.draw(DRAWN[name](), draws=1500, random_seed=1, **options)
        samples.append(np.reshape(drawn, (1500, -1)))
    for ours, theirs in zip(samples[0].T, samples[1].T, strict=True):
        assert ks_2samp(ours, theirs).pvalue > 1e-4
    one, other = (np.corrcoef(s.T) for s in samples)
    np.testing.assert_allclose(one, other, atol=0.15)
