"""Regions of images: what is measured of them, how they are told apart, distances, transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.ndimage
from against_scipy import Row, assert_as_on_python, assert_as_scipy, assert_slopes

import weft.tensor as wt

OURS: Any = wt.ndimage
THEIRS: Any = scipy.ndimage
RANDOM = np.random.default_rng(2)
IMAGE, LABELS = RANDOM.normal(size=(5, 6)), RANDOM.integers(0, 4, (5, 6))
WHOLE = RANDOM.integers(0, 9, (5, 6))
SOME = np.array([[3, 1], [2, 3]])
MEASURES = [
    "sum", "sum_labels", "mean", "variance", "standard_deviation", "minimum", "maximum", "median",
    "minimum_position", "maximum_position", "center_of_mass",
]  # fmt: skip


def measured(name: str, *how: Any) -> Callable[..., Any]:
    """Positions, which SciPy returns as tuples in lists, as one array."""

    def call(m: Any, *arrays: Any) -> Any:
        result = getattr(m, name)(arrays[0], *how, *arrays[1:])
        return result if m is OURS else np.asarray(result)

    return call


def chosen(name: str, *how: Any) -> Callable[..., Any]:
    """Of each region alone, since SciPy takes no matrix of labels for all functions."""

    def call(m: Any, *arrays: Any) -> Any:
        f = getattr(m, name)
        if m is OURS:
            return f(arrays[0], *how, *arrays[1:])
        return np.array([[f(arrays[0], *how, arrays[1], k) for k in row] for row in arrays[2]])

    return call


def extremes(m: Any, *arrays: Any) -> Any:
    result = m.extrema(*arrays)
    return [*result] if m is OURS else [np.asarray(v) for v in result]


STEPS = ("chessboard", "taxicab")
FAR = np.ones((60, 80), bool)
FAR[[2, 3, 3, 57], [70, 5, 6, 40]] = False


def distances(m: Any, x: Any) -> Any:
    return [m.distance_transform_edt(x), m.distance_transform_edt(x, (0.5, 2.0))]


PARTS = RANDOM.random((9, 11)) < 0.6
SPIRAL = np.array([[1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 1], [1, 1, 1, 1, 0, 1],
                   [1, 0, 0, 1, 0, 1], [1, 0, 1, 1, 0, 1], [1, 0, 0, 0, 0, 1],
                   [1, 1, 1, 1, 1, 1]])  # fmt: skip
SPECTRUM = RANDOM.normal(size=(4, 5)) + 1j * RANDOM.normal(size=(4, 5))
SETS = [[PARTS], [SPIRAL], [np.zeros((0, 3))], [np.zeros((2, 3))], [np.ones((1, 1))]]
SPECTRA = [[SPECTRUM], [SPECTRUM.real]]

ROWS = {
    **{name: Row(measured(name), [[IMAGE], [IMAGE, LABELS]]) for name in MEASURES},
    **{f"{name} of regions": Row(chosen(name), [[IMAGE, LABELS, SOME], [WHOLE, LABELS, SOME]][
        : 1 if "position" in name else 2]) for name in MEASURES if name != "sum"},
    "extrema": Row(extremes, [[IMAGE], [IMAGE, LABELS], [IMAGE, LABELS, np.array(2)]]),
    "histogram": Row(measured("histogram", -1.0, 1.0, 4), [[IMAGE], [IMAGE, LABELS]]),
    "histogram of regions": Row(chosen("histogram", 0, 8, 8), [[WHOLE, LABELS, SOME]]),
    "label": Row(lambda m, x: [*m.label(x)], SETS),
    "label, corners": Row(lambda m, x: [*m.label(x, np.ones((3, 3)))], SETS[:2]),
    "label of lines": Row(lambda m, x: [*m.label(x, [[0, 0, 0], [1, 1, 1], [0, 0, 0]])], SETS[:2]),
    "label of a vector": Row(lambda m, x: [*m.label(x)], [[PARTS[0]]]),
    "distance_transform_edt": Row(distances, [[PARTS], [SPIRAL], [np.zeros((2, 3))]]),
    **{f"distance_transform_cdt, {k}": Row(
        lambda m, x, k=k: [m.distance_transform_cdt(x, k), 1.0 * m.distance_transform_bf(x, k)],
        [[PARTS], [SPIRAL], [np.zeros((2, 3))], [RANDOM.random((4, 3, 5)) < 0.8]], False)
        for k in STEPS},
    "distance_transform_bf": Row(
        lambda m, x: m.distance_transform_bf(x, sampling=(1.0, 0.5)), [[PARTS]]),
    "distances, far and near": Row(
        lambda m, x: [*distances(m, x), *(1.0 * m.distance_transform_cdt(x, k) for k in STEPS)],
        [[FAR], [FAR[2:3]], [FAR[:, 5:6]], [FAR & (RANDOM.random(FAR.shape) < 0.99)]]),
    "distance of a vector": Row(lambda m, x: m.distance_transform_edt(x), [[PARTS[0]]]),
    "distance in three dimensions": Row(
        lambda m, x: m.distance_transform_edt(x, 2), [[RANDOM.random((4, 3, 5)) < 0.8]]),
    "fourier_gaussian": Row(measured("fourier_gaussian", (0.3, 1.2)), SPECTRA),
    "fourier_uniform": Row(measured("fourier_uniform", (2, 3)), SPECTRA),
    "fourier_shift": Row(measured("fourier_shift", 1.3), SPECTRA),
    "fourier_gaussian of rfft": Row(
        lambda m, x: m.fourier_gaussian(x, 0.7, 6, 0), [[SPECTRUM]]),
}  # fmt: skip
FLOATING = [name for name, row in ROWS.items() if row.arrays[0][0].dtype == "float64"
            and not any(word in name for word in ("position", "histogram", "label"))
            and name != "sum"]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "complex64", "int32"])
@pytest.mark.parametrize("name", ["fourier_gaussian", "fourier_uniform", "fourier_shift"])
def test_filters_of_transforms_keep_their_dtype(name: str, dtype: str) -> None:
    x = (9 * SPECTRUM.real).astype(dtype)
    found, expected = getattr(OURS, name)(x, 1.3), getattr(THEIRS, name)(x, 1.3)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.eval(), expected, atol=1e-5)


@pytest.mark.cases(20)
@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    for arrays in ROWS[name].arrays:
        assert_as_scipy(OURS, THEIRS, ROWS[name].call, arrays)


@pytest.mark.cases(8)
@pytest.mark.parametrize("name", FLOATING)
def test_derivatives(name: str) -> None:
    assert_slopes(OURS, ROWS[name])


@pytest.mark.cases("jax")
@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_backends(mode: str, few: Any) -> None:
    def everything(m: Any, image: Any, labels: Any, some: Any) -> Any:
        outer = [getattr(m, f)(image, labels, some) for f in few(MEASURES, 4)]
        numbers, count = m.label(image > 0)
        parts = [m.fourier_gaussian(image, 0.7), m.distance_transform_edt(numbers)]
        return [*outer, m.histogram(image, -1.0, 1.0, 4, labels, some), numbers, count, *parts]

    assert_as_on_python(OURS, Row(everything, [[IMAGE, LABELS, SOME]]), mode)


def test_regions_without_elements() -> None:
    results = [getattr(OURS, name)([1.0, 2.0], [1, 1], [1, 5]) for name in MEASURES[1:8]]
    ends = [f.eval()[1] for f in results]
    np.testing.assert_array_equal(ends, [0, np.nan, np.nan, np.nan, 0, 0, np.nan])


def test_labels_of_large_sets() -> None:
    x = wt.matrix("x")
    f = wt.function([x], [*OURS.label(x)], mode="py")
    for share in (0.3, 0.5, 0.6, 0.9):
        parts = (RANDOM.random((40, 30)) < share).astype(float)
        labels, count = f(parts)
        reference, number = THEIRS.label(parts)
        assert (labels.dtype, count) == (reference.dtype, number)
        np.testing.assert_array_equal(labels, reference)


def test_distances_move_with_sampling_and_indices_say_to_what() -> None:
    steps = wt.vector("steps")
    apart, places = OURS.distance_transform_edt(PARTS, steps, return_indices=True)
    f = wt.function([steps], [apart, places, wt.grad(apart.sum(), steps)], mode="py")
    at = np.array([0.7, 1.1])
    distances, indices, slopes = f(at)
    assert not PARTS[tuple(indices)].any()
    lengths = at[:, None, None] * (indices - np.indices(PARTS.shape))
    np.testing.assert_allclose(distances, np.hypot(*lengths))
    near = [(f(at + h)[0].sum() - f(at - h)[0].sum()) / 2e-6 for h in 1e-6 * np.eye(2)]
    np.testing.assert_allclose(slopes, near, rtol=1e-6)
    assert OURS.distance_transform_edt([1, 1]).eval().tolist() == [np.inf, np.inf]


ERRORS: dict[str, Callable[[], Any]] = {
    "an index needs labels": lambda: OURS.mean([1.0], index=1),
    "structure is symmetric": lambda: OURS.label([1, 0], [1, 1, 0]),
    "with 3 along each of 1 axes": lambda: OURS.label([1, 0], np.ones((3, 3))),
    "returns distances": lambda: OURS.distance_transform_edt([1, 0], None, False),
    "metric is one of": lambda: OURS.distance_transform_cdt([1, 0], "far"),
    "metric is one of 'chessboard'": lambda: OURS.distance_transform_cdt([1, 0], np.ones(3)),
    "needs an axis": lambda: OURS.distance_transform_edt(1.0),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message]()


def test_kinds_of_numbers() -> None:
    with pytest.raises(TypeError, match="labels are integers"):
        OURS.mean([1.0], [1.5])
    with pytest.raises(TypeError, match="real numbers"):
        OURS.mean([1j])
