"""`wt.sparse.csgraph`: what is SciPy's of dense and of sparse graphs."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.csgraph

import weft.tensor as wt
from weft_tensor.front.absences.reasons import absences
from weft_testing import check_grad

OURS: Any = wt.sparse.csgraph
theirs: Any = scipy.sparse.csgraph
MODES: Final = ["py", "numba", "jax"]
SHARES: Final = (0.0, 0.05, 0.1, 0.3)
"""How many of the edges there are."""


def graph(share: float, n: int = 12) -> np.ndarray:
    rng = np.random.default_rng(int(100 * share))
    return np.where(rng.random((n, n)) < share, rng.random((n, n)), 0.0)


def dense(found: Any, n: int) -> np.ndarray:
    if not hasattr(found, "row"):
        return np.asarray(found)
    return scipy.sparse.coo_array((found.data, (found.row, found.col)), (n, n)).toarray()


def both(of: Any, mode: str) -> Any:
    """What a function gives of the graph as a tensor and as a sparse matrix."""
    a, m = wt.matrix("a"), wt.sparse.matrix("m")
    f = wt.function([a, m], [of(a), of(m)], mode=mode)
    return lambda values: f(values, scipy.sparse.csr_array(values))


@pytest.mark.cases("py-True", "numba-False", "jax-True")
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("mode", MODES)
def test_paths_are_scipys(directed: bool, mode: str) -> None:
    def paths(g: Any) -> list[Any]:
        found = [OURS.shortest_path(g, how, directed, True) for how in ("FW", "BF")]
        hops = OURS.shortest_path(g, directed=directed, unweighted=True)
        few = OURS.dijkstra(g, directed, indices=[[3], [-1]], limit=0.8)
        return [*found, hops, few, *OURS.bellman_ford(g, directed, 5, True)]

    f = both(paths, mode)
    for share in SHARES:
        a = graph(share)
        expected = theirs.shortest_path(a, directed=directed, return_predecessors=True)
        hops = theirs.shortest_path(a, directed=directed, unweighted=True)
        few = theirs.dijkstra(a, directed, indices=[[3], [11]], limit=0.8)
        for found in f(a):
            for lengths, before in (*found[:2], (found[4], found[5])):
                at = 5 if lengths.ndim == 1 else slice(None)
                np.testing.assert_allclose(lengths, expected[0][at], rtol=1e-13)
                np.testing.assert_array_equal(before, expected[1][at])
            np.testing.assert_array_equal(found[2], hops)
            np.testing.assert_allclose(found[3], few, rtol=1e-13)


@pytest.mark.parametrize("mode", MODES)
def test_negative_weights(mode: str) -> None:
    weights = np.array([[0.0, 2, 5, 0], [0, 0, -3, 1], [0, 0, 0, 1], [0, 4, 0, 0]])
    for method in ("FW", "BF"):
        f = both(lambda g, how=method: OURS.shortest_path(g, how), mode)
        for found in f(weights):
            np.testing.assert_allclose(found, theirs.shortest_path(weights, "BF"))
        for change in ((1, 2, -6.0), (3, 3, -1.0)):
            circle = weights.copy()
            circle[change[:2]] = change[2]
            with pytest.raises(ValueError, match="a circle of edges"):
                f(circle)


def test_stored_zeros_are_edges_and_infinite_numbers_are_none() -> None:
    m = scipy.sparse.coo_array(([0.0, 2.0], ([0, 1], [1, 2])), (3, 3))
    np.testing.assert_array_equal(OURS.dijkstra(m, indices=0).eval(), [0, 0, 2])
    assert OURS.connected_components(m, return_labels=False).eval() == 1
    a = np.array([[0, np.inf, np.nan], [0, 0, 1], [0, 0, 0]])
    np.testing.assert_array_equal(OURS.connected_components(a)[1].eval(), [0, 1, 1])
    np.testing.assert_array_equal(OURS.shortest_path(a).eval(), theirs.shortest_path(a))


@pytest.mark.cases("py-FW", "numba-BF", "jax-FW")
@pytest.mark.parametrize("method", ["FW", "BF"])
@pytest.mark.parametrize("mode", MODES)
def test_slopes_of_lengths_are_of_the_edges_along_the_path(method: str, mode: str) -> None:
    a = graph(0.2)
    places = a.nonzero()
    outside = ~np.isfinite(theirs.shortest_path(a))

    def lengths(weights: Any) -> Any:
        g = wt.sparse.coo_array((weights, places), a.shape)
        return wt.where(outside, 0.0, OURS.shortest_path(g, method)).ravel()

    check_grad(lengths, [a[places]], mode=mode)


@pytest.mark.parametrize("mode", MODES)
def test_parts_are_scipys(mode: str) -> None:
    def parts(g: Any) -> list[Any]:
        strong = OURS.connected_components(g, connection="strong")
        return [*OURS.connected_components(g), *strong]

    f = both(parts, mode)
    for share in SHARES:
        a = graph(share, 25)
        for weak, labels, strong, strong_labels in f(a):
            count, expected = theirs.connected_components(a)
            assert weak == count
            np.testing.assert_array_equal(labels, expected)
            count, expected = theirs.connected_components(a, connection="strong")
            assert strong == count
            first = np.unique(expected, return_index=True)[1]
            np.testing.assert_array_equal(strong_labels, np.argsort(np.argsort(first))[expected])


def test_long_chains_hang_together() -> None:
    order = np.random.default_rng(0).permutation(300)
    chain = scipy.sparse.coo_array((np.ones(299), (order[1:], order[:-1])), (300, 300))
    assert OURS.connected_components(chain, return_labels=False).eval() == 1
    assert OURS.connected_components(chain, connection="strong")[0].eval() == 300
    lengths = OURS.shortest_path(chain, directed=False, indices=int(order[0])).eval()
    np.testing.assert_array_equal(lengths[order], np.arange(300.0))


@pytest.mark.parametrize("mode", MODES)
def test_least_trees_are_scipys(mode: str) -> None:
    f = both(OURS.minimum_spanning_tree, mode)
    for share in SHARES:
        a = graph(share, 25)
        for found in f(a):
            np.testing.assert_array_equal(
                dense(found, 25), theirs.minimum_spanning_tree(a).toarray()
            )
    alike = np.ones((6, 6))
    for found in f(alike):
        assert len(found.data) == 5
        assert theirs.connected_components(dense(found, 6))[0] == 1


@pytest.mark.parametrize("mode", MODES)
def test_laplacians_are_scipys(mode: str) -> None:
    options = list(product((False, True), repeat=3))

    def all_of(g: Any) -> list[Any]:
        return [
            OURS.laplacian(g, normed, True, out, symmetrized=twice)
            for normed, out, twice in options
        ]

    a = graph(0.3) + np.diag([2.0, *[0.0] * 11])
    a[:, 4] = a[4] = 0.0
    for found in both(all_of, mode)(a):
        for (matrix, diagonal), (one, out, two) in zip(found, options, strict=True):
            expected = theirs.laplacian(a, one, True, out, symmetrized=two)
            np.testing.assert_allclose(dense(matrix, 12), expected[0], atol=1e-15)
            np.testing.assert_allclose(diagonal, expected[1], atol=1e-15)


def test_laplacians_of_integers_and_complex_numbers() -> None:
    whole = np.array([[0, 2], [1, 0]])
    found = OURS.laplacian(whole).eval()
    np.testing.assert_array_equal(found, theirs.laplacian(whole), strict=True)
    np.testing.assert_allclose(OURS.laplacian(whole, True).eval(), theirs.laplacian(whole, True))
    turned = whole * (1 + 2j)
    found = OURS.laplacian(turned, symmetrized=True).eval()
    np.testing.assert_allclose(found, theirs.laplacian(turned, symmetrized=True))


def test_what_is_no_graph() -> None:
    for of in (OURS.shortest_path, OURS.connected_components, OURS.laplacian):
        with pytest.raises(ValueError, match="a graph is a square matrix"):
            of(np.ones(3))
        for flat in (np.ones((2, 3)), scipy.sparse.coo_array(np.ones((2, 3)))):
            with pytest.raises(ValueError, match="a graph is a square matrix"):
                wt.function([], of(flat))()
    with pytest.raises(ValueError, match="'FW' is of all nodes"):
        OURS.shortest_path(np.ones((2, 2)), "FW", indices=0)
    with pytest.raises(ValueError, match="indices are integers"):
        OURS.dijkstra(np.ones((2, 2)), indices=0.5)
    with pytest.raises(ValueError, match="method"):
        OURS.shortest_path(np.ones((2, 2)), "A*")


def test_each_name_is_here_or_its_absence_explained() -> None:
    public = {name for name in theirs.__all__ if name[0].islower()}
    assert public == {*OURS.__all__} | {*absences("scipy.sparse.csgraph")}
    with pytest.raises(AttributeError, match="only the shortest is here"):
        OURS.yen(np.ones((2, 2)))
