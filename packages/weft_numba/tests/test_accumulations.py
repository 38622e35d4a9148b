"""Sums and products so far, and sums over axes that a call tells: loop nests like all others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, Mode, function, grad
from weft_numba import NumbaLinker, llvm_code
from weft_numba.analysis.specialise import narrowed
from weft_numba.fusion.grouping import Fused, fuse

x, y, X = wt.vector("x"), wt.vector("y"), wt.matrix("X")
CUBE = np.sin(np.arange(24.0)).reshape(2, 3, 4)


def assert_same(inputs: list[Any], outputs: list[Any], *values: Any) -> None:
    """Numba gives what Python gives, to the last bit."""
    with np.errstate(invalid="ignore"):
        found, expected = (function(inputs, outputs, mode=m)(*values) for m in ("numba", "py"))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(np.signbit(one.real), np.signbit(other.real))
        assert (one.shape, one.dtype) == (other.shape, other.dtype)


@pytest.mark.cases(2)
@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("shape", [(2, 3, 4), (1, 1, 5), (3, 0, 2), (0, 2, 0)], ids=str)
def test_along_every_axis(axis: int, shape: tuple[int, ...]) -> None:
    cube = wt.dtensor3("cube")
    values = np.resize(CUBE, shape)
    assert_same([cube], [wt.cumsum(cube, axis), wt.cumprod(cube, axis)], values)
    assert_same([cube], [wt.cumsum(cube.transpose(2, 0, 1), axis)], values)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float32", "complex64", "complex128"])
def test_every_kind_of_number(dtype: str) -> None:
    v = wt.TensorType(dtype, (None,))("v")
    assert_same([v], [wt.cumsum(v), wt.cumprod(v)], np.array([3, 2, 0, 1, 200]).astype(dtype))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "uint64", "float32"])
def test_the_largest_so_far_is_chosen_without_a_branch(dtype: str) -> None:
    m = wt.matrix("m", dtype)
    numbers = np.array([[3, 3, 255, 2], [7, 1, 0, 2**63], [0, 0, 0, 1]], "uint64")
    outputs = [of(m, axis) for of in (wt.cummax, wt.cummin) for axis in (0, 1)]
    assert_same([m], outputs, numbers.astype(dtype))
    assert_same([m], outputs, numbers[:, :0].astype(dtype))
    text = llvm_code(function([m], wt.cummax(m, 1), mode="numba"))
    assert ("!unpredictable" in text) == (dtype not in ("bool", "float32"))


@pytest.mark.parametrize("axis", range(3))
def test_slopes_of_products_so_far_are_two_recurrences(axis: int) -> None:
    cube, weights = wt.dtensor3("cube"), wt.dtensor3("weights")
    slope = grad(wt.sum(wt.cumprod(cube, axis) * weights), cube)
    f, right = (function([cube, weights], slope, mode=mode) for mode in ("numba", "py"))
    assert len(f.source.splitlines()) < 9
    zeros = np.where(CUBE > 0.5, 0.0, CUBE)
    for value in (CUBE, zeros, zeros[:, :0], CUBE[::-1, :, ::-1], np.asfortranarray(zeros)):
        np.testing.assert_allclose(f(value, value + 1), right(value, value + 1), rtol=1e-13)


@pytest.mark.parametrize(
    "first", [-0.0, np.inf, -np.inf, np.nan, complex(np.inf, 0), complex(-0.0, -0.0)], ids=str
)
def test_the_first_element_is_itself(first: complex) -> None:
    values = np.array([first, 1.0])
    v = wt.TensorType(str(values.dtype), (None,))("v")
    assert_same([v], [wt.cumsum(v), wt.cumprod(v)], values)


def test_what_is_accumulated_is_computed_by_loops_of_vectors() -> None:
    total = wt.cumsum(wt.exp(x))
    steps = fuse(narrowed(FunctionGraph([x], [total, total * 2.0]), assume=True).graph)
    assert all(isinstance(step, Fused) for step in steps)
    names = [[s.name for s in step.kernel.statements] for step in steps if isinstance(step, Fused)]
    assert names[:2] == [["exp"], []]


def test_threads_leave_order_alone() -> None:
    many = function([X], wt.cumsum(X, 1), mode=Mode(NumbaLinker(parallel=True)))
    values = np.resize(CUBE, (300, 700))
    np.testing.assert_array_equal(many(values), np.cumsum(values, axis=1))


def test_code_has_no_more_than_one_loop_per_axis() -> None:
    code = llvm_code(function([X], wt.cumprod(X, 0), mode="numba"))
    assert code.count(" = phi i64 ") == 2


@pytest.mark.parametrize("n", [0, 1, 4])
def test_sums_over_axes_that_a_call_tells(n: int) -> None:
    slopes = grad(wt.sum(wt.exp(x * y)), [x, y])
    f, g = (function([x, y], slopes, mode=mode) for mode in ("numba", "py"))
    for values in ((np.arange(1.0 * n), [2.0]), ([2.0], np.arange(1.0 * n))):
        for one, other in zip(f(*values), g(*values), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)
            assert one.shape == other.shape


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "any", "all"])
@pytest.mark.parametrize("value", [-0.0, 2, True, np.float32(0.5), 1j, np.nan], ids=repr)
def test_reductions_of_a_number(name: str, value: Any) -> None:
    s = wt.TensorType(str(np.asarray(value).dtype), ())("s")
    if name in ("max", "min") and isinstance(value, complex):
        return
    assert_same([s], [getattr(wt, name)(s)], np.asarray(value))
