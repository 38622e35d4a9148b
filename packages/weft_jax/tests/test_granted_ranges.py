"""Indices that are computed, and lengths that reach to them, as they are taken for granted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad

x, y = wt.vector("x"), wt.vector("y")
k, m = wt.vector("k", "int64"), wt.vector("m", "int32")
X = wt.matrix("X")
TABLE = np.arange(8.0)


def between(table: Any, x: Any) -> Any:
    """Values between those of a table."""
    place = x * (table.shape[0] - 1)
    i = wt.minimum(wt.floor(place).astype("int64"), table.shape[0] - 2)
    return table[i] * (1 - (place - i)) + table[i + 1] * (place - i)


def same(inputs: Sequence[Any], output: Any, *calls: Sequence[Any]) -> Any:
    """Compare what JAX and Python make of each of some calls, errors too; return JAX's function."""
    by_jax, by_python = (function(inputs, output, mode=mode) for mode in ("jax", "py"))
    for values in calls:
        try:
            expected = by_python(*values)
        except (IndexError, ValueError) as error:
            with pytest.raises(type(error)):
                by_jax(*values)
        else:
            np.testing.assert_allclose(by_jax(*values), expected, rtol=1e-14)
    return by_jax


def test_a_table_is_compiled_once_more_where_indices_are_negative_or_beyond() -> None:
    good, negative, beyond = [[0.0, 0.5, 1.0]], [[0.5, -0.1, 0.2]], [[0.5, -3.0, 0.2]]
    by_jax = same([y, x], between(y, x), *([TABLE, *v] for v in (good, negative, beyond, good)))
    assert by_jax.compile_stats.compiles == 2
    assert same([y, x], between(y, x), [TABLE, good[0]]).compile_stats.compiles == 1


def test_nothing_is_known_of_numbers_that_have_nan_or_no_elements() -> None:
    by_jax = function([y, x], between(y, x), mode="jax")
    assert by_jax(TABLE, []).shape == (0,)
    assert np.isnan(by_jax(TABLE, [np.nan, 0.5])).tolist() == [True, False]
    with pytest.raises(IndexError, match="axis 0 with size 8"):
        by_jax(TABLE, [np.nan, -5.0])


def test_slopes_of_tables() -> None:
    slope = grad(wt.sum(between(y, x) ** 2), y)
    same([y, x], slope, [TABLE, [0.1, 0.1, 1.0]], [TABLE, [-0.1, 0.1, 1.0]])


def test_places_of_two_axes() -> None:
    image = np.arange(12.0).reshape(3, 4)
    rows, columns = (2 * x).astype("int64"), 2 * k % 4
    for output in (X[rows, columns], X[rows, columns].inc(x), X[columns // 2, rows].set(0.0)):
        places = [2, 1, 5]
        same([X, x, k], output, *([image, v, places] for v in ([0.2, 0.6, 1.0], [0.2, -0.6, 0.3])))


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", ["inc", "set", "mul", "maximum", "minimum"])
def test_a_place_in_each_row_is_written_without_a_loop(mode: str) -> None:
    image, rows = wt.matrix("image", shape=(3, 4)), wt.arange(3)[:, None]
    place = image[rows, k[:, None]]
    output = getattr(place, mode)(x[:, None])
    calls = [[np.arange(12.0).reshape(3, 4) - 5, [0.5, -9.0, 9.0], places] for places in PLACES]
    by_jax = same([image, x, k], output, *calls)
    assert "scatter" not in by_jax.lower_text("stablehlo", *calls[0])
    same([image, x, k], image[rows, k[:, None]].inc(x[0]), *calls)
    same([image, x, k], grad((output**2).sum(), [image, x])[0], *calls[:2])
    several = image[rows, k].inc(1.0)
    same([image, k], several, [calls[0][0], [0, 3, 3, 1]])
    same([image, k], image[:1][rows[:1], k[:, None]].inc(1.0), [calls[0][0], [0, 3, 3, 1]])
    with pytest.raises(ValueError, match="broadcast"):
        by_jax(calls[0][0], np.ones(4), [0, 0, 0])


PLACES = [[0, 3, 3], [-1, 0, -4], [0, 4, 1], [1]]
CASES: list[tuple[Any, Any, list[int]]] = [
    (k, k * 2**58, [0, 64]),  # wraps around to 0
    (m, (m * 65536).astype("int64"), [0, 65536]),
    (k, wt.abs(k), [0, -3]),
    (k, wt.where(k > 3, 0, k), [4, 3]),
    (k, wt.where(k > 3, 0, k), [4, -9]),
    (k, k // 2 - 1, [2, 9]),
    (k, k // 2 - 1, [0, 9]),
    (k, k % 5, [-1, 7]),
    (k, 3 - k, [3, 0]),
    (k, wt.maximum(-k, 2), [9, -3]),
    (k, wt.reshape(k, (2, 1)) + k, [1, 2]),
    (k, k + 2**62 + 2**62, [2**63 - 1, -(2**63)]),
]


@pytest.mark.parametrize(("of", "index", "values"), CASES)
def test_what_functions_make_of_ranges(of: Any, index: Any, values: list[int]) -> None:
    same([y, of], y[index], [TABLE, values])


def test_bytes_and_truth_values() -> None:
    at = wt.vector("at", "uint8")
    same([y, at], y[at + 250], [TABLE, [7, 12]])
    same([y, at], y[(at > 3).astype("int64") * 7], [TABLE, [0, 9]])


@pytest.mark.cases(0)
def test_lengths_that_reach_further_than_said(few: Any) -> None:
    counts = wt.bincount(k, x, minlength=3)
    places = wt.floor(x * 4).astype("int64")
    cases = [
        ([k, x], counts),
        ([k, x], counts[:2] * wt.bincount(k, minlength=3)[1] + counts.shape[0]),
        ([x], wt.bincount(places, minlength=4)),
        ([x], wt.bincount(places, x, minlength=4)),
        ([x], wt.zeros(6, "int64")[places].inc(1)),
    ]
    for inputs, output in few(cases, 2):
        calls = [[[0, 2, 0], [0.1, 0.2, 0.9]], [[0, 4, 0], [0.1, 1.2, 0.9]]]
        calls += [[[0, -1, 0], [0.1, -0.2, 0.9]], [[], []]]
        pairs = [dict(zip((k, x), values, strict=True)) for values in calls]
        same(inputs, output, *([values[v] for v in inputs] for values in pairs))


def test_a_length_that_is_least_needs_no_look_beforehand() -> None:
    f = function([x], wt.bincount(wt.floor(x * 4).astype("int64"), minlength=4), mode="jax")
    assert f([0.1, 0.2, 0.9]).tolist() == [2, 0, 0, 1]
    assert f.compile_stats.keys == ((4,),)
    assert f([0.1, 0.2, 1.9]).tolist() == [2, 0, 0, 0, 0, 0, 0, 1]
    assert f.compile_stats.keys == ((4,), (8,))


def test_counts_of_indices_out_of_bounds_are_no_result() -> None:
    f = function([k], wt.zeros(3, "int64")[k * 2].inc(1), mode="jax")
    assert f([0, 1, 1]).tolist() == [1, 0, 2]
    assert f([0, -1, 1]).tolist() == [1, 1, 1]
    with pytest.raises(IndexError, match="axis 0 with size 3"):
        f([0, 2, 1])


def test_numbers_that_are_too_large_to_be_exact_say_nothing(few: Any) -> None:
    j = wt.vector("j", "int64")
    for index in few((k + j, k - (-j), wt.where(k > 0, k + j, 0)), 1):
        same([y, k, j], y[index], [TABLE[:1], [2**60 + 1], [-(2**60)]], [TABLE, [3], [-2]])
    same([y, k, j], y[k // j], [TABLE[:3], [3 * (2**53 + 1)], [2**53 + 1]])


@pytest.mark.cases(0)
def test_indices_that_come_of_many_steps() -> None:
    """More than there may be calls within calls, and more ways through them than there is time."""
    i, before = k, 0 * k
    for step in range(600):
        i, before = (i + before) % (7 + step % 5), i
    f, reference = (function([x, k], x[i % 3], mode=mode) for mode in ("jax", "py"))
    np.testing.assert_array_equal(f([1.0, 2.0, 3.0], [1, 2]), reference([1.0, 2.0, 3.0], [1, 2]))
