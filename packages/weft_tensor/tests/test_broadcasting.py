"""Broadcasting: by types where lengths are known, at the call where not; and its gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft_graph import Mode, function, grad, pushforward
from weft_tensor import broadcast_arrays, constant, matrix, mul, sum, sum_to, tensor, vector, where
from weft_tensor.extend import inferred_shapes

PY = Mode("py", books=[])


@st.composite
def operands(draw: Callable[[Any], Any], number: int) -> list[tuple[Any, Any]]:
    """Arrays that can be broadcast together, each with an input that may know its lengths."""
    shape = draw(st.lists(st.integers(0, 3), max_size=3))
    result = []
    for k in range(number):
        own = [n if draw(st.booleans()) else 1 for n in shape][draw(st.integers(0, len(shape))) :]
        known = [n if draw(st.booleans()) else None for n in own]
        array = np.arange(1.0, np.prod(own) + 1).reshape(own) + k
        result.append((array, tensor(f"x{k}", shape=known)))
    return result


@given(operands(3))
def test_values_types_and_shapes_are_numpys(drawn: list[tuple[Any, Any]]) -> None:
    arrays, (x, y, z) = [a for a, _ in drawn], [v for _, v in drawn]
    expected = arrays[0] + arrays[1] * arrays[2]
    result = x + y * z
    for found, wanted in zip(result.type.shape, expected.shape, strict=True):
        assert found in (None, wanted)
    shapes = inferred_shapes(result)
    assert shapes is not None
    lengths = [constant(n) if isinstance(n, int) else n for n in shapes[0]]
    actual, *found = function([x, y, z], [result, *lengths], mode=PY)(*arrays)
    np.testing.assert_array_equal(actual, expected)
    assert tuple(map(int, found)) == expected.shape


@given(operands(2))
def test_gradients_are_summed_over_what_was_stretched(drawn: list[tuple[Any, Any]]) -> None:
    (a, x), (b, y) = drawn
    gradients = grad(sum(mul(x, y)), [x, y])
    found = function([x, y], gradients, mode=PY)(a, b)
    for g, own, other in zip(found, (a, b), (b, a), strict=True):
        whole = np.broadcast_to(other, np.broadcast_shapes(a.shape, b.shape))
        extra = tuple(range(whole.ndim - own.ndim))
        expected = whole.sum(extra)
        ones = tuple(i for i, n in enumerate(own.shape) if n == 1)
        np.testing.assert_allclose(g, expected.sum(ones, keepdims=True))
        assert g.shape == own.shape


@given(operands(3))
def test_gradients_of_functions_of_three_have_their_inputs_shapes(
    drawn: list[tuple[Any, Any]],
) -> None:
    arrays, inputs = [a for a, _ in drawn], [v for _, v in drawn]
    c, x, y = inputs
    gradients = grad(sum(where(c > 2, x, y)), [x, y])
    gx, gy = function(inputs, gradients, mode=PY)(*arrays)
    assert (gx.shape, gy.shape) == (arrays[1].shape, arrays[2].shape)
    size = np.prod(np.broadcast_shapes(*[a.shape for a in arrays]))
    assert gx.sum() + gy.sum() == size


def test_an_unknown_length_may_be_one_at_the_call() -> None:
    x, y = vector("x"), vector("y")
    compiled = function([x, y], [x * y, *grad(sum(x * y), [x, y])], mode=PY)
    product, gx, gy = compiled([2.0], [1.0, 2.0, 3.0])
    assert product.tolist() == [2, 4, 6]
    assert gx.tolist() == [6]
    assert gy.tolist() == [2, 2, 2]
    product, gx, gy = compiled([], [5.0])
    assert product.shape == gx.shape == (0,)
    assert gy.tolist() == [0]


def test_an_input_that_occurs_twice_gets_one_gradient() -> None:
    x, y = vector("x"), matrix("y", shape=(2, None))
    gradient = grad(sum(x * x * y), x)
    assert gradient.eval({x: [3.0], y: np.ones((2, 4))}).tolist() == [48.0]


def test_lengths_that_do_not_fit_are_refused() -> None:
    x, y = matrix("x", shape=(2, 3)), vector("y", shape=(2,))
    with pytest.raises(ValueError, match=r"shapes \[2, 3\] and \[2\] can't be broadcast") as caught:
        x + y
    (note,) = caught.value.__notes__
    assert "while applying add to" in note
    assert "x : float64[2, 3]   (made at line" in note
    assert "y : float64[2]" in note
    unknown = vector("u")
    with pytest.raises(ValueError, match="could not be broadcast") as caught:
        (x + unknown).eval({x: np.ones((2, 3)), unknown: [1.0, 2.0]})
    assert "while computing add" in caught.value.__notes__[0]


def test_a_gradient_says_where_its_function_was_broadcast_wrongly() -> None:
    x, y = vector("x"), vector("y")
    gradient = grad(sum(x * y), x)
    with pytest.raises(ValueError, match="broadcast"):
        gradient.eval({x: [1.0, 2.0], y: [1.0, 2.0, 3.0]})


def test_broadcast_arrays_takes_all_that_numpy_takes() -> None:
    x, y = vector("x"), matrix("y", shape=(None, 1))
    first, second = broadcast_arrays(x, y)
    values = {x: [1.0, 2.0, 3.0], y: [[1.0], [2.0]]}
    assert first.eval(values).shape == second.eval(values).shape == (2, 3)
    with pytest.raises(ValueError, match="can't be broadcast together"):
        broadcast_arrays(np.ones(2), np.ones(3))


def test_sum_to_is_decided_by_types_where_they_know() -> None:
    x = matrix("x", shape=(2, 3))
    assert sum_to(x, x.shape) is x
    assert str(sum_to(x, (2, 1)).owner.op) == "expand_dims[1]"  # type: ignore[union-attr]  # no root
    y = matrix("y")
    lengths = vector("z").shape
    assert str(sum_to(y, (lengths[0], 3)).op) == "sum_to"
    np.testing.assert_array_equal(
        sum_to(y, (1, 3)).eval({y: np.ones((2, 3))}), np.full((1, 3), 2.0)
    )


def test_a_number_that_moves_is_stretched_to_length_one() -> None:
    t, x = tensor("t", shape=()), tensor("x", shape=(1, 1))
    for y in (x - t, mul(t, x), where(x > 0, t, x)):
        assert pushforward(y, t, constant(1.0)).type.shape == (1, 1)
