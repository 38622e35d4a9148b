"""Slices, alone and with index arrays, read and written: loop nests that give what Python gives."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, function, grad
from weft_numba import llvm_code
from weft_numba.analysis.specialise import narrowed
from weft_numba.fusion.grouping import Fused, fuse
from weft_numba.ir.axis_sizes import AxisEqualities
from weft_numba.llvm.loop_nest import lower

x, X = wt.vector("x"), wt.matrix("X")
a, b, s = wt.lscalar("a"), wt.lscalar("b"), wt.lscalar("s")
i, v = wt.lvector("i"), wt.vector("v")

SLICES = [
    *(slice(1, None), slice(None, -1), slice(2, 5), slice(-3, -1), slice(None, None, 2)),
    *(slice(None, None, -1), slice(5, 1, -2), slice(-2, None, -1), slice(20, None, -3)),
]


def assert_same(inputs: list[Any], outputs: list[Any], *calls: tuple[Any, ...]) -> None:
    """Numba and Python agree."""
    found, expected = (function(inputs, outputs, mode=mode) for mode in ("numba", "py"))
    for values in calls:
        for one, other in zip(found(*values), expected(*values), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)
            assert (one.shape, one.dtype) == (other.shape, other.dtype)


def steps(inputs: list[Any], outputs: list[Any]) -> tuple[int, int]:
    """The number of kernels over arrays, and that of calls of anything but views and lengths."""
    graph = narrowed(FunctionGraph(inputs, outputs), assume=True).graph
    done = fuse(graph, assume=True)
    kernels = [step for step in done if isinstance(step, Fused) and step.kernel.ndim]
    others = [
        step
        for step in done
        if not isinstance(step, Fused) and not isinstance(step.op, (wt.Length, wt.Index))
    ]
    return len(kernels), len(others)


def test_kernels_read_rows_of_a_stack_where_they_lie() -> None:
    rows = wt.matrix("rows", shape=(40, None))
    terms = [wt.exp(rows[k - 1]) * rows[k] for k in range(40)]
    total: Any = sum(terms)
    late = wt.cumsum(rows[3]) + rows[3]
    assert all(isinstance(step, Fused) for step in fuse(FunctionGraph([rows], [total])))
    others = [rows[2, :, None] * rows[2], rows[0, None] + 1.0, wt.sort(rows[4]) * rows[4]]
    outputs = [total, late, rows - rows[2], rows[-1], *others]
    given = np.linspace(-1.0, 1.0, 200).reshape(40, 5)
    assert_same([rows], outputs, (given,), (np.asfortranarray(given),), (given[:, :0],))


@pytest.mark.cases(3)
@pytest.mark.parametrize("part", SLICES, ids=str)
def test_slices_of_numbers(part: slice) -> None:
    cut = x[part]
    outputs = [cut.set(2.0), cut.inc(cut * 2), wt.sum(cut**2), grad(wt.sum(cut**2), x)]
    assert_same([x], outputs, *((np.arange(1.0, n),) for n in (8, 1, 2, 4)))


def test_slices_of_variables() -> None:
    outputs = [x[a:b].inc(1.0), x[a:b:s].set(x[a:b:s] + 1), grad(wt.sum(wt.exp(x[a:b:s])), x)]
    ends = product((-9, -3, 0, 2, 9), (-9, -2, 0, 3, 9), (-2, 1, 3))
    assert_same([x, a, b, s], outputs, *((np.arange(7.0), *given) for given in ends))
    with pytest.raises(ValueError, match="zero"):
        function([x, a, b, s], outputs, mode="numba")(np.ones(3), 0, 1, 0)


@pytest.mark.cases(0)
def test_slices_beside_index_arrays() -> None:
    reads = [X[:, i], X[i, 1:], X[a, i], X[i, a:], X[a, b], X[i, None, 1:], X[::-1, None, i]]
    updates = [
        *(X[1:, i].inc(1.0), X[a:b, ::2].inc(X[a:b, ::2]), X[0].set(1.0), X[:, a].inc(v)),
        *(X[i, a:].set(3.0), X[i[:, None], i].inc(1.0), X[::-1, None, 1:3].set(0.0)),
    ]
    given = (np.arange(20.0).reshape(4, 5), np.array([1, 0, -1]), 1, 3, np.arange(4.0))
    assert_same([X, i, a, b, v], [*reads, *updates], given)


def test_updates_of_slices_are_loop_nests() -> None:
    assert steps([x], [x[1:].inc(wt.exp(x[1:]))]) == (1, 0)
    assert steps([X, i, a], [X[i, a:].set(2.0), X[:, i] * 2.0]) == (2, 0)
    loss = wt.sum((x[1:] - x[:-1]) ** 2)
    assert steps([x], [loss, grad(loss, x)]) == (2, 0)


def test_updates_of_one_tensor_are_one_pass() -> None:
    loss = wt.sum((x[2:] - 2 * x[1:-1] + x[:-2]) ** 2)
    assert steps([x], [loss, grad(loss, x)]) == (2, 0)
    two = x[1:].inc(x[1:] * 2)[:-1].inc(x[:-1] * 3)
    assert steps([x], [two]) == (1, 0)
    assert_same([x], [grad(loss, x), two], (np.arange(9.0) ** 2,), (np.ones(2),))
    one = X.zeros_like()[i].inc(X[i])
    other = X.zeros_like()[i[::-1]].inc(X[i] * 2)
    given = (np.arange(20.0).reshape(4, 5), np.array([1, 0, -1, 1]))
    assert_same([X, i], [one + other, (one + other) * one], given)
    with pytest.raises(IndexError):
        function([X, i], one + other, mode="numba")(given[0], [1, 4])


def test_many_updates_of_one_tensor() -> None:
    found = x
    for k in range(40):
        found = found[1:].inc(x[1:] * k) if k % 3 else found[:-1].inc(x[:-1])
    assert steps([x], [found]) == (3, 0)
    assert_same([x], [found, found[1:].set(0.0)[1:].inc(1.0)], (np.arange(9.0),))


def test_values_of_an_update_may_depend_on_those_before() -> None:
    one = x[1:].inc(1.0)
    two = one[1:].inc(one[1:] * 2)
    outputs = [two, one[:-1].inc(two[1:])]
    assert_same([x], outputs, (np.arange(9.0),))
    assert_same([x], [x[1:].inc(1.0)[:-1].set(x[1:])[1:].inc(2.0)], (np.arange(9.0),))


def test_values_that_do_not_fit_are_refused() -> None:
    f = function([x, v], x[1:4].set(v), mode="numba")
    assert f(np.zeros(5), np.ones(1)).tolist() == [0.0, 1.0, 1.0, 1.0, 0.0]
    with pytest.raises(ValueError, match=r"\w"):
        f(np.zeros(5), np.ones(2))


def test_rows_are_read_as_vectors() -> None:
    reads = [wt.exp(X[i]), X[i, 1:] * 2, X[i[i]] + X[i], wt.sum(X[i] * X[:, :3][i, 0][:, None], 1)]
    rng = np.random.default_rng(0)
    given = [rng.normal(size=shape) for shape in ((5, 9), (5, 3), (5, 1))]
    assert_same([X, i], reads, *((values, np.array([4, 0, -1, -5, 2])) for values in given))
    code = llvm_code(function([X, i], wt.exp(X[i]), mode="numba"))
    assert re.search(r"getelementptr inbounds double, ptr %v\d+, i64 %i_1", code)


def test_rows_out_of_bounds_are_refused() -> None:
    f = function([X, i], wt.exp(X[i]), mode="numba")
    assert f(np.ones((0, 3)), []).shape == (0, 3)
    assert f(np.ones((2, 0)), [1, 0, 1]).shape == (3, 0)
    for rows, index in ((3, 3), (3, -4), (0, 0), (3, 2**40)):
        with pytest.raises(IndexError):
            f(np.ones((rows, 4)), [0, index] if rows else [index])


def test_windows_of_unknown_lengths_are_one_pass() -> None:
    n = x.shape[0]
    windows = [x[k : n - 3 + k] for k in range(4)]
    total = wt.exp(windows[0]) + windows[1] * windows[2] + windows[3]
    slope = grad(wt.sum(total), x)
    assert steps([x], [total]) == (1, 0)
    graph = FunctionGraph([x], [total, slope])
    assert narrowed(graph, assume=True).conditions == ("{0}.shape[0] >= 3",)
    assert_same([x], [total, slope], *((np.arange(1.0, m),) for m in (9, 5, 4)))
    rows = X[1 : X.shape[0] - 1, : X.shape[1] - 2] + X[: X.shape[0] - 2, 2:]
    assert steps([X], [rows]) == (1, 0)
    assert_same([X], [rows], (np.ones((5, 4)),), (np.ones((2, 2)),), (np.ones((2, 9)),))


def test_windows_longer_than_the_array_count_from_the_end() -> None:
    n = x.shape[0]
    one, other = x[: n - 4], x[1 : n - 3]
    updated = x[: n - 4].inc(x[: n - 4] * 2)
    part = x[1:]
    inner = part[1:] * part[: part.shape[0] - 1]
    calls = [(np.arange(1.0, m + 1),) for m in (9, 4, 3, 2, 1, 0)]
    assert_same([x], [wt.sum(one), wt.sum(other), updated, wt.exp(one)], *calls)
    assert_same([x], [inner], *calls[:4])
    f = function([x], one + other, mode="numba")
    assert f(np.arange(5.0)).tolist() == [1.0]
    for m in (2, 4):
        assert f(np.arange(float(m))).shape == (0,)
    with pytest.raises(ValueError, match=r"\w"):
        f(np.ones(3))  # lengths 2 and 0: stops of -1 and 0


def test_halves_are_known_to_be_as_long() -> None:
    """Whatever their lengths are computed from; x[: n // 2 + 1] where x is not empty."""
    halves = [wt.fft.rfft(wt.cos(x)), wt.fft.rfft(2 * x), x[: x.shape[0] // 2 + 1]]
    for assume in (False, True):
        spaces = AxisEqualities([x], assume=assume)
        one, other, cut = ([*map(spaces.of, FunctionGraph([x], [h]).order)][-1] for h in halves)
        assert one == other
        assert (one == cut) is assume
        assert spaces.least == ({(x, 0): 2} if assume else {})
    together = halves[0].real * halves[1].real * halves[2]
    assert_same([x], [together], *((np.arange(1.0, k),) for k in (2, 3, 4, 9)))


def test_parts_are_known_to_be_as_long_as_the_whole() -> None:
    """Of a matrix of any shape: the first min(m, n) rows and what is left."""
    m, n = X.shape
    k = wt.minimum(m, n)
    first = X[:k]
    whole = wt.concatenate([first, wt.zeros((m - k, n))])
    spaces = AxisEqualities([X])
    found = {v: spaces.of(v) for v in FunctionGraph([X], [whole]).order}
    assert found[whole] == found[X]
    assert found[first][0] == spaces.size(k)
    for begin, rest in ((x[:2] < 0, x[2:] > x[:-2]), (x[-2:] < 0, x[2:] > x[:-2])):
        joined = wt.concatenate([begin, rest]) * wt.arange(x.shape[0])
        assert steps([x], [joined]) == (3, 1)
        assert_same([x], [joined], *((np.arange(float(k)) // 2,) for k in (0, 1, 2, 3, 9)))


def test_computed_lengths_stay_known_when_others_turn_out_equal() -> None:
    y = wt.vector("y")
    longer = y.shape[0] + y.shape[0]
    ones = wt.broadcast_to(wt.constant(1.0), (longer,))
    spaces = AxisEqualities([x, y], assume=True)
    for v in FunctionGraph(outputs=[ones, x + y]).order:
        spaces.of(v)
    assert spaces.of(ones) == (spaces.size(longer),)
    assert spaces.of(ones[y.shape[0] :]) == (spaces.size(ones[y.shape[0] :].shape[0]),)


def test_sums_of_computed_lengths_stay_what_they_are() -> None:
    """The length of what broadcasts stands for itself, where lengths are made of it."""
    halves = x[1:] + x[:-1] * 0.5
    twice = wt.roll(wt.tile(halves, 2), -1)
    spaces = AxisEqualities([x])
    order: Any = FunctionGraph([x], [twice]).order
    found = [spaces.of(v) for v in order if v.ndim][-1]
    assert tuple(map(spaces.key, found)) == found
    assert_same([x], [twice, wt.repeat(twice, 2)], *((np.arange(float(k)),) for k in (1, 2, 5)))


APART: dict[str, Any] = {
    "sum": lambda X: wt.sum(X),
    "sum along 1": lambda X: wt.sum(X * X, axis=1),
    "max along 0": lambda X: wt.max(X, axis=0),
    "any": lambda X: wt.any(X > 1, axis=1),
    "all": lambda X: wt.all(X > -3),
    "product of neighbours": lambda X: wt.sum(X[:, 1:] * X[:, :-1], axis=1),
    "exp": lambda X: wt.exp(X),
    "sum of tanh": lambda X: wt.sum(wt.tanh(X), axis=1),
    "quotient": lambda X: 1 / X + wt.sqrt(abs(X)),
    "sums so far": lambda X: wt.cumsum(X, axis=1),
    "all at once": lambda X: [wt.sum(X), wt.sum(X, axis=0), X * 2.0],
}


@pytest.mark.cases(0)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int8"])
@pytest.mark.parametrize("step", [-3, -1, 2, 3])
def test_what_lies_apart_is_what_lies_together(dtype: str, step: int) -> None:
    X = wt.tensor("X", dtype, (None, None))
    apart = X[:, ::step]
    whole = [compute(apart) for compute in APART.values()]
    f, of_copy = function([X], whole, mode="numba"), function([apart], whole, mode="numba")
    rng = np.random.default_rng(0)
    for shape in ((3, 1), (1, 7), (4, 40), (2, 131)):
        x = rng.normal(size=shape).astype(dtype) + (dtype == "int8")
        for found, of in zip(*map(leaves, (f(x), of_copy(x[:, ::step].copy()))), strict=True):
            rtol = 1e-5 if found.dtype == "float32" else 1e-12
            np.testing.assert_allclose(found, of, rtol=rtol, atol=rtol)


def leaves(results: Any) -> list[Any]:
    return [part for r in results for part in (r if isinstance(r, list) else [r])]


def test_diagonals_beside_the_main_one_of_what_has_a_named_length() -> None:
    p, q = (wt.vector(name, shape=("n",)) for name in "pq")
    outputs = [wt.diagonal(wt.outer(p, q), k) for k in (1, -2)]
    assert_same([p, q], outputs, *((np.arange(1.0 * n), np.ones(n)) for n in (5, 1)))


def test_the_lesser_of_equal_lengths_is_their_length() -> None:
    lesser = wt.minimum(*X.shape)
    outputs = [X[:lesser, :lesser] * 2, abs(X - X.T), wt.ones((lesser,)) * X]
    spaces = AxisEqualities([X], assume=True)
    keys = {v: spaces.of(v) for v in FunctionGraph([X], outputs).order}
    assert {*map(spaces.key, keys[outputs[-1]])} == {spaces.size(lesser)} == {(X, 0)}
    fast, slow = (function([X], outputs, mode=mode) for mode in ("numba", "py"))
    for found, right in zip(fast(np.eye(3)), slow(np.eye(3)), strict=True):
        np.testing.assert_array_equal(found, right)
    with pytest.raises(ValueError, match="broadcast"):
        fast(np.ones((3, 4)))
    assert fast(np.ones((1, 4)))[2].shape == (1, 4)


@pytest.mark.parametrize("mode", ["reflect", "constant", "edge", "wrap"])
def test_windows_of_what_is_padded_are_as_long_as_what_was(mode: str) -> None:
    """So are those of what is made of them, and one loop computes all."""
    n, k = X.shape
    padded = wt.pad(wt.pad(X, 2, mode=mode)[1 : n + 3, 1:-1], 1, mode=mode)
    windows = [padded[i : i + n, j : j + k] for i, j in product((0, 3), (1, 4))]
    windows = [*windows, padded[2:-2, 3:-1], padded[9:, 9:][:, :3]]
    result = wt.stack([wt.sum(w * wt.exp(X)) for w in windows[:-1]])
    spaces = AxisEqualities([X], assume=True)
    for v in FunctionGraph([X], windows).order:
        if isinstance(v.type, wt.TensorType):
            spaces.of(v)
    assert {spaces.of(w) for w in windows[:-1]} == {spaces.of(X)}
    given = np.linspace(-1.0, 1.0, 30).reshape(5, 6)
    calls = [(given,), (given[:1, :2],), (given[:, ::3],)]
    assert_same([X], [result, windows[-1], grad(result[1], X)], *calls)


def test_what_is_longer_by_a_number_that_may_be_negative() -> None:
    windows = [wt.ones(a + 4)[i : i + a] for i in (0, 3)]
    assert_same([a], [*windows, wt.ones(a + 4)[4:]], (3,), (0,), (-2,))


def test_blocks_that_are_cut_out_again_are_as_long_as_they_were() -> None:
    Y = wt.matrix("Y")
    (n, k), m = X.shape, Y.shape[1]
    whole = wt.exp(wt.concatenate([wt.concatenate([X, Y], 1), wt.ones((2, k + m))], 0))
    parts = [whole[:n, :k], whole[:n, k:], whole[n:, k : k + m], whole[: n + 1, m : m + k]]
    outputs = [parts[0] * X, parts[1] + Y, parts[2], parts[3], *grad(wt.sum(whole), [X, Y])]
    spaces = AxisEqualities([X, Y])
    for node in FunctionGraph([X, Y], outputs).order:
        spaces.of(node)
    assert [spaces.of(part) for part in parts[:3]] == [
        ((X, 0), (X, 1)),
        ((X, 0), (Y, 1)),
        (2, (Y, 1)),
    ]
    given = np.linspace(-1.0, 1.0, 12).reshape(3, 4)
    assert_same([X, Y], outputs, (given, given[:, :2]), (given[:0], given[:0, :1]))
    with pytest.raises(ValueError, match=r"dimension|broadcast"):
        function([X, Y], outputs, mode="numba")(given, given[:2])


def test_rows_of_slices_are_known_to_lie_contiguous() -> None:
    """Their nests have one version, but for single columns, where others ask what lies how."""
    (step,) = fuse(FunctionGraph([X], [wt.exp(X)]))
    assert isinstance(step, Fused)
    texts = {layout: lower(step.kernel, layout).module for layout in "CRA"}
    assert [texts[layout].count("\nstrided:") for layout in "CRA"] == [0, 1, 2]
    swapped = wt.sort(X).T
    views = [wt.sort(X)[:, 1:], wt.sort(X)[1:, :2], swapped[:, 1:], wt.sort(X)[:, ::2], X[:, 1:][1]]
    moved = wt.fori_loop(0, 3, lambda k, state: (state + 1)[:, ::-1], views[0])
    chosen = wt.ifelse(wt.sum(X) > 0, views[0], wt.sort(X)[:, ::-1][:, 1:])
    looked_up = wt.loop.scan(lambda t, row: (t, wt.sum(row * row[0])), 0.0, views[0])[1]
    outputs = [wt.exp(view) - view for view in views] + [moved, chosen, looked_up]
    outputs += [views[0] @ views[0].T, wt.linalg.svd(views[0])[1], wt.concatenate(views[:2], 1)]
    given = np.linspace(-1.0, 2.0, 16).reshape(4, 4) % 0.7
    calls = [(given,), (-given,), (given[:, :2],)]
    assert_same([X], outputs[:8], *calls)
    assert_same([X], outputs[8:10], *calls[:2])


def test_a_length_that_is_found_equal_to_another_later_is_still_known() -> None:
    square = wt.check_and_raise(X, wt.all(abs(X - X.T) < 1.0), ValueError, "not symmetric")
    p, q = wt.vector("p"), wt.vector("q")
    apart = (p - q) / wt.diagonal(square)
    values = np.arange(3.0), np.ones(3), np.eye(3)
    assert_same([p, q, X], [wt.arange(apart.shape[0]) * apart], values)
