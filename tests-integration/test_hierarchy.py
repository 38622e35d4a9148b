"""Joins of clusters and flat clusters are SciPy's, on all backends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.cluster.hierarchy
from scipy.spatial.distance import pdist

import weft.tensor as wt

OURS: Any = wt.cluster.hierarchy
THEIRS: Any = scipy.cluster.hierarchy
RANDOM = np.random.default_rng(8)
OBSERVED = np.concatenate([RANDOM.normal(size=(9, 2)), RANDOM.normal(size=(7, 2)) + 4])
METHODS = ("single", "complete", "average", "weighted", "centroid", "median", "ward")


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.cases(1)
def test_joins(method: str, mode: str) -> None:
    x, y = wt.matrix("x"), wt.vector("y")
    rows = OURS.linkage(x, method)
    f = wt.function([x], [rows, wt.grad((rows[:, 2] ** 2).sum(), x)], mode=mode)
    found, slopes = f(OBSERVED)
    np.testing.assert_allclose(found, THEIRS.linkage(OBSERVED, method), rtol=1e-10)
    by_distances = wt.function([y], OURS.linkage(y, method), mode=mode)(pdist(OBSERVED))
    np.testing.assert_allclose(by_distances, found, rtol=1e-10)
    step = RANDOM.normal(size=OBSERVED.shape) * 1e-6
    ends = [(THEIRS.linkage(OBSERVED + s * step, method)[:, 2] ** 2).sum() for s in (1, -1)]
    np.testing.assert_allclose((slopes * step).sum(), (ends[0] - ends[1]) / 2, rtol=1e-5)
    np.testing.assert_allclose(f(OBSERVED[:2])[0], THEIRS.linkage(OBSERVED[:2], method))


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_flat_clusters(mode: str) -> None:
    z, t = wt.matrix("Z"), wt.dscalar("t")
    parts = [OURS.fcluster(z, t, "distance"), OURS.fcluster(z, t, criterion="maxclust")]
    f = wt.function([z, t], [*parts, OURS.leaves_list(z)], mode=mode)
    for method in METHODS:
        rows = THEIRS.linkage(OBSERVED, method)
        for number in (0.3, 1.0, 2.0, 3.0, 5.0, 15.0, 16.0, 40.0):
            by_distance, by_count, leaves = f(rows, number)
            np.testing.assert_array_equal(by_distance, THEIRS.fcluster(rows, number, "distance"))
            if number >= 1:
                expected = THEIRS.fcluster(rows, number, "maxclust")
                np.testing.assert_array_equal(by_count, expected, str((method, number)))
            np.testing.assert_array_equal(leaves, THEIRS.leaves_list(rows))


@pytest.mark.parametrize(
    ("says", "wrong"),
    [
        ("linkage: method is one of", lambda: OURS.linkage(OBSERVED, "nearest")),
        ("optimal_ordering=False", lambda: OURS.linkage(OBSERVED, optimal_ordering=True)),
        ("linkage takes observations or distances", lambda: OURS.linkage(OBSERVED[None])),
        ("fcluster: criterion is one of", lambda: OURS.fcluster(OBSERVED, 2)),
        ("fcluster takes rows of `linkage`", lambda: OURS.fcluster(OBSERVED[0], 2, "distance")),
    ],
)
def test_bad_input(says: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=says):
        wrong()
