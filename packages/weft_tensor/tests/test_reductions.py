"""Reductions over axes: NumPy's values, dtypes and shapes; derivatives where they are hard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft_tensor as wt
from weft_graph import Mode, ask, function, grad
from weft_tensor import DTYPES, constant, matrix, prod, tensor, vector
from weft_tensor.extend import inferred_shapes
from weft_tensor.facts.definitions import positive
from weft_testing import check_grad

PY = Mode("py", books=[])
ALL = ("sum", "prod", "mean", "max", "min", "any", "all")


@st.composite
def cases(draw: Callable[[Any], Any]) -> tuple[Any, Any, Any, bool]:
    """An array, an input for it, axes and keepdims."""
    shape = draw(st.lists(st.integers(0, 3), max_size=3))
    dtype = draw(st.sampled_from(DTYPES))
    size = int(np.prod(shape))
    numbers = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    array = np.array(numbers, dtype).reshape(shape)
    known = [n if draw(st.booleans()) else None for n in shape]
    signs = st.permutations(range(len(shape))).map(lambda axes: axes[: draw(st.integers(0, 3))])
    several = tuple(a - len(shape) if draw(st.booleans()) else a for a in draw(signs))
    one = several[0] if several else None
    axis = draw(st.sampled_from([None, several, one]))
    return array, tensor("x", dtype, known), axis, draw(st.booleans())


@pytest.mark.parametrize("name", ALL)
@given(case=cases())
def test_values_dtypes_and_shapes_are_numpys(name: str, case: tuple[Any, Any, Any, bool]) -> None:
    array, x, axis, keepdims = case
    if name in ("max", "min") and (array.size == 0 or array.dtype.kind == "c"):
        return
    with np.errstate(all="ignore"):
        if name == "mean" and not array.size:
            expected = array.astype(np.result_type(array, "float32")).sum(axis, keepdims=keepdims)
            if array.dtype.kind in "biu":
                expected = expected.astype("float64")
            expected = np.asarray(expected / np.zeros((), expected.dtype))
        else:
            expected = np.asarray(getattr(np, name)(array, axis=axis, keepdims=keepdims))
        result = getattr(wt, name)(x, axis=axis, keepdims=keepdims)
        assert result.dtype == str(expected.dtype)
        shapes = inferred_shapes(result) if result.owner else [()]
        assert shapes is not None
        lengths = [constant(n) if isinstance(n, int) else n for n in shapes[0]]
        actual, *found = function([x], [result, *lengths], mode=PY)(array)
    assert tuple(map(int, found)) == expected.shape
    assert actual.dtype == expected.dtype
    np.testing.assert_allclose(actual, expected, rtol=1e-6)
    for n, known in zip(expected.shape, result.type.shape, strict=True):
        assert known in (None, n)


@pytest.mark.parametrize("name", ["sum", "prod", "mean"])
@pytest.mark.parametrize("given_dtype", DTYPES)
def test_the_dtype_asked_for_is_the_results(name: str, given_dtype: str) -> None:
    array = np.array([1, 100, 3], "uint8").astype(given_dtype)
    x = tensor("x", given_dtype, (None,))
    wanted = [d for d in DTYPES if d != "bool"]
    if given_dtype.startswith("complex"):
        wanted = ["complex64", "complex128"]
    outputs = [getattr(wt, name)(x, dtype=d) for d in wanted]
    with np.errstate(over="ignore"):
        results = function([x], outputs, mode=PY)(array)
        expected = [getattr(np, name)(array, dtype=d) for d in wanted]
    for d, output, actual, value in zip(wanted, outputs, results, expected, strict=True):
        assert output.dtype == str(actual.dtype) == d
        if name == "mean" and d in ("int8", "uint8"):
            continue  # NumPy's sum overflows before it divides
        np.testing.assert_allclose(actual, value, rtol=1e-6, err_msg=d)


def test_extrema_refuse_what_has_none() -> None:
    with pytest.raises(TypeError, match="a value for no elements, which is no complex64"):
        wt.Max((0,), True)(tensor("z", "complex64", (3,)))
    with pytest.raises(ValueError, match=r"min\[0\] of an axis of length 0 has no value"):
        wt.min(tensor("x", shape=(0, 3)), axis=0)
    assert wt.min(tensor("x", shape=(0, 3)), axis=1).type.shape == (0,)
    x = vector("x")
    with pytest.raises(ValueError, match="zero-size array"):
        wt.max(x).eval({x: []})


def test_axes_that_are_not_there_are_refused() -> None:
    x = matrix("x")
    for axis in (2, -3):
        with pytest.raises(ValueError, match=f"axis {axis} is out of range for a tensor of rank 2"):
            x.sum(axis=axis)
    with pytest.raises(ValueError, match="names an axis twice"):
        x.sum(axis=(0, -2))
    with pytest.raises(TypeError, match=r"an axis is an int, or several in a tuple, not 0\.5"):
        x.max(axis=0.5)  # type: ignore[arg-type]  # what is tested
    assert x.sum(axis=np.int64(1)) is x.sum(axis=(-1,)) is x.sum(axis=[1])


@pytest.mark.parametrize("zeros", [0, 1, 2, 3])
@pytest.mark.parametrize("axis", [None, 0, 1, ()])
def test_products_with_zeros_have_the_right_derivative(zeros: int, axis: Any) -> None:
    x = np.array([[1.5, -2.0, 0.5], [3.0, 1.0, -1.0]])
    x.flat[[0, 4, 2][:zeros]] = 0
    check_grad(lambda v: prod(v, axis), [x])
    check_grad(lambda v: prod(v, axis, keepdims=True) * v, [x])


def test_complex_products_have_the_right_derivative() -> None:
    check_grad(prod, [np.array([1 + 1j, 2 - 0.5j, 0])])


@pytest.mark.parametrize("axis", [None, 0, (0, 1), ()])
@pytest.mark.parametrize("keepdims", [True, False])
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min"])
def test_derivatives(name: str, axis: Any, keepdims: bool) -> None:
    x = np.array([[1.5, -2.0, 0.5], [3.0, 1.0, -1.0]])
    check_grad(lambda v: getattr(wt, name)(v, axis=axis, keepdims=keepdims), [x])
    if name in ("sum", "mean"):
        check_grad(lambda v: getattr(wt, name)(v, axis=axis), [x + 2j * x])
        check_grad(lambda v: getattr(wt, name)(v, axis=axis), [x.astype("float32")])


def test_ties_share_the_derivative() -> None:
    x = matrix("x")
    for extremum, value in ((wt.max, 2.0), (wt.min, -2.0)):
        gradient = grad(wt.sum(extremum(x, axis=1)), x)
        found = gradient.eval({x: [[value, 0.0, value], [value, 0.0, 0.0]]})
        assert found.tolist() == [[0.5, 0.0, 0.5], [1.0, 0.0, 0.0]]


def test_sums_of_converted_integers_wrap_as_numpys() -> None:
    x = np.array([100, 100], "int8")
    assert wt.sum(x, dtype="int8").eval() == np.sum(x, dtype="int8") == -56
    assert wt.sum(x).eval() == 200
    assert wt.sum(np.array([True, True]), dtype=bool).eval().dtype == bool


def test_derivatives_pass_a_conversion_of_the_sum() -> None:
    x = vector("x")
    assert grad(x.sum(dtype="float32").astype("float64"), x).eval({x: [1.0, 2.0]}).tolist() == [
        1,
        1,
    ]
    check_grad(lambda v: wt.sum(v, dtype="complex128"), [np.array([1.0, 2.0])])


def test_size_counts() -> None:
    x = tensor("x", shape=(None, 3, None))
    array = np.ones((2, 3, 4))
    for axis in (None, 0, (1, 2), ()):
        wanted = np.prod(
            [array.shape[a] for a in (range(3) if axis is None else np.atleast_1d(axis))]
        )
        assert wt.as_tensor(wt.size(x, axis)).eval({x: array}) == wanted
    assert x.size.dtype == "int64"


def test_extremes_that_may_be_infinite() -> None:
    x = vector("x")
    largest, smallest = wt.Max((0,), True)(x), wt.Min((0,), True)(x)
    assert [v.eval({x: []}) for v in (largest, smallest)] == [-np.inf, np.inf]
    assert [v.eval({x: [2.0, 1.0]}) for v in (largest, smallest)] == [2.0, 1.0]
    assert ask(wt.Max((0,))(wt.cosh(x)), positive) is True
    assert ask(wt.Max((0,), True)(wt.cosh(x)), positive) is None
    k, small = tensor("k", "int64", (None,)), tensor("u", "uint8", (None,))
    assert wt.max(k, initial=-5).eval({k: []}) == -5
    assert wt.min(k, initial=7).eval({k: [9, 8]}) == 7
    assert wt.min(small, initial=3).eval({small: []}) == 3
