"""Changes of shape: NumPy's results and errors, by types where lengths are known."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft_graph import Mode, function, grad
from weft_tensor import (
    TensorOp,
    atleast_1d,
    atleast_2d,
    broadcast_to,
    constant,
    expand_dims,
    flatten,
    lscalar,
    matrix,
    matrix_transpose,
    moveaxis,
    ravel,
    reshape,
    row,
    squeeze,
    sum,
    swapaxes,
    tensor,
    tensor3,
    transpose,
    vector,
)
from weft_tensor.extend import inferred_shapes

PY = Mode("py", books=[])


@st.composite
def arrays(draw: Callable[[Any], Any], least: int = 0) -> tuple[Any, Any]:
    """An array of lengths from 0 to 3, and an input that may know them."""
    shape = draw(st.lists(st.integers(0, 3), min_size=least, max_size=4))
    known = [n if draw(st.booleans()) else None for n in shape]
    return np.arange(float(np.prod(shape))).reshape(shape), tensor("x", shape=known)


def check(
    result: Any, expected: Any, inputs: list[Any], values: list[Any], exact: bool = True
) -> None:
    """Values, inferred type and inferred shape against NumPy's; and a gradient of ones."""
    assert result.ndim == expected.ndim
    for found, wanted in zip(result.type.shape, expected.shape, strict=True):
        assert found in (None, wanted)
    if exact and None not in inputs[0].type.shape:
        assert result.type.shape == expected.shape
    shapes = inferred_shapes(result) if result.owner else [()]
    assert shapes is not None
    lengths = [constant(n) if isinstance(n, int) else n for n in shapes[0]]
    x = inputs[0]
    cost = sum(result * 2)
    gradient = grad(cost, x)
    compiled = function(inputs, [result, gradient, *lengths], mode=PY)
    actual, slope, *found = compiled(*values)
    np.testing.assert_array_equal(actual, expected)
    assert slope.shape == values[0].shape
    if values[0].size:
        assert slope.sum() == 2 * expected.size
    if result.owner:
        assert tuple(map(int, found)) == expected.shape


@given(arrays(), st.data())
def test_reshape(drawn: tuple[Any, Any], data: st.DataObject) -> None:
    array, x = drawn
    size = array.size
    lengths: list[int] = []
    rest = size
    for _ in range(data.draw(st.integers(0, 3))):
        n = data.draw(st.sampled_from([d for d in range(1, 9) if rest % d == 0]))
        lengths.append(n)
        rest = rest // n
    if rest != 1 or not lengths:
        lengths.append(rest)
    wanted: list[Any] = list(data.draw(st.permutations(lengths)))
    expected = array.reshape(wanted)
    free = data.draw(st.none() | st.integers(0, len(wanted) - 1))
    if free is not None and 0 not in wanted[:free] + wanted[free + 1 :]:
        wanted[free] = -1
    inputs, values = [x], [array]
    for i, n in enumerate(wanted):
        if n != -1 and data.draw(st.booleans()):
            inputs.append(lscalar("n"))
            values.append(np.array(n))
            wanted[i] = inputs[-1]
    check(reshape(x, wanted), expected, inputs, values, exact=len(inputs) == 1)


def test_reshape_by_lengths_of_the_input() -> None:
    x = tensor3("x", shape=("n", None, 3))
    assert str(x.reshape(x.shape[0], -1).type) == "float64[n, ?]"
    assert x.reshape(*x.shape) is x
    array = np.arange(12.0).reshape(2, 2, 3)
    for lengths, shape in (
        ((x.shape[0], -1), (2, 6)),
        ((-1, x.shape[2]), (4, 3)),
        ((x.shape[1], -1, x.shape[0]), (2, 3, 2)),
        ((x.shape[0] * x.shape[1], 3), (4, 3)),
    ):
        np.testing.assert_array_equal(x.reshape(lengths).eval({x: array}), array.reshape(shape))
    empty = np.ones((0, 2, 3))
    assert x.reshape(x.shape[0], -1).eval({x: empty}).shape == (0, 6)


def test_reshape_refuses_what_can_not_be() -> None:
    x, y, n = matrix("x", shape=(2, 3)), vector("y"), lscalar("n")
    with pytest.raises(ValueError, match=r"can't reshape \[2, 3\] to \[4\]"):
        reshape(x, 4)
    with pytest.raises(ValueError, match=r"can't reshape \[2, 3\] to \(4, -1\)"):
        reshape(x, (4, -1))
    with pytest.raises(ValueError, match="only one length may be -1"):
        reshape(x, (-1, -1))
    with pytest.raises(ValueError, match="can't be negative"):
        reshape(x, (-2, 3))
    with pytest.raises(ValueError, match="another length is 0"):
        reshape(y, (0, -1))
    wrong: Any = (1.5, 4)
    with pytest.raises(TypeError, match=r"must be an integer scalar, not <1\.5"):
        reshape(x, wrong)
    with pytest.raises(ValueError, match="cannot reshape array of size 3"):
        reshape(y, (2, -1)).eval({y: [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match=r"can't be negative: \(-1, 2\)"):
        reshape(y, (n, 2)).eval({y: np.ones(4), n: -1})


@given(arrays(), st.data())
def test_transposition(drawn: tuple[Any, Any], data: st.DataObject) -> None:
    array, x = drawn
    axes = data.draw(st.permutations(range(array.ndim)))
    signed = [a - array.ndim if data.draw(st.booleans()) else a for a in axes]
    check(transpose(x, signed), array.transpose(axes), [x], [array])
    check(x.T, array.T, [x], [array])
    if array.ndim > 1:
        check(matrix_transpose(x), np.swapaxes(array, -1, -2), [x], [array])


@given(arrays(1), st.data())
def test_moving_axes(drawn: tuple[Any, Any], data: st.DataObject) -> None:
    array, x = drawn
    axis = st.integers(-array.ndim, array.ndim - 1)
    a, b = data.draw(axis), data.draw(axis)
    check(swapaxes(x, a, b), np.swapaxes(array, a, b), [x], [array])
    check(moveaxis(x, a, b), np.moveaxis(array, a, b), [x], [array])
    number = data.draw(st.integers(0, array.ndim))
    several = st.permutations(range(array.ndim)).map(lambda axes: axes[:number])
    sources, places = data.draw(several), data.draw(several)
    expected = np.moveaxis(array, sources, places)
    check(moveaxis(x, sources, places), expected, [x], [array])


@given(arrays(), st.data())
def test_new_axes_come_and_go(drawn: tuple[Any, Any], data: st.DataObject) -> None:
    array, x = drawn
    number = data.draw(st.integers(0, 2))
    ndim = array.ndim + number
    axes = data.draw(st.permutations(range(ndim)).map(lambda a: a[:number]))
    signed = tuple(a - ndim if data.draw(st.booleans()) else a for a in axes)
    wide = np.expand_dims(array, signed)
    check(expand_dims(x, signed), wide, [x], [array])
    check(squeeze(expand_dims(x, signed), signed), array, [x], [array])
    ones = tuple(a for a, n in enumerate(array.shape) if n == 1)
    check(squeeze(x, ones), np.squeeze(array, ones), [x], [array])
    if None not in x.type.shape:
        check(squeeze(x), np.squeeze(array), [x], [array])


@given(arrays(), st.data())
def test_broadcast_to(drawn: tuple[Any, Any], data: st.DataObject) -> None:
    array, x = drawn
    front = data.draw(st.lists(st.integers(0, 3), max_size=2))
    shape: list[Any] = front + [data.draw(st.integers(0, 3)) if n == 1 else n for n in array.shape]
    expected = np.broadcast_to(array, shape)
    inputs, values = [x], [array]
    for i, n in enumerate(shape):
        if data.draw(st.booleans()):
            inputs.append(lscalar("n"))
            values.append(np.array(n))
            shape[i] = inputs[-1]
    check(broadcast_to(x, shape), expected, inputs, values, exact=len(inputs) == 1)


@given(arrays())
def test_joining_axes(drawn: tuple[Any, Any]) -> None:
    array, x = drawn
    exact = 0 not in array.shape
    check(ravel(x), array.ravel(), [x], [array], exact)
    check(atleast_1d(x), np.atleast_1d(array), [x], [array])
    check(atleast_2d(x), np.atleast_2d(array), [x], [array])
    for ndim in range(1, array.ndim + 1):
        expected = array.reshape(*array.shape[: ndim - 1], int(np.prod(array.shape[ndim - 1 :])))
        check(flatten(x, ndim), expected, [x], [array], exact)


def test_methods_take_lengths_and_axes_loose_or_in_a_tuple() -> None:
    x = matrix("x", shape=(2, 3))
    assert x.reshape(3, 2) is x.reshape((3, 2)) is x.reshape([3, 2])
    assert x.transpose(1, 0) is x.transpose((1, 0)) is x.transpose() is x.T
    assert x.broadcast_to(4, 2, 3) is x.broadcast_to((4, 2, 3))
    assert x.flatten() is x.ravel()
    assert x.mT is x.T is x.swapaxes(0, 1)
    assert x.expand_dims(np.int64(0)) is x.expand_dims((0,))
    assert x.transpose(0, 1) is x


def test_a_repeated_result_can_be_written_to() -> None:
    x = vector("x")
    found = broadcast_to(x + 1, (2, 3)).eval({x: np.zeros(3)})
    found[0] = 5
    assert found.tolist() == [[5, 5, 5], [1, 1, 1]]


def test_axes_that_are_not_there_are_refused() -> None:
    x = tensor3("x")
    with pytest.raises(ValueError, match=r"axes \(3, 4, 5\) are not those of <x"):
        transpose(x, (3, 4, 5))
    with pytest.raises(ValueError, match=r"axes \(0, 1\) are not those"):
        transpose(x, (0, 1))
    with pytest.raises(ValueError, match="axis 5 is out of range for a tensor of rank 3"):
        moveaxis(x, 5, 0)
    with pytest.raises(ValueError, match="names an axis twice"):
        moveaxis(x, (0, 0), (0, 1))
    with pytest.raises(ValueError, match="as many destinations as sources, not"):
        moveaxis(x, (0, 1), 0)
    with pytest.raises(ValueError, match="axis -4 is out of range"):
        swapaxes(x, -4, 0)
    with pytest.raises(ValueError, match="axis 4 is out of range"):
        expand_dims(x, 4)
    with pytest.raises(TypeError, match="needs an axis"):
        expand_dims(x, None)
    with pytest.raises(TypeError, match=r"an axis is an int, or several in a tuple, not 1\.0"):
        squeeze(x, 1.0)  # type: ignore[arg-type]  # what is tested
    with pytest.raises(ValueError, match="needs at least two axes"):
        matrix_transpose(vector("v"))
    with pytest.raises(ValueError, match="can't flatten a tensor of rank 3 to rank 4"):
        flatten(x, 4)


def test_lengths_that_do_not_fit_are_refused() -> None:
    x, y = row("x"), matrix("y", shape=(2, 3))
    with pytest.raises(ValueError, match="can't squeeze axis 0, of length 2"):
        squeeze(y, 0)
    with pytest.raises(ValueError, match="cannot select an axis to squeeze"):
        squeeze(x, 1).eval({x: np.ones((1, 2))})
    with pytest.raises(ValueError, match=r"can't broadcast shape \[2, 3\] to \[3\]"):
        broadcast_to(y, 3)
    with pytest.raises(ValueError, match=r"can't broadcast shape \[2, 3\] to \[2, 1\]"):
        broadcast_to(y, (2, 1))
    with pytest.raises(ValueError, match="can't be negative"):
        broadcast_to(1.0, (-1,))


class Filled(TensorOp):
    """A count, and as many numbers."""

    def infer(self, *types: Any) -> Any:
        return lscalar().type, *types

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Any) -> Any:
        return [(), (node.outputs[0],)]


def test_shapes_of_several_results_keep_none_of_them() -> None:
    _, numbers = Filled()(vector("freed"))
    node = ref(numbers.inputs[0])
    assert inferred_shapes(numbers.inputs[0]) == [(), (_,)]
    del _, numbers
    gc.collect()
    assert node() is None
