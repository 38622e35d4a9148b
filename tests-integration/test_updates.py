"""Elements that indices find are changed as by NumPy's `at`, and by segments, on every backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import weft.tensor as wt
from weft_testing import case, check_function

rng = np.random.default_rng(0)

UFUNCS: Final = {
    "inc": np.add,
    "mul": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
MODES: Final = ["py", "numba", "jax"]
PLACES: Final = np.array([3, 0, 0, -1, 1, 3])
MATRIX: Final = rng.normal(size=(4, 3))
FLOATS: Final = np.array([1.5, np.nan, -np.inf, 0.0])
FLAGS: Final = np.array([True, False, True, False])
DATA: Final = [
    rng.normal(size=(6, 2)),
    np.array([1.5, np.nan, -np.inf, 0.5, np.inf, 1.5]),
    np.array([1, 0, 2, 3, 0, 2], "float32"),
    np.array([3, -1, 2, 3, 0, 2], "int32"),
    np.array([200, 1, 2, 3, 0, 2], "uint8"),
    np.array([True, False, True, True, False, False]),
    np.zeros((6, 0)),
]
IDS: Final = [PLACES % 4, np.zeros(6, "int8"), np.array([1, 1, 4, 4, 4, 0], "uint16")]


def changes() -> list[Any]:
    """What is changed, with what, where."""
    values = rng.normal(size=(6, 3))
    return [
        case(MATRIX, values, PLACES),
        case(MATRIX, values[:, :1], PLACES),
        case(MATRIX, 0.5, PLACES),
        case(MATRIX.astype("float32"), np.float32(0.5), PLACES),
        case(MATRIX, values[:0], PLACES[:0]),
        case(MATRIX, values[0], 2),
        case(MATRIX, values[:2], slice(1, 3)),
        case(MATRIX, values[:2], slice(None, None, 2)),
        case(MATRIX, values[:4, 0], (slice(None), 1)),
        case(MATRIX, values[:3, 0], (np.array([1, 1, 0]), np.array([2, 2, -1]))),
        case(MATRIX, values[:4, :2], (slice(None), np.array([1, 1]))),
        case(MATRIX, 2.0, MATRIX > 0),
        case(MATRIX, values[:2], np.array([False, True, True, False])),
        case(MATRIX, 2.0, (0, 1)),
        case(FLOATS, np.array([np.inf, np.nan, 1.0, 2.0, 0.0, -np.inf]), PLACES),
        case(np.arange(4) - 2, np.array([3, -3, 2, 1, 0, 7]), PLACES),
        case(np.arange(4, dtype="uint8"), np.array([200, 3, 2, 1, 0, 7], "uint8"), PLACES),
        case(FLAGS, np.array([True, False, True, True, False, True]), PLACES),
        *(
            case((MATRIX * 9).astype(dtype), (values * 9).astype(dtype)[: len(places)], places)
            for dtype in ("float32", "int8", "uint16", "int32", "bool")
            for places in (PLACES, PLACES[:0], np.array([2, 2], "int16"))
        ),
        case(np.array(1.5), 2.5, ()),
        case(np.array(3), 2, ...),
    ]


def changed(mode: str) -> Callable[..., Any]:
    return lambda x, y, key: getattr(wt.as_tensor(x)[key], mode)(y)


def by_numpy(mode: str) -> Callable[..., Any]:
    def compute(x: Any, y: Any, key: Any) -> Any:
        result = np.array(x)
        UFUNCS[mode].at(result, key, y)
        return result

    return compute


def products_of_numbers() -> list[Any]:
    x = MATRIX[:, 0] + 1j * MATRIX[:, 1]
    return [case(x, np.array([1j, 2.0, 0.5 - 1j, 1j, 1.0, 0.0]), PLACES), case(x, 2.0, 1)]


@pytest.mark.parametrize("mode", UFUNCS)
def test_they_are_changed_as_by_numpy(mode: str, few: Any) -> None:
    cases = changes() + (products_of_numbers() if mode in ("inc", "mul") else [])
    assert check_function(changed(mode), by_numpy(mode), cases, ["py"]) >= 30
    check_function(changed(mode), by_numpy(mode), few(cases, 3))


def by_loop(name: str) -> Callable[..., Any]:
    """What the ufunc reduces the slices of each segment to."""
    ufunc = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}[name]

    def compute(x: np.ndarray, ids: np.ndarray, count: int | None = None) -> np.ndarray:
        n = (int(ids.max(initial=0)) + 1 if ids.size else 0) if count is None else count
        result = np.full((n, *x.shape[1:]), neutral(name, x.dtype), x.dtype)
        for row, k in zip(x, ids, strict=True):
            result[k] = ufunc(result[k], row)
        return result

    return compute


def neutral(name: str, dtype: np.dtype[Any]) -> Any:
    if name in ("sum", "prod"):
        return name == "prod"
    if dtype.kind == "b":
        return name == "min"
    limits: Any = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    if dtype.kind == "f":
        return -np.inf if name == "max" else np.inf
    return limits.min if name == "max" else limits.max


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min"])
def test_segments(name: str, few: Any) -> None:
    cases = [
        *(case(x, ids) for x in DATA for ids in IDS),
        *(case(x, ids, 6) for x in DATA for ids in IDS[:2]),
        *(case(x[:0], IDS[0][:0], n) for x in DATA[:3] for n in (0, 2)),
    ]
    found = getattr(wt, f"segment_{name}")
    assert check_function(found, by_loop(name), cases, ["py"]) >= 30
    check_function(found, by_loop(name), few(cases, 2))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("change", ["mul", "maximum", "minimum"])
def test_slopes_are_those_of_differences(change: str, mode: str) -> None:
    """Of what is indexed several times, and of zeros, of which a product has one or several."""
    x, y, k = wt.vector("x"), wt.vector("y"), wt.lvector("k")
    weights = np.array([1.0, -2.0, 3.0, 0.5])
    cost = (getattr(x[k], change)(y) * weights).sum()
    f = wt.function([x, y, k], [cost, *wt.grad(cost, [x, y])], mode=mode)
    values = [np.array([0.3, 0.0, 0.0, -1.2]), np.array([0.7, 0.0, 2.0, -0.4, 1.5, 0.9])]
    _, *slopes = f(*values, PLACES)
    if change != "mul":  # which have no slope where two are equal
        values = [v + 0.01 * np.arange(v.size) for v in values]
        _, *slopes = f(*values, PLACES)
    for which, slope in enumerate(slopes):
        for i in range(slope.size):
            ends = []
            for step in (1e-6, -1e-6):
                moved = [v.copy() for v in values]
                moved[which][i] += step
                ends.append(f(*moved, PLACES)[0])
            np.testing.assert_allclose(slope[i], (ends[0] - ends[1]) / 2e-6, atol=1e-6)


def test_equal_extremes_share_the_slope() -> None:
    x, y = wt.vector("x"), wt.vector("y")
    by_x, by_y = wt.grad(x[[0, 0, 1]].maximum(y).sum(), [x, y])
    given = {x: [2.0, 1.0], y: [2.0, 2.0, 0.0]}
    np.testing.assert_allclose(by_x.eval(given), [1 / 3, 1])
    np.testing.assert_allclose(by_y.eval(given), [1 / 3, 1 / 3, 0])


def test_what_does_not_fit_is_refused() -> None:
    x, z, ids = wt.vector("x"), wt.zvector("z"), wt.lvector("ids")
    with pytest.raises(TypeError, match="without loss"):
        ids[0].mul(0.5)
    with pytest.raises(TypeError, match="maximum of several"):
        z[0].maximum(0.5)
    with pytest.raises(TypeError, match="not the direct result of indexing"):
        x.mul(2.0)
    with pytest.raises(TypeError, match="segment_max takes integers as segment_ids"):
        wt.segment_max(x, x)
    with pytest.raises(ValueError, match="segment_sum takes a vector of segment_ids"):
        wt.segment_sum(x, ids[0])
    for wrong, error, message in (
        ([0, 1], ValueError, "different lengths"),
        ([0, -1, 0], ValueError, "a number of segment_ids is negative"),
        ([0, 9, 0], IndexError, "out of bounds"),
    ):
        with pytest.raises(error, match=message):
            wt.segment_sum(x, ids, 3).eval({x: np.ones(3), ids: wrong})


@pytest.mark.parametrize("mode", MODES)
def test_they_are_batched(mode: str) -> None:
    x, y = wt.vector("x"), wt.vector("y")
    for change, ufunc in UFUNCS.items():
        xs = wt.matrix("xs")
        made = wt.vectorize_graph(getattr(x[PLACES], change)(y), {x: xs})
        values, given = rng.normal(size=(2, 4)), rng.normal(size=6)
        wanted = values.copy()
        for row in wanted:
            ufunc.at(row, PLACES, given)
        np.testing.assert_allclose(wt.function([xs, y], made, mode=mode)(values, given), wanted)
