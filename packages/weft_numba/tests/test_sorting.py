"""Order along every axis, of every dtype: Numba gives what NumPy gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function
from weft_numba.numba_layer import numpy_functions

DTYPES = ("bool", "int8", "uint16", "int32", "int64", "uint64", "float32", "float64")


def drawn(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers of which many are equal, and some NaN."""
    values = np.random.default_rng(0).integers(0, 9, shape).astype(dtype)
    if values.dtype.kind == "f" and values.size:
        values.flat[:: values.size - 1] = np.nan
    return values


@pytest.mark.cases(3)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_every_dtype_along_every_axis(dtype: str, axis: int) -> None:
    x = wt.TensorType(dtype, (None,) * 3)("x")
    outputs = [wt.sort(x, axis), wt.argsort(x, axis), wt.argmax(x, axis), wt.argmin(x, axis)]
    f = function([x], outputs, mode="numba")
    for shape in ((2, 3, 5), (1, 40, 1), (4, 5, 3)):
        values = drawn(dtype, shape)
        expected = [
            np.sort(values, axis),
            np.argsort(values, axis, kind="stable"),
            np.argmax(values, axis),
            np.argmin(values, axis),
        ]
        for found, wanted in zip(f(values), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)
            assert found.dtype == wanted.dtype


def test_what_is_computed_and_what_is_turned_is_sorted() -> None:
    x = wt.matrix("x")
    outputs = [wt.sort(wt.exp(x.T), 0), wt.argsort(x[::-1, 1:], 1), wt.argmax(x[:, 0])]
    values = drawn("float64", (4, 3))
    found = function([x], outputs, mode="numba")(values)
    np.testing.assert_allclose(found[0], np.sort(np.exp(values.T), 0))
    np.testing.assert_array_equal(found[1], np.argsort(values[::-1, 1:], 1, kind="stable"))
    assert found[2] == np.argmax(values[:, 0])


def test_of_no_elements() -> None:
    x = wt.matrix("x")
    found = function([x], [wt.sort(x, 0), wt.argsort(x), wt.argmax(x, 1)], mode="numba")
    assert [v.shape for v in found(np.ones((0, 3)))] == [(0, 3), (0, 3), (0,)]
    with pytest.raises(ValueError, match="no elements"):
        found(np.ones((3, 0)))


def test_inputs_stay_as_they_are() -> None:
    x: Any = wt.vector("x")
    values = np.array([3.0, 1.0, 2.0])
    function([x], [wt.sort(x), wt.argsort(x)], mode="numba")(values)
    assert values.tolist() == [3.0, 1.0, 2.0]


def test_functions_that_numpy_lacks_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numpy_functions, "_MISSING", frozenset(["weft_sort_int16"]))
    x = wt.TensorType("int16", (None,))("x")
    message = "no C function 'sort' of int16 vectors: compile with"
    with pytest.raises(NotImplementedError, match=message):
        function([x], wt.sort(x), mode="numba")([1])


@pytest.mark.parametrize("dtype", ["float64", "int32", "uint64", "int8"])
def test_equal_elements_keep_their_order(dtype: str) -> None:
    """What NumPy leaves in any order, NaN and zeros of both signs among them, is put in order."""
    v = wt.vector("v", dtype)
    f = function([v], wt.argsort(v), mode="numba")
    for n in (0, 1, 2, 3000):
        drawn: Any = np.random.default_rng(n).integers(0, 40, n).astype(dtype)
        if dtype == "float64":
            drawn[::3], drawn[1::7], drawn[2::7] = np.nan, -0.0, 0.0
        np.testing.assert_array_equal(f(drawn), np.argsort(drawn, kind="stable"))


@pytest.mark.parametrize("kind", ["numbers", "equal", "sorted", "missing", "all missing"])
def test_places_in_long_lanes(kind: str) -> None:
    """These are not sorted: each step leaves the part with a place."""
    lanes = np.random.default_rng(0).normal(size=(2, 5000))
    if kind == "equal":
        lanes = np.floor(3 * lanes)
    elif kind == "sorted":
        lanes = np.sort(lanes, 1)
    elif kind != "numbers":
        lanes[:, :: 1 if kind == "all missing" else 3] = np.nan
    places = np.array([2500, 0, 4999, 2501, 2500, 17])
    x, at = wt.matrix("x"), wt.lvector("at")
    f = function([x, at], wt.OrderStatistics()(x, at), mode="numba")
    np.testing.assert_array_equal(f(lanes, places), np.sort(lanes, 1)[:, places])
    every = np.arange(5000)
    np.testing.assert_array_equal(f(lanes, every), np.sort(lanes, 1))
