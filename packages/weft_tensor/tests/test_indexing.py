"""Indexing and updates of what is indexed: NumPy's values, shapes and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft_graph import Mode, ancestors, function, grad
from weft_tensor import (
    IndexUpdate,
    constant,
    dtensor3,
    ivector,
    lscalar,
    lvector,
    matrix,
    scalar,
    tensor,
    vector,
    wvector,
)
from weft_tensor.extend import inferred_shapes

PY = Mode("py", books=[])


class Subscript:
    """A subscript for NumPy, the same with variables in it, and the values of these."""

    def __init__(self, draw: Callable[[Any], Any], shape: tuple[int, ...]) -> None:
        self.draw = draw
        self.inputs: list[Any] = []
        self.values: list[Any] = []
        self.numpy: list[Any] = []
        self.weft: list[Any] = []
        self.base = draw(st.sampled_from([(), (1,), (2,), (3,), (2, 3), (0,)]))
        axis = 0
        while axis < len(shape):
            axis += self.add(shape[axis:])
            if draw(st.integers(0, 5)) == 0:
                self.append(None, None)
            if draw(st.integers(0, 5)) == 0:
                self.bool()
        if draw(st.booleans()):
            self.shorten()

    def append(self, for_numpy: Any, for_weft: Any) -> None:
        self.numpy.append(for_numpy)
        self.weft.append(for_weft)

    def number(self, value: int) -> Any:
        """`value` as a Python int, a NumPy one, or a variable."""
        how = self.draw(st.integers(0, 3))
        if how == 0:
            variable = self.draw(st.sampled_from([lscalar, scalar_of_uint8]))("i")
            if value < 0 and variable.dtype == "uint8":
                return value
            self.inputs.append(variable)
            self.values.append(np.asarray(value, variable.dtype))
            return variable
        return np.int32(value) if how == 1 else value

    def bool(self) -> None:
        """A single bool: a Python one, a NumPy one, or a variable. None breaks broadcasting."""
        value = self.draw(st.booleans()) or self.base not in [(), (1,), (0,)]
        how = self.draw(st.integers(0, 2))
        if how == 0:
            self.inputs.append(scalar("b", dtype="bool"))
            self.values.append(np.array(value))
        self.append(value, [self.inputs[-1] if how == 0 else None, value, np.bool_(value)][how])

    def add(self, rest: tuple[int, ...]) -> int:
        """An entry for the next axis or axes; says for how many."""
        n = rest[0]
        kinds = ["slice", "full"] if n == 0 else ["slice", "full", "int", "array", "list"]
        kind = self.draw(st.sampled_from(kinds))
        if kind == "full":
            self.append(slice(None), slice(None))
        elif kind == "slice":
            ends = st.none() | st.integers(-6, 6)
            parts = [self.draw(ends), self.draw(ends), self.draw(ends.filter(lambda s: s != 0))]
            shown = [None if p is None else self.number(p) for p in parts]
            self.append(slice(*parts), slice(*shown))
        elif kind == "int":
            value = self.draw(st.integers(-n, n - 1))
            self.append(value, self.number(value))
        else:
            shape = self.base[self.draw(st.integers(0, len(self.base))) :]
            size = int(np.prod(shape))
            drawn = self.draw(st.lists(st.integers(-n, n - 1), min_size=size, max_size=size))
            array = np.array(drawn, "int64").reshape(shape)
            self.append(array, array.tolist() if kind == "list" else self.array(array))
        return 1

    def array(self, array: Any) -> Any:
        """`array`, a constant, or an input."""
        how = self.draw(st.integers(0, 2))
        if how == 2:
            variable = tensor("a", "int64", [None] * array.ndim)
            self.inputs.append(variable)
            self.values.append(array)
            return variable
        return constant(array) if how == 1 else array.astype("int32")

    def shorten(self) -> None:
        """Put an ellipsis in the place of the first full slice."""
        for i, entry in enumerate(self.weft):
            if isinstance(entry, slice) and entry == slice(None):
                self.numpy[i] = self.weft[i] = ...
                return

    @property
    def keys(self) -> tuple[Any, Any]:
        if len(self.numpy) == 1:
            return self.numpy[0], self.weft[0]
        return tuple(self.numpy), tuple(self.weft)


def scalar_of_uint8(name: str) -> Any:
    return scalar(name, dtype="uint8")


@st.composite
def subscripts(draw: Callable[[Any], Any]) -> tuple[Any, Any, Subscript]:
    """An array, an input for it, and a subscript."""
    shape = tuple(draw(st.lists(st.integers(0, 4), min_size=1, max_size=4)))
    known = [n if draw(st.booleans()) else None for n in shape]
    x = np.arange(float(np.prod(shape))).reshape(shape)
    return x, tensor("x", shape=known), Subscript(draw, shape)


@settings(max_examples=5 * settings().max_examples)
@given(subscripts())
def test_values_types_and_shapes_are_numpys(drawn: tuple[Any, Any, Subscript]) -> None:
    array, x, subscript = drawn
    for_numpy, for_weft = subscript.keys
    expected = array[for_numpy]
    result = x[for_weft]
    assert result.ndim == expected.ndim
    for found, wanted in zip(result.type.shape, expected.shape, strict=True):
        assert found in (None, wanted)
    if None not in x.type.shape and not subscript.inputs:
        assert result.type.shape == expected.shape
    shapes = inferred_shapes(result)
    assert shapes is not None
    lengths = [v if not isinstance(v, int) else constant(v) for v in shapes[0]]
    compiled = function([x, *subscript.inputs], [result, *lengths], mode=PY)
    actual, *found = compiled(array, *subscript.values)
    np.testing.assert_array_equal(actual, expected)
    assert tuple(map(int, found)) == expected.shape


@settings(max_examples=3 * settings().max_examples)
@given(subscripts(), st.data())
def test_updates_are_numpys(drawn: tuple[Any, Any, Subscript], data: st.DataObject) -> None:
    array, x, subscript = drawn
    for_numpy, for_weft = subscript.keys
    place = array[for_numpy]
    shape = [n if data.draw(st.booleans()) else 1 for n in place.shape]
    y = np.full(shape[data.draw(st.integers(0, len(shape))) :], 0.5)
    v = tensor("v", shape=[None] * y.ndim)
    part = x[for_weft]
    compiled = function([x, v, *subscript.inputs], [part.set(v), part.inc(v), part.set(7)], mode=PY)
    before = array.copy()
    was_set, increased, number = compiled(array, y, *subscript.values)
    np.testing.assert_array_equal(array, before)
    for actual, value in ((was_set, y), (number, 7)):
        expected = array.copy()
        expected[for_numpy] = value
        np.testing.assert_array_equal(actual, expected)
    expected = array.copy()
    np.add.at(expected, for_numpy, y)
    np.testing.assert_array_equal(increased, expected)


@given(st.data())
def test_masks_are_numpys(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=3)))
    covered = data.draw(st.integers(1, len(shape)))
    size = int(np.prod(shape[:covered]))
    bits = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    mask = np.array(bits, bool).reshape(shape[:covered])
    array = np.arange(float(np.prod(shape))).reshape(shape)
    shown = data.draw(st.sampled_from([mask, constant(mask), mask.tolist()]))
    if mask.size == 0:
        shown = mask
    x = tensor("x", shape=shape if data.draw(st.booleans()) else [None] * len(shape))
    np.testing.assert_array_equal(x[shown].eval({x: array}), array[mask])
    np.testing.assert_array_equal(x[..., None][shown].eval({x: array}), array[..., None][mask])


def test_repeated_indices_are_increased_repeatedly() -> None:
    x = vector("x")
    assert x[[0, 0, 1]].inc(1).eval({x: [0.0, 0.0]}).tolist() == [2.0, 1.0]
    assert x[[0, 0]].set([1, 2]).eval({x: [0.0, 0.0]}).tolist() == [2.0, 0.0]


def test_a_full_slice_can_be_updated() -> None:
    x = matrix("x")
    zeros = np.zeros((2, 2))
    assert x[:].set(1).eval({x: zeros}).tolist() == [[1, 1], [1, 1]]
    assert x[...].inc(1).eval({x: zeros}).tolist() == [[1, 1], [1, 1]]
    assert x[0][:].set(1).eval({x: zeros}).tolist() == [1, 1]


def test_the_cotangent_of_reversed_axes_is_reversed() -> None:
    x, g = matrix("x"), matrix("g")
    y = x[::-1]
    (pulled,) = y.op.pullback((x,), (y,), (g,))
    assert pulled is g[::-1]


def test_results_do_not_share_memory_with_inputs() -> None:
    x = vector("x")
    compiled = function([x], [x[1:], x[:], x], mode=PY)
    array = np.arange(3.0)
    for result in compiled(array):
        result[...] = 9
    assert array.tolist() == [0, 1, 2]


@pytest.mark.parametrize("subscript", [3, -4, (0, 5), (..., 9)])
def test_static_indices_out_of_bounds_are_refused_at_once(subscript: Any) -> None:
    x = matrix("x", shape=(3, 4))
    with pytest.raises(IndexError, match="out of bounds for axis"):
        x[subscript]


def test_other_indices_out_of_bounds_are_refused_at_the_call() -> None:
    x, i, a = vector("x"), lscalar("i"), lvector("a")
    with pytest.raises(IndexError, match="out of bounds"):
        x[3].eval({x: [1.0]})
    with pytest.raises(IndexError, match="out of bounds"):
        x[i].eval({x: [1.0], i: -2})
    with pytest.raises(IndexError, match="out of bounds") as caught:
        x[a].eval({x: [1.0], a: [0, 1]})
    assert "made at" in caught.value.__notes__[0]
    with pytest.raises(IndexError, match="out of bounds"):
        x[a].set(0).eval({x: [1.0], a: [1]})


def test_masks_may_be_variables() -> None:
    x, mask = tensor("x", shape=(None, None, None)), matrix("mask", "bool")
    array = np.arange(24.0).reshape(2, 3, 4)
    chosen = array[..., 0] % 8 > 2
    np.testing.assert_array_equal(x[mask].eval({x: array, mask: chosen}), array[chosen])
    last = array[0] % 3 == 0
    np.testing.assert_array_equal(x[:, mask].eval({x: array, mask: last}), array[:, last])
    changed = x[mask].set(-1.0).eval({x: array, mask: chosen})
    np.testing.assert_array_equal(changed, np.where(chosen[..., None], -1.0, array))
    with pytest.raises(IndexError, match="axis 1 of the boolean mask has length 2, but of what"):
        x[mask].eval({x: array, mask: chosen[:, :2]})


def test_a_single_bool_is_a_mask_of_a_new_axis() -> None:
    x, b = matrix("x", shape=(2, None)), scalar("b", dtype="bool")
    assert [x[key].type.shape for key in (True, False, (slice(None), True))] == [
        (1, 2, None),
        (0, 2, None),
        (2, 1, None),
    ]
    assert x[b].type.shape == (None, 2, None)
    assert x[b].set(0.0).type is x.type
    array = np.arange(6.0).reshape(2, 3)
    for value in (True, False):
        for key in ((b,), (0, b), (slice(None), b, [0, 2]), (None, ..., b)) if value else ((b,),):
            place: Any = tuple(value if k is b else k for k in key)
            chosen, changed = function([x, b], [x[key], x[key].inc(1.0)], mode=PY)(array, value)
            np.testing.assert_array_equal(chosen, array[place])
            wanted = array.copy()
            wanted[place] += 1.0
            np.testing.assert_array_equal(changed, wanted)
    with pytest.raises(IndexError, match="too many indices: 4 for a tensor of rank 3"):
        x[True, 0, 0, 0]


def test_what_is_no_index_is_refused() -> None:
    x, mask = matrix("x", shape=(3, 4)), tensor("mask", "bool", (3,))
    with pytest.raises(TypeError, match=r"1\.5 is no index"):
        x[1.5]
    with pytest.raises(TypeError, match=r"integers or None, not 1\.5"):
        x[:1.5]
    with pytest.raises(TypeError, match=r"must be of integers, but .* is float64"):
        x[vector("i")]
    with pytest.raises(TypeError, match="a length must be an integer scalar"):
        x[: vector("i")]
    with pytest.raises(IndexError, match="too many indices: 3 for a tensor of rank 2"):
        x[0, 0, 0]
    with pytest.raises(IndexError, match="only one ellipsis"):
        x[..., ...]
    with pytest.raises(IndexError, match="mask has length 3 for axis 1, which has length 4"):
        x[:, mask]
    with pytest.raises(IndexError, match="mask has length 2 for axis 1, which has length 4"):
        x[:, [True, False]]
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        x[::0]
    with pytest.raises(ValueError, match="can't be broadcast"):
        x[[0, 1], [0, 1, 2]]


def test_updates_that_do_not_fit_are_refused() -> None:
    x = matrix("x", shape=(3, 4))
    with pytest.raises(ValueError, match=r"can't put shape \[3\] into the shape \[4\]"):
        x[0].set([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"can't put shape \[2, 4\] into the shape \[4\]"):
        x[0].set(np.ones((2, 4)))
    with pytest.raises(ValueError, match=r"can't put shape \[4\] into the shape \[1\]"):
        x[0, :1].set(np.ones(4))
    with pytest.raises(TypeError, match="can't put float64 into a tensor of int32"):
        ivector("i")[0].set(0.5)
    with pytest.raises(OverflowError, match="out of bounds for int16"):
        wvector("w")[0].set(40000)
    with pytest.raises(TypeError, match=r"not the direct result of indexing.*y\[i\]\.inc"):
        (x + 1).inc(1)


def test_assignment_is_refused_with_the_remedy() -> None:
    x = dtensor3("x")
    with pytest.raises(TypeError, match=r"write x = x\[i\]\.set\(value\)"):
        x[0] = 1  # type: ignore[index]
    with pytest.raises(TypeError, match="immutable"):
        x[0] += 1  # type: ignore[index]


@pytest.mark.parametrize(
    "entries", [np.s_[:, None], np.s_[None, ::-1, :, None], np.s_[:, None, ::-1]], ids=str
)
def test_slopes_of_new_axes_are_added_to_nothing(entries: Any) -> None:
    """There are no zeros: the cotangent is looked at without them."""
    x = matrix("x")
    values = np.arange(6.0).reshape(2, 3)
    weights = np.cos(np.arange(6.0)).reshape(values[entries].shape)
    slope = grad((x[entries] * weights).sum(), x)
    assert not [v for v in ancestors([slope]) if type(v.op) is IndexUpdate]
    expected = np.zeros((2, 3))
    expected[entries] += weights
    np.testing.assert_array_equal(function([x], slope, mode=Mode("py", books=[]))(values), expected)
