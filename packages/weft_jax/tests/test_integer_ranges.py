"""Ranges of integers: what loops need not check in each step, and what they still must."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad
from weft_jax.analysis.integer_ranges import IntegerRanges, Range

FIRST, SECOND, X = wt.scalar("i", "int64"), wt.scalar("j", "int64"), wt.vector("x")


@pytest.mark.parametrize(
    ("made", "of"),
    [
        (lambda i, j: i + j, int.__add__),
        (lambda i, j: i - j, int.__sub__),
        (lambda i, j: i * j, int.__mul__),
        (lambda i, j: i // j, int.__floordiv__),
        (lambda i, j: i % j, int.__mod__),
        (lambda i, j: wt.minimum(i, j), min),
        (lambda i, j: wt.maximum(-i, abs(j)), lambda i, j: max(-i, abs(j))),
        (lambda i, j: wt.where(i > j, i, j + 1), lambda i, j: i if i > j else j + 1),
        (lambda i, j: (i * j).astype("int8"), lambda i, j: i * j),
    ],
)
def test_ranges_hold_what_numbers_give(made: Any, of: Callable[[int, int], int]) -> None:
    for i in (Range(-3, 4), Range(2, 5), Range(-6, -2), Range(0, 0)):
        for j in (Range(1, 3), Range(-2, 4), Range(100, 120)):
            found = IntegerRanges({FIRST: i, SECOND: j}, {}).of(made(FIRST, SECOND))
            for a in range(i.least, i.greatest + 1):
                for b in filter(None, range(j.least, j.greatest + 1)):
                    assert found is None or found.least <= of(a, b) <= found.greatest


def test_what_the_dtype_cannot_hold_has_no_range() -> None:
    ranges = IntegerRanges({FIRST: Range(0, 2**62), SECOND: Range(0, 200)}, {})
    assert ranges.of(FIRST * 4) is ranges.of(SECOND.astype("int8")) is ranges.of(X.sum()) is None
    assert ranges.of(SECOND.astype("uint8")) == Range(0, 200)


def test_places_in_sorted_vectors_have_ranges_and_one_bound_is_enough() -> None:
    ranges = IntegerRanges({}, {X: (5,)})
    place = wt.searchsorted(X, wt.scalar("v"))
    assert ranges.of(place) == Range(0, 5)
    assert ranges.of(wt.maximum(wt.minimum(place - 1, FIRST), 0)) == Range(0, 4)
    assert ranges.of(wt.minimum(FIRST, 3) - 1) is None  # the least number less 1 is none


def loop(begin: Any, end: Any, step: Callable[[Any, Any], Any]) -> Any:
    return wt.fori_loop(begin, end, step, X) + 0 * FIRST


def until(holds: Callable[[Any], Any], step: Callable[[Any, Any], Any], stride: int) -> Any:
    n = X.shape[0]
    first = 0 if stride > 0 else n - 1
    return (
        wt.while_loop(
            lambda state: holds(state[0]) & (state[1][0] < 50),
            lambda state: (state[0] + stride, step(*state)),
            (wt.as_tensor(first), X),
        )[1]
        + 0 * FIRST
    )


N = X.shape[0]
CERTAIN = {
    "counted": loop(0, N, lambda i, x: x[i].set(x[i - 1] + 1)),
    "mirrored": loop(1, N + 1, lambda i, x: x[N - i].set(x[i - 1])),
    "modulo": loop(0, 3 * N, lambda i, x: x[i % N].inc(1.0)),
    "halved": loop(0, 2 * N, lambda i, x: x[i // 2].inc(x[wt.minimum(i, N - 1)])),
    "nested": loop(0, N, lambda i, x: wt.fori_loop(0, N, lambda j, x: x[j].inc(x[i]), x)),
    "of inner counts": loop(0, N, lambda i, x: wt.fori_loop(i, N, lambda j, x: x[j].inc(1.0), x)),
    "of steps": loop(0, FIRST + 2, lambda i, x: x + i),
    "while below": until(lambda k: k < N, lambda k, x: x[k].inc(1.0), 1),
    "while above": until(lambda k: k >= 0, lambda k, x: x[k].inc(x[k - 1]), -1),
    "by twos": until(lambda k: k < N - 1, lambda k, x: x[k + 1].inc(x[k]), 2),
}
UNCERTAIN = {
    "one too far": (loop(0, N + 1, lambda i, x: x[i].inc(1.0)), 1),
    "twice": (loop(0, N, lambda i, x: x[2 * i].inc(1.0)), 1),
    "by an input": (loop(0, N, lambda i, x: x[i + FIRST].inc(1.0)), 1),
    "inner": (loop(0, N, lambda i, x: wt.fori_loop(0, 2, lambda j, x: x[i + j].inc(1.0), x)), 2),
    "while": (until(lambda k: k <= N, lambda k, x: x[k].inc(1.0), 1), 1),
    "by twos": (until(lambda k: k < N, lambda k, x: x[k + 1].inc(1.0), 2), 1),
    "downwards": (until(lambda k: k > -9, lambda k, x: x[k - 1].inc(1.0), -1), 1),
}


@pytest.mark.parametrize("name", CERTAIN)
def test_what_is_within_bounds_for_certain_is_not_checked(name: str) -> None:
    values = np.linspace(0.5, 2.0, 5)
    compiled = function([X, FIRST], CERTAIN[name], mode="jax")
    for x in (values, values[:1]):
        expected = function([X, FIRST], CERTAIN[name], mode="py")(x, 0)
        np.testing.assert_allclose(compiled(x, 0), expected, rtol=1e-12)
    assert "check[" not in compiled.lower_text("jaxpr", values, 0)


@pytest.mark.parametrize(
    "made",
    [
        lambda x: x[wt.argsort(-x)] * x[wt.argmax(x)],
        lambda x: grad((wt.sort(x) * wt.arange(x.shape[0])).sum(), x),
        wt.median,
        lambda x: x[wt.stack([wt.argmin(x), x.shape[0] // 2])],
    ],
)
def test_places_in_an_array_are_not_checked(made: Callable[[Any], Any]) -> None:
    values = np.array([2.0, -1.0, 0.5])
    compiled = function([X], made(X), mode="jax")
    np.testing.assert_allclose(compiled(values), function([X], made(X), mode="py")(values))
    assert "check[" not in compiled.lower_text("jaxpr", values)


@pytest.mark.parametrize("name", UNCERTAIN)
def test_what_may_be_out_of_bounds_is_checked(name: str) -> None:
    made, shift = UNCERTAIN[name]
    errors = []
    for mode in ("py", "jax"):
        with pytest.raises(IndexError) as caught:
            function([X, FIRST], made, mode=mode)(np.ones(5), shift)
        errors.append((str(caught.value), set(caught.value.__notes__)))
    (message, notes), (other, others) = errors
    steps = {note for note in notes if note.startswith("in step")}
    assert other == message
    assert steps
    assert steps <= others


@pytest.mark.parametrize("mode", ["set", "inc", "mul", "maximum", "minimum"])
@pytest.mark.parametrize("dtype", ["float64", "int8", "bool"])
def test_updates_at_single_places(mode: str, dtype: str) -> None:
    table, row = wt.matrix("table", dtype), wt.vector("row", dtype)
    places = [table[FIRST, SECOND], table[-1, FIRST], table[FIRST], table[:, SECOND], table[1:, 0]]
    updates = [
        getattr(place, mode)(row[1] if place.ndim == 0 else row[: place.shape[0]])
        for place in places
    ]
    inputs = [table, row, FIRST, SECOND]
    values = np.array([[0.0, 1, np.nan], [2, -1, 0], [4, 0, 1]])
    if dtype != "float64":
        values = np.nan_to_num(values)
    arguments = values.astype(dtype), np.array([1, 3, 0], dtype), 2, -3
    expected = function(inputs, updates, mode="py")(*arguments)
    found = function(inputs, updates, mode="jax")(*arguments)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == dtype
