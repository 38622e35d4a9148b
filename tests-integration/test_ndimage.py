"""Images: borders of all kinds against SciPy, derivatives by places and widths, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.ndimage

import weft.tensor as wt

OURS: Any = wt.ndimage
BORDERS = ["reflect", "mirror", "nearest", "wrap", "constant"]
BORDERS += ["grid-mirror", "grid-wrap", "grid-constant"]
RANDOM = np.random.default_rng(5)
IMAGE = RANDOM.normal(size=(5, 7))
FAR = RANDOM.uniform(-13, 16, size=(2, 40))
NEAR = RANDOM.uniform(-4, 27, size=(2, 40))
"""Farther away SciPy's splines still swing about the last element, where "nearest" says it."""


@pytest.mark.parametrize("mode", BORDERS)
def test_borders_are_those_of_scipy(mode: str) -> None:
    """Also where a window is wider than the image, and at integers of many periods."""
    tall = RANDOM.normal(size=(11, 2))
    whole = RANDOM.integers(0, 255, size=(5, 7)).astype("uint8")
    broad = RANDOM.normal(size=(23, 25))

    def results(m: Any) -> list[Any]:
        how = {"mode": mode, "cval": 0.5}
        lines = {"order": 1, **how}
        return [
            m.correlate(IMAGE, tall, **how),
            m.gaussian_filter(whole, 1.2, **how),
            m.median_filter(whole, 3, **how),
            m.maximum_filter(IMAGE, (1, 9), origin=(0, 2), **how),
            m.map_coordinates(IMAGE, FAR, **lines),
            m.map_coordinates(whole, np.round(FAR), **lines),
            m.map_coordinates(IMAGE, FAR, order=0, **how),
            m.rotate(IMAGE, -117.0, **lines),
            m.zoom(whole, (1.7, 0.6), **lines),
            *(m.map_coordinates(broad, NEAR, order=k, **how) for k in (2, 3, 5)),
            m.spline_filter(broad, 4, mode=mode),
            m.spline_filter1d(broad[0], mode=mode),
            m.uniform_filter(whole > 99, 2, **how),
            m.correlate1d(whole > 99, [0.7, -1.6, 0.4], **how),
            m.shift(whole > 99, 0.4, **lines),
        ]

    images = wt.function([], results(OURS), mode="py")()
    for actual, wanted in zip(images, results(scipy.ndimage), strict=True):
        assert actual.dtype == wanted.dtype
        np.testing.assert_allclose(actual, wanted, rtol=2e-9, atol=1e-12)


def test_axes_have_borders_of_their_own() -> None:
    space = RANDOM.normal(size=(3, 4, 5))
    both = np.array([-1, 0])
    small = RANDOM.normal(size=(2, 3))

    def turned(at: Any, k: float) -> Any:
        return at[0] - 0.5, k * at[1] + at[0] * at[0]

    def results(m: Any) -> list[Any]:
        modes = {"mode": ["wrap", "nearest"]}
        return [
            m.correlate(space, small, axes=both, origin=(0, -1)),
            m.convolve(space, small, axes=(2, 1), origin=[1, 0]),
            m.uniform_filter(space, (2, 3), axes=both, **modes),
            m.gaussian_filter(space, np.array([0.6, 0.9]), (1, 0), axes=both, **modes),
            m.maximum_filter(space, 3, axes=both, **modes),
            m.sobel(IMAGE, 1, **modes),
            m.prewitt(IMAGE, 0, mode=modes["mode"][::-1]),
            m.laplace(IMAGE, **modes),
            m.gaussian_gradient_magnitude(IMAGE, 0.8, **modes),
            m.label(IMAGE > 0, np.zeros((3, 3)))[0],
            m.geometric_transform(IMAGE, turned, (3, 4), order=1, extra_arguments=(1.3,)),
        ]

    images = wt.function([], results(OURS), mode="py")()
    for actual, wanted in zip(images, results(scipy.ndimage), strict=True):
        np.testing.assert_allclose(actual, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_integers_are_counted_round_their_range(mode: str) -> None:
    weights = [-1.0, 0.0, 3.0]
    kinds = ["uint8", "uint32", "uint64", "int8"]
    arrays = [np.arange(8, dtype=kind)[::-1] * np.array(15, kind) for kind in kinds]
    images = [wt.vector(dtype=kind) for kind in kinds]
    f = wt.function(images, [OURS.correlate1d(x, weights) for x in images], mode=mode)
    for actual, x in zip(f(*arrays), arrays, strict=True):
        np.testing.assert_array_equal(actual, scipy.ndimage.correlate1d(x, weights))


@pytest.mark.cases("jax")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_derivatives_by_places_weights_and_widths(mode: str, few: Any) -> None:
    image, places, angle, width = wt.matrix("image"), wt.matrix("places"), *wt.scalars("a", "w")
    parts = [
        OURS.map_coordinates(image, places, 1, "reflect"),
        OURS.rotate(image, angle, reshape=False, order=1),
        OURS.gaussian_filter(image, width, radius=2, order=(0, 1)),
        OURS.zoom(image, 2, order=1),
        OURS.shift(image, angle, mode="grid-wrap"),
    ]
    cost: Any = sum(
        (part * wt.cos(wt.arange(part.size).reshape(part.shape))).sum() for part in few(parts, 1)
    )
    inputs = [image, places, angle, width]
    slopes = wt.grad(cost, inputs, disconnected_inputs="ignore")
    f = wt.function(inputs, [cost, *slopes], mode=mode)
    at = [IMAGE, FAR, np.array(20.0), np.array(0.8)]
    for k, slope in enumerate(f(*at)[1:]):
        way = 1e-6 * RANDOM.normal(size=at[k].shape)
        ends = [
            f(*[v + sign * way if i == k else v for i, v in enumerate(at)])[0] for sign in (1, -1)
        ]
        np.testing.assert_allclose(
            (ends[0] - ends[1]) / 2, (slope * way).sum(), rtol=1e-4, atol=1e-11
        )


SURFACES = "grey_erosion grey_dilation grey_opening grey_closing morphological_gradient "
SURFACES += "morphological_laplace white_tophat black_tophat"
SETS = "binary_erosion binary_dilation binary_opening binary_closing"


@pytest.mark.cases("py", "numba")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_morphology_is_that_of_scipy(mode: str, few: Any) -> None:
    """Also of even windows, moved ones, and axes that are not in order."""
    heights, solid = RANDOM.normal(size=(3, 2)), RANDOM.normal(size=(2, 3, 2))
    whole = RANDOM.integers(0, 255, size=(5, 7)).astype("int16")
    some = RANDOM.random((6, 7)) < 0.6
    mask, shape = RANDOM.random((6, 7)) < 0.7, RANDOM.random((3, 2)) < 0.7

    def results(m: Any) -> list[Any]:
        parts = [
            m.maximum_filter(solid, footprint=solid > 0, axes=(1, 2, 0)),
            m.grey_dilation(solid, structure=solid, origin=(0, 1, 0), axes=(2, 0, 1)),
            m.white_tophat(some, 3),
            m.binary_propagation(some & mask, mask=mask),
            m.binary_fill_holes(some),
            m.binary_fill_holes(some, np.ones((3, 3))),
            m.binary_dilation(some & ~mask, np.eye(3), 0, mask, border_value=1),
            m.binary_dilation(some, shape, 0, mask, origin=(1, 0)),
            m.binary_hit_or_miss(some),
            m.binary_hit_or_miss(some, shape, ~shape[::-1], origin2=(0, 0)),
        ]
        for f in [getattr(m, name) for name in few(SURFACES.split(), 1)]:
            parts += [
                f(IMAGE, (2, 4), mode="constant", cval=0.3),
                f(IMAGE, footprint=shape, mode="wrap", origin=(1, 0)),
                f(IMAGE, structure=heights),
                f(whole, structure=[1, -3], axes=1),
            ]
        for f in [getattr(m, name) for name in few(SETS.split(), 1)]:
            parts += [
                f(some, shape, origin=(1, -1)),
                f(some, iterations=2, border_value=1),
                f(some, iterations=0, mask=mask),
            ]
        return parts

    images = wt.function([], results(OURS), mode=mode)()
    for actual, wanted in zip(images, results(scipy.ndimage), strict=True):
        assert actual.dtype == wanted.dtype
        np.testing.assert_allclose(actual, wanted)


def test_slopes_of_morphology() -> None:
    image, heights = wt.matrix("image"), wt.vector("heights", shape=(3,))
    cost = (wt.sin(IMAGE) * OURS.grey_closing(image, structure=heights[None])).sum()
    f = wt.function([image, heights], [cost, *wt.grad(cost, [image, heights])], mode="py")
    at = [IMAGE, np.array([0.1, 0.0, 0.4])]
    for k, slope in enumerate(f(*at)[1:]):
        way = 1e-6 * RANDOM.normal(size=at[k].shape)
        ahead, behind = (
            f(*[v + s * way if i == k else v for i, v in enumerate(at)])[0] for s in (1, -1)
        )
        np.testing.assert_allclose((ahead - behind) / 2, (slope * way).sum(), rtol=1e-5)


def test_batches() -> None:
    images = wt.tensor3("images")
    many = wt.vmap(lambda x: OURS.sobel(OURS.gaussian_filter(x, 0.8)))(images)
    data = RANDOM.normal(size=(3, 4, 5))
    wanted = [scipy.ndimage.sobel(scipy.ndimage.gaussian_filter(x, 0.8)) for x in data]
    np.testing.assert_allclose(wt.function([images], many, mode="py")(data), wanted, atol=1e-12)


def test_bad_input() -> None:
    x = wt.matrix("x")
    cases: list[tuple[Any, str]] = [
        (lambda: OURS.correlate(x, np.ones(3)), "weights must be of rank 2"),
        (lambda: OURS.correlate1d(x, x), "weights must be of rank 1"),
        (lambda: OURS.sobel(x, mode="symm"), "mode must be one of reflect"),
        (lambda: OURS.uniform_filter(x, 3, origin=2), "origin 2 lies outside a window of 3"),
        (lambda: OURS.gaussian_filter(x, (1.0, 1.0, 1.0)), "sigma must have 2 elements"),
        (lambda: OURS.gaussian_filter(x, wt.scalar("s")), "a variable needs a radius"),
        (lambda: OURS.median_filter(x), "either size or footprint"),
        (lambda: OURS.rank_filter(x, 9, 3), "rank not within"),
        (lambda: OURS.map_coordinates(x, np.ones((3, 4)), 1), "2 coordinates are needed, not 3"),
        (lambda: OURS.zoom(x, 2, order=6), "order must be from 0 to 5, not 6"),
        (lambda: OURS.spline_filter(x, 3, "line"), "mode must be one of mirror, .*not 'line'"),
        (lambda: OURS.gaussian_filter(x, 1, axes=(0, -2)), "axes must be unique"),
        (lambda: OURS.affine_transform(x, np.eye(4), order=1), "matrix does not fit 2 axes"),
        (lambda: OURS.rotate(x, 1.0, (0, -2), order=1), "axes of a plane must differ"),
    ]
    for call, message in cases:
        with pytest.raises(ValueError, match=message):
            call()
    for name in ("minimum_filter", "median_filter", "grey_closing"):
        with pytest.raises(TypeError, match="complex numbers have no order"):
            getattr(OURS, name)(IMAGE * 1j, 3)
    with pytest.raises(TypeError, match=r"a structure is added to numbers, not .*footprint"):
        OURS.white_tophat(IMAGE > 0, structure=np.ones((3, 3)))
    with pytest.raises(AttributeError, match=r"scipy\.ndimage\.find_objects is not in Weft"):
        _ = OURS.find_objects


@pytest.mark.cases("py-uint8", "numba-int16", "jax-int8")
@pytest.mark.parametrize("kind", ["uint8", "int8", "int16", "uint32", "int32"])
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_splines_end_where_a_dtype_ends(mode: str, kind: str, few: Any) -> None:
    ends = np.iinfo(kind)
    image = np.where(np.add.outer(np.arange(9), np.arange(8)) % 5 < 2, ends.min, ends.max)
    x = wt.tensor("x", dtype=kind, shape=(None, None))
    calls: list[Any] = [
        lambda m, v: m.zoom(v, 0.7),
        lambda m, v: m.shift(v, 0.4, order=2),
        lambda m, v: m.shift(v, 1.5, order=0, cval=-1e12),
    ]
    calls = few(calls, 1)
    outputs = wt.function([x], [f(OURS, x) for f in calls], mode=mode)(image.astype(kind))
    for found, f in zip(outputs, calls, strict=True):
        np.testing.assert_array_equal(found, f(scipy.ndimage, image.astype(kind)))


WHOLE = RANDOM.integers(0, 255, size=(6, 8)).astype("uint8")
FILTERS: dict[str, Any] = {
    "correlate": (np.ones((2, 3)),),
    "convolve1d": ([1.0, -2.0, 1.5],),
    "gaussian_filter": (1.2,),
    "gaussian_laplace": (1.0,),
    "laplace": (),
    "map_coordinates": (np.array([[0.5, 3.2], [1.5, 2.5]]),),
    "grey_closing": (3,),
    "median_filter": (3,),
    "white_tophat": (3,),
    "maximum_filter1d": (3,),
    "rotate": (30.0,),
    "sobel": (0,),
    "uniform_filter": (3,),
    "zoom": (1.5,),
}


@pytest.mark.cases("py-sobel", "numba-gaussian_filter", "py-zoom")
@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_images_come_out_in_a_dtype(mode: str, name: str, few: Any) -> None:
    given = FILTERS[name]
    kinds = ["float64", "float32", np.int16] if name != "gaussian_laplace" else ["float64"]
    pairs = [(WHOLE, k) for k in kinds] + [(IMAGE.astype("float32"), "float64"), (IMAGE, "float32")]
    for image, kind in few(pairs, 1):
        x = wt.tensor("x", dtype=str(image.dtype), shape=(None, None))
        f = wt.function([x], getattr(OURS, name)(x, *given, output=kind), mode=mode)
        expected = getattr(scipy.ndimage, name)(image, *given, output=kind)
        found = f(image)
        assert found.dtype == expected.dtype
        rtol = 1e-6 if "32" in str(kind) else 1e-10
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * 100)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_sets_come_out_in_a_dtype(mode: str) -> None:
    x = wt.matrix("x")
    given = {"binary_closing": {"iterations": 2}, "binary_fill_holes": {}, "binary_erosion": {}}
    calls = [(name, kind) for name in given for kind in ("int8", bool, "float32")]
    results = [getattr(OURS, name)(x, output=kind, **given[name]) for name, kind in calls]
    for (name, kind), found in zip(
        calls, wt.function([x], results, mode=mode)(IMAGE > 0), strict=True
    ):
        expected = getattr(scipy.ndimage, name)(IMAGE > 0, **given[name]).astype(kind)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def test_what_an_image_is_not_written_to() -> None:
    with pytest.raises(TypeError, match=r"sobel: .* nothing to write to: output is a dtype"):
        OURS.sobel(IMAGE, output=np.zeros_like(IMAGE))
    with pytest.raises(TypeError, match=r"write gaussian_filter\(...\).astype\('int16'\)"):
        OURS.gaussian_filter(IMAGE, 1.0, output="int16")
    with pytest.raises(TypeError, match="an image of complex128 is none of float64"):
        OURS.laplace(IMAGE * 1j, output="float64")
    x = wt.matrix("x")
    assert OURS.sobel(x) is OURS.sobel(x, output=None)
