"""How many kernels a graph takes, and that what they compute is what Python computes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft_tensor as wt
from weft_graph import FunctionGraph, Mode, function, grad
from weft_graph.extend import Barrier
from weft_numba import NumbaLinker, llvm_code
from weft_numba.analysis.specialise import narrowed
from weft_numba.fusion.grouping import Fused, fuse
from weft_numba.llvm.loop_order import ordered


def kernels(inputs: list[Any], outputs: list[Any]) -> tuple[int, int]:
    """The number of kernels over arrays, and that of calls of other functions."""
    usual = narrowed(FunctionGraph(inputs, outputs), assume=True)
    steps = fuse(usual.graph, assume=True)
    loops = [s for s in steps if isinstance(s, Fused) and s.kernel.ndim]
    calls = [s for s in steps if not isinstance(s, Fused) and not isinstance(s.op, wt.Length)]
    return len(loops), len(calls)


def assert_same(inputs: list[Any], outputs: list[Any], *values: Any) -> None:
    """Numba and Python agree."""
    found = function(inputs, outputs, mode="numba")(*values)
    expected = function(inputs, outputs, mode="py")(*values)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)
        assert (a.dtype, a.shape) == (b.dtype, b.shape)


def normal(x: Any, mean: Any, scale: Any) -> Any:
    return wt.sum(-0.5 * wt.square((x - mean) / scale) - wt.log(scale) - 0.9189385)


def test_a_pass_waits_for_the_next_over_its_space() -> None:
    """What a check holds up is computed together with what could come before it."""
    x, s = wt.vector("x"), wt.scalar("s")
    checked = wt.check_and_raise(s, s > 0, ValueError, "s must be positive")
    within = wt.where(wt.abs(x) < 3, 1.0, 0.0)
    outputs = [(within * x / checked).sum() * within.sum(), x + 1]
    assert kernels([x, s], outputs) == (1, 1)
    assert_same([x, s], outputs, np.linspace(-4, 4, 7), 0.5)
    apart = [wt.exp(x), wt.exp(x - wt.exp(x).sum())]
    assert kernels([x], apart)[0] == 2


def radon() -> tuple[list[Any], list[Any], list[Any]]:
    """A model with an intercept and a slope per county: inputs, outputs and values."""
    county, floor, y = wt.lvector("county"), wt.vector("floor"), wt.vector("y")
    a, b = wt.vector("a"), wt.vector("b")
    scalars = [wt.scalar(name) for name in ("mean_a", "mean_b", "log_a", "log_b", "log_y")]
    mean_a, mean_b, log_a, log_b, log_y = scalars
    intercept = mean_a + wt.exp(log_a) * a
    slope = mean_b + wt.exp(log_b) * b
    density = normal(y, intercept[county] + slope[county] * floor, wt.exp(log_y))
    density = density + normal(a, 0.0, 1.0) + normal(b, 0.0, 1.0)
    unknown = [a, b, *scalars]
    rng = np.random.default_rng(0)
    values = [rng.integers(0, 5, 30), rng.normal(size=30), rng.normal(size=30)]
    values += [rng.normal(size=5), rng.normal(size=5), *rng.normal(size=5)]
    return [county, floor, y, *unknown], [density, *grad(density, unknown)], values


def test_softmax_takes_three_kernels() -> None:
    x = wt.matrix("x")
    e = wt.exp(x - wt.max(x, axis=1, keepdims=True))
    assert kernels([x], [e / wt.sum(e, axis=1, keepdims=True)]) == (3, 0)


def test_log_density_and_gradient_take_one_kernel() -> None:
    x, mean, scale = wt.vector("x"), wt.scalar("mean"), wt.scalar("scale")
    y = normal(x, mean, scale)
    assert kernels([x, mean, scale], [y, *grad(y, [x, mean, scale])]) == (1, 0)


def test_lookups_and_updates_are_part_of_kernels() -> None:
    inputs, outputs, values = radon()
    loops, calls = kernels(inputs, outputs)
    assert loops <= 6
    assert calls == 0
    assert_same(inputs, outputs, *values)


def test_sums_over_stretched_axes_vanish_from_the_usual_call() -> None:
    x, y = wt.vector("x"), wt.vector("y")
    total = wt.sum(wt.exp(x) * y)
    assert kernels([x, y], [total, *grad(total, [x, y])]) == (1, 0)
    f = function([x, y], [total, *grad(total, [x, y])], mode="numba")
    for n, m in ((3, 3), (1, 3), (3, 1), (0, 1), (1, 1)):
        assert_same([x, y], [total, *grad(total, [x, y])], np.ones(n), np.arange(1.0 * m))
        assert [r.shape for r in f(np.ones(n), np.ones(m))] == [(), (n,), (m,)]


@pytest.mark.cases(0)
def test_long_chains_are_few_calls_with_few_arguments() -> None:
    x = wt.vector("x")
    y = x
    for _ in range(300):
        y = wt.tanh(y * 1.01 + 0.5)
    outputs = [wt.sum(y), grad(wt.sum(y), x)]
    steps = fuse(narrowed(FunctionGraph([x], outputs), assume=True).graph, assume=True)
    assert len(steps) < 30
    assert max(len(s.inputs) + len(s.outputs) for s in steps if isinstance(s, Fused)) < 10
    assert_same([x], outputs, np.array([-1.0, 0.0, 0.5]))


def test_one_function_with_a_loop_leaves_a_long_model_its_vectors() -> None:
    """What is in a kernel with it is computed number by number: not all that there is."""
    x = wt.vector("x")
    total = sum([wt.exp(-(1 + k) * wt.square(x - k)) / (1 + wt.tanh(k * x)) for k in range(40)])
    graph = FunctionGraph([x], [total + wt.special.betainc(2.5, 3.5, wt.sigmoid(x))])
    kernels = [step.kernel for step in fuse(graph) if isinstance(step, Fused)]
    assert max(len(kernel.statements) for kernel in kernels) < 200


def test_values_of_several_dtypes_pass_from_kernel_to_kernel() -> None:
    x = wt.matrix("x")
    parts = [wt.exp(x * k) for k in range(1, 6)]
    single = [wt.sin(x + k).astype("float32") for k in range(5)]
    flags = [wt.exp(x) > k for k in range(5)]
    total = sum((wt.sum(p) for p in (*parts, *single)), wt.sum(x))
    outputs = [sum(parts) * total, sum(single) + total, sum(wt.where(f, x, total) for f in flags)]
    assert_same([x], outputs, np.linspace(-1, 1, 6).reshape(2, 3))
    assert_same([x], outputs, np.linspace(-1, 1, 6).reshape(2, 3).T)
    assert_same([x], outputs, np.zeros((0, 3)))


def test_lengths_that_do_not_fit_are_refused() -> None:
    x, y = wt.vector("x"), wt.vector("y")
    with pytest.raises(ValueError, match="broadcast"):
        function([x, y], x + y, mode="numba")(np.ones(2), np.ones(3))


def test_a_value_read_elsewhere_is_not_read_before_it_is_there() -> None:
    x = wt.matrix("x", shape=("n", "n"))
    e = wt.exp(x)
    assert_same([x], [e + e.T, wt.sum(e * e.T, axis=0)], np.arange(9.0).reshape(3, 3) / 9)
    i = wt.lvector("i", shape=("n",))
    once = i + 1
    assert_same([i], [once[i] * once], np.array([2, 0, 1]))


def test_ranges_and_diagonals_need_no_memory() -> None:
    n = wt.lscalar("n")
    assert kernels([n], [wt.sum(wt.arange(n) * 0.5)]) == (1, 0)
    assert kernels([n], [wt.eye(n) * 2.0 + wt.ones((n, n))]) == (1, 0)
    assert_same([n], [wt.sum(wt.arange(n) * 0.5), wt.eye(n, n + 1, 1) * 2.0], np.int64(4))


def test_columns_are_read_along_rows_without_strides() -> None:
    column = wt.matrix("column", shape=(None, 1))
    outputs = [(column * column.T).sum(), column - column.T]
    assert "getelementptr inbounds double, ptr %p1" in llvm_code(
        function([column], outputs, mode="numba")
    )
    numbers = np.random.default_rng(0).normal(size=(30, 3))
    for values in (numbers[:, :1], numbers[:, :1].copy(), numbers[:1, :1], numbers[:0, :1]):
        assert_same([column], outputs, values)


def test_negative_lengths_are_refused() -> None:
    n = wt.lscalar("n")
    with pytest.raises(ValueError, match="negative"):
        function([n], wt.zeros(n), mode="numba")(-1)


@pytest.mark.parametrize("bad", [3, -4])
@pytest.mark.parametrize("n", [0, 3])
def test_indices_out_of_bounds_are_refused(bad: int, n: int) -> None:
    x, i = wt.vector("x"), wt.lvector("i")
    for y in (x[i] * 2.0, x[i].inc(1.0), x[i].set(wt.exp(wt.sum(x)))):
        with pytest.raises(IndexError):
            function([x, i], y, mode="numba")(np.ones(n), np.array([0, bad]))


def test_updates_leave_inputs_alone() -> None:
    x, i, v = wt.vector("x"), wt.lvector("i"), wt.vector("v")
    values = np.zeros(4), np.array([1, -1, 1]), np.array([1.0, 2.0, 4.0])
    assert_same([x, i, v], [x[i].inc(v), x[i].set(v), x[i].inc(1.0)], *values)
    assert not values[0].any()


def test_barriers_and_prints_keep_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    x = wt.vector("x")
    first = wt.exp(x)
    again = wt.exp(Barrier()(x, wt.sum(first)))
    assert kernels([x], [wt.sum(first), wt.sum(again)])[0] == 2
    assert_same([x], [wt.sum(first) + wt.sum(again)], np.arange(3.0))


LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "as it is": lambda x: x,
    "reversed": lambda x: x[::-1],
    "every other": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "columns first": np.asfortranarray,
    "read-only": lambda x: _read_only(x),
    "misaligned": lambda x: _misaligned(x),
}


def _read_only(x: np.ndarray) -> np.ndarray:
    x = x.copy()
    x.flags.writeable = False
    return x


def _misaligned(x: np.ndarray) -> np.ndarray:
    memory = np.zeros(x.nbytes + 1, "u1")[1:]
    made = memory.view(x.dtype).reshape(x.shape)
    made[...] = x
    return made


@pytest.mark.cases(3)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_of_inputs(layout: str) -> None:
    x, i = wt.matrix("x"), wt.lvector("i")
    outputs = [wt.exp(x) + 1, wt.sum(x * 2, axis=0), wt.max(x, axis=1), x[i] * 2, x[i].inc(x[i])]
    values = np.arange(12.0).reshape(3, 4) / 7, np.array([2, 0, 2])
    assert_same([x, i], outputs, *map(LAYOUTS[layout], values))


REDUCED: list[tuple[str, str]] = [
    *(("float64", name) for name in ("sum", "prod", "max", "min", "mean", "any")),
    ("float32", "max"),
    ("float32", "sum"),
    ("int64", "sum"),
    ("int8", "min"),
    ("bool", "all"),
    ("complex128", "sum"),
]
SHAPES = [(4, 1), (1, 4), (1, 1), (5, 3), (70, 70), (0, 1), (1, 0), (3, 1, 1), (2, 3, 4), (2, 3, 1)]


@pytest.mark.cases(1)
@pytest.mark.parametrize(("dtype", "name"), REDUCED)
@pytest.mark.parametrize("ndim", [2, 3])
def test_reductions_of_columns_and_transposes(dtype: str, name: str, ndim: int) -> None:
    """Loops in any order, with or without the innermost one, find what NumPy finds."""
    x = wt.tensor("x", dtype, (None,) * ndim)
    axes = [a for k in range(1, ndim + 1) for a in combinations(range(ndim), k)]
    orders = list(permutations(range(ndim)))
    outputs = [getattr(wt, name)(x.transpose(o), axis=a) for o in orders for a in axes]
    outputs += [x - getattr(wt, name)(x, axis=0) if dtype[0] == "f" else x]
    rng = np.random.default_rng(0)
    functions = [
        function([x], outputs, mode=Mode(NumbaLinker(parallel=parallel)))
        for parallel in (False, True)
    ]
    for shape in SHAPES:
        values: Any = rng.normal(size=shape) * 3
        if dtype.startswith("float"):
            values[rng.random(shape) < 0.05] = rng.choice([np.nan, np.inf, -np.inf])
        values = values.astype(dtype)
        if len(shape) != ndim or (name in ("max", "min") and not values.size):
            continue
        with np.errstate(all="ignore"):
            expected = function([x], outputs, mode="py")(values)
        for f in functions:
            for one, other in zip(f(values), expected, strict=True):
                rtol = 1e-4 if dtype == "float32" else 1e-9
                np.testing.assert_allclose(one, other, rtol=rtol, atol=1e-9, strict=True)


def test_loops_go_along_memory() -> None:
    x, y = wt.matrix("x"), wt.matrix("y")
    i = wt.lvector("i")

    def innermost(output: Any, *inputs: Any) -> list[int | None]:
        """The own axes of operands along which the innermost loop of the first kernel goes."""
        step = next(s for s in fuse(FunctionGraph(list(inputs), [output])) if isinstance(s, Fused))
        return [o.view[-1] for o in ordered(step.kernel, "C" * len(inputs)).operands]

    assert innermost(wt.sum(x.T, axis=0), x) == [1]
    assert innermost(wt.sum(x.T, axis=1), x) == [1]
    assert innermost(wt.sum(wt.exp(x.T)), x) == [1]
    assert innermost(x.T + 1, x) == [0]  # the result is written in order
    assert innermost(x.T + y.T, x, y) == [1, 1]
    assert innermost(x + y.T, x, y) == [1, 0]
    assert innermost(wt.cumsum(x.T, 0), x) == [0]
    assert innermost(wt.zeros(3)[i].set(x.T[0] * 1.0), i, x)[0] == 0


def test_what_an_update_begins_with_is_there_before_it() -> None:
    x, y, i = wt.vector("x"), wt.vector("y"), wt.vector("i", "int64")
    cost = wt.cumsum(x * y)[-1] ** 2
    for n in (1, 3):  # of one element, the other call is not the usual one
        assert_same([x, y], grad(cost, [x, y]), np.arange(1.0, n + 1), np.ones(3))
    zeros = wt.broadcast_to(wt.cast(wt.constant(0), "float64"), y.shape)
    updated = zeros[0].inc(y[0])
    unrewritten = function([y, i], [updated, updated[i], updated.shape[0]], mode=Mode("numba", []))
    assert [r.tolist() for r in unrewritten([2.0, 3.0], [1, 0])] == [[2.0, 0.0], [0.0, 2.0], 2]


def _grown(draw: Any, nodes: list[Any]) -> Any:
    """One more node over some that are there."""
    x = draw(st.sampled_from(nodes))
    y = draw(st.sampled_from(nodes))
    kind = draw(
        st.sampled_from(["add", "mul", "tanh", "sum", "row", "column", "max", "take", "put"])
    )
    i = wt.arange(x.shape[0])[::-1] if x.ndim else 0
    if kind in ("take", "put") and x.ndim:
        return x[i] if kind == "take" else x[i].inc(wt.sum(y))
    if kind == "row" and x.ndim == 2:
        return wt.sum(x, axis=0)
    if kind == "column" and x.ndim == 2:
        return wt.sum(x, axis=1, keepdims=True)
    if kind == "max" and x.ndim:
        return wt.sum(x, axis=-1)
    simple: dict[str, Callable[[], Any]] = {
        "add": lambda: x + y,
        "mul": lambda: x * y,
        "sum": lambda: wt.sum(x),
    }
    return simple.get(kind, lambda: wt.tanh(x))()


@pytest.mark.cases(0)
@settings(max_examples=25, deadline=None)
@given(st.data())
def test_random_graphs(data: st.DataObject) -> None:
    inputs = [wt.matrix("a"), wt.matrix("b"), wt.vector("c"), wt.scalar("d")]
    nodes: list[Any] = list(inputs)
    for _ in range(data.draw(st.integers(1, 8))):
        nodes.append(_grown(data.draw, nodes))
    outputs = nodes[-3:]
    n, m = data.draw(st.sampled_from([(2, 2), (0, 2), (1, 2), (2, 1)]))
    k = data.draw(st.sampled_from([1, n]))
    shapes = [(n, m), (k, m), (m,), ()]
    values = [np.cos(np.arange(1.0 * np.prod(s))).reshape(s) for s in shapes]
    try:
        function(inputs, outputs, mode="py")(*values)
    except ValueError:
        with pytest.raises(ValueError, match=r"\w"):
            function(inputs, outputs, mode="numba")(*values)
        return
    assert_same(inputs, outputs, *values)


def test_a_number_that_fills_is_not_taken_for_a_length() -> None:
    x = wt.dmatrix("x")
    for value in (np.nan, 0.5):
        f = function([x], wt.concatenate([x, wt.full((1, x.shape[1]), value)]), mode="numba")
        np.testing.assert_array_equal(f(np.ones((1, 2))), [[1.0, 1.0], [value, value]])


def test_what_a_mask_chooses_is_stored_before_it_is_added_up() -> None:
    mask, x = wt.vector("mask", "bool"), wt.vector("x")
    values = np.array([True, False, True]), np.array([1.0, 2.0, 4.0])
    chosen, compared = wt.where(mask, x, 0.5), wt.where(x > 1, x, 0.5)
    for output, loops, expected in (
        (wt.cumsum(chosen), 2, [1.0, 1.5, 5.5]),
        (wt.cumprod(2 * chosen), 2, [2.0, 2.0, 16.0]),
        (wt.cummax(chosen), 2, [1.0, 1.0, 4.0]),
        (wt.cumsum(compared), 1, [0.5, 2.5, 6.5]),
    ):
        inputs, own = ([x], values[1:]) if loops == 1 else ([mask, x], values)
        assert kernels(inputs, [output]) == (loops, 0)
        assert function(inputs, output, mode="numba")(*own).tolist() == expected


def test_the_largest_so_far_of_equal_integers() -> None:
    k = wt.vector("k", "int64")
    f = function([k], [wt.cummax(k), wt.cummin(k), wt.maximum(k, 3)], mode="numba")
    most, least, limited = f([2, 2, -1, 5, 5])
    assert most.tolist() == [2, 2, 2, 5, 5]
    assert least.tolist() == [2, 2, -1, -1, -1]
    assert limited.tolist() == [3, 3, 3, 5, 5]
