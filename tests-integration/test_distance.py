"""Distances between vectors: SciPy's values, and slopes that are 0 at equal vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np
import pytest
import scipy.spatial.distance

import weft.tensor as wt
from weft import OpFromGraph
from weft_graph import function, grad
from weft_testing import check_backend, check_grad, check_op

OURS: Any = wt.distance
THEIRS: Any = scipy.spatial.distance
A: Final = np.array([[0.5, -1.0, 2.0], [0.0, 0.0, 3.0], [0.5, -1.0, 2.0], [1.0, 2.5, 0.25]])
B: Final = np.array([[0.5, -1.0, 2.0], [0.0, 4.0, 0.0]])
POINTS: Final = [
    np.array([[1.0, 2.0, 4.0], [3.0, 1.0, 0.5]]),
    np.array([[2.0, 5.0, 1.5], [0.7, 0.4, 3.0]]),
]
W: Final = np.array([0.5, 2.0, 1.0])
VI: Final = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 1.5]])
NUMBERS: Final[dict[str, dict[str, Any]]] = {
    "braycurtis": {}, "canberra": {}, "chebyshev": {}, "cityblock": {}, "correlation": {},
    "cosine": {}, "euclidean": {}, "hamming": {}, "mahalanobis": {"VI": VI}, "minkowski": {"p": 3},
    "seuclidean": {"V": W}, "sqeuclidean": {},
}  # fmt: skip
BOOLEANS: Final = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
WEIGHTED: Final = [n for n in (*NUMBERS, *BOOLEANS) if n not in ("mahalanobis", "seuclidean")]
DOUBLE: Final = ("hamming", "mahalanobis", "seuclidean")
"""Metrics that are float64 here also of float32: of a mean, or by what else they take."""
SMOOTH: Final = ("euclidean", "mahalanobis", "minkowski", "seuclidean", "sqeuclidean")
EQUAL: Final = np.ones((2, 3)), np.ones((3, 3))
KINDS: Final = [
    POINTS,
    [x.astype("float32") for x in POINTS],
    [np.array([[100, -128, 3]], "int8"), np.array([[-100, 127, 0], [1, 2, 3]], "int8")],
    [np.cos(np.arange(36.0)).reshape(6, 6)[::2, ::-2], B[::-1, ::-1] + 0.3],
    [np.where(A > 2, np.nan, A), B],
    [A[:0], B],
    [A[:1] + 0.1, B[1:] - 0.3],
]
"""Two matrices: of each kind of number, of other layouts, of NaN, of no and of one row."""


def of_kinds(name: str) -> Iterator[tuple[Callable[..., Any], Sequence[Any]]]:
    """Calls of a library, and what they take."""
    options = NUMBERS.get(name, {})

    def call(m: Any, a: Any, b: Any) -> Any:
        if name in BOOLEANS:
            a, b = a > 0, b > 0
        return m.cdist(a, b, name, **options), m.pdist(a, name, **options)

    kinds = KINDS[2:3] if name in BOOLEANS else [*KINDS, *([EQUAL] * (name in SMOOTH))]
    left_out = [KINDS[1]] * (name in DOUBLE) + [KINDS[4]] * (name == "chebyshev")
    yield from ((call, arrays) for arrays in kinds if not any(arrays is k for k in left_out))


@pytest.mark.cases(6)
@pytest.mark.parametrize("name", [*NUMBERS, *BOOLEANS])
def test_op(name: str, few: Any) -> None:
    for call, arrays in few([*of_kinds(name)], 2):
        check_op(
            lambda a, b, call=call: call(OURS, a, b),
            *arrays,
            backends=[],
            reference=lambda a, b, call=call: [
                x.astype("float32" if a.dtype == "float32" else "float64")
                for x in call(THEIRS, a, b)
            ],
        )


@pytest.mark.cases(2)
@pytest.mark.parametrize("mode", ["numba", "jax"])
@pytest.mark.parametrize("name", [*NUMBERS, *BOOLEANS])
def test_backends(name: str, mode: str, few: Any) -> None:
    """Values, and the slopes of the sum of their squares."""
    made = []
    for call, arrays in few([*of_kinds(name)], 2):
        inputs = [wt.matrix("x", dtype=str(x.dtype)) for x in arrays]
        outputs = list(call(OURS, *inputs))
        cost: Any = sum((y**2).sum() for y in outputs)
        moving = [x for x in inputs if x.type.differentiable]
        slopes = grad(cost, moving, disconnected_inputs="ignore") if moving else []
        made.append((OpFromGraph(inputs, [*outputs, *slopes]), arrays))
    check_backend(made, mode)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_all_pairs(mode: str) -> None:
    a, b = wt.matrix("a"), wt.matrix("b")
    share = abs(a) + 1
    outputs = [OURS.cdist(a, b, name, **options) for name, options in NUMBERS.items()]
    outputs += [OURS.cdist(a > 0, b > 0, name) for name in BOOLEANS]
    outputs += [OURS.pdist(a, "minkowski", p=1.5), OURS.pdist(share, "jensenshannon")]
    outputs += [OURS.cdist(a, b, "seuclidean"), OURS.pdist(a, "euclidean", w=W)]
    found: Any = function([a, b], outputs, mode=mode)(A, B)
    wanted = [THEIRS.cdist(A, B, name, **options) for name, options in NUMBERS.items()]
    wanted += [THEIRS.cdist(A > 0, B > 0, name) for name in BOOLEANS]
    wanted += [THEIRS.pdist(A, "minkowski", p=1.5)]
    wanted += [THEIRS.pdist(abs(A) + 1, "jensenshannon")]
    wanted += [THEIRS.cdist(A, B, "seuclidean"), THEIRS.pdist(A, "euclidean", w=W)]
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", WEIGHTED)
def test_weights(name: str) -> None:
    u, v = A[0], A[3] * np.array([1, 0, 1])
    if name in BOOLEANS:
        u, v = u > 0, v > 1
    found = getattr(OURS, name)(u, v, w=W).eval()
    np.testing.assert_allclose(found, getattr(THEIRS, name)(u, v, w=W), rtol=1e-12)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_slopes_of_equal_rows_are_zero(mode: str) -> None:
    a = wt.matrix("a")
    total = sum(OURS.pdist(a, name, **NUMBERS[name]).sum() for name in SMOOTH)
    total = total + OURS.pdist(abs(a) + 1, "jensenshannon").sum()
    slope: Any = function([a], grad(total, a), mode=mode)
    same = np.ones((3, 3))
    np.testing.assert_array_equal(slope(same), 0)
    assert np.isfinite(slope(A)).all()


@pytest.mark.cases(0)
def test_slopes() -> None:
    for name, options in NUMBERS.items():
        if name != "hamming":
            check_grad(lambda a, b, n=name, o=options: OURS.cdist(a, b, n, **o), POINTS)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_squares_and_vectors(mode: str) -> None:
    x = wt.vector("x")
    square = OURS.squareform(x)
    f: Any = function([x], [square, OURS.squareform(square)], mode=mode)
    for n in (2, 3, 5):
        distances = np.arange(1.0, 1 + n * (n - 1) // 2)
        matrix, again = f(distances)
        np.testing.assert_array_equal(matrix, THEIRS.squareform(distances))
        np.testing.assert_array_equal(again, distances)
    np.testing.assert_array_equal(f(np.zeros(0))[0], [[0.0]])
    assert f(np.zeros(0))[1].shape == (0,)
    assert OURS.squareform(np.zeros(0)).eval().shape == (1, 1)
    assert OURS.squareform([True, False, True]).eval().tolist() == [
        [False, True, False],
        [True, False, True],
        [False, True, False],
    ]
    with pytest.raises(ValueError, match="these distances are not those of all pairs"):
        f(np.ones(4))
    for n in (0, 1):
        assert OURS.pdist(np.ones((n, 3))).eval().shape == (0,)


def test_of_no_numbers() -> None:
    for name in ("chebyshev", "cityblock", "euclidean"):
        found = OURS.cdist(np.ones((2, 0)), np.ones((1, 0)), name).eval()
        np.testing.assert_array_equal(found, [[0.0], [0.0]])


def test_stacks_and_farthest_rows() -> None:
    stack = np.stack([A, 2 * A])
    found = OURS.cdist(stack, B).eval()
    np.testing.assert_allclose(found, [THEIRS.cdist(A, B), THEIRS.cdist(2 * A, B)])
    d, i, j = OURS.directed_hausdorff(A, B)
    wanted = THEIRS.directed_hausdorff(A, B)
    assert (d.eval(), i.eval(), j.eval()) == pytest.approx(wanted)


def test_a_function_as_metric() -> None:
    found = OURS.pdist(A, lambda u, v: wt.exp(-0.5 * OURS.sqeuclidean(u, v))).eval()
    np.testing.assert_allclose(found, np.exp(-0.5 * THEIRS.pdist(A, "sqeuclidean")))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: OURS.cdist(A, B, "euclid"), "no metric 'euclid'"),
        (lambda: OURS.cdist(A, B[0]), "takes matrices"),
        (lambda: OURS.minkowski(A, A, 0), "above 0, not 0"),
        (lambda: OURS.chebyshev(A, A, [1.0, 2.0, -1.0]), "weights of a distance"),
        (lambda: OURS.cdist(A, B, "hamming", w=[1.0, 2.0, -1.0]), "weights of a distance"),
        (lambda: OURS.jaccard(A, A, -1.0), "weights of a distance"),
        (lambda: OURS.euclidean(A, A, -wt.ones(3)), "weights of a distance"),
        (lambda: OURS.squareform(np.ones(4)), "4 distances"),
        (lambda: OURS.squareform(np.ones((2, 2, 2))), "a vector or a matrix"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


CLOUD, PLACES = np.random.default_rng(3).uniform(0, 3, size=(2, 6, 2))
QUERIES: Final[list[dict[str, Any]]] = [
    {}, {"k": 3}, {"k": [1, 4]}, {"k": 9}, {"k": 1, "p": 1}, {"k": 2, "p": np.inf},
    {"k": 2, "distance_upper_bound": 0.5}, {"k": 2, "eps": 0.0, "workers": 2},
]  # fmt: skip


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("box", [None, 3.0, [3.0, 0.0]])
def test_neighbours_are_those_of_scipy(box: Any, mode: str) -> None:
    theirs: Any = scipy.spatial.KDTree(CLOUD, boxsize=box)
    data, x = wt.matrix("data", shape=(None, 2)), wt.matrix("x")
    tree = wt.spatial.KDTree(data, boxsize=box)
    found = [v for options in QUERIES for v in tree.query(x, **options)]
    found += [tree.query_ball_point(x, [0.5] * 6, return_length=True)]
    expected = [v for options in QUERIES for v in theirs.query(PLACES, **options)]
    expected += [theirs.query_ball_point(PLACES, 0.5, return_length=True)]
    results = wt.function([data, x], found, mode=mode)(CLOUD, PLACES)
    for value, reference in zip(results, expected, strict=True):
        np.testing.assert_allclose(value, reference)


def test_pairs_of_neighbours_are_counted() -> None:
    trees = [wt.spatial.cKDTree(v) for v in (CLOUD, PLACES)]
    theirs: Any = [scipy.spatial.KDTree(v) for v in (CLOUD, PLACES)]
    radii, weights = np.array([0.3, 1.0, 2.0]), CLOUD[:, 0]
    for options in ({}, {"cumulative": False}, {"weights": (weights, weights)}):
        value = trees[0].count_neighbors(trees[1], radii, **options).eval()
        np.testing.assert_allclose(value, theirs[0].count_neighbors(theirs[1], radii, **options))
    assert trees[0].count_neighbors(trees[0], 0.0).eval() == trees[0].n.eval() == 6
    np.testing.assert_array_equal(trees[0].maxes.eval(), CLOUD.max(0))
    assert trees[0].query(np.zeros((0, 2)), k=2)[0].eval().shape == (0, 2)


def test_distances_of_neighbours_have_slopes() -> None:
    check_grad(lambda d, x: wt.spatial.KDTree(d).query(x, k=2)[0], [CLOUD, PLACES])
    check_grad(lambda d, x: wt.spatial.KDTree(d, boxsize=3.0).query(x)[0], [CLOUD, PLACES])


def test_what_has_no_shape_is_told() -> None:
    tree: Any = wt.spatial.KDTree(CLOUD)
    with pytest.raises(TypeError, match=r"query_ball_point: .*return_length=True"):
        tree.query_ball_point(PLACES, 1.0)
    with pytest.raises(AttributeError, match=r"no attribute 'query_pairs': write distance.pdist"):
        tree.query_pairs(1.0)
    with pytest.raises(ValueError, match="k is 1 or more"):
        tree.query(PLACES, k=0)
    with pytest.raises(ValueError, match="points as rows of a matrix"):
        wt.spatial.KDTree([1.0, 2.0])
