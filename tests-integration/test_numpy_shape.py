"""Functions of shape are NumPy's, on every backend: values, dtypes, shapes and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import weft.tensor as wt
from weft_testing import Case, case, check_function

rng = np.random.default_rng(0)

MATRIX: Final = rng.normal(size=(3, 4))
FLOATS: Final = np.array([1.5, np.nan, -np.inf, 0.5], "float32")
COUNTS: Final = np.array([3, -1, 2, 5, 0])
ROW: Final = np.array([[0.0, -1.5, 0.0, 2.0, 0.0]], "float32")
CUBE: Final = rng.integers(-9, 9, (2, 3, 2)).astype("int32")
FLAGS: Final = np.array([[True, False], [True, True]])
WAVES: Final = rng.normal(size=(2, 3)) + 1j
NOTHING: Final = np.zeros((0, 3))
NUMBER: Final = np.array(2.5)
BYTES: Final = np.array([[0, 7], [255, 0], [1, 0]], "uint8")
ONE: Final = np.array([[np.inf]], "float32")
ARRAYS: Final = [MATRIX, FLOATS, COUNTS, CUBE, FLAGS, WAVES, NOTHING, NUMBER, BYTES, ONE, ROW]


def of_each(*ways: tuple[Any, ...]) -> list[Case]:
    return [case(x, *way) for x in ARRAYS for way in ways]


def stacked() -> list[Case]:
    """Of one, of two and of mixed tensors."""
    return [
        *(case([x]) for x in ARRAYS),
        *(case([x, x]) for x in ARRAYS),
        *(case((x, x[:1], x)) for x in ARRAYS if x.ndim),
        case([COUNTS, FLAGS[0], 2]),
        case([COUNTS, [1, 2, 3, 4, 5]]),
        case([FLOATS, COUNTS[:4]]),
        case([NUMBER, NUMBER, 1]),
        case([MATRIX, MATRIX[:, :2]]),
        case([MATRIX, MATRIX[:2]]),
        case([MATRIX, CUBE]),
        case([]),
    ]


def inserted() -> list[Case]:
    m, v = MATRIX, COUNTS
    places: list[Any] = [-1, 5, 6, -6, slice(1, 4), slice(None, None, -2), []]
    return [
        *(case(x, 0, 7) for x in ARRAYS),
        *(case(x, 1, 7, -1) for x in ARRAYS if x.ndim),
        *(case(v, obj, 9) for obj in places),
        case(v, [1, 3], [7, 8]),
        case(v, [3, 1, 3, -1], np.array([7.9, 8, 9, 6])),
        case(v, np.array([4, 0]), 1.5),
        case(v, [9, 0], 1),
        case(v, np.array([True, False, False, True, False]), 9),
        case(v, [2], [7, 8, 9]),
        case(m, 1, np.arange(4.0), 0),
        case(m, 1, np.arange(3.0), 1),
        case(m, [1], np.arange(3.0)[:, None], 1),
        case(m, [0, 2], np.ones((3, 2)), 1),
        case(m, [0, 2], np.ones((2, 4)), 0),
        case(m, 1, np.ones((2, 4)), 0),
        case(m, [0, 2], 1.0, 2),
        case(v, [[1, 2]], 1),
    ]


def deleted() -> list[Case]:
    m, v = MATRIX, COUNTS
    parts = (slice(1, 3), slice(None, None, 2), slice(-1, 0, -2), slice(3, 1), slice(None))
    return [
        *(case(x, 0, 0) for x in ARRAYS),
        *(case(x, [1, -1]) for x in ARRAYS),
        *(case(v, obj) for obj in (-1, -5, 5, -6, [], [7], [0, 0, 1], 1.5)),
        *(case(x, obj, -1) for x in (m, v, CUBE) for obj in parts),
        case(m, np.array([True, False, True]), 0),
        case(m, np.array([True, False]), 0),
        case(v, np.array([1, 1, -2])),
        case(m, 0, 2),
    ]


def padded() -> list[Case]:
    m, v = MATRIX, COUNTS
    ways: list[dict[str, Any]] = [
        {"mode": "constant", "constant_values": (1, 2)},
        {"mode": "edge"},
        {"mode": "linear_ramp", "end_values": ((3, 7),)},
        {"mode": "maximum"},
        {"mode": "mean"},
        {"mode": "mean", "stat_length": (3, 1)},
        {"mode": "median"},
        {"mode": "minimum", "stat_length": ((1, 9),)},
        {"mode": "symmetric"},
        {"mode": "reflect", "reflect_type": "odd"},
        {"mode": "symmetric", "reflect_type": "odd"},
        {"mode": "wrap"},
    ]
    return [
        *(case(v, (2, 7), **way) for way in ways),
        *(case(m, ((1, 0), (0, 2)), **way) for way in ways[2::3]),
        *(case(WAVES, (2, 1), **way) for way in ways[:2]),
        *(case(NOTHING, 1, **way) for way in ways),
        case(rng.integers(0, 9, 4).astype("uint8"), 2, mode="median"),
        case(np.ones((2, 1)), 2, mode="reflect"),
        case(FLOATS, 6, mode="reflect"),
        case(FLAGS, 1, mode="edge"),
        case(FLAGS, 1, mode="maximum"),
        case(NUMBER, 1),
        case(m, {0: 1, -1: (2, 0)}),
        case(m, {2: 1}),
        case(m, -1),
        case(m, ((1, 2), (3, 4), (5, 6))),
        case(m, 1, mode="nonesuch"),
        case(m, 1, mode="edge", constant_values=1),
        case(m, 1, mode="maximum", stat_length=0),
        case(m, 1, mode="mean", stat_length=-1),
        case(m, 1.5),
    ]


def cut() -> list[Case]:
    return [
        *(case(x, 1) for x in ARRAYS if x.ndim),
        *(case(x, [1]) for x in ARRAYS if x.ndim),
        *(case(x, [1, 3, 9]) for x in ARRAYS if x.ndim),
        *(case(x, 2) for x in ARRAYS if x.ndim),
        case(COUNTS, [-2, -1]),
        case(MATRIX, -1),
    ]


def flat_places() -> list[Case]:
    there = np.array([[1, 0], [0, 1]])
    pair = (np.array([1, 0, 2]), np.array([2, 0, 1]))
    beyond = (np.array([-1, 5, 2]), np.array([7, -9, 1]))
    return [
        *(case(pair, dims) for dims in ((3, 3), (3, 4), (5, 3), (9, 9), (3, 5), (4, 3))),
        *(case(pair, dims, order="F") for dims in ((3, 3), (3, 4), (5, 3))),
        *(case(beyond, dims, mode=m) for dims in ((3, 3), (3, 4)) for m in ("wrap", "clip")),
        *(case(beyond, (3, 4), mode=m) for m in (("wrap", "clip"), ("clip", "wrap"))),
        *(case(beyond, (3, 4), mode=m, order="F") for m in ("wrap", "clip")),
        *(case(v, (3, 4)) for v in (beyond, (3, 0), (0, -1), (2, 3), (0, 0))),
        case((there, np.array([2, 1])), (2, 3)),
        case((there.astype("uint8"), there), (2, 3)),
        case((there, there, 1), (2, 2, 2)),
        case((there, there), (2, 2, 2)),
        case((there * 1.5, there), (2, 2)),
        case(pair, (3, 3), mode="nonesuch"),
        case(pair, (3, 3), order="K"),
        case((np.zeros(0, int),) * 2, (2, 2)),
    ]


def places() -> list[Case]:
    some = [np.array([3, 0, 5]), np.array([[1, 2], [4, 0]], "int32"), np.array(4), np.zeros(0, int)]
    shapes = ((2, 3), (6,), 6, (1, 3, 2), (3, 4))
    return [
        *(case(x, shape, order) for x in some for shape in shapes for order in "CF"),
        case(6, (2, 3)),
        case(-1, (2, 3)),
        case(np.array([0.5]), (2, 3)),
        case(5, (2, 3)),
        case(0, (2, 0)),
    ]


def trimmed() -> list[Case]:
    some = [
        np.array([0, 0, 1, 0, 2, 0]),
        np.array([0.0, np.nan, 0.0]),
        np.array([1, 2], "uint8"),
        np.zeros(3, "float32"),
        np.zeros(0),
        np.array([[0, 0, 0], [0, 1, 0], [0, 2, 0], [0, 0, 0]]),
        np.array([[False, True], [False, False]]),
        np.zeros((2, 2)),
        np.array([0, 1j]),
        np.array([0, 0, -np.inf, 0]),
        np.array([0, 3, 0], "int8"),
    ]
    return [
        *(case(x, trim) for x in some[::2] for trim in ("fb", "F", "b")),
        *(case(x, "fb", axis) for x in some[4:8] for axis in (0, -1, ())),
        case(some[0], "x"),
        case(some[0], axis=1),
    ]


def blocks() -> list[Case]:
    some = [x for x in ARRAYS if x.ndim]
    return [
        *(case([x, x]) for x in ARRAYS),
        *(case([[x, x], [x, x]]) for x in ARRAYS),
        *(case([[[x]], [[x]]]) for x in some),
        *(case(x) for x in ARRAYS),
        case([[MATRIX, np.zeros((3, 1))], [np.ones((1, 4)), 7]]),
        case([1, [2]]),
        case([[1, 2], []]),
        case([(1, 2)]),
        case([[MATRIX, np.zeros((2, 1))]]),
    ]


CASES: Final[dict[str, Callable[[], list[Case]]]] = {
    "append": lambda: [
        *of_each((7,), ([1, 2],)),
        *(case(x, x, axis) for x in ARRAYS for axis in (0, -1)),
        case(MATRIX, [1.0, 2.0], 0),
    ],
    "array_split": lambda: [*cut(), *(case(x, 3) for x in ARRAYS if x.ndim)],
    "atleast_1d": lambda: [*of_each(()), *of_each((NUMBER, 2)), *of_each(([[1]], FLAGS))],
    "atleast_2d": lambda: [*of_each(()), *of_each((NUMBER, 2)), *of_each(([[1]], FLAGS))],
    "atleast_3d": lambda: [*of_each(()), *of_each((NUMBER, 2)), *of_each(([[1]], FLAGS))],
    "column_stack": stacked,
    "concatenate": lambda: [
        *stacked(),
        *(case([x, x], axis=None) for x in ARRAYS),
        *(case([x, x], -1, dtype="complex64") for x in ARRAYS[:4]),
        case([MATRIX], dtype="int64"),
    ],
    "delete": deleted,
    "dsplit": cut,
    "dstack": stacked,
    "hsplit": lambda: [*cut(), case(NUMBER, 1)],
    "hstack": lambda: [*stacked(), *(case([x], dtype="float32") for x in ARRAYS)],
    "insert": inserted,
    "pad": padded,
    "ravel_multi_index": flat_places,
    "resize": lambda: [
        *of_each(((2, 3),), (7,), ((),), ((0, 2),)),
        case(COUNTS, -1),
        case(COUNTS, (2, -1)),
        case(NOTHING, 0),
    ],
    "rollaxis": lambda: [
        *(case(x, axis, start) for x in ARRAYS[:6] for axis in (0, -1) for start in (0, 1, -1, 2)),
        case(CUBE, 3),
        case(CUBE, 0, 4),
        case(CUBE, 1, -4),
        case(CUBE, 2, 3),
    ],
    "rot90": lambda: [
        *(case(x, k) for x in ARRAYS for k in (0, 1, 2, 3, -1, 6)),
        *(case(CUBE, k, axes) for k in (1, 2, 3) for axes in ((1, 0), (0, 2), (-1, 1))),
        case(CUBE, 1, (0, 0)),
        case(CUBE, 1, (0, 1, 2)),
        case(CUBE, 1, (0, 3)),
    ],
    "shape": lambda: [
        *(case(x[None]) for x in ARRAYS),
        *of_each(()),
        *(case(x[None, ..., None]) for x in ARRAYS),
        case([[1, 2]]),
        case(3),
        case([]),
        case([[], []]),
    ],
    "split": cut,
    "trim_zeros": trimmed,
    "unravel_index": places,
    "vsplit": cut,
    "block": blocks,
    "vstack": stacked,
}


@pytest.mark.parametrize("name", CASES)
def test_they_are_numpys(name: str, is_numpys: Any) -> None:
    is_numpys(name, CASES[name](), 30)


def test_what_lengths_decide_is_known_or_refused() -> None:
    x = wt.matrix("x")
    known = wt.specify_shape(x, None, 4)
    assert known.type.shape == (None, 4)
    parts = [part.eval({x: MATRIX}) for part in wt.unstack(known, axis=-1)]
    np.testing.assert_array_equal(parts, np.unstack(MATRIX, axis=-1))
    with pytest.raises(ValueError, match="must have length 4"):
        known.eval({x: MATRIX[:, :3]})
    with pytest.raises(ValueError, match="rank 2"):
        wt.specify_shape(x, 3)
    with pytest.raises(ValueError, match="not 4"):
        wt.specify_shape(known, (3, 5))
    with pytest.raises(TypeError, match="use specify_shape"):
        wt.unstack(x)


def test_elements_are_read_with_the_first_index_running_fastest(few: Any) -> None:
    arrays = [x for x in ARRAYS if x.size]
    cases = [case(x, -1, order="F") for x in arrays]
    cases += [case(x, (x.size, 1), order=order) for x in arrays for order in ("F", "C")]
    cases += [case(CUBE, (4, -1), order="F"), case(CUBE, (3, 2, 2), order="F"), case(CUBE, 4)]
    check_function(wt.reshape, np.reshape, cases, ["py"])
    check_function(wt.reshape, np.reshape, few(cases, 4), few(["numba", "jax"], 1))
    check_function(wt.ravel, np.ravel, [case(x, order="F") for x in few(ARRAYS, 2)])
    x = wt.matrix("x")
    np.testing.assert_array_equal(x.reshape(-1, order="F").eval({x: MATRIX}), MATRIX.ravel("F"))
    with pytest.raises(ValueError, match="order of reshape is 'C' or 'F', not 'A'"):
        wt.reshape(x, -1, "A")


def test_dtypes_and_shapes_may_be_said(few: Any) -> None:
    some = [x for x in ARRAYS if x.dtype.kind != "c"]
    check_function(wt.stack, np.stack, [case([x, x], dtype="float32") for x in few(some, 3)])
    squares = [MATRIX, CUBE, FLAGS]
    check_function(wt.trace, np.trace, [case(x, dtype=d) for x in squares for d in ("int8", None)])
    for name in ("zeros_like", "ones_like"):
        check_function(
            getattr(wt, name), getattr(np, name), [case(x, shape=(2, 3)) for x in few(ARRAYS, 2)]
        )


def test_broadcast_shapes_are_numbers_or_variables() -> None:
    x = wt.matrix("x")
    assert wt.broadcast_shapes((3, 1), 4) == (3, 4)
    lengths = wt.broadcast_shapes(x.shape, (1, 4))
    assert wt.stack(lengths).eval({x: np.ones((3, 1))}).tolist() == [3, 4]
    with pytest.raises(ValueError, match="shape mismatch"):
        wt.broadcast_shapes((3, 2), 4)


@pytest.mark.parametrize("axes", [None, 0, -1, (0, -1)])
def test_what_is_packed_is_unpacked(axes: Any) -> None:
    values = [rng.normal(size=(2, *shape, 2)) for shape in ((3,), (), (2, 3))]
    inputs = [wt.tensor(dtype="float64", shape=(None,) * v.ndim) for v in values]
    packed, shapes = wt.pack(*inputs, axes=axes)
    assert packed.ndim == 1 + (0 if axes is None else np.size(axes))
    f = wt.function(inputs, [packed, *wt.unpack(packed, axes, shapes)], mode="py")
    whole, *parts = f(*values)
    assert whole.size == sum(v.size for v in values)
    for part, value in zip(parts, values, strict=True):
        np.testing.assert_array_equal(part, value)


@pytest.mark.parametrize(
    ("start", "count", "shape"), [(1, 2, (2, 12, 5)), (-1, 0, (2, 3, 4, 1, 5))]
)
def test_axes_are_joined_and_split(start: int, count: int, shape: Any) -> None:
    value = rng.normal(size=(2, 3, 4, 5))
    x = wt.tensor(dtype="float64", shape=(2, None, 4, None))
    joined = wt.join_dims(x, start, count)
    split = wt.split_dims(wt.join_dims(x, 1), x.shape[1:], -1)
    f = wt.function([x], [joined, split], mode="py")
    assert wt.join_dims(wt.as_tensor(1.0)).type.shape == (1,)
    np.testing.assert_array_equal(f(value)[0], value.reshape(shape))
    np.testing.assert_array_equal(f(value)[1], value)
    with pytest.raises(ValueError, match="no 3 axes from 2 on"):
        wt.join_dims(x, 2, 3)


def test_split_by_sizes() -> None:
    x, sizes = wt.vector("x"), wt.lvector("sizes")
    f = wt.function([x, sizes], wt.split(x, splits_size=sizes, n_splits=2), mode="py")
    assert [len(part) for part in f(np.arange(5.0), [2, 3])] == [2, 3]
    with pytest.raises(ValueError, match="add up"):
        f(np.arange(5.0), [2, 2])
    with pytest.raises(ValueError, match="add up"):
        wt.split(np.arange(5), splits_size=[2, 2])
    with pytest.raises(TypeError, match="n_splits goes with"):
        wt.split(x, 2, n_splits=2)
