"""Joins of clusters and flat clusters are SciPy's, on all backends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.cluster.hierarchy
from scipy.spatial.distance import pdist

import weft.tensor as wt
from weft_testing import check_grad

OURS: Any = wt.cluster.hierarchy
THEIRS: Any = scipy.cluster.hierarchy
RANDOM = np.random.default_rng(8)
OBSERVED = np.concatenate([RANDOM.normal(size=(9, 2)), RANDOM.normal(size=(7, 2)) + 4])
JOINS = THEIRS.linkage(OBSERVED)
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


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_nearest_neighbours_in_order(mode: str) -> None:
    x, y = wt.matrix("x"), wt.vector("y")
    ways: Any = (("average", "cityblock"), ("ward", "euclidean"))
    for method, metric in ways:
        rows = OURS.linkage(x, method, metric, optimal_ordering=True)
        again = OURS.optimal_leaf_ordering(OURS.linkage(y, method), y)
        slopes = wt.grad((rows[:, 2] ** 2).sum(), x)
        plain = wt.grad((OURS.linkage(x, method, metric)[:, 2] ** 2).sum(), x)
        f = wt.function([x, y], [rows, again, slopes, plain], mode=mode)
        found, by_distances, own, expected = f(OBSERVED, pdist(OBSERVED, metric))
        theirs = THEIRS.linkage(OBSERVED, method, metric, optimal_ordering=True)
        np.testing.assert_allclose(found, theirs, rtol=1e-10)
        np.testing.assert_allclose(by_distances, theirs, rtol=1e-10)
        np.testing.assert_allclose(own, expected, rtol=1e-10)
        two = OBSERVED[:2]
        expected = THEIRS.linkage(two, method, metric, True)
        np.testing.assert_allclose(f(two, pdist(two, metric))[0], expected)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_many_with_the_same_nearest_one(mode: str) -> None:
    """A point amid others on spheres of growing size: each join leaves all of these stale."""
    x = wt.matrix("x")
    f = wt.function([x], [OURS.linkage(x, method) for method in ("single", "median")], mode=mode)
    rows = RANDOM.normal(size=(60, 40))
    rows *= np.linspace(1.0, 1.2, 60)[:, None] / np.linalg.norm(rows, axis=1, keepdims=True)
    rows[7] = 0
    for result, method in zip(f(rows), ("single", "median"), strict=True):
        np.testing.assert_allclose(result, THEIRS.linkage(rows, method), rtol=1e-10)


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


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_what_joins_are_like(mode: str) -> None:
    z, y = wt.matrix("Z"), wt.vector("y")
    apart = pdist(OBSERVED)
    correlation, far = OURS.cophenet(z, y)
    unlike = [OURS.inconsistent(z, d) for d in (1, 2, 4)]
    greatest = [OURS.maxdists(z), OURS.maxinconsts(z, unlike[1]), OURS.maxRstat(z, unlike[2], 1)]
    f = wt.function([z, y], [correlation, far, *unlike, *greatest], mode=mode)
    for method in METHODS:
        rows = THEIRS.linkage(OBSERVED, method)
        r = [THEIRS.inconsistent(rows, d) for d in (1, 2, 4)]
        expected = [*THEIRS.cophenet(rows, apart), *r, THEIRS.maxdists(rows)]
        expected += [THEIRS.maxinconsts(rows, r[1]), THEIRS.maxRstat(rows, r[2], 1)]
        for found, other in zip(f(rows, apart), expected, strict=True):
            np.testing.assert_allclose(found, other, rtol=1e-9, atol=1e-12)
    of_each = wt.function([z], unlike, mode=mode)
    for observed in (np.arange(6.0)[:, None] / 10, OBSERVED[:2]):
        rows = THEIRS.linkage(observed)
        for d, found in zip((1, 2, 4), of_each(rows), strict=True):
            np.testing.assert_allclose(found[:, :3], THEIRS.inconsistent(rows, d)[:, :3], atol=1e-8)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_flat_clusters_of_other_criteria(mode: str) -> None:
    z, t = wt.matrix("Z"), wt.dscalar("t")
    own = OURS.maxdists(z) * 2
    parts = [
        OURS.fcluster(z, t),
        OURS.fcluster(z, t, depth=3),
        OURS.fcluster(z, t, R=OURS.inconsistent(z, 4)),
        OURS.fcluster(z, t, "monocrit", monocrit=own),
        OURS.fcluster(z, t * 3, "maxclust_monocrit", monocrit=own),
        OURS.cut_tree(z),
        OURS.cut_tree(z, [30, 9, 2]),
        OURS.cut_tree(z, height=t),
    ]
    f = wt.function([z, t], parts, mode=mode)
    for method in ("single", "complete", "average", "ward"):
        rows = THEIRS.linkage(OBSERVED, method)
        monocrit = THEIRS.maxdists(rows) * 2
        for number in (0.5, 0.7, 1.0, 2.0):
            expected = [
                THEIRS.fcluster(rows, number),
                THEIRS.fcluster(rows, number, depth=3),
                THEIRS.fcluster(rows, number, R=THEIRS.inconsistent(rows, 4)),
                THEIRS.fcluster(rows, number, "monocrit", monocrit=monocrit),
                THEIRS.fcluster(rows, number * 3, "maxclust_monocrit", monocrit=monocrit),
                THEIRS.cut_tree(rows),
                THEIRS.cut_tree(rows, [16, 9, 2]),
                THEIRS.cut_tree(rows, height=number),
            ]
            for found, other in zip(f(rows, number), expected, strict=True):
                np.testing.assert_array_equal(found, other, str((method, number)))
    flat = OURS.fclusterdata(OBSERVED, 1.0, depth=3, method="average").eval()
    expected = THEIRS.fclusterdata(OBSERVED, 1.0, depth=3, method="average")
    np.testing.assert_array_equal(flat, expected)


def test_slopes_of_how_high_observations_come_together() -> None:
    def heights(x: Any) -> Any:
        rows = OURS.linkage(x, "average")
        return wt.concatenate([OURS.cophenet(rows), OURS.inconsistent(rows)[:, :2].ravel()])

    check_grad(heights, [OBSERVED[:5]])


@pytest.mark.parametrize(
    ("says", "wrong"),
    [
        ("linkage: method is one of", lambda: OURS.linkage(OBSERVED, "nearest")),
        ("observations or distances", lambda: OURS.optimal_leaf_ordering(JOINS, OBSERVED[None])),
        ("must have length 120", lambda: OURS.optimal_leaf_ordering(JOINS, OBSERVED[:5])),
        ("must have length 4", lambda: OURS.optimal_leaf_ordering(JOINS[:, :3], OBSERVED)),
        ("linkage takes observations or distances", lambda: OURS.linkage(OBSERVED[None])),
        ("fcluster: criterion is one of", lambda: OURS.fcluster(OBSERVED, 2, "count")),
        ("needs monocrit", lambda: OURS.fcluster(OBSERVED, 2, "monocrit")),
        ("d is 1 or more", lambda: OURS.inconsistent(OBSERVED, 0)),
        ("not both", lambda: OURS.cut_tree(OBSERVED, 2, 1.0)),
        ("cophenet takes rows", lambda: OURS.cophenet(OBSERVED[0])),
        ("fcluster takes rows of `linkage`", lambda: OURS.fcluster(OBSERVED[0], 2, "distance")),
    ],
)
def test_bad_input(says: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=says):
        wrong()
