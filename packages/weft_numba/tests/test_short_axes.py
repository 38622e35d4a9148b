"""Loops over axes that are short, over what lies apart, and over parts of stacks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from packages.weft_numba.tests.test_fusion import kernels
from weft_graph import FunctionGraph, Mode, function, grad
from weft_numba import NumbaLinker, llvm_code
from weft_numba.fusion.grouping import Fused, fuse
from weft_numba.ir.vector_math import has_masks
from weft_numba.llvm.loop_nest import lower
from weft_numba.llvm.loop_order import ordered

SHORT = [((3, 5, 2), (0, 2)), ((3, 5, 2), (0,)), ((2, 3, 4), (0, 1, 2)), ((4, 0, 3), (0, 2))]


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int8", "bool"])
@pytest.mark.parametrize(("shape", "axis"), SHORT, ids=str)
def test_what_is_combined_along_few_elements_is_written_out(
    shape: tuple[int, ...], axis: tuple[int, ...], dtype: str
) -> None:
    x = wt.tensor("x", dtype, tuple([n if n < 5 and n else None for n in shape]))
    outputs = [of(x * x, axis=axis) for of in (wt.sum, wt.prod, wt.max, wt.min, wt.any)]
    value = np.asarray(np.sin(np.arange(float(np.prod(shape)))) * 3).reshape(shape).astype(dtype)
    wide = np.repeat(value, 2, axis=2)
    values = [value, value[::-1, :, ::-1], np.asfortranarray(value), wide[:, :, ::2]]
    if dtype[0] in "fc":
        values += [np.where(np.arange(value.size).reshape(shape) % 7, value, np.nan)]
    fast, slow = (function([x], outputs, mode=mode) for mode in ("numba", "py"))
    for v in values:
        for found, right in zip(fast(v), slow(v), strict=True):
            np.testing.assert_allclose(found, right, rtol=1e-5)


@pytest.mark.parametrize("dtype", ["float64", "int8", "uint8", "bool"])
def test_where_extremes_of_few_elements_are(dtype: str) -> None:
    x = wt.tensor("x", dtype, (None, None, None))
    function_of = [(of, axis) for of in ("argmax", "argmin") for axis in range(3)]
    fast = function([x], [getattr(wt, of)(x, axis=axis) for of, axis in function_of], mode="numba")
    for shape in ((3, 4, 5), (20, 2, 12), (13, 2, 3), (2, 3, 700), (1, 1, 13)):
        value = np.asarray(np.sin(np.arange(float(np.prod(shape)))) * 9).reshape(shape)
        values = [abs(value).astype(dtype), value.round().astype(dtype)[::-1]]
        if dtype == "float64":
            values += [np.where(np.arange(value.size).reshape(shape) % 7, value, np.nan)]
        for v in values:
            for found, (of, axis) in zip(fast(v), function_of, strict=True):
                np.testing.assert_array_equal(found, getattr(np, of)(v, axis=axis))


def test_short_axes_are_within_all_others() -> None:
    x = wt.tensor("x", "float32", (None, 2, None, 2))
    (step,) = fuse(FunctionGraph([x], [wt.max(x, axis=(1, 3))]))
    assert isinstance(step, Fused)
    assert [n.known for n in ordered(step.kernel, "C").lengths] == [None, None, 2, 2]
    assert "unroll.disable" not in lower(ordered(step.kernel, "C"), "C").module
    text = llvm_code(function([x], wt.exp(x).sum(axis=3), mode="numba"))
    assert "prefetch" not in text


@pytest.mark.parametrize(
    ("shape", "is_apart", "stays"),
    [((3, None), True, True), ((3, 4), False, False), ((None,), False, False)],
)
def test_what_stays_a_loop_is_compiled_once(
    shape: tuple[int | None, ...], is_apart: bool, stays: bool
) -> None:
    x = wt.tensor("x", "float64", shape)
    (step,) = fuse(FunctionGraph([x], [wt.sqrt(x)]))
    assert isinstance(step, Fused)
    module = lower(step.kernel, "A").module
    assert ("noinline" in module) == is_apart
    assert ("unroll.disable" in module) == stays


@pytest.mark.parametrize(
    ("shape", "stays"),
    [((3,), False), ((4,), False), ((4, 4), True), ((10,), False), ((24,), True), ((100,), False)],
)
def test_whole_vectors_are_not_written_out(shape: tuple[int, ...], stays: bool) -> None:
    x = wt.tensor("x", "float64", shape)
    text = llvm_code(function([x], x * (1 - x), mode="numba"))
    assert ("unroll.disable" in text) == stays
    value = np.linspace(-1.0, 2.0, int(np.prod(shape))).reshape(shape)
    many = [function([x], f(x), mode="numba")(value) for f in (_steps, lambda x: _steps(x).sum(-1))]
    right = _steps(value)
    for found, wanted in zip(many, (right, right.sum(-1)), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-14)


def _steps(x: Any) -> Any:
    for k in range(6):
        x = x * (0.7 - 0.1 * x) + 0.1 * k
    return x


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_functions_of_vectors_over_few_or_apart(dtype: str) -> None:
    x, row = wt.tensor("x", dtype, (None, 3)), wt.tensor("row", dtype, (3,))
    slope = 1 - wt.tanh(x - row) ** 2
    others = [wt.exp(x.T), wt.tanh(x.T + row[:, None])]
    outputs = [slope, slope.sum(axis=0), slope.sum(axis=1), *others]
    fast, slow = (function([x, row], outputs, mode=mode) for mode in ("numba", "py"))
    value = np.sin(np.arange(57.0)).reshape(19, 3).astype(dtype)
    value[[2, 5], [0, 2]] = np.nan, np.inf
    wide = np.repeat(value, 2, axis=0)
    for v in (value, value[:0], value[:1], value[::-1, ::-1], np.asfortranarray(value), wide[::-2]):
        for found, right in zip(fast(v, value[0]), slow(v, value[0]), strict=True):
            np.testing.assert_allclose(found, right, rtol=1e-5 if dtype == "float32" else 1e-13)
    exp = llvm_code(function([x], wt.exp(x.T), mode="numba"))
    assert "load volatile" in exp
    assert "@weft_collect_" in exp
    assert "alwaysinline" in exp


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_short_rows_are_whole_vectors_with_masks(dtype: str) -> None:
    x, column = wt.tensor("x", dtype, (None, None)), wt.tensor("c", dtype, (None, 1))
    outputs = [wt.exp(x - x.max(axis=1, keepdims=True)), wt.exp(x).sum(axis=1)]
    outputs += [wt.tanh(x * column), wt.log(abs(x) + column).max(axis=1), wt.exp(x).min(axis=1)]
    fast, slow = (function([x, column], outputs, mode=mode) for mode in ("numba", "py"))
    assert ("predicate.enable" in llvm_code(fast)) == has_masks()
    for n in (1, 2, 7, 8, 20, 31, 32, 33):
        value = np.sin(np.arange(5.0 * n)).reshape(5, n).astype(dtype)
        value[1, n // 2], value[2, -1] = np.nan, np.inf
        for v in (value, value[:0], value[::-2], np.asfortranarray(value)):
            rows = np.ones((len(v), 1), dtype)
            with np.errstate(invalid="ignore"):
                rights = slow(v, rows)
            for result, right in zip(fast(v, rows), rights, strict=True):
                np.testing.assert_allclose(result, right, rtol=1e-5 if dtype[5:] == "32" else 1e-13)


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "bool"])
def test_what_lies_apart_is_collected_in_blocks(dtype: str) -> None:
    x, y = wt.tensor("x", dtype, (None, None)), wt.vector("y")
    outputs = [wt.tanh(x.T + y), wt.exp(wt.real(x.T) * y).sum(axis=1), wt.cos(x[:, 0] + y)]
    fast, slow = (function([x, y], outputs, mode=mode) for mode in ("numba", "py"))
    for n in (1, 31, 600, 1025):
        value = np.sin(np.arange(9.0 * n)).reshape(3 * n, 3).astype(dtype)
        rows = np.cos(np.arange(2.0 * n))[::2]
        for v in (value[::3], value[:n], np.asfortranarray(value[:n]), value[n - 1 :: -1]):
            for result, right in zip(fast(v, rows), slow(v, rows), strict=True):
                np.testing.assert_allclose(result, right, rtol=1e-4 if dtype[5:] == "32" else 1e-12)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "bool", "complex64"])
def test_parts_of_a_stack_are_computed_in_their_places(dtype: str) -> None:
    x, z = (wt.tensor(name, dtype, ("n",)) for name in "xz")
    y = wt.tensor("y", dtype, (None, None))
    parts = [x * z, wt.where(wt.real(x) > 0, x, z), x + z]
    whole = wt.stack(parts)
    assert kernels([x, z], [whole]) == (1, 0)
    assert kernels([x, z], [whole, parts[1]]) == (1, 1)
    others = [wt.stack([y * y, y + y], axis=k) for k in range(3)]
    outputs = [whole, wt.stack(parts[:2], axis=1), wt.exp(wt.real(whole)).sum(axis=0), *others]
    fast, slow = (function([x, z, y], outputs, mode=mode) for mode in ("numba", "py"))
    for n in (0, 1, 5):
        v, w = (np.arange(n) - 2.0).astype(dtype), np.arange(3.0 * n).reshape(n, 3).astype(dtype)
        for result, right in zip(fast(v, v[::-1], w.T), slow(v, v[::-1], w.T), strict=True):
            np.testing.assert_allclose(result, right, rtol=1e-5)
            assert result.dtype == right.dtype


def test_stacks_that_a_loop_hands_on() -> None:
    x = wt.vector("x")

    def step(state: Any, e: Any) -> tuple[Any, Any]:
        up, down = state[0], state[1]
        new = wt.stack([down * 0.5 + e, wt.tanh(up) - e])
        return new, new.sum(axis=0)

    first = wt.stack([x[:3] + 1.0, x[:3] * 2.0])
    outputs = wt.loop.scan(step, first, x)
    fast, slow = (function([x], outputs, mode=mode) for mode in ("numba", "py"))
    for result, right in zip(fast(np.arange(7.0)), slow(np.arange(7.0)), strict=True):
        np.testing.assert_allclose(result, right, rtol=1e-12)


@pytest.mark.cases(3)
@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int8", "bool"])
def test_short_axes_of_unknown_length(dtype: str, parallel: bool) -> None:
    x, y = wt.tensor("x", dtype, (None, None, None)), wt.tensor("y", dtype, (None, 1, None))
    assert "_short(" in llvm_code(function([x, y], x * y, mode="numba"))
    outputs = [x * y, x * x.transpose((0, 2, 1)), (x + y).astype("float64").sum(axis=2)]
    outputs += [of(x * y, axis=axis) for of in (wt.sum, wt.any) for axis in (0, 1, (1, 2))]
    if dtype not in ("complex128", "bool"):
        outputs += [wt.max(x, axis=(0, 2))]
    if dtype.startswith("float"):
        outputs += [wt.sum(grad(wt.sum(wt.exp(x) * y), x), axis=2)]
    fast = function([x, y], outputs, mode=Mode(NumbaLinker(parallel=parallel)))
    slow = function([x, y], outputs, mode="py")
    for n in (1, 2, 3, 4, 5):
        value = np.asarray(np.sin(np.arange(7.0 * n * n)) * 3).reshape(7, n, n).astype(dtype)
        if dtype[0] in "fc":
            value[3, 0, -1] = np.nan
        wide = np.repeat(value, 2, axis=2)[:, :, ::2]
        for v in (value, value[::-1, ::-1, ::-1], value.transpose(0, 2, 1), wide, value.T.copy().T):
            for row in (value[:, :1], value[:1, :1, ::-1]):
                for found, right in zip(fast(v, row), slow(v, row), strict=True):
                    assert found.dtype == right.dtype
                    np.testing.assert_allclose(found, right, rtol=1e-5, atol=1e-5)
    with pytest.raises(ValueError, match="broadcast"):
        fast(value, value[:, :1, :3])


@pytest.mark.parametrize("parallel", [False, True])
def test_a_column_is_a_vector(parallel: bool) -> None:
    x = wt.matrix("x")
    outputs = [of(x, axis=0) for of in (wt.sum, wt.mean, wt.max, wt.min, wt.prod, wt.any)]
    outputs += [wt.sum(x, axis=1), wt.sum(x, axis=0, keepdims=True), x * 2]
    mode = Mode(NumbaLinker(parallel=parallel))
    assert "_one(" in llvm_code(function([x], outputs[0], mode="numba"))
    fast, slow = function([x], outputs, mode=mode), function([x], outputs, mode="py")
    value = 1 + np.sin(np.arange(300_000.0))[:, None] / 1e5
    rows = np.linspace(0, 1, 14).reshape(7, 2)
    for v in (value, value[::-3], value.T, rows, rows[:, 1:], rows[:, ::-1], value[:1]):
        for found, right in zip(fast(v), slow(v), strict=True):
            np.testing.assert_allclose(found, right, rtol=1e-12)
    value[7] = np.nan
    for found, right in zip(fast(value), slow(value), strict=True):
        np.testing.assert_array_equal(np.isnan(found), np.isnan(right))


@pytest.mark.parametrize("parallel", [False, True])
def test_axes_that_go_together_are_one_loop(parallel: bool) -> None:
    x, y = wt.tensor("x", "float64", (None,) * 4), wt.tensor("y", "float64", (None,) * 3 + (1,))
    rows = wt.sum(wt.exp(x), axis=3, keepdims=True)
    outputs = [rows, wt.exp(x) / y, wt.max(x * y, axis=(1, 3)), wt.sum(x, axis=0), x.mT * 2]
    outputs += [grad(wt.sum(wt.tanh(x) * y), y), wt.any(x > y, axis=2)]
    assert "%n1" in llvm_code(function([x], rows, mode="numba"))
    assert "%n2" not in llvm_code(function([x], rows, mode="numba"))
    fast = function([x, y], outputs, mode=Mode(NumbaLinker(parallel=parallel)))
    slow = function([x, y], outputs, mode="py")
    for shape in ((2, 3, 4, 4), (1, 2, 1, 4), (2, 1, 5, 5), (3, 1, 1, 1), (70, 9, 20, 20)):
        v = np.sin(np.arange(float(np.prod(shape)))).reshape(shape)
        for a in (v, v[::-1], v.transpose(1, 0, 2, 3).copy().transpose(1, 0, 2, 3), v[:, ::-1]):
            b = 2 + a[..., :1]
            for found, right in zip(fast(a, b), slow(a, b), strict=True):
                np.testing.assert_allclose(found, right, rtol=1e-11)


def test_what_is_repeated_for_a_product_is_no_copy() -> None:
    x, y = wt.matrices("x y")
    product = wt.sum(x[:, :, None] * y[:, None, :], axis=0)
    outputs = [product, *grad(wt.sum(product**2), [x, y])]
    fast, slow = (function([x, y], outputs, mode=mode) for mode in ("numba", "py"))
    value = np.sin(np.arange(28.0)).reshape(7, 4)
    for one, two in [(7, 7), (1, 7), (7, 1), (1, 1), (0, 0)]:
        a, b = value[:one], value[::-1, 1:][:two]
        for found, right in zip(fast(a, b), slow(a, b), strict=True):
            np.testing.assert_allclose(found, right, rtol=1e-12, atol=1e-12)
    with pytest.raises(ValueError, match="broadcast"):
        fast(value, value[:3])


def test_a_reshape_that_changes_nothing_is_no_copy() -> None:
    x = wt.tensor3("x")
    n = wt.lscalar("n")
    outputs = [wt.sum(x.mT.reshape((n, x.shape[2], x.shape[1])) * 2, axis=2), x.mT.reshape((-1,))]
    fast, slow = (function([x, n], outputs, mode=mode) for mode in ("numba", "py"))
    value = np.arange(24.0).reshape(2, 3, 4)
    for v in (value, value.transpose(0, 2, 1), value.T, value[:, :1], value[:, ::2], value[:0]):
        for found, right in zip(fast(v, len(v)), slow(v, len(v)), strict=True):
            np.testing.assert_array_equal(found, right)
    with pytest.raises(ValueError, match="reshape"):
        fast(value, 3)


def test_square_matrices_have_no_code_for_few_columns() -> None:
    """They are few numbers then: nothing is gained, and the code is four times as long."""
    x = wt.matrix("x")
    y = wt.linalg.inv(x)
    squares = function([x], y * y.T + y, mode="numba")
    assert "_short(" not in llvm_code(squares)
    for n in range(6):
        value = np.eye(n) * 2 + np.arange(n)
        inverse = np.linalg.inv(value)
        np.testing.assert_allclose(squares(value), inverse * inverse.T + inverse, atol=1e-12)
    t = wt.tensor3("t")
    assert "_short(" in llvm_code(function([t], wt.linalg.inv(t).mT * t, mode="numba"))
