"""Elements that values choose, as many as are asked for: as jax.numpy's `size` has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import weft.tensor as wt
from weft_testing import check_grad

Call = Callable[[Any, Any, Any], Any]
"""Of a module with jax.numpy's names, and of two vectors."""

CALLS: Final[list[Call]] = [
    lambda m, a, b: m.unique(a, size=5),
    lambda m, a, b: m.unique(a, size=2, return_index=True, return_inverse=True, return_counts=True),
    lambda m, a, b: m.unique(a, size=6, return_index=True, return_inverse=True, return_counts=True),
    lambda m, a, b: m.unique(a, size=6, fill_value=9, return_counts=True),
    lambda m, a, b: m.unique(a, size=1),
    lambda m, a, b: m.unique_values(a, size=4),
    lambda m, a, b: tuple(m.unique_counts(a, size=4, fill_value=0)),
    lambda m, a, b: tuple(m.unique_inverse(a, size=4)),
    lambda m, a, b: m.unique(m.stack([a, a * 0 + 1, a], 1), axis=0, size=5),
    lambda m, a, b: m.unique(m.stack([a, a * 0 + 1, a], 1), axis=1, size=3, fill_value=7),
    lambda m, a, b: m.union1d(a, b, size=7),
    lambda m, a, b: m.union1d(a, b, size=2),
    lambda m, a, b: m.intersect1d(a, b, size=4),
    lambda m, a, b: m.intersect1d(a, b, size=4, fill_value=-1, return_indices=True),
    lambda m, a, b: m.intersect1d(a, b + 50, size=2, return_indices=True),
    lambda m, a, b: m.setxor1d(a, b, size=5),
    lambda m, a, b: m.setxor1d(a, b, size=1),
    lambda m, a, b: m.setxor1d(a, a, size=2),
    lambda m, a, b: m.setdiff1d(a, b, size=4),
    lambda m, a, b: m.setdiff1d(a, b, size=4, fill_value=8, assume_unique=True),
    lambda m, a, b: m.where(a > 2, size=3),
    lambda m, a, b: m.where(a > 2, size=5, fill_value=-1),
    lambda m, a, b: m.compress(a > 2, a, size=3),
    lambda m, a, b: m.compress(a > 2, m.stack([a, -a], 1), axis=0, size=4, fill_value=3),
    lambda m, a, b: m.compress(a > 2, m.stack([a, -a]), axis=1, size=2),
    lambda m, a, b: m.extract(a > 2, a, size=4, fill_value=7),
    lambda m, a, b: m.take(a, b.astype("int64"), mode="fill"),
    lambda m, a, b: m.take(m.stack([a, -a]), b.astype("int64"), axis=1, mode="fill", fill_value=3),
    lambda m, a, b: m.take(a, -b.astype("int64")[:, None], mode="fill"),
    lambda m, a, b: m.take(a.astype("int32"), b.astype("int64"), mode="fill"),
    lambda m, a, b: m.take(a.astype("uint8"), b.astype("int64"), mode="fill"),
    lambda m, a, b: m.take(a > 2, b.astype("int64"), mode="fill"),
    lambda m, a, b: m.take_along_axis(a, b.astype("int64") - 2, 0, mode="promise_in_bounds"),
    lambda m, a, b: m.take_along_axis(a, b.astype("int64"), 0, "fill"),
    lambda m, a, b: m.take_along_axis(a, b.astype("int64"), 0, mode="fill", fill_value=-1),
    lambda m, a, b: m.take_along_axis(a, b.astype("int64") * 3 - 9, 0, mode="clip"),
    lambda m, a, b: m.take(a, b.astype("int64") * 3 - 9, 0, mode="clip"),
    lambda m, a, b: m.take_along_axis(
        m.stack([a, -a]).astype("int32"), m.stack([b, b - 2]).astype("int64"), 1, mode="fill"
    ),
    *[
        lambda m, a, b, mode=mode: m.put_along_axis(
            a, b.astype("int64") - 4, -b, 0, inplace=False, mode=mode
        )
        for mode in ("clip", "drop", "fill", "promise_in_bounds")
    ],
    lambda m, a, b: m.put_along_axis(
        m.stack([a, -a]),
        m.stack([b, b + 7]).astype("int64"),
        m.stack([b, -b]),
        1,
        False,
        mode="drop",
    ),
    lambda m, a, b: m.repeat(b, m.asarray([2, 0, 1]), total_repeat_length=5),
    lambda m, a, b: m.repeat(b, m.asarray([2, 1, 0]), total_repeat_length=5),
    lambda m, a, b: m.repeat(b, m.asarray([2, 4, 3]), total_repeat_length=4),
    lambda m, a, b: m.repeat(b, m.asarray([7, 4, 3]), total_repeat_length=4),
    lambda m, a, b: m.repeat(m.stack([a, -a]), 3, axis=1, total_repeat_length=6),
    lambda m, a, b: m.repeat(m.stack([a, -a]), b[:2].astype("int64"), 0, total_repeat_length=9),
]
A, B = np.array([3.0, 1, 3, 2, 7]), np.array([2.0, 5, 3])


def _listed(results: Any) -> list[Any]:
    return list(results) if isinstance(results, tuple) else [results]


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_they_are_those_of_jax(mode: str, few: Any) -> None:
    import jax

    calls = few(CALLS, 3)
    with jax.enable_x64():
        given = jax.numpy.asarray(A), jax.numpy.asarray(B)
        expected = [np.asarray(v) for call in calls for v in _listed(call(jax.numpy, *given))]
    a, b = wt.vector("a", shape=5), wt.vector("b", shape=3)
    results = [v for call in calls for v in _listed(call(wt, a, b))]
    values = wt.function([a, b], results, mode=mode)(A, B)
    for made, actual, value in zip(results, values, expected, strict=True):
        assert actual.shape == value.shape, wt.to_text(made)
        np.testing.assert_array_equal(actual, value, wt.to_text(made))


def test_there_are_derivatives_by_the_elements() -> None:
    mask = np.array([True, False, True, True, False])
    for call in (
        lambda a: wt.unique(a, size=6),
        lambda a: wt.compress(mask, a, size=4),
        lambda a: wt.take(a, [0, 9, 2], mode="fill", fill_value=0.0),
        lambda a: wt.setxor1d(a, [7.0], size=3),
        lambda a: wt.take_along_axis(a, [0, 9, 2], 0, mode="fill", fill_value=0.0),
        lambda a: wt.repeat(a, [0, 3, 1, 0, 1], total_repeat_length=7),
        lambda a: wt.put_along_axis(a, [9, 2], a[:2] ** 2, 0, mode="drop"),
    ):
        check_grad(call, [A + np.arange(5) / 10])


def test_rows_are_batched_and_none_of_none(few: Any) -> None:
    x = wt.matrix("x")
    each = wt.vectorize(lambda row: wt.unique(row, size=3, fill_value=0), signature="(n)->(m)")(x)
    rows = np.array([[2.0, 1, 2], [4, 4, 4]])
    for mode in few(("py", "numba", "jax"), 1):
        f = wt.function([x], each, mode=mode)
        np.testing.assert_array_equal(f(rows), [[1, 2, 0], [4, 0, 0]])
    none = wt.compress([False, False], [1, 2], size=2).eval()
    np.testing.assert_array_equal(none, [0, 0])
    assert wt.compress([False, True], [1, 2], size=0).eval().shape == (0,)


def test_what_has_no_places_takes_no_size() -> None:
    with pytest.raises(ValueError, match="size and fill_value are of places"):
        wt.where([True], [1], [2], size=1)
    with pytest.raises(ValueError, match="fill_value is for mode='fill'"):
        wt.take([1], [0], fill_value=2)
    with pytest.raises(ValueError, match="take_along_axis: mode is 'raise', 'wrap'"):
        wt.take_along_axis([1], [0], mode="drop")


def test_what_does_not_fit_is_put_nowhere_or_refused() -> None:
    wrapped = wt.put_along_axis([1, 2, 3], [4, -1], [8, 9], 0, mode="wrap")
    np.testing.assert_array_equal(wrapped.eval(), [1, 8, 9])
    with pytest.raises(IndexError):
        wt.put_along_axis([1, 2, 3], wt.as_tensor([4]), [8], 0).eval()
    with pytest.raises(ValueError, match="put_along_axis makes a new tensor"):
        wt.put_along_axis([1, 2, 3], [4], [8], 0, inplace=True)
    with pytest.raises(ValueError, match="put_along_axis: mode is"):
        wt.put_along_axis([1, 2, 3], [4], [8], 0, mode="best")
