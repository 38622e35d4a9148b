"""What a graph does alike to many sets of numbers is done once, with the same results."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import weft.tensor as wt
from weft_graph import FunctionGraph, Mode, Variable, function
from weft_rewrites.ops.control.siblings import join_siblings
from weft_tensor import IndexUpdate
from weft_tensor.ops.distributions.constraints import CheckValues
from weft_testing import compare_jax_and_py, compare_numba_and_py

COUNT = 40
PLAIN = Mode("py", books=[])
RNG = np.random.default_rng(11)
VALUES = RNG.normal(size=(COUNT, 3))

b, s = wt.dvector("b"), wt.dscalar("s")
W = wt.tensor("W", "float64", (COUNT, 3))
t = wt.tensor("t", "float64", (COUNT,))
B = RNG.uniform(0.5, 1.5, COUNT + 2)
Build = Callable[[int], Any]


def shared_and_own(k: int) -> Any:
    return wt.sum(wt.exp(b[0] + b[1] * VALUES[k] - b[2 + k]) * s)


def rows(k: int) -> Any:
    return wt.sum(wt.tanh(W[k] * s) - wt.log1p(wt.square(W[k, 1])))


def of_other_lengths(k: int) -> Any:
    return wt.sum(wt.sqrt(wt.square(t[k] - VALUES[k, : 1 + k % 3]) + 1.0))


def parts_of_what_is_computed(k: int) -> Any:
    v = wt.exp(W[k] / 10)
    return v[0] * v[1] - wt.log(v[-1] + 2.0) * t[k]


def from_the_end(k: int) -> Any:
    return wt.square(b[-1 - k]) * wt.sin(b[-2 - k] * k) + wt.cos(b[0]) * wt.exp(b[-1 - k])


def chosen(k: int) -> Any:
    return wt.sum(wt.where(VALUES[k] > 0.0, wt.exp(W[k]), W[k] * t[k]) * wt.max(W[k]))


def densities(k: int) -> Any:
    return (
        wt.stats.norm.logpdf(VALUES[k], t[k], wt.exp(s)).sum()
        + wt.stats.lognorm.logpdf(np.abs(VALUES[k]), wt.exp(b[k]), 0.0, wt.exp(t[k])).sum()
    )


INPUTS: list[Any] = [b, s, W, t]
NUMBERS: list[Any] = [B, np.float64(0.7), VALUES * 0.5, RNG.normal(size=COUNT)]
TERMS: list[Build] = [
    *(shared_and_own, rows, of_other_lengths, parts_of_what_is_computed, from_the_end),
    *(chosen, densities),
]


def outputs(build: Build) -> list[Variable]:
    total: Any = sum(build(k) for k in range(COUNT))
    wrt = [x for x in INPUTS if x in FunctionGraph(outputs=[total]).inputs]
    return [total, *wt.grad(total, wrt)]


def agree(results: Any, expected: Any) -> None:
    for result, wanted in zip(results, expected, strict=True):
        assert result.dtype == wanted.dtype
        np.testing.assert_allclose(result, wanted, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("build", TERMS, ids=lambda f: f.__name__)
def test_values_and_slopes_are_those_of_each_alone(build: Build, few: Any) -> None:
    results = outputs(build)
    used = FunctionGraph(outputs=results).inputs
    values = [NUMBERS[INPUTS.index(x)] for x in used]
    graph = FunctionGraph(used, results)
    joined = join_siblings(graph)
    assert len(joined.nodes) < len(graph.nodes) / 3
    expected = function(used, results, mode=PLAIN)(*values)
    agree(function(used, joined.outputs, mode=PLAIN)(*values), expected)
    for compare in few((compare_numba_and_py, compare_jax_and_py), 1):
        agree(compare(used, results, values)[1], expected)


@pytest.mark.cases(0)
def test_the_graph_is_as_small_for_many_as_for_some() -> None:
    def size(n: int) -> int:
        terms = [wt.sum(wt.exp(s * np.arange(3.0) - k) - wt.log(b[k] + k)) for k in range(n)]
        total: Any = sum(terms)
        return len(join_siblings(FunctionGraph([b, s], [total, *wt.grad(total, [b, s])])).nodes)

    assert size(200) - size(50) < 20


def test_additions_to_places_are_one() -> None:
    total: Any = sum(wt.exp(b[k] - k) * k for k in range(99))
    f: Any = function([b], wt.grad(total, b), mode="py")
    assert sum(isinstance(v.op, IndexUpdate) for v in f.graph.nodes) < 5
    x = RNG.normal(size=99)
    np.testing.assert_allclose(f(x), np.exp(x - np.arange(99)) * np.arange(99), rtol=1e-12)


def test_a_place_that_is_not_there_is_still_an_error() -> None:
    f = function([b], sum(wt.exp(b[k] - k) * k for k in range(60)), mode="py")
    with pytest.raises(IndexError):
        f(np.ones(59))


@pytest.mark.parametrize("mode", ["py", "numba"])
def test_a_condition_that_one_breaks_is_still_an_error(mode: str) -> None:
    total: Any = sum(wt.stats.norm.logpdf(1.0 * k, 0.0, t[k]) for k in range(COUNT))
    f = function([t], [total, wt.grad(total, t)], mode=mode)
    sizes = np.ones(COUNT)
    f(sizes)
    sizes[7] = -2.0
    with pytest.raises(ValueError, match=r"scale must be positive.*got -2.0 at index"):
        f(sizes)


def test_results_that_are_wanted_one_by_one() -> None:
    parts = [wt.exp(W[k] * t[k] - s) * wt.sin(W[k]) for k in range(COUNT)]
    f: Any = function([W, t, s], parts, mode="py")
    w, by = VALUES, np.linspace(-1.0, 1.0, COUNT)
    assert len(f.graph.nodes) < 2 * COUNT
    for k, part in enumerate(f(w, by, 0.3)):
        np.testing.assert_allclose(part, np.exp(w[k] * by[k] - 0.3) * np.sin(w[k]), rtol=1e-13)


def test_what_is_stacked_or_concatenated_is_a_batch() -> None:
    parts = [wt.exp(W[k] * k - s) * wt.sin(W[k]) for k in range(COUNT)]
    results = [wt.stack(parts), wt.concatenate(parts), wt.stack(parts, axis=1)]
    graph = FunctionGraph([W, s], results[:2])
    assert len(join_siblings(graph).nodes) < 12
    expected = np.exp(VALUES * np.arange(COUNT)[:, None] - 0.3) * np.sin(VALUES)
    f = function([W, s], results, mode="py")
    wholes = (expected, expected.ravel(), expected.T)
    for result, wanted in zip(f(VALUES, 0.3), wholes, strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-13)


@pytest.mark.parametrize("dtype", ["float32", "int64", "int8", "bool", "complex128"])
def test_other_numbers(dtype: str) -> None:
    x = wt.tensor("x", dtype, (COUNT, 2))
    total: Any = sum((x[k, 0] + x[k]) * np.asarray([k % 3, 1], dtype) for k in range(COUNT))
    graph = FunctionGraph([x], [total])
    joined = join_siblings(graph).outputs[0]
    values = (RNG.normal(size=(COUNT, 2)) * 4).astype(dtype)
    expected = function([x], total, mode=PLAIN)(values)
    result = function([x], joined, mode=PLAIN)(values)
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-5)


def test_inputs_of_one_shape_are_stacked() -> None:
    xs = [wt.tensor(f"x{k}", "float64", (4,)) for k in range(COUNT)]
    total: Any = sum(wt.sum(wt.exp(x) * wt.sin(x) - s) for x in xs)
    results = [total, *wt.grad(total, [*xs, s])]
    values = [RNG.normal(size=4) for _ in xs]
    expected = function([*xs, s], results, mode=PLAIN)(*values, 0.5)
    agree(function([*xs, s], results, mode="py")(*values, 0.5), expected)


def test_what_is_not_alike_stays() -> None:
    ops = [wt.exp, wt.sin, wt.cos, wt.tanh, wt.arctan, wt.expm1]
    x: Any = s
    for k in range(250):
        x = ops[k % 6](x) + 0.1
    graph = FunctionGraph([s], [x])
    assert join_siblings(graph) is graph
    total: Any = sum(wt.exp(t[k]) for k in range(COUNT))
    few = FunctionGraph([t], [total])
    assert join_siblings(few) is few


def test_cases_that_do_not_run_are_not_computed() -> None:
    checked = [wt.stats.norm.logpdf(0.5, 0.0, t[k] * k + 1.0) for k in range(COUNT)]
    f = function([s, t], wt.ifelse(s > 0.0, sum(checked), s), mode="py")
    assert f(-1.0, np.full(COUNT, -5.0)) == -1.0
    with pytest.raises(ValueError, match="scale"):
        f(1.0, np.full(COUNT, -5.0))


def test_additions_to_what_is_not_zero_count_it_each_time() -> None:
    total: Any = sum(t[k].inc(wt.exp(t[k] * k) * wt.sin(t[k])) for k in range(COUNT))
    x = np.linspace(-0.1, 0.1, COUNT)
    expected = COUNT * x + np.exp(x * np.arange(COUNT)) * np.sin(x)
    np.testing.assert_allclose(function([t], total, mode="py")(x), expected, rtol=1e-12)


def test_inputs_that_coincide_for_some_alone() -> None:
    total: Any = sum(
        wt.logaddexp(t[k], t[7 * k % COUNT]) * wt.sin(t[k] + k) * wt.exp(t[k]) for k in range(COUNT)
    )
    joined = join_siblings(FunctionGraph([t], [total])).outputs
    x = RNG.normal(size=COUNT)
    other = x[7 * np.arange(COUNT) % COUNT]
    expected = (np.logaddexp(x, other) * np.sin(x + np.arange(COUNT)) * np.exp(x)).sum()
    np.testing.assert_allclose(function([t], joined, mode=PLAIN)(x), [expected], rtol=1e-12)


def test_conditions_on_more_than_the_value_are_told_of() -> None:
    def checked(k: int) -> Any:
        own = wt.exp(W[k]) * wt.square(t[k])
        check = CheckValues(exc_type=ValueError, msg="too small")
        return check(t[k] * k, wt.gt(own, 0.0)) * wt.sum(own)

    mode = Mode("py", books=[join_siblings])
    f = function([W, t], sum(checked(k) for k in range(COUNT)), mode=mode)
    f(VALUES, np.ones(COUNT))
    with pytest.raises(ValueError, match=r"too small, got 0.0"):
        f(VALUES, np.zeros(COUNT))


@pytest.mark.cases(0)
def test_a_sum_of_very_many_terms_that_is_no_number() -> None:
    flags = wt.tensor("flags", "bool", (400,))
    total: Any = flags[0]
    for k in range(1, 400):
        total = total + (flags[k] & flags[k - 1]) + flags[0]
    f = function([flags], total, mode=Mode("py", books=[join_siblings]))
    assert f(np.arange(400) > 397)
    assert not f(np.zeros(400, bool))


def test_parameters_that_are_slices_of_one_vector_are_joined_like_its_places() -> None:
    flat = wt.tensor("flat", "float64", (COUNT + 1,))
    scalars = [flat[k : k + 1].reshape(()) for k in range(COUNT + 1)]
    steps = [wt.stats.norm.logpdf(b, a, wt.exp(scalars[0])) for a, b in pairwise(scalars)]
    total: Any = sum(steps)
    f = function([flat], [total, wt.grad(total, flat)], mode="py")
    assert len(f.graph.nodes) < 80
    np.testing.assert_allclose(
        f(B[:-1])[1], function([flat], wt.grad(total, flat), mode=PLAIN)(B[:-1]), rtol=1e-10
    )
